//! What a model reads of the tool.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::behaviour::{SearchMode, SessionRules, ToolModes};
use crate::values::{Parallel, ToolOwner, ToolSpec};

const FOUR_MODES: &str = include_str!("../../../prompts/tools/session_search.md");
const TWO_MODES: &str = include_str!("../../../prompts/tools/session_search_two_modes.md");
const SUMMARISED: &str = include_str!("../../../prompts/tools/session_search_summaries.md");

/// The tool as it is offered under these rules.
pub fn tool_spec(rules: &SessionRules) -> ToolSpec {
    let mut description = match rules.modes {
        ToolModes::Four => FOUR_MODES,
        ToolModes::Two => TWO_MODES,
    }
    .trim_end()
    .to_owned();
    if rules.search == SearchMode::FtsSummary {
        description.push_str("\n\n");
        description.push_str(SUMMARISED.trim_end());
    }
    ToolSpec {
        name: Arc::from("session_search"),
        description: description.into(),
        parameters: parameters(rules),
        parallel: Parallel::Safe,
        owner: ToolOwner::Home,
    }
}

fn parameters(rules: &SessionRules) -> Value {
    let mut properties = json!({
        "query": {
            "type": "string",
            "description": "Words to search for. Leave it out to list the latest sessions."
        },
        "role_filter": {
            "type": "string",
            "description": "Roles to search, separated by commas, e.g. `user` or `user,assistant,tool`."
        },
        "limit": {
            "type": "integer",
            "description": format!("Most sessions returned, 1 to {}; 3 if left out.", rules.limit_max)
        }
    });
    if rules.sort {
        properties["sort"] = json!({
            "type": "string",
            "enum": ["newest", "oldest"],
            "description": "Order by time. Left out, the best match comes first."
        });
    }
    if rules.modes == ToolModes::Four {
        properties["session_id"] = json!({
            "type": "string",
            "description": "A session to read. `profile/id` reads one of another profile."
        });
        properties["around_message_id"] = json!({
            "type": "integer",
            "description": "With `session_id`: the number of the message to look around."
        });
        properties["window"] = json!({
            "type": "integer",
            "description": "Messages on each side of that message, 1 to 20; 5 if left out."
        });
        properties["profile"] = json!({
            "type": "string",
            "description": "Search the sessions of another profile of this user."
        });
    }
    json!({ "type": "object", "properties": properties, "required": [] })
}
