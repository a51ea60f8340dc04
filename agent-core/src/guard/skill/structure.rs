//! What files a skill consists of (`spec/skill-guard.md` §4).

use super::ignore::Ignored;
use super::report::{Finding, Severity};
use super::scan::{ScanError, suffix};
use crate::behaviour::{GuardRules, LinkLoop};
use crate::stores::{Files, Kind, Resolved, TreePath, resolve, walk_files};

const FILES_MAX: usize = 50;
const FILE_BYTES_MAX: u64 = 262_144;
const SKILL_BYTES_MAX: u64 = 1_048_576;
const BYTES_PER_KB: u64 = 1024;

/// Stands for the skill as a whole.
pub(super) const WHOLE: &str = "(directory)";

const BINARY_SUFFIXES: [&str; 12] =
    [".exe", ".dll", ".so", ".dylib", ".bin", ".dat", ".com", ".msi", ".dmg", ".app", ".deb", ".rpm"];
const SCRIPT_SUFFIXES: [&str; 5] = [".sh", ".bash", ".py", ".rb", ".pl"];

const STRUCTURAL: &str = "structural";
const TRAVERSAL: &str = "traversal";

/// The findings about the files of a skill, `base` being its resolved directory.
///
/// # Errors
/// A link leads into a loop and the rules let the scan fail of it.
pub(super) fn check(
    files: &dyn Files,
    base: &TreePath,
    ignored: &Ignored,
    rules: &GuardRules,
) -> Result<Vec<Finding>, ScanError> {
    let mut check = Check { findings: Vec::new(), count: 0, bytes: 0, looped: None };
    walk_files(files, base, &mut |path, kind| {
        let Some(inner) = path.strip(base).filter(|inner| !ignored.has(inner)) else { return };
        check.count += 1;
        if kind == Kind::Link {
            check.link(files, base, path, &inner);
        } else {
            check.file(files, path, &inner);
        }
    });
    if let Some(path) = check.looped.take().filter(|_| rules.link_loop == LinkLoop::Fails) {
        return Err(ScanError::LinkLoop { path });
    }
    check.whole();
    Ok(check.findings)
}

struct Check {
    findings: Vec<Finding>,
    count: usize,
    bytes: u64,
    looped: Option<String>,
}

impl Check {
    fn add(
        &mut self,
        rule: (&'static str, Severity, &'static str),
        file: &str,
        text: String,
        about: &'static str,
    ) {
        let (id, severity, category) = rule;
        self.findings.push(Finding {
            rule: id.into(),
            severity,
            category: category.into(),
            file: file.to_owned(),
            line: 0,
            text,
            about: about.into(),
        });
    }

    fn link(&mut self, files: &dyn Files, base: &TreePath, path: &TreePath, inner: &TreePath) {
        let target = resolve(files, path);
        let outside = match &target {
            Ok(Resolved::Inside(real)) if real.strip(base).is_some() => return,
            Ok(Resolved::Inside(real)) => format!("{}/{real}", files.root()),
            Ok(Resolved::Outside(real)) => real.clone(),
            Ok(Resolved::Loop) | Err(_) => {
                if target.is_ok() {
                    self.looped.get_or_insert_with(|| inner.as_str().to_owned());
                }
                let rule = ("broken_symlink", Severity::Medium, TRAVERSAL);
                self.add(rule, inner.as_str(), "broken symlink".to_owned(), "a link that leads nowhere");
                return;
            }
        };
        let rule = ("symlink_escape", Severity::Critical, TRAVERSAL);
        self.add(rule, inner.as_str(), format!("symlink -> {outside}"), "a link that leads out of the skill");
    }

    fn file(&mut self, files: &dyn Files, path: &TreePath, inner: &TreePath) {
        let Ok(Some(stat)) = files.stat(path) else { return };
        self.bytes += stat.len;
        let (file, suffix) = (inner.as_str(), suffix(inner.name()));
        if stat.len > FILE_BYTES_MAX {
            let rule = ("oversized_file", Severity::Medium, STRUCTURAL);
            self.add(rule, file, format!("{}KB", stat.len / BYTES_PER_KB), "a file of more than 256 KB");
        }
        if BINARY_SUFFIXES.contains(&suffix.as_str()) {
            let rule = ("binary_file", Severity::Critical, STRUCTURAL);
            self.add(rule, file, format!("binary: {suffix}"), "a binary file");
        }
        if stat.executable && !SCRIPT_SUFFIXES.contains(&suffix.as_str()) {
            let rule = ("unexpected_executable", Severity::Medium, STRUCTURAL);
            self.add(rule, file, "executable bit set".to_owned(), "executable, but no script");
        }
    }

    fn whole(&mut self) {
        if self.count > FILES_MAX {
            let rule = ("too_many_files", Severity::Medium, STRUCTURAL);
            self.add(rule, WHOLE, format!("{} files", self.count), "more than 50 files");
        }
        if self.bytes > SKILL_BYTES_MAX {
            let rule = ("oversized_skill", Severity::High, STRUCTURAL);
            self.add(rule, WHOLE, format!("{}KB total", self.bytes / BYTES_PER_KB), "more than 1 MB in all");
        }
    }
}
