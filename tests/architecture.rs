//! Checks the sources against the tables and invariants of `docs/ARCHITECTURE.md`: imports of the
//! modules, files with `unsafe`, printing, mutable boards. Also checks the vocabulary.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A row of the table of modules.
struct Module {
    imports: Vec<String>,
    packages: Vec<String>,
    /// Parts of `std` that it does not use.
    forbidden: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The texts between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The cells of each row of each table in the document.
fn table_rows() -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("the document");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        row.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    })
    .collect()
}

fn modules() -> BTreeMap<String, Module> {
    let rows = table_rows().into_iter().filter(|row| row.len() == 5);
    let module = |row: Vec<String>| {
        let module = Module {
            imports: quoted(&row[2]),
            packages: quoted(&row[3]),
            forbidden: quoted(&row[4]),
        };
        (quoted(&row[0]).remove(0), module)
    };
    let mut modules: BTreeMap<String, Module> = rows.map(module).collect();
    let all: Vec<String> = modules.keys().cloned().collect();
    // Its row says "all".
    modules.get_mut("cmd").expect("the module cmd").imports = all;
    modules
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

/// A source file without comments and literals.
struct Source {
    /// Path from the root of the repository, with `/`.
    path: String,
    /// The module of a file in a directory of `src`.
    module: Option<String>,
    code: String,
}

/// The sources of the library and the binary.
fn sources() -> Vec<Source> {
    sources_in("src")
}

fn sources_in(directory: &str) -> Vec<Source> {
    let mut files = Vec::new();
    rust_files(&root().join(directory), &mut files);
    let source = |file: PathBuf| {
        let parts = file
            .strip_prefix(root())
            .expect("below the root")
            .components();
        let parts: Vec<String> = parts
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        Source {
            module: (parts.len() > 2).then(|| parts[1].clone()),
            path: parts.join("/"),
            code: code_only(&fs::read_to_string(file).expect("a source file")),
        }
    };
    files.into_iter().map(source).collect()
}

/// Removes comments, strings and character literals.
fn code_only(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let raw = c == 'r' && rest[1..].trim_start_matches('#').starts_with('"');
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if raw && !code.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            let hashes = rest[1..].chars().take_while(|c| *c == '#').count();
            let end = format!("\"{}", "#".repeat(hashes));
            let begin = 2 + hashes;
            rest[begin..]
                .find(&end)
                .map_or(rest.len(), |at| begin + at + end.len())
        } else if c == '"' {
            end_of_string(rest)
        } else if c == '\'' && rest[1..].starts_with('\\') {
            2 + rest[2..].find('\'').map_or(0, |at| at + 1)
        } else if c == '\'' && rest.chars().nth(2) == Some('\'') {
            rest.char_indices().nth(3).map_or(rest.len(), |(at, _)| at)
        } else {
            0
        };
        if skipped == 0 {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            code.push(' ');
            rest = &rest[skipped..];
        }
    }
    code
}

/// The length of the string literal at the start of a text.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The names that follow a path prefix such as `crate::`, also in braces: `crate::{a, b::c}` has
/// `a` and `b`.
fn names_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = |text: &str| text.chars().take_while(|c| is_name(*c)).collect::<String>();
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(is_name) {
            continue;
        }
        let after = code[at + prefix.len()..].trim_start();
        let Some(group) = after.strip_prefix('{') else {
            names.insert(name(after));
            continue;
        };
        let mut depth = 1;
        let mut at_name = true;
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => at_name = true,
                c if at_name && is_name(c) => {
                    names.insert(name(&group[at..]));
                    at_name = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

/// Whether the code contains these words as whole words.
fn has_words(code: &str, words: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(words).any(|(at, found)| {
        !code[..at].ends_with(is_name) && !code[at + found.len()..].starts_with(is_name)
    })
}

#[test]
fn modules_import_only_what_their_row_allows() {
    let modules = modules();
    for source in sources() {
        let Some(name) = &source.module else {
            continue;
        };
        let module = modules.get(name);
        let module = module.unwrap_or_else(|| panic!("docs/ARCHITECTURE.md has no row for {name}"));
        for import in names_after(&source.code, "crate::") {
            let allowed = import == *name || module.imports.contains(&import);
            assert!(allowed, "{}: {name} may not import {import}", source.path);
        }
        // In a top-level file of a module, `super::super` is the crate.
        let deep = source.path.matches('/').count() > 2;
        let leaves = !deep && source.code.contains("super::super");
        assert!(!leaves, "{}: super::super leaves the module", source.path);
        let own_name = names_after(&source.code, "saavedra::");
        assert!(
            own_name.is_empty(),
            "{}: name modules by crate::",
            source.path
        );
    }
}

#[test]
fn modules_use_only_the_packages_and_parts_of_std_that_their_row_allows() {
    let modules = modules();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let dependencies = manifest
        .split("[dependencies]")
        .nth(1)
        .expect("dependencies");
    let packages: Vec<&str> = dependencies
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('=').map(|(name, _)| name.trim()))
        .collect();
    assert!(packages.contains(&"crossbeam-channel"), "{packages:?}");
    for source in sources() {
        let Some(module) = source.module.as_ref().and_then(|name| modules.get(name)) else {
            continue;
        };
        for package in &packages {
            let used = has_words(&source.code, &format!("{}::", package.replace('-', "_")))
                || !names_after(&source.code, &format!("{}::", package.replace('-', "_")))
                    .is_empty();
            let allowed = module.packages.iter().any(|name| name == package);
            assert!(
                allowed || !used,
                "{} may not use the package {package}",
                source.path
            );
        }
        for part in names_after(&source.code, "std::") {
            assert!(
                !module.forbidden.contains(&part),
                "{} may not use std::{part}",
                source.path
            );
        }
    }
}

