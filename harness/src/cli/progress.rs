//! Progress on stderr: a bar on a terminal, plain lines with a heartbeat elsewhere.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use reports::verdict::{CellResult, CellStatus};

use super::say::{Say, Verbosity};

/// A run that has nothing else to say says that it is alive, so that nobody takes it for hung.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// The progress of one run.
pub(super) struct Progress {
    say: Say,
    total: usize,
    done: Arc<AtomicUsize>,
    bad: AtomicUsize,
    bar: Option<ProgressBar>,
    beat: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Progress {
    /// A run of so many cells begins.
    pub(super) fn new(say: Say, total: usize, jobs: usize) -> Self {
        let done = Arc::new(AtomicUsize::new(0));
        let bar = say.has_bar().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos} of {len} cells{msg}")
                .expect("the template is right")
                .progress_chars("━╸ ");
            ProgressBar::new(total as u64).with_style(style)
        });
        let mut beat = None;
        if bar.is_none() && say.has_progress() {
            let cells = if total == 1 { "1 cell" } else { &format!("{total} cells") };
            say.talk(&format!("{cells}, {jobs} at a time"));
            beat = Some(heartbeat(say, Arc::clone(&done), total));
        }
        Self { say, total, done, bad: AtomicUsize::new(0), bar, beat: Mutex::new(beat) }
    }

    /// A cell ended.
    pub(super) fn ended(&self, result: &CellResult) {
        self.done.fetch_add(1, Ordering::Relaxed);
        let is_good = matches!(result.status, CellStatus::Held | CellStatus::Skipped);
        let bad = self.bad.fetch_add(usize::from(!is_good), Ordering::Relaxed) + usize::from(!is_good);
        let line =
            || format!("{:<8} {}/{}/{}", result.status.as_str(), result.scenario, result.arm, result.seed);
        match &self.bar {
            Some(bar) => {
                if !is_good {
                    bar.println(line());
                    bar.set_message(format!(", {bad} did not hold"));
                }
                bar.inc(1);
            }
            None if self.say.verbosity == Verbosity::Verbose || (!is_good && self.say.has_progress()) => {
                self.say.must(&line());
            }
            None => {}
        }
    }

    /// The run is over.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let beat = self.beat.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((stop, thread)) = beat {
            drop(stop);
            let _panicked = thread.join();
        }
        debug_assert!(self.done.load(Ordering::Relaxed) <= self.total, "a cell ends once");
    }
}

fn heartbeat(say: Say, done: Arc<AtomicUsize>, total: usize) -> (Sender<()>, JoinHandle<()>) {
    let (stop, stopped) = mpsc::channel::<()>();
    let beat = move || say.talk(&format!("{} of {total} cells", done.load(Ordering::Relaxed)));
    let thread = std::thread::spawn(move || beat_until(&stopped, HEARTBEAT, beat));
    (stop, thread)
}

/// Beats each time so much has passed, until the other end of the channel is gone.
fn beat_until(stopped: &Receiver<()>, every: Duration, mut beat: impl FnMut()) {
    while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        beat();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Report 15 (`toast #34`): what nobody watches still says that it is alive, and is silent once it is over.
    #[test]
    fn report_15_a_heartbeat_goes_on_until_the_run_is_over() {
        let (stop, stopped) = mpsc::channel::<()>();
        let (told, heard) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            beat_until(&stopped, Duration::from_millis(1), || told.send(()).unwrap());
        });
        for _ in 0..3 {
            heard.recv().unwrap();
        }
        drop(stop);
        thread.join().unwrap();
        // The sender went with the thread: after what was already said there is nothing more.
        assert!(heard.iter().count() < 1000);
        assert_eq!(HEARTBEAT, Duration::from_secs(30));
    }
}
