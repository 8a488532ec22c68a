//! How much memory the process may still take.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that can still be had without harm, as far as the system tells: what the machine has left,
/// or what the process's group may still take if that is less.
pub fn available() -> Option<u64> {
    let machine = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let left = folders(&groups)
        .into_iter()
        .filter_map(|f| left_in(&f))
        .min();
    let free = left.map_or(machine, |left| left.min(machine));
    Some(address_space().map_or(free, |left| left.min(free)))
}

/// What the process's address space may still grow by, if that has a limit.
fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = field(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(limit.saturating_sub(used))
}

/// The bytes of a line `Name:   123 kB`.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// The folders that may tell of memory limits, from the process's group up to the root.
fn folders(groups: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let root = match controllers {
            "" => "/sys/fs/cgroup",
            _ if controllers.split(',').any(|c| c == "memory") => "/sys/fs/cgroup/memory",
            _ => continue,
        };
        let path = path.trim_start_matches('/');
        folders.extend(
            Path::new(path)
                .ancestors()
                .map(|part| Path::new(root).join(part)),
        );
    }
    folders
}

/// What the group of a folder may still take, if it has a limit. Its file cache can be taken back.
fn left_in(folder: &Path) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
    let limit = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    let statistics = read("memory.stat").unwrap_or_default();
    let cache = statistics
        .lines()
        .find_map(|line| line.strip_prefix("inactive_file "))
        .and_then(|bytes| bytes.trim().parse().ok())
        .unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cache)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions_are_found_up_to_the_root() {
        let paths = |text| {
            let folders = folders(text).into_iter();
            folders.map(|f| f.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            paths("0::/a/b\n"),
            ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup/"]
        );
        assert_eq!(
            paths("5:cpu:/x\n4:hugetlb,memory:/y\nnonsense"),
            ["/sys/fs/cgroup/memory/y", "/sys/fs/cgroup/memory/"]
        );
    }

    #[test]
    fn kilobytes_are_read_as_bytes() {
        assert_eq!(
            field("A: 1 kB\nMemAvailable:   3 kB\n", "MemAvailable:"),
            Some(3072)
        );
        assert_eq!(field("A: 1 kB\n", "MemAvailable:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_memory() {
        assert!(available().is_some_and(|bytes| bytes > 1 << 20));
    }
}
