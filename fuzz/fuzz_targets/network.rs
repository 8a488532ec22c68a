//! Network files: damage is found, and a network that is accepted evaluates without overflow.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::nnue::network::Network;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(network) = Network::load(bytes) {
        assert_eq!(
            Network::load(&network.to_bytes())
                .map(|n| n.checksum())
                .ok(),
            Some(network.checksum())
        );
    }
});
