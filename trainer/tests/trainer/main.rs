//! The trainer: samples, loading, gradients, runs, the program.

mod command;
mod common;
mod loading;
mod perspectives;
#[path = "../support/synthetic.rs"]
mod synthetic;
mod training;
