//! The patterns of the case format: what a message has to look like, and what is kept of it.
use std::collections::BTreeMap;

use super::value::Value;

/// What was kept by `$save`, and the row of the `for_each` that runs (`V`).
pub type Captures = BTreeMap<String, Value>;

/// Why a value does not match: where, and what was wanted.
pub type Mismatch = String;

/// Everything beginning with `$` that a pattern may say.
const OPERATORS: &[&str] = &[
    "$any",
    "$absent_or_null",
    "$save",
    "$ref",
    "$in",
    "$any_of",
    "$either",
    "$set",
    "$exact",
    "$contains",
    "$contains_all",
    "$not_contains",
    "$raw_contains",
    "$raw_contains_all",
    "$raw_not_contains",
    "$int",
    "$string",
    "$object",
    "$nonempty",
    "$optional",
    "$numeric_eq",
    "$string_of",
    "$inc",
    "$starts",
    "$repeat",
    "$not",
    "$min",
    "$max",
];

/// Members that a result of the modern era has beside its own, which `$exact` allows.
const MODERN_MEMBERS: &[&str] = &["resultType", "ttlMs", "cacheScope", "_meta"];

/// The first operator of a pattern that is not known here.
pub fn unknown_operator(pattern: &Value) -> Option<&str> {
    match pattern {
        Value::Array(elements) => elements.iter().find_map(unknown_operator),
        Value::Object(members) => members.iter().find_map(|(key, value)| {
            let unknown = key.starts_with('$') && !OPERATORS.contains(&key.as_str());
            if unknown { Some(key.as_str()) } else { unknown_operator(value) }
        }),
        _ => None,
    }
}

/// Puts captures and repetitions into a value that is to be sent or compared, and leaves out members that are `$absent`.
pub fn fill(value: &Value, captures: &Captures) -> Value {
    match value {
        Value::String(text) => fill_text(text, captures),
        Value::Array(elements) => {
            Value::Array(elements.iter().map(|element| fill(element, captures)).collect())
        }
        Value::Object(members) => fill_operator(members, captures).unwrap_or_else(|| {
            let filled = members.iter().map(|(key, value)| (key.clone(), fill(value, captures)));
            Value::object(filled.filter(|(_, value)| value.as_str() != Some("$absent")))
        }),
        other => other.clone(),
    }
}

fn fill_operator(members: &[(String, Value)], captures: &Captures) -> Option<Value> {
    let [(operator, argument)] = members else { return None };
    let captured = || argument.as_str().and_then(|name| captures.get(name));
    match operator.as_str() {
        "$ref" => captured().cloned(),
        "$string_of" => captured().map(|value| Value::string(text_of(value))),
        "$inc" => captured()?.as_u64().map(|number| Value::number(number + 1)),
        "$repeat" => match argument.elements() {
            [text, times] => Some(Value::string(
                text.as_str()?.repeat(usize::try_from(fill(times, captures).as_u64()?).ok()?),
            )),
            _ => None,
        },
        _ => None,
    }
}

/// A string as it is; other values as JSON.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `${NAME}`, `${NAME.member}` and `${json NAME}`; a text that is nothing else becomes the value itself.
fn fill_text(text: &str, captures: &Captures) -> Value {
    let whole = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    if let Some(value) = whole.and_then(|name| lookup(name, captures)) {
        return value;
    }
    Value::String(interpolate(text, captures))
}

/// A text with the captures that it names.
pub fn interpolate(text: &str, captures: &Captures) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        if let Some((value, tail)) =
            after.split_once('}').and_then(|(name, tail)| Some((lookup(name, captures)?, tail)))
        {
            filled.push_str(&text_of(&value));
            rest = tail;
        } else {
            filled.push_str("${");
            rest = after;
        }
    }
    filled + rest
}

fn lookup(name: &str, captures: &Captures) -> Option<Value> {
    if let Some(name) = name.strip_prefix("json ") {
        return lookup(name, captures).map(|value| Value::string(value.to_string()));
    }
    let mut path = name.split('.');
    let first = captures.get(path.next()?)?;
    path.try_fold(first, |value, key| match key.parse::<usize>() {
        Ok(index) => value.elements().get(index),
        Err(_) => value.get(key),
    })
    .cloned()
}

/// Compares values with patterns.
pub struct Matcher<'a> {
    /// Read for `$ref`, written by `$save`.
    pub captures: &'a mut Captures,
    /// Whether `$exact` allows the members that every modern result has.
    pub modern: bool,
}

