//! Saavedra.
