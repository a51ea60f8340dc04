//! Identifiers: newtypes, so that one cannot be taken for another.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The name by which a scenario, a trace and a record speak of a session. Unique per user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionName(Arc<str>);

impl SessionName {
    /// A session of this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

macro_rules! counter_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

counter_id!(
    /// One conversation of an agent (a session, a review, a delegate …), numbered from 1 in order of opening.
    ConversationId
);
counter_id!(
    /// One request to the model, numbered from 1 over all conversations of an agent.
    CallId
);
counter_id!(
    /// One run of a tool of the world, numbered from 1.
    RunId
);
counter_id!(
    /// One timer, numbered from 1.
    TimerId
);
counter_id!(
    /// One background review, numbered from 1.
    ReviewId
);
