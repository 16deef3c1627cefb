//! Whether a file lies in a root, by its name.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#[path = "reference/root.rs"]
mod reference;

use mcp_sansio::uri::{Escape, Root, is_file_uri};
use proptest::{prelude::*, sample::select};
use reference::check_root;

fn contains(root: &str, candidates: &[(&str, Result<&str, Escape>)]) {
    let root = Root::new(root).unwrap_or_else(|error| panic!("{root}: {error}"));
    for (candidate, path) in candidates {
        assert_eq!(root.contains(candidate).as_deref(), path.as_ref().copied(), "{candidate} in {root:?}");
    }
}

/// server/resources, "Security Considerations": R-RES-008. client/roots, "Security Considerations".
#[test]
fn what_is_not_in_the_root_is_refused() {
    let cases = [
        ("/srv/data", Ok("/srv/data")),
        ("/srv/data/", Ok("/srv/data")),
        ("/srv//data/./a/../b", Ok("/srv/data/b")),
        ("//srv/data/b", Ok("/srv/data/b")),
        ("/srv/data/..", Err(Escape::Outside)),
        ("/srv/data/../data/b", Ok("/srv/data/b")),
        ("/../srv/data/b", Ok("/srv/data/b")),
        ("/srv/database", Err(Escape::Outside)),
        ("/srv/dat", Err(Escape::Outside)),
        ("/srv", Err(Escape::Outside)),
        ("/", Err(Escape::Outside)),
        ("/SRV/data/b", Err(Escape::Outside)),
        ("/srv/data/%2e%2e/b", Ok("/srv/data/%2e%2e/b")),
        ("/srv/data/a\\..\\b", Err(Escape::Name)),
        ("/srv/data/a\0b", Err(Escape::Name)),
        ("", Err(Escape::Kind)),
        ("srv/data/b", Err(Escape::Kind)),
        ("./b", Err(Escape::Kind)),
        ("file:///srv/data/a%20b", Ok("/srv/data/a b")),
        ("FILE:///srv/data/b", Ok("/srv/data/b")),
        ("file:/srv/data/b", Ok("/srv/data/b")),
        ("file://localhost/srv/data/b", Ok("/srv/data/b")),
        ("file://LocalHost/srv/data/b", Ok("/srv/data/b")),
        ("file://server/srv/data/b", Err(Escape::Outside)),
        ("file:////srv//data///b/", Ok("/srv/data/b")),
        ("file:///srv/data/%2e%2e/b", Err(Escape::Outside)),
        ("file:///srv/data/.%2E/data/b", Ok("/srv/data/b")),
        ("file:///srv/data/..%2Fb", Err(Escape::Name)),
        ("file:///srv/data/a%5C..%5Cb", Err(Escape::Name)),
        ("file:///srv/data/a%00b", Err(Escape::Name)),
        ("file:///srv/data/%252e%252e/b", Ok("/srv/data/%2e%2e/b")),
        ("file:///srv/data/%252Fb", Ok("/srv/data/%2Fb")),
        ("file:///srv/data/a\\b", Err(Escape::Malformed)),
        ("file:///srv/data/b?c", Err(Escape::Malformed)),
        ("file:///srv/data/b#c", Err(Escape::Malformed)),
        ("file:///srv/data/%FF", Err(Escape::Malformed)),
        ("file:///srv/data/%2", Err(Escape::Malformed)),
        ("file:///srv/data/a b", Err(Escape::Malformed)),
        ("file://user@localhost/srv/data/b", Err(Escape::Malformed)),
        ("file://localhost:80/srv/data/b", Err(Escape::Malformed)),
        ("file://", Err(Escape::Malformed)),
        ("file:srv/data/b", Err(Escape::Kind)),
        ("http://srv/data/b", Err(Escape::Kind)),
        ("C:\\srv\\data", Err(Escape::Kind)),
    ];
    for root in ["/srv/data", "/srv/data/", "file:///srv/data", "file:///srv/x/%2e%2e//data/"] {
        contains(root, &cases);
    }
    contains(
        "/",
        &[("/etc/../x", Ok("/x")), ("/", Ok("/")), ("file:///", Ok("/")), ("etc", Err(Escape::Kind))],
    );
    for root in ["", "data", "./data", "file://", "file:///a%2Fb", "https://example.com/", "\\data"] {
        assert!(Root::new(root).is_err(), "{root}");
    }
}

#[test]
fn a_root_may_ignore_case() {
    let root = Root::new("/Srv/Döta").unwrap().ignore_case();
    assert_eq!(root.contains("/sRV/dÖTA/File").as_deref(), Ok("/Srv/Döta/File"));
    assert_eq!(root.contains("/srv/dota/x"), Err(Escape::Outside));
}

