//! The player itself: what it must not let pass, in this project's cases and in made-up ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
use mcp_sansio_tests::cases::{Player, Report, Verdict, case::Skip, value::Value};

const FILES: [&str; 9] = [
    include_str!("../cases/envelope.jsonl"),
    include_str!("../cases/framing.jsonl"),
    include_str!("../cases/cancel-progress.jsonl"),
    include_str!("../cases/lifecycle.jsonl"),
    include_str!("../cases/dispatch-errors.jsonl"),
    include_str!("../cases/tools-results.jsonl"),
    include_str!("../cases/resources.jsonl"),
    include_str!("../cases/client-features.jsonl"),
    include_str!("../cases/modern.jsonl"),
];

fn value(text: &str) -> Value {
    Value::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The project's cases that need neither programs nor the allocator's counts, with the largest texts cut down: they are
/// played hundreds of times.
fn cases() -> Vec<Value> {
    let needs_more = |line: &&str| line.contains("\"process\"") || line.contains("\"memory\"");
    let lines = FILES.iter().flat_map(|file| file.lines()).filter(|line| !needs_more(line));
    let cut = |line: &str| {
        let pairs = [
            ("1048577", "4098"),
            ("1048576", "4096"),
            ("[\"x\",1000000]", "[\"x\",4000]"),
            ("100000]", "1000]"),
            ("6553", "409"),
        ];
        pairs.iter().fold(line.to_owned(), |line, (long, short)| line.replace(long, short))
    };
    lines.map(|line| value(&cut(line))).collect()
}

fn play(case: &Value) -> Vec<Verdict> {
    let player = Player::new(None, None).unwrap_or_else(|problem| panic!("{problem}"));
    let mut report = Report::default();
    player.play(&case.to_string(), &mut report).unwrap_or_else(|problem| panic!("{problem}"));
    let id = case.get("id").and_then(Value::as_str).unwrap_or_default();
    report.verdicts(id).unwrap_or_default().iter().map(|(_, verdict)| verdict.clone()).collect()
}

fn skipped(reason: &str) -> impl Fn(&Verdict) -> bool {
    let skip = Verdict::Skipped(Skip(reason.into()));
    move |verdict| *verdict == skip
}

/// Every value that `change` makes by changing one member of this name, wherever it is.
fn changed(value: &Value, name: &str, change: &dyn Fn(&Value) -> Option<Value>) -> Vec<Value> {
    match value {
        Value::Array(elements) => {
            let replaced = |(place, element): (usize, &Value)| {
                changed(element, name, change).into_iter().map(move |element| {
                    let mut elements = elements.clone();
                    elements[place] = element;
                    Value::Array(elements)
                })
            };
            elements.iter().enumerate().flat_map(|place| replaced(place).collect::<Vec<_>>()).collect()
        }
        Value::Object(members) => {
            let mut all = Vec::new();
            for (place, (key, member)) in members.iter().enumerate() {
                let mut put = |new: Option<Value>| {
                    let mut members = members.clone();
                    match new {
                        Some(new) => members[place].1 = new,
                        None => drop(members.remove(place)),
                    }
                    all.push(Value::Object(members));
                };
                if key == name {
                    put(change(member));
                } else {
                    for member in changed(member, name, change) {
                        put(Some(member));
                    }
                }
            }
            all
        }
        _ => Vec::new(),
    }
}

#[test]
fn an_expectation_that_is_not_met_fails() {
    let impossible = value(r#"{"no_such_member":{"$any":true}}"#);
    for case in cases() {
        for broken in changed(&case, "rx", &|_| Some(impossible.clone())) {
            // A replaced expectation of a step that only other revisions play stays unseen on the rest.
            let verdicts = play(&broken);
            assert!(verdicts.iter().any(|verdict| matches!(verdict, Verdict::Failed { .. })), "{broken}");
        }
    }
}

#[test]
fn an_assertion_that_does_not_hold_fails() {
    let opposite = |assertion: &Value| {
        let mut assertion = assertion.clone();
        let member = match assertion.members().first().map(|(subject, _)| subject.as_str()) {
            Some("sent" | "event") => ("count", value("77")),
            Some("call") => ("outcome", value(r#"{"event":"none"}"#)),
            Some("order") => ("order", value(r#"[{"sent":{"none":1}}]"#)),
            Some("over") => ("over", Value::Bool(assertion.get("over") != Some(&Value::Bool(true)))),
            Some("stats") => ("stats", value(r#"{"none":1}"#)),
            Some("output") => ("output", value(r#"{"none":1}"#)),
            other => panic!("no opposite of {other:?}"),
        };
        assertion.set(member.0, member.1);
        assertion
    };
    for case in cases() {
        let opposed =
            |assertions: &Value| Some(Value::Array(assertions.elements().iter().map(opposite).collect()));
        for broken in changed(&case, "assert", &opposed) {
            let verdicts = play(&broken);
            assert!(verdicts.iter().any(|verdict| matches!(verdict, Verdict::Failed { .. })), "{broken}");
        }
    }
}

#[test]
fn an_outcome_of_a_function_that_is_not_met_fails() {
    let mut functions = 0;
    for case in cases() {
        for broken in changed(&case, "expect", &|_| Some(value(r#"{"no_such_member":{"$any":true}}"#))) {
            functions += 1;
            let verdicts = play(&broken);
            assert!(verdicts.iter().any(|verdict| matches!(verdict, Verdict::Failed { .. })), "{broken}");
        }
    }
    assert!(functions > 20, "only {functions} functions were tried");
}

#[test]
fn a_sentence_without_a_machine_form_is_never_passed() {
    let mut sentences = 0;
    for case in cases() {
        for form in ["assert", "peer", "host"] {
            let with_sentence = |text: &str| {
                text.contains("\"check\"") || text.contains("\"harness\"") || text.contains("\"setup\"")
            };
            for bare in
                changed(&case, form, &|_| None).into_iter().filter(|bare| with_sentence(&bare.to_string()))
            {
                // An assertion that stands without a sentence may go.
                if form == "assert"
                    && bare.to_string().matches("\"check\"").count()
                        < bare.to_string().matches("\"assert\"").count() + 1
                {
                    continue;
                }
                sentences += 1;
                assert!(play(&bare).iter().all(skipped("prose")), "{bare}");
            }
            for empty in changed(&case, form, &|_| Some(value("[]"))).into_iter().filter(|_| form == "peer") {
                assert!(play(&empty).iter().all(skipped("prose")), "{empty}");
            }
        }
    }
    assert!(sentences > 20, "only {sentences} sentences were tried");
}

#[test]
fn neither_ids_nor_sentences_are_read() {
    for case in cases() {
        let mut renamed = case.clone();
        renamed.set("id", Value::string("renamed"));
        let mut text = renamed;
        for sentence in ["title", "check", "harness", "hook", "setup", "behaviour"] {
            while let Some(next) = changed(&text, sentence, &|old| {
                Some(if old.as_str() == Some("-") { Value::Null } else { Value::string("-") })
            })
            .into_iter()
            .find(|next| !next.to_string().contains(&format!("\"{sentence}\":null")))
            {
                text = next;
            }
        }
        assert_eq!(play(&text), play(&case), "{text}");
    }
}

#[test]
fn what_can_not_be_played_is_skipped_with_its_reason() {
    let case = |input: &str| {
        value(&format!(r#"{{"id":"X","revisions":["2025-11-25"],"role":"server","input":{input}}}"#))
    };
    let prelude = r#"{"prelude":"legacy-init","version":"2025-11-25"}"#;
    for (input, reason) in [
        (r#"{"transport":"http","steps":[{"http_tx":{}}]}"#.to_owned(), "needs HTTP"),
        (r#"{"transport":"sse","steps":[{"check":"a sentence"}]}"#.to_owned(), "needs HTTP"),
        (r#"{"transport":"any","steps":[{"http_tx":{}}]}"#.to_owned(), "needs HTTP"),
        (r#"{"transport":"any","steps":[{"unit":"levitate","expect":1}]}"#.to_owned(), "unit levitate"),
        (
            r#"{"transport":"any","host":{"serve":[{"when":{"$odd":1},"do":[]}]},"steps":[]}"#.to_owned(),
            "pattern $odd",
        ),
        (r#"{"transport":"any","setup":"a sentence","steps":[]}"#.to_owned(), "prose"),
        (r#"{"transport":"any","steps":[{"for_each":[1],"do":[{"check":"deep"}]}]}"#.to_owned(), "prose"),
        (r#"{"transport":"any","steps":[{"check":"a sentence","assert":[]}]}"#.to_owned(), "prose"),
        (r#"{"transport":"any","steps":[{"levitate":1}]}"#.to_owned(), "step levitate"),
        (r#"{"transport":"any","steps":[{"api":"levitate","args":{}}]}"#.to_owned(), "api levitate"),
        (r#"{"transport":"any","steps":[{"rx":{"id":{"$odd":1}}}]}"#.to_owned(), "pattern $odd"),
        (
            r#"{"transport":"any","steps":[{"assert":[{"mood":"good"}]}]}"#.to_owned(),
            r#"assert {"mood":"good"}"#,
        ),
        (format!(r#"{{"transport":"any","steps":[{prelude}]}}"#), "nothing is asserted"),
    ] {
        let case = case(&input);
        assert!(play(&case).iter().all(skipped(reason)), "{case}: {:?}", play(&case));
    }
    let future = value(
        r#"{"id":"X","revisions":["2199-01-01"],"role":"server","input":{"transport":"any","steps":[]}}"#,
    );
    assert!(play(&future).iter().all(skipped("revision 2199-01-01")));
}
