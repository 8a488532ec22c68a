//! One version everywhere, and a changelog entry for it.

use std::fs;
use std::path::{Path, PathBuf};

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn all_packages_and_the_changelog_have_one_version() {
    let version = env!("CARGO_PKG_VERSION");
    let manifest = read("Cargo.toml");
    let own =
        manifest.lines().filter(|line| line.starts_with("saavedra") && line.contains("path ="));
    let mut packages: Vec<&str> = own
        .map(|line| {
            assert!(line.contains(&format!("version = \"{version}\"")), "{line}");
            line.split("path = \"").nth(1).and_then(|path| path.split('"').next()).expect("a path")
        })
        .filter(|path| *path != ".")
        .collect();
    assert!(packages.len() >= 4, "{packages:?}");
    packages.extend(["benches", "python", "trainer", "wasm", "wasm/rules", "web"]);
    for package in packages {
        let manifest = read(&format!("{package}/Cargo.toml"));
        assert!(manifest.contains("version.workspace = true"), "{package}");
    }
    let npm = format!("\"version\": \"{version}\"");
    assert!(read("wasm/npm/package.json").contains(&npm), "{npm}");
    let entry = format!("\n## {version}");
    assert!(read("CHANGELOG.md").contains(&entry), "{entry}");
}

/// The version of the compiler is set in one place, and the documents agree with it.
#[test]
fn the_oldest_rust_is_the_same_everywhere() {
    let manifest = read("Cargo.toml");
    let value =
        |line: &str| Some(line.strip_prefix("rust-version = \"")?.trim_end_matches('"').to_owned());
    let oldest = manifest.lines().find_map(value).expect("a version");
    let members =
        manifest.lines().find_map(|line| line.strip_prefix("members = ")).expect("a list");
    let mut packages: Vec<PathBuf> = vec![".".into()];
    for member in members.split('"').skip(1).step_by(2) {
        match member.strip_suffix("/*") {
            None => packages.push(member.into()),
            Some(folder) => {
                let root = Path::new(env!("CARGO_MANIFEST_DIR"));
                let entries = std::fs::read_dir(root.join(folder)).expect("a folder");
                packages.extend(entries.map(|entry| entry.expect("an entry").path()));
            }
        }
    }
    assert!(packages.len() >= 9, "{packages:?}");
    for package in packages {
        let name = package.join("Cargo.toml");
        let manifest = read(name.to_str().expect("a name"));
        assert!(manifest.contains("\nrust-version.workspace = true\n"), "{name:?}");
    }
    for (file, text) in [
        ("README.md", format!("{oldest} or later")),
        ("README.md", format!("The oldest Rust that compiles it is {oldest}.")),
        ("contrib/Containerfile", format!("/rust:{oldest}-slim")),
        ("docs/OPENBENCH.md", format!("\"cargo>={oldest}.0\"")),
    ] {
        assert!(read(file).contains(&text), "{file} should have {text}");
    }
}

/// The files of the library, below this folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files = paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// What `cargo package` leaves out cannot be compiled into the library.
#[test]
fn the_package_has_all_files_that_the_library_includes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.canonicalize().expect("the root");
    let mut included = 0;
    for source in sources(&root.join("src")) {
        let text = fs::read_to_string(&source).expect("text");
        for name in text.split("include_str!(\"").skip(1) {
            let name = name.split('"').next().expect("a name");
            let file = source.with_file_name(name).canonicalize();
            let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
            let packaged = ["src", "data", "README.md"].map(|part| root.join(part));
            assert!(packaged.iter().any(|part| file.starts_with(part)), "{file:?}");
            included += 1;
        }
    }
    assert!(included > 4, "{included} files");
}

/// What formats the times of the log comes with `cli`.
#[test]
fn the_library_without_features_has_three_foreign_dependencies() {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--package", "saavedra", "--locked", "--no-default-features"])
        .args(["--edges", "normal", "--prefix", "none", "--no-dedupe", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let names = text.lines().map(name).filter(|name| !name.starts_with("saavedra"));
    let names: std::collections::BTreeSet<String> = names.collect();
    let expected = ["crossbeam-channel", "crossbeam-utils", "env_filter", "env_logger", "log"]
        .map(str::to_owned);
    assert_eq!(names, expected.into(), "{output:?}");
}
