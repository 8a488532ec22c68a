//! Tables in memory.

use super::*;

#[test]
fn tables_in_memory_are_those_of_their_files() {
    let read = |name: &str| fs::read(folder().join(name)).unwrap();
    let names = ["KQvK.rtbw", "KQvK.rtbz"];
    let (tables, problems) = Tablebase::from_memory(names.map(|name| (name, read(name))));
    assert_eq!((tables.files(), problems), ((1, 1), vec![]));
    assert_eq!(tables.verify(), []);
    let own = own_tables();
    let mut random = Random::new(7);
    for _ in 0..100 {
        let board = random_position(&mut random, "KQvK");
        assert_eq!(tables.probe_wdl(&board), own.probe_wdl(&board));
        assert_eq!(tables.probe_dtz(&board), own.probe_dtz(&board));
    }
    let mut damaged = read("KQvK.rtbw");
    damaged[100] ^= 1;
    let no_table = TableError::Corrupt("no table has this name");
    for (name, bytes, error) in [
        ("KQvK.rtbw", damaged, TableError::Checksum),
        ("KQvK.rtbw", read("KQvK.rtbz"), TableError::BadMagic),
        ("KQvK.rtbw", Vec::new(), TableError::Size(0)),
        ("KQvK", read("KQvK.rtbw"), no_table.clone()),
        ("KvQ.rtbw", read("KQvK.rtbw"), no_table),
    ] {
        let (tables, problems) = Tablebase::from_memory([(name, bytes)]);
        let path = PathBuf::from(name);
        assert_eq!(tables.files(), (0, 0));
        assert_eq!(problems, [TableProblem { path, error }]);
    }
}
