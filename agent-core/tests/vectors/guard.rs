//! Threat scan and skill guard.
