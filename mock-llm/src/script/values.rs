//! The parts of a script.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::args::Args;
use super::fault::FaultPlan;
use super::pattern::Pattern;
use crate::diagnose::Span;
use crate::engine::Indexes;
use crate::expr::{Expression, Template};
use crate::preset::{Preset, Role};

/// A whole script.
#[derive(Clone, Debug)]
pub struct Script {
    /// The file's name as messages show it.
    pub file: Arc<str>,
    /// The name that the list of models shows.
    pub model: Arc<str>,
    /// How requests are read.
    pub preset: Arc<Preset>,
    /// What knowing a lesson means, by its name.
    pub lessons: BTreeMap<Arc<str>, Pattern>,
    /// What having met a hazard means, by its name.
    pub hazards: BTreeMap<Arc<str>, Pattern>,
    /// Named values of the whole file.
    pub lets: Lets,
    /// Faults by request, before any rule is looked at.
    pub faults: Vec<FaultRule>,
    /// Rules by role.
    pub(super) rules: BTreeMap<Role, Vec<Rule>>,
    /// Sixteen bits that stand for the text of the file and of what it includes.
    pub digest: u16,
    pub(super) indexes: OnceLock<Arc<Indexes>>,
}

impl Script {
    /// The rules of a role in order; empty if the script has no such section.
    pub fn rules(&self, role: Role) -> &[Rule] {
        self.rules.get(&role).map_or(&[], Vec::as_slice)
    }

    /// Whether the script has a section for a role.
    pub fn has_role(&self, role: Role) -> bool {
        self.rules.contains_key(&role)
    }

    /// The index of the rules, made once.
    pub(crate) fn indexes(&self) -> &Arc<Indexes> {
        self.indexes.get_or_init(|| Arc::new(Indexes::new(self)))
    }

    /// The rules that the index cannot leave out, so that every request is held against them, with their role.
    pub fn unguarded(&self) -> Vec<(Role, &Rule)> {
        self.all_rules().filter(|(_, rule)| !Indexes::guards(rule)).collect()
    }

    /// All rules with their role, in the order of the roles.
    pub fn all_rules(&self) -> impl Iterator<Item = (Role, &Rule)> {
        self.rules.iter().flat_map(|(role, rules)| rules.iter().map(|rule| (*role, rule)))
    }
}

/// One rule: when it applies and what it does.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, or its role and number: `main#3`.
    pub label: Arc<str>,
    /// Where it stands.
    pub span: Span,
    /// When it applies; always if there is no condition.
    pub when: Option<Expression>,
    /// Named values of this rule.
    pub lets: Lets,
    /// What it does, in order.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub act: Act,
    /// When it is done; skipped if the condition does not hold as it is reached.
    pub when: Option<Expression>,
    /// What follows a failed result.
    pub on_error: Vec<Branch>,
    /// What follows a good result.
    pub on_result: Vec<Branch>,
    /// What goes wrong with its answer.
    pub fault: Option<FaultPlan>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Act {
    /// One answer with one or more calls.
    Calls {
        /// Words beside the calls.
        say: Option<Template>,
        /// Reasoning beside them.
        reasoning: Option<Template>,
        /// The calls in order; at least one.
        calls: Vec<CallSpec>,
    },
    /// An answer that ends the turn.
    Reply {
        /// The words.
        texts: Texts,
        /// Reasoning beside them.
        reasoning: Option<Template>,
    },
    /// The failed calls of the step whose branch this is, once more; all of its calls in a branch of `on_result`.
    Retry,
    /// Leaves the rule's steps.
    Stop,
}

/// One call of a step.
#[derive(Clone, Debug)]
pub struct CallSpec {
    /// The tool's name.
    pub tool: Arc<str>,
    /// Its arguments.
    pub args: Args,
}

/// The words of a reply: one text, or a sequence by the attempt at the same request.
#[derive(Clone, Debug)]
pub enum Texts {
    /// The same at every attempt.
    One(Template),
    /// One an attempt; after the last the sequence is exhausted.
    Sequence(Vec<Template>),
}

/// What follows a result that fits.
#[derive(Clone, Debug)]
pub struct Branch {
    /// What the result's text contains; anything if there is none.
    pub pattern: Option<Pattern>,
    /// Of which tool the result must be.
    pub tool: Option<Arc<str>>,
    /// A further condition.
    pub when: Option<Expression>,
    /// How often it is taken at most while its step is repeated.
    pub times: u32,
    /// What it does.
    pub steps: Vec<Step>,
}

/// A fault that a request causes whatever rule answers it.
#[derive(Clone, Debug)]
pub struct FaultRule {
    /// Which role; all if there is none.
    pub role: Option<Role>,
    /// Which requests; all if there is no condition.
    pub when: Option<Expression>,
    /// What goes wrong.
    pub plan: FaultPlan,
}

/// Named values, evaluated when they are asked for.
pub type Lets = Arc<BTreeMap<Arc<str>, Let>>;

/// One named value.
#[derive(Clone, Debug)]
pub enum Let {
    /// A text with expressions; one that is a single expression keeps that expression's value.
    Text(Template),
    /// Anything else: numbers, lists, mappings.
    Value(Args),
}
