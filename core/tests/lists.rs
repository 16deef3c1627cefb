//! The four lists of a catalog: `server/utilities/pagination`, `server/utilities/caching`, and what each revision and
//! each session sees.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::sync::Arc;

use common::*;
use mcp_sansio::{
    SealKeys, Seed,
    event::{CacheHint, Event},
    session::{Catalog, Definition, Server, ServerConfig},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Method, member of the result, and the member that names an entry.
const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "tools", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
    ("prompts/list", "prompts", "name"),
];

/// An entry of a list that these keys name in each kind.
fn definition(member: &str, key: &str) -> Value {
    match member {
        "tools" => json!({"name": key, "inputSchema": {"type": "object"}}),
        "resources" => json!({"uri": format!("t:{key}"), "name": key}),
        "resourceTemplates" => json!({"uriTemplate": format!("t:{key}/{{x}}"), "name": key}),
        _ => json!({"name": key}),
    }
}

/// A catalog with entries of these names in each kind.
fn all(names: &[&str]) -> Value {
    LISTS
        .iter()
        .map(|(_, member, _)| {
            let entries: Vec<Value> = names.iter().map(|name| definition(member, name)).collect();
            ((*member).to_owned(), Value::from(entries))
        })
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn catalog(catalog: &Value) -> Arc<Catalog> {
    Arc::new(Catalog::from_json(catalog.to_string().as_bytes()).unwrap())
}

fn config(of: &Value) -> ServerConfig {
    ServerConfig::new("server", "1").catalog(catalog(of))
}

fn ask(host: &mut Host<Server>, method: &str, cursor: Option<&Value>) -> Value {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
    host.ask(&ask_in(MODERN, method, params))
}

fn listed<'a>(answer: &'a Value, member: &str) -> Vec<&'a str> {
    let list = answer["result"][member].as_array().unwrap_or_else(|| panic!("a list: {answer}"));
    list.iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

/// `server/utilities/pagination`: the four lists are paged, each to its end, in the order given (`server/tools`).
///
/// R-PAG-008, R-RES-001, R-RES-003, R-PRM-001, R-TOL-001, R-TOL-028
#[test]
fn every_list_is_paged_in_the_order_given() {
    let names = ["e", "d", "c", "b", "a"];
    for (method, member, key) in LISTS {
        let mut host = serve(config(&all(&names)).page_size(2));
        let (mut seen, mut cursor, mut pages) = (Vec::new(), None, 0);
        loop {
            let page = ask(&mut host, method, cursor.as_ref());
            let entries = page["result"][member].as_array().unwrap().clone();
            assert!(entries.len() <= 2);
            assert!(entries.iter().all(|entry| entry[key].is_string()));
            seen.extend(entries);
            pages += 1;
            match page["result"].get("nextCursor") {
                Some(next) => cursor = Some(next.clone()),
                None => break,
            }
        }
        let expected: Vec<Value> = names.iter().map(|name| definition(member, name)).collect();
        assert_eq!((seen, pages), (expected, 3), "{method}");
        assert!(host.events().is_empty(), "the engine answers");
    }
}

/// `server/utilities/pagination`: a cursor of one list is no cursor of another.
///
/// R-PAG-003
#[test]
fn a_cursor_is_good_for_its_list_alone() {
    for (method, ..) in LISTS {
        let mut host = serve(config(&all(&["a", "b"])).page_size(1));
        let cursor = ask(&mut host, method, None)["result"]["nextCursor"].clone();
        for (other, member, _) in LISTS {
            let answer = ask(&mut host, other, Some(&cursor));
            if other == method {
                assert_eq!(listed(&answer, member), ["b"]);
            } else {
                assert_eq!(answer["error"]["code"], -32602, "{method} {other}");
            }
        }
    }
}

