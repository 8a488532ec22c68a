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
    packages.extend(["benches", "python", "trainer", "wasm", "web"]);
    for package in packages {
        let manifest = read(&format!("{package}/Cargo.toml"));
        assert!(manifest.contains("version.workspace = true"), "{package}");
    }
    let npm = format!("\"version\": \"{version}\"");
    assert!(read("wasm/npm/package.json").contains(&npm), "{npm}");
    let entry = format!("\n## {version}");
    assert!(read("CHANGELOG.md").contains(&entry), "{entry}");
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
