//! `harness show`.

use std::fs::File;
use std::io::BufReader;

use anyhow::Context;
use reports::trace::TraceReader;
use reports::verdict::Outcome;

use super::Result;
use super::rerun::RunRead;
use crate::cli::args::Show;
use crate::cli::resolve::{Options, WrongInput};
use crate::cli::say::Say;
use crate::run::stem_of;
use crate::show::{ShowPlan, transcript};

/// Shows the trace that an earlier run left of a cell.
///
/// # Errors
/// There is no such cell, or its trace cannot be read.
pub(crate) fn show(args: &Show, options: &Options, say: Say) -> Result {
    RunRead::open(&options.out)?.cell(&args.cell)?;
    let path = options.out.join(format!("traces/{}.jsonl", stem_of(&args.cell)));
    let file = File::open(&path).map_err(|error| {
        WrongInput::words(format!("cannot read {}: {}", path.display(), crate::scenario::reason_of(&error)))
    })?;
    let events = TraceReader::new(BufReader::new(file)).collect::<std::result::Result<Vec<_>, _>>();
    let events = events.with_context(|| format!("{} is damaged", path.display()))?;
    let look = say.table_look();
    let (width, colour) = (look.width, look.colour);
    let plan = ShowPlan { session: args.session.clone(), full: args.full, width, colour };
    let known = || events.iter().filter_map(|event| event.session.as_deref());
    if let Some(name) = &plan.session
        && !known().any(|session| session == name)
    {
        let hint = mock_llm::diagnose::nearest_hint(name, known().collect::<Vec<_>>().iter().copied());
        return Err(WrongInput::Words(format!("the cell has no session `{name}`"), hint).into());
    }
    say.results(&transcript(events, &plan));
    Ok(Outcome::Held)
}
