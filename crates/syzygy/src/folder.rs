//! Finds table files in folders and lists broken and missing ones.

use super::bytes::{SMALL, TableBytes};
use super::checksum;
use super::material::{MAX_PIECES, Material};
use super::table::{Table, TableKind};
use super::tablebase::TableFile;
use super::{TableError, TableProblem};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum number of missing files of one kind and number of pieces that are listed by name.
const MAX_LISTED: usize = 8;

/// The valid table files of the folders, and the problems with the others.
pub(super) fn scan(
    folders: impl IntoIterator<Item = PathBuf>,
) -> (Vec<TableFile>, Vec<TableProblem>) {
    let mut problems = Vec::new();
    let mut valid: BTreeMap<(TableKind, Material), TableFile> = BTreeMap::new();
    // A broken file is not listed as missing as well.
    let mut seen = HashSet::new();
    for folder in folders {
        let names = match table_files(&folder) {
            Ok(names) => names,
            Err(error) => {
                let error = TableError::Folder(error.to_string());
                let path = folder;
                problems.push(TableProblem { path, error });
                continue;
            }
        };
        for (kind, material, path) in names {
            seen.insert((kind, material));
            if valid.contains_key(&(kind, material)) {
                continue;
            }
            match check_quickly(&path, kind, material) {
                Ok(()) => {
                    let file = TableFile::on_disk(path, kind, material);
                    valid.insert((kind, material), file);
                }
                Err(error) => problems.push(TableProblem { path, error }),
            }
        }
    }
    for kind in [TableKind::Wdl, TableKind::Dtz] {
        for pieces in 3..=MAX_PIECES {
            list_missing(kind, pieces, &seen, &mut problems);
        }
    }
    (valid.into_values().collect(), problems)
}

/// The files of a folder that are called like tables, in the order of their names.
fn table_files(folder: &Path) -> std::io::Result<Vec<(TableKind, Material, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some((kind, material)) = parse_name(&path) {
            files.push((kind, material, path));
        }
    }
    files.sort_by(|a, b| a.2.cmp(&b.2));
    Ok(files)
}

/// The kind and material of a file by its name; `None` if it is not called like a table.
pub(super) fn parse_name(path: &Path) -> Option<(TableKind, Material)> {
    let extension = path.extension().and_then(OsStr::to_str)?;
    let kind =
        [TableKind::Wdl, TableKind::Dtz].into_iter().find(|kind| kind.extension() == extension)?;
    let name = path.file_stem().and_then(OsStr::to_str)?;
    Some((kind, Material::from_name(name)?))
}

/// Checks a small file completely, a larger one only by its size and magic bytes. Anything but a
/// regular file is not opened, because opening a pipe can block forever.
fn check_quickly(path: &Path, kind: TableKind, material: Material) -> Result<(), TableError> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(TableError::Unreadable("not a file".to_owned()));
    }
    let size = found.len();
    let mut file = File::open(path)?;
    let mut magic = [0; 4];
    if size >= 4 {
        file.read_exact(&mut magic)?;
        if magic != kind.magic() {
            return Err(TableError::BadMagic);
        }
    }
    if size <= SMALL {
        Table::read(TableBytes::open(path)?, kind, material)?;
    } else if size % 64 != checksum::LENGTH {
        return Err(TableError::Size(size));
    }
    Ok(())
}

/// Verifies the header and the checksum of a file of any size.
pub(super) fn verify(file: &TableFile) -> Result<(), TableError> {
    Table::read(TableBytes::open(&file.path)?, file.kind, file.material)?;
    let opened = File::open(&file.path)?;
    let size = opened.metadata()?.len();
    if checksum::matches_stream(opened, size)? { Ok(()) } else { Err(TableError::Checksum) }
}

/// Lists the missing files of a kind and number of pieces, if at least half of them are there.
fn list_missing(
    kind: TableKind,
    pieces: usize,
    seen: &HashSet<(TableKind, Material)>,
    problems: &mut Vec<TableProblem>,
) {
    let all = Material::all(pieces);
    let is_missing = |material: &&Material| !seen.contains(&(kind, **material));
    let missing: Vec<&Material> = all.iter().filter(is_missing).collect();
    if 2 * missing.len() > all.len() {
        return;
    }
    for (i, material) in missing.iter().enumerate().take(MAX_LISTED + 1) {
        let path = PathBuf::from(format!("{}.{}", material.name(), kind.extension()));
        let error = match i {
            MAX_LISTED => TableError::ManyMissing(missing.len() - MAX_LISTED),
            _ => TableError::Missing,
        };
        problems.push(TableProblem { path, error });
    }
}
