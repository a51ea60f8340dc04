//! Signals: the first asks a run to stop, the second ends the program at once.

use std::sync::Arc;

use reports::verdict::{Outcome, Signal};

use super::say::Say;
use crate::run::Stop;

/// Listens for SIGINT and SIGTERM until the program ends.
///
/// # Errors
/// The host gives no way to listen.
pub(super) fn listen(stop: &Arc<Stop>, say: Say) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let mut signals = runtime.block_on(async { Signals::new() })?;
    let stop = Arc::clone(stop);
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(async move {
            let signal = signals.next().await;
            stop.by(signal);
            say.must("stopping: running cells are dropped, finished ones are kept; once more stops at once");
            let again = signals.next().await;
            std::process::exit(i32::from(outcome(again).exit_code()));
        });
    })?;
    Ok(())
}

fn outcome(signal: Signal) -> Outcome {
    match signal {
        Signal::Interrupt => Outcome::Interrupted,
        Signal::Terminate => Outcome::Terminated,
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Signal {
        let _cannot_listen = tokio::signal::ctrl_c().await;
        Signal::Interrupt
    }
}
