//! The keys of files of families and of rates, as decoder and schema know them.

/// A file of families.
pub(crate) const FILE: &[&str] = &["description", "families"];

/// A family.
pub(crate) const FAMILY: &[&str] =
    &["weight", "one_off", "slots", "says", "cue", "words", "skill", "steps", "hazards", "done"];

/// A family's skill.
pub(crate) const SKILL: &[&str] = &["name", "description", "category", "body"];

/// A step of the work.
pub(crate) const STEP: &[&str] = &["call", "output", "took", "hazard"];

/// A step of what is done instead or to mend it.
pub(crate) const ACTION: &[&str] = &["call", "output", "took"];

/// A hazard.
pub(crate) const HAZARD: &[&str] = &["error", "correction", "passing", "instead", "fix", "lesson"];

/// A lesson.
pub(crate) const LESSON: &[&str] = &["text", "pattern", "belongs"];

/// Where a lesson may belong.
pub(crate) const BELONGS: [&str; 4] = ["skill", "memory", "profile", "support_file"];

/// A file of rates.
pub(crate) const RATES_FILE: &[&str] = &["description", "rates"];

/// Rates written out.
pub(crate) const RATES: &[&str] =
    &["world", "capture", "view", "false_view", "follow", "false_lesson", "avoids", "solved"];

/// One rate with what it rests on.
pub(crate) const RATE: &[&str] = &["rate", "count", "of", "evidence", "source"];

/// The groups of rates, each with what messages call it; one without members is a rate itself.
pub(crate) const GROUPS: [(&str, &str, &[&str]); 7] = [
    ("capture", "the rates of `capture`", &["first", "repeat"]),
    ("view", "", &[]),
    ("false_view", "", &[]),
    ("follow", "the rates of `follow`", &["memory", "skill", "support_file", "conversation"]),
    ("false_lesson", "", &[]),
    ("avoids", "the rates of `avoids`", &["followed", "unaided"]),
    ("solved", "the rates of `solved`", &["spared", "hit"]),
];
