//! The scanner, the envelope and the line decoder beside simpler ones, on generated input.
#![allow(clippy::indexing_slicing, clippy::expect_used, clippy::panic, clippy::cast_possible_truncation)]
mod reference;

use std::{cell::RefCell, collections::BTreeMap, fmt::Debug};

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select, subsequence},
    test_runner::{Config, TestRunner},
};

const CASES: u32 = 1500;

/// Runs `check` on generated input and counts what it answers; each of `wanted` must come up.
fn run<S: Strategy, L: Ord + Debug>(
    strategy: S,
    wanted: impl IntoIterator<Item = L>,
    check: impl Fn(S::Value) -> Vec<L>,
) where
    S::Value: Debug,
{
    let reached: RefCell<BTreeMap<L, usize>> = RefCell::default();
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&strategy, |input| {
        for label in check(input) {
            *reached.borrow_mut().entry(label).or_default() += 1;
        }
        Ok(())
    });
    let reached = reached.into_inner();
    println!("{reached:?}");
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    for label in wanted {
        assert!(reached.contains_key(&label), "{label:?} was never reached");
    }
}

fn space() -> impl Strategy<Value = &'static str> {
    prop_oneof![8 => Just(""), 1 => select(vec![" ", "\t", "\r\n", "\n ", "  "])]
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[ !#-\\[\\]-~]{0,12}",
        1 => "[^\\x00-\\x1f\"\\\\]{1,4}",
        1 => select(vec!["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\ud83d\\ude00"]).prop_map(String::from),
        1 => "\\\\u[0-9a-fA-F]{4}",
    ];
    vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,4})?",
        3 => string(),
        2 => select(vec!["null", "true", "false", "{}", "[]", "\"2.0\""]).prop_map(String::from),
    ]
}

fn joined(open: char, items: &[String], close: char) -> String {
    format!("{open}{}{close}", items.join(","))
}

fn spaced(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (space(), value, space()).prop_map(|(before, value, after)| format!("{before}{value}{after}"))
}

fn member(
    key: impl Strategy<Value = String>,
    value: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    (spaced(key), spaced(value)).prop_map(|(key, value)| format!("{key}:{value}"))
}

fn value() -> impl Strategy<Value = String> {
    scalar().prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            vec(spaced(inner.clone()), 0..6).prop_map(|items| joined('[', &items, ']')),
            vec(member(prop_oneof![string(), key("_meta")], inner), 0..6)
                .prop_map(|items| joined('{', &items, '}')),
        ]
    })
}

/// Nested about as deep as is allowed.
fn deep() -> impl Strategy<Value = String> {
    (120_usize..136, vec(any::<bool>(), 136), scalar()).prop_map(|(levels, kinds, inner)| {
        kinds.into_iter().take(levels).fold(inner, |inner, object| {
            if object { format!("{{\"a\":{inner}}}") } else { format!("[{inner}]") }
        })
    })
}

/// A key, now and then with one of its characters escaped.
fn key(name: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![
        8 => Just(format!("\"{name}\"")),
        1 => any::<Index>().prop_map(move |at| {
            let at = at.index(name.len());
            let escaped = name.chars().enumerate().map(|(here, char)| {
                if here == at { format!("\\u{:04x}", u32::from(char)) } else { char.to_string() }
            });
            format!("\"{}\"", escaped.collect::<String>())
        }),
    ]
}

/// A member whose value mostly is as it should be.
fn known(name: &'static str, right: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    member(key(name), prop_oneof![12 => right.boxed(), 1 => value().boxed()]).boxed()
}

