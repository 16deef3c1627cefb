//! Configurations of both ends.
use std::{sync::Arc, time::Duration};

use mcp_sansio::{
    SealKeys, Seed,
    event::CacheHint,
    json::Json,
    limits::Limits,
    revision::Revision,
    session::{Catalog, Client, ClientConfig, LogLevel, Server, ServerConfig},
    stdio::Connection,
    time::{Instant, WallClock},
};

use super::{Offer, Setup, Spoken};

/// The extension whose results the server may give, and their kind.
pub const EXTENSION: (&str, &str) = ("com.example/later", "later");

const TASKS: &str = r#""tasks":{"list":{},"cancel":{},"requests":{"#;
const LEVELS: [LogLevel; 8] = [
    LogLevel::Debug,
    LogLevel::Info,
    LogLevel::Notice,
    LogLevel::Warning,
    LogLevel::Error,
    LogLevel::Critical,
    LogLevel::Alert,
    LogLevel::Emergency,
];

pub fn level(number: u8) -> LogLevel {
    LEVELS[usize::from(number) % LEVELS.len()]
}

pub fn json(text: &str) -> Json<'_> {
    Json::parse(text.as_bytes()).expect("JSON")
}

fn all(of: &[String]) -> impl Iterator<Item = Json<'_>> {
    of.iter().map(|text| json(text))
}

/// Resources of the catalog are those with an even number.
pub fn uri(number: u8) -> String {
    format!("file:///r/{}", number % 4)
}

pub fn limits(setup: Setup) -> Limits {
    let mut limits = Limits::default();
    limits.ping_interval = setup.pings.then_some(Duration::from_secs(7));
    limits.listen_attempts = 3;
    limits.task_ttl = Duration::from_secs(40);
    limits.call_silence = Duration::from_secs(20);
    limits.call_total = Duration::from_secs(60);
    limits.input_timeout = Duration::from_secs(30);
    if setup.roomy {
        return limits;
    }
    limits.message_bytes = 2000;
    limits.depth = 16;
    limits.id_bytes = 32;
    limits.batch = 3;
    limits.requests = 4;
    limits.subscriptions = 3;
    limits.calls = 5;
    limits.events = 8;
    limits.output_bytes = 4000;
    limits.session_bytes = 8000;
    limits.cache_bytes = 1500;
    limits.list_pages = 3;
    limits.list_bytes = 1500;
    limits.error_replies = 2;
    limits.handler = Some(Duration::from_secs(25));
    limits.input_rounds = 2;
    limits.input_questions = 3;
    limits.state_bytes = 64;
    limits.open_questions = 3;
    limits.tasks = 2;
    limits.trace = 4;
    limits
}

pub fn catalog(offer: Offer) -> Option<Arc<Catalog>> {
    let (tools, prompts, resources, templates) = match offer {
        Offer::Nothing => return None,
        Offer::Little => (0, 1, 1, 1),
        Offer::Much => (3, 4, 2, 2),
    };
    let extra = |how_many: usize, text: &str| -> Vec<String> {
        (0..how_many).map(|n| text.replace('#', &n.to_string())).collect()
    };
    let mut tool = extra(tools, r#"{"name":"extra-#","inputSchema":{"type":"object"}}"#);
    tool.push(
        r#"{"name":"echo","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}"#.into(),
    );
    tool.push(
        r#"{"name":"long","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}"#.into(),
    );
    let prompt = extra(prompts, r#"{"name":"p-#","arguments":[{"name":"n"}]}"#);
    let resource: Vec<String> =
        (0..resources).map(|n| format!(r#"{{"uri":"{}","name":"r"}}"#, uri(n * 2))).collect();
    let template = extra(templates, r#"{"uriTemplate":"file:///t#/{n}","name":"t"}"#);
    let template: Vec<String> =
        template.into_iter().chain([r#"{"uriTemplate":"file:///r/{n}","name":"t"}"#.into()]).collect();
    let catalog = Catalog::new().tools(all(&tool)).expect("tools");
    let catalog = catalog.prompts(all(&prompt)).expect("prompts").resources(all(&resource));
    Some(Arc::new(catalog.expect("resources").templates(all(&template)).expect("templates")))
}

pub fn clock(now: Instant, millis: u32) -> WallClock {
    WallClock { at: now, unix_millis: 1_700_000_000_000 + u64::from(millis) }
}

pub fn server(setup: Setup) -> Connection<Server> {
    let capabilities = format!(
        r#"{{"tools":{{"listChanged":true}},"prompts":{{"listChanged":true}},"resources":{{"subscribe":true}},"logging":{{}},"completions":{{}},"extensions":{{"{}":{{}}}},{TASKS}"tools":{{"call":{{}}}}}}}}}}"#,
        EXTENSION.0
    );
    let mut config = ServerConfig::new("s", "1")
        .limits(limits(setup))
        .page_size(2)
        .list_cache(CacheHint { ttl_ms: 5000, public: true })
        .unknown_methods(true)
        .trace(true)
        .seal_keys(SealKeys(vec![[3; 32]]))
        .capabilities(capabilities.as_bytes())
        .and_then(|config| config.result_types(EXTENSION.0, &[EXTENSION.1]))
        .expect("a configuration");
    if let Some(catalog) = catalog(setup.catalog) {
        config = config.catalog(catalog);
    }
    let server = Server::new(Arc::new(config), Seed([1; 32]));
    Connection::new(server.with_clock(clock(Instant::from_nanos(0), 0)))
}

pub fn client(setup: Setup) -> Connection<Client> {
    let tasks = format!(r#",{TASKS}"sampling":{{"createMessage":{{}}}},"elicitation":{{"create":{{}}}}}}}}"#);
    let tasks = if setup.clock { tasks.as_str() } else { "" };
    let capabilities = format!(
        r#"{{"sampling":{{}},"elicitation":{{"form":{{}},"url":{{}}}},"roots":{{"listChanged":true}},"extensions":{{"{}":{{}}}}{tasks}}}"#,
        EXTENSION.0
    );
    let mut config = ClientConfig::new("c", "1")
        .limits(limits(setup))
        .probe(setup.probe)
        .trace(true)
        .capabilities(capabilities.as_bytes())
        .and_then(|config| config.result_types(EXTENSION.0, &[EXTENSION.1]))
        .expect("a configuration");
    let all: Vec<Revision> = Revision::all().collect();
    let one = match setup.spoken {
        Spoken::First => Some(0),
        Spoken::Second => Some(1),
        Spoken::Third => Some(2),
        Spoken::Fourth => Some(3),
        Spoken::Modern => Some(4),
        Spoken::All => None,
    };
    if let Some(one) = one {
        config = config.revisions(&all[one..=one]).expect("a revision");
    }
    let mut client = Client::new(Arc::new(config), Seed([2; 32]));
    if setup.clock {
        client = client.with_clock(clock(Instant::from_nanos(0), 0));
    }
    Connection::new(client)
}
