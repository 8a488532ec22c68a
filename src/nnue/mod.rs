//! The evaluation: an efficiently updatable neural network.
//!
//! * [`arch`] – the sizes and the quantisation, taken from the embedded network's header
//! * [`features`] – what the network sees: one input per (side, kind, square), per perspective
//! * [`mod@format`] – network files: reading, checking, writing
//! * [`network`] – the weights in memory
//! * [`mod@reference`] – the slow, obvious evaluation that every fast one must equal
//! * [`evaluator`] – the evaluation as the search uses it
//! * `accumulator`, `forward` – the two steps of its work, written once
//! * [`simd`] – these steps for each instruction set, chosen while the program runs
//! * [`self_check`] – whether this machine computes them right

mod accumulator;
pub mod arch;
pub mod evaluator;
pub mod features;
pub mod format;
mod forward;
pub mod network;
pub mod reference;
pub mod self_check;
pub mod simd;
