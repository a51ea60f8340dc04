//! Figures that only the end can tell: what was never used, and which writes were of use.

use super::Measure;
use super::state::{Skill, User};

impl Measure {
    pub(super) fn finish_skills(&mut self) {
        for row in &mut self.records.skills {
            row.never_used = row.first_load_ms.is_none();
        }
    }

    /// Loads of a written skill afterwards, and with them the use of each review's writes
    /// (`spec/metrics.md`, review tax and waste).
    pub(super) fn finish_writes(&mut self) {
        for user in self.users.values() {
            for (row, n, skill) in &user.skill_writes {
                self.records.writes[*row].loads_after = loads_after(user, skill, *n);
            }
        }
        for write in &self.records.writes {
            let useful = match write.store {
                crate::Store::Skill => write.loads_after > 0,
                crate::Store::Memory | crate::Store::User => write.visible_ms.is_some(),
            };
            let review = write.review.filter(|_| useful).and_then(|review| {
                let user = self.users.get(&write.user)?;
                user.reviews.get(&review)
            });
            if let Some(&row) = review {
                self.records.reviews[row].used_writes += 1;
            }
        }
        for review in &mut self.records.reviews {
            review.wasted = review.used_writes == 0;
        }
    }
}

/// Loads of a skill by index, user or job after an event, over all its lives.
fn loads_after(user: &User, skill: &str, n: u64) -> u64 {
    let earlier = user.earlier_lives.iter().filter(|(name, _)| **name == *skill).map(|(_, life)| life);
    let after = |life: &Skill| (life.loads.len() - life.loads.partition_point(|load| *load <= n)) as u64;
    earlier.chain(user.skills.get(skill)).map(after).sum()
}
