//! Starting, registering and stopping.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

use super::routes;
use crate::engine::{Answer, Engine, Miss};

/// Told of every answer and miss: the cell, if the request named one, and the result.
pub type Observer = Arc<dyn Fn(Option<u64>, &Result<Answer, Miss>) + Send + Sync>;

/// Threads that serve. Answers are short computations; two let one client's request overlap another's.
const WORKERS: usize = 2;
/// How long requests in flight may go on after a stop.
const STOP_WAIT: Duration = Duration::from_millis(200);

/// A server that can be started.
#[derive(Clone, Default)]
pub struct Server {
    observer: Option<Observer>,
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Server").field("observed", &self.observer.is_some()).finish()
    }
}

impl Server {
    /// The same, telling this observer of every answer.
    pub fn observed_by(mut self, observer: Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Starts a server at an address; port 0 picks a free one.
    ///
    /// # Errors
    /// The address cannot be bound, or no thread can be started.
    pub fn start(addr: SocketAddr) -> io::Result<ServerHandle> {
        Self::default().start_at(addr)
    }

    /// The same for a server that was set up.
    ///
    /// # Errors
    /// The address cannot be bound, or no thread can be started.
    pub fn start_at(self, addr: SocketAddr) -> io::Result<ServerHandle> {
        let listener = TcpListener::bind(addr)?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let cells = Arc::new(Cells { engines: RwLock::default(), observer: self.observer });
        let (stop, stopped) = oneshot::channel::<()>();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("mock-llm")
            .enable_io()
            .enable_time()
            .build()?;
        let served = cells.clone();
        let thread = std::thread::Builder::new().name("mock-llm".to_owned()).spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    result = routes::serve(listener, served) => result,
                    _ = stopped => Ok(()),
                }
            })?;
            runtime.shutdown_timeout(STOP_WAIT);
            Ok(())
        })?;
        Ok(ServerHandle { addr, cells, stop: Some(stop), thread: Some(thread) })
    }
}

/// The engines of a server.
pub(super) struct Cells {
    /// By cell; the one without a number serves `/v1`.
    engines: RwLock<BTreeMap<Option<u64>, Arc<Engine>>>,
    pub(super) observer: Option<Observer>,
}

impl Cells {
    pub(super) fn get(&self, cell: Option<u64>) -> Option<Arc<Engine>> {
        self.engines.read().unwrap_or_else(PoisonError::into_inner).get(&cell).cloned()
    }

    fn set(&self, cell: Option<u64>, engine: Arc<Engine>) {
        self.engines.write().unwrap_or_else(PoisonError::into_inner).insert(cell, engine);
    }
}

/// A running server; dropping it stops the server.
pub struct ServerHandle {
    addr: SocketAddr,
    cells: Arc<Cells>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ServerHandle").field("addr", &self.addr).finish_non_exhaustive()
    }
}

impl ServerHandle {
    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// What a client takes for its base URL: of a cell, or of the server's own engine.
    pub fn base_url(&self, cell: Option<u64>) -> String {
        match cell {
            Some(cell) => format!("http://{}/cells/{cell}/v1", self.addr),
            None => format!("http://{}/v1", self.addr),
        }
    }

    /// Serves an engine at `/cells/<cell>/v1`, in place of an earlier one.
    pub fn register(&self, cell: u64, engine: Arc<Engine>) {
        self.cells.set(Some(cell), engine);
    }

    /// Serves an engine at `/v1`, in place of an earlier one.
    pub fn register_default(&self, engine: Arc<Engine>) {
        self.cells.set(None, engine);
    }

    /// Stops serving a cell; its engine, if there was one.
    pub fn unregister(&self, cell: u64) -> Option<Arc<Engine>> {
        self.cells.engines.write().unwrap_or_else(PoisonError::into_inner).remove(&Some(cell))
    }

    /// Stops the server and waits until its threads have ended.
    ///
    /// # Errors
    /// Serving had failed.
    pub fn stop(mut self) -> io::Result<()> {
        self.end()
    }

    fn end(&mut self) -> io::Result<()> {
        if let Some(stop) = self.stop.take() {
            // The receiver is gone when serving had failed; the thread's result says why.
            let _ = stop.send(());
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(io::Error::other("the server's thread panicked")),
            None => Ok(()),
        }
    }
}

impl Drop for ServerHandle {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
