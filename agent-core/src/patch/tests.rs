//! Laws of the engine, and what versions and faults change.

use proptest::prelude::*;

use super::engine::{self, PatchError, replace};
use super::find::{CHAIN, Search};
use super::lines::Region;
use crate::behaviour::{Behaviour, Origin, PatchRules, Settings, Version};

fn rules(version: Version) -> PatchRules {
    Behaviour::resolve(&Settings::new(version)).patch
}

fn faultless(version: Version) -> PatchRules {
    let mut settings = Settings::new(version);
    settings.faults_off(&Origin::CommandLine);
    Behaviour::resolve(&settings).patch
}

fn patched(content: &str, old: &str, new: &str, all: bool, rules: &PatchRules) -> Result<String, PatchError> {
    replace(content, old, new, all, rules).map(|patched| patched.text)
}

#[test]
fn a_pattern_that_overlaps_itself_garbles_old_versions_only() {
    let run = |rules: PatchRules| patched("aaaa", "aa", "b", true, &rules).unwrap();
    assert_eq!(run(rules(Version::V0_13)), "b", "cut in three times, at offsets 2, 1 and 0");
    assert_eq!(run(rules(Version::V0_19)), "bb");
    assert_eq!(run(faultless(Version::V0_13)), "bb");
    let found = patched("aaa", "aa", "b", false, &rules(Version::V0_16));
    assert_eq!(found, Err(PatchError::Ambiguous { found: 2 }));
    assert_eq!(patched("aaa", "aa", "b", false, &rules(Version::V0_19)).unwrap(), "ba");
}

#[test]
fn indent_controls_and_typography_by_version() {
    let indent =
        |version| patched("    if x:\n\ty\n", "if x:\n  y", "if z:\n  y", false, &rules(version)).unwrap();
    assert_eq!(indent(Version::V0_13), "if z:\n  y\n");
    assert_eq!(indent(Version::V0_16), "    if z:\n      y\n");
    let control = |version| patched("a\tb", "a\tb", "a\\tc", false, &rules(version)).unwrap();
    assert_eq!(control(Version::April2026), "a\\tc");
    assert_eq!(control(Version::V0_16), "a\tc");
    let quotes = |version| {
        patched("say \u{201c}x\u{201d} now", "say \"x\" now", "say \"y\" now", false, &rules(version))
            .unwrap()
    };
    assert_eq!(quotes(Version::V0_16), "say \"y\" now");
    assert_eq!(quotes(Version::September2026), "say \u{201c}y\u{201d} now");
}

#[test]
fn blanks_behind_a_collapsed_hit_by_version() {
    let run = |version| patched("a  b  c", "a b", "x", false, &rules(version)).unwrap();
    assert_eq!(run(Version::V0_16), "xc");
    assert_eq!(run(Version::V0_19), "x  c");
}

#[test]
fn overlapping_windows_are_replaced_once_without_the_fault() {
    let run = |rules: PatchRules| replace(" a\n a\n a\n", "a \na ", "x", true, &rules).unwrap();
    let (faulty, right) = (run(rules(Version::V0_19)), run(faultless(Version::V0_19)));
    assert_eq!((faulty.matches, right.matches), (2, 1));
    assert_eq!(right.text, " x\n a\n");
    assert_ne!(faulty.text, right.text);
}

#[test]
fn unrelated_words_do_not_replace_the_last_line_without_the_fault() {
    let run = |rules: PatchRules| patched("alpha\nomega\n", "nowhere\n", "gone", false, &rules);
    assert_eq!(run(rules(Version::V0_19)).unwrap(), "alpha\ngone");
    assert_eq!(run(faultless(Version::V0_19)), Err(PatchError::NoMatch));
}

#[test]
fn errors_read_as_sentences() {
    let say = |content, old, new| {
        replace(content, old, new, false, &rules(Version::V0_19)).unwrap_err().to_string()
    };
    insta::assert_snapshot!(say("a", "", "b"), @"the text to replace is empty");
    insta::assert_snapshot!(say("a", "a", "a"), @"the text to replace and its replacement are the same");
    insta::assert_snapshot!(say("a a", "a", "b"), @"the text to replace fits 2 places; quote more lines around it so that it fits one, or set replace_all to change every one");
    insta::assert_snapshot!(say("  it's\n", "it\\'s", "it\\'s not"), @r"old and new text both write \' but the file has no backslash there: quote the file as it stands, without escaping");
    insta::assert_snapshot!(say("a", "zzz", "b"), @"the text to replace was not found, neither exactly nor with tolerance for blanks and small differences");
}

/// The regions that decide, as the engine sees them.
fn regions(content: &str, old: &str, rules: &PatchRules) -> (engine::Strategy, Vec<Region>) {
    let search = Search { content, old, rules };
    CHAIN.iter().map(|(name, find)| (*name, find(&search))).find(|(_, found)| !found.is_empty()).unwrap()
}

/// Texts in which all strategies find something now and then.
fn text(len: usize) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", " ", "\t", "\n", "\r", "\"", "\u{201c}", "\u{2014}", "--", "\\n", "\\t", "\\\"", "xyz\n",
        "  q",
    ]);
    prop::collection::vec(piece, 0..len).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// A patch that reports success changed exactly the matched text.
    #[test]
    fn only_what_matched_changes(content in text(24), old in text(6), new in text(6), all: bool) {
        let rules = faultless(Version::V0_19);
        if let Ok(done) = replace(&content, &old, &new, all, &rules) {
            let (strategy, mut found) = regions(&content, &old, &rules);
            prop_assert_eq!(strategy, done.strategy);
            found.dedup_by(|next, kept| next.0 < kept.1);
            prop_assert_eq!(found.len(), done.matches);
            prop_assert!(all || done.matches == 1);
            // What lies outside the regions stands in the result in order, at both ends flush.
            let mut rest = done.text.as_str();
            let mut from = 0;
            for (at, region) in found.iter().enumerate() {
                let kept = &content[from..region.0];
                let place = if at == 0 { rest.starts_with(kept).then_some(0) } else { rest.find(kept) };
                prop_assert!(place.is_some(), "{:?} is gone", kept);
                rest = &rest[place.unwrap() + kept.len()..];
                from = region.1;
            }
            prop_assert!(rest.ends_with(&content[from..]));
            if strategy == engine::Strategy::Exact && !new.contains('\\') {
                prop_assert_eq!(done.text, content.replacen(&old, &new, done.matches));
            }
        }
    }

    /// Whatever is asked, in whatever version: an answer, no panic.
    #[test]
    fn every_version_answers(content in text(24), old in text(8), new in text(8), all: bool) {
        for version in Version::ALL {
            let answer = replace(&content, &old, &new, all, &rules(version));
            prop_assert_eq!(old.is_empty(), answer == Err(PatchError::EmptyOld));
        }
    }
}
