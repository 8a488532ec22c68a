//! Network files: round trips, errors that name the invalid field, and no panic on any bytes.

use saavedra::nnue::arch::{HIDDEN, OUTPUT_BUCKETS, output_bucket};
use saavedra::nnue::format::{
    HEADER_LEN, Header, MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT, MAX_OUTPUT_SUM, MAX_OUTPUT_WEIGHT,
    NetworkError, Parameters,
};
use saavedra::nnue::network::Network;
use saavedra::nnue::reference;

/// A network with small pseudo-random weights.
fn sample(hidden: usize, buckets: usize) -> Parameters {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |limit: i16| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % (2 * limit as u64 + 1)) as i16 - limit
    };
    let mut network = Parameters::zero(hidden, buckets);
    network.generation = 7;
    network.feature_weights.fill_with(|| next(100) as i8);
    network.feature_bias.fill_with(|| next(100));
    network.output_weights.fill_with(|| next(60));
    network.output_bias.fill_with(|| i32::from(next(9000)));
    network
}

#[test]
fn files_round_trip_at_every_size() {
    for (hidden, buckets) in [(32, 1), (64, 8), (96, 2), (HIDDEN, OUTPUT_BUCKETS)] {
        let network = sample(hidden, buckets);
        let file = network.to_bytes();
        assert_eq!(Parameters::from_bytes(&file).as_ref(), Ok(&network));
        let loaded = Network::load(&file);
        if (hidden, buckets) == (HIDDEN, OUTPUT_BUCKETS) {
            let loaded = loaded.expect("the sizes match");
            assert_eq!(loaded.parameters(), network);
            assert_eq!(loaded.to_bytes(), file);
            let declared = Header::decode(&file).map(|header| header.checksum);
            assert_eq!(Ok(loaded.checksum()), declared);
            assert_eq!(std::ptr::from_ref(loaded.weights()).align_offset(64), 0);
        } else {
            assert!(matches!(loaded, Err(NetworkError::Field(..))));
        }
    }
}

#[test]
fn truncated_and_longer_files_are_rejected() {
    let file = sample(32, 1).to_bytes();
    for length in (0..2 * HEADER_LEN).chain([file.len() - 1]) {
        assert!(Parameters::from_bytes(&file[..length]).is_err(), "length {length}");
    }
    let longer = [&file[..], &[0]].concat();
    assert_eq!(
        Parameters::from_bytes(&longer),
        Err(NetworkError::Length(file.len(), file.len() + 1))
    );
}

#[test]
fn one_changed_byte_is_rejected() {
    let file = sample(32, 2).to_bytes();
    for at in (0..HEADER_LEN).chain((HEADER_LEN..file.len()).step_by(97)) {
        let mut corrupt = file.clone();
        corrupt[at] ^= 0x10;
        assert!(Parameters::from_bytes(&corrupt).is_err(), "byte {at}");
    }
}

#[test]
fn errors_name_the_invalid_field() {
    let file = sample(32, 1).to_bytes();
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = file.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        Parameters::from_bytes(&changed).expect_err("rejected").to_string()
    };
    for (at, bytes, expected) in [
        (0, &b"NNUE"[..], "not a Saavedra network"),
        (8, &[9, 0], "format version 9"),
        (12, &[33, 0], "hidden layer size is 33"),
        (12, &[0, 0, 0, 255], "hidden layer size is 4278190080"),
        (16, &[3], "number of output buckets is 3"),
        (16, &[0], "number of output buckets is 0"),
        (20, &[181, 0], "QA is 181"),
        (22, &[65], "QB is 65"),
        (24, &[1], "scale is 257"),
        (32, b"half-kp", "architecture \"half-kp"),
        (32, &[0xff], "architecture"),
        (100, &[1, 2, 3], "corrupt"),
    ] {
        let text = with(at, bytes);
        assert!(text.contains(expected), "{text:?} should contain {expected:?}");
    }
}

#[test]
fn weights_that_could_overflow_are_rejected() {
    type Change = fn(&mut Parameters);
    let cases: [(Change, bool); 11] = [
        (|net| net.feature_weights[5] = MAX_FEATURE_WEIGHT, true),
        (|net| net.feature_weights[5] = -MAX_FEATURE_WEIGHT - 1, false),
        (|net| net.feature_bias[5] = -MAX_FEATURE_BIAS, true),
        (|net| net.feature_bias[5] = MAX_FEATURE_BIAS + 1, false),
        (|net| net.feature_bias[5] = i16::MIN, false),
        (|net| net.output_weights[5] = -MAX_OUTPUT_WEIGHT, true),
        (|net| net.output_weights[5] = MAX_OUTPUT_WEIGHT + 1, false),
        (|net| net.output_bias[0] = i32::MIN, false),
        (|net| net.output_weights.fill(MAX_OUTPUT_WEIGHT), false),
        (|net| net.output_weights.fill(-MAX_OUTPUT_WEIGHT), false),
        // The sums of either sign fit.
        (
            |net| {
                let (ours, theirs) = net.output_weights.split_at_mut(256);
                ours.fill(MAX_OUTPUT_WEIGHT);
                theirs.fill(-MAX_OUTPUT_WEIGHT);
            },
            true,
        ),
    ];
    for (index, (change, is_valid)) in cases.into_iter().enumerate() {
        let mut network = Parameters::zero(256, 1);
        change(&mut network);
        assert_eq!(Parameters::from_bytes(&network.to_bytes()).is_ok(), is_valid, "case {index}");
    }
    assert!(i64::from(MAX_OUTPUT_SUM) * 255 * 255 <= i64::from(i32::MAX));
    let max_accumulator = i32::from(MAX_FEATURE_BIAS) + 32 * i32::from(MAX_FEATURE_WEIGHT);
    assert_eq!(max_accumulator, i32::from(i16::MAX));
    assert!(255 * i32::from(MAX_OUTPUT_WEIGHT) <= i32::from(i16::MAX));
}

#[test]
fn reference_follows_the_formula() {
    let mut network = Parameters::zero(32, 2);
    network.feature_weights[3 * 32] = 10;
    network.feature_bias[0] = 140;
    network.feature_weights[4 * 32] = 127;
    let second = &mut network.output_weights[2 * 32..];
    second[0] = 64;
    second[32] = -32;
    network.output_bias[1] = 1000;
    // us: 150; them: clamped to 255
    let sum = 150 * 150 * 64 - 255 * 255 * 32;
    let expected = (sum / 255 + 1000) * 400 / (255 * 128);
    assert_eq!(reference::evaluate(&network, &[3], &[4], 1), expected);
    assert_eq!(reference::evaluate(&network, &[3], &[4], 0), 0);
}

#[test]
fn output_buckets_divide_the_piece_counts_evenly() {
    for buckets in [1, 2, 4, 8, 16] {
        let used: Vec<usize> = (2..=32).map(|count| output_bucket(count, buckets)).collect();
        assert!(used.is_sorted() && used[0] == 0 && used[30] == (buckets - 1).min(30));
    }
    assert_eq!(output_bucket(32, 8), 7);
    assert_eq!(output_bucket(6, 8), 1);
}
