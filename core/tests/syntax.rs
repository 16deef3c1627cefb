//! The syntaxes that the protocol names.
#![allow(clippy::unwrap_used)]
use mcp_sansio::syntax::{
    icon_may_be_fetched, is_base64, is_media_type, is_same_origin, is_tool_name, is_uri,
};
use proptest::prelude::*;

/// server/resources, "Binary Content". The vectors of RFC 4648, section 10.
#[test]
fn base64_is_standard_and_padded() {
    for text in ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy", "+/+/"] {
        assert!(is_base64(text), "{text}");
    }
    // Without padding, of the URL alphabet, with line breaks or other characters, with bits left over, with padding inside.
    for text in [
        "Zg",
        "Zm8",
        "Zg=",
        "-_-_",
        "Zm9v\n",
        "Zm9v\r\nYmFy",
        "Zm 9",
        "Zm9!",
        "Zh==",
        "Zm9=",
        "=",
        "====",
        "Zg==Zg==",
        "Z===",
        "Zg=A",
        "\u{e9}\u{e9}",
        "A===",
        "base64-encoded-data",
    ] {
        assert!(!is_base64(text), "{text}");
    }
}

/// RFC 9110, sections 5.6.2, 5.6.4, 5.6.6 and 8.3.1; the media types of the pages on resources, tools and icons.
#[test]
fn media_types_are_type_and_subtype() {
    for text in [
        "text/x-rust",
        "text/plain",
        "application/octet-stream",
        "image/png",
        "image/svg+xml",
        "audio/wav",
        "inode/directory",
        "text/html;charset=utf-8",
        "Text/HTML;Charset=\"utf-8\"",
        "text/html; charset=\"utf-8\"",
        "text/html ;\tcharset=utf-8",
        "application/vnd.api+json",
        "a/b;",
        "a/b; ;c=d",
        "a/b;c=\"\"",
        "a/b;c=\"x\\\"y; z\";d=e",
        "text/html;profile=mcp-app",
    ] {
        assert!(is_media_type(text), "{text}");
    }
    for text in [
        "",
        "text",
        "text/",
        "/plain",
        "text/plain/x",
        "text /plain",
        "text/ plain",
        "text/plain charset=utf-8",
        " text/plain",
        "text/plain;charset",
        "text/plain;charset=",
        "text/plain;=utf-8",
        "text/plain; charset = utf-8",
        "a/b;c=\"d",
        "a/b;c=\"\\",
        "a/b;c=\"d\"e",
        "a/b,c/d",
        "te(xt/plain",
        "text/pl\u{e4}in",
        "a/b;c=\"\n\"",
        "text/plain ",
    ] {
        assert!(!is_media_type(text), "{text}");
    }
}

/// server/tools, "Tool Names", of 2025-11-25 and 2026-07-28.
#[test]
fn tool_names_are_short_and_plain() {
    for name in ["getUser", "DATA_EXPORT_v2", "admin.tools.list", "a", "-", &"x".repeat(128)] {
        assert!(is_tool_name(name), "{name}");
    }
    for name in ["", "get user", "a,b", "a/b", "a:b", "n\u{e4}me", "a\n", &"x".repeat(129)] {
        assert!(!is_tool_name(name), "{name}");
    }
}

/// server/resources, "Common URI Schemes" and "Custom URI Schemes". The examples of RFC 3986, section 1.1.2.
#[test]
fn uris_have_a_scheme() {
    for uri in [
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "http://www.ietf.org/rfc/rfc2396.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com",
        "news:comp.infosystems.www.servers.unix",
        "tel:+1-816-555-1212",
        "telnet://192.0.2.16:80/",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
        "file:///project/src/main.rs",
        "git://repo#main",
        "doc://caf\u{e9}/a",
        "x:",
    ] {
        assert!(is_uri(uri), "{uri}");
    }
    for uri in [
        "",
        "a",
        "/a/b",
        "//a/b",
        ":a",
        "1a:b",
        "a b:c",
        "a:b c",
        "a:%2",
        "a:<b>",
        "a:b#c#d",
        "a\u{e9}:b",
        "a:\\b",
    ] {
        assert!(!is_uri(uri), "{uri}");
    }
}

/// basic, "Icons", of 2025-11-25 and 2026-07-28.
#[test]
fn icons_are_fetched_by_https_or_carried_along() {
    for src in [
        "https://example.com/icon.png",
        "HTTPS://example.com",
        "https://[::1]:8443/icon.svg",
        "data:image/png;base64,iVBORw0KGgo=",
        "DATA:image/svg+xml;charset=utf-8,%3Csvg/%3E",
    ] {
        assert!(icon_may_be_fetched(src), "{src}");
    }
    for src in [
        "",
        "icon.png",
        "/icon.png",
        "//example.com/icon.png",
        "http://example.com/icon.png",
        "https:",
        "https:///icon.png",
        "https:example.com",
        "https://user@example.com/",
        "https://a:b@example.com/",
        "https://exa mple.com/",
        "https://example.com:x/",
        "https://example.com\\@evil.example/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://example.com/a",
        "ws://example.com/",
        "app://icon",
        "data:,x",
        "data:text/html,x",
        "data:image/png",
        "data:image/,x",
        "data:image/png;base64,a b",
        "blob:https://a/b",
        " https://example.com/",
        "java\nscript:alert(1)",
    ] {
        assert!(!icon_may_be_fetched(src), "{src}");
    }
}

/// RFC 6454, sections 4 and 5.
/// R-ICO-006
#[test]
fn an_origin_is_scheme_host_and_port() {
    for (one, other) in [
        ("https://example.com", "https://EXAMPLE.com:443/a?b#c"),
        ("http://example.com:80/", "HTTP://example.com:/x"),
        ("https://[::1]:1/", "https://[::1]:1/x"),
    ] {
        assert!(is_same_origin(one, other) && is_same_origin(other, one), "{one} {other}");
    }
    for (one, other) in [
        ("https://example.com", "http://example.com"),
        ("https://example.com", "https://www.example.com"),
        ("https://example.com", "https://example.com:8443"),
        ("https://example.com", "https://example.com.evil.example"),
        ("https://example.com", "https://example.com@evil.example"),
        ("https://[::1]/", "https://[::2]/"),
        ("data:image/png,x", "data:image/png,x"),
        ("", ""),
    ] {
        assert!(!is_same_origin(one, other), "{one} {other}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What a strict decoder takes is what is base64.
    #[test]
    fn base64_is_what_a_strict_decoder_takes(text in prop_oneof!["[A-Da-d01+/=_-]{0,9}", "[AQgw]{2}[AQgw=]{2}"]) {
        use base64ct::{Base64, Encoding};
        prop_assert_eq!(is_base64(&text), Base64::decode_vec(&text).is_ok());
    }

    #[test]
    fn no_text_is_too_odd(text in any::<String>(), other in "(https?:|data:|image/|[a:/;,=\"\\\\ é\\[\\]@%#]){0,8}") {
        for text in [&text, &other] {
            let _ = (is_base64(text), is_media_type(text), is_tool_name(text), is_uri(text), icon_may_be_fetched(text));
            let _ = is_same_origin(text, &other);
        }
    }
}
