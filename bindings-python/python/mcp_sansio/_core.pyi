"""The engine: connections without I/O, and what they say."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, final

from ._errors import CallError
from .events import Event

__all__ = [
    "Audit",
    "ClientConnection",
    "Closed",
    "Completed",
    "Failed",
    "Fault",
    "Input",
    "InputOver",
    "Notification",
    "Over",
    "Progress",
    "Ready",
    "Request",
    "ServerConnection",
    "Subscribed",
    "Task",
    "Trace",
    "Watched",
    "Writable",
]

_Json: TypeAlias = str | bytes
_AsTask: TypeAlias = Literal["followed", "detached"]
_Purpose: TypeAlias = Literal[
    "list_tools", "list_resources", "list_templates", "list_prompts", "read_resource", "get_prompt", "complete"
]
_Change: TypeAlias = Literal["tools", "prompts", "resources", "resource"]

@final
class Ready:
    """The peer is known; calls may be made. A server never needs to wait for it."""

    __match_args__ = ("revision", "peer", "capabilities", "instructions")
    @property
    def revision(self) -> str:
        """The revision of the protocol."""
    @property
    def peer(self) -> str | None:
        """The peer's description of itself, JSON."""
    @property
    def capabilities(self) -> str | None:
        """The peer's capabilities, JSON."""
    @property
    def instructions(self) -> str | None:
        """The server's instructions, a JSON string."""

@final
class Request:
    """A request of the peer: answer it exactly once."""

    __match_args__ = (
        "handle",
        "method",
        "revision",
        "name",
        "params",
        "arguments",
        "meta",
        "template",
        "variables",
        "round",
        "task",
        "is_tool_call",
        "unchecked",
        "answers",
        "state",
        "failed",
        "previous",
        "nonce",
        "elicitations",
    )
    @property
    def handle(self) -> int:
        """Whom to answer."""
    @property
    def method(self) -> str:
        """Its method."""
    @property
    def revision(self) -> str:
        """The revision of this request."""
    @property
    def name(self) -> str | None:
        """The name of what is asked for: a tool's, for one."""
    @property
    def params(self) -> str | None:
        """Its params, JSON."""
    @property
    def arguments(self) -> str | None:
        """Its arguments, JSON."""
    @property
    def meta(self) -> str | None:
        """The `_meta` of its params, JSON."""
    @property
    def template(self) -> str | None:
        """The resource template that the URI matches."""
    @property
    def variables(self) -> str | None:
        """What the template's variables stand for, JSON; percent-encoding is kept."""
    @property
    def round(self) -> int:
        """0 the first time; n after n rounds of questions."""
    @property
    def task(self) -> str | None:
        """The id of the task that it runs as: the client was answered with that, and fetches the answer later."""
    @property
    def is_tool_call(self) -> bool:
        """Whether it calls a tool."""
    @property
    def unchecked(self) -> bool:
        """Whether the arguments are still to be checked against the tool's schema."""
    @property
    def answers(self) -> str | None:
        """The client's answers to the questions of the round before, a JSON object by key."""
    @property
    def state(self) -> bytes | None:
        """The state that was given with the questions: made by this service, for this principal and request."""
    @property
    def failed(self) -> str | None:
        """The keys without an answer for good, a JSON object by key, each with `code` and the client's `error`."""
    @property
    def previous(self) -> int | None:
        """The request of the round before, in the revisions with a handshake."""
    @property
    def nonce(self) -> str | None:
        """Names the round whose state came back, in hexadecimal: keep it where state is to be taken only once."""
    @property
    def elicitations(self) -> str | None:
        """The `elicitationId`s of questions that sent the user to a URL, a JSON object by key (2025-11-25)."""

@final
class Over:
    """A request that needs no answer any more."""

    __match_args__ = ("request", "reason")
    @property
    def request(self) -> int:
        """Which."""
    @property
    def reason(self) -> str:
        """`over.cancelled`, `over.closed`, `over.expired`, `over.input` or `over.handler_timeout`."""

@final
class Completed:
    """The result of a call."""

    __match_args__ = ("call", "result", "cached", "kind")
    @property
    def call(self) -> int:
        """Which call."""
    @property
    def result(self) -> str:
        """The result, JSON."""
    @property
    def cached(self) -> bool:
        """Whether it was answered from the cache."""
    @property
    def kind(self) -> str | None:
        """Its `resultType`, where that is one of an extension."""

@final
class Failed:
    """A call that has no result."""

    __match_args__ = ("call", "error")
    @property
    def call(self) -> int:
        """Which call."""
    @property
    def error(self) -> CallError:
        """Why: an exception, to be raised."""

