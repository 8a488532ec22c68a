//! Range coding: an encoder and a decoder of bits and choices with given probabilities, in integers.
//!
//! <https://en.wikipedia.org/wiki/Range_coding>

/// The probability 1, in the units of [`Coder::bit`].
pub(super) const ONE: u32 = 1 << 16;
/// The range is kept at or above this.
const MIN_RANGE: u64 = 1 << 56;

/// An encoder or a decoder. One description of a format serves both: the encoder codes the value
/// that it is given, the decoder ignores that and returns the coded one.
pub(super) trait Coder {
    /// A bit that is set with this probability, from 1 to [`ONE`]` - 1`.
    fn bit(&mut self, probability: u32, bit: bool) -> bool;

    /// The index of one of these choices, which are as likely as their sizes. There is at least one,
    /// no size is 0, and their sum fits 32 bits.
    fn choice(&mut self, sizes: &[u32], chosen: usize) -> usize;

    /// Whether a decoder has read more bytes than there are, which an encoder's bytes never cause.
    fn is_past_end(&self) -> bool;
}

/// Writes the shortest number, as a fraction of 1, in the interval that the coded values leave.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    bytes: Vec<u8>,
    low: u64,
    range: u64,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder { bytes: Vec::new(), low: 0, range: u64::MAX }
    }

    /// The number of bytes so far.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The coded bytes.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend(self.low.to_be_bytes());
        self.bytes
    }

    /// Narrows the interval.
    #[inline(always)]
    fn narrow(&mut self, offset: u64, range: u64) {
        let (low, carry) = self.low.overflowing_add(offset);
        if carry {
            for byte in self.bytes.iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
        (self.low, self.range) = (low, range);
        while self.range < MIN_RANGE {
            self.bytes.push((self.low >> 56) as u8);
            self.low <<= 8;
            self.range <<= 8;
        }
    }
}

impl Coder for Encoder {
    #[inline]
    fn bit(&mut self, probability: u32, bit: bool) -> bool {
        let split = self.range / u64::from(ONE) * u64::from(probability);
        if bit {
            self.narrow(0, split);
        } else {
            self.narrow(split, self.range - split);
        }
        bit
    }

    fn choice(&mut self, sizes: &[u32], chosen: usize) -> usize {
        let sum = |sizes: &[u32]| sizes.iter().map(|size| u64::from(*size)).sum::<u64>();
        let unit = self.range / sum(sizes);
        self.narrow(unit * sum(&sizes[..chosen]), unit * u64::from(sizes[chosen]));
        chosen
    }

    fn is_past_end(&self) -> bool {
        false
    }
}

/// Reads what an [`Encoder`] wrote. From other bytes it reads some values, never out of range.
#[derive(Clone, Debug)]
pub(super) struct Decoder<'a> {
    rest: &'a [u8],
    /// The coded number from the low end of the interval.
    code: u64,
    range: u64,
    is_past_end: bool,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder { rest: bytes, code: 0, range: u64::MAX, is_past_end: false };
        for _ in 0..8 {
            decoder.read_byte();
        }
        decoder
    }

    fn read_byte(&mut self) {
        let (byte, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.is_past_end |= self.rest.is_empty();
        self.rest = rest;
        self.code = self.code << 8 | u64::from(*byte);
    }

    #[inline(always)]
    fn narrow(&mut self, offset: u64, range: u64) {
        self.code -= offset;
        self.range = range;
        while self.range < MIN_RANGE {
            self.range <<= 8;
            self.read_byte();
        }
    }
}

impl Coder for Decoder<'_> {
    #[inline]
    fn bit(&mut self, probability: u32, _: bool) -> bool {
        let split = self.range / u64::from(ONE) * u64::from(probability);
        let bit = self.code < split;
        if bit {
            self.narrow(0, split);
        } else {
            self.narrow(split, self.range - split);
        }
        bit
    }

    fn choice(&mut self, sizes: &[u32], _: usize) -> usize {
        let unit = self.range / sizes.iter().map(|size| u64::from(*size)).sum::<u64>();
        let mut start = 0;
        for (index, size) in sizes.iter().enumerate() {
            let size = unit * u64::from(*size);
            // What division leaves at the end of the range belongs to no choice.
            if self.code - start < size || index + 1 == sizes.len() {
                self.narrow(start, size);
                return index;
            }
            start += size;
        }
        0
    }

    fn is_past_end(&self) -> bool {
        self.is_past_end
    }
}

/// The probability of a bit, learned from the earlier bits of its context.
#[derive(Clone, Copy, Debug)]
pub(super) struct BitModel {
    /// In units of 1 / 2^24.
    probability: i32,
    /// The number of bits seen, up to [`BitModel::MAX_SEEN`].
    seen: i32,
}

impl BitModel {
    /// A new bit counts as one of this number at least.
    const MAX_SEEN: i32 = 255;

    /// A model that has seen nothing.
    pub(super) const NEW: BitModel = BitModel { probability: 1 << 23, seen: 0 };

    /// The probability, from 1 to [`ONE`]` - 1`.
    fn probability(self) -> u32 {
        (self.probability >> 8).clamp(1, ONE as i32 - 1) as u32
    }

    /// Moves the probability towards the bit by 1 / (seen + 1.5) of the distance.
    fn update(&mut self, bit: bool) {
        let target = i32::from(bit) << 24;
        self.probability += (target - self.probability) * 2 / (2 * self.seen + 3);
        self.seen = (self.seen + 1).min(BitModel::MAX_SEEN);
    }

    /// Codes a bit with this model.
    pub(super) fn code(&mut self, coder: &mut impl Coder, bit: bool) -> bool {
        let bit = coder.bit(self.probability(), bit);
        self.update(bit);
        bit
    }
}

/// Codes a bit with the mean probability of two models.
pub(super) fn code_with_two(coder: &mut impl Coder, [a, b]: [&mut BitModel; 2], bit: bool) -> bool {
    let bit = coder.bit((a.probability() + b.probability()) / 2, bit);
    a.update(bit);
    b.update(bit);
    bit
}

/// Codes a number of this many bits, the highest first, each in the context of those before it.
/// There are as many models as such numbers.
pub(super) fn code_bits(
    coder: &mut impl Coder,
    models: &mut [BitModel],
    bits: u32,
    number: usize,
) -> usize {
    (0..bits).rev().fold(1, |prefix, bit| {
        prefix << 1 | usize::from(models[prefix].code(coder, number >> bit & 1 == 1))
    }) - (1 << bits)
}
