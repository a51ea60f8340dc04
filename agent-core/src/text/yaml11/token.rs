//! Tokens.

use super::error::{Mark, YamlError};

/// One token with the place where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) mark: Mark,
}

/// A tag as written: a handle (`!`, `!!`, `!x!`) and a suffix, or a verbatim or lone tag without handle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RawTag {
    pub(super) handle: Option<String>,
    pub(super) suffix: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// `%YAML`, with its major version.
    Version(u64),
    /// `%TAG`, with handle and prefix.
    TagHandle(String, String),
    /// A directive of an unknown name.
    Reserved,
    DocumentStart,
    DocumentEnd,
    StreamEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(String),
    Anchor(String),
    Tag(RawTag),
    Scalar {
        text: String,
        plain: bool,
    },
    /// The scanner stopped here; whoever comes this far fails with it.
    Broken(YamlError),
}

impl TokenKind {
    /// What to call it in a message.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Version(_) | Self::TagHandle(..) | Self::Reserved => "a directive",
            Self::DocumentStart => "a document start",
            Self::DocumentEnd => "a document end",
            Self::StreamEnd => "the end",
            Self::BlockSequenceStart | Self::BlockMappingStart => "a deeper block",
            Self::BlockEnd => "the end of the block",
            Self::FlowSequenceStart => "`[`",
            Self::FlowSequenceEnd => "`]`",
            Self::FlowMappingStart => "`{`",
            Self::FlowMappingEnd => "`}`",
            Self::BlockEntry => "`-`",
            Self::FlowEntry => "`,`",
            Self::Key => "a key",
            Self::Value => "`:`",
            Self::Alias(_) => "an alias",
            Self::Anchor(_) => "an anchor",
            Self::Tag(_) => "a tag",
            Self::Scalar { .. } => "a scalar",
            Self::Broken(_) => "an error",
        }
    }
}
