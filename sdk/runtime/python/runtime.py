"""The Python SDK of Troupe: one file that needs Python 3.11 and nothing else.

It is made from the contract by `bun run contract`; changes by hand are lost.

    troupe = Troupe("http://127.0.0.1:3000", token=os.environ["TROUPE_TOKEN"])
    chat = troupe.create_chat({"agent_id": agent_id, "workspace_id": workspace_id})
    troupe.send_message(chat["id"], {"content": "Hello"})
    live = LiveText()
    for event in troupe.stream_chat_events(chat["id"], replay="all", wait="end"):
        if event["event"] == "message.delta":
            show(live.apply(event))  # the whole text so far

- Each operation of the contract is a method of `Troupe`. `list_all_…` goes through all pages, `wait_for_…`
  answers when a record has changed, `stream_…` gives typed events and resumes a stream that was cut.
- Requests that change something carry an `Idempotency-Key`: a temporary failure is tried again with the
  same key, and the change is made once.
- A refusal is an `ApiError`; each code has its class, for example `NotFoundError`.
- `verify_webhook` answers the event of a webhook, or raises.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import hashlib
import hmac
import http.client
import io
import json
import random
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import IO, Any, Literal, NotRequired, TypeAlias, TypedDict, TypeVar, Union

# === client ===

# === nouns ===


class TroupeError(Exception):
    """Everything that this file raises of its own."""


class ConnectionFailedError(TroupeError):
    """No answer came: the connection failed, or the time was up. The request may have been done."""


class StreamCutError(TroupeError):
    """A stream that cannot be resumed ended before its last event, or one that can did not come back."""


class WebhookSignatureError(TroupeError):
    """A webhook was not signed with this secret, or not in this time: do not believe it."""


class ApiError(TroupeError):
    """The service refused or failed. A code that has no class of its own is this."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The HTTP status.
        self.status = status
        #: Says what is wrong, for programs. The v1 surface has no codes; there it follows from the status.
        self.code = code
        #: Name it when you ask the operator.
        self.request_id = request_id
        self.details: Mapping[str, Any] = details or {}
        #: The seconds of `Retry-After`.
        self.retry_after = retry_after


# === errors ===

_CODES_BY_STATUS = {
    400: "invalid_request",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    409: "invalid_state",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    502: "provider_error",
    503: "unavailable",
    504: "timeout",
}


def _content_of(error: urllib.error.HTTPError) -> bytes:
    """The body of a refusal; none where it was cut, since the status still says what has happened."""
    try:
        content: bytes = error.read()
        return content
    except (OSError, http.client.HTTPException):
        return b""


def _error_of(status: int, headers: Mapping[str, str], content: bytes) -> ApiError:
    """The error of an answer; a body that is not the service's own still makes one."""
    try:
        parsed = json.loads(content)
    except ValueError:
        parsed = None
    body: Mapping[str, Any] = parsed if isinstance(parsed, dict) else {}
    given, message, details = body.get("code"), body.get("message"), body.get("details")
    code = given if isinstance(given, str) else _CODES_BY_STATUS.get(status, "internal_error")
    after = headers.get("retry-after") or ""
    return _ERROR_CLASSES.get(code, ApiError)(
        message if isinstance(message, str) else f"The service answered {status}",
        status=status,
        code=code,
        request_id=headers.get("x-request-id"),
        details=details if isinstance(details, dict) else {},
        retry_after=float(after) if after.isdigit() else None,
    )


# How requests go out. A temporary failure (no connection, 429, 5xx, a first request that is still
# running) is tried again with the same `Idempotency-Key`, so the change is made once.

_EVENT_STREAM = "text/event-stream"
# Delays of retries without `Retry-After`: 0.5 s, 1 s, 2 s, … at most 8 s, each up to a quarter shorter.
_FIRST_DELAY = 0.5
_LONGEST_DELAY = 8.0
_JITTER = 0.25
# Whoever is to wait for longer hears of it instead: a window of the rate limit is a minute.
_LONGEST_RETRY_AFTER = 60.0
# Times in a row that a stream may fail to come back.
_STREAM_RECONNECTS = 8
_PASSING_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
# Bytes of a stream that are taken at once.
_CHUNK = 65_536

