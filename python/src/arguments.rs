//! Arguments of several calls.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ops::RangeInclusive;

/// A move as an argument: in UCI notation or SAN, or of python-chess.
pub(crate) struct MoveArgument(pub(crate) String);

impl<'py> FromPyObject<'_, 'py> for MoveArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<MoveArgument> {
        if value.is_instance_of::<PyString>() {
            return Ok(MoveArgument(value.extract()?));
        }
        let kind = value.get_type().name()?;
        let refused =
            || PyTypeError::new_err(format!("a move is a text or of python-chess, not {kind}"));
        let text = value.call_method0("uci").map_err(|_| refused())?;
        Ok(MoveArgument(text.extract()?))
    }
}

/// A number in this range.
///
/// # Errors
/// `ValueError` for another number, `TypeError` for what is none.
pub(crate) fn number(
    name: &str,
    value: &Bound<'_, PyAny>,
    range: RangeInclusive<u64>,
) -> PyResult<u64> {
    whole_number(value)?.filter(|number| range.contains(number)).ok_or_else(|| {
        let (min, max) = range.into_inner();
        PyValueError::new_err(format!("{name} must be between {min} and {max}, not {value}"))
    })
}

/// A number; `None` if it is negative or too large.
///
/// # Errors
/// `TypeError` for what is no number.
pub(crate) fn whole_number(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    match value.extract::<u64>() {
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => Err(error),
        number => Ok(number.ok()),
    }
}
