//! Delegated children: how they start, end, are stopped, and how their results reach the parent
//! (`spec/turn-loop.md` §10).
//!
//! The children of one call are a batch. A batch is either awaited, so that the call is answered when all are done, or
//! it works in the background of a session and its results come as one message that opens a turn. A child is a
//! conversation with an agent object of its own: its counters and its tokens are nobody else's.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::agent::{Agent, Cx, Live, ObjectId, Serves, Timer};
use super::charter::{Allowed, Charter, Compresses};
use super::child_report::{ChildEnd, ChildReport, cut_summary, tool_trace};
use super::conversation::{CallPlace, Exit};
use super::counters::Gates;
use super::delegate::{self, Task};
use super::dispatch::CallAnswer;
use super::drive::HOME_TOOL;
use super::event::Wish;
use super::prompting::WORKSPACE;
use super::turn::Incoming;
use crate::prompt::{self, DelegateAsk};
use crate::sessions::{SessionId, SessionRow};
use crate::stores::{TreePath, write_text};
use crate::values::{
    ConversationId, Fact, HomeAnswer, Message, Role, SessionName, SimDuration, SimTime, Synthetic, ToolCall,
    Transcript, WriteOrigin,
};

/// Characters of text that one token stands for, as the estimates have it.
const CHARS_PER_TOKEN: u64 = 4;
/// Where answers that were cut are left whole, in the workspace.
const SPILL_DIR: &str = ".delegates";
/// The source of a child's session.
const SOURCE: &str = "subagent";
/// The source of sessions that nobody can tell anything later.
const SOURCE_CRON: &str = "cron";

/// Where a child comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kin {
    /// The session of the user at the root, and the turn of it that caused the child.
    pub(super) session: Option<SessionName>,
    pub(super) turn: u32,
    /// The conversation that delegated.
    parent: ConversationId,
    batch: u64,
    task: usize,
    /// 1 for the child of a session.
    pub(super) depth: u32,
    pub(super) object: ObjectId,
    /// The id under which its messages are stored.
    pub(super) stored: Option<SessionId>,
    pub(super) model: Arc<str>,
    began: SimTime,
}

/// The children of one call.
#[derive(Debug)]
struct Batch {
    parent: ConversationId,
    /// The call that asked for them.
    call: Arc<str>,
    /// Where its answer is awaited; none for a batch in the background.
    awaited: Option<CallPlace>,
    session: Option<SessionName>,
    began: SimTime,
    /// What the parent is told beside the results.
    note: Option<&'static str>,
    /// Characters that each answer may have.
    summary_chars: usize,
    reports: Vec<Option<Value>>,
}

/// All batches of an agent that are not done.
#[derive(Debug, Default)]
pub(super) struct Nursery {
    batches: BTreeMap<u64, Batch>,
    last: u64,
}

impl Nursery {
    /// The children whose results a conversation waits for.
    pub(super) fn awaited_by(
        &self,
        live: &BTreeMap<ConversationId, Live>,
        parent: ConversationId,
    ) -> Vec<ConversationId> {
        let awaited = |kin: &Kin| {
            kin.parent == parent && self.batches.get(&kin.batch).is_some_and(|batch| batch.awaited.is_some())
        };
        live.iter().filter(|(_, one)| kin(one).is_some_and(awaited)).map(|(id, _)| *id).collect()
    }

    fn in_background(&self) -> usize {
        self.batches.values().filter(|batch| batch.awaited.is_none()).count()
    }

    /// Whether children of a session work in the background.
    pub(super) fn work_for(&self, session: &SessionName) -> bool {
        self.batches.values().any(|batch| batch.awaited.is_none() && batch.session.as_ref() == Some(session))
    }
}

fn kin(live: &Live) -> Option<&Kin> {
    match &live.serves {
        Serves::Delegate(kin) => Some(kin),
        Serves::Session(_) | Serves::Review(_) | Serves::Curator => None,
    }
}

impl Agent {
    /// How deep below the user's session a conversation works; a review works as deep as what it reviews.
    pub(super) fn depth_of(&self, id: ConversationId) -> u32 {
        let own = self.live.get(&id).and_then(kin).map_or(0, |kin| kin.depth);
        self.plan.delegation_depth.saturating_add(own)
    }

