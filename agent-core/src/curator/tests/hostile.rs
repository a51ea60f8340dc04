//! Archives that mean harm: refused whole, with nothing of them written.

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use tar::{EntryType, Header};

use super::bench::{Bench, content, day};
use crate::curator::backup::RollbackKind;
use crate::stores::{Content, Files, TreePath};

/// One member of an archive, its name unchecked.
struct Part<'p> {
    name: &'p str,
    kind: EntryType,
    target: &'p str,
    bytes: &'p [u8],
}

fn file<'p>(name: &'p str, bytes: &'p [u8]) -> Part<'p> {
    Part { name, kind: EntryType::Regular, target: "", bytes }
}

fn link<'p>(name: &'p str, kind: EntryType, target: &'p str) -> Part<'p> {
    Part { name, kind, target, bytes: b"" }
}

fn tar_of(parts: &[Part<'_>]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for part in parts {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..part.name.len()].copy_from_slice(part.name.as_bytes());
        header.set_entry_type(part.kind);
        header.set_mode(0o644);
        header.set_size(part.bytes.len() as u64);
        if !part.target.is_empty() {
            header.set_link_name_literal(part.target).unwrap();
        }
        header.set_cksum();
        tar.append(&header, part.bytes).unwrap();
    }
    tar.into_inner().unwrap()
}

fn zip(tar: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    std::io::Write::write_all(&mut encoder, tar).unwrap();
    encoder.finish().unwrap()
}

/// A home with one snapshot whose archive is replaced.
fn with_archive(bytes: Vec<u8>) -> (Bench, String) {
    let mut bench = Bench::careful();
    bench.agent_skill("alpha", day(0, 0));
    let id = bench.at(day(1, 0), |context| {
        let id = context.snapshot("test").unwrap();
        context.settle();
        id
    });
    let path = TreePath::new(&format!("skills/.curator_backups/{id}/skills.tar.gz"));
    bench.home.replace(&path, Content::bytes(bytes)).unwrap();
    bench.put("skills/alpha/SKILL.md", "changed since");
    (bench, id.to_string())
}

/// What a rollback to such an archive ends in, and its message; the library must be as it was, unless it was restored.
fn roll_back(bytes: Vec<u8>) -> (RollbackKind, String) {
    let (mut bench, id) = with_archive(bytes);
    let library = |bench: &Bench| {
        let all = content(&bench.home, "");
        all.into_iter().filter(|(path, _)| !path.starts_with("skills/.curator_backups")).collect::<Vec<_>>()
    };
    let before = library(&bench);
    let end = bench.at(day(2, 0), |context| context.rollback(Some(&id)));
    if !end.is_ok() {
        assert_eq!(library(&bench), before, "{}", end.message);
        let left = bench.home.list(&TreePath::new("skills/.curator_backups")).unwrap();
        assert!(left.iter().all(|entry| !entry.name.starts_with('.')), "no staging stays: {left:?}");
    }
    (end.kind, end.message)
}