_T = TypeVar("_T")

#: The content to send. Text is sent as UTF-8. A file that is open in binary mode, or pieces, are read while they
#: are sent; such a request is not retried, because the first attempt has read them.
BinaryBody: TypeAlias = Union[bytes, str, IO[bytes], Iterable[bytes]]


@dataclass(frozen=True)
class _Request:
    """A request to be, and how its answer is read."""

    method: str
    path: str
    query: Mapping[str, object] | None = None
    body: object = None
    #: The body is sent as it is, under this content type; without it, as JSON.
    content_type: str | None = None
    accept: str = "application/json"
    #: It goes without the token.
    is_public: bool = False
    #: It carries an `Idempotency-Key`.
    is_keyed: bool = False
    idempotency_key: str | None = None
    if_match: int | None = None
    timeout: float | None = None
    #: Where a stream goes on.
    last_event_id: str | None = None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The service redirects nobody, and a token goes to nobody else."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Transport:
    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str] | None,
        *,
        max_retries: int,
        timeout: float,
        stream_idle: float,
        headers: Mapping[str, str],
    ) -> None:
        self._base = base_url.rstrip("/")
        self._token = token
        self._max_retries = max_retries
        self._timeout = timeout
        self._stream_idle = stream_idle
        self._headers = headers
        self._opener = urllib.request.build_opener(_NoRedirect)

    def json(self, request: _Request) -> Any:
        """The JSON of the answer."""
        return self._retrying(_keyed(request), self._read_json)

    def changed(self, request: _Request) -> Any:
        """The JSON of the answer, or None where the service had nothing new (304)."""
        return self._retrying(request, self._read_changed)

    def text(self, request: _Request) -> str:
        return self.content(request).decode()

    def content(self, request: _Request) -> bytes:
        return self._retrying(_keyed(request), self._read) or b""

    def chunks(self, request: _Request) -> Generator[bytes, None, None]:
        """The content in pieces, as they arrive. Retried until it begins; `StreamCutError` where it ends early."""
        response = self._retrying(_keyed(request), self._open)
        expected = response.headers.get("Content-Length")
        received = 0
        try:
            while piece := response.read(_CHUNK):
                received += len(piece)
                yield piece
        except (OSError, http.client.HTTPException) as error:
            raise StreamCutError("The stream was cut") from error
        finally:
            response.close()
        if expected is not None and received < int(expected):
            raise StreamCutError("The stream was cut")

    def items(self, page: Callable[[str | None], Any], name: str) -> Generator[Any, None, None]:
        """Every item of every page."""
        cursor: str | None = None
        while True:
            found = page(cursor)
            yield from found[name]
            cursor = found.get("next_cursor")
            if cursor is None:
                return

    def once(self, request: _Request, last: Sequence[str]) -> Generator[Any, None, None]:
        """The events of a stream that has no cursor: if it is cut before one of `last`, `StreamCutError`."""
        asked = _keyed(replace(request, accept=_EVENT_STREAM, timeout=request.timeout or self._stream_idle))
        response = self._retrying(asked, self._open)
        try:
            for event in _events_of(response, _SseParser()):
                yield event
                if event["event"] in last:
                    return
        except (OSError, http.client.HTTPException) as error:
            raise StreamCutError("The stream was cut") from error
        finally:
            response.close()
        raise StreamCutError("The stream was cut")

    def resumed(self, request: _Request) -> Generator[Any, None, None]:
        """The events of a stream, which is resumed if its connection is cut.

        It is opened again at the last cursor. This ends with `stream.end`, with 204 (the stream is over), with a
        permanent error, or after too many failures in a row. A connection that brought an event or a heartbeat has
        not failed.
        """
        parser = _SseParser()
        asked = replace(request, accept=_EVENT_STREAM, timeout=request.timeout or self._stream_idle)
        failures = 0
        while True:
            cause: Exception | None = None
            parser.begin()
            try:
                with self._open(_resuming(asked, parser.last_event_id)) as response:
                    # The stream has ended, and the cursor is at its end.
                    if response.status == 204:
                        return
                    for event in _events_of(response, parser):
                        yield event
                        if event["event"] == "stream.end":
                            return
            except ApiError as error:
                if not _is_passing(error):
                    raise
                cause = error
            except (ConnectionFailedError, OSError, http.client.HTTPException) as error:
                cause = error
            if parser.is_alive:
                failures = 0
            if failures >= _STREAM_RECONNECTS:
                raise StreamCutError("The stream was cut") from cause
            time.sleep(_reopening_delay(parser.retry, cause, failures))
            failures += 1

    def _retrying(self, request: _Request, attempt: Callable[[_Request], _T]) -> _T:
        """What the attempt comes to, after as many as it takes and are allowed."""
        for count in range(self._max_retries):
            try:
                return attempt(request)
            except (ApiError, ConnectionFailedError) as error:
                delay = _delay_of(error, count) if _is_repeatable(request, error) else None
                if delay is None:
                    raise
                time.sleep(delay)
        return attempt(request)

    def _read(self, request: _Request, *, may_be_unchanged: bool = False) -> bytes | None:
        try:
            with self._open(request) as response:
                content: bytes = response.read()
                return content
        except ApiError as error:
            if error.status == 304 and may_be_unchanged:
                return None
            raise
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailedError(f"{request.method} {request.path}: {error}") from error

    def _read_json(self, request: _Request) -> Any:
        return _parsed(request, self._read(request))

    def _read_changed(self, request: _Request) -> Any:
        return _parsed(request, self._read(request, may_be_unchanged=True))

    def _open(self, request: _Request) -> Any:
        """The answer, of which nothing but the head has been read."""
        timeout = self._timeout if request.timeout is None else request.timeout
        content: Any = request.body
        if content is not None and request.content_type is None:
            content = json.dumps(content)
        if isinstance(content, str):
            content = content.encode()
        if isinstance(content, io.TextIOBase):
            # `http.client` would send its text as ISO 8859-1.
            raise TroupeError('Open the file in binary mode: open(path, "rb")')
        asked = urllib.request.Request(
            self._base + _path_of(request),
            content,
            self._headers_of(request),
            method=request.method,
        )
        try:
            return self._opener.open(asked, timeout=timeout)
        except urllib.error.HTTPError as error:
            with error:
                headers = {name.lower(): value for name, value in error.headers.items()}
                raise _error_of(error.code, headers, _content_of(error)) from None
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailedError(f"{request.method} {request.path}: {error}") from error

    def _headers_of(self, request: _Request) -> dict[str, str]:
        headers = {"Accept": request.accept}
        if not request.is_public:
            token = self._token() if callable(self._token) else self._token
            headers |= {**self._headers, **({} if token is None else {"Authorization": f"Bearer {token}"})}
        if request.body is not None:
            headers["Content-Type"] = request.content_type or "application/json"
        if request.idempotency_key is not None:
            headers["Idempotency-Key"] = request.idempotency_key
        if request.if_match is not None:
            headers["If-Match"] = str(request.if_match)
        if request.last_event_id is not None:
            headers["Last-Event-ID"] = request.last_event_id
        return headers