    /// `delegate_task`: refused, answered with a handle, or answered when all children are done.
    pub(super) fn delegate_tool(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        place: CallPlace,
        call: &ToolCall,
        args: &Map<String, Value>,
    ) -> Option<HomeAnswer> {
        let tasks = match delegate::tasks(args, self.depth_of(id), &self.rules.delegation) {
            Ok(tasks) => tasks,
            Err(refusal) => {
                let text = json!({ "error": refusal.text }).to_string();
                return Some(HomeAnswer { text, kind: Some(refusal.kind.into()), ..HomeAnswer::default() });
            }
        };
        let (in_background, note) = self.works_behind(id);
        let batch = Batch {
            parent: id,
            call: Arc::clone(&call.id),
            awaited: (!in_background).then_some(place),
            session: self.place(id).session,
            began: cx.at,
            note,
            summary_chars: self.summary_chars(id, tasks.len()),
            reports: vec![None; tasks.len()],
        };
        self.children.last += 1;
        let number = self.children.last;
        self.children.batches.insert(number, batch);
        for (index, task) in tasks.iter().enumerate() {
            self.start_child(cx, id, (number, index), task);
        }
        in_background.then(|| {
            let note = "They work while you go on. One message with all results comes when the last is done.";
            let handle = json!({
                "status": "started", "delegation": number, "tasks": tasks.len(), "note": note,
            });
            HomeAnswer { text: handle.to_string(), ..HomeAnswer::default() }
        })
    }

    /// Whether a batch works in the background, and what is said where it cannot although it should.
    fn works_behind(&self, id: ConversationId) -> (bool, Option<&'static str>) {
        let Some(Live { serves: Serves::Session(name), .. }) = self.live.get(&id) else {
            return (false, None);
        };
        if !self.rules.delegation.background || self.depth_of(id) > 0 {
            return (false, None);
        }
        if self.sessions.get(name).is_some_and(|session| &*session.source == SOURCE_CRON) {
            return (false, Some("Nobody could be told later, so the results were waited for."));
        }
        if self.children.in_background() >= self.rules.delegation.children_max {
            return (
                false,
                Some("Too much work is in the background already, so the results were waited for."),
            );
        }
        (true, None)
    }

    /// Half of what the parent's window has left, shared by the tasks, and never more than the rules allow.
    fn summary_chars(&self, id: ConversationId, tasks: usize) -> usize {
        let used = self.live.get(&id).and_then(|live| live.talk.last_prompt()).map_or(0, |tokens| tokens.0);
        let left = self.loop_rules.context.0.saturating_sub(used).saturating_mul(CHARS_PER_TOKEN) / 2;
        let share = left / (tasks.max(1) as u64);
        self.rules.delegation.summary_chars_max.min(usize::try_from(share).unwrap_or(usize::MAX))
    }

    fn start_child(
        &mut self,
        cx: &mut Cx<'_, '_>,
        parent: ConversationId,
        (batch, index): (u64, usize),
        task: &Task,
    ) {
        let place = self.place(parent);
        let depth = self.depth_of(parent) - self.plan.delegation_depth + 1;
        let rules = &self.rules.delegation;
        let may_delegate = self.plan.delegation_depth.saturating_add(depth) < rules.depth_max;
        let orchestrator = task.orchestrator && rules.orchestrators && may_delegate;
        let object = self.numbers.object();
        let model = rules.model.as_deref().map_or_else(|| Arc::clone(&self.plan.model), Arc::from);
        let ask =
            DelegateAsk { goal: &task.goal, context: &task.context, workspace: WORKSPACE, orchestrator };
        let system = prompt::delegate_system(&ask, &self.texts_library);
        let Some(charter) = self.child_charter(parent, Arc::clone(&system), orchestrator) else { return };
        let stored = self.store_child(cx, parent, (batch, index), &system);
        let kin = Kin {
            session: place.session,
            turn: place.turn,
            parent,
            batch,
            task: index,
            depth,
            object,
            stored,
            model,
            began: cx.at,
        };
        let id = self.add_live(charter, Transcript::default(), Serves::Delegate(Arc::new(kin)));
        let state = self.objects.entry(object).or_default();
        state.nudges.begin_turn(Gates::CLOSED, &self.rules.nudges);
        if let Some(limit) = self.rules.delegation.timeout {
            self.set_timer(cx, cx.at + limit, Timer::ChildLimit(id));
        }
        let Some(live) = self.live.get_mut(&id) else { return };
        let mut acts = Vec::new();
        let goal = Message::client(task.goal.as_str(), Synthetic::Instruction);
        live.talk.begin(cx.at, goal, &mut acts);
        self.drive(cx, id, acts);
    }

