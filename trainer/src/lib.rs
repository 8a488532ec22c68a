//! Trains Saavedra's NNUE network on self-play games, on the CPU.
//!
//! * [`load`] – from game files to training positions: filters, validation split
//! * [`lambda_return`] – TD(λ): scores averaged over the rest of the game
//! * [`sample`] – a training position in 32 bytes, from the side to move's view
//! * [`shuffle`] – a new permutation of the data each epoch, computed rather than stored
//! * [`model`] – the network in 32-bit floats, and its quantisation
//! * [`gradient`] – forward and backward pass; [`simd`] – its instruction sets
//! * [`optimizer`] – AdamW and the learning rate schedule
//! * [`train`] – the training loop over batches and threads
//! * [`checkpoint`] – training state as a file; [`loss_curve`] – losses as CSV
//! * [`mod@file`] – files that are replaced only when complete
//! * [`quantisation`] – the error that quantisation adds
//!
//! Features, layer sizes, quantisation and the network format are the engine's
//! ([`saavedra::nnue`]).

mod barrier;
pub mod checkpoint;
pub mod file;
pub mod gradient;
pub mod lambda_return;
pub mod load;
pub mod loss_curve;
pub mod model;
pub mod optimizer;
pub mod quantisation;
pub mod sample;
pub mod shuffle;
pub mod simd;
pub mod train;
