//! The exceptions live in `mcp_sansio._errors`, which knows the class of each stable code.
use mcp_sansio::embed::EmbedError;
use pyo3::{prelude::*, sync::PyOnceLock};

fn function<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    let function =
        cell.get_or_try_init(py, || py.import("mcp_sansio._errors")?.getattr(name).map(Bound::unbind))?;
    Ok(function.bind(py))
}

/// The exception for an entry that the engine refused.
pub fn refused(py: Python<'_>, error: &EmbedError) -> PyErr {
    static REFUSED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    match function(py, &REFUSED, "refused").and_then(|make| make.call1((error.code, &error.message))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failure) => failure,
    }
}

/// The exception that tells why a call has no result.
pub fn outcome(
    py: Python<'_>,
    code: &str,
    message: &str,
    number: i64,
    data: Option<&str>,
    delivered: bool,
) -> PyResult<Py<PyAny>> {
    static OUTCOME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = function(py, &OUTCOME, "outcome")?;
    make.call1((code, message, number, data, delivered)).map(Bound::unbind)
}
