//! The store object of an agent: live entries, the frozen blocks of the prompt, the count of failed attempts.

use std::sync::Arc;

use super::entries::{self, Entry};
use super::place::{Place, PlaceError};
use super::snapshot::{self, Scans};
use super::target::{Each, Limit, Target};
use crate::behaviour::MemoryRules;
use crate::behaviour::ThreatRules;
use crate::stores::Files;
use crate::values::Chars;

/// The memory of one agent object (`spec/memory.md` §3).
///
/// Its limits are those of the rules that it was made with. Its blocks change only when it is loaded or refrozen.
#[derive(Clone, Debug)]
pub struct MemoryStore {
    pub(super) limits: Each<Limit>,
    pub(super) live: Each<Vec<Entry>>,
    blocks: Each<Option<Arc<str>>>,
    scans: Scans,
    pub(super) failures: u32,
}

impl MemoryStore {
    /// An empty store; see [`MemoryRules::has_store`] for whether an agent has one.
    pub fn new(rules: &MemoryRules) -> Self {
        Self {
            limits: Each::new(Target::Notes.limit(rules), Target::Profile.limit(rules)),
            live: Each::default(),
            blocks: Each::default(),
            scans: Scans::default(),
            failures: 0,
        }
    }

    /// An empty store for the next agent object of the same user. It behaves as a new one; only results of scans that
    /// this one made are taken along, so that its load is cheap.
    pub fn successor(&self, rules: &MemoryRules) -> Self {
        Self { scans: self.scans.clone(), ..Self::new(rules) }
    }

    /// Reads both files and freezes the blocks: at the start of a session and after compression. Writes no file.
    ///
    /// # Errors
    /// A link out of the home, bytes that are not UTF-8, or a directory that cannot be made. The store then stays
    /// usable with empty blocks, as the reference's agent goes on without a snapshot.
    pub fn load(
        &mut self,
        files: &mut dyn Files,
        rules: &MemoryRules,
        threats: &ThreatRules,
    ) -> Result<(), PlaceError> {
        self.blocks = Each::default();
        for target in Target::ALL {
            let place = Place::find(files, target)?;
            place.make(files)?;
            *self.live.get_mut(target) = entries::parse(&place.read(files)?);
        }
        self.refreeze(rules, threats);
        Ok(())
    }

    /// Freezes the blocks anew from the live entries, for prompts that follow each write.
    pub fn refreeze(&mut self, rules: &MemoryRules, threats: &ThreatRules) {
        for target in Target::ALL {
            let limit = *self.limits.get(target);
            let scan = rules.scan_snapshot.then_some((&mut self.scans, threats));
            *self.blocks.get_mut(target) = snapshot::block(target, self.live.get(target), limit, scan);
        }
    }

    /// The frozen block of a target; none if it had no entry when the block was made.
    pub fn block(&self, target: Target) -> Option<&Arc<str>> {
        self.blocks.get(target).as_ref()
    }

    /// The live entries of a target.
    pub fn entries(&self, target: Target) -> &[Arc<str>] {
        self.live.get(target)
    }

    /// The characters that a target holds, delimiters included, as its limit counts them.
    pub fn chars(&self, target: Target) -> Chars {
        Chars(entries::chars(self.live.get(target)))
    }

    /// A new turn of the user begins.
    pub fn reset_turn(&mut self, rules: &MemoryRules) {
        if rules.retry.rearm_each_turn {
            self.failures = 0;
        }
    }
}
