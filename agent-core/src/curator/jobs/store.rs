//! The store of scheduled jobs.

use serde_json::{Map, Value};

use crate::stores::{self, Content, Files, FilesError, TreePath};

/// Where the store lies in a home.
pub(in crate::curator) const STORE: &str = "cron/jobs.json";
const LOCK: &str = "cron/.jobs.json.lock";

/// Why the store could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::curator) enum StoreProblem {
    /// It is there, but cannot be read.
    #[error("the store of jobs cannot be read")]
    Unreadable(#[source] FilesError),
    /// It is no JSON, or holds no list of jobs.
    #[error("the store of jobs is damaged")]
    Damaged,
}

/// The store, with all that stands beside the jobs.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::curator) struct JobStore {
    rest: Option<Map<String, Value>>,
    /// The jobs; entries that are no objects are kept, too.
    pub(in crate::curator) jobs: Vec<Value>,
}

impl JobStore {
    /// Reads the store; none if there is none.
    pub(in crate::curator) fn read(files: &dyn Files) -> Result<Option<Self>, StoreProblem> {
        let path = TreePath::new(STORE);
        if !stores::exists(files, &path) {
            return Ok(None);
        }
        let bytes = files.read(&path).map_err(StoreProblem::Unreadable)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| StoreProblem::Damaged)?;
        let value = serde_json::from_str(without_mark(text)).map_err(|_| StoreProblem::Damaged)?;
        Self::from_value(value).map(Some).ok_or(StoreProblem::Damaged)
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Array(jobs) => Some(Self { rest: None, jobs }),
            Value::Object(mut rest) => match rest.remove("jobs") {
                Some(Value::Array(jobs)) => Some(Self { rest: Some(rest), jobs }),
                _ => None,
            },
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        let jobs = Value::Array(self.jobs.clone());
        match &self.rest {
            None => jobs,
            Some(rest) => {
                let mut all = rest.clone();
                all.insert("jobs".to_owned(), jobs);
                Value::Object(all)
            }
        }
    }

    /// Writes the store in one step.
    pub(in crate::curator) fn write(&self, files: &mut dyn Files) -> Result<(), FilesError> {
        let text = serde_json::to_string_pretty(&self.to_value()).expect("JSON values always serialise");
        files.replace(&TreePath::new(STORE), Content::text(&text))
    }

    /// The jobs that are objects.
    pub(in crate::curator) fn objects(&self) -> impl Iterator<Item = &Map<String, Value>> {
        self.jobs.iter().filter_map(Value::as_object)
    }
}

/// The list of jobs in a store's value.
pub(in crate::curator) fn jobs_of(value: &Value) -> Option<&Vec<Value>> {
    match value {
        Value::Array(jobs) => Some(jobs),
        _ => value.get("jobs").and_then(Value::as_array),
    }
}

/// A text without a byte order mark.
pub(in crate::curator) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Runs the body under the store's lock. A home without a store gets no lock file either.
pub(super) fn locked<T>(
    files: &mut dyn Files,
    body: impl FnOnce(&mut dyn Files) -> T,
) -> Result<T, FilesError> {
    let mut body = Some(body);
    let mut found = None;
    files.with_lock(&TreePath::new(LOCK), &mut |files| {
        if let Some(body) = body.take() {
            found = Some(body(files));
        }
    })?;
    Ok(found.expect("a lock that was held has run its body once"))
}
