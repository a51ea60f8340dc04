//! One suite for every store: in memory, on disk, and behind the wrapper that counts writes. And the law that both
//! kinds of tree answer any sequence of operations alike.

use std::fmt::Debug;
use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::values::SimTime;

/// Something done to a tree.
type Step = fn(&mut dyn Files);

/// Runs the same test on every store.
fn on_every_store(test: impl Fn(&mut dyn Files)) {
    test(&mut MemFiles::new("/home/agent/.hermes"));
    let folder = tempfile::tempdir().unwrap();
    test(&mut DiskFiles::open(folder.path()).unwrap());
    let mut home = MemFiles::new("/home/agent/.hermes");
    test(&mut FaultyFiles::new(&mut home, FaultPlan::Never));
    let folder = tempfile::tempdir().unwrap();
    let mut home = DiskFiles::open(folder.path()).unwrap();
    test(&mut FaultyFiles::new(&mut home, FaultPlan::Never));
}

fn path(text: &str) -> TreePath {
    TreePath::parse(text).unwrap_or_else(|| panic!("{text:?} is no path"))
}

fn trouble<T: Debug>(result: Result<T, FilesError>) -> Trouble {
    result.unwrap_err().trouble
}

fn put(files: &mut dyn Files, at: &str, text: &str) {
    write_text(files, &path(at), text).unwrap();
}

fn link(files: &mut dyn Files, at: &str, to: &str) {
    files.replace(&path(at), Content::Link(to.to_owned())).unwrap();
}

/// The whole tree as text: one line a node, in order.
fn picture(files: &dyn Files, at: &TreePath, lines: &mut String) {
    for entry in files.list(at).unwrap() {
        let here = at.join(&entry.name).unwrap();
        match entry.kind {
            Kind::Dir => {
                writeln!(lines, "{here}/").unwrap();
                picture(files, &here, lines);
            }
            Kind::Link => writeln!(lines, "{here} -> {}", files.read_link(&here).unwrap()).unwrap(),
            Kind::File => {
                let stat = files.stat(&here).unwrap().unwrap();
                let bytes = files.read(&here).unwrap();
                assert_eq!(stat.len, bytes.len() as u64);
                let mark = if stat.executable { "*" } else { "" };
                writeln!(lines, "{here}{mark} {:?}", String::from_utf8_lossy(&bytes)).unwrap();
            }
        }
    }
}

fn whole(files: &dyn Files) -> String {
    let mut lines = String::new();
    picture(files, &TreePath::root(), &mut lines);
    lines
}

#[test]
fn files_are_written_whole_and_read_back() {
    on_every_store(|files| {
        assert_eq!(files.stat(&path("a/b.md")).unwrap(), None);
        assert_eq!(trouble(files.replace(&path("a/b.md"), Content::text("x"))), Trouble::Absent);
        put(files, "a/b.md", "one");
        put(files, "a/b.md", "zwei");
        let script = Content::File { bytes: b"#!/bin/sh\n".as_slice().into(), executable: true };
        files.replace(&path("a/run.sh"), script).unwrap();
        let stat = files.stat(&path("a/b.md")).unwrap().unwrap();
        assert_eq!((stat.kind, stat.len, stat.executable), (Kind::File, 4, false));
        assert!(files.stat(&path("a/run.sh")).unwrap().unwrap().executable);
        assert_eq!(&*files.read(&path("a/b.md")).unwrap(), b"zwei");
        files.replace(&path("a/run.sh"), Content::text("plain")).unwrap();
        assert_eq!(whole(files), "a/\na/b.md \"zwei\"\na/run.sh \"plain\"\n");
    });
}

#[test]
fn directories_are_made_with_those_above_and_removed_only_when_empty() {
    on_every_store(|files| {
        files.create_dir(&path("a/b/c")).unwrap();
        files.create_dir(&path("a/b/c")).unwrap();
        files.create_dir(&TreePath::root()).unwrap();
        put(files, "a/file", "");
        assert_eq!(trouble(files.remove(&path("a/b"))), Trouble::NotEmpty);
        assert_eq!(trouble(files.create_dir(&path("a/file"))), Trouble::NotADirectory);
        assert_eq!(trouble(files.create_dir(&path("a/file/deep/er"))), Trouble::NotADirectory);
        assert_eq!(trouble(files.replace(&path("a/b"), Content::text("x"))), Trouble::NotAFile);
        assert_eq!(trouble(files.read(&path("a/b"))), Trouble::NotAFile);
        assert_eq!(trouble(files.list(&path("a/file"))), Trouble::NotADirectory);
        assert_eq!(trouble(files.list(&path("none"))), Trouble::Absent);
        files.remove(&path("a/b/c")).unwrap();
        files.remove(&path("a/b")).unwrap();
        assert_eq!(trouble(files.remove(&path("a/b"))), Trouble::Absent);
        let names: Vec<_> = files.list(&path("a")).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["file"]);
    });
}

