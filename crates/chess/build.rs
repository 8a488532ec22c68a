//! Generates the attack table of the sliders, in Cargo's output directory.

#[allow(dead_code, missing_docs, unreachable_pub)]
#[path = "src/attacks/slow.rs"]
mod slow;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/attacks/slow.rs");
    let out = env::var_os("OUT_DIR").ok_or(io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out).join("sliders.rs"), sliders())
}

/// How the occupancy of the relevant squares is packed into an index.
enum Index {
    Pext,
    Magic(u64),
}

impl Index {
    fn of(&self, occupied: u64, mask: u64) -> usize {
        match self {
            Index::Pext => {
                let bits = (0..64).filter(|bit| mask >> bit & 1 != 0);
                bits.enumerate().fold(0, |index, (position, bit)| {
                    index | ((occupied >> bit & 1) as usize) << position
                })
            }
            Index::Magic(magic) => {
                (occupied.wrapping_mul(*magic) >> (64 - mask.count_ones())) as usize
            }
        }
    }
}

/// The Rust source of the tables.
fn sliders() -> String {
    let has = |variable, value: &str| {
        env::var(variable).is_ok_and(|values| values.split(',').any(|found| found == value))
    };
    let pext = has("CARGO_CFG_TARGET_FEATURE", "bmi2");
    // A smaller table, for a program that is downloaded.
    let indirect = has("CARGO_CFG_TARGET_ARCH", "wasm32");
    let mut text = String::new();
    let (mut table, mut values): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    // WebAssembly has other tables for rooks.
    let rooks = (!indirect).then_some(("ROOKS", slow::ROOK));
    for (name, directions) in rooks.into_iter().chain([("BISHOPS", slow::BISHOP)]) {
        let _ = writeln!(text, "static {name}: [Slider; 64] = [");
        for square in 0..64 {
            let mask = slow::relevant(square, &directions);
            let bits = mask.count_ones();
            let (offset, first_value) = (table.len(), values.len());
            let cases = cases(square, mask, &directions);
            let index = if pext { Index::Pext } else { Index::Magic(find_magic(mask, &cases)) };
            table.resize(offset + (1 << bits), 0);
            for (occupied, attacks) in cases {
                table[offset + index.of(occupied, mask)] = attacks;
            }
            let magic = if let Index::Magic(magic) = index { magic } else { 0 };
            let shift = 64 - bits;
            let _ = write!(
                text,
                "Slider {{ mask: {mask}, magic: {magic}, shift: {shift}, offset: {offset}"
            );
            if indirect {
                let _ = write!(text, ", first_value: {first_value}");
                to_indices(&mut table[offset..], &mut values);
            }
            text.push_str(" },\n");
        }
        text.push_str("];\n");
    }
    if indirect {
        let _ = writeln!(text, "static INDICES: [u8; {}] = {table:?};", table.len());
        table = values;
    }
    let _ = writeln!(text, "static SLIDES: [u64; {}] = {table:?};", table.len());
    text
}

/// Appends the different values of the table to `values`, and replaces each by its index there.
fn to_indices(table: &mut [u64], values: &mut Vec<u64>) {
    let mut different = table.to_vec();
    different.sort_unstable();
    different.dedup();
    for value in table {
        *value = different.binary_search(value).unwrap_or_default() as u64;
    }
    values.extend(different);
}

/// All occupancies of the relevant squares with the attacks of the slider.
fn cases(square: usize, mask: u64, directions: &[slow::Direction]) -> Vec<(u64, u64)> {
    let mut cases = Vec::new();
    let mut subset = 0u64;
    loop {
        cases.push((subset, slow::slides(square, directions, subset)));
        // The next subset of the mask ("carry-rippler").
        subset = subset.wrapping_sub(mask) & mask;
        if subset == 0 {
            return cases;
        }
    }
}

/// A magic number: occupancies with different attacks get different indices.
fn find_magic(mask: u64, cases: &[(u64, u64)]) -> u64 {
    let mut state = 0x2545_F491_4F6C_DD1D ^ mask;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut entries = vec![(0u32, 0u64); 1 << mask.count_ones()];
    for attempt in 1u32.. {
        // Numbers with few bits set are more often magic.
        let magic = random() & random() & random();
        let index = Index::Magic(magic);
        let fits = cases.iter().all(|&(occupied, attacks)| {
            let entry = &mut entries[index.of(occupied, mask)];
            let free = entry.0 != attempt || entry.1 == attacks;
            *entry = (attempt, attacks);
            free
        });
        if fits {
            return magic;
        }
    }
    unreachable!("every square has magic numbers of this size")
}
