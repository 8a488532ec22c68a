//! Trains Saavedra's network on its own games, on the CPU.
//!
//! * [`load`] – from files of games to positions: filters, held-out games
//! * [`sample`] – a position in 32 bytes, turned to the side to move
//! * [`order`] – a new permutation of the data every epoch, computed, not stored
//! * [`model`] – the network in floats; its export to the integers that play
//! * [`kernels`] – loss and gradient, fast; [`isa`] – their instruction sets
//! * [`optimizer`] – AdamW and the learning rate
//! * [`train`] – the loop over steps and threads
//! * [`state`] – checkpoints; [`curve`] – losses as CSV and SVG
//! * [`export`] – the check that rounding to integers lost little
//! * [`synthetic`] – random positions, to measure speed
//!
//! Inputs, sizes, quantisation and the file format are the engine's own ([`saavedra::nnue`]).

pub mod curve;
pub mod export;
pub mod isa;
pub mod kernels;
pub mod load;
pub mod model;
pub mod optimizer;
pub mod order;
pub mod sample;
pub mod state;
pub mod synthetic;
pub mod train;
