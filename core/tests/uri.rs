//! Templates of RFC 6570, and percent-encoding.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#[path = "reference/uri.rs"]
mod reference;

use std::{cmp::Ordering, collections::BTreeSet};

use mcp_sansio::uri::{MAX_TEMPLATE_BYTES, MAX_URI_BYTES, MAX_VARIABLES, Template, Value, percent_decode};
use proptest::{collection::vec, prelude::*, sample::select};
use reference::{Reached, check_decoding, check_match};

fn template(source: &str) -> Template {
    Template::parse(source).unwrap_or_else(|error| panic!("{source}: {error}"))
}

fn list(items: &[&'static str]) -> Value<'static> {
    Value::List(items.iter().map(|item| (*item).into()).collect())
}

fn pairs(items: &[(&'static str, &'static str)]) -> Value<'static> {
    Value::Pairs(items.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
}

/// The variables of RFC 6570, section 3.2; `undef` is absent.
fn variables() -> Vec<(&'static str, Value<'static>)> {
    vec![
        ("count", list(&["one", "two", "three"])),
        ("dom", list(&["example", "com"])),
        ("dub", "me/too".into()),
        ("hello", "Hello World!".into()),
        ("half", "50%".into()),
        ("var", "value".into()),
        ("who", "fred".into()),
        ("base", "http://example.com/home/".into()),
        ("path", "/foo/bar".into()),
        ("list", list(&["red", "green", "blue"])),
        ("keys", pairs(&[("semi", ";"), ("dot", "."), ("comma", ",")])),
        ("v", "6".into()),
        ("x", "1024".into()),
        ("y", "768".into()),
        ("empty", "".into()),
        ("empty_keys", pairs(&[])),
    ]
}

/// The examples of RFC 6570, section 3.2.
const EXAMPLES: &[(&str, &str)] = &[
    // 3.2.1
    ("{count}", "one,two,three"),
    ("{count*}", "one,two,three"),
    ("{/count}", "/one,two,three"),
    ("{/count*}", "/one/two/three"),
    ("{;count}", ";count=one,two,three"),
    ("{;count*}", ";count=one;count=two;count=three"),
    ("{?count}", "?count=one,two,three"),
    ("{?count*}", "?count=one&count=two&count=three"),
    ("{&count*}", "&count=one&count=two&count=three"),
    // 3.2.2
    ("{var}", "value"),
    ("{hello}", "Hello%20World%21"),
    ("{half}", "50%25"),
    ("O{empty}X", "OX"),
    ("O{undef}X", "OX"),
    ("{x,y}", "1024,768"),
    ("{x,hello,y}", "1024,Hello%20World%21,768"),
    ("?{x,empty}", "?1024,"),
    ("?{x,undef}", "?1024"),
    ("?{undef,y}", "?768"),
    ("{var:3}", "val"),
    ("{var:30}", "value"),
    ("{list}", "red,green,blue"),
    ("{list*}", "red,green,blue"),
    ("{keys}", "semi,%3B,dot,.,comma,%2C"),
    ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
    // 3.2.3
    ("{+var}", "value"),
    ("{+hello}", "Hello%20World!"),
    ("{+half}", "50%25"),
    ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
    ("{+base}index", "http://example.com/home/index"),
    ("O{+empty}X", "OX"),
    ("O{+undef}X", "OX"),
    ("{+path}/here", "/foo/bar/here"),
    ("here?ref={+path}", "here?ref=/foo/bar"),
    ("up{+path}{var}/here", "up/foo/barvalue/here"),
    ("{+x,hello,y}", "1024,Hello%20World!,768"),
    ("{+path,x}/here", "/foo/bar,1024/here"),
    ("{+path:6}/here", "/foo/b/here"),
    ("{+list}", "red,green,blue"),
    ("{+list*}", "red,green,blue"),
    ("{+keys}", "semi,;,dot,.,comma,,"),
    ("{+keys*}", "semi=;,dot=.,comma=,"),
    // 3.2.4
    ("{#var}", "#value"),
    ("{#hello}", "#Hello%20World!"),
    ("{#half}", "#50%25"),
    ("foo{#empty}", "foo#"),
    ("foo{#undef}", "foo"),
    ("{#x,hello,y}", "#1024,Hello%20World!,768"),
    ("{#path,x}/here", "#/foo/bar,1024/here"),
    ("{#path:6}/here", "#/foo/b/here"),
    ("{#list}", "#red,green,blue"),
    ("{#list*}", "#red,green,blue"),
    ("{#keys}", "#semi,;,dot,.,comma,,"),
    ("{#keys*}", "#semi=;,dot=.,comma=,"),
    // 3.2.5
    ("{.who}", ".fred"),
    ("{.who,who}", ".fred.fred"),
    ("{.half,who}", ".50%25.fred"),
    ("www{.dom*}", "www.example.com"),
    ("X{.var}", "X.value"),
    ("X{.empty}", "X."),
    ("X{.undef}", "X"),
    ("X{.var:3}", "X.val"),
    ("X{.list}", "X.red,green,blue"),
    ("X{.list*}", "X.red.green.blue"),
    ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
    ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
    ("X{.empty_keys}", "X"),
    ("X{.empty_keys*}", "X"),
    // 3.2.6
    ("{/who}", "/fred"),
    ("{/who,who}", "/fred/fred"),
    ("{/half,who}", "/50%25/fred"),
    ("{/who,dub}", "/fred/me%2Ftoo"),
    ("{/var}", "/value"),
    ("{/var,empty}", "/value/"),
    ("{/var,undef}", "/value"),
    ("{/var,x}/here", "/value/1024/here"),
    ("{/var:1,var}", "/v/value"),
    ("{/list}", "/red,green,blue"),
    ("{/list*}", "/red/green/blue"),
    ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
    ("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
    ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
    // 3.2.7
    ("{;who}", ";who=fred"),
    ("{;half}", ";half=50%25"),
    ("{;empty}", ";empty"),
    ("{;v,empty,who}", ";v=6;empty;who=fred"),
    ("{;v,bar,who}", ";v=6;who=fred"),
    ("{;x,y}", ";x=1024;y=768"),
    ("{;x,y,empty}", ";x=1024;y=768;empty"),
    ("{;x,y,undef}", ";x=1024;y=768"),
    ("{;hello:5}", ";hello=Hello"),
    ("{;list}", ";list=red,green,blue"),
    ("{;list*}", ";list=red;list=green;list=blue"),
    ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
    ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
    // 3.2.8
    ("{?who}", "?who=fred"),
    ("{?half}", "?half=50%25"),
    ("{?x,y}", "?x=1024&y=768"),
    ("{?x,y,empty}", "?x=1024&y=768&empty="),
    ("{?x,y,undef}", "?x=1024&y=768"),
    ("{?var:3}", "?var=val"),
    ("{?list}", "?list=red,green,blue"),
    ("{?list*}", "?list=red&list=green&list=blue"),
    ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
    ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
    // 3.2.9
    ("{&who}", "&who=fred"),
    ("{&half}", "&half=50%25"),
    ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
    ("{&x,y,empty}", "&x=1024&y=768&empty="),
    ("{&x,y,undef}", "&x=1024&y=768"),
    ("{&var:3}", "&var=val"),
    ("{&list}", "&list=red,green,blue"),
    ("{&list*}", "&list=red&list=green&list=blue"),
    ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
    ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
];

/// RFC 6570, section 3.2.
#[test]
fn expansion_gives_what_the_rfc_shows() {
    for (source, uri) in EXAMPLES {
        assert_eq!(template(source).expand(&variables()).as_deref(), Ok(*uri), "{source}");
    }
}

/// Each example is found again, but where nothing marks a value that is empty or absent.
#[test]
fn what_the_rfc_shows_is_matched() {
    for (source, uri) in EXAMPLES {
        let is_unmarked = ["O{empty}X", "O{undef}X", "O{+empty}X", "O{+undef}X"].contains(source)
            || ["?{x,empty}", "?{x,undef}", "?{undef,y}"].contains(source);
        let template = template(source);
        let found = template.matches(uri);
        assert_eq!(found.is_none(), is_unmarked, "{source}");
        check_match(source, uri);
        // The first division of `up{+path}{var}/here` is another, prefixes are shorter, and lists without `*` are text.
        if source.contains(':') || *source == "up{+path}{var}/here" {
            continue;
        }
        for (name, value) in found.into_iter().flatten() {
            let given = variables().into_iter().find(|(given, _)| *given == name).unwrap().1;
            match (&given, value.decode().unwrap()) {
                (Value::Text(given), Value::Text(found)) => assert_eq!(*given, found, "{source}"),
                (Value::List(given), Value::List(found)) => assert_eq!(*given, found, "{source}"),
                (Value::Pairs(given), Value::Pairs(found)) => assert_eq!(*given, found, "{source}"),
                (Value::List(given), Value::Text(found)) => assert_eq!(given.join(","), found, "{source}"),
                (Value::Pairs(_), Value::Text(_) | Value::List(_)) => {}
                wrong => panic!("{source} and {uri}: {wrong:?}"),
            }
        }
    }
}

/// RFC 6570, sections 2.3, 3.1, 3.2.1 and 3.2.3.
#[test]
fn expansion_keeps_and_escapes() {
    let expand = |source: &str, value: Value<'_>| template(source).expand(&[("x", value)]).unwrap();
    // Escapes in literals, in `+` and in `#` are kept, in others a `%` is a character of the value.
    assert_eq!(expand("a%2fb/{+x}", "c%2Fd%zz%".into()), "a%2fb/c%2Fd%25zz%25");
    assert_eq!(expand("{#x}", "%C3%A9é% é".into()), "#%C3%A9%C3%A9%25%20%C3%A9");
    assert_eq!(expand("{x}", "%2F".into()), "%252F");
    assert_eq!(expand("caf\u{e9}/{x}", "\u{20ac}~".into()), "caf%C3%A9/%E2%82%AC~");
    // Prefixes count characters, before they are encoded.
    assert_eq!(expand("{x:2}", "é€b".into()), "%C3%A9%E2%82%AC");
    assert_eq!(expand("{x:2}", "%20a".into()), "%252");
    assert_eq!(expand("{+x:2}", "%C3%A9%20a".into()), "%C3%A9%20");
    // Empty items, with and without a name.
    assert_eq!(expand("{;x*}", list(&["", "a"])), ";x;x=a");
    assert_eq!(expand("{?x*}", list(&["", "a"])), "?x=&x=a");
    assert_eq!(expand("{;x}", list(&[""])), ";x");
    assert_eq!(expand("{;x*}", pairs(&[("a", ""), ("b c", "d/e")])), ";a;b%20c=d%2Fe");
    assert_eq!(expand("{?x*}", pairs(&[("a", "")])), "?a=");
    assert_eq!(expand("{/x*}", list(&[])), "");
    // A name is written as it is.
    assert_eq!(template("{?a%20b}").expand(&[("a%20b", pairs(&[("k", "v")]))]).unwrap(), "?a%20b=k,v");
    // A prefix of a list is an error (section 2.4.1).
    let error = template("a{?x:3}").expand(&[("x", list(&["a"]))]).unwrap_err();
    assert_eq!((error.offset, error.code()), (3, "uri.invalid"));
}

/// RFC 6570, section 2: the grammar.
#[test]
fn a_template_that_is_none_is_refused_where_it_is_wrong() {
    for (source, offset) in [
        ("a{", 1),
        ("a{b", 1),
        ("a}b", 1),
        ("{}", 1),
        ("{a,}", 3),
        ("{,a}", 1),
        ("{=a}", 1),
        ("{!a}", 1),
        ("{@a}", 1),
        ("{|a}", 1),
        ("{?}", 2),
        ("{a b}", 2),
        ("{a-b}", 2),
        ("{.a.}", 4),
        ("{a..b}", 3),
        ("{a%2}", 2),
        ("{a:0}", 3),
        ("{a:}", 3),
        ("{a:10000}", 3),
        ("{a:+1}", 3),
        ("{a*:1}", 2),
        ("{a:1*}", 2),
        ("{a{b}}", 2),
        ("a b", 1),
        ("é<", 2),
        ("a%2", 1),
        ("a%zz", 1),
        ("a\\b", 1),
    ] {
        assert_eq!(Template::parse(source).expect_err(source).offset, offset, "{source}");
    }
    assert!(Template::parse(&"{a}".repeat(MAX_VARIABLES)).is_ok());
    assert_eq!(Template::parse(&"{a}".repeat(MAX_VARIABLES + 1)).unwrap_err().offset, 3 * MAX_VARIABLES);
    assert!(Template::parse(&"a".repeat(MAX_TEMPLATE_BYTES)).is_ok());
    assert_eq!(Template::parse(&"a".repeat(MAX_TEMPLATE_BYTES + 1)).unwrap_err().offset, MAX_TEMPLATE_BYTES);
    assert_eq!(template("{b.c_1,a}{?b.c_1,%20:9999}").variables().collect::<Vec<_>>(), ["b.c_1", "a", "%20"]);
}

/// `uri` in `source`, as `name=value` separated by spaces.
fn found(source: &str, uri: &str) -> Option<String> {
    let template = template(source);
    let text = |value: &Value<'_>| match value {
        Value::Text(text) => text.to_string(),
        Value::List(items) => format!("[{}]", items.join("|")),
        Value::Pairs(pairs) => {
            format!("{{{}}}", pairs.iter().map(|(a, b)| format!("{a}:{b}")).collect::<Vec<_>>().join("|"))
        }
    };
    let values = template.matches(uri)?;
    Some(values.iter().map(|(name, value)| format!("{name}={}", text(value))).collect::<Vec<_>>().join(" "))
}

fn check(source: &str, uris: &[(&str, Option<&str>)]) {
    for (uri, values) in uris {
        assert_eq!(found(source, uri).as_deref(), *values, "{source} and {uri}");
    }
}

/// server/resources, "Resource Templates", and RFC 6570: R-RES-021. Literals are no patterns, and an escaped slash comes back
/// escaped.
#[test]
fn literals_are_themselves_and_escapes_stay() {
    check(
        "weather://a.b/{city}",
        &[("weather://a.b/paris", Some("city=paris")), ("weather://aXb/paris", None)],
    );
    check("file://n/search?={q}", &[("file://n/search?=abc", Some("q=abc")), ("file://n/searc=abc", None)]);
    check("calc://1+1/{v}", &[("calc://1+1/x", Some("v=x")), ("calc://11/x", None)]);
    check(
        "file://docs/{name}",
        &[
            ("file://docs/..%2F..%2Fetc%2Fpasswd", Some("name=..%2F..%2Fetc%2Fpasswd")),
            ("file://docs/%2e%2e%2fsecret", Some("name=%2e%2e%2fsecret")),
            ("file://docs/a/b", None),
            ("file://docs/", None),
            ("file://docs/a b", None),
            ("file://docs/a%2", None),
            ("file://docs/a\\b", None),
            ("file://docs/a?b", None),
        ],
    );
    // Both spellings of what is not ASCII, and of what is not reserved, are the same; others are not.
    check("doc://caf\u{e9}/{x}", &[("doc://caf%C3%A9/a", Some("x=a")), ("doc://caf%c3%a9/a", Some("x=a"))]);
    check("doc://caf%C3%A9/{x}", &[("doc://caf\u{e9}/\u{e9}", Some("x=\u{e9}"))]);
    check("a%7Eb/{x}", &[("%61~b/1", Some("x=1"))]);
    check("a%2Fb/{x}", &[("a%2fb/1", Some("x=1")), ("a/b/1", None)]);
    check("a/b/{x}", &[("a%2Fb/1", None)]);
}

/// RFC 6570, section 3.2.8: absent stays absent, empty stays empty, and the order is the client's.
#[test]
fn names_come_in_any_order() {
    check(
        "items://x{?page,limit}",
        &[
            ("items://x", Some("")),
            ("items://x?page=2", Some("page=2")),
            ("items://x?limit=5", Some("limit=5")),
            ("items://x?page=2&limit=5", Some("page=2 limit=5")),
            ("items://x?limit=5&page=2", Some("page=2 limit=5")),
            ("items://x?limit=", Some("limit=")),
            ("items://x?limit", Some("limit=")),
            ("items://x?other=1", Some("")),
            ("items://x?other=1&page=a/b:c@d?e", Some("page=a/b:c@d?e")),
            ("items://x?", Some("")),
            ("items://x?page=1&page=2", None),
            ("items://x&page=1", None),
            ("items://x?page=1#top", None),
            ("items://xy", None),
        ],
    );
    check("q{?a}{&b}", &[("q?b=1&a=2", Some("a=2 b=1")), ("q&b=1", Some("b=1")), ("q?b=1", Some("b=1"))]);
    check("q?fixed=yes{&x}", &[("q?fixed=yes&x=1", Some("x=1")), ("q?fixed=yes", Some("")), ("q?x=1", None)]);
    check(
        "m{;x,y}",
        &[("m;y=2;x=1", Some("x=1 y=2")), ("m;x", Some("x=")), ("m;x=", Some("x=")), ("m;x=1/", None)],
    );
    check("m{?a:3}", &[("m?a=%C3%A9bc", Some("a=%C3%A9bc")), ("m?a=abcd", None), ("m?z=1&a=abcd", None)]);
    check(
        "m{?all*,page}",
        &[
            ("m?all=1&all=2&page=3", Some("all=[1|2] page=3")),
            ("m?page=3&k=v&all=1", Some("all={k:v|all:1} page=3")),
            ("m?page=3", Some("page=3")),
        ],
    );
}

#[test]
fn each_operator_is_matched() {
    check(
        "r{/a,b}",
        &[
            ("r/1/2", Some("a=1 b=2")),
            ("r/1", Some("a=1")),
            ("r/", Some("a=")),
            ("r", Some("")),
            ("r/1/2/3", None),
        ],
    );
    check(
        "r{/path*}",
        &[("r/a/b%2Fc/d", Some("path=[a|b%2Fc|d]")), ("r", Some("")), ("r/", Some("path=[]"))],
    );
    check("r{/path*}{?q}", &[("r/a/b?q=1", Some("path=[a|b] q=1"))]);
    check("f{.ext}", &[("f.gz", Some("ext=gz")), ("f.tar.gz", Some("ext=tar.gz")), ("f", Some(""))]);
    check("f{.a,b}", &[("f.tar.gz", Some("a=tar b=gz")), ("f.a.b.c", Some("a=a b=b.c"))]);
    check(
        "{name}{.ext}",
        &[("archive.tar.gz", Some("name=archive ext=tar.gz")), ("archive", Some("name=archive"))],
    );
    check("{name}.{ext}", &[("archive.tar.gz", Some("name=archive.tar ext=gz"))]);
    check("p{#frag}", &[("p#a/b?c", Some("frag=a/b?c")), ("p", Some("")), ("p#", Some("frag="))]);
    check("p{#x,y}", &[("p#1,2", Some("x=1 y=2"))]);
    check("file:///{+path}", &[("file:///a/b%2Fc?d#e", Some("path=a/b%2Fc?d#e")), ("file:///", None)]);
    check("{+path}{?q}", &[("a/b?q=1", Some("path=a/b q=1")), ("a/b", Some("path=a/b"))]);
    check("{+path}{/id}", &[("a/b/c", Some("path=a/b id=c"))]);
    check("{x,y}", &[("1024,768", Some("x=1024 y=768")), ("1,2,3", None), ("1", None)]);
    check("{list*}", &[("a,b,c", Some("list=[a|b|c]")), ("a/b", None)]);
    check("{x}", &[("user:1@h", Some("x=user:1@h")), ("London,UK", Some("x=London,UK"))]);
    check("{x:3}{y}", &[("abcd", Some("x=abc y=d")), ("%C3%A9\u{20ac}cd", Some("x=%C3%A9\u{20ac}c y=d"))]);
    // A variable that stands twice has one value.
    check("{x}/{x}", &[("a/a", Some("x=a")), ("a/b", None), ("%C3%A9/\u{e9}", Some("x=%C3%A9"))]);
    check("{/x:1,x}", &[("/v/value", Some("x=value")), ("/w/value", None), ("/v", Some("x=v"))]);
    check("{x:2}/{x}", &[("a/abc", None), ("ab/abc", Some("x=abc"))]);
    check("{x:2}/{x:3}", &[("ab/abc", Some("x=abc")), ("ab/ab", Some("x=ab")), ("ab/acb", None)]);
}

/// No template makes a URI cost more than the one times the other: the largest of both take as long as they should.
#[test]
fn matching_is_bounded() {
    check("{/id*}", &[(&format!("/{}", ",".repeat(50)), Some(&format!("id=[{}]", ",".repeat(50))))]);
    assert!(found("{id*}", &",".repeat(50)).is_some());
    assert!(found("{a}{b}{c}{d}", &"x".repeat(100_000)).is_none());
    let long = "x".repeat(MAX_URI_BYTES);
    assert_eq!(found("{a}{b}{c}{d}", &long).map(|values| values.len()), Some(MAX_URI_BYTES + 4 * 2 + 3));
    // With backtracking, none of these would end.
    let names: Vec<String> = (0..MAX_VARIABLES).map(|index| format!("v{index}")).collect();
    for (open, close) in [("{", "}"), ("{+", "}"), ("{.", "}"), ("{", "*}"), ("{+", "*}x")] {
        let source = open.to_owned() + &names.join(&format!("{close}{open}")) + close;
        assert_eq!(found(&(source + "!"), &long), None);
    }
    let query = format!("q{{?{}}}", names.join(","));
    assert_eq!(found(&query, &format!("q?{}", "&".repeat(MAX_URI_BYTES - 2))).as_deref(), Some(""));
}

/// The order is total: more literal text, then fewer wide values, then fewer variables, then prefixes.
#[test]
fn the_more_specific_template_is_greater() {
    let falling = [
        "file:///docs/readme",
        "file:///docs/{name}",
        "file:///docs/{name}{?page}",
        "file:///docs/{+path}",
        "file:///{a}/{b}",
        "file:///{a:3}",
        "file:///{a}",
        "file:///{a}{b}",
        "file:///{+path}",
        "file:///{/path*}",
    ];
    for (index, one) in falling.iter().enumerate() {
        for (other_index, other) in falling.iter().enumerate() {
            let wanted = match (other_index.cmp(&index), index.min(other_index)) {
                // `{+path}` and `{/path*}` say as little as each other.
                (_, 8) => Ordering::Equal,
                (order, _) => order,
            };
            assert_eq!(
                template(one).specificity().cmp(&template(other).specificity()),
                wanted,
                "{one} and {other}"
            );
        }
    }
}

#[test]
fn decoding_is_done_once() {
    assert_eq!(percent_decode("a%20b%C3%A9+%252e").as_deref(), Ok("a bé+%2e"));
    for (text, offset) in [("a%", 1), ("a%2", 1), ("%zz", 0), ("ab%FF", 2), ("é%C3", 2), ("%C3%A9%C3%28", 6)]
    {
        assert_eq!(percent_decode(text).expect_err(text).offset, offset, "{text}");
    }
    let value = pairs(&[("a%20", "%2F")]);
    assert_eq!(value.decode(), Ok(pairs(&[("a ", "/")])));
    assert!(list(&["%FF"]).decode().is_err());
}

fn operators() -> impl Strategy<Value = &'static str> {
    select(vec!["", "+", "#", ".", "/", ";", "?", "&"])
}

/// A template of levels 1 to 3 and values for all of its variables, none of which is empty.
fn template_with_values() -> impl Strategy<Value = (String, Vec<(String, String)>)> {
    let value = prop_oneof![3 => "[a-z0-9~.-]{1,4}", 1 => "[ -~]{1,6}", 1 => "[é€😀%/?&=,.;#]{1,4}"];
    let expression = (operators(), vec(value, 1..4));
    vec((prop_oneof!["[a-z/.:,?&=-]{0,3}", Just(String::new())], expression), 1..5).prop_map(|parts| {
        let (mut source, mut values) = (String::new(), Vec::new());
        for (literal, (operator, own)) in parts {
            let names: Vec<String> =
                (values.len()..values.len() + own.len()).map(|index| format!("v{index}")).collect();
            source = source + &literal + "{" + operator + &names.join(",") + "}";
            values.extend(names.into_iter().zip(own));
        }
        (source, values)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Values that are found in an expansion expand to it again.
    #[test]
    fn an_expansion_is_matched_and_expands_again((source, values) in template_with_values()) {
        let given: Vec<(&str, Value<'_>)> = values.iter().map(|(name, value)| (name.as_str(), value.as_str().into())).collect();
        let uri = template(&source).expand(&given).unwrap();
        prop_assert!(check_match(&source, &uri) >= Reached::Matched, "{} {}", source, uri);
        let parsed = template(&source);
        let found = parsed.matches(&uri).unwrap();
        let keeps = |name: &str| source.split(['{', '}']).any(|part| {
            part.strip_prefix(['+', '#']).is_some_and(|list| list.split(',').any(|own| own == name))
        });
        let again: Vec<(&str, Value<'_>)> = found
            .iter()
            .map(|(name, value)| (*name, if keeps(name) { value.clone() } else { value.decode().unwrap() }))
            .collect();
        prop_assert_eq!(&parsed.expand(&again).unwrap(), &uri, "{} {:?}", source, again);
    }

    #[test]
    fn any_template_and_uri(
        source in "([a-c/.,?&=%é]{0,2}\\{[+#./;?&=]?[ab](,[bc])?[*:]?[1-3]?\\}){0,3}[a-c]{0,2}",
        uri in "([a-c/.,;?&=#+]|%2F|%C3%A9|%FF|é|a=b){0,12}",
    ) {
        check_match(&source, &uri);
    }

    #[test]
    fn any_text_decodes(text in any::<String>()) {
        check_decoding(&text);
    }
}

/// The strategies above are worth something: they reach every outcome.
#[test]
fn the_properties_reach_what_they_are_for() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let sources = "([a-c]{0,2}\\{[+#./;?&=]?[ab](,[bc])?[*:]?[1-3]?\\}){0,2}";
    let uris = "([a-c/.,;?&=#]|%2F|%FF){0,6}";
    let mut reached = BTreeSet::new();
    for _ in 0..3000 {
        let (source, uri) = (sources, uris).new_tree(&mut runner).unwrap().current();
        reached.insert(check_match(&source, &uri));
    }
    assert_eq!(reached.len(), 4, "{reached:?}");
}
