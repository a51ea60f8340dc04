//! Titles: cleaning, uniqueness, numbered variants, and resolving a session by title or id (`spec/sessions.md` §1.4).

use std::cmp::Ordering;
use std::sync::Arc;

use super::error::StoreError;
use super::ids::SessionId;
use super::store::SessionStore;
use crate::behaviour::SessionRules;
use crate::text;

/// Longest title in characters, after cleaning.
const TITLE_CHARS_MAX: usize = 100;

/// A title without control characters and superfluous blanks; none if nothing is left.
///
/// # Errors
/// [`StoreError::TitleTooLong`].
pub fn clean_title(raw: &str) -> Result<Option<Arc<str>>, StoreError> {
    let mut clean = String::with_capacity(raw.len().min(4 * TITLE_CHARS_MAX));
    let mut chars = 0;
    let mut blank = false;
    for char in raw.chars().filter(|&char| !is_removed(char)) {
        if text::is_space(char) {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) && chars > 0 {
            clean.push(' ');
            chars += 1;
        }
        clean.push(char);
        chars += 1;
    }
    if chars > TITLE_CHARS_MAX {
        return Err(StoreError::TitleTooLong { chars, max: TITLE_CHARS_MAX });
    }
    Ok((chars > 0).then(|| clean.into()))
}

/// Control characters but for TAB, LF and CR, characters without width, and marks of direction.
fn is_removed(char: char) -> bool {
    matches!(char,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
        | '\u{feff}' | '\u{fffc}' | '\u{fff9}'..='\u{fffb}')
}

impl SessionStore {
    /// Sets a session's title, or clears it if nothing is left after cleaning. A title that a compression ancestor
    /// holds is taken from it. Returns the title that the session has now.
    ///
    /// # Errors
    /// Too long, in use, or no such session.
    pub fn set_title(&mut self, id: &str, title: &str) -> Result<Option<Arc<str>>, StoreError> {
        let title = clean_title(title)?;
        let place = self.known(id)?;
        if let Some(title) = &title
            && let Some(&holder) = self.titles.get(title)
            && holder != place
        {
            if !self.is_compression_ancestor(holder, place) {
                let holder = self.sessions[holder].row.id.clone();
                return Err(StoreError::TitleInUse { title: title.to_string(), holder });
            }
            self.sessions[holder].row.title = None;
        }
        if let Some(old) = self.sessions[place].row.title.take() {
            self.titles.remove(&old);
        }
        if let Some(title) = &title {
            self.titles.insert(Arc::clone(title), place);
        }
        self.sessions[place].row.title.clone_from(&title);
        Ok(title)
    }

    /// Sets a title only if the session has none. Returns whether it was set.
    ///
    /// # Errors
    /// As [`SessionStore::set_title`].
    pub fn auto_title(&mut self, id: &str, title: &str) -> Result<bool, StoreError> {
        let place = self.known(id)?;
        if self.sessions[place].row.title.is_some() {
            return Ok(false);
        }
        Ok(self.set_title(id, title)?.is_some())
    }

    /// The session that a title means: of the numbered variants (`title #2` …) the one that started last, else the
    /// one with exactly this title.
    pub fn resolve_by_title(&self, title: &str, rules: &SessionRules) -> Option<SessionId> {
        let exact = self.titles.get(title).map(|&place| &self.sessions[place].row.id);
        if rules.exact_title_first && exact.is_some() {
            return exact.cloned();
        }
        let prefix = format!("{title} #");
        let mut newest: Option<usize> = None;
        for (place, session) in self.sessions.iter().enumerate() {
            let fits =
                session.row.title.as_deref().is_some_and(|title| starts_with_ignoring_case(title, &prefix));
            let later = newest.is_none_or(|known| {
                let known = self.sessions[known].row.started_at;
                session.row.started_at.total_cmp(&known) == Ordering::Greater
            });
            if fits && later {
                newest = Some(place);
            }
        }
        newest.map(|place| &self.sessions[place].row.id).or(exact).cloned()
    }

    /// The session of this id, or the only one whose id begins with it.
    pub fn resolve_by_id(&self, id: &str) -> Option<SessionId> {
        if let Some(row) = self.session(id) {
            return Some(row.id.clone());
        }
        let mut found = self.sessions().filter(|row| starts_with_ignoring_case(&row.id, id));
        let first = found.next()?;
        found.next().is_none().then(|| first.id.clone())
    }

    /// A free title for a session that continues one of this title.
    pub fn next_title(&self, title: &str) -> String {
        let base = split_number(title).map_or(title, |(base, _)| base);
        let prefix = format!("{base} #");
        let numbers = self.titles.keys().filter_map(|taken| {
            let variant = &**taken == base || starts_with_ignoring_case(taken, &prefix);
            variant.then(|| split_number(taken).map_or(1, |(_, number)| number.max(1)))
        });
        match numbers.max() {
            None => base.to_owned(),
            Some(number) => format!("{base} #{}", number.saturating_add(1)),
        }
    }
}

/// A title's base and its number, if it ends in a blank, `#` and digits.
fn split_number(title: &str) -> Option<(&str, u64)> {
    let (base, digits) = title.rsplit_once(" #")?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| (base, digits.parse().unwrap_or(u64::MAX)))
}

/// SQL's `LIKE 'prefix%'`: only ASCII letters are compared without regard to case.
fn starts_with_ignoring_case(text: &str, prefix: &str) -> bool {
    text.as_bytes().get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}
