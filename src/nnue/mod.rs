//! The NNUE evaluation, an efficiently updatable neural network
//! (<https://www.chessprogramming.org/NNUE>).
//!
//! * [`arch`] – layer sizes and quantisation; the sizes come from the embedded network's header
//! * [`features`] – the input features: one per (colour, piece kind, square), per perspective
//! * [`mod@format`] – network files: reading, validation, writing
//! * [`network`] – the weights in memory
//! * [`mod@reference`] – a plain evaluation, which every optimised one must equal bit for bit
//! * [`evaluator`] – the evaluation for one search thread: accumulator stack and refresh cache
//! * `accumulator`, `forward` – feature transformer and output layer, generic over the instruction
//!   set
//! * [`simd`] – the instruction sets, chosen at run time
//! * [`self_check`] – compares a kernel with the reference evaluation on this machine

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
