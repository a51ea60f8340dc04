//! Prompts of the command line: a file whose text replaces a prompt in all arms.

use std::path::Path;

use agent_core::behaviour::{Behaviour, Settings, Version};
use agent_core::prompt::{PromptError, PromptLibrary};

use crate::scenario::read_small;

/// A file of more bytes holds no prompt.
const PROMPT_BYTES_MAX: u64 = 1 << 20;

/// A prompt, the file that was named for it, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypedPrompt {
    /// The prompt.
    pub(crate) name: String,
    /// The file, as it was typed.
    pub(crate) file: String,
    /// Its text.
    pub(crate) text: String,
}

impl TypedPrompt {
    /// Reads the file.
    ///
    /// # Errors
    /// There is no such file or prompt, or the text cannot stand in for the prompt; in words, with a hint.
    pub(crate) fn read(name: &str, file: &str) -> Result<Self, (String, Option<String>)> {
        let text = prompt_text(file).map_err(|why| (format!("{file} cannot be read: {why}"), None))?;
        // What can stand in for a prompt is the same in every version.
        let behaviour = Behaviour::resolve(&Settings::new(Version::ALL[0]));
        PromptLibrary::new(&behaviour.prompt.texts).replace(name, &text).map_err(|error| {
            let nearest = match &error {
                PromptError::UnknownName { nearest, .. } => *nearest,
                _ => None,
            };
            (error.to_string(), nearest.map(|name| format!("did you mean `{name}`?")))
        })?;
        Ok(Self { name: name.to_owned(), file: file.to_owned(), text })
    }
}

/// The text of a prompt's file.
///
/// # Errors
/// It cannot be read, is too large or is not UTF-8; in words.
pub(crate) fn prompt_text(file: &str) -> Result<String, String> {
    let bytes = read_small(Path::new(file), PROMPT_BYTES_MAX)?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}
