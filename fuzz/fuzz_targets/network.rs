//! Network files: every kernel evaluates with a network that is accepted as the reference does, without
//! overflow.
//!
//! Built for fuzzing, the library ignores the checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::nnue::network::Network;
use saavedra::nnue::simd::Kernel;
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(network) = Network::load(bytes) {
        let written = Network::load(&network.to_bytes()).map(|network| network.parameters());
        assert_eq!(written.ok(), Some(network.parameters()));
        let network = Arc::new(network);
        for kernel in Kernel::available() {
            assert_eq!(kernel.self_check(&network), Ok(()));
        }
    }
});
