//! Integration tests of the harness: the real binary on real files.

mod suite;