/// An object of some of these members, in any order, now and then with one of them twice.
fn object_of(members: Vec<BoxedStrategy<String>>) -> impl Strategy<Value = String> {
    let count = members.len();
    (
        members,
        subsequence((0..count).collect::<Vec<_>>(), 0..=count).prop_shuffle(),
        vec(any::<Index>(), 0..2),
        0..8,
    )
        .prop_map(|(members, chosen, again, repeat)| {
            let mut chosen: Vec<_> = chosen.into_iter().filter_map(|at| members.get(at).cloned()).collect();
            if repeat == 0 && !members.is_empty() {
                chosen.extend(again.iter().map(|at| at.get(&members).clone()));
            }
            joined('{', &chosen, '}')
        })
}

fn message() -> impl Strategy<Value = String> {
    let meta = object_of(vec![
        known("progressToken", scalar()),
        known("io.modelcontextprotocol/protocolVersion", Just("\"2026-07-28\"".into())),
        known("io.modelcontextprotocol/clientInfo", Just("{\"name\":\"x\",\"version\":\"1\"}".into())),
        known("io.modelcontextprotocol/clientCapabilities", Just("{}".into())),
        known("io.modelcontextprotocol/logLevel", Just("\"info\"".into())),
        known("io.modelcontextprotocol/subscriptionId", scalar()),
    ]);
    let params = object_of(vec![
        known("name", string()),
        known("uri", string()),
        known("arguments", value()),
        known("inputResponses", value()),
        known("requestState", value()),
        known("_meta", meta),
        member(string(), value()).boxed(),
    ]);
    let result =
        object_of(vec![known("resultType", string()), known("_meta", value()), known("content", value())]);
    let id = || {
        known(
            "id",
            prop_oneof![
                string(),
                "-?[0-9]{1,3}(\\.0)?".prop_filter("a number", |id| !id.starts_with('0')),
                Just("null".into())
            ],
        )
    };
    let version = || known("jsonrpc", Just("\"2.0\"".into()));
    let method = || {
        known("method", prop_oneof![Just("\"tools/call\"".into()), Just("\"tools\\/list\"".into()), string()])
    };
    let whole = |members: Vec<BoxedStrategy<String>>| {
        members.prop_shuffle().prop_map(|members| joined('{', &members, '}'))
    };
    let params = prop_oneof![4 => params, 1 => value()].boxed();
    let single = prop_oneof![
        whole(vec![version(), id(), method(), known("params", params.clone())]),
        whole(vec![version(), method(), known("params", params.clone())]),
        whole(vec![version(), id(), known("result", result.boxed())]),
        whole(vec![version(), id(), known("error", value())]),
        whole(vec![version(), known("error", Just("{}".into()))]),
        object_of(vec![
            version(),
            id(),
            method(),
            known("params", params.clone()),
            known("result", Just("{}".into())),
            known("error", Just("{}".into())),
            member(string(), value()).boxed(),
        ]),
    ];
    let single = spaced(single).boxed();
    prop_oneof![8 => single.clone(), 1 => vec(single, 0..3).prop_map(|items| joined('[', &items, ']'))]
}

/// Bytes that matter to a scanner come up often.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![3 => select(b"{}[],:\"\\/0123456789-+.eEtfnurl \t\r\n\x00\x1f\x7f\xef\xbb\xbf\xed\xa0\x80\xff".to_vec()), 1 => any::<u8>()]
}

