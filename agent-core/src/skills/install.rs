//! Installing a skill from a hub or a folder (`spec/skill-guard.md` §3, `spec/skill-usage.md` §1).
//!
//! The files are scanned in memory first; what the decision by trust blocks leaves no byte behind. What passes is put
//! together beside the skills and moved into its place in one step. A skill that came from elsewhere is noted in the
//! hub's lock file, one that came with the program in the manifest, so that reviews leave both alone.

use serde_json::{Map, Value, json};

use super::answer::Refusal;
use super::context::SkillContext;
use super::excluded::SKILL_FILE;
use super::library::{Access, Spot};
use super::manage::check_name;
use super::usage::{BUNDLED_MANIFEST, HUB_LOCK};
use crate::guard::skill::{Attestation, Decision, ScanCache, ScanReport, attest_with, content_hash, keep};
use crate::memory::CommandAnswer;
use crate::stores::{
    Content, Files, FilesError, MemFiles, TreePath, copy_tree, exists, remove_tree, write_text,
};
use crate::values::{Fact, SkillEvent, Stamp, Store, WriteEnd, WriteOrigin};

/// The source of skills that come with the program. They are scanned as official ones.
pub const BUNDLED: &str = "bundled";

/// Where a skill is put together; a directory that holds no skills.
const INCOMING: &str = ".hub/incoming";

/// Where attested scans are kept, of what was installed: a refused skill leaves nothing behind.
const SCANS: &str = ".hub/.scan-cache";

/// Where an older version waits while a new one takes its place.
const REPLACED: &str = ".hub/replaced";

/// What to install.
#[derive(Clone, Copy, Debug)]
pub struct Installation<'a> {
    /// Where it comes from, which decides the trust: `official`, `owner/repository`, [`BUNDLED`] …
    pub source: &'a str,
    /// The name of its directory.
    pub name: &'a str,
    /// Its files: path in the skill, and text.
    pub files: &'a [(String, String)],
    /// Whether to override a refusal that can be overridden, and to replace an installed skill.
    pub force: bool,
}

/// Installs a skill, or leaves every byte as it was. The kind tells why it was not installed.
pub fn install(context: &mut SkillContext<'_, '_>, wanted: Installation<'_>) -> CommandAnswer {
    context.refresh();
    let outcome = context.try_install(wanted);
    let (changed, kind, text, end) = match &outcome {
        Ok(report) => {
            let text =
                format!("Skill `{}` installed from {}. {}", wanted.name, wanted.source, report.summary());
            (1, None, text, WriteEnd::Applied)
        }
        Err((kind, why)) => {
            let end = if *kind == BLOCKED { WriteEnd::Refused } else { WriteEnd::Failed };
            (0, Some(*kind), format!("Skill `{}` was not installed: {why}", wanted.name), end)
        }
    };
    let main = wanted.files.iter().find(|(path, _)| path == SKILL_FILE).map_or("", |(_, text)| text);
    let mut facts = vec![Fact::Write {
        store: Store::Skill,
        action: "install".into(),
        target: wanted.name.into(),
        origin: WriteOrigin::Foreground,
        end,
        kind: kind.map(Into::into),
        before: "".into(),
        after: main.into(),
    }];
    if changed == 1 {
        let event = SkillEvent::Installed;
        facts.push(Fact::Skill { name: wanted.name.into(), event, cause: wanted.source.into() });
    }
    CommandAnswer { changed, remaining: 0, kind, text, facts }
}

const BLOCKED: &str = "scan-blocked";