#[test]
fn a_file_on_the_way_means_absent_to_readers_and_no_directory_to_writers() {
    on_every_store(|files| {
        put(files, "file", "x");
        for below in ["file/x", "file/x/y", "file/x/y/z"] {
            let below = path(below);
            assert_eq!(files.stat(&below).unwrap(), None);
            assert_eq!(trouble(files.read(&below)), Trouble::Absent);
            assert_eq!(trouble(files.read_link(&below)), Trouble::Absent);
            assert_eq!(trouble(files.list(&below)), Trouble::Absent);
            assert_eq!(trouble(files.remove(&below)), Trouble::Absent);
            assert_eq!(trouble(files.replace(&below, Content::text("y"))), Trouble::NotADirectory);
            assert_eq!(trouble(files.create_dir(&below)), Trouble::NotADirectory);
            assert_eq!(trouble(files.with_lock(&below, &mut |_| ())), Trouble::NotADirectory);
            put(files, "other", "");
            assert_eq!(trouble(files.rename(&path("other"), &below)), Trouble::NotADirectory);
        }
    });
}

#[test]
fn links_are_kept_as_they_are_and_never_followed() {
    on_every_store(|files| {
        put(files, "real/file", "inside");
        link(files, "rel", "real");
        link(files, "out", "/etc");
        link(files, "loop", "loop");
        link(files, "real/up", "../../x");
        assert_eq!(files.stat(&path("rel")).unwrap().unwrap().kind, Kind::Link);
        assert_eq!(files.read_link(&path("real/up")).unwrap(), "../../x");
        assert_eq!(trouble(files.read_link(&path("real/file"))), Trouble::NotALink);
        assert_eq!(trouble(files.read(&path("rel"))), Trouble::NotAFile);
        assert_eq!(trouble(files.list(&path("rel"))), Trouble::NotADirectory);
        for through in ["rel/file", "out/passwd", "loop/a/b"] {
            let through = path(through);
            assert_eq!(trouble(files.stat(&through)), Trouble::ThroughLink);
            assert_eq!(trouble(files.read(&through)), Trouble::ThroughLink);
            assert_eq!(trouble(files.replace(&through, Content::text("x"))), Trouble::ThroughLink);
            assert_eq!(trouble(files.create_dir(&through)), Trouble::ThroughLink);
            assert_eq!(trouble(files.remove(&through)), Trouble::ThroughLink);
            assert_eq!(trouble(files.rename(&path("real/file"), &through)), Trouble::ThroughLink);
            assert_eq!(trouble(files.with_lock(&through, &mut |_| ())), Trouble::ThroughLink);
        }
        assert_eq!(trouble(files.create_dir(&path("rel"))), Trouble::Exists);
        files.replace(&path("rel"), Content::text("a file now")).unwrap();
        files.remove(&path("out")).unwrap();
        assert_eq!(
            whole(files),
            "loop -> loop\nreal/\nreal/file \"inside\"\nreal/up -> ../../x\nrel \"a file now\"\n"
        );
    });
}

#[test]
fn impossible_links_are_refused() {
    on_every_store(|files| {
        for target in [String::new(), "a\0b".to_owned(), "x".repeat(4096)] {
            assert_eq!(trouble(files.replace(&path("l"), Content::Link(target))), Trouble::BadPath);
        }
        let long = format!("a/{}", "x".repeat(300));
        link(files, "l", &long);
        assert_eq!(trouble(resolve(files, &path("l"))), Trouble::BadPath);
        assert_eq!(files.read_link(&path("l")).unwrap(), long);
    });
}