/// Text with a few bytes changed, removed, added or cut off.
fn mutated(text: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<u8>> {
    (text, vec((any::<Index>(), 0..6, byte()), 1..4)).prop_map(|(text, edits)| {
        let mut bytes = text.into_bytes();
        for (at, edit, byte) in edits {
            let at = at.index(bytes.len() + 1);
            match edit {
                0 => bytes.insert(at, byte),
                1 => bytes.truncate(at),
                2 => bytes.extend_from_within(at..),
                _ if at == bytes.len() => bytes.push(byte),
                3 => drop(bytes.remove(at)),
                _ => bytes[at] = byte,
            }
        }
        bytes
    })
}

#[test]
fn the_scanner_agrees_with_serde_json() {
    use reference::Verdict::{Json, NotJson, NotUtf8, TooDeep};
    let valid = prop_oneof![6 => spaced(value()), 3 => message(), 1 => deep()].boxed();
    let input = prop_oneof![
        3 => valid.clone().prop_map(String::into_bytes),
        3 => mutated(valid),
        1 => vec(byte(), 0..40),
    ];
    run(input, [Json, TooDeep, NotJson, NotUtf8], |bytes| vec![reference::check_scanner(&bytes)]);
}

#[test]
fn the_envelope_agrees_with_serde_json() {
    let input = prop_oneof![4 => message().prop_map(String::into_bytes), 2 => mutated(message()), 1 => value().prop_map(String::into_bytes)];
    let depth = prop_oneof![3 => Just(128), 1 => 0_usize..8, 1 => Just(usize::MAX)];
    let wanted = "Request Notification Response NotObject Version Duplicate Id Method Params Response batch TooDeep NotJson NotUtf8";
    run((input, depth), wanted.split(' ').map(String::from), |(bytes, depth)| {
        vec![match reference::check_envelope(&bytes, depth) {
            Ok(label) if label.is_empty() => "batch".into(),
            Ok(label) => label,
            Err(verdict) => format!("{verdict:?}"),
        }]
    });
}

#[test]
fn lines_do_not_depend_on_where_a_stream_is_cut() {
    let piece = prop_oneof![
        4 => "[a-z{}]{0,12}".prop_map(String::into_bytes),
        4 => select(vec![&b"\n"[..], b"\r\n", b"\r", b" ", b"\xef\xbb\xbf", b"\xef", b"\xbb", b"\xc3\xa9"]).prop_map(<[u8]>::to_vec),
    ];
    let stream = vec(piece, 0..30).prop_map(|pieces| pieces.concat());
    let input = (stream, prop_oneof![0_usize..16, Just(1000)], vec(any::<usize>(), 0..6));
    run(input, ["whole", "too long", "none"], |(stream, limit, cuts)| {
        let lines = reference::check_lines(&stream, limit, &cuts);
        if lines.is_empty() {
            return vec!["none"];
        }
        lines.iter().map(|line| if line.is_some() { "whole" } else { "too long" }).collect()
    });
}

/// A whole number of thousandths, and one of its spellings.
fn number() -> impl Strategy<Value = (i128, String)> {
    (
        prop_oneof![-9999_i64..=9999, select(vec![-100, -10, 0, 1, 10, 100])],
        0_u32..5,
        0_usize..3,
        any::<bool>(),
    )
        .prop_map(|(mantissa, exponent, zeros, point)| {
            let value = i128::from(mantissa) * 10_i128.pow(exponent);
            let padding = "0".repeat(zeros);
            let exponent = i64::from(exponent) - 3;
            if point {
                let sign = if mantissa < 0 { "-" } else { "" };
                let digits = format!("{:04}", mantissa.abs());
                let (whole, fraction) = digits.split_at(1);
                (value, format!("{sign}{whole}.{fraction}{padding}E{}", exponent + 3))
            } else {
                (value, format!("{mantissa}.{padding}0e{exponent}"))
            }
        })
}

#[test]
fn numbers_compare_by_their_value() {
    use mcp_sansio::jsonrpc::id;
    run(
        (number(), number()),
        ["less", "equal", "greater", "whole", "not whole"],
        |((a, left), (b, right))| {
            let order = id::compare(&left, &right);
            assert_eq!(order, a.cmp(&b), "{left} {right}");
            assert_eq!(id::is_integral(&left), a % 1000 == 0, "{left}");
            let whole = (a % 1000 == 0).then_some(a / 1000);
            assert_eq!(id::as_u64(&left), whole.and_then(|value| u64::try_from(value).ok()), "{left}");
            vec![
                match order {
                    std::cmp::Ordering::Less => "less",
                    std::cmp::Ordering::Equal => "equal",
                    std::cmp::Ordering::Greater => "greater",
                },
                if whole.is_some() { "whole" } else { "not whole" },
            ]
        },
    );
}
