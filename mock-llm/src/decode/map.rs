//! Mappings with a fixed set of keys.

use super::Decoder;
use crate::diagnose::{Diagnostic, Span, nearest_hint};
use crate::yaml::{Entry, Map, Node};

/// One opened mapping.
#[derive(Clone, Copy, Debug)]
pub struct MapReader<'d, 'n> {
    decoder: &'d Decoder,
    map: &'n Map,
    span: Span,
    what: &'static str,
    keys: &'static [&'static str],
}

impl<'d, 'n> MapReader<'d, 'n> {
    pub(super) fn open(
        decoder: &'d Decoder,
        map: &'n Map,
        span: Span,
        what: &'static str,
        keys: &'static [&'static str],
    ) -> Self {
        for entry in map.iter().filter(|entry| !keys.contains(&&*entry.key)) {
            let message = format!("unknown key `{}` in {what}", entry.key);
            let hint = nearest_hint(&entry.key, keys.iter().copied());
            decoder.report(Diagnostic::error(decoder.file(), entry.key_span, message).hint_if(hint));
        }
        Self { decoder, map, span, what, keys }
    }

    /// Where the whole mapping stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The decoder that opened it.
    pub fn decoder(&self) -> &'d Decoder {
        self.decoder
    }

    fn entry(&self, key: &str) -> Option<&'n Entry> {
        debug_assert!(self.keys.contains(&key), "`{key}` is not in the list of keys of {}", self.what);
        self.map.get(key)
    }

    /// The raw value of a key, if it is there.
    pub fn take(&self, key: &str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Where a key stands.
    pub fn key_span(&self, key: &str) -> Option<Span> {
        self.entry(key).map(|entry| entry.key_span)
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// The decoded value of a key; none when the key is absent, and none when its value is wrong, which is then reported.
    pub fn optional<T>(
        &self,
        key: &str,
        decode: impl FnOnce(&'d Decoder, &'n Node) -> Option<T>,
    ) -> Option<T> {
        decode(self.decoder, self.take(key)?)
    }

    /// The decoded value of a key that must be there.
    pub fn required<T>(
        &self,
        key: &str,
        decode: impl FnOnce(&'d Decoder, &'n Node) -> Option<T>,
    ) -> Option<T> {
        match self.take(key) {
            Some(node) => decode(self.decoder, node),
            None => {
                let first = self.map.iter().next().map_or(self.span, |entry| entry.key_span);
                self.decoder.error(first, format!("missing key `{key}` in {}", self.what));
                None
            }
        }
    }

    /// The decoded value of a key, or the default when it is absent or wrong (a wrong one is reported).
    pub fn or<T>(&self, key: &str, default: T, decode: impl FnOnce(&'d Decoder, &'n Node) -> Option<T>) -> T {
        self.optional(key, decode).unwrap_or(default)
    }

    /// Which of these keys is there, with its value; none or several of them is an error.
    pub fn one_of(&self, keys: &[&'static str]) -> Option<(&'static str, &'n Node)> {
        let mut there = keys.iter().filter_map(|key| self.entry(key).map(|entry| (*key, entry)));
        let Some((key, entry)) = there.next() else {
            let list: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            let first = self.map.iter().next().map_or(self.span, |entry| entry.key_span);
            self.decoder.error(first, format!("{} needs one of {}", self.what, list.join(", ")));
            return None;
        };
        if let Some((other, second)) = there.next() {
            let message = format!("`{key}` and `{other}` exclude each other in {}", self.what);
            self.decoder.report(
                Diagnostic::error(self.decoder.file(), second.key_span, message)
                    .label("this one")
                    .related(entry.key_span, "and this one"),
            );
            return None;
        }
        Some((key, &entry.value))
    }

    /// The entries in the order of the file, unknown keys included.
    pub fn entries(&self) -> impl Iterator<Item = &'n Entry> + use<'n> {
        self.map.iter()
    }
}
