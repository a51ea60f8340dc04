//! Families as a script and as a world, read from the text that they make.

use mock_llm::decode::Decoder;
use mock_llm::diagnose::{Diagnostic, Source, Span};
use mock_llm::script::Script;

use super::model::Families;
use super::rates::Rates;
use super::script::script_text;
use super::world::world_text;
use crate::world::{World, decode_world};

/// The script of these families under these rates.
///
/// # Errors
/// The text that the families make is no right script, which is a mistake of this program: what is wrong with it.
pub(crate) fn script(families: &Families, rates: &Rates) -> Result<Script, Vec<Diagnostic>> {
    let source = Source::new(format!("{} as a script", families.file), script_text(families, rates));
    let loading = Script::load(&source, &|name| Err(format!("{name} is no part of a family")));
    loading.script.ok_or(loading.diagnostics)
}

/// The world of these families.
///
/// # Errors
/// Steps of different families contradict each other.
pub(crate) fn world(families: &Families) -> Result<World, Vec<Diagnostic>> {
    let text = world_text(families)
        .map_err(|message| vec![Diagnostic::error(&families.file, Span::default(), message)])?;
    let decoder = Decoder::new(&Source::new(format!("{} as a world", families.file), text));
    let world = decoder.read().and_then(|node| decode_world(&decoder, &node));
    decoder.finish(world).map(|(world, _)| world)
}
