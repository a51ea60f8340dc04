//! `todo`: a list of steps that lives in a conversation and is written nowhere else.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::{Mistake, answer};
use super::args::{Args, wrong};
use crate::values::HomeAnswer;

const ITEMS_MAX: usize = 200;

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Under way.
    InProgress,
    /// Done.
    Completed,
    /// Not to be done any more.
    Cancelled,
}

impl TodoStatus {
    /// The names, in the order of a step's life.
    pub(super) const NAMES: [&'static str; 4] = ["pending", "in_progress", "completed", "cancelled"];

    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "completed" => Self::Completed,
            "cancelled" => Self::Cancelled,
            _ => return None,
        })
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    /// The name by which it is changed.
    pub id: String,
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
}

/// The steps of one conversation, in order; each id once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TodoList {
    items: Vec<TodoItem>,
}

impl TodoList {
    /// The steps in order.
    pub fn items(&self) -> &[TodoItem] {
        &self.items
    }

    /// Takes the list over from an earlier answer of the tool, as a resumed conversation does
    /// (`spec/turn-loop.md` §1); none if the text is no such answer.
    pub fn from_answer(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Earlier {
            todos: Vec<TodoItem>,
        }
        let earlier: Earlier = serde_json::from_str(text).ok()?;
        let mut list = Self::default();
        earlier.todos.into_iter().for_each(|item| list.put(item));
        Some(list)
    }

    fn put(&mut self, item: TodoItem) {
        match self.items.iter_mut().find(|known| known.id == item.id) {
            Some(known) => *known = item,
            None => self.items.push(item),
        }
    }
}

/// Shows the list, replaces it, or with `merge` changes and adds steps.
///
/// Kinds: `missing-argument`, `bad-argument`, `too-many-items`.
pub fn todo(args: &Map<String, Value>, list: &mut TodoList) -> HomeAnswer {
    answer(update(Args(args), list).map(|()| Shown::of(list)))
}

fn update(args: Args<'_>, list: &mut TodoList) -> Result<(), Mistake> {
    let merge = args.flag("merge")?;
    let Some(given) = args.list("todos")? else { return Ok(()) };
    let mut next = if merge { list.clone() } else { TodoList::default() };
    for (at, value) in given.iter().enumerate() {
        next.put(item(value, at)?);
    }
    if next.items.len() > ITEMS_MAX {
        return Err(Mistake::new("too-many-items", format!("A list has at most {ITEMS_MAX} items.")));
    }
    *list = next;
    Ok(())
}

fn item(value: &Value, at: usize) -> Result<TodoItem, Mistake> {
    let name = format!("todos[{at}]");
    let Value::Object(fields) = value else { return Err(wrong(&name, "an object", value)) };
    let text = |key: &str| match fields.get(key) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.clone()),
        // Models number their steps as often as they name them.
        Some(Value::Number(number)) if key == "id" => Ok(number.to_string()),
        None | Some(Value::Null | Value::String(_)) => {
            Err(Mistake::new("missing-argument", format!("`{name}.{key}` is missing or blank.")))
        }
        Some(other) => Err(wrong(&format!("{name}.{key}"), "text", other)),
    };
    let (id, content, status) = (text("id")?, text("content")?, text("status")?);
    let status = TodoStatus::parse(&status).ok_or_else(|| {
        let words = format!("`{name}.status` is one of {}.", TodoStatus::NAMES.join(", "));
        Mistake::new("bad-argument", words)
    })?;
    Ok(TodoItem { id, content, status })
}

#[derive(Serialize)]
struct Shown<'a> {
    summary: Summary,
    todos: &'a [TodoItem],
}

#[derive(Serialize)]
struct Summary {
    total: usize,
    pending: usize,
    in_progress: usize,
    completed: usize,
    cancelled: usize,
}

impl<'a> Shown<'a> {
    fn of(list: &'a TodoList) -> Self {
        let count = |status| list.items.iter().filter(|item| item.status == status).count();
        let summary = Summary {
            total: list.items.len(),
            pending: count(TodoStatus::Pending),
            in_progress: count(TodoStatus::InProgress),
            completed: count(TodoStatus::Completed),
            cancelled: count(TodoStatus::Cancelled),
        };
        Self { summary, todos: &list.items }
    }
}
