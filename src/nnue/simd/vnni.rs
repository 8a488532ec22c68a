//! AVX-512 with VNNI, which multiplies pairs and adds them to a sum in one instruction.

super::functions!("avx2,avx512f,avx512bw,avx512vl,avx512vnni");
