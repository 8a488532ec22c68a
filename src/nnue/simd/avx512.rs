//! AVX-512: 32 values at a time.

super::functions!("avx2,avx512f,avx512bw,avx512vl");