#[test]
fn links_are_resolved_alike() {
    on_every_store(|files| {
        put(files, "real/file", "inside");
        let root = files.root().to_owned();
        link(files, "rel", "./real/../real");
        link(files, "abs", &format!("{root}/real"));
        link(files, "chain", "rel");
        link(files, "out", "/etc");
        link(files, "loop", "loop/x");
        let at = |text: &str| resolve(files, &path(text)).unwrap();
        for inside in ["rel/file", "abs/file", "chain/file", "real/file"] {
            assert_eq!(at(inside), Resolved::Inside(path("real/file")), "{inside}");
        }
        assert_eq!(at("rel/new/file"), Resolved::Inside(path("real/new/file")));
        assert_eq!(at("out/passwd"), Resolved::Outside("/etc/passwd".to_owned()));
        assert_eq!(at("loop"), Resolved::Loop);
    });
}

#[test]
fn renames_replace_files_but_never_directories() {
    on_every_store(|files| {
        put(files, "a/one", "1");
        put(files, "b/two", "2");
        link(files, "l", "a");
        assert_eq!(trouble(files.rename(&path("none"), &path("x"))), Trouble::Absent);
        assert_eq!(trouble(files.rename(&path("a/one"), &path("none/x"))), Trouble::Absent);
        assert_eq!(trouble(files.rename(&path("a"), &path("b"))), Trouble::Exists);
        assert_eq!(trouble(files.rename(&path("a"), &path("b/two"))), Trouble::Exists);
        assert_eq!(trouble(files.rename(&path("b/two"), &path("a"))), Trouble::Exists);
        assert_eq!(trouble(files.rename(&path("a"), &path("a/below"))), Trouble::BadPath);
        assert_eq!(trouble(files.rename(&TreePath::root(), &path("c"))), Trouble::BadPath);
        files.rename(&path("a"), &path("a")).unwrap();
        files.rename(&path("a/one"), &path("b/two")).unwrap();
        files.rename(&path("l"), &path("b/link")).unwrap();
        files.rename(&path("b"), &path("a/moved")).unwrap();
        assert_eq!(whole(files), "a/\na/moved/\na/moved/link -> a\na/moved/two \"1\"\n");
    });
}

#[test]
fn the_root_stays() {
    on_every_store(|files| {
        let root = TreePath::root();
        assert_eq!(trouble(files.remove(&root)), Trouble::BadPath);
        assert_eq!(trouble(files.replace(&root, Content::text(""))), Trouble::NotAFile);
        assert_eq!(trouble(files.with_lock(&root, &mut |_| ())), Trouble::NotAFile);
        put(files, "a", "");
        assert_eq!(trouble(files.remove(&root)), Trouble::BadPath);
        assert_eq!(files.stat(&root).unwrap().unwrap().kind, Kind::Dir);
        assert_eq!(files.list(&root).unwrap().len(), 1);
    });
}

#[test]
fn locks_leave_their_file_and_can_be_taken_again_by_their_holder() {
    on_every_store(|files| {
        let lock = path("memories/MEMORY.md.lock");
        let mut ran = 0;
        assert_eq!(trouble(files.with_lock(&lock, &mut |_| ran += 1)), Trouble::Absent);
        files.create_dir(&path("memories")).unwrap();
        for _ in 0..2 {
            files
                .with_lock(&lock, &mut |files| {
                    ran += 1;
                    put(files, "memories/MEMORY.md", "locked");
                    files.with_lock(&lock, &mut |_| ran += 10).unwrap();
                })
                .unwrap();
        }
        assert_eq!(ran, 22);
        assert_eq!(whole(files), "memories/\nmemories/MEMORY.md \"locked\"\nmemories/MEMORY.md.lock \"\"\n");
        files.create_dir(&path("dir.lock")).unwrap();
        link(files, "link.lock", "memories/MEMORY.md.lock");
        for bad in ["dir.lock", "link.lock"] {
            assert_eq!(trouble(files.with_lock(&path(bad), &mut |_| ran += 1)), Trouble::NotAFile);
        }
        assert_eq!(ran, 22);
    });
}

#[test]
fn names_are_any_text_of_at_most_255_bytes() {
    let longest = "ä".repeat(127) + "x";
    let names = [
        "ü",
        "u\u{308}",
        " blank ",
        "line\nbreak",
        "tab\t",
        "-rf",
        "~",
        "a:b",
        "C\\d",
        "日本",
        "*?\"<>|",
        "...",
    ];
    on_every_store(|files| {
        let mut sorted: Vec<&str> = names.to_vec();
        sorted.push(&longest);
        for name in &sorted {
            put(files, name, name);
        }
        sorted.sort_unstable();
        let listed: Vec<_> =
            files.list(&TreePath::root()).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(listed, sorted);
    });
    assert_eq!(TreePath::parse(&(longest + "y")), None);
    assert_eq!(trouble(path("a").join("../b")), Trouble::BadPath);
}

