//! The checksum at the end of a table file.
//!
//! A table is a multiple of 64 bytes, followed by 16 bytes of checksum: the CRC variant of CityHash
//! (Geoff Pike and Jyrki Alakuijala, 2011, <https://github.com/google/cityhash>). Each 16 MiB of
//! the file are hashed to 32 bytes, and the concatenation of those hashes to the 16 bytes. The
//! constants and rotations below define the hash.

use std::io::{self, Read};

/// Size in bytes of a chunk of the file that is hashed to 32 bytes.
const CHUNK: usize = 1 << 24;
/// Size of the checksum in bytes.
pub(super) const LENGTH: u64 = 16;

const K0: u64 = 0xC3A5_C85C_97CB_3127;
const K1: u64 = 0xB492_B66F_BE98_F273;
const K3: u64 = 0xC949_D7C7_509E_6557;

/// Whether the bytes of a whole file end with their checksum.
pub(super) fn matches(file: &[u8]) -> bool {
    match file.split_last_chunk::<16>() {
        Some((content, checksum)) => {
            let hashes: Vec<u8> = content.chunks(CHUNK).flat_map(hash_chunk).collect();
            hash_hashes(&hashes) == *checksum
        }
        None => false,
    }
}

/// Whether a file of `size` bytes ends with its checksum. Holds one chunk in memory.
pub(super) fn matches_stream(mut file: impl Read, size: u64) -> io::Result<bool> {
    let Some(mut left) = size.checked_sub(LENGTH) else {
        return Ok(false);
    };
    let mut buffer = Vec::new();
    let mut hashes = Vec::new();
    while left > 0 {
        buffer.resize(left.min(CHUNK as u64) as usize, 0);
        file.read_exact(&mut buffer)?;
        hashes.extend(hash_chunk(&buffer));
        left -= buffer.len() as u64;
    }
    let mut checksum = [0; LENGTH as usize];
    file.read_exact(&mut checksum)?;
    Ok(hash_hashes(&hashes) == checksum)
}

/// The little-endian word at offset `at`. Panics if there are fewer than eight bytes.
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn shift_mix(value: u64) -> u64 {
    value ^ value >> 47
}

fn mix(low: u64, high: u64) -> u64 {
    const FACTOR: u64 = 0x9DDF_EA08_EB38_2D69;
    let a = shift_mix((low ^ high).wrapping_mul(FACTOR));
    shift_mix((high ^ a).wrapping_mul(FACTOR)).wrapping_mul(FACTOR)
}

/// Lookup tables for CRC-32C, eight bytes at a time: `CRC[k][byte]` is the contribution of a byte
/// that `k` more bytes follow.
static CRC: [[u32; 256]; 8] = crc_tables();

