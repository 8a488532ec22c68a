//! The compressed values of a part of a table.
//!
//! Values are bytes (12 bits at most). Pairs of neighbouring symbols were replaced by new symbols
//! again and again ("recursive pairing"), and the symbols that remain are written in a canonical
//! Huffman code, in blocks of equal size. To find a value, a sparse index tells the block and the
//! place in it for the middle of every span of positions; the lengths of the blocks lead from there
//! to the block with the value.

use super::super::TableFault;
use super::source::{Fault, Source};

/// Reads the head of a file from front to back.
pub(super) struct Cursor<'a> {
    source: &'a Source,
    pub(super) at: u64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a Source, at: u64) -> Cursor<'a> {
        Cursor { source, at }
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.source.bytes(self.at)?;
        self.at += N as u64;
        Ok(bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Fault> {
        Ok(self.bytes::<1>()?[0])
    }

    pub(super) fn word(&mut self) -> Result<u16, Fault> {
        Ok(u16::from_le_bytes(self.bytes()?))
    }

    /// Goes on at the next multiple of `unit`.
    pub(super) fn align(&mut self, unit: u64) {
        self.at = self.at.next_multiple_of(unit);
    }

    /// Leaves a room of this many bytes out and tells where it begins.
    pub(super) fn skip(&mut self, bytes: Option<u64>) -> Result<u64, Fault> {
        let start = self.at;
        let end = bytes.and_then(|bytes| start.checked_add(bytes));
        self.at = end.filter(|end| *end <= self.source.size()).ok_or(SHORT)?;
        Ok(start)
    }
}

const SHORT: Fault = TableFault::Inconsistent("it is too short for what its head announces");
const CODE: Fault = TableFault::Inconsistent("its code makes no sense");
const BLOCKS: Fault = TableFault::Inconsistent("its blocks make no sense");

/// A part of a table: its values, compressed.
pub(super) enum Pairs {
    /// All values are the same.
    Constant(u16),
    /// Values in blocks.
    Blocks(Blocks),
}

/// All codes of one length.
struct Level {
    /// The first of them, the code's bits at the high end. Longer codes are smaller.
    first: u64,
    /// What the first stands for; the next stands for the next symbol.
    symbol: u64,
}

/// What a symbol stands for.
#[derive(Clone, Copy)]
struct Symbol {
    left: u16,
    /// [`LEAF`] if the symbol stands for the value `left`.
    right: u16,
    /// How many values it stands for.
    values: u32,
}

/// The right half of a symbol that is a value.
const LEAF: u16 = 0xFFF;

/// Longest code.
const MAX_CODE: u8 = 32;

/// Far more blocks than lie between the middle of a span and its end in any sound table (a span is
/// about sixteen to thirty-two blocks).
const MAX_STEPS: u32 = 1 << 16;

/// How values are compressed and where they lie in the file.
pub(super) struct Blocks {
    block_bits: u32,
    span_bits: u32,
    /// Blocks with data.
    count: u64,
    /// Lengths listed, at least as many.
    lengths: u64,
    min_code: u32,
    levels: Vec<Level>,
    symbols: Vec<Symbol>,
    sparse_at: u64,
    lengths_at: u64,
    data_at: u64,
}

impl Pairs {
    /// Reads the head of a part: its flags, which DTZ tables use, and how it is compressed.
    pub(super) fn read(head: &mut Cursor<'_>) -> Result<(u8, Pairs), Fault> {
        let flags = head.byte()?;
        if flags & 0x80 != 0 {
            let value = u16::from(head.byte()?);
            return Ok((flags, Pairs::Constant(value)));
        }
        let [block_bits, span_bits, padding] = head.bytes()?;
        let count = u64::from(u32::from_le_bytes(head.bytes()?));
        let [max_code, min_code] = head.bytes()?;
        let sound = block_bits <= 16
            && (1..=30).contains(&span_bits)
            && (1..=max_code).contains(&min_code)
            && max_code <= MAX_CODE;
        if !sound {
            return Err(CODE);
        }
        let first_symbols = (min_code..=max_code)
            .map(|_| head.word())
            .collect::<Result<Vec<u16>, Fault>>()?;
        let symbols = read_symbols(head)?;
        let blocks = Blocks {
            block_bits: block_bits.into(),
            span_bits: span_bits.into(),
            count,
            lengths: count + u64::from(padding),
            min_code: min_code.into(),
            levels: levels(&first_symbols, min_code),
            symbols,
            sparse_at: 0,
            lengths_at: 0,
            data_at: 0,
        };
        Ok((flags, Pairs::Blocks(blocks)))
    }