/// `server/tools`, `server/resources`, `server/prompts` of 2026-07-28: with the capability the list methods answer, possibly
/// with nothing. A kind that was not given is the application's, and its capability isn't declared for it.
///
/// R-TOL-029
#[test]
fn what_was_given_is_answered_and_nothing_else() {
    let empty = [
        (json!({"tools": []}), &["tools"][..]),
        (json!({"resources": []}), &["resources", "resourceTemplates"]),
        (json!({"resourceTemplates": []}), &["resources", "resourceTemplates"]),
        (json!({"prompts": []}), &["prompts"]),
    ];
    for (given, answered) in empty {
        let every = br#"{"tools":{},"resources":{},"prompts":{}}"#;
        let mut host = serve(config(&given).capabilities(every).unwrap());
        for (method, member, _) in LISTS {
            if answered.contains(&member) {
                assert_eq!(ask(&mut host, method, None)["result"][member], json!([]), "{given} {method}");
            } else {
                host.tell(&ask_in(MODERN, method, json!({})));
                assert_eq!(host.request().method().name(), method, "{given}");
            }
        }
        let mut host = serve(config(&given));
        for (method, member, _) in LISTS {
            if !answered.contains(&member) {
                assert_eq!(ask(&mut host, method, None)["error"]["code"], -32601, "{given} {method}");
            }
        }
    }
}