#[test]
fn unsafe_occurs_only_in_listed_files() {
    let rows = table_rows().into_iter().filter(|row| row.len() == 2);
    let listed: BTreeSet<String> = rows.flat_map(|row| quoted(&row[0])).collect();
    let sources = [
        "src",
        "api/src",
        "trainer/src",
        "wasm/src",
        "web/src",
        "python/src",
    ]
    .map(sources_in);
    let unsafe_files: BTreeSet<String> = sources
        .iter()
        .flatten()
        .filter(|source| {
            // The type of an unsafe function is not unsafe itself.
            let code = source.code.replace("unsafe fn(", "fn(");
            has_words(&code, "unsafe")
        })
        .map(|source| source.path.clone())
        .collect();
    assert_eq!(
        unsafe_files, listed,
        "left: the sources, right: docs/ARCHITECTURE.md"
    );
}

#[test]
fn there_is_no_mutable_global_and_only_uci_and_cmd_print() {
    for source in sources() {
        let path = &source.path;
        assert!(!has_words(&source.code, "static mut"), "{path}: static mut");
        let may_print = matches!(source.module.as_deref(), None | Some("uci" | "cmd"));
        for macro_name in ["println!", "print!", "eprintln!", "eprint!", "dbg!"] {
            let prints = source.code.contains(macro_name);
            assert!(may_print || !prints, "{path}: {macro_name}");
        }
    }
}

#[test]
fn only_chess_has_mutable_boards() {
    for source in sources() {
        for mutable in [
            "&mut Board",
            "&mut Side",
            "&mut chess::Board",
            "&mut chess::Side",
        ] {
            let inside = source.module.as_deref() == Some("chess");
            let found = has_words(&source.code, mutable);
            assert!(inside || !found, "{}: {mutable}", source.path);
        }
    }
}

#[test]
fn the_document_names_files_that_exist() {
    for row in table_rows() {
        for name in row.iter().flat_map(|cell| quoted(cell)) {
            if name.starts_with("src/") || name.starts_with("tests/") {
                assert!(
                    root().join(&name).exists(),
                    "docs/ARCHITECTURE.md names {name}"
                );
            }
        }
    }
}

/// Words that chess programmers do not use for these things, in code, comments and documents.
const PRIVATE_WORDS: [&str; 27] = [
    "Asked",
    "Facts",
    "Fault",
    "Standing",
    "Told",
    "ask_tables",
    "aspire",
    "beginnings",
    "blindness",
    "by heart",
    "deaf",
    "deepen",
    "endgame table",
    "endgame tables",
    "hand_over",
    "hearsay",
    "is_hearsay",
    "is_overtaken",
    "overlooks",
    "overtaken",
    "so often",
    "table_move",
    "take_over",
    "to_table",
    "twins",
    "verdict",
    "was_pv",
];

/// Adds the text files below a directory that people read and write.
fn text_files(directory: &Path, found: &mut Vec<PathBuf>) {
    let extensions = [
        "css", "html", "js", "json", "md", "py", "pyi", "rs", "sh", "toml", "yml",
    ];
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            // Test data is not ours to reword.
            if !matches!(&*name, "target" | "data" | "boards" | ".git") {
                text_files(&path, found);
            }
        } else if extensions.iter().any(|e| name.ends_with(&format!(".{e}")))
            || matches!(&*name, "Makefile" | "Containerfile" | "Caddyfile" | "run")
        {
            found.push(path);
        }
    }
}

#[test]
fn private_words_do_not_come_back() {
    let mut files = Vec::new();
    text_files(root(), &mut files);
    let this = root().join("tests/architecture.rs");
    assert!(files.contains(&this), "{files:?}");
    let mut found = Vec::new();
    for path in files.iter().filter(|path| **path != this) {
        let text = fs::read_to_string(path).expect("a text file");
        for (line, number) in text.lines().zip(1..) {
            for word in PRIVATE_WORDS.iter().filter(|word| has_words(line, word)) {
                found.push(format!("{}:{number}: {word}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn files_have_at_most_600_lines() {
    let sources = [
        "src", "tests", "benches", "examples", "api", "trainer", "wasm", "web", "python",
    ];
    let mut files = Vec::new();
    for directory in sources {
        rust_files(&root().join(directory), &mut files);
    }
    assert!(files.len() > 200, "{files:?}");
    for path in files {
        let lines = fs::read_to_string(&path)
            .expect("a source file")
            .lines()
            .count();
        assert!(lines <= 600, "{}: {lines} lines", path.display());
    }
}

#[test]
fn comments_and_literals_are_not_code() {
    let source = r##"
        use crate::{a, b::{self, c}, d}; // use crate::e
        /* unsafe */ let x = "static mut \" f::"; let y = 'u'; let z = '\''; let l: &'static str = r#"g"#;
        fn r#type() { h }
    "##;
    let code = code_only(source);
    let names: Vec<String> = names_after(&code, "crate::").into_iter().collect();
    assert_eq!(names, ["a", "b", "d"]);
    for word in ["unsafe", "static mut", "f::", "g", "e"] {
        assert!(!has_words(&code, word), "{word}: {code}");
    }
    assert!(
        code.contains("&'static str") && has_words(&code, "h"),
        "{code}"
    );
}