#[test]
fn a_root_on_windows_has_the_rules_of_windows() {
    let cases = [
        ("c:/data/a/../b", Ok("C:/data/b")),
        ("C:\\data\\a", Ok("C:/data/a")),
        ("file:///c:/data/a", Ok("C:/data/a")),
        ("file:///c%3A/data/a", Ok("C:/data/a")),
        ("C:\\data\\..\\x", Err(Escape::Outside)),
        ("C:\\database", Err(Escape::Outside)),
        ("D:\\data\\a", Err(Escape::Outside)),
        ("C:data\\a", Err(Escape::Kind)),
        ("\\data\\a", Err(Escape::Kind)),
        ("/data/a", Err(Escape::Kind)),
        ("\\\\server\\data\\a", Err(Escape::Outside)),
        ("\\\\?\\C:\\data\\a", Err(Escape::Name)),
        ("\\\\.\\C:\\data\\a", Err(Escape::Name)),
        ("file://server/data/a", Err(Escape::Outside)),
        ("file:///data/a", Err(Escape::Outside)),
        ("C:\\data\\a:stream", Err(Escape::Name)),
        ("C:\\data\\.. \\x", Err(Escape::Name)),
        ("C:\\data\\...\\x", Err(Escape::Name)),
        ("C:\\data\\a.", Err(Escape::Name)),
        ("C:\\data\\nul", Err(Escape::Name)),
        ("C:\\data\\Com1.txt", Err(Escape::Name)),
        ("C:\\data\\LPT\u{b9}", Err(Escape::Name)),
        ("C:\\data\\COM10", Ok("C:/data/COM10")),
        ("C:\\data\\console", Ok("C:/data/console")),
        ("file:///C:/data/a%5Cb", Err(Escape::Name)),
    ];
    for root in ["C:\\data", "c:/data/", "file:///C:/data", "file:///c%3A/data/."] {
        contains(root, &cases);
    }
    contains("C:\\", &[("c:\\x", Ok("C:/x")), ("C:/", Ok("C:/"))]);
    for root in ["\\\\Server\\share\\d", "file://SERVER/share/d"] {
        contains(
            root,
            &[
                ("\\\\SERVER\\share\\d\\x", Ok("//server/share/d/x")),
                ("//server/share/d/x", Ok("//server/share/d/x")),
                ("file://server/share/d/x", Ok("//server/share/d/x")),
                ("\\\\server\\share\\d\\..\\..\\..\\other", Err(Escape::Outside)),
                ("\\\\other\\share\\d\\x", Err(Escape::Outside)),
                ("C:\\share\\d\\x", Err(Escape::Outside)),
            ],
        );
    }
    // Two slashes begin an ordinary path of Unix.
    contains("//server/share", &[("/server/share/x", Ok("/server/share/x"))]);
    for root in ["\\\\server", "\\\\?\\C:\\data", "\\\\.\\pipe\\x", "C:data", "C:"] {
        assert!(Root::new(root).is_err(), "{root}");
    }
}

#[test]
fn what_is_relative_stays_below_the_root() {
    let unix = Root::new("file:///srv/my%20data").unwrap();
    let windows = Root::new("C:\\data").unwrap();
    for (relative, path, other) in [
        ("", Ok("/srv/my data"), Ok("C:/data")),
        ("a//b/./c/", Ok("/srv/my data/a/b/c"), Ok("C:/data/a/b/c")),
        ("a/../b", Ok("/srv/my data/b"), Ok("C:/data/b")),
        ("..", Err(Escape::Outside), Err(Escape::Outside)),
        ("../my data/b", Err(Escape::Outside), Err(Escape::Outside)),
        ("a/../../data/b", Err(Escape::Outside), Err(Escape::Outside)),
        ("/etc/passwd", Err(Escape::Kind), Err(Escape::Kind)),
        ("C:\\x", Err(Escape::Name), Err(Escape::Kind)),
        ("C:x", Ok("/srv/my data/C:x"), Err(Escape::Kind)),
        ("\\\\server\\share", Err(Escape::Name), Err(Escape::Kind)),
        ("a\\..\\..\\b", Err(Escape::Name), Err(Escape::Outside)),
        ("a\\b", Err(Escape::Name), Ok("C:/data/a/b")),
        ("..%2Fb", Ok("/srv/my data/..%2Fb"), Ok("C:/data/..%2Fb")),
        ("a\0", Err(Escape::Name), Err(Escape::Name)),
    ] {
        assert_eq!(unix.resolve(relative).as_deref(), path.as_ref().copied(), "{relative}");
        assert_eq!(windows.resolve(relative).as_deref(), other.as_ref().copied(), "{relative}");
    }
}

/// client/roots, "Data Types".
#[test]
fn a_root_of_a_client_is_a_file_uri() {
    for uri in
        ["file:///home/user/project", "file:///", "FILE:///a%20b", "file://localhost/a", "file://server/a"]
    {
        assert!(is_file_uri(uri), "{uri}");
    }
    for uri in [
        "",
        "file:",
        "file://",
        "file:///a b",
        "file:///a?b",
        "file:/a",
        "file:a",
        "/home",
        "https://example.com/a",
    ] {
        assert!(!is_file_uri(uri), "{uri}");
    }
}

#[test]
fn codes_are_stable() {
    let all = [Escape::Outside, Escape::Kind, Escape::Malformed, Escape::Name].map(|escape| escape.code());
    assert_eq!(all, ["escape.outside", "escape.kind", "escape.malformed", "escape.name"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is said to be inside of a root is.
    #[test]
    fn any_root_and_candidate(
        root in select(vec!["/", "/a", "/a/b", "file:///a", "C:\\", "C:\\a", "file:///C:/a", "\\\\h\\s\\a", "file://h/s"]),
        candidate in "(file:(//)?|C:|\\\\\\\\h)?([/\\\\]|\\.|\\.\\.|[abhsC: ]|%2[eEfF]|%5C|%25|localhost|NUL){0,12}",
    ) {
        check_root(root, &candidate);
    }
}

#[test]
fn the_property_tells_inside_from_outside() {
    assert!(check_root("/a", "/a/b") && check_root("C:\\a", "b") && !check_root("/a", "/b/../.."));
}