@final
class Progress:
    """Progress of a call; never after its outcome."""

    __match_args__ = ("call", "params")
    @property
    def call(self) -> int:
        """Which call."""
    @property
    def params(self) -> str:
        """The notice's params, JSON."""

@final
class Task:
    """A call became a task, or the state of its task changed; its outcome follows."""

    __match_args__ = ("call", "state", "immediate")
    @property
    def call(self) -> int:
        """Which call."""
    @property
    def state(self) -> str:
        """The `Task` object, JSON: `taskId`, `status` and more."""
    @property
    def immediate(self) -> str | None:
        """A text that the model may be given at once, a JSON string."""

@final
class Subscribed:
    """A subscription is in force. Filters are objects, JSON."""

    __match_args__ = ("call", "filter", "missing", "again")
    @property
    def call(self) -> int:
        """Which call."""
    @property
    def filter(self) -> str:
        """The filter that the server honours."""
    @property
    def missing(self) -> str:
        """What was asked for beyond it and will not be told; `{}` if nothing."""
    @property
    def again(self) -> bool:
        """Whether it was interrupted, so that changes may have been missed: read again what it is about."""

@final
class Input:
    """A question to the client's application: answer it exactly once."""

    __match_args__ = ("handle", "call", "method", "params", "task")
    @property
    def handle(self) -> int:
        """Whom to answer."""
    @property
    def call(self) -> int | None:
        """The call that asks, where the wire tells."""
    @property
    def method(self) -> str:
        """Its method."""
    @property
    def params(self) -> str | None:
        """Its params, JSON."""
    @property
    def task(self) -> str | None:
        """The id of the task that it runs as."""

@final
class InputOver:
    """A question that needs no answer any more."""

    __match_args__ = ("input",)
    @property
    def input(self) -> int:
        """Which."""

@final
class Notification:
    """A notice of the peer that is not the engine's to handle."""

    __match_args__ = ("call", "method", "params")
    @property
    def call(self) -> int | None:
        """The call it belongs to."""
    @property
    def method(self) -> str:
        """Its method."""
    @property
    def params(self) -> str | None:
        """Its params, JSON."""

@final
class Watched:
    """The first subscriber of a resource came, or the last one went: what nobody watches needn't be published."""

    __match_args__ = ("uri", "wanted")
    @property
    def uri(self) -> str:
        """The resource."""
    @property
    def wanted(self) -> bool:
        """Whether anyone listens from now on."""

@final
class Fault:
    """The peer broke a rule; the engine has dealt with it."""

    __match_args__ = ("code", "page", "detail", "replied")
    @property
    def code(self) -> str:
        """A stable code, `fault.…`."""
    @property
    def page(self) -> str:
        """The page of the specification whose rule it is."""
    @property
    def detail(self) -> str:
        """What to tell a developer."""
    @property
    def replied(self) -> int | None:
        """The error code that was sent as answer."""

@final
class Writable:
    """There is room again after a command was `Blocked`."""

    __match_args__ = ()

@final
class Closed:
    """The end; nothing follows."""

    __match_args__ = ("reason",)
    @property
    def reason(self) -> str:
        """`close.local`, `close.peer`, `close.probe_closed`…."""

@final
class Audit:
    """What became of a request or question, without its payload, for a connection made with `audit`."""

    __match_args__ = ("kind", "method", "name", "outcome", "principal", "revision", "round", "at", "duration")
    @property
    def kind(self) -> str:
        """`request` or `input`."""
    @property
    def method(self) -> str:
        """Its method."""
    @property
    def name(self) -> str | None:
        """The tool, prompt, URI or task that it names."""
    @property
    def outcome(self) -> str:
        """How it ended: `ok`, `error:-32602`, `over.cancelled`."""
    @property
    def principal(self) -> str | None:
        """A digest of whom it was done for."""
    @property
    def revision(self) -> str | None:
        """The revision that it was read in."""
    @property
    def round(self) -> int:
        """Rounds of input before it."""
    @property
    def at(self) -> int:
        """When it ended, in nanoseconds."""
    @property
    def duration(self) -> int:
        """How long it took, in nanoseconds."""

@final
class Trace:
    """A message of the conversation, for a connection made with `trace`."""

    __match_args__ = ("sent", "at", "message", "revision")
    @property
    def sent(self) -> bool:
        """Sent by us, or received."""
    @property
    def at(self) -> int:
        """When, in nanoseconds."""
    @property
    def message(self) -> str:
        """The message, JSON."""
    @property
    def revision(self) -> str | None:
        """Its revision, as far as known."""