#[test]
fn names_and_links_that_lead_elsewhere_are_refused() {
    let good = || file("alpha/SKILL.md", b"good");
    let symlink = EntryType::Symlink;
    for (parts, word) in [
        (vec![good(), file("/etc/passwd", b"x")], "impossible name"),
        (vec![good(), file("../escape", b"x")], "impossible name"),
        (vec![good(), file("a/../../escape", b"x")], "impossible name"),
        (vec![good(), link("out", symlink, "/etc")], "leads to"),
        (vec![good(), link("out", symlink, "../../etc")], "leads to"),
        (vec![good(), link("loop", symlink, "loop")], "leads to"),
        (vec![link("up", symlink, "alpha"), file("up/SKILL.md", b"x"), good()], "says twice"),
        (vec![good(), file("alpha/SKILL.md", b"again")], "says twice"),
        (vec![good(), file("./alpha/SKILL.md", b"again")], "says twice"),
        (vec![good(), file("alpha/SKILL.md/below", b"x")], "says twice"),
        (vec![good(), link("hard", EntryType::Link, "/etc/passwd")], "impossible name"),
        (vec![good(), link("hard", EntryType::Link, "nothing")], "leads to"),
        (vec![good(), link("pipe", EntryType::Fifo, "")], "no file, directory or link"),
        (vec![good(), link("disk", EntryType::Block, "")], "no file, directory or link"),
    ] {
        let (kind, message) = roll_back(zip(&tar_of(&parts)));
        assert_eq!(kind, RollbackKind::ExtractFailed, "{word}: {message}");
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn two_links_that_lead_out_together_are_refused() {
    let parts = [link("x/up", EntryType::Symlink, ".."), link("out", EntryType::Symlink, "x/up/../../other")];
    let (kind, message) = roll_back(zip(&tar_of(&parts)));
    assert_eq!(kind, RollbackKind::ExtractFailed, "{message}");
}

#[test]
fn a_bomb_is_refused_by_its_size_and_by_its_number() {
    use crate::curator::backup::{ArchiveLimits, UnpackError, check_archive};
    let zeros = vec![0_u8; 4 << 20];
    let bomb = zip(&tar_of(&[file("zeros", &zeros)]));
    assert!(bomb.len() < 10_000);
    let limits = ArchiveLimits { unpacked_bytes: 1 << 20, ..ArchiveLimits::LIBRARY };
    assert_eq!(check_archive(&bomb, &limits), Err(UnpackError::TooLarge("its bytes may be once unpacked")));
    let names: Vec<String> = (0..20).map(|number| format!("f{number}")).collect();
    let many = zip(&tar_of(&names.iter().map(|name| file(name, b"")).collect::<Vec<_>>()));
    let limits = ArchiveLimits { members: 10, ..ArchiveLimits::LIBRARY };
    assert_eq!(check_archive(&many, &limits), Err(UnpackError::TooLarge("members may be")));
    let limits = ArchiveLimits { archive_bytes: 100, ..ArchiveLimits::LIBRARY };
    assert_eq!(check_archive(&many, &limits), Err(UnpackError::TooLarge("its bytes may be")));
    // A header that promises more than there is does not reserve it.
    let mut header = Header::new_gnu();
    header.as_old_mut().name[..4].copy_from_slice(b"huge");
    header.set_entry_type(EntryType::Regular);
    header.set_size(u64::MAX / 4);
    header.set_cksum();
    let mut tar = header.as_bytes().to_vec();
    tar.extend([0; 1024]);
    assert!(check_archive(&zip(&tar), &ArchiveLimits::LIBRARY).is_err());
}

#[test]
fn what_is_cut_off_damaged_or_followed_by_more_is_refused() {
    let tar = tar_of(&[file("alpha/SKILL.md", b"good"), file("beta/SKILL.md", b"good")]);
    let whole = zip(&tar);
    assert_eq!(roll_back(whole.clone()).0, RollbackKind::Restored);
    for end in [0, 1, 10, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        assert_eq!(roll_back(whole[..end].to_vec()).0, RollbackKind::ExtractFailed, "cut at {end}");
    }
    // Cut before the end marker and compressed anew: the stream is well formed, the archive is not.
    for end in [512, 1024, tar.len() - 1024] {
        assert_eq!(roll_back(zip(&tar[..end])).0, RollbackKind::ExtractFailed, "tar cut at {end}");
    }
    let mut flipped = whole.clone();
    let place = flipped.len() - 6;
    flipped[place] ^= 0xff;
    assert_eq!(roll_back(flipped).0, RollbackKind::ExtractFailed);
    let mut more = whole;
    more.extend_from_slice(b"tail");
    assert_eq!(roll_back(more).0, RollbackKind::ExtractFailed);
    let mut hidden = tar;
    hidden.extend_from_slice(&tar_of(&[file("gamma/SKILL.md", b"hidden")]));
    assert_eq!(roll_back(zip(&hidden)).0, RollbackKind::ExtractFailed);
}

#[test]
fn a_hard_link_to_an_earlier_member_is_its_content() {
    let parts = [file("alpha/SKILL.md", b"one"), link("beta", EntryType::Link, "alpha/SKILL.md")];
    let (mut bench, id) = with_archive(zip(&tar_of(&parts)));
    assert!(bench.at(day(2, 0), |context| context.rollback(Some(&id))).is_ok());
    assert_eq!(bench.text("skills/beta"), "one");
}

proptest! {
    /// Whatever a snapshot holds comes back, names, links, empty directories and execute bits alike.
    #[test]
    fn what_is_packed_is_unpacked(
        files in prop::collection::btree_map("[a-zäß .-]{1,12}(/[a-z]{1,60}){0,4}", (prop::collection::vec(any::<u8>(), 0..600), any::<bool>()), 0..12),
        empty in prop::collection::vec("[A-Z]{1,5}(/[A-Z]{1,3})?", 0..3),
    ) {
        let mut bench = Bench::careful();
        for (name, (bytes, executable)) in &files {
            let Some(path) = TreePath::parse(&format!("skills/{name}")) else { continue };
            if bench.home.create_dir(&path.parent().unwrap()).is_ok() {
                let content = Content::File { bytes: bytes.as_slice().into(), executable: *executable };
                let _ = bench.home.replace(&path, content);
            }
        }
        for name in &empty {
            let _ = bench.home.create_dir(&TreePath::new(&format!("skills/{name}")));
        }
        let _ = bench.home.replace(&TreePath::new("skills/zz"), Content::Link("./zz2/../zz2".to_owned()));
        let picture = |bench: &Bench| {
            let all = content(&bench.home, "skills");
            all.into_iter().filter(|(path, _)| !path.contains(".curator")).collect::<Vec<_>>()
        };
        let before = picture(&bench);
        let id = bench.at(day(1, 0), |context| context.snapshot("test")).unwrap();
        bench.put("skills/new/SKILL.md", "x");
        let end = bench.at(day(2, 0), |context| context.rollback(Some(id.as_str())));
        prop_assert!(end.is_ok(), "{}", end.message);
        prop_assert_eq!(picture(&bench), before);
    }

    /// No bytes make it panic.
    #[test]
    fn any_bytes_are_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..2000), zipped in any::<bool>()) {
        use crate::curator::backup::{ArchiveLimits, check_archive};
        let bytes = if zipped { zip(&bytes) } else { bytes };
        let _ = check_archive(&bytes, &ArchiveLimits::LIBRARY);
    }
}
