//! Decompression of a subtable.
//!
//! Values have up to 12 bits. The generator replaces pairs of symbols by new symbols recursively
//! ([Re-Pair](https://en.wikipedia.org/wiki/Re-Pair)) and writes the remaining symbols in a
//! canonical Huffman code, in blocks of equal size. A sparse index holds the block and the offset
//! in it of the position in the middle of each span; the block lengths lead from there to the block
//! of any other position.

use super::TableError;
use super::bytes::TableBytes;

/// Reads the header of a file from front to back.
pub(super) struct HeaderReader<'a> {
    bytes: &'a TableBytes,
    pub(super) at: u64,
}

impl<'a> HeaderReader<'a> {
    pub(super) fn new(bytes: &'a TableBytes, at: u64) -> HeaderReader<'a> {
        HeaderReader { bytes, at }
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], TableError> {
        let bytes = self.bytes.read(self.at)?;
        self.at += N as u64;
        Ok(bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, TableError> {
        Ok(self.bytes::<1>()?[0])
    }

    pub(super) fn word(&mut self) -> Result<u16, TableError> {
        Ok(u16::from_le_bytes(self.bytes()?))
    }

    /// Advances to the next multiple of `unit`.
    pub(super) fn align(&mut self, unit: u64) {
        self.at = self.at.next_multiple_of(unit);
    }

    /// Skips a section of this many bytes and returns its offset.
    pub(super) fn skip(&mut self, bytes: Option<u64>) -> Result<u64, TableError> {
        let start = self.at;
        let end = bytes.and_then(|bytes| start.checked_add(bytes));
        self.at = end.filter(|end| *end <= self.bytes.size()).ok_or(SHORT)?;
        Ok(start)
    }
}

const SHORT: TableError = TableError::Corrupt("the file is shorter than its header promises");
const CODE: TableError = TableError::Corrupt("invalid Huffman code");
const BLOCKS: TableError = TableError::Corrupt("invalid block index");

/// The values of a subtable.
pub(super) enum PairsData {
    /// All positions have this value; nothing is stored.
    Constant(u16),
    /// Compressed values.
    Blocks(Blocks),
}

/// The Huffman codes of one length.
struct CodeLength {
    /// The first code of this length, left-aligned in 64 bits. Longer codes are smaller.
    base: u64,
    /// The symbol of the first code; the following codes have the following symbols.
    lowest_symbol: u64,
}

/// A symbol: a value or a pair of symbols.
#[derive(Clone, Copy)]
struct Symbol {
    left: u16,
    /// [`LEAF`] if the symbol is the value `left`.
    right: u16,
    /// Number of values the symbol expands to.
    values: u32,
}

/// The right half of a symbol that is a value.
const LEAF: u16 = 0xFFF;

/// Maximum code length in bits.
const MAX_CODE_LENGTH: u8 = 32;

/// Maximum number of blocks between the middle of a span and a position in it; a valid table has a
/// few dozen. The bound limits the time that a corrupt file can take.
const MAX_STEPS: u32 = 1 << 16;

/// The compression parameters of a subtable and the offsets of its sections in the file.
pub(super) struct Blocks {
    block_bits: u32,
    span_bits: u32,
    /// Number of data blocks.
    block_count: u64,
    /// Number of block lengths, at least `block_count`.
    length_count: u64,
    min_code_length: u32,
    code_lengths: Vec<CodeLength>,
    symbols: Vec<Symbol>,
    sparse_index_at: u64,
    lengths_at: u64,
    data_at: u64,
}

impl PairsData {
    /// Reads the header of a subtable: its flags, which DTZ tables use, and the compression
    /// parameters.
    pub(super) fn read(head: &mut HeaderReader<'_>) -> Result<(u8, PairsData), TableError> {
        let flags = head.byte()?;
        if flags & 0x80 != 0 {
            let value = u16::from(head.byte()?);
            return Ok((flags, PairsData::Constant(value)));
        }
        let [block_bits, span_bits, padding] = head.bytes()?;
        let count = u64::from(u32::from_le_bytes(head.bytes()?));
        let [max_length, min_length] = head.bytes()?;
        let is_valid = block_bits <= 16
            && (1..=30).contains(&span_bits)
            && (1..=max_length).contains(&min_length)
            && max_length <= MAX_CODE_LENGTH;
        if !is_valid {
            return Err(CODE);
        }
        let lowest_symbols = (min_length..=max_length)
            .map(|_| head.word())
            .collect::<Result<Vec<u16>, TableError>>()?;
        let symbols = read_symbols(head)?;
        let blocks = Blocks {
            block_bits: block_bits.into(),
            span_bits: span_bits.into(),
            block_count: count,
            length_count: count + u64::from(padding),
            min_code_length: min_length.into(),
            code_lengths: code_lengths(&lowest_symbols, min_length),
            symbols,
            sparse_index_at: 0,
            lengths_at: 0,
            data_at: 0,
        };
        Ok((flags, PairsData::Blocks(blocks)))
    }

    /// Sets the offset of the sparse index of a subtable of `size` positions.
    pub(super) fn locate_sparse_index(
        &mut self,
        head: &mut HeaderReader<'_>,
        size: u64,
    ) -> Result<(), TableError> {
        if let PairsData::Blocks(blocks) = self {
            let spans = size.div_ceil(1 << blocks.span_bits);
            blocks.sparse_index_at = head.skip(spans.checked_mul(6))?;
        }
        Ok(())
    }

    /// Sets the offset of the block lengths.
    pub(super) fn locate_lengths(&mut self, head: &mut HeaderReader<'_>) -> Result<(), TableError> {
        if let PairsData::Blocks(blocks) = self {
            blocks.lengths_at = head.skip(blocks.length_count.checked_mul(2))?;
        }
        Ok(())
    }

    /// Sets the offset of the data blocks.
    pub(super) fn locate_data(&mut self, head: &mut HeaderReader<'_>) -> Result<(), TableError> {
        if let PairsData::Blocks(blocks) = self {
            head.align(64);
            blocks.data_at = head.skip(blocks.block_count.checked_mul(1 << blocks.block_bits))?;
        }
        Ok(())
    }

    /// The value of the position with this index.
    #[inline]
    pub(super) fn value(&self, bytes: &TableBytes, index: u64) -> Result<u16, TableError> {
        match self {
            PairsData::Constant(value) => Ok(*value),
            PairsData::Blocks(blocks) => blocks.value(bytes, index),
        }
    }
}

/// Reads the symbol tree.
fn read_symbols(head: &mut HeaderReader<'_>) -> Result<Vec<Symbol>, TableError> {
    let count = head.word()?;
    let mut symbols = Vec::with_capacity(count.into());
    for _ in 0..count {
        // Two numbers of twelve bits.
        let [low, middle, high] = head.bytes()?.map(u16::from);
        let (left, right) = (low | (middle & 15) << 8, middle >> 4 | high << 4);
        symbols.push(Symbol { left, right, values: 0 });
    }
    if count & 1 != 0 {
        head.byte()?;
    }
    count_values(&mut symbols)?;
    Ok(symbols)
}

/// Counts the values that each symbol expands to. A symbol that contains itself is an error.
fn count_values(symbols: &mut [Symbol]) -> Result<(), TableError> {
    // Depth-first: a symbol is below its halves on the stack until both are counted.
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

/// The canonical Huffman code, from the lowest symbol of each code length. Codes of one length are
/// consecutive; longer codes are smaller than all shorter ones.
fn code_lengths(lowest_symbols: &[u16], min_length: u8) -> Vec<CodeLength> {
    let mut base = 0u64;
    let mut lengths: Vec<CodeLength> = Vec::with_capacity(lowest_symbols.len());
    for (i, symbol) in lowest_symbols.iter().enumerate().rev() {
        if let Some(longer) = lowest_symbols.get(i + 1) {
            let used = u64::from(symbol.saturating_sub(*longer));
            base = (base + used) / 2;
        }
        lengths.push(CodeLength {
            base: base << (64 - u32::from(min_length) - i as u32),
            lowest_symbol: (*symbol).into(),
        });
    }
    lengths.reverse();
    lengths
}

impl Blocks {
    /// Number of values in a block.
    fn length(&self, bytes: &TableBytes, block: u64) -> Result<i64, TableError> {
        if block >= self.length_count {
            return Err(BLOCKS);
        }
        let length = bytes.read(self.lengths_at + 2 * block)?;
        Ok(i64::from(u16::from_le_bytes(length)) + 1)
    }

    fn value(&self, bytes: &TableBytes, index: u64) -> Result<u16, TableError> {
        let span = 1u64 << self.span_bits;
        let entry: [u8; 6] = bytes.read(self.sparse_index_at + 6 * (index / span))?;
        let [b0, b1, b2, b3, o0, o1] = entry;
        let mut block = u64::from(u32::from_le_bytes([b0, b1, b2, b3]));
        // The entry is for the position in the middle of the span.
        let from_middle = (index % span) as i64 - (span / 2) as i64;
        let mut offset = i64::from(u16::from_le_bytes([o0, o1])) + from_middle;
        let mut steps = 0..MAX_STEPS;
        while offset < 0 {
            steps.next().ok_or(BLOCKS)?;
            block = block.checked_sub(1).ok_or(BLOCKS)?;
            offset += self.length(bytes, block)?;
        }
        loop {
            steps.next().ok_or(BLOCKS)?;
            let length = self.length(bytes, block)?;
            if offset < length {
                break;
            }
            offset -= length;
            block += 1;
        }
        if block >= self.block_count {
            return Err(BLOCKS);
        }
        let at = self.data_at + (block << self.block_bits);
        let value =
            bytes.with(at, 1 << self.block_bits, |data| self.decode(data, offset as u32))?;
        value.ok_or(CODE)
    }

    /// The value at an offset of a block; `None` if the data are invalid.
    fn decode(&self, data: &[u8], mut offset: u32) -> Option<u16> {
        let mut bit = 0usize;
        let symbol = loop {
            if bit >= 8 * data.len() {
                return None;
            }
            let window = window(data, bit);
            let i = self.code_lengths.iter().position(|c| window >= c.base)?;
            let length = self.min_code_length + i as u32;
            let codes = &self.code_lengths[i];
            let number = codes.lowest_symbol + ((window - codes.base) >> (64 - length));
            let symbol = self.symbols.get(usize::try_from(number).ok()?)?;
            if offset < symbol.values {
                break symbol;
            }
            offset -= symbol.values;
            bit += length as usize;
        };
        let mut symbol = *symbol;
        while symbol.right != LEAF {
            let left = *self.symbols.get(usize::from(symbol.left))?;
            symbol = if offset < left.values {
                left
            } else {
                offset -= left.values;
                *self.symbols.get(usize::from(symbol.right))?
            };
        }
        Some(symbol.left)
    }
}

/// At least the next 57 bits, left-aligned; zeros past the end of the data.
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
        Symbol { left, right, values: 0 }
    }

    #[test]
    fn values_of_symbols_are_counted() {
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
    fn symbols_with_too_many_values_are_refused() {
        let mut symbols: Vec<Symbol> = (1..50).map(|next| symbol(next, next)).collect();
        symbols.push(symbol(0, LEAF));
        assert_eq!(count_values(&mut symbols), Err(CODE));
    }
}
