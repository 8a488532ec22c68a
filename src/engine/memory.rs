//! Free memory, read from Linux's `/proc` and control groups.

use std::fs;
use std::path::{Path, PathBuf};

/// Free memory in bytes: the minimum of the machine's available memory, the limits of the process's
/// control groups and its address space limit. `None` if unknown.
///
/// ```
/// let megabytes = saavedra::engine::memory::available().map(|bytes| bytes >> 20);
/// ```
pub fn available() -> Option<u64> {
    physical().into_iter().chain(address_space()).min()
}

/// The minimum of the machine's available memory and the limits of the process's control groups, in
/// bytes. `None` if unknown.
pub fn physical() -> Option<u64> {
    let machine = parse_field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = cgroup_folders(&groups);
    let limits = limits.iter().filter_map(|folder| free_in_cgroup(folder));
    limits.chain([machine]).min()
}

/// The bytes by which the process's address space may grow, if it has a limit.
pub fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = parse_field(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(limit.saturating_sub(used))
}

/// The value in bytes of the line `Name:   123 kB`.
fn parse_field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// The folders of the process's memory control groups (version 1 and 2) up to the root.
fn cgroup_folders(groups: &str) -> Vec<PathBuf> {
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
        folders.extend(Path::new(path).ancestors().map(|part| Path::new(root).join(part)));
    }
    folders
}

/// The free bytes of a control group, if it has a limit. Its inactive file cache counts as free.
fn free_in_cgroup(folder: &Path) -> Option<u64> {
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
    fn cgroups_of_both_versions_are_found_up_to_the_root() {
        let paths = |text| {
            let folders = cgroup_folders(text).into_iter();
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
    fn kilobytes_are_parsed_as_bytes() {
        assert_eq!(parse_field("A: 1 kB\nMemAvailable:   3 kB\n", "MemAvailable:"), Some(3072));
        assert_eq!(parse_field("A: 1 kB\n", "MemAvailable:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_free_memory() {
        assert!(available().is_some_and(|bytes| bytes > 1 << 20));
    }
}