@final
class ServerConnection:
    """A server on one channel.

    `config` is a JSON object with `info` (`name`, `version`…) and, if wanted, `instructions`, `capabilities`, `tools`,
    `resources`, `resourceTemplates` and `prompts` (arrays of definitions), `visible_to` (the groups of entries that not
    everyone sees), `completions` (whether arguments are completed), `page_size`, `list_cache` (`ttl_ms`,
    `public`), `revisions`, `limits`, `seal_keys` (32 bytes each, base64), `result_types`, `unknown_methods` (deliver
    them), `task_notices` and `trace`. `seed` is fresh entropy, never used twice, that tests may fix.
    """

    def __new__(
        cls,
        config: _Json,
        *,
        messages: bool = False,
        seed: bytes | None = None,
        principal: str | None = None,
        groups: Sequence[str] = ...,
    ) -> ServerConnection:
        """Makes a connection that has said nothing yet.

        `principal` is the host's name for whom the channel belongs to, stable and never a token; `None` is nobody, who
        is not protected from other nobodies. `groups` decide which entries with `visible_to` are seen. Raises
        `ConfigError`.
        """
    def receive_data(self, data: bytes, now: int) -> None:
        """Takes in a piece of the peer's byte stream, cut anywhere."""
    def receive_message(self, message: _Json, now: int) -> None:
        """Takes in one message of a connection made with `messages=True`."""
    def receive_eof(self, now: int) -> None:
        """Takes in that the peer says no more, but still reads."""
    def connection_lost(self, now: int) -> None:
        """Takes in that nothing can be read or written any more."""
    def handle_timeout(self, now: int) -> None:
        """Fires what is due; before `next_timeout` it does nothing."""
    def next_timeout(self) -> int | None:
        """Says when `handle_timeout` is to be called, in nanoseconds; `None` for never."""
    @property
    def wants_read(self) -> bool:
        """False while more input should stay in the pipe."""
    @property
    def is_over(self) -> bool:
        """Whether everything was taken and `Closed` was delivered: the pipe may be closed."""
    def data_to_send(self, max_bytes: int | None = None) -> bytes:
        """Takes bytes to write, whole lines: until there are `max_bytes`, or all. Empty if there are none.

        Taking and writing is one critical section: threads that do both concurrently reorder the stream. Take
        only while the pipe has room: what is left here is counted by the limits.
        """
    def messages_to_send(self) -> list[str]:
        """Takes the messages to send of a connection made with `messages=True`."""
    def events_received(self) -> list[Event]:
        """Takes what happened, in order."""
    def call(
        self,
        method: str,
        params: _Json | None,
        now: int,
        *,
        silence_ms: int | None = None,
        total_ms: int | None = None,
        progress: bool = False,
        log_level: str | None = None,
        meta: _Json | None = None,
        task: _AsTask | None = None,
        task_ttl_ms: int | None = None,
        fresh: bool = False,
    ) -> int:
        """Starts a request to the peer and returns the call's handle; `Completed` or `Failed` follows.

        `params` and `meta` are JSON objects. `silence_ms` bounds the time without a sign of life, `total_ms`
        the whole. `task` has the peer run it as a task (2025-11-25) for `task_ttl_ms`: `"followed"` to its outcome, or
        `"detached"`, where the task itself is the result. `fresh` passes the cache by. Raises `LocalProtocolError`,
        as all commands do.
        """
    def progress(
        self,
        handle: int,
        progress: float,
        now: int,
        *,
        total: float | None = None,
        message: str | None = None,
    ) -> bool:
        """Sends progress of a live request or question; false if nobody asked for it or the value did not rise."""
    def task_status(self, handle: int, message: str, now: int) -> None:
        """Says, for a person to read, how the task that a request or question runs as is getting on."""
    def set_wall_clock(self, unix_millis: int, now: int) -> None:
        """Says that it is so many milliseconds since 1970 now.

        Whoever takes tasks or keeps sealed state says so before the conversation begins, and when the clock jumped.
        """
    def cancel(self, call: int, now: int, *, reason: str | None = None) -> None:
        """Takes a call back; its `Failed` follows."""
    def notify(self, method: str, params: _Json | None, now: int) -> None:
        """Sends a notice that belongs to no request."""
    def close(self, now: int, *, drain_ms: int = 0) -> None:
        """Refuses new work, lets what runs finish for `drain_ms`, then ends with `Closed`."""
    def stats(self) -> str:
        """Counters, as a JSON object."""
    def respond(
        self,
        request: int,
        result: _Json,
        now: int,
        *,
        ttl_ms: int = 0,
        public: bool = False,
    ) -> None:
        """Answers with a result, a JSON object, and how long and by whom it may be kept.

        Raises `AlreadyOver` if the request ended meanwhile, which is normal; never `Blocked`.
        """
    def respond_input_required(self, request: int, questions: _Json, now: int, *, state: bytes | None = None) -> None:
        """Answers with questions: `{"key": {"method": …, "params": …}}`, in either era.

        The same request comes again, with a `handle` of its own, the `answers`, and the `state`, which is sealed on
        the way. A key that is missing in the answers is to be asked again.
        """
    def respond_extension(self, request: int, result_type: str, result: _Json, now: int) -> None:
        """Answers with a kind of result that a negotiated extension defines: its `resultType`, and an object."""
    def respond_error(self, request: int, code: int, message: str, now: int, *, data: _Json | None = None) -> None:
        """Answers with an error of the application's own."""
    def respond_tool_error(self, request: int, text: str, now: int) -> None:
        """Answers that the tool failed, with a text for the model."""
    def respond_invalid_arguments(self, request: int, text: str, now: int) -> None:
        """Answers that the arguments do not fit, as the request's revision wants."""
    def respond_not_found(self, request: int, now: int) -> None:
        """Answers that what the request names does not exist: a resource, a prompt, a tool."""
    def respond_internal_error(self, request: int, now: int) -> None:
        """Answers for a failure that the peer need not know."""
    def respond_unsupported(self, request: int, now: int) -> None:
        """Answers that the application does not offer what was asked for."""
    def log(self, request: int | None, level: str, data: _Json, now: int, *, logger: str | None = None) -> bool:
        """Sends a log notice for a request, or for the session; false if nobody asked for it."""
    def publish(self, what: _Change, now: int, *, uri: str | None = None, concerns: str | None = None) -> None:
        """Tells those who asked that a list changed, or the `resource` of `uri`, which may be a part of `concerns`."""
    def lint(self) -> str:
        """Remarks on the catalog, a JSON array of objects with `code`, `place` and `text`."""
    def set_catalog(self, catalog: _Json, now: int) -> None:
        """Replaces the catalog, and tells clients that listen.

        `catalog` is a JSON object with any of `tools`, `resources`, `resourceTemplates` and `prompts`, each an array of
        definitions, and `visible_to`, the groups of entries that not everyone sees.
        """