impl Matcher<'_> {
    /// Whether a whole message matches; `raw` is its text. Nothing is kept of one that does not.
    pub fn message(&mut self, pattern: &Value, message: &Value, raw: &str) -> Result<(), Mismatch> {
        let before = self.captures.clone();
        let result = self.compare(pattern, Some(message), Some(raw), "");
        if result.is_err() {
            *self.captures = before;
        }
        result
    }

    /// Whether each pattern matches a value of its own, with none left over.
    pub fn set(&mut self, patterns: &[Value], values: &[Value]) -> Result<(), Mismatch> {
        if patterns.len() != values.len() {
            return Err(format!("{} members instead of {}", values.len(), patterns.len()));
        }
        if self.assign(patterns, &mut values.iter().map(Some).collect::<Vec<_>>()) {
            Ok(())
        } else {
            Err("its members do not match those wanted, in any order".into())
        }
    }

    fn assign(&mut self, patterns: &[Value], values: &mut [Option<&Value>]) -> bool {
        let Some((pattern, others)) = patterns.split_first() else { return true };
        for index in 0..values.len() {
            let Some(value) = values.get_mut(index).and_then(Option::take) else { continue };
            let before = self.captures.clone();
            if self.compare(pattern, Some(value), None, "").is_ok() && self.assign(others, values) {
                return true;
            }
            *self.captures = before;
            if let Some(slot) = values.get_mut(index) {
                *slot = Some(value);
            }
        }
        false
    }

    fn compare(
        &mut self,
        pattern: &Value,
        seen: Option<&Value>,
        raw: Option<&str>,
        path: &str,
    ) -> Result<(), Mismatch> {
        if pattern.as_str() == Some("$absent") {
            return seen.map_or(Ok(()), |seen| Err(format!("{path} is {seen}, wanted none")));
        }
        let pattern = &match pattern {
            Value::String(text) => fill_text(text, self.captures),
            other => other.clone(),
        };
        if let Value::Object(members) = pattern {
            return self.object(members, seen, raw, path);
        }
        let seen = seen.ok_or_else(|| format!("{path} is missing, wanted {pattern}"))?;
        let unequal = || Err(format!("{path} is {}, wanted {pattern}", brief(seen)));
        match (pattern, seen) {
            (Value::Array(patterns), Value::Array(values)) if patterns.len() == values.len() => {
                let mut pairs = patterns.iter().zip(values).enumerate();
                pairs.try_for_each(|(index, (pattern, value))| {
                    self.compare(pattern, Some(value), None, &format!("{path}[{index}]"))
                })
            }
            _ if pattern == seen => Ok(()),
            _ => unequal(),
        }
    }

    fn object(
        &mut self,
        members: &[(String, Value)],
        seen: Option<&Value>,
        raw: Option<&str>,
        path: &str,
    ) -> Result<(), Mismatch> {
        for (operator, argument) in members.iter().filter(|(key, _)| key.starts_with('$')) {
            if self.operator(operator, argument, seen, raw, path)? {
                return Ok(());
            }
        }
        let has_operator = members.iter().any(|(key, _)| key.starts_with('$'));
        let plain = members.iter().filter(|(key, _)| !key.starts_with('$'));
        match seen {
            Some(Value::Object(_)) => {}
            _ if has_operator && plain.clone().count() == 0 => return Ok(()),
            Some(other) => return Err(format!("{path} is {}, wanted an object", brief(other))),
            None => return Err(format!("{path} is missing")),
        }
        for (key, pattern) in plain {
            self.compare(pattern, seen.and_then(|seen| seen.get(key)), None, &format!("{path}.{key}"))?;
        }
        Ok(())
    }

    /// `Ok(true)` if the operator settles it, whatever else the pattern says.
    fn operator(
        &mut self,
        operator: &str,
        argument: &Value,
        seen: Option<&Value>,
        raw: Option<&str>,
        path: &str,
    ) -> Result<bool, Mismatch> {
        match operator {
            "$absent_or_null" => {
                return match seen {
                    None | Some(Value::Null) => Ok(true),
                    Some(other) => Err(format!("{path} is {}, wanted none or null", brief(other))),
                };
            }
            "$optional" => {
                return match seen {
                    None => Ok(true),
                    Some(_) => self.compare(argument, seen, raw, path).map(|()| true),
                };
            }
            "$in" | "$any_of" => {
                for choice in argument.elements() {
                    let before = self.captures.clone();
                    if self.compare(choice, seen, raw, path).is_ok() {
                        return Ok(false);
                    }
                    *self.captures = before;
                }
                return Err(format!(
                    "{path} is {}, wanted one of {argument}",
                    seen.map_or("missing".into(), brief)
                ));
            }
            "$not" => {
                let before = self.captures.clone();
                let matched = self.compare(argument, seen, raw, path).is_ok();
                *self.captures = before;
                return if matched {
                    Err(format!("{path} is {argument}, which it must not be"))
                } else {
                    Ok(false)
                };
            }
            _ => {}
        }
        let seen = seen.ok_or_else(|| format!("{path} is missing"))?;
        let holds = match operator {
            "$save" => {
                self.captures.insert(text_of(argument), seen.clone());
                true
            }
            "$ref" => argument.as_str().and_then(|name| self.captures.get(name)) == Some(seen),
            "$string_of" | "$inc" | "$repeat" => {
                fill_operator(&[(operator.into(), argument.clone())], self.captures).as_ref() == Some(seen)
            }
            "$set" => self.set(argument.elements(), seen.elements()).map(|()| true)?,
            "$exact" => return self.exact(argument, seen, path).map(|()| false),
            "$contains" => self.contains(argument, seen),
            "$contains_all" => argument.elements().iter().all(|part| self.contains(part, seen)),
            "$not_contains" => !self.contains(argument, seen),
            "$raw_contains" => raw_contains(argument, seen, raw),
            "$raw_contains_all" => argument.elements().iter().all(|part| raw_contains(part, seen, raw)),
            "$raw_not_contains" => !raw_contains(argument, seen, raw),
            "$int" => seen.is_integer(),
            "$string" => seen.as_str().is_some(),
            "$object" => matches!(seen, Value::Object(_)),
            "$nonempty" => {
                !matches!(seen, Value::Null) && !matches!(seen.to_string().as_str(), "\"\"" | "[]" | "{}")
            }
            "$numeric_eq" => matches!(seen, Value::Number(_)) && argument == seen,
            "$starts" => {
                argument.as_str().zip(seen.as_str()).is_some_and(|(start, text)| text.starts_with(start))
            }
            "$min" => argument.as_f64().zip(seen.as_f64()).is_some_and(|(least, number)| number >= least),
            "$max" => argument.as_f64().zip(seen.as_f64()).is_some_and(|(most, number)| number <= most),
            _ => true,
        };
        if holds {
            Ok(false)
        } else {
            Err(format!("{path} is {}, wanted {{\"{operator}\":{argument}}}", brief(seen)))
        }
    }

    fn exact(&mut self, wanted: &Value, seen: &Value, path: &str) -> Result<(), Mismatch> {
        let filled = wanted.as_str().map(|text| fill_text(text, self.captures));
        let wanted = filled.as_ref().unwrap_or(wanted);
        self.compare(wanted, Some(seen), None, path)?;
        let allowed = |key: &str| wanted.get(key).is_some() || self.modern && MODERN_MEMBERS.contains(&key);
        match seen.members().iter().find(|(key, _)| !allowed(key)) {
            Some((key, value)) => Err(format!("{path} has {key}: {}, wanted only {wanted}", brief(value))),
            None => Ok(()),
        }
    }

    fn contains(&mut self, part: &Value, seen: &Value) -> bool {
        match (seen, fill(part, self.captures)) {
            (Value::String(text), Value::String(part)) => text.contains(&part),
            (Value::Array(elements), part) => {
                elements.iter().any(|element| self.compare(&part, Some(element), None, "").is_ok())
            }
            _ => false,
        }
    }
}

