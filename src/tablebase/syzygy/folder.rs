//! Finding table files, and telling which are broken or missing.

use super::super::{TableFault, TableProblem};
use super::material::{MAX_MEN, Material};
use super::source::{Fault, SMALL, Source};
use super::table::{Table, TableKind};
use super::{TableFile, checksum};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// So many missing files of one kind and number of men are named one by one.
const NAMED: usize = 8;

/// The sound table files of some folders, and what is wrong with the others.
pub(super) fn scan(
    folders: impl IntoIterator<Item = PathBuf>,
) -> (Vec<TableFile>, Vec<TableProblem>) {
    let mut problems = Vec::new();
    let mut sound: BTreeMap<(TableKind, Material), TableFile> = BTreeMap::new();
    // Broken files are not called missing as well.
    let mut seen = HashSet::new();
    for folder in folders {
        let names = match table_files(&folder) {
            Ok(names) => names,
            Err(error) => {
                let fault = TableFault::Folder(error.to_string());
                let path = folder;
                problems.push(TableProblem { path, fault });
                continue;
            }
        };
        for (kind, material, path) in names {
            seen.insert((kind, material));
            if sound.contains_key(&(kind, material)) {
                continue;
            }
            match glance(&path, kind, material) {
                Ok(()) => {
                    let file = TableFile {
                        path,
                        kind,
                        material,
                        table: Default::default(),
                        is_broken: Default::default(),
                    };
                    sound.insert((kind, material), file);
                }
                Err(fault) => problems.push(TableProblem { path, fault }),
            }
        }
    }
    for kind in [TableKind::Wdl, TableKind::Dtz] {
        for men in 3..=MAX_MEN {
            missing(kind, men, &seen, &mut problems);
        }
    }
    (sound.into_values().collect(), problems)
}

/// The files of a folder that are called like tables, in the order of their names.
fn table_files(folder: &Path) -> std::io::Result<Vec<(TableKind, Material, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(OsStr::to_str);
        let kind = [TableKind::Wdl, TableKind::Dtz]
            .into_iter()
            .find(|kind| extension == Some(kind.extension()));
        let name = path.file_stem().and_then(OsStr::to_str);
        let material = name.and_then(Material::from_name);
        if let (Some(kind), Some(material)) = (kind, material) {
            files.push((kind, material, path));
        }
    }
    files.sort_by(|a, b| a.2.cmp(&b.2));
    Ok(files)
}

/// Looks at a file: whole if it is small, else at its size and its first bytes. What is no file is
/// not opened: that could wait for ever.
fn glance(path: &Path, kind: TableKind, material: Material) -> Result<(), Fault> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(TableFault::Unreadable("not a file".to_owned()));
    }
    let size = found.len();
    let mut file = File::open(path)?;
    let mut magic = [0; 4];
    if size >= 4 {
        file.read_exact(&mut magic)?;
        if magic != kind.magic() {
            return Err(TableFault::NotATable);
        }
    }
    if size <= SMALL {
        Table::read(Source::open(path)?, kind, material)?;
    } else if size % 64 != checksum::LENGTH {
        return Err(TableFault::Size(size));
    }
    Ok(())
}

/// Compares a file of any size with its checksum, and reads its head.
pub(super) fn verify(file: &TableFile) -> Result<(), Fault> {
    Table::read(Source::open(&file.path)?, file.kind, file.material)?;
    let opened = File::open(&file.path)?;
    let size = opened.metadata()?.len();
    match checksum::matches_stream(opened, size)? {
        true => Ok(()),
        false => Err(TableFault::Checksum),
    }
}

/// Notes which files of a kind and number of men are missing, if most of them are there.
fn missing(
    kind: TableKind,
    men: usize,
    seen: &HashSet<(TableKind, Material)>,
    problems: &mut Vec<TableProblem>,
) {
    let all = Material::all(men);
    let is_missing = |material: &&Material| !seen.contains(&(kind, **material));
    let missing: Vec<&Material> = all.iter().filter(is_missing).collect();
    if 2 * missing.len() > all.len() {
        return;
    }
    for (i, material) in missing.iter().enumerate().take(NAMED + 1) {
        let path = PathBuf::from(format!("{}.{}", material.name(), kind.extension()));
        let fault = match i {
            NAMED => TableFault::ManyMissing(missing.len() - NAMED),
            _ => TableFault::Missing,
        };
        problems.push(TableProblem { path, fault });
    }
}
