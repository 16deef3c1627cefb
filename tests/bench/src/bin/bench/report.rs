//! What was measured and whether it is enough: printed while it comes, and written as one JSON object.
use std::{fs, io, path::Path};

use serde_json::{Map, Value, json};

/// Measurements by section and name, and the checks of them.
#[derive(Default)]
pub struct Report {
    sections: Map<String, Value>,
    checks: Vec<Value>,
    failed: usize,
}

impl Report {
    /// Adds a section and prints it as a table of one line a row, the values in the order of `columns`.
    pub fn table(&mut self, title: &str, columns: &[&str], rows: &[(String, Vec<Option<f64>>)]) {
        println!("\n{title:<40}{}", columns.iter().map(|column| format!("{column:>14}")).collect::<String>());
        let mut section = Map::new();
        for (name, values) in rows {
            let cells = values.iter().map(|value| format!("{:>14}", value.map_or("–".into(), number)));
            println!("  {name:<38}{}", cells.collect::<String>());
            let named =
                columns.iter().zip(values).map(|(column, value)| ((*column).to_owned(), json!(value)));
            section.insert(name.clone(), Value::Object(named.collect()));
        }
        self.sections.insert(title.to_owned(), Value::Object(section));
    }

    /// Notes that `value` may be at most `limit`.
    pub fn at_most(&mut self, what: &str, value: f64, limit: f64) {
        let pass = value <= limit;
        self.failed += usize::from(!pass);
        self.checks.push(json!({"check": what, "value": value, "limit": limit, "pass": pass}));
    }

    /// Prints the checks and writes everything. Returns how many failed.
    pub fn finish(mut self, file: &Path) -> io::Result<usize> {
        println!();
        for check in &self.checks {
            let verdict = if check["pass"] == true { "pass" } else { "FAIL" };
            let [value, limit] =
                ["value", "limit"].map(|key| number(check[key].as_f64().unwrap_or(f64::NAN)));
            println!("{verdict}  {}: {value}, at most {limit}", check["check"].as_str().unwrap_or_default());
        }
        println!("{} passed, {} failed", self.checks.len() - self.failed, self.failed);
        self.sections.insert("checks".into(), Value::Array(self.checks));
        fs::write(file, serde_json::to_string_pretty(&self.sections)?)?;
        Ok(self.failed)
    }
}

/// Four digits, or all digits of a larger whole number.
fn number(value: f64) -> String {
    match value.abs() {
        1000.0.. => format!("{value:.0}"),
        100.0.. => format!("{value:.1}"),
        10.0.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
