//! What the user is told of waiting proposals.

use super::record::Subsystem;
use super::store::{count, list};
use crate::stores::Files;
use crate::values::{SimTime, Stamp};

const MINUTE_S: f64 = 60.0;
const HOUR_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;

/// A line with the number of waiting proposals and the age of the oldest; `None` if none waits
/// (`spec/known-faults.md` 31).
pub fn announcement(files: &dyn Files, subsystem: Subsystem, at: SimTime) -> Option<String> {
    let waiting = count(files, subsystem);
    if waiting == 0 {
        return None;
    }
    let (what, name) = match subsystem {
        Subsystem::Memory if waiting == 1 => ("memory change waits", "memory"),
        Subsystem::Memory => ("memory changes wait", "memory"),
        Subsystem::Skills if waiting == 1 => ("skill change waits", "skills"),
        Subsystem::Skills => ("skill changes wait", "skills"),
    };
    let now = Stamp::from(at).as_epoch_seconds();
    let age = list(files, subsystem)
        .first()
        .map_or(String::new(), |oldest| format!(" The oldest is {} old.", age(now - oldest.created_at)));
    Some(format!("{waiting} {what} for your approval.{age} Use /{name} pending to look, approve or reject."))
}

fn age(seconds: f64) -> String {
    let (number, unit) = match seconds {
        _ if seconds < MINUTE_S => return "less than a minute".to_owned(),
        _ if seconds < HOUR_S => (seconds / MINUTE_S, "minute"),
        _ if seconds < DAY_S => (seconds / HOUR_S, "hour"),
        _ => (seconds / DAY_S, "day"),
    };
    let number = number.floor();
    format!("{number:.0} {unit}{}", if number < 2.0 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::{Proposal, stage};
    use super::*;
    use crate::stores::MemFiles;
    use crate::values::{Draws, Seed, SimDuration};

    #[test]
    fn the_user_reads_number_and_age() {
        let mut home = MemFiles::new("/h");
        let at = SimTime::from_millis(0);
        assert_eq!(announcement(&home, Subsystem::Skills, at), None);
        let mut shown = Vec::new();
        for hours in [0, 1, 50] {
            let at = at + SimDuration::from_hours(hours);
            let proposal = Proposal {
                subsystem: Subsystem::Skills,
                action: "create",
                summary: String::new(),
                origin: "background_review",
                at,
                payload: Value::Null,
            };
            stage(&mut home, proposal, Draws::new(Seed(0))).unwrap();
            shown.extend(announcement(&home, Subsystem::Skills, at));
        }
        insta::assert_snapshot!(shown.join("\n"), @r"
            1 skill change waits for your approval. The oldest is less than a minute old. Use /skills pending to look, approve or reject.
            2 skill changes wait for your approval. The oldest is 1 hour old. Use /skills pending to look, approve or reject.
            3 skill changes wait for your approval. The oldest is 2 days old. Use /skills pending to look, approve or reject.
            ");
    }
}