/// `basic/lifecycle`: what the catalog has is declared, and completion when the application says so.
#[test]
fn capabilities_follow_the_catalog() {
    let changes = json!({"listChanged": true});
    for (config, declared) in [
        (ServerConfig::new("s", "1"), json!({})),
        (config(&json!({"tools": []})), json!({"tools": changes})),
        (config(&json!({"resourceTemplates": []})), json!({"resources": changes})),
        (
            config(&all(&[])).completions(true),
            json!({"tools": changes, "resources": changes, "prompts": changes, "completions": {}}),
        ),
        (
            config(&all(&[])).capabilities(br#"{"prompts":{}}"#).unwrap().completions(true),
            json!({"prompts": {}}),
        ),
    ] {
        let answer = serve(config).ask(&ask_in(MODERN, "server/discover", json!({})));
        assert_eq!(answer["result"]["capabilities"], declared);
    }
}

/// `server/utilities/caching` of 2026-07-28: each list has hints there, the same scope on all pages, and none before.
///
/// R-CCH-001, R-CCH-002, R-CCH-004
#[test]
fn lists_carry_cache_hints_in_the_modern_era() {
    let hinted =
        || config(&all(&["a", "b"])).page_size(1).list_cache(CacheHint { ttl_ms: 7000, public: true });
    for (method, ..) in LISTS {
        let mut host = serve(hinted());
        let first = ask(&mut host, method, None);
        let second = ask(&mut host, method, Some(&first["result"]["nextCursor"]));
        for page in [first, second] {
            assert_eq!(page["result"]["ttlMs"], 7000);
            assert_eq!(page["result"]["cacheScope"], "public");
        }
        for revision in LEGACY {
            let answer = session(hinted(), revision, &json!({})).ask(&ask_in(revision, method, json!({})));
            assert!(answer["result"].get("ttlMs").is_none() && answer["result"].get("cacheScope").is_none());
        }
    }
}

fn grouped() -> Catalog {
    let tools = ["a", "b", "c", "d", "e"].map(|name| definition("tools", name).to_string());
    let audiences = [None, Some(&["admin"][..]), Some(&["staff", "admin"]), None, Some(&[])];
    let prompt = json!({"name": "open"}).to_string();
    let resource = json!({"uri": "t:secret", "name": "s"}).to_string();
    Catalog::new()
        .tools(tools.iter().zip(audiences).map(|(tool, audience)| match audience {
            None => Definition::new(json(tool)),
            Some(groups) => Definition::new(json(tool)).visible_to(groups.iter().copied()),
        }))
        .unwrap()
        .prompts([json(&prompt)])
        .unwrap()
        .resources([Definition::new(json(&resource)).visible_to(["admin"])])
        .unwrap()
}

fn member_of(groups: &[&str], principal: &str, page: usize) -> Host<Server> {
    let config = ServerConfig::new("server", "1")
        .catalog(Arc::new(grouped()))
        .page_size(page)
        .list_cache(CacheHint { ttl_ms: 1, public: true })
        .seal_keys(SealKeys(vec![[9; 32]]));
    let server = Server::new(Arc::new(config), Seed([1; 32]));
    let server = server.with_principal(principal).unwrap().with_groups(groups.iter().copied());
    Host::new(server)
}

/// `server/utilities/caching`, security: what a session may not see does not exist for it, and a list that depends on the
/// session is private on every page. One that does not stays public.
///
/// R-CCH-004, R-CCH-017
#[test]
fn entries_for_groups_exist_for_them_alone() {
    for (groups, visible) in [
        (&[][..], &["a", "d"][..]),
        (&["staff"], &["a", "c", "d"]),
        (&["admin"], &["a", "b", "c", "d"]),
        (&["x", "admin", "admin", "staff"], &["a", "b", "c", "d"]),
        (&["administrator", ""], &["a", "d"]),
    ] {
        for size in [1, 2, 100] {
            let mut host = member_of(groups, "p", size);
            let (mut seen, mut cursor) = (Vec::new(), None);
            loop {
                let page = ask(&mut host, "tools/list", cursor.as_ref());
                assert_eq!(page["result"]["cacheScope"], "private");
                seen.extend(listed(&page, "tools").into_iter().map(String::from));
                match page["result"].get("nextCursor") {
                    Some(next) => cursor = Some(next.clone()),
                    None => break,
                }
            }
            assert_eq!(seen, visible, "{groups:?} by {size}");
        }
        let mut host = member_of(groups, "p", 100);
        assert_eq!(ask(&mut host, "prompts/list", None)["result"]["cacheScope"], "public");
        for name in ["a", "b", "c", "d", "e"] {
            host.tell(&ask_in(MODERN, "tools/call", json!({"name": name})));
            if visible.contains(&name) {
                assert!(matches!(host.event(), Event::Request(_)), "{name}");
            } else {
                let refused = host.one()["error"].clone();
                let unknown =
                    host.ask(&ask_in(MODERN, "tools/call", json!({"name": "nobody"})))["error"].clone();
                assert_eq!(refused["code"], unknown["code"], "as if it did not exist");
                assert_eq!(refused["message"], json!(format!("Unknown tool: {name}")));
            }
        }
        host.tell(&ask_in(MODERN, "resources/read", json!({"uri": "t:secret"})));
        assert_eq!(host.sent().is_empty(), groups.contains(&"admin"));
    }
}

/// `server/utilities/pagination`: a cursor of a list that depends on the session is good for its principal and groups.
#[test]
fn cursors_of_a_private_list_are_its_readers() {
    let cursor =
        ask(&mut member_of(&["staff"], "ada", 1), "tools/list", None)["result"]["nextCursor"].clone();
    for (groups, principal, good) in [
        (&["staff"][..], "ada", true),
        (&["staff"], "eve", false),
        (&["staff", "admin"], "ada", false),
        (&[], "ada", false),
    ] {
        let answer = ask(&mut member_of(groups, principal, 1), "tools/list", Some(&cursor));
        if good {
            assert_eq!(listed(&answer, "tools"), ["c"]);
        } else {
            assert_eq!(answer["error"]["code"], -32602, "{groups:?} {principal}");
        }
    }
}

/// Names in `visible_to` that are in no list would show to all what few may see: refused, with their place.
#[test]
fn groups_are_given_beside_the_definitions() {
    let mut given = all(&["a"]);
    given["visible_to"] = json!({
        "tools": {"a": ["g"]}, "resources": {"t:a": ["g"]}, "resourceTemplates": {"t:a/{x}": []}, "prompts": {"a": ["g"]}
    });
    let mut host = Host::new(Server::new(Arc::new(config(&given)), Seed([1; 32])).with_groups(["g"]));
    let mut stranger = serve(config(&given));
    for (method, member, _) in LISTS {
        let expected: &[&str] = if member == "resourceTemplates" { &[] } else { &["a"] };
        assert_eq!(listed(&ask(&mut host, method, None), member), expected);
        assert_eq!(listed(&ask(&mut stranger, method, None), member), [""; 0]);
    }
    for (given, field) in [
        (json!({"tools": [], "visible_to": {"tools": {"a": ["g"]}}}), "visible_to.tools: `a`"),
        (json!({"visible_to": {"prompts": {"a": []}}}), "visible_to.prompts: `a`"),
        (json!({"visible_to": {"tool": {}}}), "visible_to: unknown field `tool`"),
        (json!({"tool": []}), "tool: unknown field"),
    ] {
        let error = Catalog::from_json(given.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(field), "{error}");
    }
    let many: Vec<String> = (0..64).map(|place| format!("g{place}")).collect();
    let tool = definition("tools", "a").to_string();
    let with = |groups: &[String]| {
        let definition = Definition::new(json(&tool)).visible_to(groups.iter().map(String::as_str));
        Catalog::new().tools([definition]).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(with(&many[..63]), Ok(()));
    assert!(with(&many).unwrap_err().starts_with("visible_to: "));
}

/// `server/tools` of each revision: an output schema of another type than `object` is of 2026-07-28 alone, `execution` of
/// 2025-11-25. A tool that runs only as a task doesn't exist where there are no tasks.
///
/// R-TOL-017, R-TOL-041
#[test]
fn a_tool_is_listed_as_its_readers_revision_has_it() {
    let input = json!({"type": "object"});
    let plain = json!({"name": "plain", "inputSchema": input, "outputSchema": {"type": "object"}, "x": [1]});
    let text =
        json!({"name": "text", "outputSchema": {"type": "string"}, "inputSchema": input, "title": "T"});
    let any = json!({"name": "any", "outputSchema": {}, "inputSchema": input});
    let long = json!({"execution": {"taskSupport": "optional"}, "name": "long", "inputSchema": input});
    let task = json!({"name": "task", "inputSchema": input, "execution": {"taskSupport": "required"}});
    let without = |tool: &Value, member: &str| {
        let mut tool = tool.clone();
        assert!(tool.as_object_mut().unwrap().remove(member).is_some());
        tool
    };
    let given = json!({"tools": [task, plain, text, any, long]});
    let (text_only, any_only) = (without(&text, "outputSchema"), without(&any, "outputSchema"));
    let no_tasks = json!([plain, text_only, any_only, without(&long, "execution")]);
    let tasks = json!([task, plain, text_only, any_only, long]);
    let newest = json!([without(&task, "execution"), plain, text, any, without(&long, "execution")]);
    for (revision, expected) in [
        ("2024-11-05", &no_tasks),
        ("2025-03-26", &no_tasks),
        ("2025-06-18", &no_tasks),
        ("2025-11-25", &tasks),
        ("2026-07-28", &newest),
    ] {
        for size in [1, 3, 10] {
            let config = config(&given).page_size(size);
            let mut host =
                if revision == MODERN { serve(config) } else { session(config, revision, &json!({})) };
            let ask = |method: &str, params: Value| ask_in(revision, method, params);
            let (mut seen, mut params) = (Vec::new(), json!({}));
            loop {
                let page = host.ask(&ask("tools/list", params));
                seen.extend(page["result"]["tools"].as_array().unwrap().clone());
                match page["result"].get("nextCursor") {
                    Some(next) => params = json!({"cursor": next}),
                    None => break,
                }
            }
            assert_eq!(&Value::from(seen), expected, "{revision}");
            host.tell(&ask("tools/call", json!({"name": "task"})));
            let is_there = expected.as_array().unwrap().iter().any(|tool| tool["name"] == "task");
            assert_eq!(host.sent().is_empty(), is_there, "{revision}");
        }
    }
}

/// `server/tools`, `server/resources`, `server/prompts`: list changed, of the kinds that changed. Templates are resources.
#[test]
fn a_new_catalog_tells_of_the_kinds_that_differ() {
    let told = |host: &mut Host<Server>| -> Vec<String> {
        host.sent().iter().map(|notice| notice["method"].as_str().unwrap().to_owned()).collect()
    };
    let before = all(&["a"]);
    let mut host = session(config(&before), NEWEST, &json!({}));
    for (member, notice) in [
        ("tools", "notifications/tools/list_changed"),
        ("resources", "notifications/resources/list_changed"),
        ("resourceTemplates", "notifications/resources/list_changed"),
        ("prompts", "notifications/prompts/list_changed"),
    ] {
        let mut after = before.clone();
        after[member] = json!([definition(member, "b")]);
        host.machine.set_catalog(host.now, catalog(&after));
        assert_eq!(told(&mut host), [notice], "{member}");
        host.machine.set_catalog(host.now, catalog(&after));
        assert_eq!(told(&mut host), [""; 0]);
        after["visible_to"] = json!({});
        after["visible_to"][member] = json!({});
        let key = definition(member, "b");
        let key =
            key.get("uri").or(key.get("uriTemplate")).unwrap_or(&key["name"]).as_str().unwrap().to_owned();
        after["visible_to"][member][key] = json!(["few"]);
        host.machine.set_catalog(host.now, catalog(&after));
        assert_eq!(told(&mut host), [notice], "who sees it is a change");
        host.machine.set_catalog(host.now, catalog(&before));
        told(&mut host);
    }
    let mut both = before.clone();
    both["resources"] = json!([]);
    both["resourceTemplates"] = json!([]);
    host.machine.set_catalog(host.now, catalog(&both));
    assert_eq!(told(&mut host).len(), 1);
}

/// What a definition must have is said with its place and member.
///
/// R-TOL-002, R-TOL-003, R-TOL-026, R-RES-007, R-RES-015
#[test]
fn a_definition_that_can_not_work_is_refused_where_it_is() {
    let tool = json!({"name": "a", "inputSchema": {"type": "object"}});
    for (given, field) in [
        (json!({"tools": [1]}), "tools[0]: must be an object"),
        (json!({"tools": [tool, {"name": "b"}]}), "tools[1].inputSchema: "),
        (json!({"tools": [{"name": "b", "inputSchema": null}]}), "tools[0].inputSchema: "),
        (json!({"tools": [{"name": "", "inputSchema": {"type": "object"}}]}), "tools[0].name: "),
        (json!({"tools": [tool, tool]}), "tools: the name `a` is there twice"),
        (
            json!({"tools": [{"name": "b", "inputSchema": {"type": "object"}, "outputSchema": true}]}),
            "tools[0].outputSchema: ",
        ),
        (
            json!({"tools": [{"name": "b", "inputSchema": {"type": "object"}, "execution": {"taskSupport": 1}}]}),
            "tools[0].execution.taskSupport: ",
        ),
        (json!({"resources": [{"name": "a"}]}), "resources[0].uri: "),
        (json!({"resources": [{"uri": "t:a"}]}), "resources[0].name: "),
        (json!({"resources": [{"uri": "a/b", "name": "a"}]}), "resources[0].uri: "),
        (json!({"resources": [{"uri": "1t:a", "name": "a"}]}), "resources[0].uri: "),
        (json!({"resources": [{"uri": "t:a b", "name": "a"}]}), "resources[0].uri: "),
        (json!({"resources": [{"uri": "t:caf\u{e9}", "name": "a"}]}), "resources[0].uri: "),
        (
            json!({"resources": [{"uri": "t:a", "name": "a"}, {"uri": "t:a", "name": "b"}]}),
            "resources: the uri `t:a` is there twice",
        ),
        (json!({"resourceTemplates": [{"name": "a"}]}), "resourceTemplates[0].uriTemplate: "),
        (json!({"resourceTemplates": [{"uriTemplate": "t:{x}"}]}), "resourceTemplates[0].name: "),
        (
            json!({"resourceTemplates": [{"uriTemplate": "t:{x", "name": "a"}]}),
            "resourceTemplates[0].uriTemplate: ",
        ),
        (json!({"prompts": [{}]}), "prompts[0].name: "),
        (json!({"prompts": [{"name": "a", "arguments": {}}]}), "prompts[0].arguments: "),
        (
            json!({"prompts": [{"name": "a", "arguments": [{"name": "x"}, {}]}]}),
            "prompts[0].arguments[1].name: ",
        ),
        (
            json!({"prompts": [{"name": "a", "arguments": [{"name": "x"}, {"name": "x"}]}]}),
            "prompts[0].arguments[1].name: `x` is there twice",
        ),
        (
            json!({"prompts": [{"name": "a", "arguments": [{"name": "x", "required": 1}]}]}),
            "prompts[0].arguments[0].required: ",
        ),
    ] {
        let error = Catalog::from_json(given.to_string().as_bytes()).expect_err(field).to_string();
        assert!(error.starts_with(field), "{given}: {error}");
        let mut whole = given.clone();
        whole["info"] = json!({"name": "n", "version": "1"});
        let same = ServerConfig::from_json(whole.to_string().as_bytes()).map(drop).unwrap_err().to_string();
        assert_eq!(same, error);
    }
}

/// `basic/index`: icons and other members are listed as they were given.
///
/// R-ICO-001
#[test]
fn members_that_the_engine_does_not_know_stay() {
    let icons = json!([{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]);
    for (method, member, _) in LISTS {
        let mut entry = definition(member, "a");
        entry["icons"] = icons.clone();
        entry["title"] = json!("A");
        entry["_meta"] = json!({"com.example/x": {"y": null}});
        let mut host = serve(config(&json!({member: [entry]})));
        assert_eq!(ask(&mut host, method, None)["result"][member], json!([entry]));
    }
}

/// Names and audiences of entries, in an order.
fn entries() -> impl Strategy<Value = Vec<(String, Option<Vec<&'static str>>)>> {
    let audience = prop::option::of(prop::sample::subsequence(vec!["a", "b", "c"], 0..=3));
    let name = prop::sample::select(vec!["p", "q", "r", "s", "t", "u", "v", "w"]).prop_map(String::from);
    prop::collection::btree_map(name, audience, 0..8)
        .prop_map(|entries| entries.into_iter().collect())
        .prop_shuffle()
}

fn catalog_of(entries: &[(String, Option<Vec<&'static str>>)]) -> Arc<Catalog> {
    let prompts: Vec<String> = entries
        .iter()
        .map(|(name, _)| json!({"name": name, "title": "x".repeat(name.len() * 40)}).to_string())
        .collect();
    let definitions = prompts.iter().zip(entries).map(|(prompt, (_, groups))| match groups {
        None => Definition::new(json(prompt)),
        Some(groups) => Definition::new(json(prompt)).visible_to(groups.iter().copied()),
    });
    Arc::new(Catalog::new().prompts(definitions).unwrap())
}

fn visible<'a>(entries: &'a [(String, Option<Vec<&'static str>>)], groups: &[&str]) -> Vec<&'a str> {
    let sees = |audience: &Option<Vec<&str>>| {
        audience.as_ref().is_none_or(|audience| audience.iter().any(|group| groups.contains(group)))
    };
    entries.iter().filter(|(_, audience)| sees(audience)).map(|(name, _)| name.as_str()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Pages of any size, in items or bytes, are together what the session sees, in order. If the catalog is replaced
    /// between them, nothing that stood behind the last item seen is left out.
    #[test]
    fn pages_together_are_the_list(
        before in entries(),
        after in entries(),
        replace_after in prop::option::of(1..4_usize),
        size in 1..5_usize,
        bytes in prop::sample::select(vec![300_usize, 600, 4 << 20]),
        groups in prop::sample::subsequence(vec!["a", "b", "x"], 0..=3),
    ) {
        let config = ServerConfig::new("server", "1")
            .catalog(catalog_of(&before))
            .page_size(size)
            .limits(limits(|limits| limits.message_bytes = bytes.max(600)));
        let server = Server::new(Arc::new(config), Seed([1; 32])).with_groups(groups.iter().copied());
        let mut host = Host::new(server);
        let (mut seen, mut cursor, mut pages) = (Vec::<String>::new(), None, 0);
        let mut expected: Vec<String> = visible(&before, &groups).into_iter().map(String::from).collect();
        loop {
            if replace_after == Some(pages) {
                host.machine.set_catalog(host.now, catalog_of(&after));
                host.sent();
                let last = seen.last().cloned().unwrap_or_default();
                let place = after.iter().position(|(name, _)| *name == last);
                let is_private = |entries: &[(String, Option<_>)]| entries.iter().any(|(_, groups)| groups.is_some());
                if after != before {
                    let (Some(place), true) = (place, is_private(&before) == is_private(&after)) else {
                        // The place is gone, or whose the cursor is became another question.
                        prop_assert_eq!(&ask(&mut host, "prompts/list", cursor.as_ref())["error"]["code"], -32602);
                        break;
                    };
                    expected.clone_from(&seen);
                    expected.extend(visible(&after[place + 1..], &groups).into_iter().map(String::from));
                }
            }
            let page = ask(&mut host, "prompts/list", cursor.as_ref());
            let items = listed(&page, "prompts");
            prop_assert!(items.len() <= size);
            seen.extend(items.into_iter().map(String::from));
            pages += 1;
            let Some(next) = page["result"].get("nextCursor") else {
                prop_assert_eq!(&seen, &expected);
                break;
            };
            cursor = Some(next.clone());
        }
    }
}
