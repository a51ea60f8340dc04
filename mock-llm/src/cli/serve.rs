//! `mock-llm serve`: the script behind an address.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use mock_llm::diagnose::Look;
use mock_llm::engine::Engine;
use mock_llm::server::{Observer, Server};

use super::load::load;
use super::{EXIT_WRONG, tell};

#[derive(Debug, Args)]
pub(super) struct Serve {
    /// The script.
    script: PathBuf,
    /// The address to listen on; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "HOST:PORT")]
    addr: SocketAddr,
    /// What is drawn with `chance` and `pick` follows from it.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Say on stderr which rule and step gave each answer.
    #[arg(short, long)]
    verbose: bool,
}

impl Serve {
    pub(super) fn run(&self, look: Look) -> ExitCode {
        let Some(loaded) = load(&self.script, look) else { return ExitCode::from(EXIT_WRONG) };
        let engine = Arc::new(Engine::new(loaded.script, self.seed));
        let handle = match Server::default().observed_by(observer(self.verbose)).start_at(self.addr) {
            Ok(handle) => handle,
            Err(error) => {
                tell(&format!("cannot listen on {}: {error}\n", self.addr));
                return ExitCode::from(EXIT_WRONG);
            }
        };
        handle.register_default(engine.clone());
        let mut stdout = io::stdout().lock();
        let told = writeln!(stdout, "listening on {}", handle.base_url(None)).and_then(|()| stdout.flush());
        drop(stdout);
        if told.is_err() {
            return ExitCode::from(EXIT_WRONG);
        }
        let ended = wait_for_signal();
        let served = handle.stop();
        tell(&summary(&engine));
        match ended.and(served) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                tell(&format!("serving failed: {error}\n"));
                ExitCode::from(EXIT_WRONG)
            }
        }
    }
}

fn observer(verbose: bool) -> Observer {
    Arc::new(move |_, result| match result {
        Ok(answer) if verbose => tell(&format!("{} `{}` step {}\n", answer.role, answer.rule, answer.step)),
        Ok(_) => {}
        Err(miss) => tell(&format!("{miss}\n")),
    })
}

/// Waits for SIGINT or SIGTERM.
fn wait_for_signal() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let (mut interrupt, mut terminate) =
                (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
            tokio::select! { _ = interrupt.recv() => Ok(()), _ = terminate.recv() => Ok(()) }
        }
        #[cfg(not(unix))]
        tokio::signal::ctrl_c().await
    })
}

/// What was served, and what of the script was not.
fn summary(engine: &Engine) -> String {
    let journal = engine.journal();
    let mut text = format!("{} answered, {} missed\n", journal.answers(), journal.missed());
    for unused in engine.fired().iter().filter(|fired| fired.answers == 0) {
        writeln!(text, "`{}` (line {}) never answered", unused.rule, unused.line)
            .expect("writing to a string does not fail");
    }
    text
}
