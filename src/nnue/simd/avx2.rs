//! AVX2: 16 values at a time; x86-64 since 2013.

super::functions!("avx2");