def _keyed(request: _Request) -> _Request:
    """The request with a key that all its attempts share."""
    if not request.is_keyed or request.idempotency_key is not None:
        return request
    return replace(request, idempotency_key=str(uuid.uuid4()))


def _parsed(request: _Request, content: bytes | None) -> Any:
    """The JSON of an answer; one that was cut off is none, and counts as no answer."""
    try:
        return None if content is None else json.loads(content)
    except ValueError as error:
        raise ConnectionFailedError(f"{request.method} {request.path}: the answer is not JSON") from error


def _resuming(request: _Request, cursor: str | None) -> _Request:
    return request if cursor is None else replace(request, last_event_id=cursor)


def _streamed(body: Mapping[str, object], stream: bool) -> dict[str, object]:
    """The body that says whether it is answered by a stream."""
    return {**body, "stream": stream}


def _segment(text: str) -> str:
    """An id as a piece of a path; what would be another path is refused."""
    if text in ("", ".", ".."):
        raise TroupeError(f"{text!r} is not an id")
    return urllib.parse.quote(text, safe="")


def _word(value: object) -> str:
    """A value of a query; several are joined by commas."""
    if isinstance(value, (list, tuple)):
        return ",".join(_word(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _path_of(request: _Request) -> str:
    given = [(name, value) for name, value in (request.query or {}).items() if value is not None]
    if not given:
        return request.path
    words = [(name, _word(value)) for name, value in given]
    return f"{request.path}?{urllib.parse.urlencode(words)}"


def _is_passing(error: ApiError) -> bool:
    """Whether the same request may go well a little later."""
    if error.code == "idempotency_in_progress":
        return True
    return error.status in _PASSING_STATUSES and error.code not in ("budget_exceeded", "quota_exceeded")


def _is_repeatable(request: _Request, error: Exception) -> bool:
    """Whether it does no harm to send the request again: with a key, as a read, or when nothing was done."""
    if isinstance(error, ApiError) and not _is_passing(error):
        return False
    # A file or pieces have been read by the first attempt.
    if request.content_type is not None and not isinstance(request.body, (bytes, bytearray, str)):
        return False
    is_safe = request.method == "GET" or request.idempotency_key is not None
    return is_safe or (isinstance(error, ApiError) and error.status == 429)


def _delay_of(error: Exception | None, attempt: int) -> float | None:
    """Seconds before the next attempt; None if that would be too long."""
    after = error.retry_after if isinstance(error, ApiError) else None
    if after is not None:
        return None if after > _LONGEST_RETRY_AFTER else after
    delay: float = min(_FIRST_DELAY * 2**attempt, _LONGEST_DELAY)
    return delay * (1 - random.random() * _JITTER)


def _reopening_delay(retry: float, cause: Exception | None, failures: int) -> float:
    """Seconds before a stream is opened again.

    They are what it asked for itself, longer with each failure in a row, and up to a quarter more, so that not
    all come back at once whom one restart has cut.
    """
    is_refused = isinstance(cause, ApiError) and cause.retry_after is not None
    delay = _delay_of(cause, failures) if is_refused or failures > 0 else 0.0
    return max(retry, _LONGEST_DELAY if delay is None else delay) * (1 + random.random() * _JITTER)


class _SseParser:
    """Reads Server-Sent Events as the HTML standard says, and keeps the cursor to come back with."""

    _LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")
    # Seconds that a stream may ask for at most.
    _LONGEST_RETRY = 60.0

    def __init__(self) -> None:
        #: The cursor of the last event that was given out; None before the first.
        self.last_event_id: str | None = None
        #: Seconds to wait before the stream is opened again; the stream may say its own.
        self.retry = 1.0
        #: Whether an event or a heartbeat has come over this connection.
        self.is_alive = False
        self._rest = ""
        self._event = ""
        self._id: str | None = None
        self._data: list[str] = []

    def begin(self) -> None:
        """The connection is new: what the last one left half said is forgotten."""
        self._rest = ""
        self.is_alive = False
        self._forget()

    def push(self, text: str) -> Iterator[Any]:
        """The events that are whole with this text. The cursor moves with each as it is taken."""
        *lines, self._rest = self._LINE_END.split(self._rest + text)
        for line in lines:
            if line != "":
                self._read(line)
                continue
            event = self._take()
            if event is not None:
                yield event

    def _read(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "":
            self.is_alive = self.is_alive or value.startswith("heartbeat")
        elif field == "event":
            self._event = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry = min(int(value) / 1_000, self._LONGEST_RETRY)

    def _take(self) -> dict[str, Any] | None:
        """What the lines before a blank one make; nothing where they had no data."""
        name, cursor, lines = self._event or "message", self._id, self._data
        self._forget()
        if cursor is not None:
            self.last_event_id = cursor
        if not lines:
            return None
        self.is_alive = True
        data = json.loads("\n".join(lines))
        if name == "stream.closing" and isinstance(data.get("resume_after"), str):
            self.last_event_id = data["resume_after"]
        return {"event": name, "data": data} if cursor is None else {"event": name, "id": cursor, "data": data}

    def _forget(self) -> None:
        self._event = ""
        self._id = None
        self._data = []


def _events_of(response: Any, parser: _SseParser) -> Iterator[Any]:
    """Reads what comes, as long as something does."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    while chunk := response.read1(_CHUNK):
        yield from parser.push(decoder.decode(chunk))


class LiveText:
    """The text of running messages, put together from the deltas of a stream.

    Give it every event of a chat's or a job's stream. It is right after cuts too: a delta says where in the
    message it ends, and an attempt that is begun anew takes its text back.
    """

    _ENCODING = "utf-16-le"

    def __init__(self) -> None:
        # Positions count UTF-16 units, of two bytes each.
        self._texts: dict[str, bytes] = {}

    def apply(self, event: Mapping[str, Any]) -> str | None:
        """The text of the message that the event is about, as far as it is known; None for other events."""
        name, data = event["event"], event["data"]
        message_id, position, text, content = (data.get(k) for k in ("message_id", "position", "text", "content"))
        if not isinstance(message_id, str):
            return None
        if isinstance(text, str) and isinstance(position, int):
            added = text.encode(self._ENCODING, "surrogatepass")
            start = 2 * position - len(added)
            kept = self._texts.get(message_id, b"")[:start]
            self._texts[message_id] = kept.ljust(start, b" ") + added
        elif name == "message.restarted":
            self._texts[message_id] = b""
        elif name == "message.completed" and isinstance(content, str):
            self._texts[message_id] = content.encode(self._ENCODING, "surrogatepass")
        else:
            return None
        return self._texts[message_id].decode(self._ENCODING, "replace")


# Seconds that a signature may be old, or ahead of this clock.
_TOLERANCE = 300


_OVER = frozenset({"completed", "failed", "cancelled"})
_WAIT_SECONDS = 20
_TOOL_RETRY_SECONDS = 0.5


def run_tools(
    troupe: Any,
    job_id: str,
    tools: Mapping[str, Callable[..., Any]],
    *,
    outage: float = 300.0,
) -> Any:
    """Runs the tools of a job until it is over, and returns the job.

    ``tools`` has a function by the name of each tool of the kind ``client``. It gets the input, and what it returns
    is sent as JSON if it is not a string; of an exception the model gets the message. After a crash, call this
    again with the same job: calls whose results are stored are not run again. ``outage`` is the longest time in
    seconds for which the service may be unreachable at once.
    """
    results: dict[str, dict[str, str] | None] = {}
    job: Any = None
    away_since: float | None = None
    while True:
        try:
            if job is None:
                job = troupe.get_job(job_id)
            if job["status"] in _OVER:
                return job
            call = next(
                (
                    one
                    for one in job["requested_tool_calls"]
                    if one["name"] in tools and results.get(one["id"], {}) is not None
                ),
                None,
            )
            if call is None:
                job = troupe.wait_for_job(job_id, since_version=job["version"], wait=_WAIT_SECONDS) or job
            else:
                # A result that could not be sent is sent again, and not made again.
                result = results.get(call["id"]) or _result_of(tools[call["name"]], call["arguments"])
                results[call["id"]] = result
                body = {"results": [{"tool_call_id": call["id"], **result}]}
                job = troupe.send_tool_results(job_id, body, idempotency_key=f"{job_id}:{call['id']}")
                results[call["id"]] = None
            away_since = None
        except (ApiError, ConnectionFailedError) as error:
            status = error.status if isinstance(error, ApiError) else 503
            job = None
            if status == 409:
                # Somebody else has sent the result, or it is too late: the job says how it goes on.
                results = dict.fromkeys(results)
                continue
            away_since = time.monotonic() if away_since is None else away_since
            if status < 500 or time.monotonic() - away_since > outage:
                raise
            time.sleep(_TOOL_RETRY_SECONDS)


def send_with_tools(
    troupe: Any,
    chat_id: str,
    message: Mapping[str, Any],
    *,
    idempotency_key: str | None = None,
    outage: float = 300.0,
) -> Any:
    """Sends a message, runs the tools that its job calls, and answers the job when it is over.

    ``message`` is the body of ``send_message`` with ``tools`` besides: a function by the name of each tool, as
    ``run_tools`` takes them. With ``idempotency_key`` a program that is started again goes on with the job that it
    began, and sends nothing twice; without it each call sends a message.
    """
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    body = {name: value for name, value in message.items() if name != "tools"}
    since = time.monotonic()
    while True:
        try:
            job = troupe.send_message(chat_id, body, idempotency_key=key)["job"]
            break
        except (ApiError, ConnectionFailedError) as error:
            is_refused = isinstance(error, ApiError) and error.status < 500
            if is_refused or time.monotonic() - since > outage:
                raise
            time.sleep(_TOOL_RETRY_SECONDS)
    return run_tools(troupe, job["id"], message["tools"], outage=outage)


def serve_tools(
    troupe: Any,
    agent_id: str,
    tools: Mapping[str, Callable[..., Any]],
    *,
    stop: threading.Event,
    poll: float = 1.0,
    jobs: int = 8,
    on_error: Callable[[Exception, str | None], None] | None = None,
) -> None:
    """Runs the tools of all jobs of an agent that act for this token's user, whoever sends the messages.

    It returns after ``stop`` is set, when the jobs that it serves are over. Start it again after a crash: jobs wait
    for it. ``jobs`` are served side by side, each in a thread of its own; ``poll`` is the seconds between two looks
    for more. ``on_error`` hears of what fails, with the job's id; the serving goes on.
    """
    served: set[str] = set()

    def serve(job_id: str) -> None:
        try:
            run_tools(troupe, job_id, tools)
        except Exception as error:
            if on_error is not None:
                on_error(error, job_id)
        finally:
            served.discard(job_id)

    with ThreadPoolExecutor(max_workers=jobs) as threads:
        while not stop.is_set():
            try:
                for job in troupe.list_all_jobs(agent_id=agent_id, status=["blocked"]):
                    if len(served) >= jobs:
                        break
                    is_ours = any(call["name"] in tools for call in job["requested_tool_calls"])
                    if is_ours and "tool_results" in job["allowed_actions"] and job["id"] not in served:
                        served.add(job["id"])
                        threads.submit(serve, job["id"])
            except (ApiError, ConnectionFailedError) as error:
                if on_error is not None:
                    on_error(error, None)
            stop.wait(poll)


def _result_of(tool: Callable[..., Any], given: Any) -> dict[str, str]:
    try:
        answer = tool(given)
    except Exception as error:
        return {"error": str(error)}
    return {"content": answer if isinstance(answer, str) else json.dumps(answer)}


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    secret: str | Sequence[str],
    *,
    tolerance: float = _TOLERANCE,
    now: float | None = None,
) -> WebhookEvent:
    """The event of a webhook that was signed with the secret; raises `WebhookSignatureError` for any other.

    Give the headers whatever their case, the body as it has come (the signature is over its bytes), and the
    signing secret, `whsec_…`; the old one too while it is being replaced. It takes `Service-Signature` and the
    headers of Standard Webhooks, and compares in constant time. `now` is in Unix seconds, in place of the
    present. An event may come more than once: its `id` is the same each time.
    """
    content = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    secrets = [secret] if isinstance(secret, str) else secret
    own = given.get("service-signature")
    if own is not None:
        parts = [part.strip() for part in own.split(",")]
        timestamp = next((part[2:] for part in parts if part.startswith("t=")), "")
        signatures = [_bytes_of_hex(part[3:]) for part in parts if part.startswith("v1=")]
        prefix, keys = f"{timestamp}.", [one.encode() for one in secrets]
    else:
        timestamp = given.get("webhook-timestamp", "")
        listed = given.get("webhook-signature", "").split(" ")
        signatures = [_bytes_of_base64(part[3:]) for part in listed if part.startswith("v1,")]
        prefix = f"{given.get('webhook-id', '')}.{timestamp}."
        keys = [_bytes_of_base64(one.removeprefix("whsec_")) for one in secrets]
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookSignatureError("There is no signature, or it has no timestamp")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise WebhookSignatureError("The signature is too old, or of another clock")
    for key in keys:
        if key == b"":
            raise WebhookSignatureError("The secret is none")
        expected = hmac.new(key, prefix.encode() + content, hashlib.sha256).digest()
        if any(hmac.compare_digest(expected, signature) for signature in signatures):
            event: WebhookEvent = json.loads(content)
            return event
    raise WebhookSignatureError("The signature is of another secret or another body")


def _bytes_of_hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _bytes_of_base64(text: str) -> bytes:
    try:
        standard = text.replace("-", "+").replace("_", "/")
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
