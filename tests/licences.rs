//! All dependencies of the binaries have permissive licences.
//!
//! Development dependencies are not checked, because they are not in the binaries.

use std::process::Command;

const PERMISSIVE: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether permissive licences alone satisfy an SPDX expression such as `MIT OR (Apache-2.0 AND
/// ISC)` or, in the old spelling, `MIT/Apache-2.0`.
fn is_permissive(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    any(&mut rest) && rest.is_empty()
}

/// Parses alternatives (`OR`).
fn any(words: &mut &[&str]) -> bool {
    let mut satisfied = all(words);
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        satisfied |= all(words);
    }
    satisfied
}

/// Parses conjunctions (`AND`).
fn all(words: &mut &[&str]) -> bool {
    let mut satisfied = one(words);
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        satisfied &= one(words);
    }
    satisfied
}

/// Parses a licence, perhaps with an exception, or an expression in parentheses.
fn one(words: &mut &[&str]) -> bool {
    match **words {
        ["(", ref rest @ ..] => {
            *words = rest;
            let satisfied = any(words);
            let closed = words.first() == Some(&")");
            *words = words.get(1..).unwrap_or_default();
            satisfied && closed
        }
        [name, "WITH", exception, ref rest @ ..] => {
            *words = rest;
            PERMISSIVE.contains(&&*format!("{name} WITH {exception}"))
        }
        [name, ref rest @ ..] => {
            *words = rest;
            PERMISSIVE.contains(&name)
        }
        [] => false,
    }
}

#[test]
fn dependencies_have_permissive_licences() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--locked", "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p};{l}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("text");
    let mut packages: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    packages.sort_unstable();
    packages.dedup();
    assert!(
        packages
            .iter()
            .any(|line| line.starts_with("crossbeam-channel ")),
        "{packages:?}"
    );
    for line in packages {
        let (package, licence) = line.split_once(';').expect("package;licence");
        // The line of a repeated package ends in " (*)".
        let licence = licence.trim_end_matches(" (*)");
        assert!(is_permissive(licence), "{package} is licensed {licence:?}");
    }
}

#[test]
fn licence_expressions_are_evaluated() {
    let permissive = [
        "MIT",
        "MIT OR Apache-2.0",
        "MIT/Apache-2.0",
        "GPL-3.0-only OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        "MIT AND (GPL-3.0-or-later OR ISC)",
    ];
    for expression in permissive {
        assert!(is_permissive(expression), "{expression}");
    }
    let restrictive = [
        "",
        "GPL-3.0-or-later",
        "MPL-2.0",
        "MIT AND GPL-3.0-only",
        "(MIT OR Apache-2.0) AND MPL-2.0",
        "GPL-3.0-only OR LGPL-3.0-only",
        "GPL-3.0 WITH LLVM-exception",
        "MIT Apache-2.0",
        "(MIT",
    ];
    for expression in restrictive {
        assert!(!is_permissive(expression), "{expression}");
    }
}
