//! The scripted model, its expression language and its HTTP server.