#[test]
fn ten_megabytes_are_a_file_like_any_other() {
    let big: Bytes = (0..10_u32 << 20).map(|index| index.to_le_bytes()[index as usize % 3]).collect();
    on_every_store(|files| {
        files.replace(&path("big"), Content::bytes(Bytes::clone(&big))).unwrap();
        assert!(files.read(&path("big")).unwrap() == big);
        assert_eq!(files.stat(&path("big")).unwrap().unwrap().len, 10 << 20);
    });
}

#[test]
fn revisions_change_with_everything_below_or_are_unknown() {
    on_every_store(|files| {
        put(files, "a/b/file", "1");
        put(files, "other", "1");
        let seen =
            |files: &dyn Files| ["", "a", "a/b", "a/b/file", "a/none"].map(|at| files.revision(&path(at)));
        let changes: [Step; 6] = [
            |files| put(files, "a/b/file", "2"),
            |files| put(files, "a/b/file", "2"),
            |files| link(files, "a/b/link", "file"),
            |files| files.rename(&path("a/b/link"), &path("a/b/file")).unwrap(),
            |files| files.remove(&path("a/b/file")).unwrap(),
            |files| files.create_dir(&path("a/b/file")).unwrap(),
        ];
        for (number, change) in changes.iter().enumerate() {
            let before = seen(files);
            change(files);
            let after = seen(files);
            // The link beside the file leaves the file's own revision as it is.
            let touched = if number == 2 { 3 } else { 4 };
            for (index, (before, after)) in before.iter().zip(&after).enumerate() {
                let moved = before.is_none() || before != after;
                assert_eq!(moved, before.is_none() || index < touched, "change {number}, path {index}");
            }
        }
    });
}

#[test]
fn copies_in_memory_are_snapshots() {
    let mut home = MemFiles::new("/h");
    put(&mut home, "a/b", "1");
    let before = home.clone();
    home.set_now(SimTime::from_millis(5));
    put(&mut home, "a/b", "2");
    assert_eq!(whole(&before), "a/\na/b \"1\"\n");
    assert_eq!(home.stat(&path("a/b")).unwrap().unwrap().modified_ns, 5_000_000);
    assert_eq!(before.stat(&path("a/b")).unwrap().unwrap().modified_ns, 0);
}

#[test]
fn read_only_trees_refuse_every_write() {
    let mut home = MemFiles::new("/h");
    put(&mut home, "a", "1");
    let mut reading = ReadOnlyFiles(&home);
    let files: &mut dyn Files = &mut reading;
    assert_eq!(trouble(files.replace(&path("a"), Content::text("2"))), Trouble::ReadOnly);
    assert_eq!(trouble(files.create_dir(&path("b"))), Trouble::ReadOnly);
    assert_eq!(trouble(files.rename(&path("a"), &path("b"))), Trouble::ReadOnly);
    assert_eq!(trouble(files.remove(&path("a"))), Trouble::ReadOnly);
    assert_eq!(trouble(files.with_lock(&path("l"), &mut |_| ())), Trouble::ReadOnly);
    assert_eq!(read_text(files, &path("a")).unwrap(), "1");
}

#[test]
fn planned_faults_change_nothing() {
    let faults = |plan| {
        let mut home = MemFiles::new("/h");
        let mut files = FaultyFiles::new(&mut home, plan);
        let results: Vec<bool> =
            ["a", "b", "c", "d"].iter().map(|name| files.create_dir(&path(name)).is_ok()).collect();
        assert_eq!(files.writes(), 4);
        (results, whole(&home))
    };
    assert_eq!(faults(FaultPlan::Once(2)), (vec![true, false, true, true], "a/\nc/\nd/\n".to_owned()));
    assert_eq!(faults(FaultPlan::From(3)), (vec![true, true, false, false], "a/\nb/\n".to_owned()));
    let mut home = MemFiles::new("/h");
    let mut files = FaultyFiles::new(&mut home, FaultPlan::Once(2));
    let mut inside = Vec::new();
    files
        .with_lock(&path("l"), &mut |files| {
            inside.push(files.create_dir(&path("a")).is_ok());
            inside.push(files.create_dir(&path("b")).is_ok());
        })
        .unwrap();
    assert_eq!((inside, files.writes()), (vec![true, false], 2));
}