@final
class ClientConnection:
    """A client on one channel.

    `config` is a JSON object with `info` (`name`, `version`…) and, if wanted, `capabilities`, `revisions` (the best
    first), `probe` (ask for the era before the handshake), `cache` (keep results), `limits`, `result_types`,
    `task_notices` and `trace`. `seed` is fresh entropy, never used twice, that tests may fix.
    """

    def __new__(
        cls,
        config: _Json,
        *,
        messages: bool = False,
        seed: bytes | None = None,
        principal: str | None = None,
    ) -> ClientConnection:
        """Makes a connection that has said nothing yet; `principal` as in `set_principal`.

        Raises `ConfigError`.
        """
    def receive_data(self, data: bytes, now: int) -> None:
        """Takes in a piece of the peer's byte stream, cut anywhere."""
    def receive_message(self, message: _Json, now: int) -> None:
        """Takes in one message of a connection made with `messages=True`."""
    def receive_eof(self, now: int) -> None:
        """Takes in that the peer says no more, but still reads."""
    def connection_lost(self, now: int) -> None:
        """Takes in that nothing can be read or written any more."""
    def handle_timeout(self, now: int) -> None:
        """Fires what is due; before `next_timeout` it does nothing."""
    def next_timeout(self) -> int | None:
        """Says when `handle_timeout` is to be called, in nanoseconds; `None` for never."""
    @property
    def wants_read(self) -> bool:
        """False while more input should stay in the pipe."""
    @property
    def is_over(self) -> bool:
        """Whether everything was taken and `Closed` was delivered: the pipe may be closed."""
    def data_to_send(self, max_bytes: int | None = None) -> bytes:
        """Takes bytes to write, whole lines: until there are `max_bytes`, or all. Empty if there are none.

        Taking and writing is one critical section: threads that do both concurrently reorder the stream. Take
        only while the pipe has room: what is left here is counted by the limits.
        """
    def messages_to_send(self) -> list[str]:
        """Takes the messages to send of a connection made with `messages=True`."""
    def events_received(self) -> list[Event]:
        """Takes what happened, in order."""
    def call(
        self,
        method: str,
        params: _Json | None,
        now: int,
        *,
        silence_ms: int | None = None,
        total_ms: int | None = None,
        progress: bool = False,
        log_level: str | None = None,
        meta: _Json | None = None,
        task: _AsTask | None = None,
        task_ttl_ms: int | None = None,
        fresh: bool = False,
    ) -> int:
        """Starts a request to the peer and returns the call's handle; `Completed` or `Failed` follows.

        `params` and `meta` are JSON objects. `silence_ms` bounds the time without a sign of life, `total_ms`
        the whole. `task` has the peer run it as a task (2025-11-25) for `task_ttl_ms`: `"followed"` to its outcome, or
        `"detached"`, where the task itself is the result. `fresh` passes the cache by. Raises `LocalProtocolError`,
        as all commands do.
        """
    def progress(
        self,
        handle: int,
        progress: float,
        now: int,
        *,
        total: float | None = None,
        message: str | None = None,
    ) -> bool:
        """Sends progress of a live request or question; false if nobody asked for it or the value did not rise."""
    def task_status(self, handle: int, message: str, now: int) -> None:
        """Says, for a person to read, how the task that a request or question runs as is getting on."""
    def set_wall_clock(self, unix_millis: int, now: int) -> None:
        """Says that it is so many milliseconds since 1970 now.

        Whoever takes tasks or keeps sealed state says so before the conversation begins, and when the clock jumped.
        """
    def cancel(self, call: int, now: int, *, reason: str | None = None) -> None:
        """Takes a call back; its `Failed` follows."""
    def notify(self, method: str, params: _Json | None, now: int) -> None:
        """Sends a notice that belongs to no request."""
    def close(self, now: int, *, drain_ms: int = 0) -> None:
        """Refuses new work, lets what runs finish for `drain_ms`, then ends with `Closed`."""
    def stats(self) -> str:
        """Counters, as a JSON object."""
    def start(self, now: int, *, remembered: str | None = None) -> None:
        """Begins with a probe or a handshake, or with nothing if the server's revision is remembered.

        `Ready` or `Closed` follows.
        """
    def call_tool(
        self,
        name: str,
        arguments: _Json | None,
        now: int,
        *,
        silence_ms: int | None = None,
        total_ms: int | None = None,
        progress: bool = False,
        log_level: str | None = None,
        meta: _Json | None = None,
        task: _AsTask | None = None,
        task_ttl_ms: int | None = None,
        output_schema: _Json | None = None,
    ) -> int:
        """Calls a tool, as `call`. `arguments` is a JSON object.

        A result that does not fit `output_schema`, the tool's own, ends the call with `call.invalid_result`.
        """
    def list_tools(
        self,
        now: int,
        *,
        cursor: str | None = None,
        silence_ms: int | None = None,
        total_ms: int | None = None,
        fresh: bool = False,
    ) -> int:
        """Asks for the first page of the tools, or for the one that a page's `nextCursor` names; as `call`."""
    def list_all(
        self,
        method: str,
        params: _Json | None,
        now: int,
        *,
        silence_ms: int | None = None,
        total_ms: int | None = None,
        meta: _Json | None = None,
        fresh: bool = False,
    ) -> int:
        """Asks for each page of a list, such as `prompts/list`; the result is one object with all items, as `call`.

        `params` is an object without `cursor`.
        """
    def probe(self, now: int) -> int:
        """Asks whether the server lives, and returns the call's handle."""
    def subscribe(
        self,
        now: int,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        uris: Sequence[str] = ...,
    ) -> int:
        """Subscribes to changes of the lists, and of the resources of these URIs; returns the call's handle.

        `Subscribed` follows, and `Completed` or `Failed` when it is over for good. `cancel` ends it.
        """
    def method_for(self, purpose: _Purpose) -> str:
        """The name that the revision in use has for a purpose."""
    def set_principal(self, principal: str | None) -> None:
        """Says whom calls are made for from now on; what the cache keeps for another is not used for them."""
    def answer(self, input: int, result: _Json, now: int) -> None:
        """Answers a question with a result, a JSON object."""
    def answer_error(self, input: int, code: int, message: str, now: int) -> None:
        """Answers a question with an error of the application's own."""
    def answer_unsupported(self, input: int, now: int) -> None:
        """Answers that the application has no answer."""
    def answer_internal_error(self, input: int, now: int) -> None:
        """Answers for a failure that the server need not know."""