fn raw_contains(part: &Value, seen: &Value, raw: Option<&str>) -> bool {
    let text = raw.map_or_else(|| seen.to_string(), str::to_owned);
    part.as_str().is_some_and(|part| text.contains(part))
}

/// A value for a person: long ones are cut.
pub fn brief(value: &Value) -> String {
    const LONGEST: usize = 300;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Value::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn matches(pattern: &str, message: &str, captures: &mut Captures, modern: bool) -> bool {
        Matcher { captures, modern }.message(&value(pattern), &value(message), message).is_ok()
    }

    #[test]
    fn each_operator_accepts_and_refuses() {
        let message = r#"{"id":7,"s":"text","o":{"a":1},"l":["x",{"k":2}],"e":"","z":null}"#;
        for (pattern, holds) in [
            (r#"{"id":7}"#, true),
            (r#"{"id":"7"}"#, false),
            (r#"{"none":"$absent"}"#, true),
            (r#"{"z":"$absent"}"#, false),
            (r#"{"none":{"$absent_or_null":true}}"#, true),
            (r#"{"z":{"$absent_or_null":true}}"#, true),
            (r#"{"s":{"$absent_or_null":true}}"#, false),
            (r#"{"none":{"$any":true}}"#, false),
            (r#"{"z":{"$any":true}}"#, true),
            (r#"{"id":{"$in":[6,7]}}"#, true),
            (r#"{"id":{"$in":["7"]}}"#, false),
            (r#"{"$any_of":[{"id":8},{"s":"text"}]}"#, true),
            (r#"{"$any_of":[{"id":8},{"s":"other"}]}"#, false),
            (r#"{"id":1,"$any":true}"#, false),
            (r#"{"l":{"$set":[{"k":2},"x"]}}"#, true),
            (r#"{"l":{"$set":["x"]}}"#, false),
            (r#"{"o":{"$exact":{"a":1}}}"#, true),
            (r#"{"o":{"$exact":{}}}"#, false),
            (r#"{"s":{"$contains":"ex"}}"#, true),
            (r#"{"l":{"$contains":{"k":2}}}"#, true),
            (r#"{"l":{"$contains_all":["x","y"]}}"#, false),
            (r#"{"s":{"$not_contains":"ex"}}"#, false),
            (r#"{"$raw_contains":"\"id\":7"}"#, true),
            (r#"{"$raw_not_contains":"\"id\":7"}"#, false),
            (r#"{"$raw_contains_all":["text","none"]}"#, false),
            (r#"{"id":{"$int":true}}"#, true),
            (r#"{"s":{"$int":true}}"#, false),
            (r#"{"s":{"$string":true}}"#, true),
            (r#"{"o":{"$object":true}}"#, true),
            (r#"{"l":{"$object":true}}"#, false),
            (r#"{"e":{"$nonempty":true}}"#, false),
            (r#"{"none":{"$optional":3}}"#, true),
            (r#"{"id":{"$optional":3}}"#, false),
            (r#"{"id":{"$numeric_eq":7.0}}"#, true),
            (r#"{"s":{"$numeric_eq":7}}"#, false),
            (r#"{"s":{"$starts":"te"}}"#, true),
            (r#"{"s":{"$repeat":["text",1]}}"#, true),
            (r#"{"s":{"$not":"text"}}"#, false),
            (r#"{"id":{"$min":7,"$max":7}}"#, true),
            (r#"{"id":{"$min":8}}"#, false),
            (r#"{"l":["x"]}"#, false),
            (r#"{"l":["x",{}]}"#, true),
        ] {
            assert_eq!(matches(pattern, message, &mut Captures::new(), false), holds, "{pattern}");
        }
    }

    #[test]
    fn captures_are_kept_only_of_what_matched() {
        let mut captures = Captures::new();
        assert!(!matches(
            r#"{"id":{"$save":"I"},"method":"b"}"#,
            r#"{"id":1,"method":"a"}"#,
            &mut captures,
            false
        ));
        assert!(captures.is_empty());
        assert!(matches(r#"{"id":{"$save":"I","$int":true}}"#, r#"{"id":1}"#, &mut captures, false));
        assert!(matches(r#"{"id":{"$ref":"I"}}"#, r#"{"id":1}"#, &mut captures, false));
        assert!(!matches(r#"{"id":{"$ref":"I"}}"#, r#"{"id":"1"}"#, &mut captures, false));
        assert!(matches(r#"{"id":{"$string_of":"I"}}"#, r#"{"id":"1"}"#, &mut captures, false));
        let sent = fill(
            &value(r#"{"a":{"$ref":"I"},"b":{"$inc":"I"},"c":"${I}","d":"x${I}y","e":"$absent"}"#),
            &captures,
        );
        assert_eq!(sent, value(r#"{"a":1,"b":2,"c":1,"d":"x1y"}"#));
    }

    #[test]
    fn rows_are_reached_by_place_and_as_json() {
        let captures = Captures::from([("V".into(), value(r#"["a",{"b":2}]"#))]);
        assert_eq!(
            fill(&value(r#"["${V.0}","${json V.1}","${V.1.b}","${W}"]"#), &captures),
            value(r#"["a","{\"b\":2}",2,"${W}"]"#)
        );
    }

    #[test]
    fn exact_allows_what_every_modern_result_has() {
        let modern = r#"{"result":{"resultType":"complete","_meta":{}}}"#;
        assert!(matches(r#"{"result":{"$exact":{}}}"#, modern, &mut Captures::new(), true));
        assert!(!matches(r#"{"result":{"$exact":{}}}"#, modern, &mut Captures::new(), false));
    }

    #[test]
    fn an_unknown_operator_is_found() {
        assert_eq!(unknown_operator(&value(r#"{"a":[{"$any":true,"$odd":1}]}"#)), Some("$odd"));
        assert_eq!(unknown_operator(&value(r#"{"a":{"$save":"X"}}"#)), None);
    }
}