const fn crc_tables() -> [[u32; 256]; 8] {
    let mut tables = [[0u32; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 != 0 { 0x82F6_3B78 } else { 0 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut i = 256;
    while i < 8 * 256 {
        let shorter = tables[i / 256 - 1][i % 256];
        tables[i / 256][i % 256] = shorter >> 8 ^ tables[0][(shorter & 255) as usize];
        i += 1;
    }
    tables
}

/// Updates a CRC-32C with one word.
fn crc(check: u64, word: u64) -> u64 {
    let bytes = (word ^ check & 0xFFFF_FFFF).to_le_bytes();
    let tables = bytes.iter().zip(CRC.iter().rev());
    u64::from(tables.fold(0, |sum, (byte, table)| sum ^ table[usize::from(*byte)]))
}

/// The hash of up to 16 MiB.
fn hash_chunk(chunk: &[u8]) -> [u8; 32] {
    const MIN_LENGTH: usize = 240;
    if chunk.len() >= MIN_LENGTH {
        return Crc256::hash(chunk, 0);
    }
    let mut padded = [0; MIN_LENGTH];
    padded[..chunk.len()].copy_from_slice(chunk);
    Crc256::hash(&padded, !(chunk.len() as u32))
}

/// The state of the CRC variant: six words that are mixed, five CRCs.
struct Crc256 {
    mixed: [u64; 6],
    checks: [u64; 5],
}

impl Crc256 {
    /// Hashes 40 bytes. Odd and even steps differ by one bit of the rotations and by a factor.
    fn step(&mut self, bytes: &[u8], odd: bool) {
        let (factor, flip) = if odd { (1, 1) } else { (K0, 0) };
        let before = self.mixed[0];
        for (i, rotation) in [41, 27, 41, 33, 25].into_iter().enumerate() {
            self.mixed[i] = self.mixed[i + 1]
                .rotate_right(rotation ^ flip)
                .wrapping_mul(factor)
                .wrapping_add(word(bytes, 8 * i));
            self.checks[i] = crc(self.checks[i], self.mixed[i]);
        }
        self.mixed[5] = before;
    }

    /// The hash of at least 240 bytes.
    fn hash(bytes: &[u8], seed: u32) -> [u8; 32] {
        let (length, seed) = (bytes.len() as u64, u64::from(seed));
        let a = word(bytes, 56).wrapping_add(K0);
        let b = word(bytes, 96).wrapping_add(K0);
        let c = mix(b, length);
        let d = word(bytes, 120).wrapping_mul(K0).wrapping_add(length);
        let e = word(bytes, 184).wrapping_add(seed);
        let mut state =
            Crc256 { mixed: [a, b, c, d, e, c.wrapping_add(d)], checks: [seed, 0, 0, 0, 0] };
        let mut rounds = bytes.chunks_exact(240);
        for round in &mut rounds {
            for (i, piece) in round.chunks_exact(40).enumerate() {
                state.step(piece, i % 2 == 0);
            }
        }
        let rest = rounds.remainder();
        for piece in rest.chunks_exact(40) {
            state.step(piece, false);
        }
        if !rest.len().is_multiple_of(40) {
            state.step(&bytes[bytes.len() - 40..], false);
        }
        state.finish(c, d)
    }

    fn finish(self, first: u64, second: u64) -> [u8; 32] {
        let [mut a, mut b, mut c, mut d, e, t] = self.mixed;
        let [f, g, mut h, mut i, mut j] = self.checks;
        j = j.wrapping_add(i << 32);
        a = mix(a, j);
        h = h.wrapping_add(g << 32);
        b = b.wrapping_add(h);
        c = mix(c, f).wrapping_add(i);
        d = mix(d, e.wrapping_add(first));
        j = j.wrapping_add(e);
        i = i.wrapping_add(mix(h, t));
        let e = mix(a, d).wrapping_add(j);
        let f = mix(b, c).wrapping_add(a);
        let g = mix(j, i).wrapping_add(c);
        let fold = |a: u64| shift_mix(a.wrapping_mul(K0)).wrapping_mul(K0);
        let r0 = e.wrapping_add(f).wrapping_add(g).wrapping_add(h);
        let a = fold(a.wrapping_add(g)).wrapping_add(b);
        let r1 = second.wrapping_add(a).wrapping_add(r0);
        let a = fold(a).wrapping_add(c);
        let r2 = a.wrapping_add(r1);
        let a = fold(a.wrapping_add(e));
        let r3 = a.wrapping_add(r2);
        let mut result = [0; 32];
        for (bytes, word) in result.chunks_exact_mut(8).zip([r0, r1, r2, r3]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        result
    }
}

/// The checksum of the concatenated 32-byte hashes of the chunks.
fn hash_hashes(hashes: &[u8]) -> [u8; 16] {
    let (first, second) = match hashes.len() {
        0 => return [0; 16],
        1..=900 => city128(hashes),
        _ => {
            let long = Crc256::hash(hashes, 0);
            (word(&long, 16), word(&long, 24))
        }
    };
    let mut result = [0; 16];
    result[..8].copy_from_slice(&first.to_le_bytes());
    result[8..].copy_from_slice(&second.to_le_bytes());
    result
}

/// `CityHash128` of at least 32 bytes: the first 16 are the seed for the others.
fn city128(bytes: &[u8]) -> (u64, u64) {
    let seed = (word(bytes, 0) ^ K3, word(bytes, 8));
    match &bytes[16..] {
        short if short.len() < 128 => murmur(short, seed),
        long => city128_long(long, seed),
    }
}

/// The hash of 16 to 127 bytes, a multiple of 16.
fn murmur(bytes: &[u8], seed: (u64, u64)) -> (u64, u64) {
    let length = bytes.len();
    let (mut a, mut b) = seed;
    let (mut c, mut d);
    if length <= 16 {
        let (low, high) = (word(bytes, 0), word(bytes, length - 8));
        let turned = high.wrapping_add(length as u64).rotate_right(length as u32);
        a = shift_mix(a.wrapping_mul(K1)).wrapping_mul(K1);
        c = b.wrapping_mul(K1).wrapping_add(mix(low, turned) ^ high);
        d = shift_mix(a.wrapping_add(low));
    } else {
        c = mix(word(bytes, length - 8).wrapping_add(K1), a);
        let last = word(bytes, length - 16);
        d = mix(b.wrapping_add(length as u64), c.wrapping_add(last));
        a = a.wrapping_add(d);
        for piece in bytes[..length - 16].chunks_exact(16) {
            let fold = |at| shift_mix(word(piece, at).wrapping_mul(K1)).wrapping_mul(K1);
            a = (a ^ fold(0)).wrapping_mul(K1);
            b ^= a;
            c = (c ^ fold(8)).wrapping_mul(K1);
            d ^= c;
        }
    }
    let (a, b) = (mix(a, c), mix(d, b));
    (a ^ b, mix(b, a))
}

/// Mixes 32 bytes and two seeds weakly.
fn weak(bytes: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|offset| word(bytes, at + offset));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let sum = a.wrapping_add(x).wrapping_add(y);
    let b = b.wrapping_add(sum.rotate_right(44));
    (sum.wrapping_add(z), b.wrapping_add(a))
}

/// The hash of 128 or more bytes.
fn city128_long(bytes: &[u8], seed: (u64, u64)) -> (u64, u64) {
    let turn = |value: u64, by, factor: u64| value.rotate_right(by).wrapping_mul(factor);
    let (mut x, mut y) = seed;
    let mut z = (bytes.len() as u64).wrapping_mul(K1);
    let v0 = turn(y ^ K1, 49, K1).wrapping_add(word(bytes, 0));
    let mut v = (v0, turn(v0, 42, K1).wrapping_add(word(bytes, 8)));
    let mut w = (
        turn(y.wrapping_add(z), 35, K1).wrapping_add(x),
        turn(x.wrapping_add(word(bytes, 88)), 53, K1),
    );
    let tail = bytes.len() % 128;
    for s in bytes[..bytes.len() - tail].chunks_exact(64) {
        let sum = x.wrapping_add(y).wrapping_add(v.0);
        x = turn(sum.wrapping_add(word(s, 8)), 37, K1) ^ w.1;
        y = turn(y.wrapping_add(v.1).wrapping_add(word(s, 48)), 42, K1)
            .wrapping_add(v.0)
            .wrapping_add(word(s, 40));
        z = turn(z.wrapping_add(w.0), 33, K1);
        v = weak(s, 0, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        let (a, b) = (z.wrapping_add(w.1), y.wrapping_add(word(s, 16)));
        w = weak(s, 32, a, b);
        (x, z) = (z, x);
    }
    x = x.wrapping_add(turn(v.0.wrapping_add(z), 49, K0));
    z = z.wrapping_add(turn(w.0, 37, K0));
    // The tail, backwards in chunks of 32 bytes; the last may overlap bytes hashed above.
    for done in (32..tail + 32).step_by(32) {
        let at = bytes.len() - done;
        y = turn(x.wrapping_add(y), 42, K0).wrapping_add(v.1);
        w.0 = w.0.wrapping_add(word(bytes, at + 16));
        x = x.wrapping_mul(K0).wrapping_add(w.0);
        z = z.wrapping_add(w.1).wrapping_add(word(bytes, at));
        w.1 = w.1.wrapping_add(v.0);
        v = weak(bytes, at, v.0.wrapping_add(z), v.1);
    }
    let x = mix(x, v.0);
    let y = mix(y.wrapping_add(z), w.0);
    let first = mix(x.wrapping_add(v.1), w.1).wrapping_add(y);
    (first, mix(x.wrapping_add(w.1), y.wrapping_add(v.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random bytes.
    fn bytes(count: usize) -> Vec<u8> {
        let next = |x: &u32| Some(x.wrapping_mul(1_103_515_245).wrapping_add(12_345));
        let numbers = std::iter::successors(Some(12_345), next).skip(1);
        numbers.take(count).map(|x| (x >> 16) as u8).collect()
    }

    fn words(hash: &[u8]) -> Vec<u64> {
        (0..hash.len() / 8).map(|i| word(hash, 8 * i)).collect()
    }

    /// Hashes of these numbers of the same bytes by the C code of CityHash.
    const CHUNKS: [(usize, [u64; 4]); 8] = [
        (
            16,
            [
                0xB86A_299F_45B0_563C,
                0xD82C_7408_37CC_B490,
                0x4068_46B4_5816_ED02,
                0xADE9_1F3D_D0D8_5F6A,
            ],
        ),
        (
            239,
            [
                0x9E4E_27CA_0269_D10E,
                0xE7D0_2D6D_DADA_482B,
                0xE9F0_0FC1_9DD3_0E2C,
                0x4D12_2076_9276_48F8,
            ],
        ),
        (
            240,
            [
                0x0C07_441C_7DA0_C25D,
                0xF394_395E_9E18_912B,
                0x13DD_C600_CBBC_EE3A,
                0x8CF0_E226_7AA1_C3CA,
            ],
        ),
        (
            241,
            [
                0x87B4_5EDD_C8F7_9330,
                0xBE08_FA6A_1D78_F7EA,
                0x3419_74B8_EDEC_5DFD,
                0x34F2_BF79_2F69_A425,
            ],
        ),
        (
            280,
            [
                0xAC1E_2EFA_E624_F510,
                0xB3CA_5307_2E49_C8D0,
                0xE637_8323_4ADA_893A,
                0x81AE_8A72_141A_DD5B,
            ],
        ),
        (
            281,
            [
                0xF798_FCA4_2CFF_09DB,
                0x8C58_3916_00EB_B919,
                0x90F5_324E_4A8C_42BC,
                0xA340_6D73_9A09_3211,
            ],
        ),
        (
            481,
            [
                0x8560_826C_CCFE_1FB1,
                0x1B65_F803_23D6_CFE9,
                0x5D79_1858_ECF5_53B2,
                0x193B_0C9D_DF2A_014E,
            ],
        ),
        (
            70000,
            [
                0xD415_CC6C_D249_33E1,
                0x9FE2_F6DC_F2C8_CABE,
                0xC5F6_4A33_1D03_DA1A,
                0x5744_4924_3A54_D6C7,
            ],
        ),
    ];
    const ROWS: [(usize, [u64; 2]); 8] = [
        (32, [0xCE21_C656_9DFF_B9A0, 0xCF7C_CFD7_51D1_541C]),
        (64, [0x3DF6_7E98_192A_CC6F, 0x0579_9709_A8F5_2BDA]),
        (128, [0x5A8D_C0D5_32BC_C3D6, 0xC968_3AC2_E061_DB65]),
        (160, [0x9CB8_6430_67E6_36A6, 0x9B0B_4E13_2984_86E1]),
        (288, [0xDB3A_53E5_89B4_E2D3, 0x01E6_A77A_92EA_B17E]),
        (896, [0xD789_9492_AFFF_76FC, 0x48CB_8751_B35C_0D80]),
        (928, [0x24BF_1A00_776C_969F, 0x4A1B_8E3A_1F54_9007]),
        (2048, [0x8F4D_0484_B652_F075, 0x128B_B1B4_5882_101F]),
    ];

    #[test]
    fn hashes_are_those_of_cityhash() {
        for (length, hash) in CHUNKS {
            assert_eq!(words(&hash_chunk(&bytes(length))), hash, "{length}");
        }
        for (length, hash) in ROWS {
            assert_eq!(words(&hash_hashes(&bytes(length))), hash, "{length}");
        }
    }

    #[test]
    fn any_changed_byte_is_detected() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tables/KQvK.rtbw");
        let mut file = std::fs::read(path).unwrap();
        assert!(matches(&file));
        assert!(matches_stream(&file[..], file.len() as u64).unwrap());
        for i in 0..file.len() {
            file[i] ^= 1;
            assert!(!matches(&file), "{i}");
            file[i] ^= 1;
        }
        assert!(!matches(&file[..file.len() - 64]));
        assert!(!matches(&[]) && !matches_stream(&[][..], 0).unwrap());
        assert!(matches_stream(&file[..100], 272).is_err());
    }
}
