//! CRC-32 with the polynomial of Ethernet and zip, which detects damaged records.

use std::ops::Range;

const POLYNOMIAL: u32 = 0xedb8_8320;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = (rest >> 1) ^ (POLYNOMIAL & (rest & 1).wrapping_neg());
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
};

/// The CRC-32 of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !update(!0, bytes)
}

/// The state of the register after more bytes.
fn update(register: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(register, |crc, &byte| (crc >> 8) ^ TABLE[usize::from(crc as u8 ^ byte)])
}

/// The product of two polynomials modulo the CRC polynomial; the highest bit is the coefficient of 1.
fn multiply(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for bit in (0..32).rev() {
        product ^= b & (a >> bit & 1).wrapping_neg();
        b = (b >> 1) ^ (POLYNOMIAL & (b & 1).wrapping_neg());
    }
    product
}

/// The polynomials 1 and x^8, the second of which stands for one zero byte.
const ONE: u32 = 1 << 31;
const ZERO_BYTE: u32 = 1 << 23;
/// The distance of the stored registers of a [`CrcIndex`], in bytes.
const STRIDE: usize = 64;
/// The number of powers in each of the two tables of a [`CrcIndex`].
const POWERS: usize = 4096;

/// Gives the CRC-32 of any range of a text in constant time.
///
/// The register after the bytes `..end` is the register after `..start`, multiplied by
/// x^(8 × length), plus the register of the range alone.
#[derive(Clone, Debug)]
pub(super) struct CrcIndex {
    /// The register after each multiple of [`STRIDE`] bytes, from the register 0.
    registers: Vec<u32>,
    /// Powers of [`ZERO_BYTE`]: by the exponent, and by the exponent divided by [`POWERS`].
    powers: [Vec<u32>; 2],
}

impl CrcIndex {
    pub(super) fn new(bytes: &[u8]) -> CrcIndex {
        let mut register = 0;
        let registers = std::iter::once(0).chain(bytes.chunks(STRIDE).map(|chunk| {
            register = update(register, chunk);
            register
        }));
        let registers = registers.collect();
        let powers_of = |base: u32| -> Vec<u32> {
            let next = |power: &u32| Some(multiply(*power, base));
            std::iter::successors(Some(ONE), next).take(POWERS).collect()
        };
        let low = powers_of(ZERO_BYTE);
        let high = powers_of(multiply(low[POWERS - 1], ZERO_BYTE));
        CrcIndex { registers, powers: [low, high] }
    }

    /// The CRC-32 of a range of the bytes that this index was made of, shorter than 2^24.
    pub(super) fn crc32(&self, bytes: &[u8], range: Range<usize>) -> u32 {
        let register = |end: usize| {
            let stored = end / STRIDE;
            update(self.registers[stored], &bytes[stored * STRIDE..end])
        };
        let [low, high] = &self.powers;
        let length = range.len();
        let shifted =
            multiply(low[length % POWERS], multiply(high[length / POWERS], !register(range.start)));
        !(shifted ^ register(range.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Random;

    #[test]
    fn check_value_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn the_index_gives_the_checksum_of_every_range() {
        let mut random = Random::new(3);
        let bytes: Vec<u8> = (0..5000).map(|_| random.next_u64() as u8).collect();
        let index = CrcIndex::new(&bytes);
        for _ in 0..2000 {
            let [a, b] = [0; 2].map(|_| random.below(bytes.len() + 1));
            let range = a.min(b)..a.max(b);
            let expected = crc32(&bytes[range.clone()]);
            assert_eq!(index.crc32(&bytes, range.clone()), expected, "{range:?}");
        }
    }
}
