//! Small libraries as data: what a home holds before a review or a pass of the curator.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agent_core::values::{SimDuration, SimTime, Stamp};
use mock_llm::decode::Decoder;
use mock_llm::diagnose::{Diagnostic, Source};
use mock_llm::yaml::{Node, source_from_bytes};
use serde_json::{Map, Value, json};

/// The instant at which the libraries are looked at: 2026-03-02T09:00:00Z, a Monday.
pub(super) const NOW: SimTime = SimTime::from_millis(1_772_442_000_000);

/// The libraries that come with the program.
const BUILT_IN: [(&str, &str); 3] = [
    ("libraries/prompts/narrow.yaml", include_str!("../../../scenarios/libraries/prompts/narrow.yaml")),
    ("libraries/prompts/owners.yaml", include_str!("../../../scenarios/libraries/prompts/owners.yaml")),
    ("libraries/prompts/packages.yaml", include_str!("../../../scenarios/libraries/prompts/packages.yaml")),
];

/// A library.
#[derive(Clone, Debug)]
pub(crate) struct LibraryFile {
    /// Its name.
    pub(crate) name: Arc<str>,
    pub(super) skills: Vec<SkillFile>,
    /// The skill that can take others in, and those others.
    pub(super) cluster: Option<Cluster>,
    notes: Vec<String>,
    profile: Vec<String>,
}

/// Skills that belong together.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) umbrella: String,
    pub(super) members: Vec<String>,
}

/// One skill.
#[derive(Clone, Debug)]
pub(super) struct SkillFile {
    pub(super) name: String,
    pub(super) category: String,
    pub(super) by: Owner,
    pub(super) pinned: bool,
    pub(super) uses: u32,
    /// Its age in days.
    pub(super) age_days: u64,
    /// The scheduled job that runs it.
    pub(super) job: Option<String>,
    pub(super) body: String,
    pub(super) files: Vec<(String, String)>,
    description: String,
    created: SimTime,
    last_used: Option<SimTime>,
    /// When its text was last read without being followed.
    last_viewed: Option<SimTime>,
}

/// Whose a skill is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Agent,
    User,
    Bundled,
    Hub,
}

/// The libraries of the program.
pub(crate) fn built_in_libraries() -> Vec<LibraryFile> {
    BUILT_IN
        .iter()
        .map(|(name, text)| decode(&Source::new(*name, *text)).expect("the built-in libraries are tested"))
        .collect()
}

/// The libraries of a folder, in order of their files.
///
/// # Errors
/// Mistakes of the files, with the sources that they speak of; or words where a file cannot be read.
pub(crate) fn read_libraries(folder: &Path) -> Result<Vec<LibraryFile>, LibraryError> {
    let unreadable = |error: std::io::Error| {
        LibraryError::Unreadable(format!("cannot read {}: {error}", folder.display()))
    };
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .map_err(unreadable)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml" || end == "yml"))
        .collect();
    paths.sort();
    let mut libraries = Vec::new();
    for path in paths {
        let bytes = std::fs::read(&path).map_err(unreadable)?;
        let source = source_from_bytes(&crate::scenario::shown(&path), bytes)
            .map_err(|found| LibraryError::Mistakes(vec![*found], Source::new("", "")))?;
        libraries.push(decode(&source).map_err(|found| LibraryError::Mistakes(found, source))?);
    }
    Ok(libraries)
}

/// Why libraries cannot be used.
#[derive(Debug)]
pub(crate) enum LibraryError {
    /// Mistakes of a file.
    Mistakes(Vec<Diagnostic>, Source),
    /// A file or folder cannot be read.
    Unreadable(String),
}

fn decode(source: &Source) -> Result<LibraryFile, Vec<Diagnostic>> {
    let decoder = Decoder::new(source);
    let library = decoder.read().and_then(|node| library(&decoder, &node));
    decoder.finish(library).map(|(library, _)| library)
}

fn library(d: &Decoder, node: &Node) -> Option<LibraryFile> {
    let map = d.map(node, "a library", &["name", "cluster", "skills", "memory"])?;
    let name = map.required("name", Decoder::word);
    let skills = map.required("skills", |d, node| d.list(node, "a list of skills", skill))?;
    let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
    let cluster = map.optional("cluster", |d, node| cluster(d, node, &names));
    let (notes, profile) = map.or("memory", (Vec::new(), Vec::new()), |d, node| {
        let map = d.map(node, "memory", &["notes", "profile"])?;
        Some((map.or("notes", Vec::new(), words), map.or("profile", Vec::new(), words)))
    });
    Some(LibraryFile { name: name?.into(), cluster, notes, profile, skills })
}

fn cluster(d: &Decoder, node: &Node, names: &[&str]) -> Option<Cluster> {
    let map = d.map(node, "a cluster", &["umbrella", "members"])?;
    let known = |d: &Decoder, node: &Node| {
        let name = d.word(node)?;
        if !names.contains(&name) {
            d.unknown(node, "skill", names.iter().copied());
        }
        Some(name.to_owned())
    };
    let umbrella = map.required("umbrella", known);
    let members = map.required("members", |d, node| d.list(node, "a list of skills", known));
    Some(Cluster { umbrella: umbrella?, members: members? })
}

fn words(d: &Decoder, node: &Node) -> Option<Vec<String>> {
    d.list(node, "a list of texts", |d, node| d.word(node).map(str::to_owned))
}

