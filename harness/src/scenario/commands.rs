//! Commands of the user and the process as items of a timeline.

use agent_core::machine::Command;
use agent_core::values::SessionName;
use mock_llm::decode::{Decoder, MapReader};
use mock_llm::yaml::Node;

use super::load::Files;
use super::turns::contents;

/// The commands, each with the keys that its item may have.
pub(super) const COMMANDS: &[(&str, &[&str])] = &[
    ("pin", &["pin", "at", "user"]),
    ("unpin", &["unpin", "at", "user"]),
    ("adopt", &["adopt", "at", "user"]),
    ("restore", &["restore", "at", "user"]),
    ("archive", &["archive", "at", "user"]),
    ("approve", &["approve", "which", "at", "user"]),
    ("reject", &["reject", "which", "at", "user"]),
    ("refine", &["refine", "focus", "at", "user"]),
    ("load", &["load", "session", "job", "at", "user"]),
    ("set", &["set", "at", "user"]),
    ("install", &["install", "source", "files", "force", "at", "user"]),
    ("compress", &["compress", "at", "user"]),
    ("close", &["close", "at", "user"]),
    ("exit", &["exit", "at", "user"]),
    ("rollback", &["rollback", "at", "user"]),
];

/// The command that an item stands for.
pub(super) fn command<'d, 'n>(
    d: &'d Decoder,
    node: &'n Node,
    kind: &'static str,
    files: &mut Files<'_>,
) -> Option<(MapReader<'d, 'n>, Option<Command>)> {
    let (_, keys) = COMMANDS.iter().find(|(name, _)| *name == kind)?;
    let map = d.map(node, "a command", keys)?;
    let value = map.take(kind)?;
    let word = |d: &Decoder| d.word(value).map(str::to_owned);
    let command = match kind {
        "pin" => word(d).map(|skill| Command::Pin { skill, pinned: true }),
        "unpin" => word(d).map(|skill| Command::Pin { skill, pinned: false }),
        "adopt" => word(d).map(|skill| Command::Adopt { skill }),
        "restore" => word(d).map(|skill| Command::Restore { skill }),
        "archive" => word(d).map(|skill| Command::Archive { skill }),
        "approve" | "reject" => decide(&map, value, kind == "approve"),
        "refine" => {
            let focus = map.or("focus", String::new(), |d, node| d.text(node).map(str::to_owned));
            word(d).map(|session| Command::Refine { session: SessionName::new(session), focus })
        }
        "load" => {
            let session = map.optional("session", Decoder::word).map(SessionName::new);
            let by_job = map.or("job", false, Decoder::bool);
            word(d).map(|skill| Command::LoadSkill { skill, session, by_job })
        }
        "set" => set(d, value),
        "install" => install(&map, value, files),
        "compress" => word(d).map(|session| Command::Compress { session: SessionName::new(session) }),
        "close" => word(d).map(|session| Command::CloseSession {
            session: SessionName::new(session),
            reason: "closed".into(),
        }),
        "exit" => d.choice(value, &[("process", Command::ProcessExit)]),
        "rollback" => word(d).map(|id| Command::Rollback { id: (id != "latest").then_some(id) }),
        _ => unreachable!("every command is named above"),
    };
    Some((map, command))
}

fn decide(map: &MapReader<'_, '_>, value: &Node, approve: bool) -> Option<Command> {
    let subsystem = map.decoder().choice(value, &[("memory", "memory"), ("skills", "skills")])?.into();
    let which = map.or("which", "all", Decoder::word).into();
    Some(if approve { Command::Approve { subsystem, which } } else { Command::Reject { subsystem, which } })
}

/// One key and its new value, checked as an arm's configuration is.
fn set(d: &Decoder, value: &Node) -> Option<Command> {
    let mut entries = d.entries(value, "a configuration key")?;
    let (Some(entry), None) = (entries.next(), entries.next()) else {
        return d.wrong(value, "one configuration key with its value");
    };
    let json = d.json(&entry.value)?;
    super::arms::check_setting(d, entry, &json)
        .then(|| Command::Set { key: entry.key.to_string(), value: json })
}

fn install(map: &MapReader<'_, '_>, value: &Node, files: &mut Files<'_>) -> Option<Command> {
    let name = map.decoder().word(value);
    let source = map.required("source", Decoder::word);
    let force = map.or("force", false, Decoder::bool);
    let found = map.required("files", |d, node| contents(d, node, files))?;
    let mut texts = Vec::new();
    for (path, bytes) in found {
        match std::str::from_utf8(&bytes) {
            Ok(text) => texts.push((path.as_str().to_owned(), text.to_owned())),
            Err(_) => map.decoder().error(map.span(), format!("`{path}` is not UTF-8 text")),
        }
    }
    Some(Command::Install { source: source?.to_owned(), name: name?.to_owned(), files: texts, force })
}