type Outcome = Result<ScanReport, (&'static str, String)>;

fn failed(error: &FilesError) -> (&'static str, String) {
    ("io-error", error.to_string())
}

impl SkillContext<'_, '_> {
    fn try_install(&mut self, wanted: Installation<'_>) -> Outcome {
        let root = self.library.own().clone();
        if self.library.roots().first().is_none_or(|own| own.access == Access::Static) {
            return Err(("static-store", "skills are only read here".to_owned()));
        }
        check_name(wanted.name).map_err(|refusal: Refusal| ("bad-name", refusal.message))?;
        let place = root.join(wanted.name).map_err(|error| failed(&error))?;
        let package = package(self.library.files(root.tree).root(), &place, wanted.files)?;
        let replaces = self.replaces(&wanted)?;
        if wanted.source == BUNDLED && self.usage().suppressed().iter().any(|name| name == wanted.name) {
            return Err(("suppressed", "it was archived and does not come back by itself".to_owned()));
        }
        let scans = root.join(SCANS).map_err(|error| failed(&error))?.path;
        let attested = self.scanned(&package, &place, &wanted, &scans)?;
        let known = self.state.catalogue.is_current(self.library);
        let done = self.put(&package, &root, &place, replaces).and_then(|()| {
            self.note(&wanted, &package, &place, &attested.report).inspect_err(|_| {
                // Without its note it would count as the user's own.
                let _ = remove_tree(self.library.files_mut(root.tree), &place.path);
            })
        });
        self.settle(&root, &place);
        done.map_err(|error| failed(&error))?;
        keep(self.library.files_mut(root.tree), &scans, &attested, &self.behaviour.guard);
        if known {
            self.changed(&place);
        }
        Ok(attested.report)
    }

    /// Whether it takes the place of a skill that was installed before; any other skill of the name is in the way.
    fn replaces(&mut self, wanted: &Installation<'_>) -> Result<bool, (&'static str, String)> {
        let Some(skill) = self.find(wanted.name) else { return Ok(false) };
        let at_place = self.library.own().join(wanted.name).is_ok_and(|place| place == skill.spot);
        let usage = self.usage();
        let installed = usage.is_hub(wanted.name) || usage.is_bundled(wanted.name);
        if wanted.force && installed && at_place {
            return Ok(true);
        }
        Err(("already-exists", "a skill of this name is there already".to_owned()))
    }

    fn scanned(
        &self,
        package: &MemFiles,
        place: &Spot,
        wanted: &Installation<'_>,
        scans: &TreePath,
    ) -> Result<Attestation, (&'static str, String)> {
        let rules = &self.behaviour.guard;
        let source = if wanted.source == BUNDLED { "official" } else { wanted.source };
        let cache = ScanCache { files: self.library.files(place.tree), directory: scans };
        let attested = attest_with(package, &place.path, (source, ""), cache, Stamp::from(self.at), rules)
            .map_err(|error| ("uncaught-error", error.to_string()))?;
        let report = &attested.report;
        match report.decision(wanted.force, rules) {
            Decision::Allow => Ok(attested),
            Decision::Block | Decision::Ask => {
                let why = format!("{} ({})\n{}", report.summary(), report.trust.name(), report.refusal());
                Err((BLOCKED, why))
            }
        }
    }

    /// Puts the package together beside the skills and moves it into its place; an older one is kept until then.
    fn put(
        &mut self,
        package: &MemFiles,
        root: &Spot,
        place: &Spot,
        replaces: bool,
    ) -> Result<(), FilesError> {
        let incoming = root.join(INCOMING)?.path;
        let aside = root.join(REPLACED)?.path;
        let files = self.library.files_mut(root.tree);
        remove_tree(files, &incoming)?;
        if let Some(parent) = incoming.parent() {
            files.create_dir(&parent)?;
        }
        copy_tree(package, &place.path, files, &incoming)?;
        if replaces {
            remove_tree(files, &aside)?;
            files.rename(&place.path, &aside)?;
        }
        files.rename(&incoming, &place.path)
    }

    /// Brings an older version back if no new one stands in its place, and removes what is left over. That lies where
    /// no skill is looked for, so that it cannot be removed is no failure.
    fn settle(&mut self, root: &Spot, place: &Spot) {
        let (Ok(incoming), Ok(replaced)) = (root.join(INCOMING), root.join(REPLACED)) else { return };
        let files = self.library.files_mut(root.tree);
        if !exists(files, &place.path) && exists(files, &replaced.path) {
            let _ = files.rename(&replaced.path, &place.path);
        }
        for left in [&incoming.path, &replaced.path] {
            let _ = remove_tree(files, left);
        }
        if let Some(hub) = incoming.path.parent() {
            let _ = files.remove(&hub);
        }
    }

    /// Notes where the skill came from.
    fn note(
        &mut self,
        wanted: &Installation<'_>,
        package: &MemFiles,
        place: &Spot,
        report: &ScanReport,
    ) -> Result<(), FilesError> {
        let hash = content_hash(package, &place.path, &self.behaviour.guard)?;
        let own = self.library.own().path.clone();
        let home = self.library.home_mut();
        if wanted.source == BUNDLED {
            let path = own.below(&TreePath::new(BUNDLED_MANIFEST));
            let old = home
                .read(&path)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .unwrap_or_default();
            let prefix = format!("{}:", wanted.name);
            let kept = old.lines().filter(|line| !line.starts_with(&prefix)).map(|line| format!("{line}\n"));
            let text: String = kept.collect();
            return write_text(home, &path, &format!("{text}{}:{}\n", wanted.name, hash.hex()));
        }
        let path = own.below(&TreePath::new(HUB_LOCK));
        let old = home.read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut lock = match old {
            Some(Value::Object(lock)) => lock,
            _ => Map::new(),
        };
        let entry = json!({
            "source": wanted.source,
            "install_path": wanted.name,
            "trust_level": report.trust.name(),
            "scan_verdict": report.verdict.name(),
            "content_hash": hash.short(),
            "installed_at": Stamp::from(self.at).to_string(),
        });
        match lock.entry("installed").or_insert_with(|| json!({})) {
            Value::Object(installed) => drop(installed.insert(wanted.name.to_owned(), entry)),
            other => *other = json!({ wanted.name: entry }),
        }
        let text = serde_json::to_string_pretty(&lock).expect("JSON values with text keys always serialise");
        write_text(home, &path, &text)
    }
}

/// The files as a skill in memory, at the path that it will have.
fn package(root: &str, place: &Spot, files: &[(String, String)]) -> Result<MemFiles, (&'static str, String)> {
    let mut package = MemFiles::new(root);
    for (path, text) in files {
        let inner = TreePath::parse(path).filter(|inner| !inner.as_str().is_empty());
        let Some(inner) = inner else {
            return Err(("path-escape", format!("`{path}` is no path inside a skill")));
        };
        let at = place.path.below(&inner);
        if let Some(parent) = at.parent() {
            package.create_dir(&parent).map_err(|error| failed(&error))?;
        }
        package.replace(&at, Content::text(text)).map_err(|error| failed(&error))?;
    }
    if !files.iter().any(|(path, _)| path == SKILL_FILE) {
        return Err(("no-skill-file", format!("there is no {SKILL_FILE} among the files")));
    }
    Ok(package)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{Bench, kind, skill_md};
    use super::*;
    use crate::behaviour::Version;
    use crate::skills::Library;
    use crate::stores::{FaultPlan, FaultyFiles};

    fn files(body: &str) -> Vec<(String, String)> {
        let main = skill_md("kit").replace("Do the thing.", body);
        vec![("SKILL.md".to_owned(), main), ("references/a.md".to_owned(), "a".to_owned())]
    }

    fn run(bench: &mut Bench, source: &str, files: &[(String, String)], force: bool) -> CommandAnswer {
        bench.with(|context| install(context, Installation { source, name: "kit", files, force }))
    }

    #[test]
    fn what_the_scan_blocks_leaves_no_byte() {
        for (source, body, force, wanted) in [
            ("someone/skills", "Do it.", false, None),
            ("someone/skills", "use sudo", false, Some("scan-blocked")),
            ("someone/skills", "use sudo", true, None),
            ("someone/skills", "rm -rf /", true, Some("scan-blocked")),
            ("openai/skills", "use sudo", false, None),
            ("openai/skills", "rm -rf /", false, Some("scan-blocked")),
            ("official", "rm -rf /", false, None),
        ] {
            let mut bench = Bench::new(Version::V0_19);
            let before = bench.snapshot();
            let answer = run(&mut bench, source, &files(body), force);
            assert_eq!(answer.kind, wanted, "{source} {body}: {}", answer.text);
            assert_eq!(bench.snapshot() == before, wanted.is_some());
            if wanted.is_some() {
                assert!(answer.text.contains("SKILL.md:7"), "{}", answer.text);
            }
        }
    }

    #[test]
    fn an_installed_skill_is_the_hubs_and_a_bundled_one_the_programs() {
        let mut bench = Bench::new(Version::V0_19);
        run(&mut bench, "openai/skills", &files("Do it."), false);
        bench.usage(|usage| assert!(usage.is_hub("kit")));
        let other = [("SKILL.md".to_owned(), skill_md("box"))];
        let boxed = Installation { source: BUNDLED, name: "box", files: &other, force: false };
        assert_eq!(bench.with(|context| install(context, boxed)).changed, 1);
        bench.usage(|usage| {
            assert!(usage.is_bundled("box"));
            usage.archive("box").unwrap();
        });
        let again = bench.with(|context| install(context, boxed));
        assert_eq!(again.kind, Some("suppressed"));
        bench.by(WriteOrigin::Review).look("kit");
        let args =
            json!({"action": "patch", "name": "kit", "old_string": "Do it.", "new_string": "Do that."});
        assert_eq!(kind(&bench.manage(&args)), "bg-hub");
    }

    #[test]
    fn only_an_installed_skill_is_replaced_and_only_by_force() {
        let mut bench = Bench::new(Version::V0_19).skill("skills/own");
        run(&mut bench, "openai/skills", &files("Do it."), false);
        assert_eq!(run(&mut bench, "openai/skills", &files("New."), false).kind, Some("already-exists"));
        assert_eq!(run(&mut bench, "openai/skills", &files("New."), true).kind, None);
        assert!(bench.text("skills/kit/SKILL.md").unwrap().contains("New."));
        let own = [("SKILL.md".to_owned(), skill_md("own"))];
        let wanted = Installation { source: "openai/skills", name: "own", files: &own, force: true };
        assert_eq!(bench.with(|context| install(context, wanted)).kind, Some("already-exists"));
    }

    #[test]
    fn bad_packages_are_refused() {
        for (path, wanted) in [
            ("../x", "path-escape"),
            ("/x", "path-escape"),
            ("a//b", "path-escape"),
            ("a.md", "no-skill-file"),
        ] {
            let mut bench = Bench::new(Version::V0_19);
            let answer = run(&mut bench, "official", &[(path.to_owned(), "x".to_owned())], false);
            assert_eq!(answer.kind, Some(wanted), "{path}");
        }
    }

    #[test]
    fn a_failing_disk_leaves_the_old_version_or_the_new_one() {
        for fails in 1..16 {
            let mut bench = Bench::new(Version::V0_19);
            run(&mut bench, "openai/skills", &files("Old."), false);
            let settings = bench.settings.clone();
            let behaviour = crate::behaviour::Behaviour::resolve(&settings);
            let mut faulty = FaultyFiles::new(&mut bench.home, FaultPlan::Once(fails));
            let mut library = Library::open(&mut faulty, &mut [], &behaviour.skills);
            let list = files("New.");
            let wanted = Installation { source: "openai/skills", name: "kit", files: &list, force: true };
            let mut context = SkillContext {
                library: &mut library,
                state: &mut bench.state,
                behaviour: &behaviour,
                marks: &mut bench.marks,
                draws: crate::values::Draws::new(crate::values::Seed(1)),
                at: bench.at,
                origin: WriteOrigin::Foreground,
                origin_label: "foreground",
                batch: crate::skills::Batch::Alone,
                route: crate::values::LoadRoute::Index,
                listed: &|_| true,
                session: None,
                platform: None,
            };
            let answer = install(&mut context, wanted);
            let text = bench.text("skills/kit/SKILL.md").unwrap();
            assert_eq!(text.contains("New."), answer.changed == 1, "operation {fails}");
            assert!(bench.text("skills/kit/references/a.md").is_some());
        }
    }
}
