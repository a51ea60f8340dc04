//! Behaviour: what an agent of one version does, resolved once from version, configuration and faults.
//!
//! This is the only place that knows versions. Each area has a file with its rows (configuration keys and rules of
//! a version, with a default for each version), its fault switches, and the typed rules that the rest of the crate
//! reads. Rules are enums and numbers, never versions.

mod compression;
mod convert;
mod curator;
mod defence;
mod delegation;
mod faults;
mod guard;
mod memory;
mod nudges;
mod patch;
mod prompt;
mod review;
mod sessions;
mod settings;
mod skills;
mod staging;
mod table;
mod threats;
mod turn;
mod version;

pub use compression::{CompressionRules, ThrashGuard};
pub use curator::{
    AgeingBy, AgeingRules, AnchorFrom, BackgroundReads, BackupRules, BuiltinClock, CuratorRules,
    Destinations, Extraction, FirstSight, JobRules, OddCounter, PassRules, PassTools, PollIdle, Probation,
    SeenArguments, SnapshotBefore, SummaryReading, UndecodableState,
};
pub use defence::DefenceRules;
pub use delegation::DelegationRules;
pub use faults::{FaultRow, faults};
pub use guard::{
    ForceRule, GuardList, GuardRules, HashOver, LinkLoop, MinorFindings, OfficialSources, TrustedNames,
    Unreadable,
};
pub use memory::{
    DelimiterInContent, DriftGuard, FailureShape, MemoryMode, MemoryRules, Newlines, NullTarget, OverFull,
    RetryRules, SuccessShape, UnattendedEdits,
};
pub use nudges::{ClearOn, EarlyReturn, Hydrate, NudgeRules, Unit};
pub use patch::{ExactHits, LikeLines, OverlappingWindows, PatchRules, TrailingBlanks};
pub use prompt::{
    ContextCap, ContextRules, DateLine, Enforcement, IndexCache, IndexRules, PromptRules, Refresh,
    ReviewStyle, SkillsBlock, Stance, TextRules,
};
pub use review::{DeferRules, NoticeMode, ReviewBudget, ReviewCompression, ReviewRules, ReviewWhitelist};
pub use sessions::{
    BadSyntax, Continuation, ResultSession, SearchMode, SessionRules, ToolModes, TrigramFailure,
};
pub use settings::{Origin, SettingError, Settings};
pub use skills::{
    ApproveAs, Excluded, ExplicitSkillMd, PlatformList, RestoreChoice, RestoreMatch, ReviewDelete, Rollback,
    SkillRules, SkillStore, Unmanaged, UsageRules, ViewLookup,
};
pub use staging::{OnStagingFailure, StagingRules};
pub use table::{Kind, Preset, Row, rows};
pub use threats::{InvisibleSet, ThreatList, ThreatRules};
pub use turn::{CacheRules, GuardrailLimits, GuardrailRules, LoopRules, NonObjectRule, ParallelRule};
pub use version::Version;

/// Everything that a version, a configuration and a choice of faults decide.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// When a review is armed.
    pub nudges: NudgeRules,
    /// What a review may do and how it ends.
    pub review: ReviewRules,
    /// The conversation loop.
    pub turn: LoopRules,
    /// The memory stores and their tool.
    pub memory: MemoryRules,
    /// The defence's switches.
    pub defence: DefenceRules,
    /// The skill library, its tools and its guard.
    pub skills: SkillRules,
    /// Fuzzy find-and-replace.
    pub patch: PatchRules,
    /// The skill guard.
    pub guard: GuardRules,
    /// The scan for threats in memory and context files.
    pub threats: ThreatRules,
    /// The curator.
    pub curator: CuratorRules,
    /// The system prompt.
    pub prompt: PromptRules,
    /// Session storing and search.
    pub sessions: SessionRules,
    /// Compression of long conversations.
    pub compression: CompressionRules,
    /// Delegated children.
    pub delegation: DelegationRules,
}

impl Behaviour {
    /// The behaviour that these settings describe. Values of a wrong type follow the reference's own conversions.
    pub fn resolve(settings: &Settings) -> Self {
        Self {
            nudges: NudgeRules::resolve(settings),
            review: ReviewRules::resolve(settings),
            turn: LoopRules::resolve(settings),
            memory: MemoryRules::resolve(settings),
            defence: DefenceRules::resolve(settings),
            skills: SkillRules::resolve(settings),
            patch: PatchRules::resolve(settings),
            guard: GuardRules::resolve(settings),
            threats: ThreatRules::resolve(settings),
            curator: CuratorRules::resolve(settings),
            prompt: PromptRules::resolve(settings),
            sessions: SessionRules::resolve(settings),
            compression: CompressionRules::resolve(settings),
            delegation: DelegationRules::resolve(settings),
        }
    }
}