fn skill(d: &Decoder, node: &Node) -> Option<SkillFile> {
    const KEYS: &[&str] = &[
        "name",
        "category",
        "by",
        "description",
        "created",
        "uses",
        "last_used",
        "viewed",
        "pinned",
        "job",
        "files",
        "body",
    ];
    let owners =
        [("agent", Owner::Agent), ("user", Owner::User), ("bundled", Owner::Bundled), ("hub", Owner::Hub)];
    let map = d.map(node, "a skill", KEYS)?;
    let name = map.required("name", Decoder::word);
    let category = map.required("category", Decoder::word);
    let description = map.required("description", Decoder::word);
    let created = map.required("created", ago);
    let body = map.required("body", Decoder::text);
    let files = map.or("files", Vec::new(), |d, node| {
        let entries = d.entries(node, "files")?;
        Some(
            entries
                .filter_map(|entry| Some((entry.key.to_string(), d.text(&entry.value)?.to_owned())))
                .collect(),
        )
    });
    let age = created.unwrap_or_default();
    Some(SkillFile {
        by: map.or("by", Owner::Agent, |d, node| d.choice(node, &owners)),
        pinned: map.or("pinned", false, Decoder::bool),
        uses: map.or("uses", 0, Decoder::count),
        job: map.optional("job", Decoder::word).map(str::to_owned),
        last_used: map.optional("last_used", ago).map(|ago| NOW - ago),
        last_viewed: map.optional("viewed", ago).map(|ago| NOW - ago),
        name: name?.to_owned(),
        category: category?.to_owned(),
        description: description?.to_owned(),
        age_days: age.as_millis() / SimDuration::from_days(1).as_millis(),
        created: NOW - age,
        body: body?.to_owned(),
        files,
    })
}

/// A span back from now.
fn ago(d: &Decoder, node: &Node) -> Option<SimDuration> {
    let span = d.duration(node)?;
    Some(SimDuration::from_millis(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
}

impl SkillFile {
    /// Its directory below the library.
    pub(super) fn dir(&self) -> String {
        format!("{}/{}", self.category, self.name)
    }

    /// The first line of its body, by which a patch finds its place.
    pub(super) fn first_line(&self) -> &str {
        self.body.lines().next().unwrap_or("")
    }

    fn text(&self) -> String {
        format!("---\nname: {}\ndescription: {}\n---\n\n{}", self.name, self.description, self.body)
    }

    /// Its usage record, if it has one.
    fn record(&self) -> Option<Value> {
        let stamp = |at: SimTime| Stamp::from(at).to_string();
        let maker = match self.by {
            Owner::Agent => Value::from("agent"),
            Owner::User => return None,
            Owner::Bundled | Owner::Hub => Value::Null,
        };
        Some(json!({
            "created_at": stamp(self.created),
            "created_by": maker,
            "last_used_at": self.last_used.map(stamp),
            "last_viewed_at": self.last_viewed.or(self.last_used).map(stamp),
            "last_patched_at": null,
            "archived_at": null,
            "patch_count": 0,
            "pinned": self.pinned,
            "state": "active",
            "use_count": self.uses,
            "view_count": self.uses + u32::from(self.last_viewed.is_some()),
        }))
    }
}

impl LibraryFile {
    /// The skill of this name.
    pub(super) fn skill(&self, name: &str) -> Option<&SkillFile> {
        self.skills.iter().find(|skill| skill.name == name)
    }

    /// The files of the home that holds it, by path.
    pub(super) fn home(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut usage = Map::new();
        let mut manifest = String::new();
        let mut hub = Map::new();
        let mut jobs: Vec<Value> = Vec::new();
        for skill in &self.skills {
            let dir = format!("skills/{}", skill.dir());
            files.insert(format!("{dir}/SKILL.md"), skill.text());
            for (path, text) in &skill.files {
                files.insert(format!("{dir}/{path}"), text.clone());
            }
            usage.extend(skill.record().map(|record| (skill.name.clone(), record)));
            match skill.by {
                Owner::Bundled => manifest.extend([skill.name.as_str(), ":0\n"]),
                Owner::Hub => {
                    hub.insert(skill.name.clone(), json!({ "install_path": skill.dir() }));
                }
                Owner::Agent | Owner::User => {}
            }
            jobs.extend(
                skill.job.iter().map(|job| json!({ "id": job, "name": job, "skills": [skill.name] })),
            );
        }
        let json = |value: Value| format!("{value:#}\n");
        files.insert("skills/.usage.json".into(), json(Value::Object(usage)));
        files.insert("skills/.bundled_manifest".into(), manifest);
        files.insert("skills/.hub/lock.json".into(), json(json!({ "installed": hub })));
        files.insert("cron/jobs.json".into(), json(json!({ "jobs": jobs })));
        for (name, entries) in [("MEMORY", &self.notes), ("USER", &self.profile)] {
            if !entries.is_empty() {
                files.insert(format!("memories/{name}.md"), entries.join("\n§\n"));
            }
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_libraries_hold_what_the_trials_need() {
        let libraries = built_in_libraries();
        let any = |test: &dyn Fn(&SkillFile) -> bool| libraries.iter().flat_map(|one| &one.skills).any(test);
        assert!(any(&|skill| skill.pinned) && any(&|skill| skill.job.is_some()));
        assert!(any(&|skill| skill.by == Owner::Bundled) && any(&|skill| skill.by == Owner::Hub));
        assert!(
            any(&|skill| !skill.files.is_empty()) && any(&|skill| skill.uses == 0 && skill.age_days < 30)
        );
        assert!(libraries.iter().all(|library| library.cluster.is_some() && library.home().len() > 6));
    }

    #[test]
    fn mistakes_of_a_library_are_told() {
        let text = "name: x\ncluster: { umbrella: b, members: [a] }\nskills:\n  - { name: a, categry: c }\n";
        let found = decode(&Source::new("x.yaml", text)).unwrap_err();
        let messages: Vec<&str> = found.iter().map(|found| found.message.as_str()).collect();
        assert!(messages.iter().any(|message| message.contains("categry")), "{messages:?}");
    }
}