    /// Finds the sparse index for so many positions.
    pub(super) fn place_sparse(&mut self, head: &mut Cursor<'_>, size: u64) -> Result<(), Fault> {
        if let Pairs::Blocks(blocks) = self {
            let spans = size.div_ceil(1 << blocks.span_bits);
            blocks.sparse_at = head.skip(spans.checked_mul(6))?;
        }
        Ok(())
    }

    /// Finds the lengths of the blocks.
    pub(super) fn place_lengths(&mut self, head: &mut Cursor<'_>) -> Result<(), Fault> {
        if let Pairs::Blocks(blocks) = self {
            blocks.lengths_at = head.skip(blocks.lengths.checked_mul(2))?;
        }
        Ok(())
    }

    /// Finds the data.
    pub(super) fn place_data(&mut self, head: &mut Cursor<'_>) -> Result<(), Fault> {
        if let Pairs::Blocks(blocks) = self {
            head.align(64);
            blocks.data_at = head.skip(blocks.count.checked_mul(1 << blocks.block_bits))?;
        }
        Ok(())
    }

    /// The value of the position with this index.
    #[inline]
    pub(super) fn value(&self, source: &Source, index: u64) -> Result<u16, Fault> {
        match self {
            Pairs::Constant(value) => Ok(*value),
            Pairs::Blocks(blocks) => blocks.value(source, index),
        }
    }
}

/// Reads what the symbols stand for.
fn read_symbols(head: &mut Cursor<'_>) -> Result<Vec<Symbol>, Fault> {
    let count = head.word()?;
    let mut symbols = Vec::with_capacity(count.into());
    for _ in 0..count {
        // Two numbers of twelve bits.
        let [low, middle, high] = head.bytes()?.map(u16::from);
        let (left, right) = (low | (middle & 15) << 8, middle >> 4 | high << 4);
        symbols.push(Symbol {
            left,
            right,
            values: 0,
        });
    }
    if count & 1 != 0 {
        head.byte()?;
    }
    count_values(&mut symbols)?;
    Ok(symbols)
}

/// Counts how many values each symbol stands for. A symbol that contains itself is an error.
fn count_values(symbols: &mut [Symbol]) -> Result<(), Fault> {
    // Symbols whose halves must be counted first lie below their halves on the stack.
    let mut open = vec![false; symbols.len()];
    let mut stack = Vec::new();
    for start in 0..symbols.len() {
        stack.push(start);
        while let Some(top) = stack.pop() {
            let symbol = symbols[top];
            if symbol.values != 0 {
                continue;
            }
            if symbol.right == LEAF {
                symbols[top].values = 1;
                continue;
            }
            let halves = [symbol.left, symbol.right].map(usize::from);
            let [left, right] = halves.map(|half| symbols.get(half).map(|half| half.values));
            let (left, right) = (left.ok_or(CODE)?, right.ok_or(CODE)?);
            if left != 0 && right != 0 {
                symbols[top].values = left.checked_add(right).ok_or(CODE)?;
            } else if open[top] {
                return Err(CODE);
            } else {
                open[top] = true;
                stack.push(top);
                stack.extend(halves);
            }
        }
    }
    Ok(())
}

/// The codes of each length, from the first symbol of each: the codes of one length follow each
/// other, those of the next length fill what is left below them.
fn levels(first_symbols: &[u16], min_code: u8) -> Vec<Level> {
    let mut first = 0u64;
    let mut levels: Vec<Level> = Vec::with_capacity(first_symbols.len());
    for (i, symbol) in first_symbols.iter().enumerate().rev() {
        if let Some(longer) = first_symbols.get(i + 1) {
            let used = u64::from(symbol.saturating_sub(*longer));
            first = (first + used) / 2;
        }
        levels.push(Level {
            first: first << (64 - u32::from(min_code) - i as u32),
            symbol: (*symbol).into(),
        });
    }
    levels.reverse();
    levels
}