    fn child_charter(&self, parent: ConversationId, system: Arc<str>, orchestrator: bool) -> Option<Charter> {
        let parent = &self.live.get(&parent)?.talk.charter;
        Some(Charter {
            role: Role::Delegate,
            system,
            tools: Arc::new(delegate::child_tools(&parent.tools, orchestrator)),
            allowed: Allowed::Offered,
            refusal_lists_allowed: true,
            iterations_max: self.rules.delegation.iterations_max,
            input_budget: None,
            origin: WriteOrigin::Delegate,
            persists: true,
            compresses: Compresses::Yes,
            nudges: true,
            hooks: Arc::clone(&parent.hooks),
            delegates_max: self.rules.delegation.children_max,
            rules: Arc::clone(&self.loop_rules),
            texts: Arc::clone(&self.texts),
        })
    }

    /// A session of its own, marked as its parent's.
    fn store_child(
        &mut self,
        cx: &mut Cx<'_, '_>,
        parent: ConversationId,
        (batch, index): (u64, usize),
        system: &Arc<str>,
    ) -> Option<SessionId> {
        let above = self.stored_of(parent)?;
        let key = ["delegate", &self.plan.user, above.as_str(), &batch.to_string(), &index.to_string()];
        let id = SessionId::of_start(cx.at, 0, &self.draws.hex(super::storing::ID_DIGITS, &key));
        let mut row = SessionRow::new(id.clone(), SOURCE, cx.at);
        row.model = Some(Arc::clone(&self.plan.model));
        row.model_config = Some(json!({ "_delegate_from": above.as_str() }).to_string().into());
        row.system_prompt = Some(Arc::clone(system));
        row.parent = Some(above);
        row.cwd = Some(WORKSPACE.into());
        cx.homes.sessions.create_session(row);
        Some(id)
    }

    /// A child's turn ended, and with it the child.
    pub(super) fn child_ended(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, exit: &Exit) {
        let due = self.finish_nudges(cx, id, exit);
        self.use_nudges(cx, id, due, exit);
        self.close_child(cx, id, ChildEnd::of_exit(exit));
    }

    /// A child took too long.
    pub(super) fn child_too_slow(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId) {
        let Some(limit) = self.rules.delegation.timeout else { return };
        let why = format!("it was not done within {limit}");
        self.close_child(cx, id, ChildEnd::stopped("timeout", why));
    }

    fn close_child(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, end: ChildEnd) {
        let Some(live) = self.live.get(&id) else { return };
        let Serves::Delegate(kin) = &live.serves else { return };
        let kin = Arc::clone(kin);
        let mut report = ChildReport {
            task: kin.task,
            end,
            api_calls: live.talk.iteration(),
            took: cx.at.since(kin.began),
            model: Arc::clone(&kin.model),
            usage: live.talk.usage,
            trace: tool_trace(&live.talk.transcript),
        };
        if let Some(stored) = &kin.stored {
            Self::end_stored_session(cx, stored, report.end.status);
        }
        let parent = self.children.batches.get(&kin.batch).map(|batch| Arc::clone(&batch.call));
        let (status, usage) = (report.end.status.into(), report.usage);
        self.note(cx, id, Fact::Delegate { parent: parent.unwrap_or_default(), child: id, status, usage });
        self.abandon(cx, id);
        self.forget_object(kin.object);
        self.spill(cx, &kin, &mut report);
        let Some(batch) = self.children.batches.get_mut(&kin.batch) else { return };
        if let Some(slot) = batch.reports.get_mut(kin.task) {
            *slot = Some(report.to_value());
        }
        if batch.reports.iter().all(Option::is_some)
            && let Some(batch) = self.children.batches.remove(&kin.batch)
        {
            self.deliver(cx, batch);
        }
    }

