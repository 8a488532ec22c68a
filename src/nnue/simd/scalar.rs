//! What the whole program is compiled for, without any other instruction: runs everywhere.

use crate::nnue::{accumulator, forward};

pub(super) static FUNCTIONS: super::Functions = super::Functions {
    update: |weights, from, to, inputs| accumulator::update(weights, from, to, inputs),
    forward: |own, other, weights| forward::forward(own, other, weights),
};