#[cfg(unix)]
#[test]
fn a_disk_may_hold_what_a_tree_cannot() {
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xff")), "x").unwrap();
    std::fs::write(folder.path().join("good"), "x").unwrap();
    let socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    let files = DiskFiles::open(folder.path()).unwrap();
    let names: Vec<_> = files.list(&TreePath::root()).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["good", "socket"]);
    assert_eq!(trouble(files.read(&path("socket"))), Trouble::NotAFile);
    drop(socket);
    assert!(DiskFiles::open(&folder.path().join("good")).is_err());
    assert!(DiskFiles::open(&folder.path().join("none")).is_err());
}

/// One operation of a random sequence.
#[derive(Clone, Debug)]
enum Op {
    Stat(String),
    List(String),
    Read(String),
    ReadLink(String),
    Resolve(String),
    Put(String, String, bool),
    Link(String, String),
    CreateDir(String),
    Rename(String, String),
    Remove(String),
    Lock(String, String),
}

fn any_path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "ü"]), 0..4).prop_map(|parts| parts.join("/"))
}

fn any_target() -> impl Strategy<Value = String> {
    prop_oneof![
        any_path().prop_map(|path| format!("./{path}")),
        any_path().prop_map(|path| format!("../{path}")),
        any_path().prop_map(|path| format!("ROOT/{path}")),
        Just("/nowhere/else".to_owned()),
    ]
}

fn any_op() -> impl Strategy<Value = Op> {
    prop_oneof![
        1 => any_path().prop_map(Op::Stat),
        1 => any_path().prop_map(Op::List),
        1 => any_path().prop_map(Op::Read),
        1 => any_path().prop_map(Op::ReadLink),
        1 => any_path().prop_map(Op::Resolve),
        4 => (any_path(), "[xy]{0,3}", any::<bool>()).prop_map(|(path, text, run)| Op::Put(path, text, run)),
        2 => (any_path(), any_target()).prop_map(|(path, target)| Op::Link(path, target)),
        4 => any_path().prop_map(Op::CreateDir),
        3 => (any_path(), any_path()).prop_map(|(from, to)| Op::Rename(from, to)),
        2 => any_path().prop_map(Op::Remove),
        1 => (any_path(), any_path()).prop_map(|(path, inner)| Op::Lock(path, inner)),
    ]
}

/// What an operation answers, without times and without the paths that errors name.
fn answer(files: &mut dyn Files, op: &Op) -> String {
    fn said<T: Debug>(result: Result<T, FilesError>) -> String {
        format!("{:?}", result.map_err(|error| error.trouble))
    }
    match op {
        Op::Stat(at) => {
            said(files.stat(&path(at)).map(|stat| stat.map(|stat| Stat { modified_ns: 0, ..stat })))
        }
        Op::List(at) => said(files.list(&path(at))),
        Op::Read(at) => said(files.read(&path(at))),
        Op::ReadLink(at) => said(files.read_link(&path(at))),
        Op::Resolve(at) => said(resolve(files, &path(at))),
        Op::Put(at, text, executable) => {
            let content = Content::File { bytes: text.as_bytes().into(), executable: *executable };
            said(files.replace(&path(at), content))
        }
        Op::Link(at, target) => {
            let target = target.replace("ROOT", files.root());
            said(files.replace(&path(at), Content::Link(target)))
        }
        Op::CreateDir(at) => said(files.create_dir(&path(at))),
        Op::Rename(from, to) => said(files.rename(&path(from), &path(to))),
        Op::Remove(at) => said(files.remove(&path(at))),
        Op::Lock(at, inner) => {
            let mut inside = String::new();
            let taken = files.with_lock(&path(at), &mut |files| {
                inside = answer(files, &Op::CreateDir(inner.clone()));
            });
            said(taken) + &inside
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    #[test]
    fn memory_and_disk_answer_alike(ops in prop::collection::vec(any_op(), 1..24)) {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = DiskFiles::open(folder.path()).unwrap();
        let mut memory = MemFiles::new(disk.root());
        for (index, op) in ops.iter().enumerate() {
            let (in_memory, on_disk) = (answer(&mut memory, op), answer(&mut disk, op));
            prop_assert_eq!(in_memory, on_disk, "operation {}: {:?}", index, op);
        }
        prop_assert_eq!(whole(&memory), whole(&disk));
    }
}
