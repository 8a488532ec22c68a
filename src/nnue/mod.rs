//! The evaluation: an efficiently updatable neural network.
//!
//! * [`arch`] – the sizes and the quantisation, taken from the embedded network's header
//! * [`features`] – what the network sees: one input per (side, kind, square), per perspective
//! * [`format`] – network files: reading, checking, writing
//! * [`network`] – the weights in memory
//! * [`reference`] – the slow, obvious evaluation that every fast one must equal

pub mod arch;
pub mod features;
pub mod format;
pub mod network;
pub mod reference;
