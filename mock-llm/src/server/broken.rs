//! A body that breaks: some bytes, then an error that makes the server drop the connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};

/// Bytes that are sent before the connection breaks.
#[derive(Debug)]
pub(super) struct BrokenBody {
    head: Option<Bytes>,
    /// Set once the bytes were given a chance to leave.
    flushed: bool,
}

impl BrokenBody {
    pub(super) fn new(head: impl Into<Bytes>) -> Self {
        Self { head: Some(head.into()), flushed: false }
    }
}

impl Body for BrokenBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(head) = self.head.take().filter(|head| !head.is_empty()) {
            return Poll::Ready(Some(Ok(Frame::data(head))));
        }
        if !std::mem::replace(&mut self.flushed, true) {
            // What is buffered is written when a body has nothing ready; an error at once would drop it.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "broken by the script"))))
    }
}
