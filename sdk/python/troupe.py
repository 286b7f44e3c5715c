"""The Python SDK of Troupe: one file that needs Python 3.11 and nothing else.

It is made from the contract by `bun run contract`; changes by hand are lost.

    troupe = Troupe("http://127.0.0.1:3000", token=os.environ["TROUPE_TOKEN"])
    chat = troupe.create_chat({"agent_id": agent_id, "workspace_id": workspace_id})
    troupe.send_message(chat["id"], {"content": "Hello"})
    for event in troupe.stream_chat_events(chat["id"], replay="all", wait="end"):
        if event["event"] == "message.delta":
            print(event["data"]["text"], end="")

- Each operation of the contract is a method of `Troupe`. `list_all_…` goes through all pages, `wait_for_…`
  answers when a record has changed, `stream_…` gives typed events and goes on where it was cut.
- Requests that change something carry an `Idempotency-Key`: a failure that passes is tried again with the
  same key, and done once.
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
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, TypeVar, Union


# The version of the contract that this file was made from.
API_VERSION = "2026-11-01"


class Troupe:
    """A client of the service. It holds no connection and may be used by several threads."""

    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str] | None = None,
        *,
        max_retries: int = 3,
        timeout: float = 300.0,
        stream_idle: float = 35.0,
    ) -> None:
        """`base_url` is where the service is, for example `http://127.0.0.1:3000`.

        `token` is a personal access token or a service token; a function is asked before each request.
        `max_retries` is how often a failure that passes is tried again, `timeout` how many seconds the service
        may be silent in an answer, and `stream_idle` in a stream, where heartbeats come every ten seconds.
        """
        self._http = _Transport(
            base_url,
            token,
            max_retries=max_retries,
            timeout=timeout,
            stream_idle=stream_idle,
            headers={"Api-Version": API_VERSION},
        )

    # Agents: AI assistants: your own, and those of the library

    def list_agents(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AgentList:
        """List agents.

        The organization's agents and the caller's own private ones, newest first. The entries of the
        library that are not installed follow on the last of them.

        `GET /api/agents`. Needs `agents:read` or `agents:read`. May raise `InvalidCursorError`.
        """
        answer: AgentList = self._http.json(
            _Request(
                "GET",
                "/api/agents",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_agents(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Agent, None, None]:
        """List agents. All of them: the next page is asked for when it is needed.

        The organization's agents and the caller's own private ones, newest first. The entries of the
        library that are not installed follow on the last of them.

        `GET /api/agents`. Needs `agents:read` or `agents:read`. May raise `InvalidCursorError`.
        """
        return self._http.items(
            lambda cursor: self.list_agents(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "agents",
        )

    def create_agent(
        self,
        body: CreateAgentRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Agent:
        """Create a private agent.

        Nobody else sees it until its `visibility` is changed.

        `POST /api/agents`. Needs `agents:write` or `agents:write`. May raise `OwnerRequiredError`.
        """
        answer: Agent = self._http.json(
            _Request(
                "POST",
                "/api/agents",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_agent(self, agent_id: str, *, timeout: float | None = None) -> Agent:
        """Read an agent.

        `GET /api/agents/{id}`. Needs `agents:read` or `agents:read`. May raise `NotFoundError`.
        """
        answer: Agent = self._http.json(
            _Request(
                "GET",
                f"/api/agents/{_segment(agent_id)}",
                timeout=timeout,
            )
        )
        return answer

    def update_agent(
        self,
        agent_id: str,
        body: UpdateAgentRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> Agent:
        """Update an agent.

        What is absent stays as it is. Jobs that have begun keep the agent as it was.

        `PATCH /api/agents/{id}`. Needs `agents:write` or `agents:write`. May raise `OwnerRequiredError`,
        `ForbiddenError`, `NotFoundError`, `InvalidStateError` or `VersionConflictError`.
        """
        answer: Agent = self._http.json(
            _Request(
                "PATCH",
                f"/api/agents/{_segment(agent_id)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def delete_agent(
        self,
        agent_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Agent:
        """Delete a private agent.

        It is archived: no longer found, listed or executed. What it has done is kept.

        `DELETE /api/agents/{id}`. Needs `agents:write` or `agents:write`. May raise `NotFoundError` or
        `InvalidStateError`.
        """
        answer: Agent = self._http.json(
            _Request(
                "DELETE",
                f"/api/agents/{_segment(agent_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def set_agent_install_state(
        self,
        agent_id: str,
        body: SetAgentInstallStateRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Agent:
        """Install, uninstall or restore a library agent.

        Give `install_state`, or the `action`. `install` applies the library's settings; `restore` brings
        back those from before the agent was uninstalled.

        `PATCH /api/agents/{id}/install-state`. Needs `agents:write` or `agents:write`. May raise
        `NotFoundError`, `InvalidStateError` or `NotALibraryAgentError`.
        """
        answer: Agent = self._http.json(
            _Request(
                "PATCH",
                f"/api/agents/{_segment(agent_id)}/install-state",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Chats: Durable conversations with an agent

    def list_chats(
        self,
        *,
        agent_id: str | None = None,
        workspace_id: str | None = None,
        status: Literal["standby", "working", "done", "error", "needs_attention"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> ChatList:
        """List chats.

        `GET /api/chats`. Needs `chats:read` or `chats:read`. May raise `InvalidCursorError`.
        """
        answer: ChatList = self._http.json(
            _Request(
                "GET",
                "/api/chats",
                query={
                    "agent_id": agent_id,
                    "workspace_id": workspace_id,
                    "status": status,
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
            )
        )
        return answer

    def list_all_chats(
        self,
        *,
        agent_id: str | None = None,
        workspace_id: str | None = None,
        status: Literal["standby", "working", "done", "error", "needs_attention"] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Chat, None, None]:
        """List chats. All of them: the next page is asked for when it is needed.

        `GET /api/chats`. Needs `chats:read` or `chats:read`. May raise `InvalidCursorError`.
        """
        return self._http.items(
            lambda cursor: self.list_chats(
                agent_id=agent_id,
                workspace_id=workspace_id,
                status=status,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "chats",
        )

    def create_chat(
        self,
        body: CreateChatRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Chat:
        """Create a durable chat.

        `POST /api/chats`. Needs `chats:write` or `chats:write`. May raise `NotFoundError` or
        `InvalidStateError`.
        """
        answer: Chat = self._http.json(
            _Request(
                "POST",
                "/api/chats",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_chat(self, chat_id: str, *, timeout: float | None = None) -> Chat:
        """Read a chat.

        `GET /api/chats/{id}`. Needs `chats:read` or `chats:read`. May raise `NotFoundError`.
        """
        answer: Chat = self._http.json(
            _Request(
                "GET",
                f"/api/chats/{_segment(chat_id)}",
                timeout=timeout,
            )
        )
        return answer

    def wait_for_chat(
        self,
        chat_id: str,
        *,
        since_version: int | None = None,
        wait: int | None = None,
        timeout: float | None = None,
    ) -> Chat | None:
        """Read a chat. Answers as soon as `version` is past `since_version`; nothing where that did not
        happen within `wait` seconds.

        `GET /api/chats/{id}`. Needs `chats:read` or `chats:read`. May raise `NotFoundError`.
        """
        answer: Chat | None = self._http.changed(
            _Request(
                "GET",
                f"/api/chats/{_segment(chat_id)}",
                query={"since_version": since_version, "wait": wait},
                timeout=timeout,
            )
        )
        return answer

    def delete_chat(
        self,
        chat_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> DeletedChat:
        """Delete a chat.

        What runs in it is cancelled, and from then on nobody finds it.

        `DELETE /api/chats/{id}`. Needs `chats:write` or `chats:write`. May raise `NotFoundError`.
        """
        answer: DeletedChat = self._http.json(
            _Request(
                "DELETE",
                f"/api/chats/{_segment(chat_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def update_chat_options(
        self,
        chat_id: str,
        body: UpdateChatOptionsRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> Chat:
        """Update chat options.

        Merges the options that are given, bare or as `options`. A key that is no option is refused.

        `PATCH /api/chats/{id}/options`. Needs `chats:write` or `chats:write`. May raise `NotFoundError` or
        `VersionConflictError`.
        """
        answer: Chat = self._http.json(
            _Request(
                "PATCH",
                f"/api/chats/{_segment(chat_id)}/options",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def list_messages(
        self,
        chat_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> MessagePage:
        """Read messages and the durable work summary.

        The newest page first, each in the order of the conversation; `next_cursor` leads to the one
        before.

        `GET /api/chats/{id}/messages`. Needs `chats:read` or `chats:read`. May raise `InvalidCursorError`
        or `NotFoundError`.
        """
        answer: MessagePage = self._http.json(
            _Request(
                "GET",
                f"/api/chats/{_segment(chat_id)}/messages",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_messages(
        self,
        chat_id: str,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Message, None, None]:
        """Read messages and the durable work summary. All of them: the next page is asked for when it is
        needed.

        The newest page first, each in the order of the conversation; `next_cursor` leads to the one
        before.

        `GET /api/chats/{id}/messages`. Needs `chats:read` or `chats:read`. May raise `InvalidCursorError`
        or `NotFoundError`.
        """
        return self._http.items(
            lambda cursor: self.list_messages(
                chat_id,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "messages",
        )

    def send_message(
        self,
        chat_id: str,
        body: SendMessageRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> SentMessage:
        """Send a message to the agent.

        Answers when the message is stored; the job that answers it goes on. `on_busy` says what becomes of
        the message while a turn runs: `queue`, `steer` (the model gets it before its next call),
        `interrupt` (the turn is cancelled) or `reject`.

        `POST /api/chats/{id}/messages`. Needs `chats:write` or `chats:write`. May raise `ForbiddenError`,
        `NotFoundError`, `InvalidStateError`, `ChatBusyError`, `ApprovalPendingError`,
        `BudgetExceededError` or `ProviderError`.
        """
        answer: SentMessage = self._http.json(
            _Request(
                "POST",
                f"/api/chats/{_segment(chat_id)}/messages",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Jobs: Long-running work records

    def list_jobs(
        self,
        *,
        status: Literal[
            "queued",
            "running",
            "blocked",
            "needs_review",
            "cancelling",
            "completed",
            "failed",
            "cancelled",
        ] | None = None,
        agent_id: str | None = None,
        chat_id: str | None = None,
        workspace_id: str | None = None,
        mission_id: str | None = None,
        parent_job_id: str | None = None,
        created_after: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> JobList:
        """List jobs.

        All filters that are given must match.

        `GET /api/jobs`. Needs `jobs:read` or `jobs:read`. May raise `InvalidCursorError`.
        """
        answer: JobList = self._http.json(
            _Request(
                "GET",
                "/api/jobs",
                query={
                    "status": status,
                    "agent_id": agent_id,
                    "chat_id": chat_id,
                    "workspace_id": workspace_id,
                    "mission_id": mission_id,
                    "parent_job_id": parent_job_id,
                    "created_after": created_after,
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
            )
        )
        return answer

    def list_all_jobs(
        self,
        *,
        status: Literal[
            "queued",
            "running",
            "blocked",
            "needs_review",
            "cancelling",
            "completed",
            "failed",
            "cancelled",
        ] | None = None,
        agent_id: str | None = None,
        chat_id: str | None = None,
        workspace_id: str | None = None,
        mission_id: str | None = None,
        parent_job_id: str | None = None,
        created_after: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Job, None, None]:
        """List jobs. All of them: the next page is asked for when it is needed.

        All filters that are given must match.

        `GET /api/jobs`. Needs `jobs:read` or `jobs:read`. May raise `InvalidCursorError`.
        """
        return self._http.items(
            lambda cursor: self.list_jobs(
                status=status,
                agent_id=agent_id,
                chat_id=chat_id,
                workspace_id=workspace_id,
                mission_id=mission_id,
                parent_job_id=parent_job_id,
                created_after=created_after,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "jobs",
        )

    def get_job(self, job_id: str, *, timeout: float | None = None) -> Job:
        """Read status, metadata, artifacts, review state and links.

        `GET /api/jobs/{id}`. Needs `jobs:read` or `jobs:read`. May raise `NotFoundError`.
        """
        answer: Job = self._http.json(
            _Request(
                "GET",
                f"/api/jobs/{_segment(job_id)}",
                timeout=timeout,
            )
        )
        return answer

    def wait_for_job(
        self,
        job_id: str,
        *,
        since_version: int | None = None,
        wait: int | None = None,
        timeout: float | None = None,
    ) -> Job | None:
        """Read status, metadata, artifacts, review state and links. Answers as soon as `version` is past
        `since_version`; nothing where that did not happen within `wait` seconds.

        `GET /api/jobs/{id}`. Needs `jobs:read` or `jobs:read`. May raise `NotFoundError`.
        """
        answer: Job | None = self._http.changed(
            _Request(
                "GET",
                f"/api/jobs/{_segment(job_id)}",
                query={"since_version": since_version, "wait": wait},
                timeout=timeout,
            )
        )
        return answer

    def get_job_lineage(self, job_id: str, *, timeout: float | None = None) -> JobLineage:
        """Read related jobs.

        Its iterations, resumptions and delegations, and what it comes from itself.

        `GET /api/jobs/{id}/lineage`. Needs `jobs:read` or `jobs:read`. May raise `NotFoundError`.
        """
        answer: JobLineage = self._http.json(
            _Request(
                "GET",
                f"/api/jobs/{_segment(job_id)}/lineage",
                timeout=timeout,
            )
        )
        return answer

    def list_transcript_events(
        self,
        job_id: str,
        *,
        after: int | None = None,
        types: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> EventPage:
        """Read transcript events.

        The durable events of the job's stream, by pages.

        `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read` or `jobs:read`. May raise
        `NotFoundError`.
        """
        answer: EventPage = self._http.json(
            _Request(
                "GET",
                f"/api/jobs/{_segment(job_id)}/transcript-events",
                query={"after": after, "types": types, "limit": limit},
                timeout=timeout,
            )
        )
        return answer

    def list_all_transcript_events(
        self,
        job_id: str,
        *,
        types: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[RecordedEvent, None, None]:
        """Read transcript events. All of them: the next page is asked for when it is needed.

        The durable events of the job's stream, by pages.

        `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read` or `jobs:read`. May raise
        `NotFoundError`.
        """
        return self._http.items(
            lambda cursor: self.list_transcript_events(
                job_id,
                types=types,
                limit=limit,
                after=int(cursor) if cursor else None,
                timeout=timeout,
            ),
            "events",
        )

    def approve_job(
        self,
        job_id: str,
        body: ApproveJobRequest | None = None,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Job:
        """Approve reviewable work, or decide about tool calls that wait.

        Without an id it is meant for all calls that wait, or for the review. A denial leaves
        `resource.updated`.

        `POST /api/jobs/{id}/approve`. Needs `jobs:write` or `jobs:write`. May raise `ForbiddenError`,
        `NotFoundError` or `InvalidStateError`.
        """
        answer: Job = self._http.json(
            _Request(
                "POST",
                f"/api/jobs/{_segment(job_id)}/approve",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def cancel_job(
        self,
        job_id: str,
        *,
        wait: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> CancelReceipt:
        """Cancel running work.

        With `wait` it answers when the job has really stopped, with the last event that it has.

        `POST /api/jobs/{id}/cancel`. Needs `jobs:write` or `jobs:write`. May raise `NotFoundError` or
        `InvalidStateError`.
        """
        answer: CancelReceipt = self._http.json(
            _Request(
                "POST",
                f"/api/jobs/{_segment(job_id)}/cancel",
                query={"wait": wait},
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def resume_job(
        self,
        job_id: str,
        body: ResumeJobRequest | None = None,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Job:
        """Resume blocked work.

        A blocked job goes on itself; one that has failed or was cancelled goes on in a new one.

        `POST /api/jobs/{id}/resume`. Needs `jobs:write` or `jobs:write`. May raise `ForbiddenError`,
        `NotFoundError`, `InvalidStateError`, `ApprovalPendingError`, `BudgetExceededError` or
        `ProviderError`.
        """
        answer: Job = self._http.json(
            _Request(
                "POST",
                f"/api/jobs/{_segment(job_id)}/resume",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def iterate_job(
        self,
        job_id: str,
        body: IterateJobRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Job:
        """Request another iteration.

        Answers the review, where there is one, and begins another round in a new job.

        `POST /api/jobs/{id}/iterate`. Needs `jobs:write` or `jobs:write`. May raise `ForbiddenError`,
        `NotFoundError`, `InvalidStateError`, `ApprovalPendingError`, `BudgetExceededError` or
        `ProviderError`.
        """
        answer: Job = self._http.json(
            _Request(
                "POST",
                f"/api/jobs/{_segment(job_id)}/iterate",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Streams: Server-sent events that go on where they were left

    def stream_chat_events(
        self,
        chat_id: str,
        *,
        after: str | None = None,
        replay: str | None = None,
        wait: Literal["end"] | None = None,
        timeout: float | None = None,
    ) -> Generator[ChatStreamEvent, None, None]:
        """Stream chat events. Goes on by itself where it was cut, without a gap and without a repetition.

        A `snapshot` of the record comes first, then recent events, then what happens. The id of an event
        is the cursor to come back with: nothing is missed and nothing told twice. A cursor that is of no
        use is told by `reset`. Comments are heartbeats. The stream stays open, unless `wait=end` is asked
        for.

        `GET /api/chats/{id}/events`. Needs `chats:read`, `events:read`, `chats:read` or `events:read`. May
        raise `NotFoundError`.
        """
        return self._http.resumed(
            _Request(
                "GET",
                f"/api/chats/{_segment(chat_id)}/events",
                query={"after": after, "replay": replay, "wait": wait},
                timeout=timeout,
            )
        )

    def stream_job_events(
        self,
        job_id: str,
        *,
        after: str | None = None,
        replay: str | None = None,
        wait: Literal["end"] | None = None,
        timeout: float | None = None,
    ) -> Generator[JobStreamEvent, None, None]:
        """Stream job events. Goes on by itself where it was cut, without a gap and without a repetition.

        A `snapshot` of the record comes first, then recent events, then what happens. The id of an event
        is the cursor to come back with: nothing is missed and nothing told twice. A cursor that is of no
        use is told by `reset`. Comments are heartbeats. After the job's last event comes `stream.end`, and
        the stream closes.

        `GET /api/jobs/{id}/events`. Needs `jobs:read`, `events:read`, `jobs:read` or `events:read`. May
        raise `NotFoundError`.
        """
        return self._http.resumed(
            _Request(
                "GET",
                f"/api/jobs/{_segment(job_id)}/events",
                query={"after": after, "replay": replay, "wait": wait},
                timeout=timeout,
            )
        )

    # Embedded pages: Streams for pages that hold no token

    def stream_signed_job_events(
        self,
        job_id: str,
        *,
        sub: str | None = None,
        exp: str | None = None,
        sig: str | None = None,
        after: str | None = None,
        replay: str | None = None,
        timeout: float | None = None,
    ) -> Generator[JobStreamEvent, None, None]:
        """Stream job events by a signed address. Goes on by itself where it was cut, without a gap and
        without a repetition.

        A job's `links.app_stream` is such an address; it opens the stream for five minutes. The events are
        those of the job's stream.

        `GET /mcp-app/jobs/{id}/events`. May raise `InvalidSignatureError`.
        """
        return self._http.resumed(
            _Request(
                "GET",
                f"/mcp-app/jobs/{_segment(job_id)}/events",
                query={"sub": sub, "exp": exp, "sig": sig, "after": after, "replay": replay},
                is_public=True,
                timeout=timeout,
            )
        )

    # Tasks: Work items, assigned to agents or to people

    def list_tasks(
        self,
        *,
        status: Literal["pending", "in_progress", "completed", "cancelled"] | None = None,
        assigned_to: str | None = None,
        workspace_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> TaskList:
        """List tasks.

        All filters that are given must match.

        `GET /api/tasks`. Needs `tasks:read` or `tasks:read`. May raise `InvalidCursorError`.
        """
        answer: TaskList = self._http.json(
            _Request(
                "GET",
                "/api/tasks",
                query={
                    "status": status,
                    "assigned_to": assigned_to,
                    "workspace_id": workspace_id,
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
            )
        )
        return answer

    def list_all_tasks(
        self,
        *,
        status: Literal["pending", "in_progress", "completed", "cancelled"] | None = None,
        assigned_to: str | None = None,
        workspace_id: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Task, None, None]:
        """List tasks. All of them: the next page is asked for when it is needed.

        All filters that are given must match.

        `GET /api/tasks`. Needs `tasks:read` or `tasks:read`. May raise `InvalidCursorError`.
        """
        return self._http.items(
            lambda cursor: self.list_tasks(
                status=status,
                assigned_to=assigned_to,
                workspace_id=workspace_id,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "tasks",
        )

    def get_task(self, task_id: str, *, timeout: float | None = None) -> Task:
        """Read a task.

        `GET /api/tasks/{id}`. Needs `tasks:read` or `tasks:read`. May raise `NotFoundError`.
        """
        answer: Task = self._http.json(
            _Request(
                "GET",
                f"/api/tasks/{_segment(task_id)}",
                timeout=timeout,
            )
        )
        return answer

    def update_task(
        self,
        task_id: str,
        body: UpdateTaskRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> Task:
        """Update a task.

        What is absent stays as it is. A status moves as the interface says: `completed` and `cancelled`
        are final.

        `PATCH /api/tasks/{id}`. Needs `tasks:write` or `tasks:write`. May raise `NotFoundError`,
        `InvalidStateError` or `VersionConflictError`.
        """
        answer: Task = self._http.json(
            _Request(
                "PATCH",
                f"/api/tasks/{_segment(task_id)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    # Workspaces: Where the work of an organization happens

    def list_workspaces(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> WorkspaceList:
        """List workspaces.

        `GET /api/workspaces`. Needs `workspaces:read` or `workspaces:read`. May raise
        `InvalidCursorError`.
        """
        answer: WorkspaceList = self._http.json(
            _Request(
                "GET",
                "/api/workspaces",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_workspaces(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Workspace, None, None]:
        """List workspaces. All of them: the next page is asked for when it is needed.

        `GET /api/workspaces`. Needs `workspaces:read` or `workspaces:read`. May raise
        `InvalidCursorError`.
        """
        return self._http.items(
            lambda cursor: self.list_workspaces(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "workspaces",
        )

    def get_workspace(self, workspace_id: str, *, timeout: float | None = None) -> Workspace:
        """Read a workspace.

        `GET /api/workspaces/{id}`. Needs `workspaces:read` or `workspaces:read`. May raise
        `NotFoundError`.
        """
        answer: Workspace = self._http.json(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}",
                timeout=timeout,
            )
        )
        return answer

    # Models: The models that agents may use

    def list_models(self, *, timeout: float | None = None) -> ModelList:
        """List the models that the operator allows.

        `GET /api/models`. Needs `agents:read` or `agents:read`.
        """
        answer: ModelList = self._http.json(
            _Request(
                "GET",
                "/api/models",
                timeout=timeout,
            )
        )
        return answer

    # Usage: What the organization has used, and its budget

    def get_usage(
        self,
        *,
        group_by: Literal["agent", "model", "day"] | None = None,
        since: str | None = None,
        until: str | None = None,
        timeout: float | None = None,
    ) -> UsageReport:
        """Read usage by agent, model or day.

        `GET /api/usage`. Needs `jobs:read` or `jobs:read`.
        """
        answer: UsageReport = self._http.json(
            _Request(
                "GET",
                "/api/usage",
                query={"group_by": group_by, "since": since, "until": until},
                timeout=timeout,
            )
        )
        return answer

    # Secrets: Credentials that agents use and nobody reads; for owners

    def list_secrets(self, *, timeout: float | None = None) -> SecretList:
        """List the names of the secrets.

        `GET /api/secrets`. Needs `tokens:read` or `tokens:read`. May raise `OwnerRequiredError`.
        """
        answer: SecretList = self._http.json(
            _Request(
                "GET",
                "/api/secrets",
                timeout=timeout,
            )
        )
        return answer

    def put_secret(
        self,
        name: str,
        body: PutSecretRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Secret:
        """Write a secret.

        Makes it, or replaces its value.

        `PUT /api/secrets/{name}`. Needs `tokens:write` or `tokens:write`. May raise `OwnerRequiredError`.
        """
        answer: Secret = self._http.json(
            _Request(
                "PUT",
                f"/api/secrets/{_segment(name)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def delete_secret(
        self,
        name: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Secret:
        """Delete a secret.

        `DELETE /api/secrets/{name}`. Needs `tokens:write` or `tokens:write`. May raise
        `OwnerRequiredError` or `NotFoundError`.
        """
        answer: Secret = self._http.json(
            _Request(
                "DELETE",
                f"/api/secrets/{_segment(name)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Tokens: Credentials: service tokens for owners, personal ones for all

    def list_service_tokens(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> ServiceTokenList:
        """List the organization's service tokens.

        `GET /api/service-tokens`. Needs `tokens:read` or `tokens:read`. May raise `InvalidCursorError` or
        `OwnerRequiredError`.
        """
        answer: ServiceTokenList = self._http.json(
            _Request(
                "GET",
                "/api/service-tokens",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_service_tokens(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Token, None, None]:
        """List the organization's service tokens. All of them: the next page is asked for when it is needed.

        `GET /api/service-tokens`. Needs `tokens:read` or `tokens:read`. May raise `InvalidCursorError` or
        `OwnerRequiredError`.
        """
        return self._http.items(
            lambda cursor: self.list_service_tokens(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "service_tokens",
        )

    def create_service_token(
        self,
        body: CreateServiceTokenRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> NewToken:
        """Create a service token.

        The answer has the token, which is never shown again. No token makes a scope that it lacks itself.

        `POST /api/service-tokens`. Needs `tokens:write` or `tokens:write`. May raise `OwnerRequiredError`
        or `NotFoundError`.
        """
        answer: NewToken = self._http.json(
            _Request(
                "POST",
                "/api/service-tokens",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def revoke_service_token(
        self,
        token_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Token:
        """Revoke a service token.

        It counts from the next request on, and closes the token's open streams.

        `POST /api/service-tokens/{id}/revoke`. Needs `tokens:write` or `tokens:write`. May raise
        `OwnerRequiredError` or `NotFoundError`.
        """
        answer: Token = self._http.json(
            _Request(
                "POST",
                f"/api/service-tokens/{_segment(token_id)}/revoke",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def list_personal_access_tokens(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> PersonalAccessTokenList:
        """List your personal access tokens.

        `GET /api/personal-access-tokens`. Needs `tokens:read` or `tokens:read`. May raise
        `InvalidCursorError`.
        """
        answer: PersonalAccessTokenList = self._http.json(
            _Request(
                "GET",
                "/api/personal-access-tokens",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_personal_access_tokens(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Token, None, None]:
        """List your personal access tokens. All of them: the next page is asked for when it is needed.

        `GET /api/personal-access-tokens`. Needs `tokens:read` or `tokens:read`. May raise
        `InvalidCursorError`.
        """
        return self._http.items(
            lambda cursor: self.list_personal_access_tokens(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "personal_access_tokens",
        )

    def create_personal_access_token(
        self,
        body: CreatePersonalAccessTokenRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> NewToken:
        """Create a personal access token.

        The answer has the token, which is never shown again. No token makes a scope that it lacks itself.

        `POST /api/personal-access-tokens`. Needs `tokens:write` or `tokens:write`. May raise
        `NotFoundError`.
        """
        answer: NewToken = self._http.json(
            _Request(
                "POST",
                "/api/personal-access-tokens",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def revoke_personal_access_token(
        self,
        token_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Token:
        """Revoke a personal access token.

        It counts from the next request on, and closes the token's open streams.

        `POST /api/personal-access-tokens/{id}/revoke`. Needs `tokens:write` or `tokens:write`. May raise
        `NotFoundError`.
        """
        answer: Token = self._http.json(
            _Request(
                "POST",
                f"/api/personal-access-tokens/{_segment(token_id)}/revoke",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Webhooks: Where events are sent to, and what became of it

    def get_messaging_integration(self, *, timeout: float | None = None) -> MessagingIntegration:
        """Read the delivery configuration.

        `GET /api/messaging-integration`. Needs `webhooks:read` or `webhooks:read`. May raise
        `NotFoundError`.
        """
        answer: MessagingIntegration = self._http.json(
            _Request(
                "GET",
                "/api/messaging-integration",
                timeout=timeout,
            )
        )
        return answer

    def put_messaging_integration(
        self,
        body: PutMessagingIntegrationRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> MessagingIntegrationWithSecret:
        """Set the destination of events.

        For owners. The first time makes the signing secret, which is in the answer and never shown again.
        What still waits goes to the new address. Setting it again enables delivery unless `enabled` is
        false.

        `PUT /api/messaging-integration`. Needs `webhooks:write` or `webhooks:write`. May raise
        `InvalidEventTypeError`, `InvalidUrlError` or `OwnerRequiredError`.
        """
        answer: MessagingIntegrationWithSecret = self._http.json(
            _Request(
                "PUT",
                "/api/messaging-integration",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def list_deliveries(
        self,
        *,
        event_type: Literal[
            "agent.created",
            "agent.updated",
            "agent.deleted",
            "agent.install_state_changed",
            "chat.created",
            "chat.updated",
            "chat.deleted",
            "chat.message_sent",
            "job.created",
            "job.started",
            "job.blocked",
            "job.resumed",
            "job.review_requested",
            "job.approved",
            "job.iteration_requested",
            "job.cancelled",
            "job.completed",
            "job.failed",
            "job.restarted",
            "mission.created",
            "mission.updated",
            "mission.started",
            "mission.completed",
            "mission.failed",
            "mission.paused",
            "mission.resumed",
            "mission.run_skipped",
            "mission_task.created",
            "mission_task.updated",
            "mission_task.started",
            "mission_task.completed",
            "workspace.created",
            "workspace.selected",
            "workspace.app_created",
            "workspace_repository.added",
            "workspace_repository.cloned",
            "workspace_file.changed",
            "resource.created",
            "resource.updated",
            "resource.deleted",
            "service_token.created",
            "service_token.revoked",
            "webhook.configured",
            "webhook.secret_rotated",
            "webhook.test",
            "webhook.disabled",
            "webhook.redelivery_requested",
        ] | None = None,
        status: Literal["pending", "success", "failed", "retrying", "skipped"] | None = None,
        event_id: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> DeliveryList:
        """List attempts to deliver.

        The ledger, newest first: each attempt is a row. All filters that are given must match.

        `GET /api/messaging-integration/deliveries`. Needs `webhooks:read` or `webhooks:read`. May raise
        `InvalidCursorError` or `InvalidEventTypeError`.
        """
        answer: DeliveryList = self._http.json(
            _Request(
                "GET",
                "/api/messaging-integration/deliveries",
                query={
                    "event_type": event_type,
                    "status": status,
                    "event_id": event_id,
                    "since": since,
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
            )
        )
        return answer

    def list_all_deliveries(
        self,
        *,
        event_type: Literal[
            "agent.created",
            "agent.updated",
            "agent.deleted",
            "agent.install_state_changed",
            "chat.created",
            "chat.updated",
            "chat.deleted",
            "chat.message_sent",
            "job.created",
            "job.started",
            "job.blocked",
            "job.resumed",
            "job.review_requested",
            "job.approved",
            "job.iteration_requested",
            "job.cancelled",
            "job.completed",
            "job.failed",
            "job.restarted",
            "mission.created",
            "mission.updated",
            "mission.started",
            "mission.completed",
            "mission.failed",
            "mission.paused",
            "mission.resumed",
            "mission.run_skipped",
            "mission_task.created",
            "mission_task.updated",
            "mission_task.started",
            "mission_task.completed",
            "workspace.created",
            "workspace.selected",
            "workspace.app_created",
            "workspace_repository.added",
            "workspace_repository.cloned",
            "workspace_file.changed",
            "resource.created",
            "resource.updated",
            "resource.deleted",
            "service_token.created",
            "service_token.revoked",
            "webhook.configured",
            "webhook.secret_rotated",
            "webhook.test",
            "webhook.disabled",
            "webhook.redelivery_requested",
        ] | None = None,
        status: Literal["pending", "success", "failed", "retrying", "skipped"] | None = None,
        event_id: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Delivery, None, None]:
        """List attempts to deliver. All of them: the next page is asked for when it is needed.

        The ledger, newest first: each attempt is a row. All filters that are given must match.

        `GET /api/messaging-integration/deliveries`. Needs `webhooks:read` or `webhooks:read`. May raise
        `InvalidCursorError` or `InvalidEventTypeError`.
        """
        return self._http.items(
            lambda cursor: self.list_deliveries(
                event_type=event_type,
                status=status,
                event_id=event_id,
                since=since,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "deliveries",
        )

    def redeliver_event(
        self,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> RedeliverEventResult:
        """Send an event once more.

        For owners. To the present destination, signed with the present secret, whatever is subscribed to.

        `POST /api/messaging-integration/deliveries/{id}/redeliver`. Needs `webhooks:write` or
        `webhooks:write`. May raise `OwnerRequiredError`, `NotFoundError`, `InvalidStateError` or
        `EventNotRetainedError`.
        """
        answer: RedeliverEventResult = self._http.json(
            _Request(
                "POST",
                f"/api/messaging-integration/deliveries/{_segment(delivery_id)}/redeliver",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def redeliver_events(
        self,
        body: RedeliverEventsRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> RedeliverEventsResult:
        """Send a range of events once more.

        For owners. Events of the range that are kept no more are left out.

        `POST /api/messaging-integration/redeliver`. Needs `webhooks:write` or `webhooks:write`. May raise
        `InvalidEventTypeError`, `OwnerRequiredError`, `NotFoundError` or `InvalidStateError`.
        """
        answer: RedeliverEventsResult = self._http.json(
            _Request(
                "POST",
                "/api/messaging-integration/redeliver",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def rotate_signing_secret(
        self,
        body: RotateSigningSecretRequest | None = None,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> MessagingIntegrationWithSecret:
        """Replace the signing secret.

        For owners. The new secret counts at once and is never shown again. For `grace_seconds` deliveries
        carry a second signature by the old one.

        `POST /api/messaging-integration/signing-secret/rotate`. Needs `webhooks:write` or
        `webhooks:write`. May raise `OwnerRequiredError` or `NotFoundError`.
        """
        answer: MessagingIntegrationWithSecret = self._http.json(
            _Request(
                "POST",
                "/api/messaging-integration/signing-secret/rotate",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def test_messaging_integration(
        self,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TestMessagingIntegrationResult:
        """Send a signed test.

        An event of type `webhook.test` and source `test`, whatever is subscribed to.

        `POST /api/messaging-integration/test`. Needs `webhooks:write` or `webhooks:write`. May raise
        `NotFoundError` or `InvalidStateError`.
        """
        answer: TestMessagingIntegrationResult = self._http.json(
            _Request(
                "POST",
                "/api/messaging-integration/test",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def verify_signature(
        self,
        body: VerifySignatureRequest,
        *,
        timeout: float | None = None,
    ) -> SignatureVerification:
        """Say why a signature does not verify.

        `POST /api/messaging-integration/verify`. Needs `webhooks:read` or `webhooks:read`. May raise
        `NotFoundError`.
        """
        answer: SignatureVerification = self._http.json(
            _Request(
                "POST",
                "/api/messaging-integration/verify",
                body=body,
                timeout=timeout,
            )
        )
        return answer

    # Events: What has happened, by its number

    def list_events(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> EventFeed:
        """Read the events after a number.

        For owners, as the webhook is. The same bodies as webhooks deliver, oldest first. Ask again with
        `after` set to `last_sequence`. Events are kept for 30 days.

        `GET /api/events`. Needs `events:read` or `events:read`. May raise `OwnerRequiredError` or
        `EventNotRetainedError`.
        """
        answer: EventFeed = self._http.json(
            _Request(
                "GET",
                "/api/events",
                query={"after": after, "limit": limit},
                timeout=timeout,
            )
        )
        return answer

    # Insight: How the service moves, and whether it is well

    def list_state_machines(self, *, timeout: float | None = None) -> StateMachineList:
        """Read the state machines of jobs, chats and tasks.

        `GET /api/state-machines`. Needs `jobs:read` or `jobs:read`.
        """
        answer: StateMachineList = self._http.json(
            _Request(
                "GET",
                "/api/state-machines",
                timeout=timeout,
            )
        )
        return answer

    def check_invariants(self, *, timeout: float | None = None) -> InvariantReport:
        """Check what must always hold.

        For owners. Counts what must never be; each count is 0 in a service that is well.

        `GET /api/invariants`. Needs `jobs:read` or `jobs:read`. May raise `OwnerRequiredError`.
        """
        answer: InvariantReport = self._http.json(
            _Request(
                "GET",
                "/api/invariants",
                timeout=timeout,
            )
        )
        return answer

    # Service: The service about itself, for anybody

    def get_version(self, *, timeout: float | None = None) -> ServiceVersion:
        """Read what is deployed.

        `GET /api/version`.
        """
        answer: ServiceVersion = self._http.json(
            _Request(
                "GET",
                "/api/version",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_open_api(self, *, timeout: float | None = None) -> dict[str, Any]:
        """Read the contract.

        This document.

        `GET /api/openapi.json`.
        """
        answer: dict[str, Any] = self._http.json(
            _Request(
                "GET",
                "/api/openapi.json",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_reference(self, *, timeout: float | None = None) -> str:
        """Open the interactive reference.

        A page for people. `#error-<code>` explains an error code.

        `GET /api/reference`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/reference",
                is_public=True,
                timeout=timeout,
            )
        )

    def get_rate_limit_policy(self, *, timeout: float | None = None) -> RateLimitPolicy:
        """Read the rate-limit policy.

        `GET /api/rate-limits`.
        """
        answer: RateLimitPolicy = self._http.json(
            _Request(
                "GET",
                "/api/rate-limits",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_deprecation_policy(self, *, timeout: float | None = None) -> DeprecationPolicy:
        """Read the versioning and deprecation policy.

        `GET /api/deprecation-policy`.
        """
        answer: DeprecationPolicy = self._http.json(
            _Request(
                "GET",
                "/api/deprecation-policy",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_agent_readiness(self, *, timeout: float | None = None) -> AgentReadiness:
        """Read what an agent needs to use the service.

        `GET /api/agent-readiness`.
        """
        answer: AgentReadiness = self._http.json(
            _Request(
                "GET",
                "/api/agent-readiness",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_agent_api_manifest(self, *, timeout: float | None = None) -> AgentApiManifest:
        """Read where crawlers and agents begin.

        `GET /.well-known/teamday-agent-api`.
        """
        answer: AgentApiManifest = self._http.json(
            _Request(
                "GET",
                "/.well-known/teamday-agent-api",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_sdk_manifest(self, *, timeout: float | None = None) -> SdkManifest:
        """Read which SDKs there are, with their hashes.

        `GET /api/sdk/manifest`.
        """
        answer: SdkManifest = self._http.json(
            _Request(
                "GET",
                "/api/sdk/manifest",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_type_script_sdk(self, *, timeout: float | None = None) -> str:
        """Get the TypeScript SDK.

        One file that needs nothing else, made from this contract.

        `GET /api/sdk/typescript`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/sdk/typescript",
                is_public=True,
                timeout=timeout,
            )
        )

    def get_python_sdk(self, *, timeout: float | None = None) -> str:
        """Get the Python SDK.

        One file that needs nothing but the standard library, made from this contract.

        `GET /api/sdk/python`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/sdk/python",
                is_public=True,
                timeout=timeout,
            )
        )

    def get_sdk_examples(self, *, timeout: float | None = None) -> SdkExamples:
        """Read how to get and use the SDKs.

        `GET /api/sdk-examples`.
        """
        answer: SdkExamples = self._http.json(
            _Request(
                "GET",
                "/api/sdk-examples",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_llms_text(self, *, timeout: float | None = None) -> str:
        """Read the same as text for language models.

        `GET /llms.txt`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/llms.txt",
                is_public=True,
                timeout=timeout,
            )
        )

    # V1 agents: Agents on the v1 surface

    def v1_list_agents(self, *, timeout: float | None = None) -> V1AgentList:
        """List agents.

        The organization's agents, newest first, at most 1,000. Archived and private ones are in nobody's
        list.

        `GET /api/v1/agents`. Needs `agents:read` or `agents:read`.
        """
        answer: V1AgentList = self._http.json(
            _Request(
                "GET",
                "/api/v1/agents",
                timeout=timeout,
            )
        )
        return answer

    def v1_create_agent(
        self,
        body: V1CreateAgentRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> V1CreatedAgent:
        """Create agent.

        `POST /api/v1/agents`. Needs `agents:write` or `agents:write`.
        """
        answer: V1CreatedAgent = self._http.json(
            _Request(
                "POST",
                "/api/v1/agents",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def v1_get_agent(self, agent_id: str, *, timeout: float | None = None) -> V1AgentAnswer:
        """Get agent.

        `GET /api/v1/agents/{id}`. Needs `agents:read` or `agents:read`. May raise `NotFoundError`.
        """
        answer: V1AgentAnswer = self._http.json(
            _Request(
                "GET",
                f"/api/v1/agents/{_segment(agent_id)}",
                timeout=timeout,
            )
        )
        return answer

    def v1_update_agent(
        self,
        agent_id: str,
        body: V1UpdateAgentRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> V1Done:
        """Update agent.

        What is absent stays as it is. A changed prompt takes effect on the next execution.

        `PATCH /api/v1/agents/{id}`. Needs `agents:write` or `agents:write`. May raise `ForbiddenError` or
        `NotFoundError`.
        """
        answer: V1Done = self._http.json(
            _Request(
                "PATCH",
                f"/api/v1/agents/{_segment(agent_id)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def v1_delete_agent(
        self,
        agent_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> V1Done:
        """Soft-delete agent.

        It is archived: no longer found, listed, changed or executed. Its history is kept.

        `DELETE /api/v1/agents/{id}`. Needs `agents:write` or `agents:write`. May raise `NotFoundError` or
        `InvalidStateError`.
        """
        answer: V1Done = self._http.json(
            _Request(
                "DELETE",
                f"/api/v1/agents/{_segment(agent_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # V1 execution: One message to an agent, answered whole or as a stream

    def v1_execute_agent(
        self,
        agent_id: str,
        body: V1ExecuteAgentRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> V1ExecutionResult:
        """Execute agent.

        With `stream: true` the answer is an event stream: `meta` first, then `message`s, then `result`, or
        `error`. A client that leaves does not end the work. Send `sessionId` and `chatId` of an earlier
        answer to go on with its conversation.

        `POST /api/v1/agents/{id}/execute`. Needs `chats:write` or `chats:write`. May raise
        `NotFoundError`, `InvalidStateError`, `BudgetExceededError`, `ProviderError` or `ApiTimeoutError`.
        """
        answer: V1ExecutionResult = self._http.json(
            _Request(
                "POST",
                f"/api/v1/agents/{_segment(agent_id)}/execute",
                body=_streamed(body, False),
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def v1_execute_agent_stream(
        self,
        agent_id: str,
        body: V1ExecuteAgentRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Generator[V1ExecutionEvent, None, None]:
        """Execute agent.

        With `stream: true` the answer is an event stream: `meta` first, then `message`s, then `result`, or
        `error`. A client that leaves does not end the work. Send `sessionId` and `chatId` of an earlier
        answer to go on with its conversation.

        `POST /api/v1/agents/{id}/execute`. Needs `chats:write` or `chats:write`. May raise
        `NotFoundError`, `InvalidStateError`, `BudgetExceededError`, `ProviderError` or `ApiTimeoutError`.
        """
        return self._http.once(
            _Request(
                "POST",
                f"/api/v1/agents/{_segment(agent_id)}/execute",
                body=_streamed(body, True),
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            ),
            last=("result", "error"),
        )

    # V1 tasks: Tasks on the v1 surface

    def v1_list_tasks(
        self,
        *,
        status: Literal["pending", "in_progress", "completed", "cancelled"] | None = None,
        assigned_to: str | None = None,
        space_id: str | None = None,
        timeout: float | None = None,
    ) -> V1TaskList:
        """List tasks.

        All filters that are given must match. At most 1,000, newest first.

        `GET /api/v1/tasks`. Needs `tasks:read` or `tasks:read`.
        """
        answer: V1TaskList = self._http.json(
            _Request(
                "GET",
                "/api/v1/tasks",
                query={"status": status, "assignedTo": assigned_to, "spaceId": space_id},
                timeout=timeout,
            )
        )
        return answer

    def v1_create_task(
        self,
        body: V1CreateTaskRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> V1TaskAnswer:
        """Create task.

        The new task is `pending`. Assigning it starts nothing by itself.

        `POST /api/v1/tasks`. Needs `tasks:write` or `tasks:write`.
        """
        answer: V1TaskAnswer = self._http.json(
            _Request(
                "POST",
                "/api/v1/tasks",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer


class AgentApprovalExpiry(TypedDict):
    after_seconds: int
    on_expiry: Literal["deny", "cancel"]


class AgentMcpServersItemHeadersItem(TypedDict):
    name: str
    secret: str
    prefix: NotRequired[str]


class AgentMcpServersItem(TypedDict):
    name: str
    url: str
    headers: NotRequired[list[AgentMcpServersItemHeadersItem]]


class Agent(TypedDict):
    """An AI assistant with a name, a role and instructions"""

    # The agent's id; entries of the library have ids of their own
    id: str
    # Display name
    name: str
    # What the agent is
    role: str
    # What it is for
    description: str | None
    # Its instructions; null for readers of other organizations
    system_prompt: str | None
    # `provider:name`; null for the service's default
    model: str | None
    visibility: Literal["private", "organization", "public", "unlisted"]
    source: Literal["private", "library"]
    status: Literal["active", "archived"]
    install_state: Literal["available", "installed", "uninstalled"]
    allowed_tools: list[str]
    # Tools whose calls wait for a person
    approval_tools: list[str]
    # How long such a call waits, and what becomes of it then
    approval_expiry: AgentApprovalExpiry
    mcp_servers: list[AgentMcpServersItem]
    # Model calls of one job
    max_steps: int | None
    tags: list[str]
    # Who made it; null for an entry of the library that is not installed
    created_by: str | None
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str | None
    # ISO 8601 UTC with milliseconds
    updated_at: str | None
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]


class AgentApiManifestAuthentication(TypedDict):
    type: str
    header: str
    format: str


class AgentApiManifest(TypedDict):
    """Where crawlers and agents begin"""

    name: str
    description: str
    version: str
    # A version of the contract, by date
    api_version: str
    base_url: str
    # The OpenAPI 3.1 document
    openapi: str
    # The reference
    reference: str
    # The manifest for agents
    agent_readiness: str
    # The rate-limit policy
    rate_limits: str
    # The deprecation policy
    deprecation_policy: str
    # What is deployed
    deployed_version: str
    # The same as text
    llms_txt: str
    authentication: AgentApiManifestAuthentication
    # The MCP endpoint
    mcp: str | None
    sdks: list[str]


class AgentList(TypedDict):
    """A page of agents, newest first"""

    agents: list[Agent]
    # Where the next page begins; absent on the last
    next_cursor: NotRequired[str]


class AgentReadinessContract(TypedDict):
    # The OpenAPI 3.1 document
    openapi: str
    # The same for people
    reference: str
    # A version of the contract, by date
    api_version: str
    version_header: str


class AgentReadinessAuthenticationItem(TypedDict):
    type: str
    header: str
    kinds: list[str]
    how: str


class AgentReadinessScopesItem(TypedDict):
    name: str
    allows: str


class AgentReadinessMcp(TypedDict):
    # The endpoint
    url: str
    transport: str


class AgentReadinessSdksItem(TypedDict):
    language: str
    # The source, one file
    source: str


class AgentReadinessRateLimits(TypedDict):
    # The policy
    policy: str
    limit: int
    window_seconds: int


class AgentReadinessIdempotency(TypedDict):
    header: str
    answer_header: str
    remembered_seconds: int
    how: str


class AgentReadinessStreams(TypedDict):
    content_type: str
    paths: list[str]
    resume: str


class AgentReadinessWebhooks(TypedDict):
    # Where they are configured
    configuration: str
    verification: str


class AgentReadinessErrorsCodesItem(TypedDict):
    code: str
    status: int
    meaning: str
    remedy: str
    # The same in the reference
    url: str


class AgentReadinessErrors(TypedDict):
    fields: list[str]
    codes: list[AgentReadinessErrorsCodesItem]


class AgentReadinessChangelogVersionsItem(TypedDict):
    # A version of the contract, by date
    version: str
    changes: str


class AgentReadinessChangelog(TypedDict):
    versions: list[AgentReadinessChangelogVersionsItem]
    # What is to go
    deprecations: str


class AgentReadiness(TypedDict):
    """What an agent needs to use the service by itself"""

    name: str
    description: str
    contract: AgentReadinessContract
    authentication: list[AgentReadinessAuthenticationItem]
    scopes: list[AgentReadinessScopesItem]
    mcp: AgentReadinessMcp | None
    sdks: list[AgentReadinessSdksItem]
    rate_limits: AgentReadinessRateLimits
    idempotency: AgentReadinessIdempotency
    streams: AgentReadinessStreams
    webhooks: AgentReadinessWebhooks | None
    errors: AgentReadinessErrors
    changelog: AgentReadinessChangelog


class Approval(TypedDict):
    """A call of a tool that waits for a person"""

    # The approval's id
    id: str
    # The tool
    tool_name: str
    # The call
    tool_call_id: str
    # What the tool would be called with
    arguments: dict[str, Any]
    # What is asked
    message: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    on_expiry: Literal["deny", "cancel"]


class ApproveJobRequest(TypedDict):
    approval_id: NotRequired[str]
    tool_call_id: NotRequired[str]
    decision: NotRequired[Literal["approve", "deny"]]
    # In place of the model's; at most 64 KiB as JSON
    arguments: NotRequired[dict[str, Any]]
    comment: NotRequired[str]


class BlockText(TypedDict):
    type: Literal["text"]
    text: str


class BlockReasoning(TypedDict):
    type: Literal["reasoning"]
    text: str


class BlockToolUse(TypedDict):
    type: Literal["tool_use"]
    id: str
    name: str
    input: dict[str, Any]


class BlockToolResult(TypedDict):
    type: Literal["tool_result"]
    tool_use_id: str
    content: str
    is_error: bool


# A piece of a message: text, what the model thought before it, a call of a tool, or what the tool answered
Block: TypeAlias = Union[
    "BlockText",
    "BlockReasoning",
    "BlockToolUse",
    "BlockToolResult",
]


class CancelReceipt(TypedDict):
    """How a job was stopped"""

    job: Job
    # After this event there is none; null until it has stopped
    stopped_at_seq: int | None
    # The message with what there was; absent where there was nothing
    partial_message_id: NotRequired[str]
    # Calls of tools that were finished
    tool_calls_finished: int
    # Calls of tools that were not
    tool_calls_aborted: int


class Chat(TypedDict):
    """A durable conversation with an agent"""

    # The chat's id
    id: str
    # What it is called
    title: str
    status: Literal["standby", "working", "done", "error", "needs_attention"]
    # Who answers
    agent_id: str
    # What the agent was called when the chat was opened
    agent_name: str
    # Where it is
    workspace_id: str
    options: ChatOptions
    # Messages in it
    message_count: int
    # A job's id
    active_job_id: str | None
    # Messages that wait for their turn
    queued_messages: int
    # The mission whose run it is
    mission_id: str | None
    run_number: int | None
    # The beginning of the newest message
    last_message_preview: str | None
    # The seq of its newest event
    last_seq: int
    # What its maker gave it
    metadata: dict[str, Any]
    # Who opened it
    created_by: str
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]


class ChatList(TypedDict):
    """A page of chats, newest first"""

    chats: list[Chat]
    # Where the next page begins; absent on the last
    next_cursor: NotRequired[str]


class ChatOptions(TypedDict):
    """What the people in a chat may set"""

    # In place of the agent's own; null leaves it
    model: str | None
    # What becomes of a message while a turn runs
    on_busy: Literal["queue", "steer", "interrupt", "reject"]
    # In place of the agent's own; null leaves them
    tools: list[str] | None
    # Calls that would wait for a person are made at once
    auto_approve: bool
    # What it is called
    title: str
    pinned: bool


class ChatStreamEventSnapshot(TypedDict):
    event: Literal["snapshot"]
    data: Chat


class ChatStreamEventMessageCreatedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["message.created"]
    # ISO 8601 UTC with milliseconds
    at: str
    message_id: str
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    job_id: str | None


class ChatStreamEventMessageCreated(TypedDict):
    event: Literal["message.created"]
    # The cursor that has it
    id: str
    data: ChatStreamEventMessageCreatedData


class ChatStreamEventMessageQueuedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["message.queued"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    message_id: str
    position: int


class ChatStreamEventMessageQueued(TypedDict):
    event: Literal["message.queued"]
    # The cursor that has it
    id: str
    data: ChatStreamEventMessageQueuedData


class ChatStreamEventMessageStartedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["message.started"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    message_id: str
    attempt: int


class ChatStreamEventMessageStarted(TypedDict):
    event: Literal["message.started"]
    # The cursor that has it
    id: str
    data: ChatStreamEventMessageStartedData


class ChatStreamEventMessageRestartedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["message.restarted"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    message_id: str
    attempt: int


class ChatStreamEventMessageRestarted(TypedDict):
    event: Literal["message.restarted"]
    # The cursor that has it
    id: str
    data: ChatStreamEventMessageRestartedData


class ChatStreamEventMessageCompletedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["message.completed"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    message_id: str
    status: Literal["completed", "cancelled", "failed"]
    content: str


class ChatStreamEventMessageCompleted(TypedDict):
    event: Literal["message.completed"]
    # The cursor that has it
    id: str
    data: ChatStreamEventMessageCompletedData


class ChatStreamEventToolStartedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["tool.started"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    call_id: str
    name: str


class ChatStreamEventToolStarted(TypedDict):
    event: Literal["tool.started"]
    # The cursor that has it
    id: str
    data: ChatStreamEventToolStartedData


class ChatStreamEventToolCompletedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["tool.completed"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    call_id: str


class ChatStreamEventToolCompleted(TypedDict):
    event: Literal["tool.completed"]
    # The cursor that has it
    id: str
    data: ChatStreamEventToolCompletedData


class ChatStreamEventToolFailedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["tool.failed"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    call_id: str


class ChatStreamEventToolFailed(TypedDict):
    event: Literal["tool.failed"]
    # The cursor that has it
    id: str
    data: ChatStreamEventToolFailedData


class ChatStreamEventRoutingUpdatedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["routing.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    model: str | None


class ChatStreamEventRoutingUpdated(TypedDict):
    event: Literal["routing.updated"]
    # The cursor that has it
    id: str
    data: ChatStreamEventRoutingUpdatedData


class ChatStreamEventApprovalRequestedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["approval.requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    approval_id: str
    tool_name: str
    tool_call_id: str
    arguments: dict[str, Any]
    message: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    on_expiry: Literal["deny", "cancel"]


class ChatStreamEventApprovalRequested(TypedDict):
    event: Literal["approval.requested"]
    # The cursor that has it
    id: str
    data: ChatStreamEventApprovalRequestedData


class ChatStreamEventApprovalResolvedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["approval.resolved"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    approval_id: str
    tool_call_id: str
    decision: Literal["approve", "deny", "expired"]
    by: str | None
    arguments: NotRequired[dict[str, Any]]


class ChatStreamEventApprovalResolved(TypedDict):
    event: Literal["approval.resolved"]
    # The cursor that has it
    id: str
    data: ChatStreamEventApprovalResolvedData


class ChatStreamEventReviewUpdatedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["review.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    state: Literal["none", "pending", "approved", "changes_requested", "expired"]
    decided_by: str | None
    comment: str | None


class ChatStreamEventReviewUpdated(TypedDict):
    event: Literal["review.updated"]
    # The cursor that has it
    id: str
    data: ChatStreamEventReviewUpdatedData


class ChatStreamEventJobLinkedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.linked"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    message_id: str


class ChatStreamEventJobLinked(TypedDict):
    event: Literal["job.linked"]
    # The cursor that has it
    id: str
    data: ChatStreamEventJobLinkedData


class ChatStreamEventJobUpdatedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    status: Literal[
        "queued",
        "running",
        "blocked",
        "needs_review",
        "cancelling",
        "completed",
        "failed",
        "cancelled",
    ]
    blocked_reason: Literal[
        "approval_required",
        "input_required",
        "auth_required",
        "budget_reached",
        "interrupted",
    ] | None


class ChatStreamEventJobUpdated(TypedDict):
    event: Literal["job.updated"]
    # The cursor that has it
    id: str
    data: ChatStreamEventJobUpdatedData


class ChatStreamEventChatUpdatedDataOptions(TypedDict):
    model: NotRequired[str | None]
    on_busy: NotRequired[Literal["queue", "steer", "interrupt", "reject"]]
    tools: NotRequired[list[str] | None]
    auto_approve: NotRequired[bool]
    title: NotRequired[str]
    pinned: NotRequired[bool]


class ChatStreamEventChatUpdatedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["chat.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    status: NotRequired[Literal["standby", "working", "done", "error", "needs_attention"]]
    options: NotRequired[ChatStreamEventChatUpdatedDataOptions]
    deleted: NotRequired[bool]


class ChatStreamEventChatUpdated(TypedDict):
    event: Literal["chat.updated"]
    # The cursor that has it
    id: str
    data: ChatStreamEventChatUpdatedData


class ChatStreamEventUsageUpdatedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["usage.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    input_tokens: int
    output_tokens: int


class ChatStreamEventUsageUpdated(TypedDict):
    event: Literal["usage.updated"]
    # The cursor that has it
    id: str
    data: ChatStreamEventUsageUpdatedData


class ChatStreamEventErrorData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["error"]
    # ISO 8601 UTC with milliseconds
    at: str
    job_id: str
    code: Literal[
        "provider_unreachable",
        "provider_unauthorized",
        "provider_rate_limited",
        "provider_error",
        "provider_stalled",
        "provider_rejected",
        "model_unavailable",
        "step_limit",
        "timeout",
        "attempts_exhausted",
        "internal_error",
    ]
    message: str


class ChatStreamEventError(TypedDict):
    event: Literal["error"]
    # The cursor that has it
    id: str
    data: ChatStreamEventErrorData


class ChatStreamEventMessageDeltaData(TypedDict):
    # The message that it belongs to
    message_id: str
    # Where the text ends in the message's content, in UTF-16 units
    position: int
    # What is added
    text: str


class ChatStreamEventMessageDelta(TypedDict):
    event: Literal["message.delta"]
    # The cursor that has it
    id: str
    data: ChatStreamEventMessageDeltaData


class ChatStreamEventResetData(TypedDict):
    # Why the cursor is of no use
    reason: Literal["malformed", "ahead_of_head", "not_retained"]
    # The replay begins with this event
    from_seq: int


class ChatStreamEventReset(TypedDict):
    event: Literal["reset"]
    data: ChatStreamEventResetData


class ChatStreamEventStreamClosingData(TypedDict):
    reason: Literal["deploy", "unavailable", "revoked", "slow_consumer", "expired", "moved"]
    # The cursor to come back with
    resume_after: str | None


class ChatStreamEventStreamClosing(TypedDict):
    event: Literal["stream.closing"]
    data: ChatStreamEventStreamClosingData


class ChatStreamEventStreamEndData(TypedDict):
    pass


class ChatStreamEventStreamEnd(TypedDict):
    event: Literal["stream.end"]
    data: ChatStreamEventStreamEndData


# An event of a chat's stream
ChatStreamEvent: TypeAlias = Union[
    "ChatStreamEventSnapshot",
    "ChatStreamEventMessageCreated",
    "ChatStreamEventMessageQueued",
    "ChatStreamEventMessageStarted",
    "ChatStreamEventMessageRestarted",
    "ChatStreamEventMessageCompleted",
    "ChatStreamEventToolStarted",
    "ChatStreamEventToolCompleted",
    "ChatStreamEventToolFailed",
    "ChatStreamEventRoutingUpdated",
    "ChatStreamEventApprovalRequested",
    "ChatStreamEventApprovalResolved",
    "ChatStreamEventReviewUpdated",
    "ChatStreamEventJobLinked",
    "ChatStreamEventJobUpdated",
    "ChatStreamEventChatUpdated",
    "ChatStreamEventUsageUpdated",
    "ChatStreamEventError",
    "ChatStreamEventMessageDelta",
    "ChatStreamEventReset",
    "ChatStreamEventStreamClosing",
    "ChatStreamEventStreamEnd",
]


class ChatWorkJobsItem(TypedDict):
    # A job's id
    id: str
    # What it is called
    title: str
    status: Literal[
        "queued",
        "running",
        "blocked",
        "needs_review",
        "cancelling",
        "completed",
        "failed",
        "cancelled",
    ]
    review_state: Literal["none", "pending", "approved", "changes_requested", "expired"]


class ChatWork(TypedDict):
    """What goes on in a chat"""

    # A job's id
    active_job_id: str | None
    # The newest jobs
    jobs: list[ChatWorkJobsItem]
    artifacts: list[dict[str, Any]]
    # Whether it waits for a person
    needs_attention: bool


class CreateAgentRequestApprovalExpiry(TypedDict):
    after_seconds: int
    on_expiry: Literal["deny", "cancel"]


class CreateAgentRequestMcpServersItemHeadersItem(TypedDict):
    name: str
    secret: str
    prefix: NotRequired[str]


class CreateAgentRequestMcpServersItem(TypedDict):
    name: str
    url: str
    headers: NotRequired[list[CreateAgentRequestMcpServersItemHeadersItem]]


class CreateAgentRequest(TypedDict):
    name: str
    system_prompt: str
    role: NotRequired[str]
    description: NotRequired[str | None]
    model: NotRequired[str | None]
    allowed_tools: NotRequired[list[str]]
    approval_tools: NotRequired[list[str]]
    approval_expiry: NotRequired[CreateAgentRequestApprovalExpiry]
    mcp_servers: NotRequired[list[CreateAgentRequestMcpServersItem]]
    max_steps: NotRequired[int | None]
    tags: NotRequired[list[str]]


class CreateChatRequestOptions(TypedDict):
    model: NotRequired[str | None]
    on_busy: NotRequired[Literal["queue", "steer", "interrupt", "reject"]]
    tools: NotRequired[list[str] | None]
    auto_approve: NotRequired[bool]
    title: NotRequired[str]
    pinned: NotRequired[bool]


class CreateChatRequest(TypedDict):
    agent_id: str
    workspace_id: str
    title: NotRequired[str]
    options: NotRequired[CreateChatRequestOptions]
    metadata: NotRequired[dict[str, Any]]


class CreatePersonalAccessTokenRequest(TypedDict):
    name: str
    scopes: list[Literal[
        "agents:read",
        "agents:write",
        "chats:read",
        "chats:write",
        "jobs:read",
        "jobs:write",
        "missions:read",
        "missions:write",
        "workspaces:read",
        "workspaces:write",
        "webhooks:read",
        "webhooks:write",
        "tokens:read",
        "tokens:write",
        "tasks:read",
        "tasks:write",
        "events:read",
        "mcp",
        "*"],
    ]
    expires_in_days: NotRequired[int]


class CreateServiceTokenRequest(TypedDict):
    name: str
    scopes: list[Literal[
        "agents:read",
        "agents:write",
        "chats:read",
        "chats:write",
        "jobs:read",
        "jobs:write",
        "missions:read",
        "missions:write",
        "workspaces:read",
        "workspaces:write",
        "webhooks:read",
        "webhooks:write",
        "tokens:read",
        "tokens:write",
        "tasks:read",
        "tasks:write",
        "events:read",
        "mcp",
        "*"],
    ]
    expires_in_days: NotRequired[int]


class DeletedChat(TypedDict):
    """A chat that nobody finds any more"""

    # The chat's id
    id: str
    deleted: Literal[True]


class Delivery(TypedDict):
    """One attempt to deliver an event"""

    # The attempt's id
    id: str
    # The event; its receivers dedupe on it
    event_id: str
    event_type: Literal[
        "agent.created",
        "agent.updated",
        "agent.deleted",
        "agent.install_state_changed",
        "chat.created",
        "chat.updated",
        "chat.deleted",
        "chat.message_sent",
        "job.created",
        "job.started",
        "job.blocked",
        "job.resumed",
        "job.review_requested",
        "job.approved",
        "job.iteration_requested",
        "job.cancelled",
        "job.completed",
        "job.failed",
        "job.restarted",
        "mission.created",
        "mission.updated",
        "mission.started",
        "mission.completed",
        "mission.failed",
        "mission.paused",
        "mission.resumed",
        "mission.run_skipped",
        "mission_task.created",
        "mission_task.updated",
        "mission_task.started",
        "mission_task.completed",
        "workspace.created",
        "workspace.selected",
        "workspace.app_created",
        "workspace_repository.added",
        "workspace_repository.cloned",
        "workspace_file.changed",
        "resource.created",
        "resource.updated",
        "resource.deleted",
        "service_token.created",
        "service_token.revoked",
        "webhook.configured",
        "webhook.secret_rotated",
        "webhook.test",
        "webhook.disabled",
        "webhook.redelivery_requested",
    ]
    source: Literal["job_lifecycle", "api_mutation", "test"]
    # The event's number
    sequence: int
    attempt: int
    status: Literal["pending", "success", "failed", "retrying", "skipped"]
    http_status: int | None
    error: Literal[
        "timeout",
        "dns_error",
        "tls_error",
        "connection_refused",
        "connection_reset",
        "blocked_address",
        "http_error",
    ] | None
    duration_ms: int | None
    # Redacted
    destination_host: str
    # The same for all attempts of one delivery
    delivery_key: str
    trigger: Literal["automatic", "redelivery", "test"]
    # ISO 8601 UTC with milliseconds
    next_attempt_at: str | None
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]


class DeliveryList(TypedDict):
    """A page of deliveries, newest first"""

    deliveries: list[Delivery]
    # Where the next page begins; absent on the last
    next_cursor: NotRequired[str]


class DeprecationPolicyVersioning(TypedDict):
    scheme: Literal["date"]
    header: Literal["Api-Version"]
    # A version of the contract, by date
    current: str
    supported: list[str]
    breaking_changes: str
    v1: str


class DeprecationPolicyHeadersItem(TypedDict):
    name: str
    meaning: str


class DeprecationPolicyDeprecationsItem(TypedDict):
    # The operation's id
    operation: str
    method: str
    path: str
    # When it was announced
    announced_at: str
    # From when on it is deprecated
    deprecated_at: str
    # When it will be gone; null while that is not decided
    sunset_at: str | None
    # The path of what replaces it
    successor: str | None
    # What tells how to move
    guide: str | None


class DeprecationPolicy(TypedDict):
    """How the contract changes, and what of it is to go"""

    versioning: DeprecationPolicyVersioning
    # Months that an operation stays after its replacement is published
    compatibility_months: int
    # Days between the announcement and the deprecation
    deprecation_notice_days: int
    # Days between the announcement and the removal
    sunset_notice_days: int
    # What the responses of a deprecated operation say
    headers: list[DeprecationPolicyHeadersItem]
    deprecations: list[DeprecationPolicyDeprecationsItem]


class ErrorDetails(TypedDict):
    """What a caller needs to act on a refusal; which of these are there depends on the code"""

    errors: NotRequired[list[InputError]]
    required_scopes: NotRequired[list[str]]
    # Versions of the interface
    supported: NotRequired[list[str]]
    # Event types that there are not
    unknown: NotRequired[list[str]]
    # The oldest event that is kept
    oldest_sequence: NotRequired[int]
    limit_bytes: NotRequired[int]
    # The status that the record has now
    status: NotRequired[str]
    # What may be done with it now
    allowed_actions: NotRequired[list[str]]
    # The job that is in the way
    job_id: NotRequired[str]
    # The version that the record has now
    version: NotRequired[int]


class EventActor(TypedDict):
    type: Literal["user", "service_token", "agent", "system"]
    id: str


class EventResource(TypedDict):
    # What it is about
    type: str
    id: str | None
    # Where it is read
    url: str | None
    version: int | None


class Event(TypedDict):
    """What has happened"""

    # The event's id: the same over retries and redeliveries
    id: str
    type: Literal[
        "agent.created",
        "agent.updated",
        "agent.deleted",
        "agent.install_state_changed",
        "chat.created",
        "chat.updated",
        "chat.deleted",
        "chat.message_sent",
        "job.created",
        "job.started",
        "job.blocked",
        "job.resumed",
        "job.review_requested",
        "job.approved",
        "job.iteration_requested",
        "job.cancelled",
        "job.completed",
        "job.failed",
        "job.restarted",
        "mission.created",
        "mission.updated",
        "mission.started",
        "mission.completed",
        "mission.failed",
        "mission.paused",
        "mission.resumed",
        "mission.run_skipped",
        "mission_task.created",
        "mission_task.updated",
        "mission_task.started",
        "mission_task.completed",
        "workspace.created",
        "workspace.selected",
        "workspace.app_created",
        "workspace_repository.added",
        "workspace_repository.cloned",
        "workspace_file.changed",
        "resource.created",
        "resource.updated",
        "resource.deleted",
        "service_token.created",
        "service_token.revoked",
        "webhook.configured",
        "webhook.secret_rotated",
        "webhook.test",
        "webhook.disabled",
        "webhook.redelivery_requested",
    ]
    api_version: str
    # ISO 8601 UTC with milliseconds
    created_at: str
    # `created_at` in seconds
    timestamp: int
    # Whose it is
    organization_id: str
    # Without a gap within the organization
    sequence: int
    source: Literal["job_lifecycle", "api_mutation", "test"]
    actor: EventActor
    # The request that has caused it
    request_id: str | None
    resource: EventResource
    data: dict[str, Any]
    # The fields that have been set
    changes: list[str]
    # The data was longer than 20 KiB, and is ids and status only
    truncated: NotRequired[Literal[True]]


class EventFeed(TypedDict):
    """Events by their numbers"""

    events: list[Event]
    # Of the last event here, or `after` where there is none
    last_sequence: int
    has_more: bool


class EventPage(TypedDict):
    """Durable events, oldest first"""

    events: list[RecordedEvent]
    # `after` of the next page; absent on the last
    next_cursor: NotRequired[str]


class InputError(TypedDict):
    """What is wrong with one place of the input"""

    # A JSON pointer
    path: str
    # In words
    message: str


class InvariantReportChecksItem(TypedDict):
    # What is counted
    name: str
    # How many
    count: int


class InvariantReport(TypedDict):
    """What must never be, counted"""

    # Whether every count is 0
    ok: bool
    checks: list[InvariantReportChecksItem]


class IterateJobRequest(TypedDict):
    feedback: str


class JobProgress(TypedDict):
    percent: float | None
    label: str | None


class Job(TypedDict):
    """A long-running work record: one turn of an agent"""

    # A job's id
    id: str
    # What it is called
    title: str
    status: Literal[
        "queued",
        "running",
        "blocked",
        "needs_review",
        "cancelling",
        "completed",
        "failed",
        "cancelled",
    ]
    blocked_reason: Literal[
        "approval_required",
        "input_required",
        "auth_required",
        "budget_reached",
        "interrupted",
    ] | None
    # Who works
    agent_id: str
    # The chat that it answers in
    chat_id: str
    # Where it works
    workspace_id: str | None
    # Its mission
    mission_id: str | None
    # The task of a mission that it does
    mission_task_id: str | None
    # The job that it comes from
    parent_job_id: str | None
    # A job's id
    root_job_id: str
    # How it comes from its parent
    relation: Literal["root", "iteration", "resume", "delegation"]
    # Which round of feedback it is
    iteration: int
    # How often it has been begun
    attempt: int
    priority: Literal["low", "medium", "high", "urgent"]
    # What was asked
    input: str
    # What has come of it
    result: str | None
    error: RunError | None
    progress: JobProgress
    review: Review
    approvals: list[Approval]
    artifacts: list[dict[str, Any]]
    metrics: JobMetrics
    budget: JobBudget
    runner: JobRunner | None
    # What its maker gave it
    metadata: dict[str, Any]
    # The seq of its newest event
    last_seq: int
    # Who it acts for
    created_by: str
    # ISO 8601 UTC with milliseconds
    started_at: str | None
    # ISO 8601 UTC with milliseconds
    completed_at: str | None
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]


class JobBudget(TypedDict):
    """What a job may use; null is the service's own limit"""

    max_tokens: int | None
    max_steps: int | None
    # ISO 8601 UTC with milliseconds
    deadline_at: str | None


class JobLineage(TypedDict):
    """The jobs that come from one root, oldest first"""

    # A job's id
    root_id: str
    nodes: list[JobNode]


class JobList(TypedDict):
    """A page of jobs, newest first"""

    jobs: list[Job]
    # Where the next page begins; absent on the last
    next_cursor: NotRequired[str]


class JobMetrics(TypedDict):
    """What a job has used"""

    # Tokens that were sent to models
    input_tokens: int
    # Tokens that came back
    output_tokens: int
    # Calls of tools
    tool_calls: int
    duration_ms: int | None
    time_to_first_token_ms: float | None


class JobNode(TypedDict):
    """A job among its relatives"""

    # A job's id
    id: str
    # The job that it comes from
    parent_job_id: str | None
    relation: Literal["root", "iteration", "resume", "delegation"]
    status: Literal[
        "queued",
        "running",
        "blocked",
        "needs_review",
        "cancelling",
        "completed",
        "failed",
        "cancelled",
    ]
    # What it is called
    title: str
    # ISO 8601 UTC with milliseconds
    created_at: str


class JobRunner(TypedDict):
    """What runs a job; null before it has started"""

    # The provider of the model
    kind: str
    # `provider:name`
    model: str
    # ISO 8601 UTC with milliseconds
    started_at: str | None
    # ISO 8601 UTC with milliseconds
    heartbeat_at: str | None


class JobStreamEventSnapshot(TypedDict):
    event: Literal["snapshot"]
    data: Job


class JobStreamEventJobCreatedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.created"]
    # ISO 8601 UTC with milliseconds
    at: str
    chat_id: str
    agent_id: str
    title: str


class JobStreamEventJobCreated(TypedDict):
    event: Literal["job.created"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobCreatedData


class JobStreamEventJobStartedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.started"]
    # ISO 8601 UTC with milliseconds
    at: str
    attempt: int
    model: str


class JobStreamEventJobStarted(TypedDict):
    event: Literal["job.started"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobStartedData


class JobStreamEventJobRestartedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.restarted"]
    # ISO 8601 UTC with milliseconds
    at: str
    attempt: int


class JobStreamEventJobRestarted(TypedDict):
    event: Literal["job.restarted"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobRestartedData


class JobStreamEventJobBlockedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.blocked"]
    # ISO 8601 UTC with milliseconds
    at: str
    reason: Literal["approval_required", "input_required", "auth_required", "budget_reached", "interrupted"]


class JobStreamEventJobBlocked(TypedDict):
    event: Literal["job.blocked"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobBlockedData


class JobStreamEventJobResumedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.resumed"]
    # ISO 8601 UTC with milliseconds
    at: str
    attempt: int


class JobStreamEventJobResumed(TypedDict):
    event: Literal["job.resumed"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobResumedData


class JobStreamEventJobReviewRequestedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.review_requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    # ISO 8601 UTC with milliseconds
    expires_at: str


class JobStreamEventJobReviewRequested(TypedDict):
    event: Literal["job.review_requested"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobReviewRequestedData


class JobStreamEventJobApprovedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.approved"]
    # ISO 8601 UTC with milliseconds
    at: str
    decided_by: str | None


class JobStreamEventJobApproved(TypedDict):
    event: Literal["job.approved"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobApprovedData


class JobStreamEventJobIterationRequestedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.iteration_requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    by: str
    feedback: str


class JobStreamEventJobIterationRequested(TypedDict):
    event: Literal["job.iteration_requested"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobIterationRequestedData


class JobStreamEventJobCancellingData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.cancelling"]
    # ISO 8601 UTC with milliseconds
    at: str


class JobStreamEventJobCancelling(TypedDict):
    event: Literal["job.cancelling"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobCancellingData


class JobStreamEventJobCompletedDataUsage(TypedDict):
    input_tokens: int
    output_tokens: int


class JobStreamEventJobCompletedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.completed"]
    # ISO 8601 UTC with milliseconds
    at: str
    usage: JobStreamEventJobCompletedDataUsage


class JobStreamEventJobCompleted(TypedDict):
    event: Literal["job.completed"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobCompletedData


class JobStreamEventJobFailedDataError(TypedDict):
    code: Literal[
        "provider_unreachable",
        "provider_unauthorized",
        "provider_rate_limited",
        "provider_error",
        "provider_stalled",
        "provider_rejected",
        "model_unavailable",
        "step_limit",
        "timeout",
        "attempts_exhausted",
        "internal_error",
    ]
    message: str


class JobStreamEventJobFailedDataUsage(TypedDict):
    input_tokens: int
    output_tokens: int


class JobStreamEventJobFailedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.failed"]
    # ISO 8601 UTC with milliseconds
    at: str
    error: JobStreamEventJobFailedDataError
    usage: JobStreamEventJobFailedDataUsage


class JobStreamEventJobFailed(TypedDict):
    event: Literal["job.failed"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobFailedData


class JobStreamEventJobCancelledDataUsage(TypedDict):
    input_tokens: int
    output_tokens: int


class JobStreamEventJobCancelledData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["job.cancelled"]
    # ISO 8601 UTC with milliseconds
    at: str
    tool_calls_aborted: int
    usage: JobStreamEventJobCancelledDataUsage


class JobStreamEventJobCancelled(TypedDict):
    event: Literal["job.cancelled"]
    # The cursor that has it
    id: str
    data: JobStreamEventJobCancelledData


class JobStreamEventRunnerStatusDataProgress(TypedDict):
    percent: float | None
    label: str | None


class JobStreamEventRunnerStatusData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["runner.status"]
    # ISO 8601 UTC with milliseconds
    at: str
    state: Literal["queued", "starting", "running", "waiting", "stopped"]
    attempt: int
    # ISO 8601 UTC with milliseconds
    heartbeat_at: str | None
    progress: JobStreamEventRunnerStatusDataProgress


class JobStreamEventRunnerStatus(TypedDict):
    event: Literal["runner.status"]
    # The cursor that has it
    id: str
    data: JobStreamEventRunnerStatusData


class JobStreamEventTranscriptEventDataAssistantText(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    kind: Literal["assistant_text"]
    text: str


class JobStreamEventTranscriptEventDataReasoning(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    kind: Literal["reasoning"]
    text: str


class JobStreamEventTranscriptEventDataUserText(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    kind: Literal["user_text"]
    text: str
    message_id: NotRequired[str]


class JobStreamEventTranscriptEventDataToolUse(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    kind: Literal["tool_use"]
    id: str
    name: str
    input: dict[str, Any]


class JobStreamEventTranscriptEventDataToolResult(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    kind: Literal["tool_result"]
    tool_use_id: str
    content: str
    is_error: bool


class JobStreamEventTranscriptEvent(TypedDict):
    event: Literal["transcript.event"]
    # The cursor that has it
    id: str
    data: JobStreamEventTranscriptEventDataAssistantText | JobStreamEventTranscriptEventDataReasoning | JobStreamEventTranscriptEventDataUserText | JobStreamEventTranscriptEventDataToolUse | JobStreamEventTranscriptEventDataToolResult


class JobStreamEventLogData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["log"]
    # ISO 8601 UTC with milliseconds
    at: str
    level: Literal["info", "warn"]
    message: str


class JobStreamEventLog(TypedDict):
    event: Literal["log"]
    # The cursor that has it
    id: str
    data: JobStreamEventLogData


class JobStreamEventUsageUpdatedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["usage.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    input_tokens: int
    output_tokens: int


class JobStreamEventUsageUpdated(TypedDict):
    event: Literal["usage.updated"]
    # The cursor that has it
    id: str
    data: JobStreamEventUsageUpdatedData


class JobStreamEventApprovalRequestedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["approval.requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    approval_id: str
    tool_name: str
    tool_call_id: str
    arguments: dict[str, Any]
    message: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    on_expiry: Literal["deny", "cancel"]


class JobStreamEventApprovalRequested(TypedDict):
    event: Literal["approval.requested"]
    # The cursor that has it
    id: str
    data: JobStreamEventApprovalRequestedData


class JobStreamEventApprovalResolvedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["approval.resolved"]
    # ISO 8601 UTC with milliseconds
    at: str
    approval_id: str
    tool_call_id: str
    decision: Literal["approve", "deny", "expired"]
    by: str | None
    arguments: NotRequired[dict[str, Any]]


class JobStreamEventApprovalResolved(TypedDict):
    event: Literal["approval.resolved"]
    # The cursor that has it
    id: str
    data: JobStreamEventApprovalResolvedData


class JobStreamEventReviewUpdatedData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["review.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    state: Literal["none", "pending", "approved", "changes_requested", "expired"]
    decided_by: str | None
    comment: str | None


class JobStreamEventReviewUpdated(TypedDict):
    event: Literal["review.updated"]
    # The cursor that has it
    id: str
    data: JobStreamEventReviewUpdatedData


class JobStreamEventErrorData(TypedDict):
    # Its place in the stream, from 1, without gaps
    seq: int
    type: Literal["error"]
    # ISO 8601 UTC with milliseconds
    at: str
    code: Literal[
        "provider_unreachable",
        "provider_unauthorized",
        "provider_rate_limited",
        "provider_error",
        "provider_stalled",
        "provider_rejected",
        "model_unavailable",
        "step_limit",
        "timeout",
        "attempts_exhausted",
        "internal_error",
    ]
    message: str


class JobStreamEventError(TypedDict):
    event: Literal["error"]
    # The cursor that has it
    id: str
    data: JobStreamEventErrorData


class JobStreamEventTranscriptDeltaData(TypedDict):
    # The message that it belongs to
    message_id: str
    # Where the text ends in the message's content, in UTF-16 units
    position: int
    # What is added
    text: str


class JobStreamEventTranscriptDelta(TypedDict):
    event: Literal["transcript.delta"]
    # The cursor that has it
    id: str
    data: JobStreamEventTranscriptDeltaData


class JobStreamEventResetData(TypedDict):
    # Why the cursor is of no use
    reason: Literal["malformed", "ahead_of_head", "not_retained"]
    # The replay begins with this event
    from_seq: int


class JobStreamEventReset(TypedDict):
    event: Literal["reset"]
    data: JobStreamEventResetData


class JobStreamEventStreamClosingData(TypedDict):
    reason: Literal["deploy", "unavailable", "revoked", "slow_consumer", "expired", "moved"]
    # The cursor to come back with
    resume_after: str | None


class JobStreamEventStreamClosing(TypedDict):
    event: Literal["stream.closing"]
    data: JobStreamEventStreamClosingData


class JobStreamEventStreamEndData(TypedDict):
    pass


class JobStreamEventStreamEnd(TypedDict):
    event: Literal["stream.end"]
    data: JobStreamEventStreamEndData


# An event of a job's stream
JobStreamEvent: TypeAlias = Union[
    "JobStreamEventSnapshot",
    "JobStreamEventJobCreated",
    "JobStreamEventJobStarted",
    "JobStreamEventJobRestarted",
    "JobStreamEventJobBlocked",
    "JobStreamEventJobResumed",
    "JobStreamEventJobReviewRequested",
    "JobStreamEventJobApproved",
    "JobStreamEventJobIterationRequested",
    "JobStreamEventJobCancelling",
    "JobStreamEventJobCompleted",
    "JobStreamEventJobFailed",
    "JobStreamEventJobCancelled",
    "JobStreamEventRunnerStatus",
    "JobStreamEventTranscriptEvent",
    "JobStreamEventLog",
    "JobStreamEventUsageUpdated",
    "JobStreamEventApprovalRequested",
    "JobStreamEventApprovalResolved",
    "JobStreamEventReviewUpdated",
    "JobStreamEventError",
    "JobStreamEventTranscriptDelta",
    "JobStreamEventReset",
    "JobStreamEventStreamClosing",
    "JobStreamEventStreamEnd",
]


class MessageSender(TypedDict):
    type: Literal["user", "agent"]
    # A user's or an agent's id
    id: str


class Message(TypedDict):
    """What somebody has said in a chat"""

    # The message's id
    id: str
    # Its chat
    chat_id: str
    # The organization that owns it
    organization_id: str
    role: Literal["user", "assistant", "system", "tool"]
    status: Literal["queued", "streaming", "completed", "cancelled", "failed"]
    # The text blocks joined; `position` of the streams counts in it
    content: str
    blocks: list[Block]
    # A job's id
    job_id: str | None
    usage: TokenUsage | None
    sender: MessageSender
    # What its sender gave it
    metadata: dict[str, Any]
    # Its place in the conversation: the seq of the event that made it
    seq: int
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # ISO 8601 UTC with milliseconds
    completed_at: str | None


class MessagePage(TypedDict):
    """A page of messages in the order of the conversation, from the newest page to the oldest"""

    # The chat
    chat_id: str
    # What it is called
    title: str
    status: Literal["standby", "working", "done", "error", "needs_attention"]
    messages: list[Message]
    work: ChatWork
    # Where the page of older messages ends; absent on the last
    next_cursor: NotRequired[str]


class MessagingIntegration(TypedDict):
    """Where an organization's events are sent to"""

    provider: Literal["webhook"]
    name: str
    # Whole for owners; others see its scheme and the host as the ledger names it
    url: str
    enabled: bool
    event_types: list[str]
    retry_profile: Literal["standard", "durable"]
    secret_set: bool
    secret_last4: str
    # ISO 8601 UTC with milliseconds
    former_secret_until: str | None
    disabled_reason: Literal["gone", "failing"] | None
    # ISO 8601 UTC with milliseconds
    last_success_at: str | None
    # ISO 8601 UTC with milliseconds
    last_failure_at: str | None
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]


class MessagingIntegrationWithSecret(TypedDict):
    """A destination and its new secret"""

    provider: Literal["webhook"]
    name: str
    # Whole for owners; others see its scheme and the host as the ledger names it
    url: str
    enabled: bool
    event_types: list[str]
    retry_profile: Literal["standard", "durable"]
    secret_set: bool
    secret_last4: str
    # ISO 8601 UTC with milliseconds
    former_secret_until: str | None
    disabled_reason: Literal["gone", "failing"] | None
    # ISO 8601 UTC with milliseconds
    last_success_at: str | None
    # ISO 8601 UTC with milliseconds
    last_failure_at: str | None
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]
    # The signing secret; never shown again
    secret: NotRequired[str]


class ModelLimits(TypedDict):
    # Model calls of one job, unless its budget or its agent names a number
    max_steps: int
    # How long one job may run, unless its budget names a time
    max_run_seconds: int


class Model(TypedDict):
    """A model that the operator allows"""

    # `provider:name`, as agents and chats name it
    id: str
    # Who offers it
    provider: str
    # Its name there
    name: str
    # Whether it answers where no model is named
    default: bool
    # Whether it is the built-in demo provider, which is no language model
    demo: bool
    limits: ModelLimits


class ModelList(TypedDict):
    """All models that are allowed"""

    models: list[Model]


class NewToken(TypedDict):
    """A new credential; the token itself is never shown again"""

    # The token's id
    id: str
    kind: Literal["personal", "service"]
    # What it is for
    name: str
    status: Literal["active", "expired", "revoked"]
    scopes: list[Literal[
        "agents:read",
        "agents:write",
        "chats:read",
        "chats:write",
        "jobs:read",
        "jobs:write",
        "missions:read",
        "missions:write",
        "workspaces:read",
        "workspaces:write",
        "webhooks:read",
        "webhooks:write",
        "tokens:read",
        "tokens:write",
        "tasks:read",
        "tasks:write",
        "events:read",
        "mcp",
        "*"],
    ]
    # Its last characters, by which its owner recognises it
    last_characters: str
    # Who it acts as
    user_id: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # ISO 8601 UTC with milliseconds
    last_used_at: str | None
    # ISO 8601 UTC with milliseconds
    revoked_at: str | None
    # The token that it was made with; null where the operator made it
    created_with: str | None
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]
    # What to send as the bearer: keep it
    token: str


class PersonalAccessTokenList(TypedDict):
    """A page of personal access tokens, newest first"""

    personal_access_tokens: list[Token]
    # Where the next page begins; absent on the last
    next_cursor: NotRequired[str]


class PutMessagingIntegrationRequest(TypedDict):
    provider: NotRequired[Literal["webhook"]]
    name: NotRequired[str]
    url: str
    enabled: NotRequired[bool]
    # Exact types or `family.*`; empty is all
    event_types: NotRequired[list[str]]
    retry_profile: NotRequired[Literal["standard", "durable"]]


class PutSecretRequest(TypedDict):
    value: str


class RateLimitPolicyDefault(TypedDict):
    # Requests of an identity in a window
    limit: int
    window_seconds: int
    # How many of them may come at once
    burst: int
    algorithm: Literal["fixed-window"]


class RateLimitPolicyHeadersItem(TypedDict):
    name: str
    meaning: str


class RateLimitPolicyPublicEndpoints(TypedDict):
    counted: bool
    # Requests of an address without a good token in a window
    limit: int
    identity: str


class RateLimitPolicyV1(TypedDict):
    # Whether requests of v1 count too
    counted: bool


class RateLimitPolicy(TypedDict):
    """How requests are limited, as the service does it now"""

    default: RateLimitPolicyDefault
    # For whom a request counts: the first of these that it has
    identity_order: list[str]
    # What every response of the current surface says
    headers: list[RateLimitPolicyHeadersItem]
    public_endpoints: RateLimitPolicyPublicEndpoints
    v1: RateLimitPolicyV1
    # What a request past the limit is answered with, and `Retry-After`
    status: Literal[429]
    higher_limits: str


class RecordedEvent(TypedDict):
    """A durable event of a stream"""

    # Its place in the stream
    seq: int
    # What has happened
    type: str
    # ISO 8601 UTC with milliseconds
    at: str
    # What is told of it; the stream's own events say which fields each type has
    data: dict[str, Any]


class RedeliverEventsRequest(TypedDict):
    since_sequence: int
    until_sequence: int
    # Exact types or `family.*`; empty is all
    event_types: NotRequired[list[str]]


class Redelivery(TypedDict):
    """The events that are sent once more"""

    since_sequence: int
    until_sequence: int
    event_types: list[str]


class ResumeJobRequest(TypedDict):
    input: NotRequired[str]
    retry_step: NotRequired[bool]


class Review(TypedDict):
    """What people say about the outcome of a job"""

    state: Literal["none", "pending", "approved", "changes_requested", "expired"]
    required: bool
    # ISO 8601 UTC with milliseconds
    requested_at: str | None
    # ISO 8601 UTC with milliseconds
    expires_at: str | None
    # The user who has decided
    decided_by: str | None
    # ISO 8601 UTC with milliseconds
    decided_at: str | None
    comment: str | None


class RotateSigningSecretRequest(TypedDict):
    grace_seconds: NotRequired[int]


class RunError(TypedDict):
    """Why a job has failed"""

    code: Literal[
        "provider_unreachable",
        "provider_unauthorized",
        "provider_rate_limited",
        "provider_error",
        "provider_stalled",
        "provider_rejected",
        "model_unavailable",
        "step_limit",
        "timeout",
        "attempts_exhausted",
        "internal_error",
    ]
    # In words
    message: str


class SdkCommand(TypedDict):
    """What to type"""

    # What it does
    title: str
    language: Literal["typescript", "python"]
    # A line for a shell
    command: str


class SdkExample(TypedDict):
    """A program beside the SDK's file"""

    # What it does
    title: str
    language: Literal["typescript", "python"]
    # The name to keep it under
    file: str
    # All of it
    code: str


class SdkExamplesEnvironmentItem(TypedDict):
    # A variable
    name: str
    # What to set it to
    value: str


class SdkExamples(TypedDict):
    """How the SDKs are got and used, as tests run it"""

    # What the commands and the examples read
    environment: list[SdkExamplesEnvironmentItem]
    commands: list[SdkCommand]
    examples: list[SdkExample]


class SdkManifest(TypedDict):
    """The SDKs that the service serves, each one file"""

    # The version of the contract that they were made from
    api_version: str
    packages: list[SdkPackage]


class SdkPackage(TypedDict):
    """An SDK"""

    # What it is called
    name: str
    language: Literal["typescript", "python"]
    # The version of the service that it came with
    version: str
    # The name to keep it under
    file: str
    # Where it is
    url: str
    # SHA-256 of its bytes, in hex
    sha256: str
    # How long it is
    bytes: int
    # What it needs
    requires: str


class Secret(TypedDict):
    """A value that is written and never read; agents refer to it by its name"""

    # The name of the secret: 1 to 64 letters, digits, `_`, `-` and `.`
    name: str
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str


class SecretList(TypedDict):
    """All secrets, by name"""

    secrets: list[Secret]


class SendMessageRequestBudget(TypedDict):
    max_tokens: NotRequired[int]
    max_steps: NotRequired[int]
    # When its run ends, in ISO 8601; 24 hours after its beginning at the latest
    deadline_at: NotRequired[str]


class SendMessageRequest(TypedDict):
    content: str
    on_busy: NotRequired[Literal["queue", "steer", "interrupt", "reject"]]
    metadata: NotRequired[dict[str, Any]]
    priority: NotRequired[Literal["low", "medium", "high", "urgent"]]
    review_required: NotRequired[bool]
    budget: NotRequired[SendMessageRequestBudget]


class SentMessage(TypedDict):
    """A message that is stored, and the job that answers it"""

    message: Message
    job: Job
    chat: Chat
    # Its place among the turns that wait; 0 for the one that runs
    queued_position: int


class ServiceTokenList(TypedDict):
    """A page of service tokens, newest first"""

    service_tokens: list[Token]
    # Where the next page begins; absent on the last
    next_cursor: NotRequired[str]


class ServiceVersionRunner(TypedDict):
    # The model that answers where none is named; null where there is none
    model: str | None
    # Whether that is the built-in demo, which is no language model
    demo: bool


class ServiceVersion(TypedDict):
    """What is deployed"""

    # The version of the service
    version: str
    # A version of the contract, by date
    api_version: str
    # What a request may send in `Api-Version`
    supported_versions: list[str]
    # The commit that it was built from; null where nobody knows
    commit: str | None
    # When it was built; null where it runs from its sources
    built_at: str | None
    runner: ServiceVersionRunner


class SetAgentInstallStateRequest(TypedDict):
    install_state: NotRequired[Literal["installed", "uninstalled"]]
    action: NotRequired[Literal["install", "uninstall", "restore"]]


class SignatureVerification(TypedDict):
    """Whether a signature verifies, and exactly why not"""

    valid: bool
    reason: Literal[
        "valid",
        "missing_signature",
        "malformed_signature",
        "timestamp_out_of_tolerance",
        "wrong_secret_encoding",
        "body_changed",
        "signature_mismatch",
    ]
    message: str


class StateMachine(TypedDict):
    """How a record moves from state to state"""

    # Whose machine it is
    name: str
    states: list[str]
    # A state
    initial: str
    terminal: list[str]
    triggers: list[str]
    # The triggers that callers have
    actions: list[str]
    transitions: list[Transition]


class StateMachineList(TypedDict):
    """All state machines"""

    machines: list[StateMachine]


class Task(TypedDict):
    """A work item"""

    # The task's id
    id: str
    # What there is to do
    title: str
    description: str | None
    status: Literal["pending", "in_progress", "completed", "cancelled"]
    priority: Literal["low", "medium", "high", "urgent"]
    # An agent's or a user's id, as it was given
    assigned_to: str | None
    # The workspace that it belongs to, as it was given
    workspace_id: str | None
    # Who made it: a user's or an agent's id
    created_by: str
    # ISO 8601 UTC with milliseconds
    completed_at: str | None
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]


class TaskList(TypedDict):
    """A page of tasks, newest first"""

    tasks: list[Task]
    # Where the next page begins; absent on the last
    next_cursor: NotRequired[str]


class Token(TypedDict):
    """A credential, without what it is used by"""

    # The token's id
    id: str
    kind: Literal["personal", "service"]
    # What it is for
    name: str
    status: Literal["active", "expired", "revoked"]
    scopes: list[Literal[
        "agents:read",
        "agents:write",
        "chats:read",
        "chats:write",
        "jobs:read",
        "jobs:write",
        "missions:read",
        "missions:write",
        "workspaces:read",
        "workspaces:write",
        "webhooks:read",
        "webhooks:write",
        "tokens:read",
        "tokens:write",
        "tasks:read",
        "tasks:write",
        "events:read",
        "mcp",
        "*"],
    ]
    # Its last characters, by which its owner recognises it
    last_characters: str
    # Who it acts as
    user_id: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # ISO 8601 UTC with milliseconds
    last_used_at: str | None
    # ISO 8601 UTC with milliseconds
    revoked_at: str | None
    # The token that it was made with; null where the operator made it
    created_with: str | None
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]


class TokenUsage(TypedDict):
    """Tokens that model calls have used"""

    # Tokens that were sent
    input_tokens: int
    # Tokens that came back
    output_tokens: int


# A move that is allowed
Transition = TypedDict(
    "Transition",
    {
        # A state
        "from": "str",
        # What moves it
        "trigger": "str",
        # A state
        "to": "str",
    },
)


class UpdateAgentRequestApprovalExpiry(TypedDict):
    after_seconds: int
    on_expiry: Literal["deny", "cancel"]


class UpdateAgentRequestMcpServersItemHeadersItem(TypedDict):
    name: str
    secret: str
    prefix: NotRequired[str]


class UpdateAgentRequestMcpServersItem(TypedDict):
    name: str
    url: str
    headers: NotRequired[list[UpdateAgentRequestMcpServersItemHeadersItem]]


class UpdateAgentRequest(TypedDict):
    name: NotRequired[str]
    system_prompt: NotRequired[str]
    visibility: NotRequired[Literal["private", "organization", "public", "unlisted"]]
    role: NotRequired[str]
    description: NotRequired[str | None]
    model: NotRequired[str | None]
    allowed_tools: NotRequired[list[str]]
    approval_tools: NotRequired[list[str]]
    approval_expiry: NotRequired[UpdateAgentRequestApprovalExpiry]
    mcp_servers: NotRequired[list[UpdateAgentRequestMcpServersItem]]
    max_steps: NotRequired[int | None]
    tags: NotRequired[list[str]]


class UpdateChatOptionsRequest(TypedDict):
    model: NotRequired[str | None]
    on_busy: NotRequired[Literal["queue", "steer", "interrupt", "reject"]]
    tools: NotRequired[list[str] | None]
    auto_approve: NotRequired[bool]
    title: NotRequired[str]
    pinned: NotRequired[bool]


class UpdateTaskRequest(TypedDict):
    title: NotRequired[str]
    description: NotRequired[str | None]
    status: NotRequired[Literal["pending", "in_progress", "completed", "cancelled"]]
    priority: NotRequired[Literal["low", "medium", "high", "urgent"]]
    assigned_to: NotRequired[str | None]
    workspace_id: NotRequired[str | None]


class UsageBudget(TypedDict):
    """The organization's tokens of this month"""

    # Null for no limit
    monthly_tokens: int | None
    # Tokens that are used up
    used_tokens: int
    # ISO 8601 UTC with milliseconds
    resets_at: str


class UsageReport(TypedDict):
    """What an organization has used"""

    group_by: Literal["agent", "model", "day"]
    # A day of UTC
    since: str
    # A day of UTC
    until: str
    usage: list[UsageRow]
    totals: UsageTotals
    # Whether there are more groups than are shown; the totals are of all
    truncated: bool
    budget: UsageBudget


class UsageRow(TypedDict):
    """What one agent, one model or one day has used: the field of the group is there"""

    # The agent
    agent_id: NotRequired[str]
    # The model
    model: NotRequired[str]
    # A day of UTC
    day: NotRequired[str]
    # Tokens that were sent to models
    input_tokens: int
    # Tokens that came back
    output_tokens: int
    # Jobs that used them
    jobs: int
    # Calls of tools
    tool_calls: int


class UsageTotals(TypedDict):
    """What all have used together"""

    # Tokens that were sent to models
    input_tokens: int
    # Tokens that came back
    output_tokens: int
    # Jobs that used them
    jobs: int
    # Calls of tools
    tool_calls: int


class V1Agent(TypedDict):
    """An AI assistant with a name, a role and system instructions"""

    # The agent's id
    id: str
    # Display name
    name: str
    # What the agent is
    role: str
    # System instructions; absent for readers of other organizations
    systemPrompt: NotRequired[str]
    visibility: Literal["private", "organization", "public", "unlisted"]
    # Who owns it
    organizationId: str
    # Who made it
    userId: str
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str
    # It is deleted
    archived: NotRequired[Literal[True]]


class V1AgentAnswer(TypedDict):
    """An agent"""

    success: Literal[True]
    agent: V1Agent


class V1AgentList(TypedDict):
    """The organization's agents, newest first"""

    success: Literal[True]
    agents: list[V1Agent]
    # How many there are, those past the end of the list too
    total: int


class V1CreateAgentRequest(TypedDict):
    # Display name
    name: str
    # System instructions
    systemPrompt: str
    # What the agent is. Default "Assistant"
    role: NotRequired[str]
    # Default "organization"
    visibility: NotRequired[Literal["private", "organization", "public", "unlisted"]]


class V1CreateTaskRequest(TypedDict):
    title: str
    description: NotRequired[str]
    # Default "medium"
    priority: NotRequired[Literal["low", "medium", "high", "urgent"]]
    # An agent's or a user's id
    assignTo: NotRequired[str]
    spaceId: NotRequired[str]


class V1CreatedAgent(TypedDict):
    """A new agent"""

    success: Literal[True]
    # The agent's id
    id: str
    # Display name
    name: str
    status: Literal["active"]
    # Where its first chat has its page
    chatUrl: str


class V1Done(TypedDict):
    """What has been done"""

    success: Literal[True]
    # In words
    message: str


class V1ExecuteAgentRequest(TypedDict):
    message: str
    # The workspace of a new chat
    spaceId: NotRequired[str]
    # The session to continue
    sessionId: NotRequired[str]
    # The chat to continue
    chatId: NotRequired[str]
    # Default false
    stream: NotRequired[bool]


class V1ExecutionEventMetaData(TypedDict):
    # The execution's id
    executionId: str
    # The chat that it is in
    chatId: str
    # Pass it back to go on with the conversation
    sessionId: str
    # What is to be known of the answer
    notice: NotRequired[str]


class V1ExecutionEventMeta(TypedDict):
    event: Literal["meta"]
    data: V1ExecutionEventMetaData


class V1ExecutionEventMessageDataStreamEventDelta(TypedDict):
    type: Literal["text_delta"]
    # What is added
    text: str


class V1ExecutionEventMessageDataStreamEvent(TypedDict):
    messageType: Literal["stream_event"]
    delta: V1ExecutionEventMessageDataStreamEventDelta


class V1ExecutionEventMessageDataAssistant(TypedDict):
    messageType: Literal["assistant"]
    content: list[Block]


class V1ExecutionEventMessage(TypedDict):
    event: Literal["message"]
    data: V1ExecutionEventMessageDataStreamEvent | V1ExecutionEventMessageDataAssistant


class V1ExecutionEventResultDataUsage(TypedDict):
    # Tokens sent
    input_tokens: int
    # Tokens that came back
    output_tokens: int


class V1ExecutionEventResultData(TypedDict):
    # Pass it back to go on with the conversation
    sessionId: str
    usage: V1ExecutionEventResultDataUsage
    # What is to be known of the answer
    notice: NotRequired[str]


class V1ExecutionEventResult(TypedDict):
    event: Literal["result"]
    data: V1ExecutionEventResultData


class V1ExecutionEventErrorData(TypedDict):
    # What has happened
    message: str


class V1ExecutionEventError(TypedDict):
    event: Literal["error"]
    data: V1ExecutionEventErrorData


# An event of an execution: `meta`, then `message`s, then `result` or `error`
V1ExecutionEvent: TypeAlias = Union[
    "V1ExecutionEventMeta",
    "V1ExecutionEventMessage",
    "V1ExecutionEventResult",
    "V1ExecutionEventError",
]


class V1ExecutionResult(TypedDict):
    """What an execution has come to"""

    # Whether the agent has come to its end
    success: bool
    # The execution's id
    executionId: str
    # The chat that it is in
    chatId: str
    # Pass it back to go on with the conversation
    sessionId: str
    # The agent's answer
    result: str
    # What is to be known of the answer
    notice: NotRequired[str]


class V1Task(TypedDict):
    """A work item"""

    # The task's id
    id: str
    # What there is to do
    title: str
    description: NotRequired[str]
    status: Literal["pending", "in_progress", "completed", "cancelled"]
    priority: Literal["low", "medium", "high", "urgent"]
    # An agent's or a user's id; absent when unassigned
    assignedTo: NotRequired[str]
    # The workspace that it belongs to
    spaceId: NotRequired[str]
    # Who owns it
    organizationId: str
    # Who made it: a user's or an agent's id
    createdBy: str
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    completedAt: NotRequired[str]


class V1TaskAnswer(TypedDict):
    """A task"""

    success: Literal[True]
    task: V1Task


class V1TaskList(TypedDict):
    """The organization's tasks, newest first"""

    success: Literal[True]
    tasks: list[V1Task]


class V1UpdateAgentRequest(TypedDict):
    # Display name
    name: NotRequired[str]
    # System instructions
    systemPrompt: NotRequired[str]
    # What the agent is. Default "Assistant"
    role: NotRequired[str]
    # Default "organization"
    visibility: NotRequired[Literal["private", "organization", "public", "unlisted"]]


class VerifySignatureRequest(TypedDict):
    # The headers of the delivery, as they arrived
    headers: dict[str, str]
    # The body of the delivery, byte for byte
    body: str
    # Absent: the organization's own
    secret: NotRequired[str]


class Workspace(TypedDict):
    """Where work of an organization happens"""

    # The workspace's id
    id: str
    # What people call it
    name: str
    description: str | None
    # Who made it
    created_by: str
    # The organization that owns it
    organization_id: str
    # One more with each change; `If-Match` takes it
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Where what belongs to it is, by name
    links: dict[str, str]
    # What this caller may do with it now
    allowed_actions: list[str]


class WorkspaceList(TypedDict):
    """A page of workspaces, newest first"""

    workspaces: list[Workspace]
    # Where the next page begins; absent on the last
    next_cursor: NotRequired[str]


class RedeliverEventResult(TypedDict):
    delivery: Delivery


class RedeliverEventsResult(TypedDict):
    redelivery: Redelivery


class TestMessagingIntegrationResult(TypedDict):
    delivery: Delivery


# What the body of a webhook says.
WebhookEvent: TypeAlias = "Event"


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


class InvalidJsonError(ApiError):
    """`invalid_json`: The body is not JSON, or it is nested too deeply."""


class InvalidRequestError(ApiError):
    """`invalid_request`: A field of the body, the query or the headers is missing, of a wrong type or out of
    its range.
    """


class InvalidCursorError(ApiError):
    """`invalid_cursor`: The cursor is none that this list has given."""


class UnsupportedApiVersionError(ApiError):
    """`unsupported_api_version`: The request asks for a version of the contract that is not served."""


class InvalidIdempotencyKeyError(ApiError):
    """`invalid_idempotency_key`: The `Idempotency-Key` cannot be read."""


class InvalidEventTypeError(ApiError):
    """`invalid_event_type`: A filter names event types or families that there are not."""


class InvalidUrlError(ApiError):
    """`invalid_url`: Nothing is sent to this URL: its form, its scheme or its address."""


class UnauthenticatedError(ApiError):
    """`unauthenticated`: There is no token, or one that is unknown, malformed or revoked."""


class TokenExpiredError(ApiError):
    """`token_expired`: The token has expired."""


class InsufficientScopeError(ApiError):
    """`insufficient_scope`: The token is valid and lacks a scope that the operation needs."""


class OwnerRequiredError(ApiError):
    """`owner_required`: Only an owner of the organization may do this."""


class ForbiddenError(ApiError):
    """`forbidden`: This caller may not do this to this record."""


class InvalidSignatureError(ApiError):
    """`invalid_signature`: The signed address does not open anything, or does not any more."""


class NotFoundError(ApiError):
    """`not_found`: There is no such record or path, or it is another organization's."""


class MethodNotAllowedError(ApiError):
    """The code `method_not_allowed`."""


class InvalidStateError(ApiError):
    """`invalid_state`: The record's present status does not allow this."""


class ChatBusyError(ApiError):
    """`chat_busy`: A turn is running in the chat, and the message was to be refused then."""


class ApprovalPendingError(ApiError):
    """`approval_pending`: The job waits for a person's decision."""


class VersionConflictError(ApiError):
    """`version_conflict`: The record has changed since it was read."""


class NotALibraryAgentError(ApiError):
    """`not_a_library_agent`: Only an agent of the library can be installed or uninstalled."""


class IdempotencyConflictError(ApiError):
    """`idempotency_conflict`: The `Idempotency-Key` was used for a request with another input."""


class IdempotencyInProgressError(ApiError):
    """`idempotency_in_progress`: The first request with this key is still running."""


class EventNotRetainedError(ApiError):
    """`event_not_retained`: The event was kept for its time and is gone."""


class PayloadTooLargeError(ApiError):
    """`payload_too_large`: The body or one of its fields is too large."""


class UnsupportedMediaTypeError(ApiError):
    """`unsupported_media_type`: The body is of a type that the operation does not take."""


class RateLimitedError(ApiError):
    """`rate_limited`: The requests of this window are used up."""


class BudgetExceededError(ApiError):
    """`budget_exceeded`: The organization has used up its model tokens of this month."""


class InternalError(ApiError):
    """`internal_error`: The service failed on this request: a bug of ours."""


class ProviderError(ApiError):
    """`provider_error`: The model or its provider refused or failed."""


class OverloadedError(ApiError):
    """`overloaded`: Too much waits for this record already, or too many streams are open. Nothing was done.
    """


class UnavailableError(ApiError):
    """`unavailable`: The service cannot reach what it needs. Nothing was done."""


class OutcomeUnknownError(ApiError):
    """`outcome_unknown`: The connection to the database broke during the commit: it may or may not have
    happened.
    """


class ShuttingDownError(ApiError):
    """`shutting_down`: The service is restarting. Nothing was done."""


class ApiTimeoutError(ApiError):
    """`timeout`: The work took longer than it may."""


_ERROR_CLASSES: Mapping[str, type[ApiError]] = {
    "invalid_json": InvalidJsonError,
    "invalid_request": InvalidRequestError,
    "invalid_cursor": InvalidCursorError,
    "unsupported_api_version": UnsupportedApiVersionError,
    "invalid_idempotency_key": InvalidIdempotencyKeyError,
    "invalid_event_type": InvalidEventTypeError,
    "invalid_url": InvalidUrlError,
    "unauthenticated": UnauthenticatedError,
    "token_expired": TokenExpiredError,
    "insufficient_scope": InsufficientScopeError,
    "owner_required": OwnerRequiredError,
    "forbidden": ForbiddenError,
    "invalid_signature": InvalidSignatureError,
    "not_found": NotFoundError,
    "method_not_allowed": MethodNotAllowedError,
    "invalid_state": InvalidStateError,
    "chat_busy": ChatBusyError,
    "approval_pending": ApprovalPendingError,
    "version_conflict": VersionConflictError,
    "not_a_library_agent": NotALibraryAgentError,
    "idempotency_conflict": IdempotencyConflictError,
    "idempotency_in_progress": IdempotencyInProgressError,
    "event_not_retained": EventNotRetainedError,
    "payload_too_large": PayloadTooLargeError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "rate_limited": RateLimitedError,
    "budget_exceeded": BudgetExceededError,
    "internal_error": InternalError,
    "provider_error": ProviderError,
    "overloaded": OverloadedError,
    "unavailable": UnavailableError,
    "outcome_unknown": OutcomeUnknownError,
    "shutting_down": ShuttingDownError,
    "timeout": ApiTimeoutError,
}


_CODES_BY_STATUS = {
    400: "invalid_request",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "invalid_state",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    502: "provider_error",
    503: "unavailable",
    504: "timeout",
}


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


# How requests go out. A failure that passes (no connection, 429, 5xx, a first request that is still
# running) is tried again with the same `Idempotency-Key`, so that what it asks for is done once.

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
        """The events of a stream that goes on where it was cut.

        It is opened again after the last cursor, until `stream.end`, an error that does not pass, or too many
        failures in a row. A connection that brought an event or a heartbeat was none.
        """
        parser = _SseParser()
        asked = replace(request, accept=_EVENT_STREAM, timeout=request.timeout or self._stream_idle)
        failures = 0
        while True:
            cause: Exception | None = None
            parser.begin()
            try:
                with self._open(_resuming(asked, parser.last_event_id)) as response:
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
            content = json.dumps(content).encode()
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
                raise _error_of(error.code, headers, error.read()) from None
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
        raise ConnectionFailedError(f"{request.method} {request.path}: the answer is no JSON") from error


def _resuming(request: _Request, cursor: str | None) -> _Request:
    return request if cursor is None else replace(request, last_event_id=cursor)


def _streamed(body: Mapping[str, object], stream: bool) -> dict[str, object]:
    """The body that says whether it is answered by a stream."""
    return {**body, "stream": stream}


def _segment(text: str) -> str:
    """An id as a piece of a path; what would be another path is refused."""
    if text in ("", ".", ".."):
        raise TroupeError(f"{text!r} is no id")
    return urllib.parse.quote(text, safe="")


def _path_of(request: _Request) -> str:
    given = [(name, value) for name, value in (request.query or {}).items() if value is not None]
    if not given:
        return request.path
    words = [(name, str(value).lower() if isinstance(value, bool) else str(value)) for name, value in given]
    return f"{request.path}?{urllib.parse.urlencode(words)}"


def _is_passing(error: ApiError) -> bool:
    """Whether the same request may go well a little later."""
    if error.code == "idempotency_in_progress":
        return True
    return error.status in _PASSING_STATUSES and error.code != "budget_exceeded"


def _is_repeatable(request: _Request, error: Exception) -> bool:
    """Whether it does no harm to send the request again: with a key, as a read, or when nothing was done."""
    if isinstance(error, ApiError) and not _is_passing(error):
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
        return {
            "event": name,
            "data": data} if cursor is None else {"event": name,
            "id": cursor,
            "data": data,
        }

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
