//! The table of modules in `docs/ARCHITECTURE.md` against the sources. The compiler checks the rest: what
//! the crates depend on, and by lints where `unsafe` and printing are allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A row of the table of modules.
struct Module {
    imports: Vec<String>,
    /// Parts of `std` that it does not use.
    forbidden: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The texts between backticks.
fn quoted(cell: &str) -> Vec<String> {
    let texts = cell.split('`').skip(1).step_by(2);
    texts.map(str::to_owned).collect()
}

/// The cells of each row of each table in the document.
fn table_rows() -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("the document");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let cells = |row: &str| row.trim_matches('|').split('|').map(str::to_owned).collect();
    rows.map(cells).collect()
}

fn modules() -> BTreeMap<String, Module> {
    let rows = table_rows().into_iter().filter(|row| row.len() == 4);
    let module = |row: Vec<String>| {
        let module = Module { imports: quoted(&row[2]), forbidden: quoted(&row[3]) };
        (quoted(&row[0]).remove(0), module)
    };
    rows.map(module).collect()
}

/// Adds the Rust files below a directory.
fn rust_files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file, without comment lines.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let lines = text.lines();
    let code: Vec<&str> = lines.filter(|line| !line.trim_start().starts_with("//")).collect();
    code.join("\n")
}

/// The names that follow `prefix`, such as `crate::`, also in braces: `crate::{a, b::c}` has `a` and `b`.
fn names_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let first_name = |text: &str| -> String {
        let text = text.trim_start();
        text.chars().take_while(|c| is_name(*c)).collect()
    };
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        let after = &code[at + prefix.len()..];
        let Some(group) = after.strip_prefix('{') else {
            names.insert(first_name(after));
            continue;
        };
        names.insert(first_name(group));
        let mut depth = 1;
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => _ = names.insert(first_name(&group[at + 1..])),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names.remove("");
    names
}

#[test]
fn modules_use_only_what_their_row_allows() {
    let modules = modules();
    let mut files = Vec::new();
    rust_files(&root().join("src"), &mut files);
    for path in files {
        let below = path.strip_prefix(root().join("src")).expect("below src");
        let mut parts = below.components();
        let name = parts.next().expect("a name").as_os_str().to_string_lossy().into_owned();
        if parts.next().is_none() {
            continue;
        }
        let module = modules.get(&name);
        let module = module.unwrap_or_else(|| panic!("docs/ARCHITECTURE.md has no row for {name}"));
        let code = code(&path);
        for import in names_after(&code, "crate::") {
            let is_allowed = import == name || name == "cmd" || module.imports.contains(&import);
            assert!(is_allowed, "{}: {name} may not import {import}", path.display());
        }
        for part in names_after(&code, "std::") {
            let is_forbidden = module.forbidden.contains(&part);
            assert!(!is_forbidden, "{} may not use std::{part}", path.display());
        }
    }
}

#[test]
fn the_document_names_files_that_exist() {
    for name in table_rows().iter().flatten().flat_map(|cell| quoted(cell)) {
        if ["src/", "tests/", "crates/"].iter().any(|folder| name.starts_with(folder)) {
            assert!(root().join(&name).exists(), "docs/ARCHITECTURE.md names {name}");
        }
    }
}

#[test]
fn files_have_at_most_600_lines() {
    let mut files = Vec::new();
    for directory in
        ["api", "benches", "crates", "examples", "python", "src", "tests", "trainer", "wasm", "web"]
    {
        rust_files(&root().join(directory), &mut files);
    }
    assert!(files.len() > 200, "{files:?}");
    for path in files {
        let lines = fs::read_to_string(&path).expect("a source file").lines().count();
        assert!(lines <= 600, "{}: {lines} lines", path.display());
    }
}

#[test]
fn names_are_found_in_paths_and_groups() {
    let code = "use crate::{a, b::{self, c},\n d}; use crate::e::f; fn g() { crate::h::i() }";
    let names: Vec<String> = names_after(code, "crate::").into_iter().collect();
    assert_eq!(names, ["a", "b", "d", "e", "h"]);
}
