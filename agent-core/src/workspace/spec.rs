//! What a model reads of the tools.

use serde_json::{Value, json};

use super::todo::TodoStatus;
use crate::values::{Parallel, ToolOwner, ToolSpec};

/// The file tools and the list of steps, in the order in which they are offered. Which may run beside others is
/// `spec/turn-loop.md` §6.
pub fn tool_specs() -> [ToolSpec; 5] {
    let path = |about: &str| json!({ "type": "string", "description": about });
    let count = |about: &str| json!({ "type": "integer", "minimum": 1, "description": about });
    let text = |about: &str| json!({ "type": "string", "description": about });
    [
        spec(
            "read_file",
            include_str!("../../prompts/tools/read_file.md"),
            object(
                &json!({
                    "path": path("The file, from the working directory on or absolute."),
                    "offset": count("The first line to show; 1 if left out."),
                    "limit": count("Most lines shown; all if left out."),
                }),
                &["path"],
            ),
            Parallel::ByPath,
        ),
        spec(
            "write_file",
            include_str!("../../prompts/tools/write_file.md"),
            object(
                &json!({ "path": path("The file to write."), "content": text("The whole new text of the file.") }),
                &["path", "content"],
            ),
            Parallel::ByPath,
        ),
        spec("patch", include_str!("../../prompts/tools/patch.md"), patch_parameters(), Parallel::ByPath),
        spec(
            "search_files",
            include_str!("../../prompts/tools/search_files.md"),
            object(
                &json!({
                    "pattern": text("A regular expression, or a file name with wildcards."),
                    "path": path("The directory or file to search; the working directory if left out."),
                    "target": {
                        "type": "string",
                        "enum": ["content", "files"],
                        "description": "What to search: lines (`content`, if left out) or names (`files`).",
                    },
                    "limit": count("Most hits shown, up to 500; 50 if left out."),
                }),
                &["pattern"],
            ),
            Parallel::Safe,
        ),
        spec("todo", include_str!("../../prompts/tools/todo.md"), todo_parameters(), Parallel::Never),
    ]
}

fn patch_parameters() -> Value {
    object(
        &json!({
            "path": { "type": "string", "description": "The file to change." },
            "old_string": { "type": "string", "description": "The passage as it stands, with lines around it." },
            "new_string": { "type": "string", "description": "What stands there instead." },
            "replace_all": {
                "type": "boolean",
                "description": "Whether to change every place that fits; false if left out.",
            },
        }),
        &["path", "old_string", "new_string"],
    )
}

fn todo_parameters() -> Value {
    let item = object(
        &json!({
            "id": { "type": "string", "description": "A short name, the same every time." },
            "content": { "type": "string", "description": "What is to be done." },
            "status": { "type": "string", "enum": TodoStatus::NAMES },
        }),
        &["id", "content", "status"],
    );
    object(
        &json!({
            "todos": { "type": "array", "items": item, "description": "The items; left out, the list is shown." },
            "merge": {
                "type": "boolean",
                "description": "Whether to change and add items instead of replacing the list; false if left out.",
            },
        }),
        &[],
    )
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn spec(name: &str, description: &str, parameters: Value, parallel: Parallel) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: description.trim_end().into(),
        parameters,
        parallel,
        owner: ToolOwner::Home,
    }
}
