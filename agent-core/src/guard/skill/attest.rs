//! Attested scans, kept beside the skill so that an unchanged one need not be scanned again
//! (`spec/skill-guard.md` §6).

use serde_json::{Value, json};

use super::hash::{content_hash, source_digits};
use super::report::{Finding, ScanReport, Verdict};
use super::scan::{ScanError, scan};
use super::trust::Trust;
use crate::behaviour::GuardRules;
use crate::stores::{Files, TreePath, read_text, write_text};
use crate::values::Stamp;

/// What a cached scan must have been made with.
pub const SCANNER_VERSION: &str = "skills-guard-v1";

const CACHE_DIR: &str = ".scan-cache";

/// A scan together with what was scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// The scan.
    pub report: ScanReport,
    /// The address that the skill came from; empty if none.
    pub source_url: String,
    /// The full content hash, `sha256:` first.
    pub bundle_hash: String,
    /// False when it comes from the cache.
    pub fresh: bool,
}

impl Attestation {
    /// The attestation as it is stored and handed out.
    pub fn to_json(&self) -> Value {
        json!({
            "source": self.report.source,
            "source_url": self.source_url,
            "bundle_hash": self.bundle_hash,
            "scanner_version": SCANNER_VERSION,
            "verdict": self.report.verdict.name(),
            "trust_level": self.report.trust.name(),
            "findings": self.report.findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
            "rules": self.report.rule_ids(),
            "scanned_at": self.report.scanned_at.to_string(),
            "summary": self.report.summary(),
            "fresh": self.fresh,
        })
    }

    /// A stored attestation, if it is one and was made of the same.
    fn from_json(value: &Value, skill_name: &str, wanted: &Wanted<'_>) -> Option<Self> {
        let text = |key: &str| value.get(key)?.as_str();
        let same = text("scanner_version")? == SCANNER_VERSION
            && text("source")? == wanted.source
            && text("source_url")? == wanted.source_url
            && text("bundle_hash")? == wanted.bundle_hash;
        let findings =
            value.get("findings")?.as_array()?.iter().map(Finding::from_json).collect::<Option<_>>()?;
        same.then_some(Self {
            report: ScanReport {
                skill_name: skill_name.to_owned(),
                source: wanted.source.to_owned(),
                trust: Trust::parse(text("trust_level")?)?,
                verdict: Verdict::parse(text("verdict")?)?,
                findings,
                scanned_at: Stamp::parse(text("scanned_at")?)?,
            },
            source_url: wanted.source_url.to_owned(),
            bundle_hash: wanted.bundle_hash.to_owned(),
            fresh: false,
        })
    }
}

struct Wanted<'a> {
    source: &'a str,
    source_url: &'a str,
    bundle_hash: &'a str,
}

/// Where attested scans are kept.
#[derive(Clone, Copy)]
pub struct ScanCache<'a> {
    /// The tree, which need not be the skill's own.
    pub files: &'a dyn Files,
    /// The directory in it.
    pub directory: &'a TreePath,
}

/// Scans a skill, or takes the scan from the cache if the content is the same: `.scan-cache` beside the skill, or the
/// given directory. That the cache cannot be written loses time, not the scan, so it is passed over.
///
/// # Errors
/// As [`scan`] and [`content_hash`].
pub fn attest(
    files: &mut dyn Files,
    path: &TreePath,
    (source, source_url): (&str, &str),
    cache: Option<&TreePath>,
    at: Stamp,
    rules: &GuardRules,
) -> Result<Attestation, ScanError> {
    let beside = || path.parent().unwrap_or_default().join(CACHE_DIR);
    let directory = cache.map_or_else(beside, |given| Ok(given.clone()))?;
    let place = ScanCache { files: &*files, directory: &directory };
    let attestation = attest_with(&*files, path, (source, source_url), place, at, rules)?;
    keep(files, &directory, &attestation, rules);
    Ok(attestation)
}

/// Scans a skill, or takes the scan from this cache; nothing is written. What is worth keeping is then kept by
/// [`keep`].
///
/// # Errors
/// As [`scan`] and [`content_hash`].
pub fn attest_with(
    files: &dyn Files,
    path: &TreePath,
    (source, source_url): (&str, &str),
    cache: ScanCache<'_>,
    at: Stamp,
    rules: &GuardRules,
) -> Result<Attestation, ScanError> {
    let bundle_hash = content_hash(files, path, rules)?.full();
    let wanted = Wanted { source, source_url, bundle_hash: &bundle_hash };
    let file = cache.directory.join(&file_name(&bundle_hash, source, source_url))?;
    let stored = || serde_json::from_str(&read_text(cache.files, &file).ok()?).ok();
    if rules.caches_scans
        && let Some(value) = stored()
        && let Some(known) = Attestation::from_json(&value, path.name(), &wanted)
    {
        return Ok(known);
    }
    let report = scan(files, path, source, at, rules)?;
    Ok(Attestation {
        report,
        source_url: source_url.to_owned(),
        bundle_hash: bundle_hash.clone(),
        fresh: true,
    })
}

/// Keeps a fresh attestation, where the rules do so. The scan stands with or without its copy, so trouble is passed
/// over.
pub fn keep(files: &mut dyn Files, directory: &TreePath, attestation: &Attestation, rules: &GuardRules) {
    if !rules.caches_scans || !attestation.fresh {
        return;
    }
    let name = file_name(&attestation.bundle_hash, &attestation.report.source, &attestation.source_url);
    if let Ok(file) = directory.join(&name) {
        drop(write_text(files, &file, &attestation.to_json().to_string()));
    }
}

fn file_name(bundle_hash: &str, source: &str, source_url: &str) -> String {
    let digits = bundle_hash.trim_start_matches("sha256:");
    format!("{digits}-{}.json", source_digits(source, source_url))
}