impl Blocks {
    fn length(&self, source: &Source, block: u64) -> Result<i64, Fault> {
        if block >= self.lengths {
            return Err(BLOCKS);
        }
        let length = source.bytes(self.lengths_at + 2 * block)?;
        Ok(i64::from(u16::from_le_bytes(length)) + 1)
    }

    fn value(&self, source: &Source, index: u64) -> Result<u16, Fault> {
        let span = 1u64 << self.span_bits;
        let entry: [u8; 6] = source.bytes(self.sparse_at + 6 * (index / span))?;
        let [b0, b1, b2, b3, o0, o1] = entry;
        let mut block = u64::from(u32::from_le_bytes([b0, b1, b2, b3]));
        // The entry is about the middle of the span.
        let from_middle = (index % span) as i64 - (span / 2) as i64;
        let mut place = i64::from(u16::from_le_bytes([o0, o1])) + from_middle;
        let mut steps = 0..MAX_STEPS;
        while place < 0 {
            steps.next().ok_or(BLOCKS)?;
            block = block.checked_sub(1).ok_or(BLOCKS)?;
            place += self.length(source, block)?;
        }
        loop {
            steps.next().ok_or(BLOCKS)?;
            let length = self.length(source, block)?;
            if place < length {
                break;
            }
            place -= length;
            block += 1;
        }
        if block >= self.count {
            return Err(BLOCKS);
        }
        let at = self.data_at + (block << self.block_bits);
        let value = source.with(at, 1 << self.block_bits, |data| {
            self.decode(data, place as u32)
        })?;
        value.ok_or(CODE)
    }

    /// The value of a block at a place, `None` if the data make no sense.
    fn decode(&self, data: &[u8], mut place: u32) -> Option<u16> {
        let mut bit = 0usize;
        let symbol = loop {
            if bit >= 8 * data.len() {
                return None;
            }
            let window = window(data, bit);
            let level = self.levels.iter().position(|level| window >= level.first)?;
            let length = self.min_code + level as u32;
            let level = &self.levels[level];
            let number = level.symbol + ((window - level.first) >> (64 - length));
            let symbol = self.symbols.get(usize::try_from(number).ok()?)?;
            if place < symbol.values {
                break symbol;
            }
            place -= symbol.values;
            bit += length as usize;
        };
        let mut symbol = *symbol;
        while symbol.right != LEAF {
            let left = *self.symbols.get(usize::from(symbol.left))?;
            symbol = if place < left.values {
                left
            } else {
                place -= left.values;
                *self.symbols.get(usize::from(symbol.right))?
            };
        }
        Some(symbol.left)
    }
}

/// The next 57 bits or more, at the high end; behind the data come zeros.
#[inline]
fn window(data: &[u8], bit: usize) -> u64 {
    let rest = &data[bit / 8..];
    let word = match rest.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(bytes)
        }
    };
    word << (bit % 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(left: u16, right: u16) -> Symbol {
        Symbol {
            left,
            right,
            values: 0,
        }
    }

    #[test]
    fn symbols_count_their_values() {
        let mut symbols = [symbol(1, 2), symbol(2, 2), symbol(7, LEAF)];
        count_values(&mut symbols).unwrap();
        assert_eq!(symbols.map(|s| s.values), [3, 2, 1]);
    }

    #[test]
    fn symbols_that_contain_themselves_are_refused() {
        for mut symbols in [
            vec![symbol(0, 0)],
            vec![symbol(1, 2), symbol(2, 0), symbol(7, LEAF)],
            vec![symbol(5, 5)],
        ] {
            assert_eq!(count_values(&mut symbols), Err(CODE));
        }
    }

    #[test]
    fn symbols_that_stand_for_too_much_are_refused() {
        let mut symbols: Vec<Symbol> = (1..50).map(|next| symbol(next, next)).collect();
        symbols.push(symbol(0, LEAF));
        assert_eq!(count_values(&mut symbols), Err(CODE));
    }
}
