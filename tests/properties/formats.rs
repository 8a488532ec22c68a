//! Corrupt documents are read or refused; nothing panics.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use saavedra::formats::{self, FORMATS, Format};

/// A valid text of each format.
fn samples() -> Vec<(&'static dyn Format, Vec<u8>)> {
    let game = formats::by_name("pgn")
        .expect("a format")
        .import("[White \"é\"]\n\n1. e4 $1 {c} (1. d4 (1. c4)) e5 2. Nf3 -- ; x\n 1/2-1/2");
    let game = game.expect("read");
    FORMATS.into_iter().map(|format| (format, format.export(&game).into_bytes())).collect()
}

fn read_all(format: &dyn Format, bytes: &[u8]) {
    for document in format.read(Box::new(bytes)).take(1000) {
        match document {
            Err(error) => assert!(!error.to_string().is_empty()),
            // Every document that was read can be written and read again.
            Ok(document) => {
                for format in FORMATS {
                    let text = format.export(&document);
                    let back = format.import(&text);
                    assert!(back.is_ok(), "{}: {:?}\n{text}", format.name(), back.err());
                }
            }
        }
    }
}

/// With a fixed seed.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(21),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn corrupt_documents_cause_no_panic(
        sample in 0..9usize,
        cut in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 0..6),
        truncate in any::<bool>(),
    ) {
        let (format, mut bytes) = samples().swap_remove(sample);
        for (index, byte, change) in changes {
            let at = index.index(bytes.len());
            match change {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => { bytes.remove(at); }
            }
        }
        if truncate {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_all(format, &bytes);
    }

    #[test]
    fn random_bytes_cause_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), sample in 0..9usize) {
        read_all(FORMATS[sample], &bytes);
        let _ = formats::by_content(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_sequences_of_pgn_tokens_cause_no_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "1.", "e4", "e5", "Nf3", "O-O", "(", ")", "{", "}", "$1", "1-0", "*", "\n", "\n\n",
                "[Event \"x\"]", "[FEN \"8/8/8/8/8/5k2/4p3/4K3 w - - 0 1\"]", "--", ";", "%", "?!",
                "♘f3", "½", "0-0", "<", ">", "[", "]", "Kd2", "é", "\u{feff}", "...", "2", "e.p.",
            ]),
            0..40,
        ),
        separator in prop::sample::select(vec!["", " "]),
    ) {
        read_all(&formats::pgn::Pgn, words.join(separator).as_bytes());
    }
}
