//! Searches and counts bytes.

/// The index of the first byte that is one of `wanted`.
#[inline]
pub(super) fn find<const N: usize>(bytes: &[u8], wanted: &[u8; N]) -> Option<usize> {
    // Without a branch for each byte, so that compilers turn a chunk into vector instructions.
    let is_wanted = |byte: u8| wanted.iter().fold(false, |found, w| found | (byte == *w));
    let (chunks, rest) = bytes.as_chunks::<32>();
    for (number, chunk) in chunks.iter().enumerate() {
        let bits = chunk.iter().enumerate();
        let mask = bits.fold(0, |mask, (i, b)| mask | (u32::from(is_wanted(*b)) << i));
        if mask != 0 {
            return Some(32 * number + mask.trailing_zeros() as usize);
        }
    }
    let at = rest.iter().position(|b| is_wanted(*b));
    at.map(|at| 32 * chunks.len() + at)
}

/// The number of characters in UTF-8.
pub(super) fn columns(bytes: &[u8]) -> u64 {
    // All bytes but the continuation bytes.
    bytes.iter().filter(|b| **b & 0xc0 != 0x80).count() as u64
}