    /// Cuts an answer that is too long for the parent; the whole of it goes into a file of the workspace.
    fn spill(&mut self, cx: &mut Cx<'_, '_>, kin: &Kin, report: &mut ChildReport) {
        let Some(batch) = self.children.batches.get(&kin.batch) else { return };
        let Some(summary) = report.end.summary.clone() else { return };
        if crate::values::Chars::of(&summary).0 <= batch.summary_chars {
            return;
        }
        let file = format!("{SPILL_DIR}/{}-{}.md", kin.batch, kin.task);
        let shown = match write_text(cx.homes.workspace, &TreePath::new(&file), &summary) {
            Ok(()) => format!("{WORKSPACE}/{file}"),
            Err(error) => format!("no file: {error}"),
        };
        report.end.summary = Some(cut_summary(&summary, batch.summary_chars, &shown).into());
    }

    /// All children of a batch are done: the call is answered, or the session is told.
    fn deliver(&mut self, cx: &mut Cx<'_, '_>, batch: Batch) {
        let took: SimDuration = cx.at.since(batch.began);
        let mut results = json!({
            "results": batch.reports.into_iter().flatten().collect::<Vec<_>>(),
            "total_duration_seconds": took.as_secs_f64(),
        });
        if let Some(note) = batch.note {
            results["note"] = note.into();
        }
        let Some(place) = batch.awaited else {
            let text = prompt::delegate_result_message(&results.to_string());
            return self.tell(cx, batch.session, text);
        };
        let answer = CallAnswer::text(results.to_string());
        let conversation = batch.parent;
        self.set_timer(cx, cx.at + HOME_TOOL, Timer::HomeAnswer { conversation, place, answer });
    }

    /// Results of work in the background open a turn of their session, unless it was closed meanwhile.
    fn tell(&mut self, cx: &mut Cx<'_, '_>, session: Option<SessionName>, text: String) {
        let Some(name) = session else { return };
        if self.sessions.get(&name).is_some_and(|session| session.open) {
            return self.arrive(cx, &name, Incoming::of_client(text, Synthetic::DelegateResult, cx.at));
        }
        if let Some(id) = self.sessions.get(&name).and_then(|session| session.conversation) {
            let text = "Results of delegated work came after the session was closed; nobody reads them.";
            self.note(cx, id, Fact::Notice { text: text.into() });
        }
    }

    /// The children in the background of a process that ends die with it. Awaited ones belong to a turn in progress,
    /// and so to a process that goes on.
    pub(super) fn children_die(&mut self, cx: &mut Cx<'_, '_>) {
        let mut dying = Vec::new();
        for (number, batch) in &mut self.children.batches {
            if batch.awaited.is_none() {
                // Nobody is left to be told.
                batch.session = None;
                dying.push(*number);
            }
        }
        let of_dying = |kin: &Kin| dying.contains(&kin.batch);
        let children = self.live.iter().filter(|(_, live)| kin(live).is_some_and(of_dying));
        let children: Vec<ConversationId> = children.map(|(id, _)| *id).collect();
        for id in children {
            self.close_child(cx, id, ChildEnd::stopped("interrupted", "the process ended"));
        }
    }

    /// Gives a conversation up: what it waits for is aborted, and answers that still come are late.
    pub(super) fn abandon(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId) {
        for child in self.children.awaited_by(&self.live, id) {
            self.close_child(cx, child, ChildEnd::stopped("interrupted", "the parent was stopped"));
        }
        let calls = self.calls.iter().filter(|(_, flight)| flight.place.conversation == id);
        cx.wishes.extend(calls.map(|(call, _)| Wish::AbortModel { call: *call }));
        let runs = self.runs.iter().filter(|(_, (of, _))| *of == id);
        cx.wishes.extend(runs.map(|(run, _)| Wish::StopTool { run: *run }));
        self.searching.retain(|_, searching| searching.conversation != id);
        self.prompts_built.remove(&id);
        self.live.remove(&id);
    }
}
