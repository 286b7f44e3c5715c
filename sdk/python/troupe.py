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

    # Agents: AI assistants: your own, and those of the library. [Guide: Agents and tools](/guides/agents-and-tools.md)

    def list_agents(
        self,
        *,
        name: str | None = None,
        tag: str | None = None,
        source: Literal["private", "library"] | None = None,
        visibility: list[Visibility] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> AgentList:
        """List agents.

        The organization's agents and the caller's own private ones, newest first. Library entries that are
        not installed follow at the end. Filters are combined with AND.

        `GET /api/agents`. Needs `agents:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        answer: AgentList = self._http.json(
            _Request(
                "GET",
                "/api/agents",
                query={
                    "name": name,
                    "tag": tag,
                    "source": source,
                    "visibility": visibility,
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
            )
        )
        return answer

    def list_all_agents(
        self,
        *,
        name: str | None = None,
        tag: str | None = None,
        source: Literal["private", "library"] | None = None,
        visibility: list[Visibility] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Agent, None, None]:
        """List agents. All of them: the next page is asked for when it is needed.

        The organization's agents and the caller's own private ones, newest first. Library entries that are
        not installed follow at the end. Filters are combined with AND.

        `GET /api/agents`. Needs `agents:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_agents(
                name=name,
                tag=tag,
                source=source,
                visibility=visibility,
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

        Only its creator sees it, unless another `visibility` is given.

        `POST /api/agents`. Needs `agents:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
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

        `GET /api/agents/{id}`. Needs `agents:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
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

        Omitted fields are unchanged. Jobs that have started keep the agent as it was.

        `PATCH /api/agents/{id}`. Needs `agents:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `InvalidStateError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
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

        The agent is archived: it can no longer be found, listed or executed. Its history is kept.

        `DELETE /api/agents/{id}`. Needs `agents:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or
        `StorageFullError`.
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

        Send either `install_state` or `action`. `install` applies the library's settings; `restore` brings
        back the settings from before the agent was uninstalled.

        `PATCH /api/agents/{id}/install-state`. Needs `agents:write`. May raise
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
        `NotALibraryAgentError`, `QuotaExceededError` or `StorageFullError`.
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

    def import_agent_tools(
        self,
        agent_id: str,
        body: ImportAgentToolsRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> ToolImport:
        """Make tools from an OpenAPI document.

        Each chosen operation becomes a tool of kind `http`; its parameters and the fields of its JSON body
        become the tool's arguments. A tool of this kind with the same name is replaced; other tools stay.
        With `dry_run` nothing is stored; a dry run without `operations` lists the document's operations.

        `POST /api/agents/{id}/tools/import`. Needs `agents:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `InvalidStateError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: ToolImport = self._http.json(
            _Request(
                "POST",
                f"/api/agents/{_segment(agent_id)}/tools/import",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def try_approval_rules(
        self,
        agent_id: str,
        body: TryApprovalRulesRequest,
        *,
        timeout: float | None = None,
    ) -> RuleTrial:
        """Try approval rules on earlier calls.

        What the rules would have decided about the newest 100 calls of the agent in jobs that the caller
        sees. Nothing is stored. Without `approval_rules` those of the agent are tried.

        `POST /api/agents/{id}/approval-rules/dry-run`. Needs `jobs:read`. May raise
        `OrganizationSuspendedError`, `NotFoundError` or `RequestTimeoutError`.
        """
        answer: RuleTrial = self._http.json(
            _Request(
                "POST",
                f"/api/agents/{_segment(agent_id)}/approval-rules/dry-run",
                body=body,
                timeout=timeout,
            )
        )
        return answer

    # Chats: Durable conversations with an agent. [Guide: Conversations](/guides/conversations.md)

    def list_chats(
        self,
        *,
        agent_id: str | None = None,
        workspace_id: str | None = None,
        status: list[ChatStatus] | None = None,
        title: str | None = None,
        pinned: Literal["true", "false"] | None = None,
        text: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> ChatList:
        """List chats.

        Filters are combined with AND.

        `GET /api/chats`. Needs `chats:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        answer: ChatList = self._http.json(
            _Request(
                "GET",
                "/api/chats",
                query={
                    "agent_id": agent_id,
                    "workspace_id": workspace_id,
                    "status": status,
                    "title": title,
                    "pinned": pinned,
                    "text": text,
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
        status: list[ChatStatus] | None = None,
        title: str | None = None,
        pinned: Literal["true", "false"] | None = None,
        text: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Chat, None, None]:
        """List chats. All of them: the next page is asked for when it is needed.

        Filters are combined with AND.

        `GET /api/chats`. Needs `chats:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_chats(
                agent_id=agent_id,
                workspace_id=workspace_id,
                status=status,
                title=title,
                pinned=pinned,
                text=text,
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

        `POST /api/chats`. Needs `chats:write`. May raise `OrganizationSuspendedError`, `NotFoundError`,
        `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
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

        `GET /api/chats/{id}`. Needs `chats:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
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

        `GET /api/chats/{id}`. Needs `chats:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
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

        Only for the chat's creator and for owners. Running work is cancelled, and the chat can no longer
        be found.

        `DELETE /api/chats/{id}`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
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

    def update_chat(
        self,
        chat_id: str,
        body: UpdateChatRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> Chat:
        """Rename a chat, pin it, or change its metadata.

        Only for the chat's creator and for owners. Omitted fields are unchanged.

        `PATCH /api/chats/{id}`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: Chat = self._http.json(
            _Request(
                "PATCH",
                f"/api/chats/{_segment(chat_id)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
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

        Merges the given options, sent at the top level or in `options`. Only the chat's creator and owners
        can change its title.

        `PATCH /api/chats/{id}/options`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`,
        `QuotaExceededError` or `StorageFullError`.
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

        The newest page comes first; the messages of a page are in conversation order. `next_cursor` leads
        to older messages.

        `GET /api/chats/{id}/messages`. Needs `chats:read`. May raise `InvalidCursorError`,
        `OrganizationSuspendedError` or `NotFoundError`.
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

        The newest page comes first; the messages of a page are in conversation order. `next_cursor` leads
        to older messages.

        `GET /api/chats/{id}/messages`. Needs `chats:read`. May raise `InvalidCursorError`,
        `OrganizationSuspendedError` or `NotFoundError`.
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

        Returns when the message is stored; the job that answers it continues. `on_busy` decides what
        happens to the message while a turn runs: `queue`, `steer` (the model gets it before its next
        call), `interrupt` (the turn is cancelled) or `reject`.

        `POST /api/chats/{id}/messages`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `ChatBusyError`,
        `ApprovalPendingError`, `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or
        `StorageFullError`.
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

    def update_message(
        self,
        chat_id: str,
        message_id: str,
        body: UpdateMessageRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Message:
        """Pin or unpin a message.

        A pinned message stays in the model's context unchanged, even when the conversation around it is
        compacted. A chat can have at most 20.

        `PATCH /api/chats/{id}/messages/{message_id}`. Needs `chats:write`. May raise
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: Message = self._http.json(
            _Request(
                "PATCH",
                f"/api/chats/{_segment(chat_id)}/messages/{_segment(message_id)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def compact_chat(
        self,
        chat_id: str,
        body: CompactChatRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> StartedCompaction:
        """Compact the conversation.

        Starts a job that writes a summary of the conversation so far. From then on the model gets the
        summary instead of the messages that it replaces; all messages stay readable. Long conversations
        are compacted automatically.

        `POST /api/chats/{id}/compact`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `BudgetExceededError`,
        `QuotaExceededError`, `ProviderError` or `StorageFullError`.
        """
        answer: StartedCompaction = self._http.json(
            _Request(
                "POST",
                f"/api/chats/{_segment(chat_id)}/compact",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def fork_chat(
        self,
        chat_id: str,
        body: ForkChatRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> ForkedChat:
        """Fork a chat at an earlier message.

        Copies the conversation up to and including the message into a new chat; this chat stays as it is.
        `content` replaces the message, which must then be a user's, and the agent answers it: edit and
        resend. At most the newest 1,000 messages and 4 MiB before the message are copied.

        `POST /api/chats/{id}/fork`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `BudgetExceededError`,
        `QuotaExceededError`, `ProviderError` or `StorageFullError`.
        """
        answer: ForkedChat = self._http.json(
            _Request(
                "POST",
                f"/api/chats/{_segment(chat_id)}/fork",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Jobs: Long-running work records. [Guide: Approvals and review](/guides/approvals-and-review.md)

    def list_jobs(
        self,
        *,
        status: list[JobStatus] | None = None,
        agent_id: str | None = None,
        chat_id: str | None = None,
        workspace_id: str | None = None,
        mission_id: str | None = None,
        parent_job_id: str | None = None,
        created_after: str | None = None,
        metadata: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> JobList:
        """List jobs.

        Filters are combined with AND.

        `GET /api/jobs`. Needs `jobs:read`. May raise `InvalidCursorError` or `OrganizationSuspendedError`.
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
                    "metadata": metadata,
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
        status: list[JobStatus] | None = None,
        agent_id: str | None = None,
        chat_id: str | None = None,
        workspace_id: str | None = None,
        mission_id: str | None = None,
        parent_job_id: str | None = None,
        created_after: str | None = None,
        metadata: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Job, None, None]:
        """List jobs. All of them: the next page is asked for when it is needed.

        Filters are combined with AND.

        `GET /api/jobs`. Needs `jobs:read`. May raise `InvalidCursorError` or `OrganizationSuspendedError`.
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
                metadata=metadata,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "jobs",
        )

    def get_job(self, job_id: str, *, timeout: float | None = None) -> Job:
        """Read status, metadata, artifacts, review state and links.

        `GET /api/jobs/{id}`. Needs `jobs:read`. May raise `OrganizationSuspendedError` or `NotFoundError`.
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

        `GET /api/jobs/{id}`. Needs `jobs:read`. May raise `OrganizationSuspendedError` or `NotFoundError`.
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

        The job's iterations, resumptions, delegations and ancestors.

        `GET /api/jobs/{id}/lineage`. Needs `jobs:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
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
        types: list[Literal[
            "job.created",
            "job.started",
            "job.restarted",
            "job.blocked",
            "job.resumed",
            "job.review_requested",
            "job.approved",
            "job.denied",
            "job.iteration_requested",
            "job.cancelling",
            "job.completed",
            "job.failed",
            "job.cancelled",
            "runner.status",
            "transcript.event",
            "log",
            "usage.updated",
            "artifact.created",
            "approval.requested",
            "approval.updated",
            "approval.resolved",
            "review.updated",
            "error"],
        ] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> EventPage:
        """Read transcript events.

        The durable events of the job's stream, in pages.

        `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read`. May raise `OrganizationSuspendedError`
        or `NotFoundError`.
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
        types: list[Literal[
            "job.created",
            "job.started",
            "job.restarted",
            "job.blocked",
            "job.resumed",
            "job.review_requested",
            "job.approved",
            "job.denied",
            "job.iteration_requested",
            "job.cancelling",
            "job.completed",
            "job.failed",
            "job.cancelled",
            "runner.status",
            "transcript.event",
            "log",
            "usage.updated",
            "artifact.created",
            "approval.requested",
            "approval.updated",
            "approval.resolved",
            "review.updated",
            "error"],
        ] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[RecordedEvent, None, None]:
        """Read transcript events. All of them: the next page is asked for when it is needed.

        The durable events of the job's stream, in pages.

        `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read`. May raise `OrganizationSuspendedError`
        or `NotFoundError`.
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
        """Approve a reviewed job, or approve or deny waiting tool calls.

        Without an id it applies to all waiting calls, or to the review. A denial emits `job.denied`.

        `POST /api/jobs/{id}/approve`. Needs `jobs:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError`
        or `StorageFullError`.
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

        With `wait` it returns when the job has stopped, with the seq of its last event.

        `POST /api/jobs/{id}/cancel`. Needs `jobs:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or
        `StorageFullError`.
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

    def send_tool_results(
        self,
        job_id: str,
        body: SendToolResultsRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Job:
        """Send the results of tools that the client runs.

        For the calls in `requested_tool_calls`. Send one result per call; the job continues once every
        call has a result.

        `POST /api/jobs/{id}/tool-results`. Needs `jobs:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError`
        or `StorageFullError`.
        """
        answer: Job = self._http.json(
            _Request(
                "POST",
                f"/api/jobs/{_segment(job_id)}/tool-results",
                body=body,
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

        A blocked job continues as the same job; a failed or cancelled job continues in a new one.

        `POST /api/jobs/{id}/resume`. Needs `jobs:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
        `ApprovalPendingError`, `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or
        `StorageFullError`.
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

        Requests changes, if a review is pending, and starts another round in a new job.

        `POST /api/jobs/{id}/iterate`. Needs `jobs:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
        `ApprovalPendingError`, `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or
        `StorageFullError`.
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

    def bulk_jobs(
        self,
        body: BulkJobsRequest,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> BulkJobs:
        """Cancel, resume or decide many jobs.

        Acts on the jobs of one page of the filter, one after the other. Each job changes and emits its
        event as if the operation for one job had been called. The answer says what happened to each. Do
        not call it twice at the same time: both calls may resume the same failed job. Call it again with
        `next_cursor` for the jobs after these.

        `POST /api/jobs/bulk`. Needs `jobs:write`. May raise `InvalidCursorError`,
        `OrganizationSuspendedError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: BulkJobs = self._http.json(
            _Request(
                "POST",
                "/api/jobs/bulk",
                query={"limit": limit, "cursor": cursor},
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Streams: Server-sent events that resume where the connection broke. [Guide: Streams and resuming](/guides/streams-and-resuming.md)

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

        A `snapshot` of the record comes first, then recent events, then live events. The id of an event is
        the cursor to resume from, without gaps or duplicates. `reset` means that the cursor cannot be
        used. Comments are heartbeats. Resuming a finished stream at its end returns 204. The stream stays
        open unless you send `wait=end`.

        `GET /api/chats/{id}/events`. Needs `chats:read` or `events:read`. May raise
        `OrganizationSuspendedError` or `NotFoundError`.
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

        A `snapshot` of the record comes first, then recent events, then live events. The id of an event is
        the cursor to resume from, without gaps or duplicates. `reset` means that the cursor cannot be
        used. Comments are heartbeats. Resuming a finished stream at its end returns 204. After the job's
        last event comes `stream.end`, and the stream closes.

        `GET /api/jobs/{id}/events`. Needs `jobs:read` or `events:read`. May raise
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        return self._http.resumed(
            _Request(
                "GET",
                f"/api/jobs/{_segment(job_id)}/events",
                query={"after": after, "replay": replay, "wait": wait},
                timeout=timeout,
            )
        )

    # Embedded pages: Streams for pages without a token. [Guide: Streams and resuming](/guides/streams-and-resuming.md)

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
        """Stream job events by a signed URL. Goes on by itself where it was cut, without a gap and without a
        repetition.

        A job's `links.app_stream` is a signed URL that can open the stream for five minutes. It sends the
        same events as the job's stream.

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

    # Uploads: Files that messages refer to

    def list_uploads(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> UploadedFileList:
        """List your uploaded files.

        `GET /api/files`. Needs `chats:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        answer: UploadedFileList = self._http.json(
            _Request(
                "GET",
                "/api/files",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_uploads(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[UploadedFile, None, None]:
        """List your uploaded files. All of them: the next page is asked for when it is needed.

        `GET /api/files`. Needs `chats:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_uploads(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "files",
        )

    def create_upload(
        self,
        body: BinaryBody,
        *,
        name: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> UploadedFile:
        """Upload a file for a message.

        The body is the file: a PNG, JPEG, GIF or WebP image, a PDF, or text in UTF-8. Its media type is
        detected from its first bytes. A file that no message refers to is removed after 7 days.

        `POST /api/files`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: UploadedFile = self._http.json(
            _Request(
                "POST",
                "/api/files",
                query={"name": name},
                body=body,
                content_type="application/octet-stream",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_upload(self, file_id: str, *, timeout: float | None = None) -> UploadedFile:
        """Read an uploaded file's metadata.

        `GET /api/files/{id}`. Needs `chats:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
        """
        answer: UploadedFile = self._http.json(
            _Request(
                "GET",
                f"/api/files/{_segment(file_id)}",
                timeout=timeout,
            )
        )
        return answer

    def delete_upload(
        self,
        file_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> UploadedFile:
        """Delete an uploaded file.

        New messages can no longer refer to the file. Messages that already do keep its content.

        `DELETE /api/files/{id}`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: UploadedFile = self._http.json(
            _Request(
                "DELETE",
                f"/api/files/{_segment(file_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def read_upload(self, file_id: str, *, timeout: float | None = None) -> bytes:
        """Download an uploaded file.

        `GET /api/files/{id}/content`. Needs `chats:read`. May raise `OrganizationSuspendedError`,
        `NotFoundError` or `RangeNotSatisfiableError`.
        """
        return self._http.content(
            _Request(
                "GET",
                f"/api/files/{_segment(file_id)}/content",
                timeout=timeout,
            )
        )

    def read_upload_stream(
        self,
        file_id: str,
        *,
        timeout: float | None = None,
    ) -> Generator[bytes, None, None]:
        """Download an uploaded file. The content in pieces, as they arrive: a file of any size takes little
        memory.

        `GET /api/files/{id}/content`. Needs `chats:read`. May raise `OrganizationSuspendedError`,
        `NotFoundError` or `RangeNotSatisfiableError`.
        """
        return self._http.chunks(
            _Request(
                "GET",
                f"/api/files/{_segment(file_id)}/content",
                timeout=timeout,
            )
        )

    # Missions: Recurring work for an agent, started by hand or by a schedule. [Guide: Missions](/guides/missions.md)

    def list_missions(
        self,
        *,
        status: list[MissionStatus] | None = None,
        agent_id: str | None = None,
        workspace_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> MissionList:
        """List missions.

        Filters are combined with AND.

        `GET /api/missions`. Needs `missions:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        answer: MissionList = self._http.json(
            _Request(
                "GET",
                "/api/missions",
                query={
                    "status": status,
                    "agent_id": agent_id,
                    "workspace_id": workspace_id,
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
            )
        )
        return answer

    def list_all_missions(
        self,
        *,
        status: list[MissionStatus] | None = None,
        agent_id: str | None = None,
        workspace_id: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Mission, None, None]:
        """List missions. All of them: the next page is asked for when it is needed.

        Filters are combined with AND.

        `GET /api/missions`. Needs `missions:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_missions(
                status=status,
                agent_id=agent_id,
                workspace_id=workspace_id,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "missions",
        )

    def create_mission(
        self,
        body: CreateMissionRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Mission:
        """Create a mission.

        Without a schedule, the mission runs only when it is started by hand. Scheduled runs have the
        permissions of the mission's creator. Without `workspace_id` it uses the default workspace.

        `POST /api/missions`. Needs `missions:write`. May raise `InvalidScheduleError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Mission = self._http.json(
            _Request(
                "POST",
                "/api/missions",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_mission(self, mission_id: str, *, timeout: float | None = None) -> Mission:
        """Read a mission.

        `GET /api/missions/{id}`. Needs `missions:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
        """
        answer: Mission = self._http.json(
            _Request(
                "GET",
                f"/api/missions/{_segment(mission_id)}",
                timeout=timeout,
            )
        )
        return answer

    def wait_for_mission(
        self,
        mission_id: str,
        *,
        since_version: int | None = None,
        wait: int | None = None,
        timeout: float | None = None,
    ) -> Mission | None:
        """Read a mission. Answers as soon as `version` is past `since_version`; nothing where that did not
        happen within `wait` seconds.

        `GET /api/missions/{id}`. Needs `missions:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
        """
        answer: Mission | None = self._http.changed(
            _Request(
                "GET",
                f"/api/missions/{_segment(mission_id)}",
                query={"since_version": since_version, "wait": wait},
                timeout=timeout,
            )
        )
        return answer

    def update_mission(
        self,
        mission_id: str,
        body: UpdateMissionRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> Mission:
        """Update a mission.

        Omitted fields are unchanged. `status` pauses it (`paused`), resumes it (`pending`) or runs it now
        (`running`).

        `PATCH /api/missions/{id}`. Needs `missions:write`. May raise `InvalidScheduleError`,
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `InvalidStateError`, `VersionConflictError`, `BudgetExceededError`, `QuotaExceededError`,
        `ProviderError` or `StorageFullError`.
        """
        answer: Mission = self._http.json(
            _Request(
                "PATCH",
                f"/api/missions/{_segment(mission_id)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def delete_mission(
        self,
        mission_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> DeletedMission:
        """Delete a mission.

        The mission no longer runs and can no longer be found; its record is kept. Its running jobs are
        cancelled.

        `DELETE /api/missions/{id}`. Needs `missions:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: DeletedMission = self._http.json(
            _Request(
                "DELETE",
                f"/api/missions/{_segment(mission_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_mission_forecast(
        self,
        mission_id: str,
        *,
        count: int | None = None,
        timeout: float | None = None,
    ) -> MissionForecast:
        """Forecast when a mission will run.

        In UTC and in local time, with a note where a clock change shifts, skips or repeats a time.

        `GET /api/missions/{id}/forecast`. Needs `missions:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
        """
        answer: MissionForecast = self._http.json(
            _Request(
                "GET",
                f"/api/missions/{_segment(mission_id)}/forecast",
                query={"count": count},
                timeout=timeout,
            )
        )
        return answer

    def forecast_schedule(
        self,
        body: ForecastScheduleRequest,
        *,
        timeout: float | None = None,
    ) -> ScheduleForecast:
        """Forecast a schedule that is not saved.

        Validates the schedule as for a new mission, and answers its next times with the effects of clock
        changes. A mission that only runs when it is started by hand has no times.

        `POST /api/missions/forecast`. Needs `missions:read`. May raise `InvalidScheduleError`,
        `OrganizationSuspendedError` or `RequestTimeoutError`.
        """
        answer: ScheduleForecast = self._http.json(
            _Request(
                "POST",
                "/api/missions/forecast",
                body=body,
                timeout=timeout,
            )
        )
        return answer

    def run_mission(
        self,
        mission_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> MissionRunStarted:
        """Run a mission now.

        While another run is open, the mission's overlap policy decides. If it makes the new run wait, the
        answer has no `run` and no `job` yet.

        `POST /api/missions/{id}/run`. Needs `missions:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
        `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or `StorageFullError`.
        """
        answer: MissionRunStarted = self._http.json(
            _Request(
                "POST",
                f"/api/missions/{_segment(mission_id)}/run",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def list_mission_runs(
        self,
        mission_id: str,
        *,
        outcome: list[MissionRunOutcome] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> MissionRunList:
        """List the runs of a mission.

        The ledger: every scheduled time with its outcome, and every manual run.

        `GET /api/missions/{id}/runs`. Needs `missions:read`. May raise `InvalidCursorError`,
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        answer: MissionRunList = self._http.json(
            _Request(
                "GET",
                f"/api/missions/{_segment(mission_id)}/runs",
                query={"outcome": outcome, "limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_mission_runs(
        self,
        mission_id: str,
        *,
        outcome: list[MissionRunOutcome] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[MissionRun, None, None]:
        """List the runs of a mission. All of them: the next page is asked for when it is needed.

        The ledger: every scheduled time with its outcome, and every manual run.

        `GET /api/missions/{id}/runs`. Needs `missions:read`. May raise `InvalidCursorError`,
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        return self._http.items(
            lambda cursor: self.list_mission_runs(
                mission_id,
                outcome=outcome,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "runs",
        )

    def add_mission_task(
        self,
        mission_id: str,
        body: AddMissionTaskRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> MissionTask:
        """Add a mission task.

        `POST /api/missions/{id}/tasks`. Needs `missions:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError`
        or `StorageFullError`.
        """
        answer: MissionTask = self._http.json(
            _Request(
                "POST",
                f"/api/missions/{_segment(mission_id)}/tasks",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_mission_task(self, mission_id: str, task_id: str, *, timeout: float | None = None) -> MissionTask:
        """Read a mission task.

        `GET /api/missions/{id}/tasks/{taskId}`. Needs `missions:read`. May raise
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        answer: MissionTask = self._http.json(
            _Request(
                "GET",
                f"/api/missions/{_segment(mission_id)}/tasks/{_segment(task_id)}",
                timeout=timeout,
            )
        )
        return answer

    def update_mission_task(
        self,
        mission_id: str,
        task_id: str,
        body: UpdateMissionTaskRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> MissionTask:
        """Update a mission task.

        Omitted fields are unchanged. A status that ends the work also stops its job.

        `PATCH /api/missions/{id}/tasks/{taskId}`. Needs `missions:write`. May raise
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `InvalidStateError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: MissionTask = self._http.json(
            _Request(
                "PATCH",
                f"/api/missions/{_segment(mission_id)}/tasks/{_segment(task_id)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def start_mission_task(
        self,
        mission_id: str,
        task_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> MissionTaskStarted:
        """Start long-running work from a task.

        The agent that the task is assigned to does the work, or else the mission's agent. If a job is
        already active, it is returned with 200.

        `POST /api/missions/{id}/tasks/{taskId}/start-work`. Needs `missions:write`. May raise
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `InvalidStateError`, `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or
        `StorageFullError`.
        """
        answer: MissionTaskStarted = self._http.json(
            _Request(
                "POST",
                f"/api/missions/{_segment(mission_id)}/tasks/{_segment(task_id)}/start-work",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Tasks: Work items, assigned to agents or to people

    def list_tasks(
        self,
        *,
        status: list[TaskStatus] | None = None,
        assigned_to: str | None = None,
        workspace_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> TaskList:
        """List tasks.

        Filters are combined with AND.

        `GET /api/tasks`. Needs `tasks:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
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
        status: list[TaskStatus] | None = None,
        assigned_to: str | None = None,
        workspace_id: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Task, None, None]:
        """List tasks. All of them: the next page is asked for when it is needed.

        Filters are combined with AND.

        `GET /api/tasks`. Needs `tasks:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
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

    def create_task(
        self,
        body: CreateTaskRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Task:
        """Create a task.

        The new task is `pending`. Assigning a task does not start any work.

        `POST /api/tasks`. Needs `tasks:write`. May raise `OrganizationSuspendedError`,
        `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: Task = self._http.json(
            _Request(
                "POST",
                "/api/tasks",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_task(self, task_id: str, *, timeout: float | None = None) -> Task:
        """Read a task.

        `GET /api/tasks/{id}`. Needs `tasks:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
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

        Omitted fields are unchanged. `completed` and `cancelled` are final.

        `PATCH /api/tasks/{id}`. Needs `tasks:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`,
        `QuotaExceededError` or `StorageFullError`.
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

    def delete_task(
        self,
        task_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> DeletedTask:
        """Delete a task.

        The task can no longer be found, on v1 either.

        `DELETE /api/tasks/{id}`. Needs `tasks:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: DeletedTask = self._http.json(
            _Request(
                "DELETE",
                f"/api/tasks/{_segment(task_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Workspaces: Where the work of an organization happens. [Guide: Files](/guides/files.md)

    def list_workspaces(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> WorkspaceList:
        """List workspaces.

        `GET /api/workspaces`. Needs `workspaces:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
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

        `GET /api/workspaces`. Needs `workspaces:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_workspaces(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "workspaces",
        )

    def create_workspace(
        self,
        body: CreateWorkspaceRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> WorkspaceDetails:
        """Create a workspace.

        `POST /api/workspaces`. Needs `workspaces:write`. May raise `OrganizationSuspendedError`,
        `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: WorkspaceDetails = self._http.json(
            _Request(
                "POST",
                "/api/workspaces",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_workspace(self, workspace_id: str, *, timeout: float | None = None) -> WorkspaceDetails:
        """Read a workspace.

        `GET /api/workspaces/{id}`. Needs `workspaces:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
        """
        answer: WorkspaceDetails = self._http.json(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}",
                timeout=timeout,
            )
        )
        return answer

    def update_workspace(
        self,
        workspace_id: str,
        body: UpdateWorkspaceRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> WorkspaceDetails:
        """Update a workspace.

        Omitted fields are unchanged.

        `PATCH /api/workspaces/{id}`. Needs `workspaces:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: WorkspaceDetails = self._http.json(
            _Request(
                "PATCH",
                f"/api/workspaces/{_segment(workspace_id)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def delete_workspace(
        self,
        workspace_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Workspace:
        """Delete a workspace.

        Deletes its files too; missions in it fail. The organization's first workspace cannot be deleted.

        `DELETE /api/workspaces/{id}`. Needs `workspaces:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Workspace = self._http.json(
            _Request(
                "DELETE",
                f"/api/workspaces/{_segment(workspace_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def select_workspace(
        self,
        workspace_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> WorkspaceDetails:
        """Set the active workspace.

        Each user has an active workspace of their own.

        `POST /api/workspaces/{id}/select`. Needs `workspaces:write`. May raise
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: WorkspaceDetails = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/select",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Files: Files and directories of a workspace. [Guide: Files](/guides/files.md)

    def list_files(
        self,
        workspace_id: str,
        *,
        path: str | None = None,
        recursive: Literal["true", "false"] | None = None,
        glob: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> FileList:
        """List files and directories.

        Sorted by path, byte by byte. A page can have fewer than `limit` entries if `glob` excludes some.

        `GET /api/workspaces/{id}/files`. Needs `workspaces:read`. May raise `InvalidCursorError`,
        `InvalidPathError`, `OrganizationSuspendedError` or `NotFoundError`.
        """
        answer: FileList = self._http.json(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}/files",
                query={"path": path, "recursive": recursive, "glob": glob, "limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_files(
        self,
        workspace_id: str,
        *,
        path: str | None = None,
        recursive: Literal["true", "false"] | None = None,
        glob: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[WorkspaceFile, None, None]:
        """List files and directories. All of them: the next page is asked for when it is needed.

        Sorted by path, byte by byte. A page can have fewer than `limit` entries if `glob` excludes some.

        `GET /api/workspaces/{id}/files`. Needs `workspaces:read`. May raise `InvalidCursorError`,
        `InvalidPathError`, `OrganizationSuspendedError` or `NotFoundError`.
        """
        return self._http.items(
            lambda cursor: self.list_files(
                workspace_id,
                path=path,
                recursive=recursive,
                glob=glob,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "files",
        )

    def search_files(
        self,
        workspace_id: str,
        *,
        q: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> FoundFiles:
        """Search names and contents.

        Matches in names come first, then matches in contents. Only the first 64 KiB of a text file are
        searched.

        `GET /api/workspaces/{id}/files/search`. Needs `workspaces:read`. May raise
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        answer: FoundFiles = self._http.json(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}/files/search",
                query={"q": q, "limit": limit},
                timeout=timeout,
            )
        )
        return answer

    def read_file(
        self,
        workspace_id: str,
        *,
        path: str | None = None,
        number: int | None = None,
        timeout: float | None = None,
    ) -> bytes:
        """Download a file.

        The current content, or the content of version `number`.

        `GET /api/workspaces/{id}/files/content`. Needs `workspaces:read`. May raise `InvalidPathError`,
        `OrganizationSuspendedError`, `NotFoundError` or `RangeNotSatisfiableError`.
        """
        return self._http.content(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}/files/content",
                query={"path": path, "number": number},
                timeout=timeout,
            )
        )

    def read_file_stream(
        self,
        workspace_id: str,
        *,
        path: str | None = None,
        number: int | None = None,
        timeout: float | None = None,
    ) -> Generator[bytes, None, None]:
        """Download a file. The content in pieces, as they arrive: a file of any size takes little memory.

        The current content, or the content of version `number`.

        `GET /api/workspaces/{id}/files/content`. Needs `workspaces:read`. May raise `InvalidPathError`,
        `OrganizationSuspendedError`, `NotFoundError` or `RangeNotSatisfiableError`.
        """
        return self._http.chunks(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}/files/content",
                query={"path": path, "number": number},
                timeout=timeout,
            )
        )

    def write_file(
        self,
        workspace_id: str,
        body: BinaryBody,
        *,
        path: str | None = None,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> FileUpload:
        """Upload a file.

        Creates the file and missing parent directories, or replaces its content. The body is the file, and
        `Content-Type` its media type. A large file can be sent in parts, each with `Content-Range` and the
        `Repr-Digest` of the whole file. While bytes are missing, the response is 202 with the `offset` of
        the next part; send `Content-Range: bytes */<size>` to query it. An upload in parts may take up to
        a day.

        `PUT /api/workspaces/{id}/files/content`. Needs `workspaces:write`. May raise `InvalidPathError`,
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `VersionConflictError`, `PathExistsError`, `UploadOffsetMismatchError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: FileUpload = self._http.json(
            _Request(
                "PUT",
                f"/api/workspaces/{_segment(workspace_id)}/files/content",
                query={"path": path},
                body=body,
                content_type="application/octet-stream",
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def delete_file(
        self,
        workspace_id: str,
        *,
        path: str | None = None,
        recursive: Literal["true", "false"] | None = None,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> ChangedFile:
        """Delete a file or directory.

        Deleting a directory that is not empty needs `recursive=true`; otherwise it is 409 `path_exists`.

        `DELETE /api/workspaces/{id}/files/content`. Needs `workspaces:write`. May raise
        `InvalidPathError`, `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`,
        `RequestTimeoutError`, `VersionConflictError`, `PathExistsError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: ChangedFile = self._http.json(
            _Request(
                "DELETE",
                f"/api/workspaces/{_segment(workspace_id)}/files/content",
                query={"path": path, "recursive": recursive},
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def list_file_versions(
        self,
        workspace_id: str,
        *,
        path: str | None = None,
        timeout: float | None = None,
    ) -> FileVersions:
        """List the versions of a file.

        Works for a file that exists or was deleted less than 30 days ago. All versions, at most 51, are on
        one page.

        `GET /api/workspaces/{id}/files/versions`. Needs `workspaces:read`. May raise `InvalidPathError`,
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        answer: FileVersions = self._http.json(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}/files/versions",
                query={"path": path},
                timeout=timeout,
            )
        )
        return answer

    def preview_file(
        self,
        workspace_id: str,
        body: PreviewFileRequest,
        *,
        timeout: float | None = None,
    ) -> FilePreview:
        """Create or fetch a file preview.

        Text files and tables: the beginning of their content. Markdown and code: HTML that is safe to show
        as well. Tables: their first rows. Images: a scaled picture. PDFs: their text and first page. Parts
        that cannot be made for a file are omitted.

        `POST /api/workspaces/{id}/files/preview`. Needs `workspaces:read`. May raise `InvalidPathError`,
        `OrganizationSuspendedError`, `NotFoundError` or `RequestTimeoutError`.
        """
        answer: FilePreview = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/files/preview",
                body=body,
                timeout=timeout,
            )
        )
        return answer

    def create_directory(
        self,
        workspace_id: str,
        body: CreateDirectoryRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> MadeDirectory:
        """Create a directory.

        Creates missing parent directories. A directory that exists is not an error.

        `POST /api/workspaces/{id}/files/directory`. Needs `workspaces:write`. May raise
        `InvalidPathError`, `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`,
        `RequestTimeoutError`, `PathExistsError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: MadeDirectory = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/files/directory",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def move_file(
        self,
        workspace_id: str,
        body: MoveFileRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> ChangedFile:
        """Move a file or directory.

        With `overwrite` a file replaces a file (whose content is kept as a version), and a directory
        replaces an empty one.

        `POST /api/workspaces/{id}/files/move`. Needs `workspaces:write`. May raise `InvalidPathError`,
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `PathExistsError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: ChangedFile = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/files/move",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def share_file(
        self,
        workspace_id: str,
        body: ShareFileRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> NewShare:
        """Create a public file share.

        The URL serves the file that is at the path at the time of the download.

        `POST /api/workspaces/{id}/files/share`. Needs `workspaces:write`. May raise `InvalidPathError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: NewShare = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/files/share",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def list_shares(
        self,
        workspace_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> ShareList:
        """List the shares of a workspace.

        `GET /api/workspaces/{id}/shares`. Needs `workspaces:read`. May raise `InvalidCursorError`,
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        answer: ShareList = self._http.json(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}/shares",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_shares(
        self,
        workspace_id: str,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Share, None, None]:
        """List the shares of a workspace. All of them: the next page is asked for when it is needed.

        `GET /api/workspaces/{id}/shares`. Needs `workspaces:read`. May raise `InvalidCursorError`,
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        return self._http.items(
            lambda cursor: self.list_shares(
                workspace_id,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "shares",
        )

    def revoke_share(
        self,
        workspace_id: str,
        share_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Share:
        """Revoke a share.

        `DELETE /api/workspaces/{id}/shares/{share_id}`. Needs `workspaces:write`. May raise
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Share = self._http.json(
            _Request(
                "DELETE",
                f"/api/workspaces/{_segment(workspace_id)}/shares/{_segment(share_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Shares: Files that anyone with the link can download, without a token. [Guide: Files](/guides/files.md)

    def open_share(
        self,
        token: str,
        *,
        download: Literal["1"] | None = None,
        timeout: float | None = None,
    ) -> bytes:
        """Download a shared file.

        Send the password of a share by HTTP Basic authentication, with any user name. Each response with
        content counts as a download; HEAD, 304 and 416 do not count. Browsers (`Accept: text/html`) get a
        page with a preview and a download link, and errors as pages; the page does not count as a
        download, and has no preview if `max_downloads` is set.

        `GET /share/{token}`. May raise `NotFoundError`, `ShareExpiredError` or `RangeNotSatisfiableError`.
        """
        return self._http.content(
            _Request(
                "GET",
                f"/share/{_segment(token)}",
                query={"download": download},
                is_public=True,
                timeout=timeout,
            )
        )

    def open_share_stream(
        self,
        token: str,
        *,
        download: Literal["1"] | None = None,
        timeout: float | None = None,
    ) -> Generator[bytes, None, None]:
        """Download a shared file. The content in pieces, as they arrive: a file of any size takes little
        memory.

        Send the password of a share by HTTP Basic authentication, with any user name. Each response with
        content counts as a download; HEAD, 304 and 416 do not count. Browsers (`Accept: text/html`) get a
        page with a preview and a download link, and errors as pages; the page does not count as a
        download, and has no preview if `max_downloads` is set.

        `GET /share/{token}`. May raise `NotFoundError`, `ShareExpiredError` or `RangeNotSatisfiableError`.
        """
        return self._http.chunks(
            _Request(
                "GET",
                f"/share/{_segment(token)}",
                query={"download": download},
                is_public=True,
                timeout=timeout,
            )
        )

    # Unfinished uploads: Uploads in parts that are not finished

    def list_unfinished_uploads(self, *, timeout: float | None = None) -> UnfinishedUploadList:
        """List unfinished uploads.

        Your own uploads in parts, newest first; owners see those of all members. There are at most 32 per
        organization and 8 per person.

        `GET /api/unfinished-uploads`. Needs `workspaces:read`. May raise `OrganizationSuspendedError`.
        """
        answer: UnfinishedUploadList = self._http.json(
            _Request(
                "GET",
                "/api/unfinished-uploads",
                timeout=timeout,
            )
        )
        return answer

    def end_unfinished_upload(
        self,
        upload_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> UnfinishedUpload:
        """End an unfinished upload.

        Discards the bytes received so far. Only for the person who started the upload, and for owners.

        `DELETE /api/unfinished-uploads/{id}`. Needs `workspaces:write`. May raise
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: UnfinishedUpload = self._http.json(
            _Request(
                "DELETE",
                f"/api/unfinished-uploads/{_segment(upload_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Data: Queries over the files of a workspace

    def query_data(
        self,
        workspace_id: str,
        body: QueryDataRequest,
        *,
        timeout: float | None = None,
    ) -> QueryResult:
        """Run a read-only data-block query.

        DuckDB over CSV, JSON and Parquet files, such as `FROM 'reports/sales.csv'` or `FROM
        read_csv('a.txt', delim = ';')`; SQLite over the file that `database` names. A query reads only the
        files that it names, and may use 5 s of CPU time, 30 s in total and 512 MiB of memory. CSV and
        Arrow responses contain only the rows; `X-Row-Count` and `X-Truncated` have the rest.

        `POST /api/workspaces/{id}/data-blocks/query`. Needs `workspaces:read`. May raise
        `InvalidPathError`, `ReadOnlyViolationError`, `OrganizationSuspendedError`, `NotFoundError`,
        `RequestTimeoutError` or `ApiTimeoutError`.
        """
        answer: QueryResult = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/data-blocks/query",
                body=body,
                timeout=timeout,
            )
        )
        return answer

    def query_data_bytes(
        self,
        workspace_id: str,
        body: QueryDataRequest,
        *,
        timeout: float | None = None,
    ) -> bytes:
        """Run a read-only data-block query. The content in the `format` that the body names.

        DuckDB over CSV, JSON and Parquet files, such as `FROM 'reports/sales.csv'` or `FROM
        read_csv('a.txt', delim = ';')`; SQLite over the file that `database` names. A query reads only the
        files that it names, and may use 5 s of CPU time, 30 s in total and 512 MiB of memory. CSV and
        Arrow responses contain only the rows; `X-Row-Count` and `X-Truncated` have the rest.

        `POST /api/workspaces/{id}/data-blocks/query`. Needs `workspaces:read`. May raise
        `InvalidPathError`, `ReadOnlyViolationError`, `OrganizationSuspendedError`, `NotFoundError`,
        `RequestTimeoutError` or `ApiTimeoutError`.
        """
        return self._http.content(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/data-blocks/query",
                body=body,
                timeout=timeout,
            )
        )

    # Repositories: Repositories whose files are in a workspace

    def list_repositories(self, workspace_id: str, *, timeout: float | None = None) -> RepositoryList:
        """List repository mounts.

        Returns all of them: a workspace has at most 20.

        `GET /api/workspaces/{id}/repos`. Needs `workspaces:read`. May raise `OrganizationSuspendedError`
        or `NotFoundError`.
        """
        answer: RepositoryList = self._http.json(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}/repos",
                timeout=timeout,
            )
        )
        return answer

    def add_repository(
        self,
        workspace_id: str,
        body: AddRepositoryRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Repository:
        """Add a repository mount.

        The mount stays `pending` until it is cloned. Only owners can name a `secret`, with the scope
        `secrets:use`.

        `POST /api/workspaces/{id}/repos`. Needs `workspaces:write`. May raise `InvalidPathError`,
        `InvalidUrlError`, `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`,
        `RequestTimeoutError`, `PathExistsError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: Repository = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/repos",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def clone_repository(
        self,
        workspace_id: str,
        body: CloneRepositoryRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Repository:
        """Clone a repository mount.

        Clones the mount `repo_id`, or a new one. A job does the work: follow or cancel `job_id` like any
        other job. Only the files of the latest commit are fetched; symbolic links, submodules and files
        that a workspace cannot store are left out.

        `POST /api/workspaces/{id}/repos/clone`. Needs `workspaces:write`. May raise `InvalidPathError`,
        `InvalidUrlError`, `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`,
        `RequestTimeoutError`, `InvalidStateError`, `PathExistsError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Repository = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/repos/clone",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_repository(self, workspace_id: str, repo_id: str, *, timeout: float | None = None) -> Repository:
        """Read a repository mount.

        `GET /api/workspaces/{id}/repos/{repo_id}`. Needs `workspaces:read`. May raise
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        answer: Repository = self._http.json(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}/repos/{_segment(repo_id)}",
                timeout=timeout,
            )
        )
        return answer

    def remove_repository(
        self,
        workspace_id: str,
        repo_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Repository:
        """Remove a repository mount.

        Its files stay in the workspace as ordinary files.

        `DELETE /api/workspaces/{id}/repos/{repo_id}`. Needs `workspaces:write`. May raise
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Repository = self._http.json(
            _Request(
                "DELETE",
                f"/api/workspaces/{_segment(workspace_id)}/repos/{_segment(repo_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def sync_repository(
        self,
        workspace_id: str,
        repo_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Repository:
        """Update a repository mount.

        Done by a job, like a clone. Files are replaced by those of the repository; local changes are kept
        as versions.

        `POST /api/workspaces/{id}/repos/{repo_id}/sync`. Needs `workspaces:write`. May raise
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: Repository = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/repos/{_segment(repo_id)}/sync",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Apps: Directories of static files, served under addresses of their own

    def list_apps(self, workspace_id: str, *, timeout: float | None = None) -> AppList:
        """List the apps of a workspace.

        Returns all of them: a workspace has at most 20.

        `GET /api/workspaces/{id}/apps`. Needs `workspaces:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
        """
        answer: AppList = self._http.json(
            _Request(
                "GET",
                f"/api/workspaces/{_segment(workspace_id)}/apps",
                timeout=timeout,
            )
        )
        return answer

    def create_app(
        self,
        workspace_id: str,
        body: CreateAppRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> App:
        """Create a workspace app.

        Anyone with the `url` can open the app, and gets the current files. Its scripts have no access to
        the API.

        `POST /api/workspaces/{id}/apps`. Needs `workspaces:write`. May raise `InvalidPathError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `PathExistsError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: App = self._http.json(
            _Request(
                "POST",
                f"/api/workspaces/{_segment(workspace_id)}/apps",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def delete_app(
        self,
        workspace_id: str,
        app_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> App:
        """Delete a workspace app.

        Its address stops working; its files stay.

        `DELETE /api/workspaces/{id}/apps/{app_id}`. Needs `workspaces:write`. May raise
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: App = self._http.json(
            _Request(
                "DELETE",
                f"/api/workspaces/{_segment(workspace_id)}/apps/{_segment(app_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Models: The models that agents may use

    def list_models(self, *, timeout: float | None = None) -> ModelList:
        """List the models that the operator allows.

        `GET /api/models`. Needs `agents:read`. May raise `OrganizationSuspendedError`.
        """
        answer: ModelList = self._http.json(
            _Request(
                "GET",
                "/api/models",
                timeout=timeout,
            )
        )
        return answer

    # Tools: Tools that agents can use

    def list_tools(self, *, agent_id: str | None = None, timeout: float | None = None) -> ToolList:
        """List the tools that agents can be given.

        The service's own tools, sorted by name; with `agent_id` also the agent's own tools and those of
        its MCP servers. A tool of an MCP server is called `<server>__<tool>`, and `<server>__*` stands for
        all tools of the server. Each server is queried at most every 5 minutes; a server that is
        unavailable is reported in `mcp_servers`.

        `GET /api/tools`. Needs `agents:read`. May raise `OrganizationSuspendedError` or `NotFoundError`.
        """
        answer: ToolList = self._http.json(
            _Request(
                "GET",
                "/api/tools",
                query={"agent_id": agent_id},
                timeout=timeout,
            )
        )
        return answer

    # Usage: The organization's usage and budget

    def get_usage(
        self,
        *,
        group_by: UsageGrouping | None = None,
        since: str | None = None,
        until: str | None = None,
        agent_id: str | None = None,
        model: str | None = None,
        timeout: float | None = None,
    ) -> UsageReport:
        """Read usage by agent, model or day.

        `GET /api/usage`. Needs `jobs:read`. May raise `OrganizationSuspendedError`.
        """
        answer: UsageReport = self._http.json(
            _Request(
                "GET",
                "/api/usage",
                query={
                    "group_by": group_by,
                    "since": since,
                    "until": until,
                    "agent_id": agent_id,
                    "model": model,
                },
                timeout=timeout,
            )
        )
        return answer

    def get_costliest_jobs(
        self,
        *,
        day: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> CostliestJobs:
        """Read the costliest jobs of a day.

        The jobs that were created on the day and that you may see: highest cost first, then most tokens.

        `GET /api/usage/jobs`. Needs `jobs:read`. May raise `OrganizationSuspendedError`.
        """
        answer: CostliestJobs = self._http.json(
            _Request(
                "GET",
                "/api/usage/jobs",
                query={"day": day, "limit": limit},
                timeout=timeout,
            )
        )
        return answer

    # Groups: Groups of members who may decide about tool calls

    def list_groups(self, *, timeout: float | None = None) -> GroupList:
        """List the groups of members.

        Every member may read them.

        `GET /api/groups`. Needs `tokens:read`. May raise `OrganizationSuspendedError`.
        """
        answer: GroupList = self._http.json(
            _Request(
                "GET",
                "/api/groups",
                timeout=timeout,
            )
        )
        return answer

    def get_group(self, name: str, *, timeout: float | None = None) -> Group:
        """Read a group.

        `GET /api/groups/{name}`. Needs `tokens:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
        """
        answer: Group = self._http.json(
            _Request(
                "GET",
                f"/api/groups/{_segment(name)}",
                timeout=timeout,
            )
        )
        return answer

    def put_group(
        self,
        name: str,
        body: PutGroupRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> Group:
        """Write a group.

        Creates it, or replaces its members. The members at the time of a decision may decide, also about
        calls that already wait.

        `PUT /api/groups/{name}`. Needs `*`. May raise `OwnerRequiredError`, `OrganizationSuspendedError`,
        `RequestTimeoutError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: Group = self._http.json(
            _Request(
                "PUT",
                f"/api/groups/{_segment(name)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def delete_group(
        self,
        name: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Group:
        """Delete a group.

        Refused while a rule of an agent names it. Calls of jobs that keep such a rule wait for their
        expiry from then on.

        `DELETE /api/groups/{name}`. Needs `*`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: Group = self._http.json(
            _Request(
                "DELETE",
                f"/api/groups/{_segment(name)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Secrets: Write-only credentials for agents; for owners. [Guide: MCP tool servers](/guides/mcp-tool-servers.md)

    def list_secrets(self, *, timeout: float | None = None) -> SecretList:
        """List the names of the secrets.

        `GET /api/secrets`. Needs `tokens:read`. May raise `OwnerRequiredError` or
        `OrganizationSuspendedError`.
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

        Creates it, or replaces its value.

        `PUT /api/secrets/{name}`. Needs `tokens:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
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
        force: Literal["true", "false"] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Secret:
        """Delete a secret.

        A secret that agents or repositories use is deleted only with `force`.

        `DELETE /api/secrets/{name}`. Needs `tokens:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `SecretInUseError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: Secret = self._http.json(
            _Request(
                "DELETE",
                f"/api/secrets/{_segment(name)}",
                query={"force": force},
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def list_provider_keys(self, *, timeout: float | None = None) -> ProviderKeyList:
        """List the organization's own keys for providers of models.

        `GET /api/provider-keys`. Needs `tokens:read`. May raise `OwnerRequiredError` or
        `OrganizationSuspendedError`.
        """
        answer: ProviderKeyList = self._http.json(
            _Request(
                "GET",
                "/api/provider-keys",
                timeout=timeout,
            )
        )
        return answer

    def put_provider_key(
        self,
        provider: str,
        body: PutProviderKeyRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> ProviderKey:
        """Use the organization's own key for a provider.

        Takes effect with the next model call, also in running jobs. To rotate the key, write the secret
        again. If the provider rejects the key, jobs fail with `provider_key_rejected`; the operator's key
        is never used instead.

        `PUT /api/provider-keys/{provider}`. Needs `secrets:use`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: ProviderKey = self._http.json(
            _Request(
                "PUT",
                f"/api/provider-keys/{_segment(provider)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def delete_provider_key(
        self,
        provider: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> ProviderKey:
        """Use the operator's key for a provider again.

        `DELETE /api/provider-keys/{provider}`. Needs `secrets:use`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: ProviderKey = self._http.json(
            _Request(
                "DELETE",
                f"/api/provider-keys/{_segment(provider)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Connections: Access to tool servers that people have consented to

    def list_connections(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> ConnectionList:
        """List your connections and those of the organization.

        `GET /api/connections`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        answer: ConnectionList = self._http.json(
            _Request(
                "GET",
                "/api/connections",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_connections(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Connection, None, None]:
        """List your connections and those of the organization. All of them: the next page is asked for when
        it is needed.

        `GET /api/connections`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_connections(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "connections",
        )

    def create_connection(
        self,
        body: CreateConnectionRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Connection:
        """Ask for a connection to a tool server.

        There is one connection for each owner and address, so this also finds an existing one. A server
        with a client that was registered by hand (`auth.client` of an agent) has a separate connection,
        which the first job of the agent creates. A signed-in person consents at its `authorization_url`.
        For a connection of the organization you must be an owner.

        `POST /api/connections`. Needs `tokens:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: Connection = self._http.json(
            _Request(
                "POST",
                "/api/connections",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def get_connection(self, connection_id: str, *, timeout: float | None = None) -> Connection:
        """Read a connection.

        `GET /api/connections/{id}`. Needs `tokens:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
        """
        answer: Connection = self._http.json(
            _Request(
                "GET",
                f"/api/connections/{_segment(connection_id)}",
                timeout=timeout,
            )
        )
        return answer

    def delete_connection(
        self,
        connection_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Connection:
        """End a connection.

        Forgets the access at once, and revokes it at its server if that can be reached. Jobs that wait for
        the connection go on without it.

        `DELETE /api/connections/{id}`. Needs `tokens:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Connection = self._http.json(
            _Request(
                "DELETE",
                f"/api/connections/{_segment(connection_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def try_connection(self, connection_id: str, *, timeout: float | None = None) -> ConnectionTrial:
        """Try a connection.

        Sends one request with the access to the tool server. The access is renewed if it has expired.

        `POST /api/connections/{id}/try`. Needs `tokens:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError` or `NotFoundError`.
        """
        answer: ConnectionTrial = self._http.json(
            _Request(
                "POST",
                f"/api/connections/{_segment(connection_id)}/try",
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

        `GET /api/service-tokens`. Needs `tokens:read`. May raise `InvalidCursorError`,
        `OwnerRequiredError` or `OrganizationSuspendedError`.
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

        `GET /api/service-tokens`. Needs `tokens:read`. May raise `InvalidCursorError`,
        `OwnerRequiredError` or `OrganizationSuspendedError`.
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

        The response has the token, which is never shown again. It cannot have a scope that your token
        lacks, and it ends with your token at the latest: when that expires or is revoked. Without
        `expires_in_days` it lives 90 days, but not longer than your token.

        `POST /api/service-tokens`. Needs `tokens:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `QuotaExceededError` or `StorageFullError`.
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

        Takes effect with the next request, also for tokens that were created with it, and closes their
        open streams. A token without the scope `*` cannot revoke a token with more scopes or a later
        expiry.

        `POST /api/service-tokens/{id}/revoke`. Needs `tokens:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `QuotaExceededError` or `StorageFullError`.
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

        `GET /api/personal-access-tokens`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
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

        `GET /api/personal-access-tokens`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
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

        The response has the token, which is never shown again. It cannot have a scope that your token
        lacks, and it ends with your token at the latest: when that expires or is revoked. Without
        `expires_in_days` it lives 90 days, but not longer than your token.

        `POST /api/personal-access-tokens`. Needs `tokens:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
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

        Takes effect with the next request, also for tokens that were created with it, and closes their
        open streams. A token without the scope `*` cannot revoke a token with more scopes or a later
        expiry.

        `POST /api/personal-access-tokens/{id}/revoke`. Needs `tokens:write`. May raise
        `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`,
        `QuotaExceededError` or `StorageFullError`.
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

    # Sessions: Browsers and programs that act as you

    def list_sessions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> SessionList:
        """List your sessions.

        Browsers in which you have signed in to this organization, newest first.

        `GET /api/sessions`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        answer: SessionList = self._http.json(
            _Request(
                "GET",
                "/api/sessions",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_sessions(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Session, None, None]:
        """List your sessions. All of them: the next page is asked for when it is needed.

        Browsers in which you have signed in to this organization, newest first.

        `GET /api/sessions`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_sessions(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "sessions",
        )

    def revoke_session(
        self,
        session_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Session:
        """End one of your sessions.

        Takes effect with the next request, and closes the session's open streams. Needs a session or a
        token with the scope `*`.

        `POST /api/sessions/{id}/revoke`. Needs `tokens:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Session = self._http.json(
            _Request(
                "POST",
                f"/api/sessions/{_segment(session_id)}/revoke",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def revoke_other_sessions(
        self,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> RevokedSessions:
        """End all your other sessions.

        Ends all your sessions in this organization except the current one. Needs a session or a token with
        the scope `*`.

        `POST /api/sessions/revoke-others`. Needs `tokens:write`. May raise `OrganizationSuspendedError`,
        `ForbiddenError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: RevokedSessions = self._http.json(
            _Request(
                "POST",
                "/api/sessions/revoke-others",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def list_oauth_grants(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> OauthGrantList:
        """List the programs that you have granted access.

        Newest first; ended grants are listed for 30 days.

        `GET /api/oauth-grants`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        answer: OauthGrantList = self._http.json(
            _Request(
                "GET",
                "/api/oauth-grants",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_oauth_grants(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[OauthGrant, None, None]:
        """List the programs that you have granted access. All of them: the next page is asked for when it is
        needed.

        Newest first; ended grants are listed for 30 days.

        `GET /api/oauth-grants`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_oauth_grants(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "oauth_grants",
        )

    def revoke_oauth_grant(
        self,
        grant_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> OauthGrant:
        """End a program's access.

        Takes effect with the next request, and closes the program's open streams. A token cannot end a
        grant that has scopes which the token lacks.

        `POST /api/oauth-grants/{id}/revoke`. Needs `tokens:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: OauthGrant = self._http.json(
            _Request(
                "POST",
                f"/api/oauth-grants/{_segment(grant_id)}/revoke",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Members: People of the organization, and invitations to it

    def list_members(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> MemberList:
        """List the members.

        Newest first. Every member may read the list.

        `GET /api/members`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        answer: MemberList = self._http.json(
            _Request(
                "GET",
                "/api/members",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_members(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Member, None, None]:
        """List the members. All of them: the next page is asked for when it is needed.

        Newest first. Every member may read the list.

        `GET /api/members`. Needs `tokens:read`. May raise `InvalidCursorError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_members(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "members",
        )

    def get_member(self, member_id: str, *, timeout: float | None = None) -> Member:
        """Read a member.

        `me` in the place of the id names the caller.

        `GET /api/members/{id}`. Needs `tokens:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
        """
        answer: Member = self._http.json(
            _Request(
                "GET",
                f"/api/members/{_segment(member_id)}",
                timeout=timeout,
            )
        )
        return answer

    def update_member(
        self,
        member_id: str,
        body: UpdateMemberRequest,
        *,
        idempotency_key: str | None = None,
        if_match: int | None = None,
        timeout: float | None = None,
    ) -> Member:
        """Change a member's role.

        Takes effect with the member's next request. The last owner cannot become a plain member: 409.

        `PATCH /api/members/{id}`. Needs `*`. May raise `OwnerRequiredError`, `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: Member = self._http.json(
            _Request(
                "PATCH",
                f"/api/members/{_segment(member_id)}",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
            )
        )
        return answer

    def remove_member(
        self,
        member_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> RemovedMember:
        """Remove a member.

        Ends the person's sessions, tokens and grants in this organization with the next request, and
        closes their open streams. Open invitations for their address are withdrawn. What the person has
        created stays. The last owner cannot be removed: 409.

        `DELETE /api/members/{id}`. Needs `*`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: RemovedMember = self._http.json(
            _Request(
                "DELETE",
                f"/api/members/{_segment(member_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def list_invitations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> InvitationList:
        """List invitations.

        Newest first; accepted, withdrawn and expired invitations are listed for 30 days.

        `GET /api/invitations`. Needs `tokens:read`. May raise `InvalidCursorError`, `OwnerRequiredError`
        or `OrganizationSuspendedError`.
        """
        answer: InvitationList = self._http.json(
            _Request(
                "GET",
                "/api/invitations",
                query={"limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_invitations(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Invitation, None, None]:
        """List invitations. All of them: the next page is asked for when it is needed.

        Newest first; accepted, withdrawn and expired invitations are listed for 30 days.

        `GET /api/invitations`. Needs `tokens:read`. May raise `InvalidCursorError`, `OwnerRequiredError`
        or `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_invitations(
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "invitations",
        )

    def create_invitation(
        self,
        body: CreateInvitationRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> NewInvitation:
        """Invite a person.

        The response has the link, which is never shown again. It works once, within 7 days, and makes the
        person who opens it a member. No e-mail is sent: pass the link on. Open invitations for the same
        address are withdrawn.

        `POST /api/invitations`. Needs `*`. May raise `OwnerRequiredError`, `OrganizationSuspendedError`,
        `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: NewInvitation = self._http.json(
            _Request(
                "POST",
                "/api/invitations",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def revoke_invitation(
        self,
        invitation_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Invitation:
        """Withdraw an invitation.

        The link stops working. An invitation that was already accepted or withdrawn is 404.

        `POST /api/invitations/{id}/revoke`. Needs `tokens:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Invitation = self._http.json(
            _Request(
                "POST",
                f"/api/invitations/{_segment(invitation_id)}/revoke",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Audit: Who signed in, and who made, used or revoked what

    def list_audit_entries(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        action: AuditAction | None = None,
        user_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        timeout: float | None = None,
    ) -> AuditEntryList:
        """List the audit log of credentials and members.

        For owners. Newest first; entries are kept for 365 days.

        `GET /api/audit`. Needs `tokens:read`. May raise `InvalidCursorError`, `OwnerRequiredError` or
        `OrganizationSuspendedError`.
        """
        answer: AuditEntryList = self._http.json(
            _Request(
                "GET",
                "/api/audit",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "action": action,
                    "user_id": user_id,
                    "created_after": created_after,
                    "created_before": created_before,
                },
                timeout=timeout,
            )
        )
        return answer

    def list_all_audit_entries(
        self,
        *,
        limit: int | None = None,
        action: AuditAction | None = None,
        user_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        timeout: float | None = None,
    ) -> Generator[AuditEntry, None, None]:
        """List the audit log of credentials and members. All of them: the next page is asked for when it is
        needed.

        For owners. Newest first; entries are kept for 365 days.

        `GET /api/audit`. Needs `tokens:read`. May raise `InvalidCursorError`, `OwnerRequiredError` or
        `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_audit_entries(
                limit=limit,
                action=action,
                user_id=user_id,
                created_after=created_after,
                created_before=created_before,
                cursor=cursor,
                timeout=timeout,
            ),
            "audit_entries",
        )

    def export_audit(
        self,
        *,
        action: AuditAction | None = None,
        user_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        format: Literal["csv", "ndjson"] | None = None,
        timeout: float | None = None,
    ) -> str:
        """Export the audit log as one file.

        For owners. Newest first, streamed. In CSV, text that a spreadsheet would read as a formula starts
        with an apostrophe. If the export fails midway, the transfer is aborted: repeat the request.

        `GET /api/audit/export`. Needs `tokens:read`. May raise `OwnerRequiredError` or
        `OrganizationSuspendedError`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/audit/export",
                query={
                    "action": action,
                    "user_id": user_id,
                    "created_after": created_after,
                    "created_before": created_before,
                    "format": format,
                },
                timeout=timeout,
            )
        )

    # Webhooks: The destination of events, and the delivery ledger. [Guide: Webhooks](/guides/webhooks.md)

    def get_messaging_integration(self, *, timeout: float | None = None) -> MessagingIntegration:
        """Read the delivery configuration.

        `GET /api/messaging-integration`. Needs `webhooks:read`. May raise `OrganizationSuspendedError` or
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

        For owners. The first call creates the signing secret; the response has it, and it is never shown
        again. Pending deliveries go to the new address. Setting it again enables delivery unless `enabled`
        is false.

        `PUT /api/messaging-integration`. Needs `webhooks:write`. May raise `InvalidEventTypeError`,
        `InvalidUrlError`, `OwnerRequiredError`, `OrganizationSuspendedError`, `RequestTimeoutError`,
        `QuotaExceededError` or `StorageFullError`.
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
        event_type: list[EventType] | None = None,
        status: list[DeliveryStatus] | None = None,
        event_id: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> DeliveryList:
        """List delivery attempts.

        For owners. The delivery ledger, newest first: one row for each attempt. Filters are combined with
        AND.

        `GET /api/messaging-integration/deliveries`. Needs `webhooks:read`. May raise `InvalidCursorError`,
        `InvalidEventTypeError`, `OwnerRequiredError` or `OrganizationSuspendedError`.
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
        event_type: list[EventType] | None = None,
        status: list[DeliveryStatus] | None = None,
        event_id: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Delivery, None, None]:
        """List delivery attempts. All of them: the next page is asked for when it is needed.

        For owners. The delivery ledger, newest first: one row for each attempt. Filters are combined with
        AND.

        `GET /api/messaging-integration/deliveries`. Needs `webhooks:read`. May raise `InvalidCursorError`,
        `InvalidEventTypeError`, `OwnerRequiredError` or `OrganizationSuspendedError`.
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
    ) -> DeliveryAccepted:
        """Redeliver an event.

        For owners. Sent to the current destination, signed with the current secret, regardless of the
        subscription.

        `POST /api/messaging-integration/deliveries/{id}/redeliver`. Needs `webhooks:write`. May raise
        `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`,
        `InvalidStateError`, `EventNotRetainedError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: DeliveryAccepted = self._http.json(
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
    ) -> RedeliveryAccepted:
        """Redeliver a range of events.

        For owners. Events of the range that are no longer retained are left out.

        `POST /api/messaging-integration/redeliver`. Needs `webhooks:write`. May raise
        `InvalidEventTypeError`, `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`,
        `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: RedeliveryAccepted = self._http.json(
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
    ) -> RotatedMessagingIntegration:
        """Replace the signing secret.

        For owners. The new secret is valid at once and is never shown again. For `grace_seconds`,
        deliveries also carry a signature with the old secret.

        `POST /api/messaging-integration/signing-secret/rotate`. Needs `webhooks:write`. May raise
        `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: RotatedMessagingIntegration = self._http.json(
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
    ) -> DeliveryAccepted:
        """Send a signed test.

        For owners. An event of type `webhook.test` and source `test`, regardless of the subscription.

        `POST /api/messaging-integration/test`. Needs `webhooks:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
        `QuotaExceededError` or `StorageFullError`.
        """
        answer: DeliveryAccepted = self._http.json(
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
        """Check a signature, and explain why it does not verify.

        `POST /api/messaging-integration/verify`. Needs `webhooks:read`. May raise
        `OrganizationSuspendedError`, `NotFoundError` or `RequestTimeoutError`.
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

    # Messengers: Where approvals reach people: chat programs, and the log of what was sent. [Guide: Approvals by mail](/guides/approvals-by-mail.md)

    def list_messengers(self, *, timeout: float | None = None) -> MessengerList:
        """List the messengers.

        For owners.

        `GET /api/messengers`. Needs `webhooks:read`. May raise `OwnerRequiredError` or
        `OrganizationSuspendedError`.
        """
        answer: MessengerList = self._http.json(
            _Request(
                "GET",
                "/api/messengers",
                timeout=timeout,
            )
        )
        return answer

    def create_messenger(
        self,
        body: CreateMessengerRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Messenger:
        """Add a messenger.

        For owners. Approvals reach it from now on, beside the program's webhook; calls of private agents
        do not. To change one, delete it and add another.

        `POST /api/messengers`. Needs `webhooks:write`. May raise `InvalidUrlError`, `OwnerRequiredError`,
        `OrganizationSuspendedError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Messenger = self._http.json(
            _Request(
                "POST",
                "/api/messengers",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def delete_messenger(
        self,
        messenger_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Messenger:
        """Delete a messenger.

        For owners. Nothing more is sent to it. The links in messages that it already has still work.

        `DELETE /api/messengers/{id}`. Needs `webhooks:write`. May raise `OwnerRequiredError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: Messenger = self._http.json(
            _Request(
                "DELETE",
                f"/api/messengers/{_segment(messenger_id)}",
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    def list_approval_notices(
        self,
        *,
        job_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> ApprovalNoticesList:
        """List what was sent about approvals.

        For owners. Newest first: for each approval its mails and messages, kept for 90 days.

        `GET /api/approval-notices`. Needs `webhooks:read`. May raise `InvalidCursorError`,
        `OwnerRequiredError` or `OrganizationSuspendedError`.
        """
        answer: ApprovalNoticesList = self._http.json(
            _Request(
                "GET",
                "/api/approval-notices",
                query={"job_id": job_id, "limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_approval_notices(
        self,
        *,
        job_id: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[ApprovalNotices, None, None]:
        """List what was sent about approvals. All of them: the next page is asked for when it is needed.

        For owners. Newest first: for each approval its mails and messages, kept for 90 days.

        `GET /api/approval-notices`. Needs `webhooks:read`. May raise `InvalidCursorError`,
        `OwnerRequiredError` or `OrganizationSuspendedError`.
        """
        return self._http.items(
            lambda cursor: self.list_approval_notices(
                job_id=job_id,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "approval_notices",
        )

    def get_approval_mails(self, *, timeout: float | None = None) -> ApprovalMails:
        """Read whether approvals reach you by mail.

        The caller's own choice.

        `GET /api/approval-mails`. Needs `jobs:read`. May raise `OrganizationSuspendedError`.
        """
        answer: ApprovalMails = self._http.json(
            _Request(
                "GET",
                "/api/approval-mails",
                timeout=timeout,
            )
        )
        return answer

    def set_approval_mails(
        self,
        body: SetApprovalMailsRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> ApprovalMails:
        """Choose whether approvals reach you by mail.

        The caller's own choice. Mails are sent only if the operator has set a mail server.

        `PUT /api/approval-mails`. Needs `jobs:write`. May raise `OrganizationSuspendedError`,
        `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
        """
        answer: ApprovalMails = self._http.json(
            _Request(
                "PUT",
                "/api/approval-mails",
                body=body,
                is_keyed=True,
                idempotency_key=idempotency_key,
                timeout=timeout,
            )
        )
        return answer

    # Events: The event feed, by number. [Guide: Webhooks](/guides/webhooks.md)

    def list_events(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> EventFeed:
        """Read the events after a number.

        For owners. The same bodies that webhooks deliver, oldest first. `next_cursor` leads to the next
        page. After the last page, continue later with `after` set to `last_sequence`. Events are retained
        for 30 days.

        `GET /api/events`. Needs `events:read`. May raise `InvalidCursorError`, `OwnerRequiredError`,
        `OrganizationSuspendedError` or `EventNotRetainedError`.
        """
        answer: EventFeed = self._http.json(
            _Request(
                "GET",
                "/api/events",
                query={"after": after, "limit": limit, "cursor": cursor},
                timeout=timeout,
            )
        )
        return answer

    def list_all_events(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Generator[Event, None, None]:
        """Read the events after a number. All of them: the next page is asked for when it is needed.

        For owners. The same bodies that webhooks deliver, oldest first. `next_cursor` leads to the next
        page. After the last page, continue later with `after` set to `last_sequence`. Events are retained
        for 30 days.

        `GET /api/events`. Needs `events:read`. May raise `InvalidCursorError`, `OwnerRequiredError`,
        `OrganizationSuspendedError` or `EventNotRetainedError`.
        """
        return self._http.items(
            lambda cursor: self.list_events(
                after=after,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
            ),
            "events",
        )

    # Insight: State machines and invariants

    def get_load(self, *, timeout: float | None = None) -> Load:
        """Read the organization's current load.

        For owners. Figures of the process that serves the organization now; they begin anew when it
        starts, or when another one takes over.

        `GET /api/load`. Needs `jobs:read`. May raise `OwnerRequiredError` or `OrganizationSuspendedError`.
        """
        answer: Load = self._http.json(_Request("GET", "/api/load", timeout=timeout))
        return answer

    def list_state_machines(self, *, timeout: float | None = None) -> StateMachineList:
        """Read the state machines of jobs, chats, missions and tasks.

        `GET /api/state-machines`. Needs `jobs:read`. May raise `OrganizationSuspendedError`.
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
        """Check the invariants.

        For owners. Counts violated invariants of the organization; every count is 0 in a healthy service.

        `GET /api/invariants`. Needs `jobs:read`. May raise `OwnerRequiredError` or
        `OrganizationSuspendedError`.
        """
        answer: InvariantReport = self._http.json(
            _Request(
                "GET",
                "/api/invariants",
                timeout=timeout,
            )
        )
        return answer

    # Service: Public documents about the service

    def get_version(self, *, timeout: float | None = None) -> ServiceVersion:
        """Read the deployed version.

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

    def get_open_api(
        self,
        *,
        surface: Literal["v1", "current"] | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Read the contract.

        This document; with `surface`, the part of it that describes one surface.

        `GET /api/openapi.json`.
        """
        answer: dict[str, Any] = self._http.json(
            _Request(
                "GET",
                "/api/openapi.json",
                query={"surface": surface},
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_reference(self, *, timeout: float | None = None) -> str:
        """Open the interactive reference.

        A page for people.

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

    def get_error_codes(self, *, timeout: float | None = None) -> str:
        """Read what the error codes mean.

        A page for people. `#error-<code>` explains a code; the `type` of an error is its address.

        `GET /api/errors`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/errors",
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
        """Read the entry document for crawlers and agents.

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

    def get_authorization_server(self, *, timeout: float | None = None) -> AuthorizationServer:
        """Read the metadata of the authorization server.

        The metadata of the authorization server (RFC 8414).

        `GET /.well-known/oauth-authorization-server`.
        """
        answer: AuthorizationServer = self._http.json(
            _Request(
                "GET",
                "/.well-known/oauth-authorization-server",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_protected_resource(self, *, timeout: float | None = None) -> ProtectedResource:
        """Read which server issues tokens for the current surface.

        The metadata of a protected resource (RFC 9728).

        `GET /.well-known/oauth-protected-resource`.
        """
        answer: ProtectedResource = self._http.json(
            _Request(
                "GET",
                "/.well-known/oauth-protected-resource",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_protected_mcp_resource(self, *, timeout: float | None = None) -> ProtectedResource:
        """Read which server issues tokens for the MCP endpoint.

        The metadata of a protected resource (RFC 9728).

        `GET /.well-known/oauth-protected-resource/mcp`.
        """
        answer: ProtectedResource = self._http.json(
            _Request(
                "GET",
                "/.well-known/oauth-protected-resource/mcp",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_oauth_client_document(self, *, timeout: float | None = None) -> OAuthClientDocument:
        """Read how the service describes itself to other authorization servers.

        A Client ID Metadata Document: its address is the client id of the service.

        `GET /oauth/client.json`.
        """
        answer: OAuthClientDocument = self._http.json(
            _Request(
                "GET",
                "/oauth/client.json",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_identity_keys(self, *, timeout: float | None = None) -> IdentityKeySet:
        """Read the keys that verify which agent acts for whom.

        A JSON Web Key Set (RFC 7517).

        `GET /.well-known/jwks.json`.
        """
        answer: IdentityKeySet = self._http.json(
            _Request(
                "GET",
                "/.well-known/jwks.json",
                is_public=True,
                timeout=timeout,
            )
        )
        return answer

    def get_sdk_manifest(self, *, timeout: float | None = None) -> SdkManifest:
        """List the SDKs and their hashes.

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

        One file without dependencies, generated from this contract.

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

    def get_java_script_sdk(self, *, timeout: float | None = None) -> str:
        """Get the JavaScript SDK.

        The TypeScript SDK without its types, as a module for browsers and for Node 20 or later.

        `GET /api/sdk/javascript`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/sdk/javascript",
                is_public=True,
                timeout=timeout,
            )
        )

    def get_java_script_sdk_types(self, *, timeout: float | None = None) -> str:
        """Get the types of the JavaScript SDK.

        Type declarations for editors and compilers; save them beside the SDK.

        `GET /api/sdk/javascript/types`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/sdk/javascript/types",
                is_public=True,
                timeout=timeout,
            )
        )

    def get_type_script_ag_ui(self, *, timeout: float | None = None) -> str:
        """Get `TroupeAgent` for AG-UI's clients, in TypeScript.

        An `HttpAgent` that also connects and stops. It needs `@ag-ui/client` 1.0, which your program
        installs.

        `GET /api/sdk/typescript/ag-ui`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/sdk/typescript/ag-ui",
                is_public=True,
                timeout=timeout,
            )
        )

    def get_java_script_ag_ui(self, *, timeout: float | None = None) -> str:
        """Get `TroupeAgent` for AG-UI's clients, in JavaScript.

        The TypeScript one without its types. It needs `@ag-ui/client` 1.0, which your program installs.

        `GET /api/sdk/javascript/ag-ui`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/sdk/javascript/ag-ui",
                is_public=True,
                timeout=timeout,
            )
        )

    def get_java_script_ag_ui_types(self, *, timeout: float | None = None) -> str:
        """Get the types of `TroupeAgent` in JavaScript.

        `GET /api/sdk/javascript/ag-ui/types`.
        """
        return self._http.text(
            _Request(
                "GET",
                "/api/sdk/javascript/ag-ui/types",
                is_public=True,
                timeout=timeout,
            )
        )

    def get_python_sdk(self, *, timeout: float | None = None) -> str:
        """Get the Python SDK.

        One file that needs only the standard library, generated from this contract.

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
        """Read the documentation as text for language models.

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

        The organization's agents, newest first, at most 1,000. Archived and private agents are not listed.

        `GET /api/v1/agents`. Needs `agents:read`. May raise `OrganizationSuspendedError`.
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

        `POST /api/v1/agents`. Needs `agents:write`. May raise `OrganizationSuspendedError`,
        `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
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

        `GET /api/v1/agents/{id}`. Needs `agents:read`. May raise `OrganizationSuspendedError` or
        `NotFoundError`.
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

        Omitted fields are unchanged. A changed prompt takes effect on the next execution.

        `PATCH /api/v1/agents/{id}`. Needs `agents:write`. May raise `ForbiddenError`,
        `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
        `StorageFullError`.
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
    ) -> V1Deleted:
        """Soft-delete agent.

        The agent is archived: it can no longer be found, listed, changed or executed. Its history is kept.

        `DELETE /api/v1/agents/{id}`. Needs `agents:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or
        `StorageFullError`.
        """
        answer: V1Deleted = self._http.json(
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
        `error`. Disconnecting does not stop the work. Send `sessionId` and `chatId` of an earlier answer
        to continue its conversation.

        `POST /api/v1/agents/{id}/execute`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `BudgetExceededError`,
        `QuotaExceededError`, `ProviderError`, `StorageFullError` or `ApiTimeoutError`.
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
        `error`. Disconnecting does not stop the work. Send `sessionId` and `chatId` of an earlier answer
        to continue its conversation.

        `POST /api/v1/agents/{id}/execute`. Needs `chats:write`. May raise `OrganizationSuspendedError`,
        `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `BudgetExceededError`,
        `QuotaExceededError`, `ProviderError`, `StorageFullError` or `ApiTimeoutError`.
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
        status: TaskStatus | None = None,
        assigned_to: str | None = None,
        space_id: str | None = None,
        timeout: float | None = None,
    ) -> V1TaskList:
        """List tasks.

        Filters are combined with AND. At most 1,000, newest first.

        `GET /api/v1/tasks`. Needs `tasks:read`. May raise `OrganizationSuspendedError`.
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

        The new task is `pending`. Assigning a task does not start any work.

        `POST /api/v1/tasks`. Needs `tasks:write`. May raise `OrganizationSuspendedError`,
        `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
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


class AddMissionTaskRequest(TypedDict):
    # Title
    title: str
    # What is to be done; null if not given
    description: NotRequired[str | None]
    # How urgent it is
    priority: NotRequired[Priority]
    # Id of the agent or user that the task is assigned to; null if unassigned
    assigned_to: NotRequired[str | None]
    # Ids of the tasks that must be completed or cancelled first
    depends_on: NotRequired[list[str]]


class AddRepositoryRequest(TypedDict):
    # https URL without credentials. http is allowed only for hosts that the operator has opened
    url: str
    # Branch; by default the repository's default branch
    branch: NotRequired[str | None]
    # Directory for the files; by default the name of the repository
    path: NotRequired[str]
    # `read`: the files cannot be changed in the workspace; `write`: they can. Default "read"
    mode: NotRequired[Literal["read", "write"]]
    # Name of the secret with the credentials: `user:password`, or only a token
    secret: NotRequired[str | None]


class Agent(TypedDict):
    """An AI assistant with a name, a role and instructions"""

    # The agent's id; entries of the library have ids of their own
    id: str
    # Display name
    name: str
    # The agent's role in a few words
    role: str
    # What the agent is for
    description: str | None
    # The agent's instructions; null for readers of other organizations
    system_prompt: str | None
    # `provider:name`; null for the service's default
    model: str | None
    # Who may see it. `private`: its creator; `organization`: every member; `public`: every caller;
    # `unlisted`: every caller who knows the id
    visibility: Visibility
    # `private`: made in this organization; `library`: comes with the service
    source: Literal["private", "library"]
    # An `archived` agent cannot be executed; its record stays readable
    status: Literal["active", "archived"]
    # Whether the organization has installed the library agent
    install_state: Literal["available", "installed", "uninstalled"]
    # Tools that the agent may use in addition to the read-only ones; `<server>__*` stands for all tools of an
    # MCP server
    allowed_tools: list[str]
    # Whether the agent has none of the service's tools, because `allowed_tools` was set to an empty list
    has_no_tools: bool
    # Tools whose calls wait for a person's approval
    approval_tools: list[str]
    # Rules that decide about tool calls before `approval_tools` do
    approval_rules: list[ApprovalRule]
    approval_expiry: ApprovalExpiry
    approval_reach: ApprovalReach
    # MCP servers whose tools the agent can use
    mcp_servers: list[McpServer]
    # Maximum number of model calls per job
    max_steps: int | None
    # The agent's own tools: run by your program (`client`), or as HTTP requests by the service (`http`)
    tools: list[AgentTool]
    # JSON Schema that answers must match; null: answers are text
    output_schema: dict[str, Any] | None
    # Whether providers are asked to cache the beginning of its calls: `auto` chooses the lifetime, `5m` and
    # `1h` set it, `off` asks for nothing. Default "auto"
    cache: PromptCache
    # Settings of the model; null or absent: the defaults of its provider
    model_settings: ModelSettings | None
    # Labels to find the agent by
    tags: list[str]
    # The user who created it; null for a library entry that is not installed
    created_by: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str | None
    # ISO 8601 UTC with milliseconds
    updated_at: str | None
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class AgentApiManifestAuthentication(TypedDict):
    # Kind of the entry
    type: str
    # Name of the header
    header: str
    # Format of the header's value
    format: str
    # The metadata of the authorization server (RFC 8414)
    authorization_server: str | None


class AgentApiManifest(TypedDict):
    """Entry document for crawlers and agents"""

    # Name
    name: str
    # Description
    description: str
    # Version of the service
    version: str
    # A version of the contract, by date
    api_version: str
    # Address that all paths are relative to
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
    # Documentation as text for language models
    llms_txt: str
    # How to authenticate
    authentication: AgentApiManifestAuthentication
    # The MCP endpoint
    mcp: str | None
    # The SDKs
    sdks: list[str]


# What happens if nobody decides on an approval of the agent in time
AgentExpiryAction: TypeAlias = Union[
    "Literal['deny', 'cancel', 'keep']",
]


class AgentList(TypedDict):
    """A page of agents, newest first"""

    # The agents of this page
    agents: list[Agent]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class AgentReadinessContract(TypedDict):
    # The OpenAPI 3.1 document
    openapi: str
    # The interactive reference
    reference: str
    # A version of the contract, by date
    api_version: str
    # Header with the version
    version_header: str


class AgentReadinessAuthenticationItem(TypedDict):
    # Kind of the entry
    type: str
    # Name of the header
    header: str
    # Kinds of tokens
    kinds: list[str]
    # How it works
    how: str


class AgentReadinessScopesItem(TypedDict):
    # Name
    name: str
    # What the scope allows
    allows: str


class AgentReadinessMcp(TypedDict):
    # The endpoint
    url: str
    # MCP transport
    transport: str


class AgentReadinessSdksItem(TypedDict):
    # Programming language
    language: str
    # Source of the SDK, one file
    source: str


class AgentReadinessRateLimits(TypedDict):
    # The policy
    policy: str
    # Requests in a window
    limit: int
    # Length of the window in seconds
    window_seconds: int


class AgentReadinessIdempotency(TypedDict):
    # Name of the header
    header: str
    # Response header that says whether it is a replay
    answer_header: str
    # Seconds for which a key is remembered
    remembered_seconds: int
    # How it works
    how: str


class AgentReadinessStreams(TypedDict):
    # Media type of the streams
    content_type: str
    # Paths of the streams
    paths: list[str]
    # How to resume after an interruption
    resume: str


class AgentReadinessWebhooks(TypedDict):
    # Where they are configured
    configuration: str
    # How to verify a delivery
    verification: str


class AgentReadinessErrorsCodesItem(TypedDict):
    # Code of the error
    code: str
    # HTTP status
    status: int
    # What it means
    meaning: str
    # What to do about it
    remedy: str
    # The same in the reference
    url: str


class AgentReadinessErrors(TypedDict):
    # Fields of every error body
    fields: list[str]
    # All error codes
    codes: list[AgentReadinessErrorsCodesItem]


class AgentReadinessChangelogVersionsItem(TypedDict):
    # A version of the contract, by date
    version: str
    # Changes of this version, as Markdown
    changes: str


class AgentReadinessChangelog(TypedDict):
    # The versions, newest first
    versions: list[AgentReadinessChangelogVersionsItem]
    # The deprecated operations
    deprecations: str


class AgentReadiness(TypedDict):
    """What an agent needs to use the service by itself"""

    # Name
    name: str
    # Description
    description: str
    # Where the contract is
    contract: AgentReadinessContract
    # How to authenticate
    authentication: list[AgentReadinessAuthenticationItem]
    # What the token allows
    scopes: list[AgentReadinessScopesItem]
    # The MCP endpoint; null if there is none
    mcp: AgentReadinessMcp | None
    # The SDKs
    sdks: list[AgentReadinessSdksItem]
    # How requests are limited
    rate_limits: AgentReadinessRateLimits
    # How a repeated change takes effect once
    idempotency: AgentReadinessIdempotency
    # Event streams
    streams: AgentReadinessStreams
    # Webhooks; null if there are none
    webhooks: AgentReadinessWebhooks | None
    # How errors are reported
    errors: AgentReadinessErrors
    # What has changed
    changelog: AgentReadinessChangelog


class AgentTool(TypedDict):
    """A tool that only one agent has"""

    # Name of the tool
    name: str
    # What the tool does; models read this
    description: str
    # JSON Schema of the tool's arguments: an object, at most 16 KiB
    input_schema: dict[str, Any]
    # Who runs the tool. `client`: your program; `http`: the service, as an HTTP request
    kind: Literal["client", "http"]
    # For `http`: method of the request
    method: NotRequired[HttpMethod]
    # For `http`: URL of the request; `{argument}` in its path is replaced by the argument
    url: NotRequired[str]
    # Where arguments go. Arguments that are not listed go into the path if the URL has a placeholder for
    # them, else into the JSON body, or into the query of GET and DELETE
    arguments: NotRequired[list[ToolArgument]]
    # Headers of each request
    headers: NotRequired[list[ToolHeader]]
    # Timeout of one request in milliseconds; 30,000 by default
    timeout_ms: NotRequired[int]
    retry: NotRequired[ToolRetry]
    # Name of a secret (`whsec_…`) that signs each request like a webhook
    signing_secret: NotRequired[str]
    # Whether a request with an unknown outcome may be repeated; by default `true` for GET, PUT and DELETE
    repeatable: NotRequired[bool]
    auth: NotRequired[ToolAuth]


class AgentToolInput(TypedDict):
    """A tool that only one agent has"""

    # Name of the tool
    name: str
    # What the tool does; models read this
    description: str
    # JSON Schema of the tool's arguments: an object, at most 16 KiB
    input_schema: dict[str, Any]
    # Who runs the tool. `client`: your program; `http`: the service, as an HTTP request
    kind: Literal["client", "http"]
    # For `http`: method of the request
    method: NotRequired[HttpMethod]
    # For `http`: URL of the request; `{argument}` in its path is replaced by the argument
    url: NotRequired[str]
    # Where arguments go. Arguments that are not listed go into the path if the URL has a placeholder for
    # them, else into the JSON body, or into the query of GET and DELETE
    arguments: NotRequired[list[ToolArgumentInput]]
    # Headers of each request
    headers: NotRequired[list[ToolHeaderInput]]
    # Timeout of one request in milliseconds; 30,000 by default
    timeout_ms: NotRequired[int]
    retry: NotRequired[ToolRetryInput]
    # Name of a secret (`whsec_…`) that signs each request like a webhook
    signing_secret: NotRequired[str]
    # Whether a request with an unknown outcome may be repeated; by default `true` for GET, PUT and DELETE
    repeatable: NotRequired[bool]
    auth: NotRequired[ToolAuthInput]


class App(TypedDict):
    """A directory of static files that anyone with the URL can open"""

    # The app's id
    id: str
    # Display name
    name: str
    # Part of its URL
    slug: str
    # Kind of app
    kind: Literal["static"]
    # Directory with the app's files
    path: str
    # Start page
    entry: str
    # URL at which anyone can open the app
    url: str
    # Status of the app
    status: Literal["ready"]
    # Who made it
    created_by: str
    # ISO 8601 UTC with milliseconds
    created_at: str


class AppList(TypedDict):
    """All apps of a workspace"""

    # In order of creation
    apps: list[App]


class Approval(TypedDict):
    """A tool call that needs a person's approval"""

    # The approval's id
    id: str
    # The tool
    tool_name: str
    # The call
    tool_call_id: str
    # Arguments of the call
    arguments: dict[str, Any]
    # Question to the person who decides
    message: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels
    # the job, `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
    on_expiry: ApprovalExpiryAction
    # What made the call wait; null if the agent has no approval rules
    asked_by: CallDecision | None
    # Who decides about it, if a rule says so; null: any member who sees the job
    policy: ApprovalPolicy | None
    # Who has approved so far, if several people must. While the call is undecided, people who may no longer
    # decide are left out
    votes: list[ApprovalVote]
    # Why the caller may not decide about this call; null if they may, or if it is decided
    decision_refusal: str | None
    # The decision; `expired` if nobody decided in time
    decision: ApprovalDecision | None
    # The user who decided; null if the approval expired
    decided_by: str | None
    # ISO 8601 UTC with milliseconds
    decided_at: str | None


# Who decides about a call that waits
ApprovalDeciders: TypeAlias = Union[
    "Literal['anyone', 'starter', 'agent_owner', 'owners']",
]


# How the wait for an approval ended
ApprovalDecision: TypeAlias = Union[
    "Literal['approve', 'deny', 'expired']",
]


class ApprovalExpiry(TypedDict):
    """How long a call waits for approval, and what happens then; by default 24 hours and `deny`"""

    # How long an approval may take, in seconds
    after_seconds: int
    # What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels
    # the job, `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
    on_expiry: AgentExpiryAction


# What happens if nobody decides on an approval in time
ApprovalExpiryAction: TypeAlias = Union[
    "Literal['deny', 'cancel', 'keep', 'escalate']",
]


class ApprovalExpiryInput(TypedDict):
    """How long a call waits for approval, and what happens then; by default 24 hours and `deny`"""

    # How long an approval may take, in seconds
    after_seconds: int
    # What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels
    # the job, `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
    on_expiry: AgentExpiryAction


class ApprovalMails(TypedDict):
    """Whether approvals reach the caller by mail"""

    # Whether the caller wants the mails
    enabled: bool


class ApprovalNotice(TypedDict):
    """A mail or a message about an approval"""

    # The notice's id
    id: str
    # Kind of the entry
    kind: Literal["asked", "reminder", "decided"]
    # Who gets it by mail; null if a messenger gets it
    user_id: str | None
    # The messenger that gets it; null for a mail
    messenger_id: str | None
    # Current status
    status: DeliveryStatus
    # Why it was not sent
    skipped: Literal["decided", "no_recipient", "not_wanted", "private", "not_theirs", "too_many"] | None
    # Attempts so far
    attempts: int
    # How the newest attempt failed
    error: Literal[
        "timeout",
        "dns_error",
        "tls_error",
        "connection_refused",
        "connection_reset",
        "blocked_address",
        "http_error",
        "smtp_refused",
        "no_mail_server",
    ] | None
    # HTTP status of the receiver's response; null if there was none
    http_status: int | None
    # Duration in milliseconds; null until it has ended
    duration_ms: int | None
    # ISO 8601 UTC with milliseconds
    next_attempt_at: str | None
    # ISO 8601 UTC with milliseconds
    created_at: str


class ApprovalNotices(TypedDict):
    """What was sent about one approval"""

    # The approval
    approval_id: str
    # The job whose call it is about
    job_id: str
    # Its mails and messages, in their order
    notices: list[ApprovalNotice]
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class ApprovalNoticesList(TypedDict):
    """A page of approval notices, newest first"""

    # What was sent, one entry for each approval
    approval_notices: list[ApprovalNotices]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class ApprovalPolicy(TypedDict):
    """Who decides about a call, as a rule says it"""

    # Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts,
    # `agent_owner` the creator of the agent, `owners` those of the organization; or the members of a group
    of: ApprovalDeciders | DecidingGroup
    # How many people must approve
    count: int
    # Whether the person for whom the job acts may not decide
    not_starter: bool
    # Whether tokens of services may decide
    services: bool


class ApprovalReach(TypedDict):
    """How an agent's approvals reach people: `links` says whether the link in a mail or message needs a
    sign-in, and `remind_after_seconds` when those who were asked are reminded; null means never
    """

    # Whether the link in a mail or message needs a sign-in
    links: Literal["signed_in", "anyone"]
    # When those who were asked are reminded, in seconds; null: never
    remind_after_seconds: int | None


class ApprovalReachInput(TypedDict):
    """How an agent's approvals reach people: `links` says whether the link in a mail or message needs a
    sign-in, and `remind_after_seconds` when those who were asked are reminded; null means never
    """

    # Whether the link in a mail or message needs a sign-in
    links: Literal["signed_in", "anyone"]
    # When those who were asked are reminded, in seconds; null: never
    remind_after_seconds: int | None


class ApprovalRule(TypedDict):
    """A rule that decides about tool calls before people do"""

    # Name
    name: NotRequired[str]
    # Name of a tool, or the beginning of names and `*`, such as `refund__*`
    tool: str
    when: NotRequired[ApprovalRuleConditions]
    # What happens to the call
    then: RuleOutcome
    # Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts,
    # `agent_owner` the creator of the agent, `owners` those of the organization; or the members of a group
    of: NotRequired[ApprovalDeciders | DecidingGroup]
    # How many people must approve
    count: NotRequired[int]
    # Whether the person for whom the job acts may not decide
    not_starter: NotRequired[bool]
    # Whether tokens of services may decide; false by default
    services: NotRequired[bool]
    expiry: NotRequired[ApprovalRuleExpiry]


class ApprovalRuleConditions(TypedDict):
    """When a rule matches; without conditions always"""

    # JSON Schema of the arguments. A rule with `allow` matches only if the call has every field that the
    # schema names
    arguments: NotRequired[dict[str, Any]]
    # Users: the job acts for one of them
    caller: NotRequired[list[str]]
    # Agents: one of them runs the job, or has delegated its work
    agent: NotRequired[list[str]]
    # How the work began; `delegation` if another job has begun it
    origin: NotRequired[list[JobOrigin]]


class ApprovalRuleConditionsInput(TypedDict):
    """When a rule matches; without conditions always"""

    # JSON Schema of the arguments. A rule with `allow` matches only if the call has every field that the
    # schema names
    arguments: NotRequired[dict[str, Any]]
    # Users: the job acts for one of them
    caller: NotRequired[list[str]]
    # Agents: one of them runs the job, or has delegated its work
    agent: NotRequired[list[str]]
    # How the work began; `delegation` if another job has begun it
    origin: NotRequired[list[JobOrigin]]


class ApprovalRuleExpiry(TypedDict):
    """How long a call waits, and what happens then; it is never approved"""

    # How long an approval may take, in seconds
    after_seconds: int
    # What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels
    # the job, `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
    on_expiry: ApprovalExpiryAction
    # Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts,
    # `agent_owner` the creator of the agent, `owners` those of the organization; or the members of a group
    escalate_to: NotRequired[ApprovalDeciders | DecidingGroup]


class ApprovalRuleExpiryInput(TypedDict):
    """How long a call waits, and what happens then; it is never approved"""

    # How long an approval may take, in seconds
    after_seconds: int
    # What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels
    # the job, `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
    on_expiry: ApprovalExpiryAction
    # Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts,
    # `agent_owner` the creator of the agent, `owners` those of the organization; or the members of a group
    escalate_to: NotRequired[ApprovalDeciders | DecidingGroupInput]


class ApprovalRuleInput(TypedDict):
    """A rule that decides about tool calls before people do"""

    # Name
    name: NotRequired[str]
    # Name of a tool, or the beginning of names and `*`, such as `refund__*`
    tool: str
    when: NotRequired[ApprovalRuleConditionsInput]
    # What happens to the call
    then: RuleOutcome
    # Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts,
    # `agent_owner` the creator of the agent, `owners` those of the organization; or the members of a group
    of: NotRequired[ApprovalDeciders | DecidingGroupInput]
    # How many people must approve
    count: NotRequired[int]
    # Whether the person for whom the job acts may not decide
    not_starter: NotRequired[bool]
    # Whether tokens of services may decide; false by default
    services: NotRequired[bool]
    expiry: NotRequired[ApprovalRuleExpiryInput]


class ApprovalVote(TypedDict):
    """The approval of one person, where a call needs several"""

    # Who has approved
    by: str
    # ISO 8601 UTC with milliseconds
    at: str
    # Comment on the decision
    comment: str | None


class ApproveJobRequest(TypedDict):
    # Approval to decide. Without it and `tool_call_id`, the decision applies to all open approvals, or to the
    # review
    approval_id: NotRequired[str]
    # Tool call to decide, as the model named it; instead of `approval_id`
    tool_call_id: NotRequired[str]
    # The decision
    decision: NotRequired[Literal["approve", "deny"]]
    # Arguments to use instead of the model's; at most 64 KiB as JSON
    arguments: NotRequired[dict[str, Any]]
    # Reason, for the agent and the record
    comment: NotRequired[str]


class Artifact(TypedDict):
    """A file that a job has written, as of the job's last change to it"""

    # The artifact's id
    id: str
    # Kind of artifact
    kind: Literal["file"]
    # The file's name
    name: str
    # Its path in the workspace
    path: str
    # Its media type
    mime: str
    # Size in bytes
    size: int
    # URL of the content
    url: str


class Attachment(TypedDict):
    """An image or a file in a message, or in the result of a tool"""

    # Kind of the entry
    type: Literal["image", "file"]
    # Media type, detected from the first bytes
    media_type: str
    # Name of the file; null if it has none
    name: str | None
    # Size in bytes
    size: int
    # SHA-256 digest of the content, which never changes
    sha256: str
    source: AttachmentSource


class AttachmentSourceUpload(TypedDict):
    # Always "upload"
    kind: Literal["upload"]
    # Id of the uploaded file
    file_id: str


class AttachmentSourceWorkspace(TypedDict):
    # Always "workspace"
    kind: Literal["workspace"]
    # Id of the workspace
    workspace_id: str
    # Path in the workspace, such as `reports/2026.md`
    path: str
    # Version of the file at that time
    version: int


class AttachmentSourceUrl(TypedDict):
    # Always "url"
    kind: Literal["url"]
    # URL that it was fetched from
    url: str


class AttachmentSourceTool(TypedDict):
    # Always "tool"
    kind: Literal["tool"]
    # Name of the tool whose result has the content
    name: str
    # URI of the content on its server, if it is a resource
    uri: str | None


# The origin of the content when the message was accepted
AttachmentSource: TypeAlias = Union[
    "AttachmentSourceUpload",
    "AttachmentSourceWorkspace",
    "AttachmentSourceUrl",
    "AttachmentSourceTool",
]


# What an entry of the audit records
AuditAction: TypeAlias = Union[
    "Literal['session.started', 'session.ended', 'session.refused', 'password.set', 'identity.linked', 'identity.unlinked', 'passkey.added', 'passkey.removed', 'token.created', 'token.used', 'token.revoked', 'grant.created', 'grant.ended', 'grant.reused', 'member.added', 'member.changed', 'member.removed', 'invitation.created', 'invitation.accepted', 'invitation.revoked', 'provider_key.set', 'provider_key.removed', 'group.set', 'group.removed', 'connection.made', 'connection.ended']",
]


class AuditEntry(TypedDict):
    """What somebody did with a credential, or to a member"""

    # The entry's id
    id: str
    # What was done
    action: AuditAction
    # User who did it; null for the operator or an unknown person
    user_id: str | None
    # Token or session that was used
    token_id: str | None
    # The remote address; an IPv6 address as its /64
    address: str | None
    # Subject of the action: a token, a user, a grant or an invitation
    subject_id: str | None
    # A detail, such as a name or a role
    detail: str | None
    # ISO 8601 UTC with milliseconds
    created_at: str


class AuditEntryList(TypedDict):
    """A page of audit entries, newest first"""

    # The audit entries of this page
    audit_entries: list[AuditEntry]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class AuthClient(TypedDict):
    """An OAuth client that was registered by hand"""

    # The authorization server that knows the client, to the letter of its metadata
    issuer: str
    # The client id
    id: str
    # Name of the secret with the client's secret; omitted: it has none
    secret: NotRequired[str]


class AuthClientInput(TypedDict):
    """An OAuth client that was registered by hand"""

    # The authorization server that knows the client, to the letter of its metadata
    issuer: str
    # The client id
    id: str
    # Name of the secret with the client's secret; omitted: it has none
    secret: NotRequired[str]


class Authorization(TypedDict):
    """A connection that a job needs, and how the wait for it ended"""

    # The connection
    connection_id: str
    # The MCP server or the tool that needs it
    name: str
    # The address of the tool server
    url: str
    # Who can give it: the person for whom the job acts, or an owner
    owner: Literal["person", "organization"]
    # Scopes that are asked for; empty: those that the server names
    scopes: list[str]
    # The page where the person grants or denies the connection
    link: str
    # ISO 8601 UTC with milliseconds
    requested_at: str
    # How the wait ended; null while the job waits
    outcome: Literal["connected", "denied", "expired"] | None
    # Why there is no connection
    message: str | None


class AuthorizationServer(TypedDict):
    """Metadata of the authorization server"""

    # Identifier of the authorization server; the same as `iss` in its responses
    issuer: str
    # Where a browser is sent for consent
    authorization_endpoint: str
    # Where codes and refresh tokens are redeemed
    token_endpoint: str
    # Where programs register themselves
    registration_endpoint: str
    # Where tokens are revoked
    revocation_endpoint: str
    # Where owners inspect a token
    introspection_endpoint: str
    # The keys that verify which agent acts for whom; no token of the authorization server needs them
    jwks_uri: str
    # Scopes that can be requested
    scopes_supported: list[str]
    # Supported response types
    response_types_supported: list[str]
    # Supported response modes
    response_modes_supported: list[str]
    # Supported grant types
    grant_types_supported: list[str]
    # Only `none`: clients have no secret
    token_endpoint_auth_methods_supported: list[str]
    # Only `none`: clients have no secret
    revocation_endpoint_auth_methods_supported: list[str]
    # PKCE is required
    code_challenge_methods_supported: list[str]
    # Whether responses have the issuer (RFC 9207)
    authorization_response_iss_parameter_supported: bool
    # Whether a client id may be the URL of a metadata document
    client_id_metadata_document_supported: bool
    # Documentation for people
    service_documentation: str


# A piece of a message: text with its citations, the model's reasoning, a call of a tool, or the result of the
# call
Block: TypeAlias = Union[
    "TextBlock",
    "ReasoningBlock",
    "ToolUseBlock",
    "ToolResultBlock",
]


# What a blocked job waits for
BlockedReason: TypeAlias = Union[
    "Literal['approval_required', 'input_required', 'auth_required', 'tool_result_required', 'budget_reached', 'interrupted']",
]


# What is done to many jobs at once
BulkAction: TypeAlias = Union[
    "Literal['cancel', 'resume', 'approve', 'deny']",
]


class BulkJobRefusal(TypedDict):
    """Why an action on many jobs was refused for one of them"""

    # An error code
    code: str
    # In words
    message: str


class BulkJobResult(TypedDict):
    """What an action on many jobs did to one of them"""

    # A job's id
    job_id: str
    # The title
    title: str
    # `done` (in a dry run: would be done), `unchanged` because the job is already as the action would leave
    # it, or `refused`
    outcome: Literal["done", "unchanged", "refused"]
    # Status of the job afterwards
    status: JobStatus
    # Id of the new job that continues the work; null if no new job was made
    next_job_id: str | None
    # Why it failed; null if it did not
    error: BulkJobRefusal | None


class BulkJobs(TypedDict):
    """What an action did to one page of jobs"""

    # What was asked for
    action: BulkAction
    # Whether this was a dry run, which changes nothing
    dry_run: bool
    # Number of jobs with the outcome `done`
    done: int
    # Number of jobs with the outcome `unchanged`
    unchanged: int
    # Number of jobs with the outcome `refused`
    refused: int
    # One for each job of the page, newest first
    results: list[BulkJobResult]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class BulkJobsRequest(TypedDict):
    # `cancel`; `resume`: a blocked job continues, a failed or cancelled one continues in a new job;
    # `approve`: the result that waits for review is accepted, or all waiting calls of tools are approved;
    # `deny`: all waiting calls are denied
    action: BulkAction
    filter: JobFilterInput
    # Only say what would happen; by default false
    dry_run: NotRequired[bool]


# What happens to a message while a chat turn runs
BusyPolicy: TypeAlias = Union[
    "Literal['queue', 'steer', 'interrupt', 'reject']",
]


class CallDeciders(TypedDict):
    """Who decides about a call, as a rule says it"""

    # Who decides: a kind of person, or the members of a group
    of: ApprovalDeciders | DecidingGroup
    # How many people must approve
    count: int
    # Whether the person for whom the job acts may not decide
    not_starter: bool
    # Whether tokens of services may decide
    services: bool


class CallDecision(TypedDict):
    """What decided whether a tool call is made, before any person did"""

    # What decided; `doubt`: a rule about the tool could not be applied, so the call waits for a person or is
    # denied
    by: Literal["rule", "default", "doubt"]
    # Whether the call is made, waits for a person, or is denied
    outcome: RuleOutcome
    # Place of the rule in the agent's list, from 0
    rule: NotRequired[int]
    # Name of the rule
    name: NotRequired[str]


class CancelReceipt(TypedDict):
    """How a job was stopped"""

    job: Job
    # The seq of its last event; null until it has stopped
    stopped_at_seq: int | None
    # Message with the partial answer; absent if there is none
    partial_message_id: NotRequired[str]
    # Tool calls that finished
    tool_calls_finished: int
    # Tool calls that were aborted
    tool_calls_aborted: int


class ChangedFile(TypedDict):
    """A file or directory after a change"""

    # The workspace's id
    workspace_id: str
    # What was done
    change: Literal["created", "updated", "moved", "deleted"]
    # The path, relative to the workspace
    path: str
    # Last part of the path
    name: str
    # Kind of the entry
    kind: Literal["file", "directory"]
    # Size in bytes; for a directory, of all files below it
    size: int
    # The media type of a file
    mime: str | None
    # Entity tag of the content, for `If-Match` and `If-None-Match`
    etag: str | None
    # Version of the file's content; rises by one with each change
    number: int | None
    # ISO 8601 UTC with milliseconds
    modified_at: str
    # User or agent of the last change; null if unknown
    modified_by: FileAuthor | None


class Chat(TypedDict):
    """A durable conversation with an agent"""

    # The chat's id
    id: str
    # The title
    title: str
    # What the chat needs: `working` has an active job, `needs_attention` waits for a person
    status: ChatStatus
    # The agent that answers
    agent_id: str
    # Name of the agent when the chat was created
    agent_name: str
    # Workspace of the chat
    workspace_id: str
    options: ChatOptions
    # Number of messages
    message_count: int
    # A job's id
    active_job_id: str | None
    # Number of queued messages
    queued_messages: int
    # Mission that this chat is a run of
    mission_id: str | None
    # Number of the mission's run that the chat belongs to; null for other chats
    run_number: int | None
    # Summary that replaces older messages in model calls; null if nothing was compacted
    summary: ChatSummary | None
    # Where the chat was forked from; null if it was not forked
    forked_from: ForkOrigin | None
    # The beginning of the newest message
    last_message_preview: str | None
    # Number of the newest event
    last_seq: int
    # Any JSON object, as the creator gave it
    metadata: dict[str, Any]
    # The user who opened it
    created_by: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class ChatApprovalRequestedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "approval.requested"
    type: Literal["approval.requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the approval
    approval_id: str
    # Name of the tool
    tool_name: str
    # Id of the tool call, as the model gave it
    tool_call_id: str
    # Arguments of the call
    arguments: dict[str, Any]
    # Human-readable message
    message: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels
    # the job, `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
    on_expiry: ApprovalExpiryAction
    asked_by: NotRequired[CallDecision]
    policy: NotRequired[CallDeciders]


class ChatApprovalRequestedEvent(TypedDict):
    """A tool call waits for a person's approval"""

    # Always "approval.requested"
    event: Literal["approval.requested"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatApprovalRequestedEventData


class ChatApprovalResolvedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "approval.resolved"
    type: Literal["approval.resolved"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the approval
    approval_id: str
    # Id of the tool call, as the model gave it
    tool_call_id: str
    # The decision; `expired` if nobody decided in time
    decision: ApprovalDecision
    # User who did it; null if the service did
    by: str | None
    # Arguments of the call
    arguments: NotRequired[dict[str, Any]]


class ChatApprovalResolvedEvent(TypedDict):
    """An approval was decided, or has expired"""

    # Always "approval.resolved"
    event: Literal["approval.resolved"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatApprovalResolvedEventData


class ChatArtifactCreatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "artifact.created"
    type: Literal["artifact.created"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the artifact: the same for all changes of one file by one job
    id: str
    # Always "file"
    kind: Literal["file"]
    # Name
    name: str
    # Path in the workspace, such as `reports/2026.md`
    path: str
    # Media type of the content
    mime: str
    # Size in bytes
    size: int


class ChatArtifactCreatedEvent(TypedDict):
    """A tool has written a file for the first time"""

    # Always "artifact.created"
    event: Literal["artifact.created"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatArtifactCreatedEventData


class ChatAuthorizationRequestedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "authorization.requested"
    type: Literal["authorization.requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the connection
    connection_id: str
    # The MCP server or the tool that needs it
    name: str
    # The address of the tool server
    resource: str
    # Who can grant the connection: the person for whom the job acts, or an owner
    owner: Literal["person", "organization"]
    # Scopes that are asked for; empty: those that the server names
    scopes: list[str]
    # The page where the person grants or denies the connection
    link: str


class ChatAuthorizationRequestedEvent(TypedDict):
    """A job waits for a person to connect a tool server: `link` leads to the page for it"""

    # Always "authorization.requested"
    event: Literal["authorization.requested"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatAuthorizationRequestedEventData


class ChatCompactedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "chat.compacted"
    type: Literal["chat.compacted"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the message
    message_id: str
    # Number of messages that the summary replaces
    messages: int


class ChatCompactedEvent(TypedDict):
    """From now on this message, a summary, replaces older messages in model calls"""

    # Always "chat.compacted"
    event: Literal["chat.compacted"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatCompactedEventData


class ChatErrorEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "error"
    type: Literal["error"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Code of the error
    code: RunErrorCode
    # Human-readable message
    message: str


class ChatErrorEvent(TypedDict):
    """A job of the chat has failed"""

    # Always "error"
    event: Literal["error"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatErrorEventData


class ChatJob(TypedDict):
    """A job of a chat, in short"""

    # A job's id
    id: str
    # The title
    title: str
    # Current status
    status: JobStatus
    # State of the review of the current job
    review_state: ReviewState


class ChatJobLinkedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.linked"
    type: Literal["job.linked"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the message
    message_id: str


class ChatJobLinkedEvent(TypedDict):
    """The message got the job that answers it"""

    # Always "job.linked"
    event: Literal["job.linked"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatJobLinkedEventData


class ChatJobUpdatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.updated"
    type: Literal["job.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Current status
    status: JobStatus
    # What a blocked job waits for; null for other jobs
    blocked_reason: BlockedReason | None


class ChatJobUpdatedEvent(TypedDict):
    """A job of the chat has a new status"""

    # Always "job.updated"
    event: Literal["job.updated"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatJobUpdatedEventData


class ChatList(TypedDict):
    """A page of chats, newest first"""

    # The chats of this page
    chats: list[Chat]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class ChatMessageCompletedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "message.completed"
    type: Literal["message.completed"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the message
    message_id: str
    # Current status
    status: Literal["completed", "cancelled", "failed"]
    # Content as text
    content: str
    # Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token
    # limit (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or
    # `other`
    stop_reason: NotRequired[StopReason | None]


class ChatMessageCompletedEvent(TypedDict):
    """The message is complete, or was cancelled, or has failed"""

    # Always "message.completed"
    event: Literal["message.completed"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatMessageCompletedEventData


class ChatMessageCreatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "message.created"
    type: Literal["message.created"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the message
    message_id: str
    # Author of the message: a person, the agent, the system or a tool
    role: MessageRole
    # Content as text
    content: str
    # Content as blocks, in their order: text, files, tool calls and their results
    blocks: NotRequired[list[InputBlock]]
    # Id of the job; null if no job answers
    job_id: str | None


class ChatMessageCreatedEvent(TypedDict):
    """There is a new message, from a user or from the agent"""

    # Always "message.created"
    event: Literal["message.created"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatMessageCreatedEventData


class ChatMessageDeltaEvent(TypedDict):
    """Live text; it is not stored"""

    # Always "message.delta"
    event: Literal["message.delta"]
    # Cursor of this event
    id: str
    data: TextDelta


class ChatMessageQueuedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "message.queued"
    type: Literal["message.queued"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the message
    message_id: str
    # Place in the queue, from 1
    position: int


class ChatMessageQueuedEvent(TypedDict):
    """The message waits in the queue"""

    # Always "message.queued"
    event: Literal["message.queued"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatMessageQueuedEventData


class ChatMessageRestartedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "message.restarted"
    type: Literal["message.restarted"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the message
    message_id: str
    # Number of the attempt, from 1
    attempt: int


class ChatMessageRestartedEvent(TypedDict):
    """A new attempt writes the message again: drop the live text that no event contains"""

    # Always "message.restarted"
    event: Literal["message.restarted"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatMessageRestartedEventData


class ChatMessageStartedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "message.started"
    type: Literal["message.started"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the message
    message_id: str
    # Number of the attempt, from 1
    attempt: int


class ChatMessageStartedEvent(TypedDict):
    """The agent has begun to write the message"""

    # Always "message.started"
    event: Literal["message.started"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatMessageStartedEventData


class ChatMessageUpdatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "message.updated"
    type: Literal["message.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the message
    message_id: str
    # Whether the message stays in the model's context when the chat is compacted
    pinned: bool


class ChatMessageUpdatedEvent(TypedDict):
    """The message was pinned to the context, or unpinned"""

    # Always "message.updated"
    event: Literal["message.updated"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatMessageUpdatedEventData


class ChatOptions(TypedDict):
    """Settings of a chat"""

    # Model that answers in this chat, as `provider:name`; null is the agent's own
    model: str | None
    # What happens to a message while a chat turn runs
    on_busy: BusyPolicy
    # Tools that the agent may use in this chat; null is all that the agent has
    tools: list[str] | None
    # Whether calls that need approval are approved without a person
    auto_approve: bool
    # The title
    title: str
    # Whether the chat is pinned in lists
    pinned: bool


class ChatOptionsChange(TypedDict):
    """The settings that have changed"""

    # Model that answers in this chat, as `provider:name`; null is the agent's own
    model: NotRequired[str | None]
    # What a message does while a job of the chat is active: wait (`queue`), join the running job (`steer`),
    # replace it (`interrupt`) or be refused (`reject`)
    on_busy: NotRequired[BusyPolicy]
    # Tools that the agent may use in this chat; null is all that the agent has
    tools: NotRequired[list[str] | None]
    # Whether calls that need approval are approved without a person
    auto_approve: NotRequired[bool]
    # Title
    title: NotRequired[str]
    # Whether the chat is pinned in lists
    pinned: NotRequired[bool]


class ChatOptionsInput(TypedDict):
    """Settings of a chat"""

    # Model that answers in this chat, as `provider:name`; null is the agent's own
    model: NotRequired[str | None]
    # What a message does while a job of the chat is active: wait (`queue`), join the running job (`steer`),
    # replace it (`interrupt`) or be refused (`reject`)
    on_busy: NotRequired[BusyPolicy]
    # Tools that the agent may use in this chat; null is all that the agent has
    tools: NotRequired[list[str] | None]
    # Whether calls that need approval are approved without a person
    auto_approve: NotRequired[bool]
    # Title
    title: NotRequired[str]
    # Whether the chat is pinned in lists
    pinned: NotRequired[bool]


class ChatReviewUpdatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "review.updated"
    type: Literal["review.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # New state
    state: ReviewState
    # User who decided; null if the time ran out
    decided_by: str | None
    # Comment on the decision
    comment: str | None


class ChatReviewUpdatedEvent(TypedDict):
    """The review of a job has a new state"""

    # Always "review.updated"
    event: Literal["review.updated"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatReviewUpdatedEventData


class ChatRoutingUpdatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "routing.updated"
    type: Literal["routing.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Model that answers from now on, as `provider:name`; null is the agent's own
    model: str | None


class ChatRoutingUpdatedEvent(TypedDict):
    """Another model answers from now on"""

    # Always "routing.updated"
    event: Literal["routing.updated"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatRoutingUpdatedEventData


class ChatSnapshotEvent(TypedDict):
    """The chat as it is when the stream begins"""

    # Always "snapshot"
    event: Literal["snapshot"]
    data: Chat
    # Absent: this event does not move the cursor
    id: NotRequired[None]


# Status of a chat
ChatStatus: TypeAlias = Union[
    "Literal['standby', 'working', 'done', 'error', 'needs_attention']",
]


# An event of a chat's stream
ChatStreamEvent: TypeAlias = Union[
    "ChatSnapshotEvent",
    "ChatMessageCreatedEvent",
    "ChatMessageQueuedEvent",
    "ChatMessageStartedEvent",
    "ChatMessageRestartedEvent",
    "ChatMessageCompletedEvent",
    "ChatToolStartedEvent",
    "ChatToolRequestedEvent",
    "ChatToolCompletedEvent",
    "ChatToolFailedEvent",
    "ChatRoutingUpdatedEvent",
    "ChatApprovalRequestedEvent",
    "ChatApprovalResolvedEvent",
    "ChatAuthorizationRequestedEvent",
    "ChatArtifactCreatedEvent",
    "ChatReviewUpdatedEvent",
    "ChatJobLinkedEvent",
    "ChatJobUpdatedEvent",
    "ChatUpdatedEvent",
    "ChatCompactedEvent",
    "ChatMessageUpdatedEvent",
    "ChatUsageUpdatedEvent",
    "ChatErrorEvent",
    "ChatMessageDeltaEvent",
    "StreamResetEvent",
    "StreamClosingEvent",
    "StreamEndEvent",
]


class ChatSummary(TypedDict):
    """Summary that replaces older messages in model calls"""

    # The message with the summary
    message_id: str
    # Messages that it replaces
    messages: int
    # ISO 8601 UTC with milliseconds
    created_at: str


class ChatToolCompletedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "tool.completed"
    type: Literal["tool.completed"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the tool call
    call_id: str
    # Beginning of the tool's result; absent without `jobs:read`
    result: NotRequired[str]
    # Whether the result is longer than `result`
    is_truncated: NotRequired[bool]
    # Images and files in the result; absent without `jobs:read`
    attachments: NotRequired[list[Attachment]]


class ChatToolCompletedEvent(TypedDict):
    """The tool has answered"""

    # Always "tool.completed"
    event: Literal["tool.completed"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatToolCompletedEventData


class ChatToolFailedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "tool.failed"
    type: Literal["tool.failed"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the tool call
    call_id: str
    # Beginning of the tool's result; absent without `jobs:read`
    result: NotRequired[str]
    # Whether the result is longer than `result`
    is_truncated: NotRequired[bool]
    # Images and files in the result; absent without `jobs:read`
    attachments: NotRequired[list[Attachment]]


class ChatToolFailedEvent(TypedDict):
    """The tool has failed"""

    # Always "tool.failed"
    event: Literal["tool.failed"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatToolFailedEventData


class ChatToolRequestedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "tool.requested"
    type: Literal["tool.requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the tool call
    call_id: str
    # Name of the tool
    name: str
    # Arguments of the call; absent if longer than 4 KiB, or without `jobs:read`
    arguments: NotRequired[dict[str, Any]]
    # ISO 8601 UTC with milliseconds
    expires_at: str


class ChatToolRequestedEvent(TypedDict):
    """The agent has called a tool that the client runs: send its result"""

    # Always "tool.requested"
    event: Literal["tool.requested"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatToolRequestedEventData


class ChatToolStartedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "tool.started"
    type: Literal["tool.started"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Id of the tool call
    call_id: str
    # Name of the tool
    name: str
    # Arguments of the call; absent if longer than 4 KiB, or without `jobs:read`
    arguments: NotRequired[dict[str, Any]]


class ChatToolStartedEvent(TypedDict):
    """The agent has called a tool"""

    # Always "tool.started"
    event: Literal["tool.started"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatToolStartedEventData


class ChatUpdatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "chat.updated"
    type: Literal["chat.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Current status
    status: NotRequired[ChatStatus]
    options: NotRequired[ChatOptionsChange]
    # Any JSON object; it is returned unchanged
    metadata: NotRequired[dict[str, Any]]
    # Whether the chat has been deleted
    deleted: NotRequired[bool]


class ChatUpdatedEvent(TypedDict):
    """The chat has changed; only the changed fields are present"""

    # Always "chat.updated"
    event: Literal["chat.updated"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatUpdatedEventData


class ChatUsageUpdatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "usage.updated"
    type: Literal["usage.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the job; null if no job answers
    job_id: str
    # Tokens sent to models
    input_tokens: int
    # Tokens received from models
    output_tokens: int
    # Input tokens that the provider read from its cache; part of `input_tokens`
    cached_input_tokens: NotRequired[int]
    # Input tokens that the provider wrote to its cache; part of `input_tokens`
    cache_write_tokens: NotRequired[int]
    # Exact cost of those that have a price, in the `currency` of `GET /api/models`
    cost: NotRequired[str]


class ChatUsageUpdatedEvent(TypedDict):
    """Tokens that the chat turn has used so far"""

    # Always "usage.updated"
    event: Literal["usage.updated"]
    # Cursor of this event
    id: str
    # Data of the event
    data: ChatUsageUpdatedEventData


class ChatWork(TypedDict):
    """The current work of a chat"""

    # A job's id
    active_job_id: str | None
    # The newest jobs
    jobs: list[ChatJob]
    # Artifacts of the job
    artifacts: list[Artifact]
    # Whether it waits for a person
    needs_attention: bool


class Citation(TypedDict):
    """A source that the model cites for a part of its answer"""

    # Start of the cited part of the text, in UTF-16 units
    start: int
    # End of the cited part, exclusive, in UTF-16 units
    end: int
    # A web page, or a document in the conversation
    type: Literal["url", "document"]
    # Title or name of the source; null if it has none
    title: str | None
    # URL of the source, with http or https; null if it has none
    url: str | None
    # Index of the document in the conversation, from 0; null if the source is not a document
    document_index: int | None
    # First cited page, from 1; null if the source has no pages
    first_page: int | None
    # Last cited page; null if the source has no pages
    last_page: int | None
    # Cited text of the source, at most 1,000 characters; null if the provider does not return it
    cited_text: str | None


class ClientToolCall(TypedDict):
    """A call of a tool that waits for its result from the client"""

    # Id of the tool call
    id: str
    # Name of the tool
    name: str
    # Arguments of the call
    arguments: NotRequired[dict[str, Any]]


class ClockChangeNote(TypedDict):
    """Effect of a clock change on a scheduled time"""

    # Kind of the entry
    kind: Literal["shifted", "skipped", "repeated"]
    # Effect of the clock change, in words
    message: str


class CloneRepositoryRequest(TypedDict):
    # An existing mount; omit it to create one from the other fields
    repo_id: NotRequired[str]
    # https URL without credentials. http is allowed only for hosts that the operator has opened
    url: NotRequired[str]
    # Branch; by default the repository's default branch
    branch: NotRequired[str | None]
    # Directory for the files; by default the name of the repository
    path: NotRequired[str]
    # `read`: the files cannot be changed in the workspace; `write`: they can. Default "read"
    mode: NotRequired[Literal["read", "write"]]
    # Name of the secret with the credentials: `user:password`, or only a token
    secret: NotRequired[str | None]


class CompactChatRequest(TypedDict):
    # What the summary must keep, in your own words
    instructions: NotRequired[str]


class Connection(TypedDict):
    """Access to a tool server that a person or an owner has consented to"""

    # The connection's id
    id: str
    # Whose access it is: one person's, or the organization's
    owner: Literal["person", "organization"]
    # The person whose connection it is; null for one of the organization
    user_id: str | None
    # The address of the tool server
    url: str
    # `required`: nobody has consented yet; `connected`; `ended`: it works again after a new consent
    status: Literal["required", "connected", "ended"]
    # The authorization server
    issuer: str | None
    # The OAuth client that was registered by hand; null: the service registers itself
    client_id: str | None
    # Granted scopes
    scopes: list[str]
    # Scopes that the next consent asks for
    asked_scopes: list[str]
    # The person who consented last
    connected_by: str | None
    # ISO 8601 UTC with milliseconds
    connected_at: str | None
    # When the present access token expires; it is renewed before
    expires_at: str | None
    # Why the connection ended by itself; null if it did not
    end: ConnectionEnd | None
    # Number of jobs that wait for it
    waiting_jobs: int
    # The page where a signed-in person grants or denies the connection
    authorization_url: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class ConnectionEnd(TypedDict):
    """Why a connection has ended by itself"""

    # `refused`: the authorization server refused to renew the access; `refresh_lost`: it refused after the
    # answer to an earlier renewal was lost; `expired`: the access cannot be renewed; `rejected`: the tool
    # server no longer accepts it
    reason: Literal["refused", "refresh_lost", "expired", "rejected"]
    # For people
    message: str
    # ISO 8601 UTC with milliseconds
    at: str


class ConnectionList(TypedDict):
    """A page of connections, newest first"""

    # The connections of this page
    connections: list[Connection]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class ConnectionTrial(TypedDict):
    """What the tool server has answered to a request with the access"""

    # `accepted`: the server knows the access; `refused`: it does not; `unreachable`: there was no answer;
    # `not_connected`: there is no access to try
    result: Literal["accepted", "refused", "unreachable", "not_connected"]
    # Status of the answer
    http_status: int | None
    connection: Connection


class ContentBlockInputVariant1(TypedDict):
    # Always "text"
    type: Literal["text"]
    # The text
    text: str


class ContentBlockInputVariant2(TypedDict):
    # Kind of the entry
    type: Literal["image", "file"]
    source: ContentSourceInput
    # Name of the file
    name: NotRequired[str]


# Part of a message: text, an image, or a file (PDF or text)
ContentBlockInput: TypeAlias = Union[
    "ContentBlockInputVariant1",
    "ContentBlockInputVariant2",
]


class ContentSourceInputUpload(TypedDict):
    # Always "upload"
    kind: Literal["upload"]
    # Id of a file from `POST /api/files`
    file_id: str


class ContentSourceInputWorkspace(TypedDict):
    # Always "workspace"
    kind: Literal["workspace"]
    # Id of the workspace; the token needs `workspaces:read`
    workspace_id: str
    # Path of the file in the workspace
    path: str
    # Version of the file; by default the current one
    version: NotRequired[int]


class ContentSourceInputUrl(TypedDict):
    # Always "url"
    kind: Literal["url"]
    # An https URL, fetched once when the message is sent
    url: str


# Where the content is. The message keeps it as it is at the time of sending
ContentSourceInput: TypeAlias = Union[
    "ContentSourceInputUpload",
    "ContentSourceInputWorkspace",
    "ContentSourceInputUrl",
]


class CostliestJobs(TypedDict):
    """The costliest jobs of a day"""

    # A day in UTC
    day: str
    # Currency of all costs, by ISO 4217; null if the operator has set no prices
    currency: str | None
    # The jobs of this page
    jobs: list[CostlyJob]


class CostlyJob(TypedDict):
    """A job and what it has used"""

    # A job's id
    id: str
    # The title
    title: str
    # Current status
    status: JobStatus
    # The agent that does the work
    agent_id: str
    # The model; null if the job has not started
    model: str | None
    metrics: JobMetrics
    # ISO 8601 UTC with milliseconds
    created_at: str


class CreateAgentRequest(TypedDict):
    # Display name
    name: str
    # Instructions at the start of every model call of the agent
    system_prompt: str
    # Who may see it. `private`: its creator; `organization`: every member; `public`: every caller;
    # `unlisted`: every caller who knows the id. Default "private"
    visibility: NotRequired[Visibility]
    # The agent's role in a few words, such as `Editor`
    role: NotRequired[str]
    # What the agent is for
    description: NotRequired[str | None]
    # Model as `provider:name`; null is the service's default
    model: NotRequired[str | None]
    # Tools that the agent may call in addition to the read-only ones. null: only the read-only ones; empty
    # list: none of the service's tools
    allowed_tools: NotRequired[list[str] | None]
    # Tools whose calls wait for a person's approval; `<server>__*` stands for all tools of an MCP server
    approval_tools: NotRequired[list[str]]
    # Rules about tool calls: the first that matches decides; without one, `approval_tools` does
    approval_rules: NotRequired[list[ApprovalRuleInput]]
    approval_expiry: NotRequired[ApprovalExpiryInput]
    approval_reach: NotRequired[ApprovalReachInput]
    # MCP servers whose tools the agent can use
    mcp_servers: NotRequired[list[McpServerInput]]
    # Maximum number of model calls per job; null is the service's limit
    max_steps: NotRequired[int | None]
    # The agent's own tools: run by your program (`client`), or as HTTP requests by the service (`http`)
    tools: NotRequired[list[AgentToolInput]]
    # JSON Schema of an object, at most 16 KiB, that answers must match; null: answers are text
    output_schema: NotRequired[dict[str, Any] | None]
    # Whether providers are asked to cache the beginning of its calls: `auto` chooses the lifetime, `5m` and
    # `1h` set it, `off` asks for nothing
    cache: NotRequired[PromptCache]
    # Settings of the model; null or absent: the defaults of its provider
    model_settings: NotRequired[ModelSettingsInput | None]
    # Labels to find the agent by
    tags: NotRequired[list[str]]


class CreateAppRequest(TypedDict):
    # Display name
    name: str
    # Part of the URL; unique in the workspace
    slug: str
    # Directory with the app's files; by default the slug
    path: NotRequired[str]
    # Start page, relative to the directory. Default "index.html"
    entry: NotRequired[str]


class CreateChatRequest(TypedDict):
    # Id of the agent
    agent_id: str
    # Id of the workspace
    workspace_id: str
    # Title
    title: NotRequired[str]
    options: NotRequired[ChatOptionsInput]
    # Any JSON object; it is returned unchanged
    metadata: NotRequired[dict[str, Any]]


class CreateConnectionRequest(TypedDict):
    # Address of the tool server
    url: str
    # Whose access it is to be: yours, or the organization's. Default "person"
    owner: NotRequired[Literal["person", "organization"]]
    # Scopes to ask for; omitted: those that the server asks for
    scopes: NotRequired[list[str]]


class CreateDirectoryRequest(TypedDict):
    # Path in the workspace, such as `reports/2026.md`
    path: str


class CreateInvitationRequest(TypedDict):
    # E-mail address of the person; nothing is sent to it
    email: str
    # Role that the person gets. Default "member"
    role: NotRequired[Role]


class CreateMessengerRequest(TypedDict):
    # Name
    name: str
    # The format of its messages
    format: MessengerFormat
    # An incoming webhook of Slack or Teams, or the address of a topic of ntfy. It is never shown again
    url: str


class CreateMissionRequest(TypedDict):
    # Title
    title: str
    # What each run should achieve; it is the first message of each run's chat
    goal: str
    # Id of the agent
    agent_id: str
    # Workspace in which it runs; by default the organization's default workspace
    workspace_id: NotRequired[str]
    # Who may see it. `private`: its creator; `organization`: every member
    visibility: NotRequired[MissionVisibility]
    # Priority of its jobs while job slots are scarce
    priority: NotRequired[Priority]
    schedule: NotRequired[MissionScheduleInput]
    # Whether a person reviews the result before the job is completed; `false` by default
    review_required: NotRequired[bool]
    # Limits of each run; the service's limits apply where one is absent
    budget: NotRequired[MissionBudgetInput]
    # Metadata of its jobs; at most 16 KiB as JSON
    metadata: NotRequired[dict[str, Any]]
    # Model settings of its runs. Each replaces the agent's setting of that name
    model_settings: NotRequired[ModelSettingsInput | None]


class CreatePersonalAccessTokenRequest(TypedDict):
    # Name of the token, for people
    name: str
    # What the token allows
    scopes: list[Scope]
    # Days until the token expires
    expires_in_days: NotRequired[int]


class CreateServiceTokenRequest(TypedDict):
    # Name of the token, for people
    name: str
    # What the token allows
    scopes: list[Scope]
    # Days until the token expires
    expires_in_days: NotRequired[int]


class CreateTaskRequest(TypedDict):
    # Title
    title: str
    # Description
    description: NotRequired[str | None]
    # How urgent it is. Default "medium"
    priority: NotRequired[Priority]
    # Id of the agent or user that the task is assigned to; null if unassigned
    assigned_to: NotRequired[str | None]
    # Id of the workspace
    workspace_id: NotRequired[str | None]


class CreateWorkspaceRequest(TypedDict):
    # Name
    name: str
    # Description
    description: NotRequired[str | None]
    # Instructions that agents get in this workspace; null for none
    instructions: NotRequired[str | None]


class DataColumn(TypedDict):
    """A column of a table"""

    # Name
    name: str
    # Type of the column, as DuckDB or SQLite names it
    type: str


class DecidingGroup(TypedDict):
    """The members of a group"""

    # Name of the group
    group: str


class DecidingGroupInput(TypedDict):
    """The members of a group"""

    # Name of the group
    group: str


class DefaultRunner(TypedDict):
    """What jobs run with by default"""

    # The default model; null if there is none
    model: str | None
    # Whether that is the built-in demo, which is not a language model
    demo: bool


class DeletedChat(TypedDict):
    """A deleted chat, in its last state"""

    # The chat's id
    id: str
    # The title
    title: str
    # Current status
    status: ChatStatus
    # The agent that answers
    agent_id: str
    # Name of the agent when the chat was created
    agent_name: str
    # Workspace of the chat
    workspace_id: str
    options: ChatOptions
    # Number of messages
    message_count: int
    # A job's id
    active_job_id: str | None
    # Number of queued messages
    queued_messages: int
    # Mission that this chat is a run of
    mission_id: str | None
    # Number of the mission's run that the chat belongs to; null for other chats
    run_number: int | None
    # Summary that replaced older messages in model calls
    summary: ChatSummary | None
    # Where the chat was forked from; null if it was not forked
    forked_from: ForkOrigin | None
    # The beginning of the newest message
    last_message_preview: str | None
    # Number of the newest event
    last_seq: int
    # Any JSON object, as the creator gave it
    metadata: dict[str, Any]
    # The user who opened it
    created_by: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    # Always true
    deleted: Literal[True]


class DeletedMission(TypedDict):
    """A deleted mission, in its last state"""

    # The mission's id
    id: str
    # Title
    title: str
    # What each run is for
    goal: str
    # The agent that does the work
    agent_id: str
    # The workspace that it works in
    workspace_id: str
    # Who may see it. `private`: its creator; `organization`: every member
    visibility: MissionVisibility
    # How urgent it is
    priority: Priority
    # Current status
    status: MissionStatus
    # Reason for the pause, as given
    paused_reason: str | None
    # Why it failed; null if it did not
    failed_reason: MissionFailedReason | None
    schedule: MissionSchedule
    # Whether a person reviews the result before the job is completed; `false` by default
    review_required: bool
    budget: MissionBudget
    # Metadata of its jobs
    metadata: dict[str, Any]
    # Settings of the model; null or absent: the defaults of its provider
    model_settings: ModelSettings | None
    # Failures since the last success
    consecutive_failures: int
    # The mission's tasks, in their order
    tasks: list[MissionTask]
    # The newest run; null before the first
    last_run: MissionLastRun | None
    # The user that its runs act for
    created_by: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    # Always true
    deleted: Literal[True]


class DeletedTask(TypedDict):
    """A deleted task, in its last state"""

    # The task's id
    id: str
    # The title
    title: str
    # Description
    description: str | None
    # Current status
    status: TaskStatus
    # How urgent it is
    priority: Priority
    # Id of an agent or a user, as it was sent
    assigned_to: str | None
    # Workspace of the task, as it was sent
    workspace_id: str | None
    # The user or agent who created it
    created_by: str
    # ISO 8601 UTC with milliseconds
    completed_at: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    # Always true
    deleted: Literal[True]


class Delivery(TypedDict):
    """One attempt to deliver an event"""

    # The attempt's id
    id: str
    # Id of the event; receivers deduplicate by it
    event_id: str
    # Type of the event
    event_type: EventType
    # Origin of the event: a change over the API, the lifecycle of a job, or a test
    source: EventSource
    # The event's number
    sequence: int
    # Number of the attempt, from 1
    attempt: int
    # `pending`: not attempted yet; `retrying`: failed, and will be retried; `skipped`: not sent
    status: DeliveryStatus
    # HTTP status of the receiver's response; null if there was none
    http_status: int | None
    # Why the attempt failed; null if it did not
    error: Literal[
        "timeout",
        "dns_error",
        "tls_error",
        "connection_refused",
        "connection_reset",
        "blocked_address",
        "http_error",
    ] | None
    # Duration in milliseconds; null until it has ended
    duration_ms: int | None
    # Host of the destination, redacted
    destination_host: str
    # The same for all attempts of one delivery
    delivery_key: str
    # Why it is sent: for the event, again, as a test, or as a push notification of A2A
    trigger: Literal["automatic", "redelivery", "test", "push"]
    # For a push notification of A2A: the job whose state it reports; null: the delivery goes to the
    # organization's destination
    pushed_job_id: str | None
    # ISO 8601 UTC with milliseconds
    next_attempt_at: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class DeliveryAccepted(TypedDict):
    """The delivery that will be attempted"""

    delivery: Delivery


class DeliveryList(TypedDict):
    """A page of deliveries, newest first"""

    # The deliveries of this page
    deliveries: list[Delivery]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


# Status of an attempt to deliver an event
DeliveryStatus: TypeAlias = Union[
    "Literal['pending', 'success', 'failed', 'retrying', 'skipped']",
]


class Deprecation(TypedDict):
    """A deprecated operation"""

    # The operation's id
    operation: str
    # HTTP method of the operation
    method: str
    # Path of the operation
    path: str
    # When it was announced
    announced_at: str
    # When it becomes deprecated
    deprecated_at: str
    # When it will be removed; null if not decided yet
    sunset_at: str | None
    # Path of its replacement
    successor: str | None
    # The migration guide
    guide: str | None


class DeprecationPolicyVersioning(TypedDict):
    # Always "date"
    scheme: Literal["date"]
    # Always "Api-Version"
    header: Literal["Api-Version"]
    # A version of the contract, by date
    current: str
    # Versions that are supported
    supported: list[str]
    # What counts as a breaking change
    breaking_changes: str
    # What applies to v1
    v1: str


class DeprecationPolicy(TypedDict):
    """Versioning policy, and the deprecated operations"""

    # How the contract is versioned
    versioning: DeprecationPolicyVersioning
    # Months that an operation stays after its replacement is published
    compatibility_months: int
    # Days between the announcement and the deprecation
    deprecation_notice_days: int
    # Days between the announcement and the removal
    sunset_notice_days: int
    # Headers of the responses of a deprecated operation
    headers: list[DocumentedHeader]
    # Operations that will be removed
    deprecations: list[Deprecation]


class DocumentedHeader(TypedDict):
    """A header and its meaning"""

    # Name
    name: str
    # What it means
    meaning: str


# Code of an error
ErrorCode: TypeAlias = Union[
    "Literal['invalid_json', 'invalid_request', 'invalid_schedule', 'invalid_cursor', 'unsupported_api_version', 'invalid_idempotency_key', 'invalid_event_type', 'invalid_path', 'invalid_url', 'unauthenticated', 'token_expired', 'insufficient_scope', 'owner_required', 'organization_suspended', 'forbidden', 'invalid_signature', 'not_found', 'method_not_allowed', 'request_timeout', 'invalid_state', 'chat_busy', 'approval_pending', 'version_conflict', 'secret_in_use', 'not_a_library_agent', 'read_only_violation', 'path_exists', 'idempotency_conflict', 'idempotency_in_progress', 'event_not_retained', 'share_expired', 'upload_offset_mismatch', 'payload_too_large', 'range_not_satisfiable', 'unsupported_media_type', 'rate_limited', 'budget_exceeded', 'quota_exceeded', 'internal_error', 'provider_error', 'overloaded', 'storage_full', 'unavailable', 'outcome_unknown', 'shutting_down', 'timeout']",
]


class ErrorDetails(TypedDict):
    """Details to act on; which fields are present depends on the code"""

    # All errors of the input
    errors: NotRequired[list[InputError]]
    # Scopes that the token lacks
    required_scopes: NotRequired[list[str]]
    # Supported API versions
    supported: NotRequired[list[str]]
    # Unknown event types
    unknown: NotRequired[list[str]]
    # The oldest event that is kept
    oldest_sequence: NotRequired[int]
    # Quota that was reached
    quota: NotRequired[str]
    # What the quota allows
    limit: NotRequired[int]
    # Current usage
    used: NotRequired[int]
    # Limit that was exceeded, in bytes
    limit_bytes: NotRequired[int]
    # The size of the file
    bytes: NotRequired[int]
    # The first byte of the next part of the upload
    offset: NotRequired[int]
    # The current status of the record
    status: NotRequired[str]
    # The actions that are allowed now
    allowed_actions: NotRequired[list[str]]
    # The job that blocks the request
    job_id: NotRequired[str]
    # The current version of the record
    version: NotRequired[int]
    # The existing file or directory
    path: NotRequired[str]
    # Agents that use the secret and that you may see
    agents: NotRequired[list[NamedRecord]]
    # Workspaces with repositories that use the secret
    workspaces: NotRequired[list[NamedRecord]]
    # Providers of models that are called with the secret
    providers: NotRequired[list[str]]
    # Number of agents that use the secret and that you may not see
    others: NotRequired[int]


class Event(TypedDict):
    """An event of the organization"""

    # Id of the event, the same in retries and redeliveries
    id: str
    # Type of the event
    type: EventType
    # Version of the contract that the event's data follows
    api_version: str
    # ISO 8601 UTC with milliseconds
    created_at: str
    # `created_at` in seconds
    timestamp: int
    # The organization
    organization_id: str
    # Number of the event in the organization, without gaps
    sequence: int
    # Origin of the event: a change over the API, the lifecycle of a job, or a test
    source: EventSource
    actor: EventActor
    # Request that caused the event
    request_id: str | None
    resource: EventResource
    # Data of the event
    data: dict[str, Any]
    # Fields that the change has set
    changes: list[str]
    # `data` was longer than 20 KiB, and has only ids and the status
    truncated: NotRequired[Literal[True]]


class EventActor(TypedDict):
    """Who caused the event; `system` is the service itself"""

    # Kind of actor
    type: Literal["user", "service_token", "agent", "system"]
    # Id of the actor
    id: str


class EventFeed(TypedDict):
    """A page of events, oldest first"""

    # The events of this page
    events: list[Event]
    # Number of the last event on this page, or `after` if the page is empty
    last_sequence: int
    # Whether there is a `next_cursor`
    has_more: bool
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class EventLoopUse(TypedDict):
    """The time of the event loop, which all organizations share"""

    # Time within the last second, in ms
    recent_ms: float
    # Whether the organization waits now, because it uses most of the event loop while others are active
    throttled: bool
    # How long each kind of work has used it
    work: list[EventLoopWork]


class EventLoopWork(TypedDict):
    """Time of one kind of work since the start of the process"""

    # The kind of work
    kind: Literal["requests", "uploads", "pages", "turns", "commits", "runs", "streams"]
    # Time since the start of the process, in ms
    total_ms: float


class EventPage(TypedDict):
    """Durable events, oldest first"""

    # The events of this page
    events: list[RecordedEvent]
    # Value of `after` for the next page; absent on the last page
    next_cursor: NotRequired[str]


class EventResource(TypedDict):
    """The record that the event is about"""

    # Kind of record
    type: str
    # Id of the record; null if it has none
    id: str | None
    # URL of the record
    url: str | None
    # Version of the record that the event is about; null if it has none
    version: int | None


# Origin of an event
EventSource: TypeAlias = Union[
    "Literal['job_lifecycle', 'api_mutation', 'test']",
]


# Type of an event
EventType: TypeAlias = Union[
    "Literal['agent.created', 'agent.updated', 'agent.deleted', 'agent.install_state_changed', 'chat.created', 'chat.updated', 'chat.deleted', 'chat.message_sent', 'job.created', 'job.started', 'job.blocked', 'job.resumed', 'job.review_requested', 'job.approved', 'job.denied', 'job.tool_results', 'job.iteration_requested', 'job.cancelled', 'job.completed', 'job.failed', 'job.restarted', 'mission.created', 'mission.updated', 'mission.started', 'mission.completed', 'mission.failed', 'mission.paused', 'mission.resumed', 'mission.run_skipped', 'mission_task.created', 'mission_task.updated', 'mission_task.started', 'mission_task.completed', 'workspace.created', 'workspace.selected', 'workspace.app_created', 'workspace_repository.added', 'workspace_repository.cloned', 'workspace_file.changed', 'resource.created', 'resource.updated', 'resource.deleted', 'connection.ended', 'service_token.created', 'service_token.revoked', 'webhook.configured', 'webhook.secret_rotated', 'webhook.test', 'webhook.disabled', 'webhook.redelivery_requested']",
]


class FileAuthor(TypedDict):
    """Who made the last change: a user, an agent, or a commit of a repository"""

    # Kind of author
    type: Literal["user", "agent", "repository"]
    # Id of the user, agent or repository
    id: str


class FileList(TypedDict):
    """Files and directories, sorted by path"""

    # The files of this page
    files: list[WorkspaceFile]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class FilePreview(TypedDict):
    """Preview of a file"""

    # The path, relative to the workspace
    path: str
    # How the file can be shown
    kind: Literal["text", "markdown", "image", "pdf", "table", "binary", "too_large"]
    # Media type of the content
    mime: str
    # Bytes of the file
    size: int
    # Entity tag of the content, for `If-Match` and `If-None-Match`
    etag: str
    # Beginning of the text, not sanitized; for a PDF, its text
    content: NotRequired[str]
    # `content` as HTML that is safe to show: Markdown, or highlighted code (`hljs-…`)
    html: NotRequired[str]
    image: NotRequired[PreviewImage]
    # Pages of a PDF
    pages: NotRequired[int]
    table: NotRequired[PreviewTable]
    # Where the content is
    url: NotRequired[str]
    # Whether `content` was cut
    truncated: bool


class FileUpload(TypedDict):
    """Progress of an upload in parts"""

    # The workspace's id
    workspace_id: str
    # The path, relative to the workspace
    path: str
    # Bytes received so far, and so the offset of the next part
    offset: int
    # Bytes of the whole content
    size: int
    # SHA-256 of the whole content, in hex
    sha256: str
    # ISO 8601 UTC with milliseconds
    expires_at: str | None


class FileVersion(TypedDict):
    """A stored version of a file"""

    # Version number; send it as `?number=` to read the content
    number: int
    # Size in bytes
    size: int
    # Media type of the content
    mime: str
    # Entity tag of the content, for `If-Match` and `If-None-Match`
    etag: str
    # ISO 8601 UTC with milliseconds
    modified_at: str
    modified_by: FileAuthor
    # ISO 8601 UTC with milliseconds
    kept_until: str | None


class FileVersions(TypedDict):
    """Versions of a file, newest first"""

    # The path, relative to the workspace
    path: str
    # The versions, newest first
    versions: list[FileVersion]


class ForecastScheduleRequest(TypedDict):
    schedule: MissionScheduleInput
    # Number of times to return
    count: NotRequired[int]


class ForkChatRequest(TypedDict):
    # The conversation is copied up to and including this message
    from_message_id: str
    # Replaces the message, which must be a user's, and is answered: text, or blocks; a source is {kind:
    # upload, file_id}, {kind: workspace, workspace_id, path} or {kind: url, url}
    content: NotRequired[str | list[ContentBlockInput]]
    # Title
    title: NotRequired[str]


class ForkOrigin(TypedDict):
    """Where a chat was forked from"""

    # The chat
    chat_id: str
    # Last message that was copied
    message_id: str


class ForkedChat(TypedDict):
    """A chat that was forked from another one"""

    chat: Chat
    # The message that was sent in the new chat; null without `content`
    message: Message | None
    # The job; null if none was started
    job: Job | None


class FoundFile(TypedDict):
    """A file that a search has found"""

    # The path, relative to the workspace
    path: str
    # Last part of the path
    name: str
    # Kind of the entry
    kind: Literal["file", "directory"]
    # Size in bytes; for a directory, of all files below it
    size: int
    # The media type of a file
    mime: str | None
    # Entity tag of the content, for `If-Match` and `If-None-Match`
    etag: str | None
    # Version of the file's content; rises by one with each change
    number: int | None
    # ISO 8601 UTC with milliseconds
    modified_at: str
    # User or agent of the last change; null if unknown
    modified_by: FileAuthor | None
    # Text around the match; null if only the name matches
    excerpt: str | None


class FoundFiles(TypedDict):
    """Matches in names first, then in contents"""

    # The matching files
    files: list[FoundFile]


class Group(TypedDict):
    """Members who may decide about the tool calls for which a rule names the group"""

    # The name of the group: 1 to 64 lower-case letters, digits, `_` and `-`
    name: str
    # Rises by one with each change. Send it in `If-Match`
    version: int
    # Its members, by their user ids
    members: list[str]
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str


class GroupList(TypedDict):
    """All groups, by name"""

    # All groups, by name
    groups: list[Group]


# Method of the request of a tool
HttpMethod: TypeAlias = Union[
    "Literal['GET', 'POST', 'PUT', 'PATCH', 'DELETE']",
]


class IdentityKey(TypedDict):
    """A public key that verifies who acts, as a JSON Web Key"""

    # Kind of the key
    kty: Literal["EC"]
    # Its curve
    crv: Literal["P-256"]
    # The x coordinate of its point
    x: str
    # The y coordinate of its point
    y: str
    # Id of the key, which tokens name: its thumbprint (RFC 7638)
    kid: str
    # Algorithm of the signatures
    alg: Literal["ES256"]
    # What it is for
    use: Literal["sig"]


class IdentityKeySet(TypedDict):
    """The keys that verify who acts (RFC 7517)"""

    # The keys of the former, the present and the next period
    keys: list[IdentityKey]


class ImportAgentToolsRequest(TypedDict):
    # OpenAPI document, version 3.0 or 3.1; alternatively, send `text` or `url`
    document: NotRequired[dict[str, Any]]
    # The document as JSON or YAML
    text: NotRequired[str]
    # URL to fetch the document from
    url: NotRequired[str]
    # Operations that become tools, by `operationId` or as `GET /path`; they may be omitted only with
    # `dry_run`
    operations: NotRequired[list[str]]
    # Prefix of the names of the tools, which are otherwise those of the operations
    prefix: NotRequired[str]
    # Base URL of the operations; by default the first server of the document
    server_url: NotRequired[str]
    # Headers of each request
    headers: NotRequired[list[ToolHeaderInput]]
    # Timeout of one request in milliseconds; 30,000 by default
    timeout_ms: NotRequired[int]
    retry: NotRequired[ToolRetryInput]
    # Name of a secret (`whsec_…`) that signs each request like a webhook
    signing_secret: NotRequired[str]
    # Whether to store nothing and only return the result
    dry_run: NotRequired[bool]


class ImportableOperation(TypedDict):
    """An operation of an OpenAPI document"""

    # Id to choose the operation by
    operation_id: str
    # Its method
    method: str
    # Its path
    path: str
    # Summary from the document
    summary: str


# A piece of a user's message
InputBlock: TypeAlias = Union[
    "PlainTextBlock",
    "Attachment",
]


class InputError(TypedDict):
    """One error of the input"""

    # JSON pointer to the field
    path: str
    # In words
    message: str


class InvariantCheck(TypedDict):
    """One invariant, and how often it is violated"""

    # What is counted
    name: str
    # How many violations there are
    count: int


class InvariantReport(TypedDict):
    """Invariant violations, counted"""

    # Whether every count is 0
    ok: bool
    # The invariants that were checked
    checks: list[InvariantCheck]


class Invitation(TypedDict):
    """A one-time link that makes a person a member"""

    # The invitation's id
    id: str
    # The invited address; anybody with the link can accept it
    email: str
    # `owner` administers the organization, `member` works in it
    role: Role
    # Current status
    status: InvitationStatus
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class InvitationList(TypedDict):
    """A page of invitations, newest first"""

    # The invitations of this page
    invitations: list[Invitation]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


# Status of an invitation
InvitationStatus: TypeAlias = Union[
    "Literal['pending', 'accepted', 'revoked', 'expired']",
]


class IterateJobRequest(TypedDict):
    # Requested changes: text, or blocks; a source is {kind: upload, file_id}, {kind: workspace, workspace_id,
    # path} or {kind: url, url}
    feedback: str | list[ContentBlockInput]
    # Metadata of the new job; by default that of the previous job
    metadata: NotRequired[dict[str, Any]]


class Job(TypedDict):
    """A long-running work record: one chat turn of an agent"""

    # A job's id
    id: str
    # The title
    title: str
    # Current status; `GET /api/state-machines` has the transitions
    status: JobStatus
    # What a blocked job waits for; null for other jobs
    blocked_reason: BlockedReason | None
    # The agent that does the work
    agent_id: str
    # The chat that it answers in
    chat_id: str
    # The workspace of the job
    workspace_id: str | None
    # The mission that the job belongs to
    mission_id: str | None
    # The mission task that the job works on
    mission_task_id: str | None
    # Parent of the job
    parent_job_id: str | None
    # A job's id
    root_job_id: str
    # How the job derives from its parent
    relation: JobRelation
    # Number of feedback rounds before this job
    iteration: int
    # Number of the current attempt, from 1
    attempt: int
    # Priority of the job while job slots are scarce
    priority: Priority
    # The message that the job answers
    input: str
    # The result, as text; null until there is one
    result: str | None
    # Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token
    # limit (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or
    # `other`
    stop_reason: StopReason | None
    # JSON Schema that the answer must match, from the message or the agent; null for none
    output_schema: dict[str, Any] | None
    # Settings of its model calls: the message's, else the agent's; null for none
    model_settings: ModelSettings | None
    # The answer as a value that matches `output_schema`, once the job is completed; null for none
    output: dict[str, Any] | None
    # Citations in `result`
    citations: list[Citation]
    # Why it failed; null if it did not
    error: RunError | None
    progress: JobProgress
    # What the running job waits for; null if it does not wait
    waiting: JobWaiting | None
    # What the job had to leave out or do differently
    warnings: list[JobWarning]
    review: Review
    # Tool calls that wait for approval, or have waited
    approvals: list[Approval]
    # Connections for which the job waits, or has waited
    authorizations: list[Authorization]
    # Calls that wait for a result from the client; see `POST /api/jobs/{id}/tool-results`
    requested_tool_calls: list[RequestedToolCall]
    # Artifacts of the job
    artifacts: list[Artifact]
    metrics: JobMetrics
    budget: JobBudget
    # What runs the job; null before it has started
    runner: JobRunner | None
    # Any JSON object, as the creator gave it
    metadata: dict[str, Any]
    # Number of the newest event
    last_seq: int
    # The user that it acts for
    created_by: str
    # ISO 8601 UTC with milliseconds
    started_at: str | None
    # ISO 8601 UTC with milliseconds
    completed_at: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class JobApprovalRequestedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "approval.requested"
    type: Literal["approval.requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the approval
    approval_id: str
    # Name of the tool
    tool_name: str
    # Id of the tool call, as the model gave it
    tool_call_id: str
    # Arguments of the call
    arguments: dict[str, Any]
    # Human-readable message
    message: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels
    # the job, `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
    on_expiry: ApprovalExpiryAction
    asked_by: NotRequired[CallDecision]
    policy: NotRequired[CallDeciders]


class JobApprovalRequestedEvent(TypedDict):
    """A tool call waits for a person's approval"""

    # Always "approval.requested"
    event: Literal["approval.requested"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobApprovalRequestedEventData


class JobApprovalResolvedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "approval.resolved"
    type: Literal["approval.resolved"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the approval
    approval_id: str
    # Id of the tool call, as the model gave it
    tool_call_id: str
    # The decision; `expired` if nobody decided in time
    decision: ApprovalDecision
    # User who did it; null if the service did
    by: str | None
    # Arguments of the call
    arguments: NotRequired[dict[str, Any]]


class JobApprovalResolvedEvent(TypedDict):
    """An approval was decided, or has expired"""

    # Always "approval.resolved"
    event: Literal["approval.resolved"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobApprovalResolvedEventData


class JobApprovalUpdatedEventDataVotesItem(TypedDict):
    # User who did it; null if the service did
    by: str
    # ISO 8601 UTC with milliseconds
    at: str
    # Comment on the decision
    comment: str | None


class JobApprovalUpdatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "approval.updated"
    type: Literal["approval.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the approval
    approval_id: str
    # Id of the tool call, as the model gave it
    tool_call_id: str
    policy: CallDeciders
    # Who has approved so far
    votes: list[JobApprovalUpdatedEventDataVotesItem]
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels
    # the job, `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
    on_expiry: ApprovalExpiryAction


class JobApprovalUpdatedEvent(TypedDict):
    """One of several people has approved a call that waits, or others decide about it from now on"""

    # Always "approval.updated"
    event: Literal["approval.updated"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobApprovalUpdatedEventData


class JobApprovedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.approved"
    type: Literal["job.approved"]
    # ISO 8601 UTC with milliseconds
    at: str
    # User who decided; null if the time ran out
    decided_by: str | None


class JobApprovedEvent(TypedDict):
    """The review has approved the result"""

    # Always "job.approved"
    event: Literal["job.approved"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobApprovedEventData


class JobArtifactCreatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "artifact.created"
    type: Literal["artifact.created"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the artifact: the same for all changes of one file by one job
    id: str
    # Always "file"
    kind: Literal["file"]
    # Name
    name: str
    # Path in the workspace, such as `reports/2026.md`
    path: str
    # Media type of the content
    mime: str
    # Size in bytes
    size: int


class JobArtifactCreatedEvent(TypedDict):
    """A tool has written a file for the first time"""

    # Always "artifact.created"
    event: Literal["artifact.created"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobArtifactCreatedEventData


class JobBlockedEventDataAuthorizationsItem(TypedDict):
    # Id of the connection
    id: str
    # The MCP server or the tool that needs it
    name: str
    # The address of the tool server
    resource: str
    # Who can grant the connection: the person for whom the job acts, or an owner
    owner: Literal["person", "organization"]
    # Scopes that are asked for; empty: those that the server names
    scopes: list[str]
    # The page where the person grants or denies the connection
    link: str


class JobBlockedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.blocked"
    type: Literal["job.blocked"]
    # ISO 8601 UTC with milliseconds
    at: str
    # What the job waits for
    reason: BlockedReason
    # For `tool_result_required`: the calls that wait for a result from the client
    tool_calls: NotRequired[list[ClientToolCall]]
    # For `auth_required`: the connections that the job waits for
    authorizations: NotRequired[list[JobBlockedEventDataAuthorizationsItem]]


class JobBlockedEvent(TypedDict):
    """The job is blocked; `reason` says what it waits for"""

    # Always "job.blocked"
    event: Literal["job.blocked"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobBlockedEventData


class JobBudget(TypedDict):
    """What a job may use; null is the service's own limit"""

    # Maximum number of tokens, sent and received, of one job; null is no limit of its own
    max_tokens: int | None
    # Maximum cost, in the `currency` of `GET /api/usage`; null for no limit
    max_cost: str | None
    # Maximum number of model calls per job; null is the service's limit
    max_steps: int | None
    # ISO 8601 UTC with milliseconds
    deadline_at: str | None


class JobBudgetInput(TypedDict):
    """What a job may use; null is no limit of its own"""

    # Maximum number of tokens, sent and received, of one job; null is no limit of its own
    max_tokens: NotRequired[int | None]
    # Maximum cost as decimal text, in the `currency` of `GET /api/usage`; the model must have a price
    max_cost: NotRequired[str | None]
    # Maximum number of model calls per job; null is the service's limit
    max_steps: NotRequired[int | None]
    # Deadline of the run in ISO 8601, at most 24 hours after its start
    deadline_at: NotRequired[str | None]


class JobCancelledEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.cancelled"
    type: Literal["job.cancelled"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Tool calls that were stopped before they had a result
    tool_calls_aborted: int
    usage: TokenCounts


class JobCancelledEvent(TypedDict):
    """The job was cancelled"""

    # Always "job.cancelled"
    event: Literal["job.cancelled"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobCancelledEventData


class JobCancellingEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.cancelling"
    type: Literal["job.cancelling"]
    # ISO 8601 UTC with milliseconds
    at: str


class JobCancellingEvent(TypedDict):
    """The job is being cancelled"""

    # Always "job.cancelling"
    event: Literal["job.cancelling"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobCancellingEventData


class JobCompletedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.completed"
    type: Literal["job.completed"]
    # ISO 8601 UTC with milliseconds
    at: str
    usage: TokenCounts
    # Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token
    # limit (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or
    # `other`
    stop_reason: NotRequired[StopReason | None]


class JobCompletedEvent(TypedDict):
    """The job is completed"""

    # Always "job.completed"
    event: Literal["job.completed"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobCompletedEventData


class JobCreatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.created"
    type: Literal["job.created"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Id of the chat
    chat_id: str
    # Id of the agent
    agent_id: str
    # Title
    title: str


class JobCreatedEvent(TypedDict):
    """The job exists, and waits for a runner"""

    # Always "job.created"
    event: Literal["job.created"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobCreatedEventData


class JobDeniedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.denied"
    type: Literal["job.denied"]
    # ISO 8601 UTC with milliseconds
    at: str
    # User who decided; null if the time ran out
    decided_by: str
    # Ids of the tool calls, as the model gave them
    tool_call_ids: list[str]
    # Comment on the decision
    comment: str | None


class JobDeniedEvent(TypedDict):
    """A person has denied tool calls; the job continues without them"""

    # Always "job.denied"
    event: Literal["job.denied"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobDeniedEventData


class JobErrorEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "error"
    type: Literal["error"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Code of the error
    code: RunErrorCode
    # Human-readable message
    message: str


class JobErrorEvent(TypedDict):
    """The job has failed"""

    # Always "error"
    event: Literal["error"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobErrorEventData


class JobFailedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.failed"
    type: Literal["job.failed"]
    # ISO 8601 UTC with milliseconds
    at: str
    error: JobFailure
    usage: TokenCounts
    # Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token
    # limit (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or
    # `other`
    stop_reason: NotRequired[StopReason | None]


class JobFailedEvent(TypedDict):
    """The job has failed"""

    # Always "job.failed"
    event: Literal["job.failed"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobFailedEventData


class JobFailure(TypedDict):
    """Why the job has failed"""

    # Code of the error
    code: RunErrorCode
    # Human-readable message
    message: str


class JobFilterInput(TypedDict):
    """Conditions on jobs, combined with AND; at least one"""

    # Jobs with one of these statuses
    status: NotRequired[list[JobStatus]]
    # Jobs of this agent
    agent_id: NotRequired[str]
    # Jobs of this chat
    chat_id: NotRequired[str]
    # Jobs in this workspace
    workspace_id: NotRequired[str]
    # Jobs of this mission
    mission_id: NotRequired[str]
    # Jobs that were created from this one
    parent_job_id: NotRequired[str]
    # Jobs created after this time, in ISO 8601
    created_after: NotRequired[str]
    # Jobs whose metadata contains these fields; an empty object is no condition
    metadata: NotRequired[dict[str, Any]]


class JobIterationRequestedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.iteration_requested"
    type: Literal["job.iteration_requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    # User who did it; null if the service did
    by: str
    # What the next round should do differently
    feedback: str
    # Content as blocks, in their order: text, files, tool calls and their results
    blocks: NotRequired[list[InputBlock]]


class JobIterationRequestedEvent(TypedDict):
    """The review wants changes; another job makes them"""

    # Always "job.iteration_requested"
    event: Literal["job.iteration_requested"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobIterationRequestedEventData


class JobLineage(TypedDict):
    """All jobs that derive from one root, oldest first"""

    # A job's id
    root_id: str
    # The jobs
    nodes: list[JobNode]


class JobList(TypedDict):
    """A page of jobs, newest first"""

    # The jobs of this page
    jobs: list[Job]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class JobLogEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "log"
    type: Literal["log"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Severity of the line
    level: Literal["info", "warn"]
    # Human-readable message
    message: str


class JobLogEvent(TypedDict):
    """A line that a tool or the runner has logged about its work"""

    # Always "log"
    event: Literal["log"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobLogEventData


class JobMetrics(TypedDict):
    """What a job has used"""

    # Tokens sent to models
    input_tokens: int
    # Tokens received from models
    output_tokens: int
    # Input tokens that the provider read from its cache; part of `input_tokens`
    cached_input_tokens: int
    # Input tokens that the provider wrote to its cache; part of `input_tokens`
    cache_write_tokens: int
    # Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a
    # price
    cost: str | None
    # Tokens of models without a price; they are not in `cost`
    unpriced_tokens: int
    # Tokens of calls with the organization's own key
    own_key_tokens: int
    # Tokens that are estimated because the provider did not report them; the other counts include them
    estimated_tokens: int
    # Number of tool calls
    tool_calls: int
    # Number of retried model calls
    model_retries: int
    # Duration in milliseconds; null until it has ended
    duration_ms: int | None
    # Milliseconds from the first model call to its first text; null if there was none
    time_to_first_token_ms: float | None


class JobNode(TypedDict):
    """A job in a lineage"""

    # A job's id
    id: str
    # Parent of the job
    parent_job_id: str | None
    # How the job derives from its parent
    relation: JobRelation
    # Current status
    status: JobStatus
    # The title
    title: str
    # ISO 8601 UTC with milliseconds
    created_at: str


# How work began
JobOrigin: TypeAlias = Union[
    "Literal['api', 'v1', 'mcp', 'a2a', 'acp', 'ag-ui', 'ai-sdk', 'openai', 'mission', 'delegation']",
]


class JobProgress(TypedDict):
    """The progress of a job, as its tools report it"""

    # Percentage done, from 0 to 100; null if unknown
    percent: float | None
    # Current activity; null if unknown
    label: str | None


# How a job derives from its parent
JobRelation: TypeAlias = Union[
    "Literal['root', 'iteration', 'resume', 'delegation']",
]


class JobRestartedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.restarted"
    type: Literal["job.restarted"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Number of the attempt, from 1
    attempt: int


class JobRestartedEvent(TypedDict):
    """The job was resumed after a crash"""

    # Always "job.restarted"
    event: Literal["job.restarted"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobRestartedEventData


class JobResumedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.resumed"
    type: Literal["job.resumed"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Number of the attempt, from 1
    attempt: int


class JobResumedEvent(TypedDict):
    """The blocked job runs again"""

    # Always "job.resumed"
    event: Literal["job.resumed"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobResumedEventData


class JobReviewRequestedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.review_requested"
    type: Literal["job.review_requested"]
    # ISO 8601 UTC with milliseconds
    at: str
    # ISO 8601 UTC with milliseconds
    expires_at: str


class JobReviewRequestedEvent(TypedDict):
    """The result of the job waits for a person's review"""

    # Always "job.review_requested"
    event: Literal["job.review_requested"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobReviewRequestedEventData


class JobReviewUpdatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "review.updated"
    type: Literal["review.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    # New state
    state: ReviewState
    # User who decided; null if the time ran out
    decided_by: str | None
    # Comment on the decision
    comment: str | None


class JobReviewUpdatedEvent(TypedDict):
    """The review has a new state"""

    # Always "review.updated"
    event: Literal["review.updated"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobReviewUpdatedEventData


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


class JobRunnerStatusEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "runner.status"
    type: Literal["runner.status"]
    # ISO 8601 UTC with milliseconds
    at: str
    # New state
    state: Literal["queued", "starting", "running", "waiting", "stopped"]
    # Number of the attempt, from 1
    attempt: int
    # ISO 8601 UTC with milliseconds
    heartbeat_at: str | None
    progress: JobProgress
    # Why the runner waits; absent if it does not
    reason: NotRequired[JobWaitReason]
    # ISO 8601 UTC with milliseconds
    retry_at: NotRequired[str | None]


class JobRunnerStatusEvent(TypedDict):
    """The state of the job's runner: on every change, and as a heartbeat while nothing else happens"""

    # Always "runner.status"
    event: Literal["runner.status"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobRunnerStatusEventData


class JobSnapshotEvent(TypedDict):
    """The job as it is when the stream begins"""

    # Always "snapshot"
    event: Literal["snapshot"]
    data: Job
    # Absent: this event does not move the cursor
    id: NotRequired[None]


class JobStartedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "job.started"
    type: Literal["job.started"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Number of the attempt, from 1
    attempt: int
    # Model of this run, as `provider:name`
    model: str


class JobStartedEvent(TypedDict):
    """The job has begun to run"""

    # Always "job.started"
    event: Literal["job.started"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobStartedEventData


# Status of a job
JobStatus: TypeAlias = Union[
    "Literal['queued', 'running', 'blocked', 'needs_review', 'cancelling', 'completed', 'failed', 'cancelled']",
]


# An event of a job's stream
JobStreamEvent: TypeAlias = Union[
    "JobSnapshotEvent",
    "JobCreatedEvent",
    "JobStartedEvent",
    "JobRestartedEvent",
    "JobBlockedEvent",
    "JobResumedEvent",
    "JobReviewRequestedEvent",
    "JobApprovedEvent",
    "JobDeniedEvent",
    "JobIterationRequestedEvent",
    "JobCancellingEvent",
    "JobCompletedEvent",
    "JobFailedEvent",
    "JobCancelledEvent",
    "JobRunnerStatusEvent",
    "JobTranscriptEvent",
    "JobLogEvent",
    "JobUsageUpdatedEvent",
    "JobArtifactCreatedEvent",
    "JobApprovalRequestedEvent",
    "JobApprovalUpdatedEvent",
    "JobApprovalResolvedEvent",
    "JobReviewUpdatedEvent",
    "JobErrorEvent",
    "JobTranscriptDeltaEvent",
    "StreamResetEvent",
    "StreamClosingEvent",
    "StreamEndEvent",
]


class JobTranscriptDeltaEvent(TypedDict):
    """Live text; it is not stored"""

    # Always "transcript.delta"
    event: Literal["transcript.delta"]
    # Cursor of this event
    id: str
    data: TextDelta


class JobTranscriptEvent(TypedDict):
    """A piece of the transcript"""

    # Always "transcript.event"
    event: Literal["transcript.event"]
    # Cursor of this event
    id: str
    # Data of the event
    data: TranscriptAssistantText | TranscriptReasoning | TranscriptUserText | TranscriptToolUse | TranscriptRepair | TranscriptSummary | TranscriptSystem | TranscriptError | TranscriptToolResult


class JobUsageUpdatedEventData(TypedDict):
    # Number in the stream, from 1, without gaps
    seq: int
    # Always "usage.updated"
    type: Literal["usage.updated"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Tokens sent to models
    input_tokens: int
    # Tokens received from models
    output_tokens: int
    # Input tokens that the provider read from its cache; part of `input_tokens`
    cached_input_tokens: NotRequired[int]
    # Input tokens that the provider wrote to its cache; part of `input_tokens`
    cache_write_tokens: NotRequired[int]
    # Exact cost of those that have a price, in the `currency` of `GET /api/models`
    cost: NotRequired[str]


class JobUsageUpdatedEvent(TypedDict):
    """Tokens that the job has used so far"""

    # Always "usage.updated"
    event: Literal["usage.updated"]
    # Cursor of this event
    id: str
    # Data of the event
    data: JobUsageUpdatedEventData


# Why a running job waits
JobWaitReason: TypeAlias = Union[
    "Literal['provider_rate_limited', 'provider_unavailable', 'tools_unavailable', 'memory_limit']",
]


class JobWaiting(TypedDict):
    """What a running job waits for before it continues on its own"""

    # What the job waits for
    reason: JobWaitReason
    # ISO 8601 UTC with milliseconds
    retry_at: str | None
    # Retries of this call, including the next one
    retries: int


class JobWarning(TypedDict):
    """Something that a job had to leave out or do differently"""

    # Code of the warning
    code: Literal[
        "tools_unavailable",
        "model_fallback",
        "model_without_tools",
        "answer_cut",
        "setting_ignored",
    ]
    # In words
    message: str
    # The field of the agent or the message that it is about
    field: NotRequired[str]
    # ISO 8601 UTC with milliseconds
    at: str


class Load(TypedDict):
    """What an organization uses of the process that has answered"""

    event_loop: EventLoopUse
    streams: StreamUse


class MadeDirectory(TypedDict):
    """A directory that now exists"""

    # The path, relative to the workspace
    path: str
    # Whether it was created by this request
    created: bool


class McpServer(TypedDict):
    """An MCP server whose tools an agent can use"""

    # Name of the MCP server; its tools are called `<name>__<tool>`
    name: str
    # Address of the MCP server
    url: str
    # HTTP headers for the MCP server
    headers: NotRequired[list[McpServerHeader]]
    auth: NotRequired[ToolServerAuth]
    # Whether runs continue without the server's tools while it is unavailable; `false` by default
    optional: NotRequired[bool]


class McpServerHeader(TypedDict):
    """A header for the MCP server: a prefix and a secret"""

    # Name of the header
    name: str
    # Name of the organization's secret that is the header's value
    secret: str
    # Text before the secret in the header's value, such as `Bearer `
    prefix: NotRequired[str]


class McpServerHeaderInput(TypedDict):
    """A header for the MCP server: a prefix and a secret"""

    # Name of the header
    name: str
    # Name of the organization's secret that is the header's value
    secret: str
    # Text before the secret in the header's value, such as `Bearer `
    prefix: NotRequired[str]


class McpServerInput(TypedDict):
    """An MCP server whose tools an agent can use"""

    # Name of the MCP server; its tools are called `<name>__<tool>`
    name: str
    # Address of the MCP server
    url: str
    # HTTP headers for the MCP server
    headers: NotRequired[list[McpServerHeaderInput]]
    auth: NotRequired[ToolServerAuthInput]
    # Whether runs continue without the server's tools while it is unavailable; `false` by default
    optional: NotRequired[bool]


class McpServerTools(TypedDict):
    """Result of listing the tools of an MCP server"""

    # The name of the server
    name: str
    # `listed`: its tools are in the list; `unavailable`: it could not be used, `message` says why
    status: Literal["listed", "unavailable"]
    # Number of its tools in the list
    tools: int
    # Number of its tools that were left out: beyond 256, or with too large a schema
    left_out: int
    # Why it cannot be used
    message: str | None
    # ISO 8601 UTC with milliseconds
    asked_at: str


# A group of MCP tools
McpToolset: TypeAlias = Union[
    "Literal['agents', 'chats', 'jobs', 'missions', 'files', 'chat']",
]


class Member(TypedDict):
    """A person in the organization"""

    # The user's id: the same in every organization
    id: str
    # The person's name
    name: str
    # The person's e-mail address
    email: str
    # `owner` administers the organization, `member` works in it
    role: Role
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class MemberList(TypedDict):
    """A page of members, newest first"""

    # The members of this page
    members: list[Member]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class Message(TypedDict):
    """A message in a chat"""

    # The message's id
    id: str
    # Chat of the message
    chat_id: str
    # The organization that owns it
    organization_id: str
    # Author of the message: a person, the agent, the system or a tool
    role: MessageRole
    # State of the message's text
    status: Literal["queued", "streaming", "completed", "cancelled", "failed"]
    # Concatenated text blocks; `position` in streams is an offset into it
    content: str
    # All blocks of the message, in order
    blocks: list[Block | Attachment]
    # A job's id
    job_id: str | None
    # Tokens of the model calls behind the message; null until it is complete
    usage: TokenUsage | None
    # Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token
    # limit (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or
    # `other`
    stop_reason: StopReason | None
    # Whether it stays in the model's context when the conversation is compacted
    pinned: bool
    # For a summary: how many messages it replaces in model calls
    summary_of: int | None
    sender: MessageSender
    # Metadata from the sender
    metadata: dict[str, Any]
    # Position in the conversation: the seq of the event that created it
    seq: int
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # ISO 8601 UTC with milliseconds
    completed_at: str | None


class MessagePage(TypedDict):
    """A page of messages in conversation order; the newest page comes first"""

    # The chat
    chat_id: str
    # The title
    title: str
    # What the chat needs: `working` has an active job, `needs_attention` waits for a person
    status: ChatStatus
    # The messages of this page
    messages: list[Message]
    work: ChatWork
    # Cursor of the next page, with older messages; absent on the last page
    next_cursor: NotRequired[str]


# Role of the author of a message
MessageRole: TypeAlias = Union[
    "Literal['user', 'assistant', 'system', 'tool']",
]


class MessageSender(TypedDict):
    """Who has sent a message"""

    # Kind of sender
    type: Literal["user", "agent"]
    # A user's or an agent's id
    id: str


class MessagingIntegration(TypedDict):
    """Destination of an organization's events"""

    # Kind of destination
    provider: Literal["webhook"]
    # Name
    name: str
    # URL of the destination; members who are not owners see only its scheme and the redacted host
    url: str
    # Whether events are delivered
    enabled: bool
    # Event types that are delivered; an empty list means all
    event_types: list[str]
    # How long a failed delivery is retried: `standard` for 7 seconds (after 1, 2 and 4 s), `durable` for
    # three more days. Choose `durable` unless the receiver must not get old events: `standard` gives up
    # before a deployment of the receiver usually ends
    retry_profile: RetryProfile
    # Whether there is a signing secret
    secret_set: bool
    # The last four characters of the signing secret
    secret_last4: str
    # ISO 8601 UTC with milliseconds
    former_secret_until: str | None
    # Why the service has disabled the destination; null if it has not
    disabled_reason: Literal["gone", "failing"] | None
    # ISO 8601 UTC with milliseconds
    last_success_at: str | None
    # ISO 8601 UTC with milliseconds
    last_failure_at: str | None
    # Deliveries that were given up and not redelivered since, with the range of event numbers to redeliver;
    # null if there are none
    undelivered: UndeliveredEvents | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class MessagingIntegrationWithSecret(TypedDict):
    """A destination and its new secret"""

    # Kind of destination
    provider: Literal["webhook"]
    # Name
    name: str
    # URL of the destination; members who are not owners see only its scheme and the redacted host
    url: str
    # Whether events are delivered
    enabled: bool
    # Event types that are delivered; an empty list means all
    event_types: list[str]
    # How long a failed delivery is retried: `standard` for 7 seconds (after 1, 2 and 4 s), `durable` for
    # three more days. Choose `durable` unless the receiver must not get old events: `standard` gives up
    # before a deployment of the receiver usually ends
    retry_profile: RetryProfile
    # Whether there is a signing secret
    secret_set: bool
    # The last four characters of the signing secret
    secret_last4: str
    # ISO 8601 UTC with milliseconds
    former_secret_until: str | None
    # Why the service has disabled the destination; null if it has not
    disabled_reason: Literal["gone", "failing"] | None
    # ISO 8601 UTC with milliseconds
    last_success_at: str | None
    # ISO 8601 UTC with milliseconds
    last_failure_at: str | None
    # Deliveries that were given up and not redelivered since, with the range of event numbers to redeliver;
    # null if there are none
    undelivered: UndeliveredEvents | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    # The signing secret, if this request has created it; never shown again
    secret: NotRequired[str]


class Messenger(TypedDict):
    """A place where approvals reach people"""

    # The messenger's id
    id: str
    # Its name
    name: str
    # The format of its messages
    format: MessengerFormat
    # The host of its address, redacted
    destination_host: str
    # Who added it
    created_by: str
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    last_success_at: str | None
    # ISO 8601 UTC with milliseconds
    last_failure_at: str | None


# The shape of the messages of a messenger
MessengerFormat: TypeAlias = Union[
    "Literal['slack', 'teams', 'ntfy']",
]


class MessengerList(TypedDict):
    """All messengers, oldest first"""

    # At most eight
    messengers: list[Messenger]


class Mission(TypedDict):
    """Recurring work for an agent, started by hand or by a schedule"""

    # The mission's id
    id: str
    # Title
    title: str
    # What each run is for
    goal: str
    # The agent that does the work
    agent_id: str
    # The workspace that it works in
    workspace_id: str
    # Who may see it. `private`: its creator; `organization`: every member
    visibility: MissionVisibility
    # Priority of its jobs while job slots are scarce
    priority: Priority
    # Current status; `GET /api/state-machines` has the transitions
    status: MissionStatus
    # Reason for the pause, as given
    paused_reason: str | None
    # Why it failed; null if it did not
    failed_reason: MissionFailedReason | None
    schedule: MissionSchedule
    # Whether a person reviews the result before the job is completed; `false` by default
    review_required: bool
    budget: MissionBudget
    # Metadata of its jobs
    metadata: dict[str, Any]
    # Model settings of its runs; null for none. Each replaces the agent's setting of that name
    model_settings: ModelSettings | None
    # Failures since the last success
    consecutive_failures: int
    # The mission's tasks, in their order
    tasks: list[MissionTask]
    # The newest run; null before the first
    last_run: MissionLastRun | None
    # The user that its runs act for
    created_by: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class MissionBudget(TypedDict):
    """What each run may use; null is the service's own limit"""

    # Maximum number of tokens, sent and received, of one job; null is no limit of its own
    max_tokens: int | None
    # Maximum cost, in the `currency` of `GET /api/usage`; null for no limit
    max_cost: str | None
    # Maximum number of model calls per job; null is the service's limit
    max_steps: int | None


class MissionBudgetInput(TypedDict):
    """What each run may use; null is no limit of its own"""

    # Maximum number of tokens, sent and received, of one job; null is no limit of its own
    max_tokens: NotRequired[int | None]
    # Maximum cost as decimal text, in the `currency` of `GET /api/usage`; the model must have a price
    max_cost: NotRequired[str | None]
    # Maximum number of model calls per job; null is the service's limit
    max_steps: NotRequired[int | None]


# Why a mission has failed
MissionFailedReason: TypeAlias = Union[
    "Literal['consecutive_failures', 'run_failed', 'agent_unavailable', 'workspace_deleted', 'creator_removed']",
]


class MissionForecast(TypedDict):
    """When a mission will run"""

    # The mission's id
    mission_id: str
    # The zone of the local times
    timezone: str
    # The times, soonest first
    times: list[MissionForecastTime]


class MissionForecastTime(TypedDict):
    """A time of a schedule"""

    # ISO 8601 UTC with milliseconds
    at: str
    # The time in the time zone of the schedule
    local_time: str
    # How a clock change shifts, skips or repeats the time; null if it does not
    note: ClockChangeNote | None


class MissionLastRun(TypedDict):
    """The newest run of a mission"""

    # The run's id
    id: str
    # Number of the run; null until its job has started
    run_number: int | None
    # What started the run
    trigger: MissionRunTrigger
    # Outcome of the run: `started` is still open, `skipped_…` and `missed` did not run
    outcome: MissionRunOutcome
    # ISO 8601 UTC with milliseconds
    scheduled_at: str | None
    # ISO 8601 UTC with milliseconds
    fired_at: str
    # ISO 8601 UTC with milliseconds
    ended_at: str | None
    # Job of the run
    job_id: str | None
    # Chat of the run
    chat_id: str | None
    # Why it failed; null if it did not
    error: MissionRunError | None


class MissionList(TypedDict):
    """A page of missions, newest first"""

    # The missions of this page
    missions: list[Mission]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


# What happens when a run is due while another one is open
MissionOverlap: TypeAlias = Union[
    "Literal['skip', 'buffer_one', 'cancel_other', 'allow_all']",
]


class MissionRun(TypedDict):
    """An entry of a mission's ledger"""

    # The entry's id
    id: str
    # The mission's id
    mission_id: str
    # Number of the run; null if nothing ran
    run_number: int | None
    # What started the run
    trigger: MissionRunTrigger
    # Outcome of the run: `started` is still open, `skipped_…` and `missed` did not run
    outcome: MissionRunOutcome
    # ISO 8601 UTC with milliseconds
    scheduled_at: str | None
    # ISO 8601 UTC with milliseconds
    fired_at: str | None
    # ISO 8601 UTC with milliseconds
    ended_at: str | None
    # Number of scheduled times that the entry covers
    count: int
    # Last scheduled time that the entry covers
    until: str | None
    # Job of the run
    job_id: str | None
    # Chat of the run
    chat_id: str | None
    # Beginning of its result
    result: str | None
    # Why it failed; null if it did not
    error: MissionRunError | None
    # ISO 8601 UTC with milliseconds
    created_at: str


class MissionRunError(TypedDict):
    """Why a run failed"""

    # What went wrong
    code: str
    # In words
    message: str


class MissionRunList(TypedDict):
    """A page of runs, newest first"""

    # Entries of the ledger, newest first
    runs: list[MissionRun]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


# Outcome of a run
MissionRunOutcome: TypeAlias = Union[
    "Literal['started', 'succeeded', 'failed', 'cancelled', 'skipped_overlap', 'skipped_paused', 'skipped_budget', 'missed']",
]


class MissionRunStarted(TypedDict):
    """A manual run"""

    mission: Mission
    # The run; null if none was started
    run: MissionRun | None
    # The job; null if none was started
    job: Job | None


# What started a run
MissionRunTrigger: TypeAlias = Union[
    "Literal['schedule', 'manual', 'catchup', 'continuous']",
]


class MissionSchedule(TypedDict):
    """When a mission runs"""

    # Kind of schedule
    type: ScheduleType
    # Cron expression, time or pause, depending on `type`
    value: str | None
    # An IANA time zone
    timezone: str
    # The schedule in words
    description: str
    # ISO 8601 UTC with milliseconds
    start_at: str | None
    # ISO 8601 UTC with milliseconds
    end_at: str | None
    # ISO 8601 UTC with milliseconds
    next_run_at: str | None
    # ISO 8601 UTC with milliseconds
    last_run_at: str | None
    # The next scheduled times, at most five
    upcoming_runs_at: list[str]
    # Number of runs so far
    run_count: int
    # Number of runs after which the mission is completed; null for no limit
    max_runs: int | None
    # What happens when a run is due while an earlier one is open
    overlap: MissionOverlap
    # How many seconds late a run may start
    catchup_window_seconds: int
    # Maximum random delay of a run, in seconds
    jitter_seconds: int


class MissionScheduleInput(TypedDict):
    """When a mission runs; by default only when it is started by hand"""

    # Kind of schedule
    type: NotRequired[ScheduleType]
    # `cron`: five fields or `@daily` and similar. `once`: a time in ISO 8601, local time of `timezone`
    # without an offset. `continuous`: the pause between runs as a duration, such as `PT5M`
    value: NotRequired[str | None]
    # An IANA time zone; `UTC` by default
    timezone: NotRequired[str]
    # A time in ISO 8601, or null
    start_at: NotRequired[str | None]
    # A time in ISO 8601, or null
    end_at: NotRequired[str | None]
    # Number of runs after which the mission is completed; null for no limit
    max_runs: NotRequired[int | None]
    # What happens when a run is due while an earlier one is open; `skip` by default
    overlap: NotRequired[MissionOverlap]
    # How many seconds late a run may start; 60 by default
    catchup_window_seconds: NotRequired[int]
    # Maximum random delay of a run, in seconds; 0 by default
    jitter_seconds: NotRequired[int]


# Status of a mission
MissionStatus: TypeAlias = Union[
    "Literal['pending', 'running', 'paused', 'completed', 'failed']",
]


class MissionTask(TypedDict):
    """A task of a mission"""

    # The task's id
    id: str
    # The mission's id
    mission_id: str
    # Title of the task
    title: str
    # What is to be done; null if not given
    description: str | None
    # Current status
    status: TaskStatus
    # How urgent it is
    priority: Priority
    # Id of an agent or a user, as it was sent
    assigned_to: str | None
    # Position in the mission's list, from 0
    position: int
    # Ids of the tasks that must be completed or cancelled first
    depends_on: list[str]
    # The newest job that works on it
    job_id: str | None
    # The user who created it
    created_by: str
    # ISO 8601 UTC with milliseconds
    completed_at: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class MissionTaskStarted(TypedDict):
    """The job that works on a task"""

    job: Job
    task: MissionTask


# Who may see a mission
MissionVisibility: TypeAlias = Union[
    "Literal['private', 'organization']",
]


class Model(TypedDict):
    """A model that the operator allows"""

    # `provider:name`, as agents and chats name it
    id: str
    # The provider
    provider: str
    # Its name there
    name: str
    # Whether it is the default model
    default: bool
    # Whether it is the built-in demo provider, which is not a language model
    demo: bool
    # Whether only organizations with a key of their own for its provider can use it
    needs_own_key: bool
    # What the model can read in messages: text, images, PDF documents (`file`). Every model reads text files
    input: list[Literal["text", "image", "file"]]
    # Whether the model has a price today; the demo costs nothing. Tokens of a model without a price are not
    # in `cost`, and the model cannot be used with a cost limit
    priced: bool
    limits: ModelLimits


# How hard a model works, from the least
ModelEffort: TypeAlias = Union[
    "Literal['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']",
]


class ModelLimits(TypedDict):
    """What one call and one job of the model may use"""

    # Context window in tokens, including the answer; longer conversations are compacted
    context_tokens: int
    # Maximum number of model calls per job, unless its budget or its agent sets a limit
    max_steps: int
    # Maximum duration of a job in seconds, unless its budget sets a deadline
    max_run_seconds: int


class ModelList(TypedDict):
    """All models that are allowed"""

    # The allowed models
    models: list[Model]
    # Currency of all costs, by ISO 4217; null if the operator has set no prices
    currency: str | None


class ModelSettings(TypedDict):
    """Settings of the model; an absent one is the provider's default"""

    # How hard the model works on an answer; each provider has some of the levels
    effort: NotRequired[ModelEffort | None]
    # Maximum number of tokens of one answer, including the model's reasoning
    max_output_tokens: NotRequired[int | None]
    # Randomness of the answer; Anthropic: at most 1
    temperature: NotRequired[float | None]
    # Share of the likeliest tokens to choose from
    top_p: NotRequired[float | None]
    # Texts that end the answer before they appear in it
    stop: NotRequired[list[str] | None]
    # The provider's name of a service tier
    service_tier: NotRequired[str | None]
    # Whether and how long the model thinks before it answers
    thinking: NotRequired[ModelThinking | None]
    # Further fields of the request to the provider, sent as given
    provider_options: NotRequired[dict[str, Any] | None]


class ModelSettingsInput(TypedDict):
    """Settings of the model; an absent one is the provider's default"""

    # How hard the model works on an answer; each provider has some of the levels
    effort: NotRequired[ModelEffort | None]
    # Maximum number of tokens of one answer, including the model's reasoning
    max_output_tokens: NotRequired[int | None]
    # Randomness of the answer; Anthropic: at most 1
    temperature: NotRequired[float | None]
    # Share of the likeliest tokens to choose from
    top_p: NotRequired[float | None]
    # Texts that end the answer before they appear in it
    stop: NotRequired[list[str] | None]
    # The provider's name of a service tier
    service_tier: NotRequired[str | None]
    # Whether and how long the model thinks before it answers
    thinking: NotRequired[ModelThinkingInput | None]
    # Further fields of the request to the provider, sent as given
    provider_options: NotRequired[dict[str, Any] | None]


class ModelThinking(TypedDict):
    """Whether and how long the model thinks before it answers"""

    # `adaptive`: the model decides; `enabled` needs a budget
    type: ModelThinkingType
    # Maximum number of tokens of thought; only with `enabled`
    budget_tokens: NotRequired[int]


class ModelThinkingInput(TypedDict):
    """Whether and how long the model thinks before it answers"""

    # Kind of the entry
    type: ModelThinkingType
    # Maximum number of tokens of thought; only with `enabled`
    budget_tokens: NotRequired[int]


# How a model thinks before it answers
ModelThinkingType: TypeAlias = Union[
    "Literal['enabled', 'adaptive', 'disabled']",
]


MoveFileRequest = TypedDict(
    "MoveFileRequest",
    {
        # Path of the file or directory
        "from": "str",
        # New path
        "to": "str",
        # Whether a file at the new path is replaced; `false` by default. Default false
        "overwrite": "NotRequired[bool]",
    },
)


class NamedRecord(TypedDict):
    """A record by its id and its name"""

    # The record's id
    id: str
    # The record's name
    name: str


class NewInvitation(TypedDict):
    """A new invitation; its link is never shown again"""

    # The invitation's id
    id: str
    # The invited address; anybody with the link can accept it
    email: str
    # `owner` administers the organization, `member` works in it
    role: Role
    # Current status
    status: InvitationStatus
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    # The link: pass it on
    url: str


class NewShare(TypedDict):
    """A new share; its URL is never shown again"""

    # The share's id
    id: str
    # The path, relative to the workspace
    path: str
    # ISO 8601 UTC with milliseconds
    expires_at: str | None
    # Maximum number of downloads; null for no limit
    max_downloads: int | None
    # Number of downloads
    downloads: int
    # Whether a download needs a password
    has_password: bool
    # The user who created it
    created_by: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    # URL of the download; no token is needed
    url: str
    # Last part of the URL
    token: str


class NewToken(TypedDict):
    """A new credential; the token itself is never shown again"""

    # The token's id
    id: str
    # For a person (`personal`) or for a program (`service`)
    kind: TokenKind
    # What the token is for
    name: str
    # Current status
    status: TokenStatus
    # What the token allows
    scopes: list[Scope]
    # Last characters of the token, to recognize it by
    last_characters: str
    # User that the token acts as
    user_id: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # ISO 8601 UTC with milliseconds
    last_used_at: str | None
    # ISO 8601 UTC with milliseconds
    revoked_at: str | None
    # Token that created this one, and whose end also ends it; null if the operator created it
    created_with: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    # The bearer token: store it
    token: str


class OAuthClientDocument(TypedDict):
    """The service as a client of other authorization servers"""

    # Address of this document, which is the client's id
    client_id: str
    # Its name for people
    client_name: str
    # Address of the service
    client_uri: str
    # Where people come back
    redirect_uris: list[str]
    # Grant types that it uses
    grant_types: list[str]
    # Response types that it uses
    response_types: list[str]
    # `none`: it proves itself by PKCE
    token_endpoint_auth_method: str


class OauthGrant(TypedDict):
    """Access that you have granted to a program"""

    # The grant's id
    id: str
    # Client id of the program, or the URL of its metadata
    client_id: str
    # Name of the program, as it registered itself
    client_name: str
    # `offered` until the program has taken its first token
    status: Literal["offered", "active", "expired", "ended"]
    # What the token allows
    scopes: list[Scope]
    # Resource that its tokens are for
    resource: str
    # The user that the program acts as
    user_id: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class OauthGrantList(TypedDict):
    """A page of oauth grants, newest first"""

    # The oauth grants of this page
    oauth_grants: list[OauthGrant]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class OutputError(TypedDict):
    """An error in an answer"""

    # Its place in the answer, as a JSON pointer
    path: str
    # In words
    message: str


class PersonalAccessTokenList(TypedDict):
    """A page of personal access tokens, newest first"""

    # The personal access tokens of this page
    personal_access_tokens: list[Token]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


# A piece of a message: text, reasoning, a call of a tool, or its result
PlainBlock: TypeAlias = Union[
    "PlainTextBlock",
    "ReasoningBlock",
    "ToolUseBlock",
    "PlainToolResultBlock",
]


class PlainTextBlock(TypedDict):
    """A piece of text"""

    # Always "text"
    type: Literal["text"]
    # The text
    text: str


class PlainToolResultBlock(TypedDict):
    """The result of a tool call, as text"""

    # Always "tool_result"
    type: Literal["tool_result"]
    # Id of the tool call that this is the result of
    tool_use_id: str
    # Result of the tool call, as text
    content: str
    # Whether the tool has failed
    is_error: bool


class PreviewFileRequest(TypedDict):
    # Path in the workspace, such as `reports/2026.md`
    path: str


class PreviewImage(TypedDict):
    """A picture of at most 1,024 pixels: the image, or the first page of a PDF"""

    # A `data:` URL with the picture as WebP
    url: str
    # Width in pixels
    width: int
    # Height in pixels
    height: int


class PreviewTable(TypedDict):
    """The first rows of a table, at most 100"""

    # Columns of the result, in their order
    columns: list[DataColumn]
    # Values in the order of the columns
    rows: list[list[Any]]
    # Whether there are more rows
    truncated: bool


# From the lowest to the highest
Priority: TypeAlias = Union[
    "Literal['low', 'medium', 'high', 'urgent']",
]


# How providers are asked to cache the calls of an agent
PromptCache: TypeAlias = Union[
    "Literal['auto', 'off', '5m', '1h']",
]


class ProtectedResource(TypedDict):
    """Which servers issue tokens for a resource"""

    # Resource that the tokens are for
    resource: str
    # Servers that issue the tokens
    authorization_servers: list[str]
    # Scopes that can be requested
    scopes_supported: list[str]
    # How a token is sent
    bearer_methods_supported: list[str]
    # Its name for people
    resource_name: str
    # Documentation for people
    resource_documentation: str


class ProviderKey(TypedDict):
    """The secret whose value is used for calls to this provider, instead of the operator's key"""

    # A provider of models: the part before the colon in the names of its models, as `GET /api/models` shows
    # them
    provider: str
    # The name of the secret with the key
    secret: str
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str


class ProviderKeyList(TypedDict):
    """All keys, by provider"""

    # One entry per provider
    provider_keys: list[ProviderKey]


class PutGroupRequest(TypedDict):
    # User ids of members of the organization
    members: list[str]


class PutMessagingIntegrationRequest(TypedDict):
    # Kind of destination
    provider: NotRequired[Literal["webhook"]]
    # Name of the destination, for people
    name: NotRequired[str]
    # Address that deliveries are sent to; `https` unless the operator allows more
    url: str
    # Whether events are delivered
    enabled: NotRequired[bool]
    # Exact types or `family.*`; an empty list means all. `!<source>` excludes events of that source, such as
    # `!api_mutation`
    event_types: NotRequired[list[str]]
    # How long a failed delivery is retried: `standard` for 7 seconds (after 1, 2 and 4 s), `durable` for
    # three more days. Choose `durable` unless the receiver must not get old events: `standard` gives up
    # before a deployment of the receiver usually ends
    retry_profile: NotRequired[RetryProfile]


class PutProviderKeyRequest(TypedDict):
    # The name of the secret with the key
    secret: str


class PutSecretRequest(TypedDict):
    # The secret's value; it is never shown again
    value: str


class QueryDataRequest(TypedDict):
    # One SELECT. Its tables are files, named by their paths, or the tables of `database`
    query: str
    # Values of the parameters: a list for `?` and `$1`, an object for `$name`
    params: NotRequired[list[str | float | bool | None] | dict[str, str | float | bool | None]]
    # The path of an SQLite file. Without it the query names CSV, JSON and Parquet files
    database: NotRequired[str]
    # Format of the response: `json` has rows as lists, `csv` and `arrow` are files. Default "json"
    format: NotRequired[Literal["json", "csv", "arrow"]]
    # Maximum number of rows. Default 1000
    limit: NotRequired[int]


class QueryResult(TypedDict):
    """Result of a query"""

    # Columns of the result, in their order
    columns: list[DataColumn]
    # Values in the order of the columns. Numbers that JSON cannot hold exactly are text, times are ISO 8601,
    # bytes are Base64
    rows: list[list[Any]]
    # Number of rows in this response
    row_count: int
    # Whether there are more rows than `limit`, or than 8 MiB
    truncated: bool
    # Duration in milliseconds
    duration_ms: int


class Quota(TypedDict):
    """A quota of the organization, and its usage"""

    # What the quota limits
    quota: Literal[
        "agents",
        "chats",
        "tasks",
        "missions",
        "tokens",
        "secrets",
        "workspaces",
        "files",
        "file_bytes",
        "stored_rows",
        "stored_bytes",
    ]
    # Null for no limit
    limit: int | None
    # Current usage; slightly too high at most, during many concurrent changes
    used: int


class RateLimitPolicyDefault(TypedDict):
    # Requests per window of one identity
    limit: int
    # Length of the window in seconds
    window_seconds: int
    # Requests that may arrive at once
    burst: int
    # Always "fixed-window"
    algorithm: Literal["fixed-window"]


class RateLimitPolicyPublicEndpoints(TypedDict):
    # Whether requests are counted
    counted: bool
    # Requests per window from one address without a valid token
    limit: int
    # What requests without a valid token are counted by
    identity: str


class RateLimitPolicyV1(TypedDict):
    # Whether requests to v1 are counted
    counted: bool
    # If requests to v1 are not counted: requests per window of one organization, beyond which the service
    # protects itself with 429 and `Retry-After`
    protective_limit: int | None


class RateLimitPolicy(TypedDict):
    """The current rate limits"""

    # The limit of most requests
    default: RateLimitPolicyDefault
    # The identity that a request is counted for: the first of these that it has
    identity_order: list[str]
    # Headers of every response of the current surface
    headers: list[DocumentedHeader]
    # The limit of requests without a valid token
    public_endpoints: RateLimitPolicyPublicEndpoints
    # What applies to v1
    v1: RateLimitPolicyV1
    # Status of a request beyond the limit; it has `Retry-After`
    status: Literal[429]
    # How to get higher limits
    higher_limits: str


class ReasoningBlock(TypedDict):
    """The model's reasoning, if its provider shows it"""

    # Always "reasoning"
    type: Literal["reasoning"]
    # The text
    text: str


class RecordedEvent(TypedDict):
    """A durable event of a stream"""

    # Number of the event in the stream
    seq: int
    # Type of the event
    type: str
    # ISO 8601 UTC with milliseconds
    at: str
    # The event's data; the stream's own events define the fields of each type
    data: dict[str, Any]


class RedeliverEventsRequest(TypedDict):
    # Number of the first event
    since_sequence: int
    # Number of the last event
    until_sequence: int
    # Exact types or `family.*`; an empty list means all. `!<source>` excludes events of that source, such as
    # `!api_mutation`
    event_types: NotRequired[list[str]]


class Redelivery(TypedDict):
    """The range of events that is sent again"""

    # Number of the first event
    since_sequence: int
    # Number of the last event
    until_sequence: int
    # Event types that are sent again; an empty list means all
    event_types: list[str]


class RedeliveryAccepted(TypedDict):
    """The events that will be sent again"""

    redelivery: Redelivery


class RemovedMember(TypedDict):
    """A person who is no longer a member"""

    # The user's id: the same in every organization
    id: str
    # The person's name
    name: str
    # The person's e-mail address
    email: str
    # `owner` administers the organization, `member` works in it
    role: Role
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    # Always true
    deleted: Literal[True]


class Repository(TypedDict):
    """A repository whose files are in a workspace"""

    # The mount's id
    id: str
    # Provider by its host: `github`, `gitlab`, `bitbucket` or `git`
    provider: str
    # URL that it is cloned from
    url: str
    # Branch; null is the repository's default branch
    branch: str | None
    # Its directory in the workspace
    path: str
    # Whether agents may only read the files or also write them
    mode: Literal["read", "write"]
    # Name of the secret with the credentials
    secret: str | None
    # Current status
    status: Literal["pending", "cloning", "ready", "error"]
    # Commit that its files are from
    commit: str | None
    # Why the last clone failed
    error: str | None
    # The job of the last clone
    job_id: str | None
    # ISO 8601 UTC with milliseconds
    synced_at: str | None
    # Who added it
    created_by: str
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str


class RepositoryList(TypedDict):
    """All repositories of a workspace"""

    # Git repositories that are mounted in the workspace
    repos: list[Repository]


class RequestedToolCall(TypedDict):
    """A call of a tool that the client runs; the client sends the result"""

    # The call
    id: str
    # The tool
    name: str
    # The arguments; they match the tool's `input_schema`
    arguments: dict[str, Any]
    # ISO 8601 UTC with milliseconds
    expires_at: str


class ResumeJobRequest(TypedDict):
    # Answer to what the job waits for, or instructions for the next job: text, or blocks; a source is {kind:
    # upload, file_id}, {kind: workspace, workspace_id, path} or {kind: url, url}
    input: NotRequired[str | list[ContentBlockInput]]
    # Whether the interrupted tool call is made again; needed to resume an `interrupted` job
    retry_step: NotRequired[bool]
    # New limits of the job; an omitted limit stays unchanged
    budget: NotRequired[JobBudgetInput]
    # Metadata of the new job; by default that of the previous job
    metadata: NotRequired[dict[str, Any]]


# How long a failed delivery is retried
RetryProfile: TypeAlias = Union[
    "Literal['standard', 'durable']",
]


class Review(TypedDict):
    """The review of a job's result by a person"""

    # State of the review
    state: ReviewState
    # Whether the job needs a review before it is completed
    required: bool
    # ISO 8601 UTC with milliseconds
    requested_at: str | None
    # ISO 8601 UTC with milliseconds
    expires_at: str | None
    # The user who decided
    decided_by: str | None
    # ISO 8601 UTC with milliseconds
    decided_at: str | None
    # Comment on the decision
    comment: str | None


# State of a review
ReviewState: TypeAlias = Union[
    "Literal['none', 'pending', 'approved', 'changes_requested', 'expired']",
]


class RevokedSessions(TypedDict):
    """How many sessions have ended"""

    # Sessions that were active and have ended now
    revoked: int


# Role of a person in an organization
Role: TypeAlias = Union[
    "Literal['owner', 'member']",
]


class RotateSigningSecretRequest(TypedDict):
    # Seconds for which the former signing secret stays valid
    grace_seconds: NotRequired[int]


class RotatedMessagingIntegration(TypedDict):
    """A destination whose secret was replaced"""

    # Kind of destination
    provider: Literal["webhook"]
    # Name
    name: str
    # URL of the destination; members who are not owners see only its scheme and the redacted host
    url: str
    # Whether events are delivered
    enabled: bool
    # Event types that are delivered; an empty list means all
    event_types: list[str]
    # How long a failed delivery is retried: `standard` for 7 seconds (after 1, 2 and 4 s), `durable` for
    # three more days. Choose `durable` unless the receiver must not get old events: `standard` gives up
    # before a deployment of the receiver usually ends
    retry_profile: RetryProfile
    # Whether there is a signing secret
    secret_set: bool
    # The last four characters of the signing secret
    secret_last4: str
    # ISO 8601 UTC with milliseconds
    former_secret_until: str | None
    # Why the service has disabled the destination; null if it has not
    disabled_reason: Literal["gone", "failing"] | None
    # ISO 8601 UTC with milliseconds
    last_success_at: str | None
    # ISO 8601 UTC with milliseconds
    last_failure_at: str | None
    # Deliveries that were given up and not redelivered since, with the range of event numbers to redeliver;
    # null if there are none
    undelivered: UndeliveredEvents | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    # The new signing secret; never shown again
    secret: str


# What an approval rule does with a call
RuleOutcome: TypeAlias = Union[
    "Literal['allow', 'ask', 'deny']",
]


class RuleTrial(TypedDict):
    """What rules would have decided"""

    # The newest calls first
    calls: list[TriedCall]
    # Number of calls that a rule, or a doubt about a rule, would have decided
    touched: int


class RunError(TypedDict):
    """Why a job has failed"""

    # Code of the error
    code: RunErrorCode
    # In words
    message: str
    # With the code `output_invalid`: what is wrong with the last answer. Otherwise empty
    errors: list[OutputError]


# Why a run has failed
RunErrorCode: TypeAlias = Union[
    "Literal['provider_unreachable', 'provider_unauthorized', 'provider_key_rejected', 'provider_rate_limited', 'provider_error', 'provider_stalled', 'provider_rejected', 'context_length_exceeded', 'model_unavailable', 'step_limit', 'timeout', 'attempts_exhausted', 'tools_unavailable', 'authorization_required', 'clone_failed', 'output_invalid', 'no_answer', 'internal_error']",
]


class ScheduleForecast(TypedDict):
    """When a mission with this schedule would run"""

    # The schedule in words
    description: str
    # The zone of the local times
    timezone: str
    # The times, soonest first
    times: list[MissionForecastTime]


# Kind of schedule
ScheduleType: TypeAlias = Union[
    "Literal['none', 'once', 'cron', 'continuous']",
]


# Scope of a token
Scope: TypeAlias = Union[
    "Literal['agents:read', 'agents:write', 'chats:read', 'chats:write', 'jobs:read', 'jobs:write', 'missions:read', 'missions:write', 'workspaces:read', 'workspaces:write', 'webhooks:read', 'webhooks:write', 'tokens:read', 'tokens:write', 'tasks:read', 'tasks:write', 'events:read', 'mcp', 'secrets:use', '*']",
]


class SdkCommand(TypedDict):
    """What to type"""

    # What it does
    title: str
    # Programming language
    language: SdkLanguage
    # Shell command
    command: str


class SdkExample(TypedDict):
    """A program beside the SDK's file"""

    # What it does
    title: str
    # Programming language
    language: SdkLanguage
    # File name to save it as
    file: str
    # Source of the program
    code: str


class SdkExamplesEnvironmentItem(TypedDict):
    # Name of the variable
    name: str
    # Value to set
    value: str


class SdkExamples(TypedDict):
    """How to get and use the SDKs; commands and examples are tested"""

    # Environment variables of the commands and the examples
    environment: list[SdkExamplesEnvironmentItem]
    # What to type
    commands: list[SdkCommand]
    # Example programs
    examples: list[SdkExample]


# Language of an SDK
SdkLanguage: TypeAlias = Union[
    "Literal['typescript', 'javascript', 'python']",
]


class SdkManifest(TypedDict):
    """The SDKs that the service serves, each one file"""

    # Version of the contract that they were generated from
    api_version: str
    # The SDKs
    packages: list[SdkPackage]


class SdkPackage(TypedDict):
    """An SDK"""

    # The title
    name: str
    # Programming language
    language: SdkLanguage
    # The version of the service that it came with
    version: str
    # File name to save it as
    file: str
    # URL of the file
    url: str
    # SHA-256 of its bytes, in hex
    sha256: str
    # Size in bytes
    bytes: int
    # What it needs
    requires: str
    # Files beside the SDK
    parts: NotRequired[list[SdkPart]]
    types: NotRequired[SdkTypes]


class SdkPart(TypedDict):
    """A file beside the SDK, for programs that use another package"""

    # File name to save it as
    file: str
    # URL of the file
    url: str
    # SHA-256 of its bytes, in hex
    sha256: str
    # Size in bytes
    bytes: int
    # Packages that your program installs, with their versions
    peers: dict[str, str]


class SdkTypes(TypedDict):
    """Type declarations of an SDK in a language without types, for editors and compilers"""

    # File name to save it as, beside the SDK
    file: str
    # URL of the file
    url: str
    # SHA-256 of its bytes, in hex
    sha256: str
    # Size in bytes
    bytes: int


class Secret(TypedDict):
    """A write-only value that agents refer to by its name"""

    # The name of the secret: 1 to 64 letters, digits, `_`, `-` and `.`
    name: str
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str


class SecretList(TypedDict):
    """All secrets, by name"""

    # The secrets, sorted by name
    secrets: list[Secret]


class SendMessageRequest(TypedDict):
    # Message to the agent: text, or blocks; a source is {kind: upload, file_id}, {kind: workspace,
    # workspace_id, path} or {kind: url, url}
    content: str | list[ContentBlockInput]
    # What a message does while a job of the chat is active: wait (`queue`), join the running job (`steer`),
    # replace it (`interrupt`) or be refused (`reject`)
    on_busy: NotRequired[BusyPolicy]
    # Any JSON object; it is returned unchanged
    metadata: NotRequired[dict[str, Any]]
    # Priority of the job that answers
    priority: NotRequired[Priority]
    # Whether a person reviews the result before the job is completed; `false` by default
    review_required: NotRequired[bool]
    budget: NotRequired[JobBudgetInput]
    # JSON Schema of an object, at most 16 KiB, that answers must match; null: answers are text
    output_schema: NotRequired[dict[str, Any] | None]
    # Settings of the model for this message. Each replaces the agent's setting of the same name; null stands
    # for the provider's default
    model_settings: NotRequired[ModelSettingsInput | None]


class SendToolResultsRequest(TypedDict):
    # One result for each call
    results: list[ToolResultInput]


class SentMessage(TypedDict):
    """A message that is stored, and the job that answers it"""

    message: Message
    job: Job
    chat: Chat
    # Position in the queue of chat turns; 0 is the running one
    queued_position: int


class ServiceTokenList(TypedDict):
    """A page of service tokens, newest first"""

    # The service tokens of this page
    service_tokens: list[Token]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class ServiceVersion(TypedDict):
    """What is deployed"""

    # The version of the service
    version: str
    # A version of the contract, by date
    api_version: str
    # What a request may send in `Api-Version`
    supported_versions: list[str]
    # The commit that it was built from; null if unknown
    commit: str | None
    # When it was built; null if it runs from source
    built_at: str | None
    # What jobs run with
    runner: DefaultRunner


class Session(TypedDict):
    """A browser in which you have signed in"""

    # Id of the session, as in the audit log
    id: str
    # Browser and operating system, as the browser reports them
    name: str
    # Current status
    status: TokenStatus
    # Whether this is the session of this request
    is_current: bool
    # Remote address of its last recorded use
    last_address: str | None
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # ISO 8601 UTC with milliseconds
    last_used_at: str | None
    # ISO 8601 UTC with milliseconds
    revoked_at: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class SessionList(TypedDict):
    """A page of sessions, newest first"""

    # The sessions of this page
    sessions: list[Session]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class SetAgentInstallStateRequest(TypedDict):
    # Whether the organization has installed the library agent
    install_state: NotRequired[Literal["installed", "uninstalled"]]
    # What to do with the library agent; instead of `install_state`
    action: NotRequired[Literal["install", "uninstall", "restore"]]


class SetApprovalMailsRequest(TypedDict):
    # Whether approvals reach the caller by mail
    enabled: bool


class Share(TypedDict):
    """A file that anyone with the URL can download"""

    # The share's id
    id: str
    # The path, relative to the workspace
    path: str
    # ISO 8601 UTC with milliseconds
    expires_at: str | None
    # Maximum number of downloads; null for no limit
    max_downloads: int | None
    # Number of downloads
    downloads: int
    # Whether a download needs a password
    has_password: bool
    # The user who created it
    created_by: str
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class ShareFileRequest(TypedDict):
    # Path in the workspace, such as `reports/2026.md`
    path: str
    # Seconds until the share expires
    expires_in_seconds: NotRequired[int]
    # Maximum number of downloads; null for no limit
    max_downloads: NotRequired[int | None]
    # Password that a download needs
    password: NotRequired[str]


class ShareList(TypedDict):
    """A page of shares, newest first"""

    # The shares of this page
    shares: list[Share]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class SignatureVerification(TypedDict):
    """Whether a signature verifies, and if not, exactly why"""

    # Whether the signature verifies
    valid: bool
    # What is wrong with the signature; `valid` if nothing is
    reason: Literal[
        "valid",
        "missing_signature",
        "malformed_signature",
        "timestamp_out_of_tolerance",
        "wrong_secret_encoding",
        "body_changed",
        "signature_mismatch",
    ]
    # Human-readable message
    message: str


class StartedCompaction(TypedDict):
    """The job that writes a summary of the conversation"""

    chat: Chat
    job: Job


class StateMachine(TypedDict):
    """The states of a record, and the transitions between them"""

    # The record that moves through these states
    name: str
    # All states
    states: list[str]
    # A state
    initial: str
    # Final states
    terminal: list[str]
    # What can cause a transition
    triggers: list[str]
    # Triggers that callers can use
    actions: list[str]
    # All transitions
    transitions: list[Transition]


class StateMachineList(TypedDict):
    """All state machines"""

    # The state machines
    machines: list[StateMachine]


# Why a model stopped
StopReason: TypeAlias = Union[
    "Literal['stop', 'tool_use', 'length', 'content_filter', 'refusal', 'other']",
]


class StreamClosingEventData(TypedDict):
    # Why the service closes the connection
    reason: Literal["deploy", "unavailable", "revoked", "slow_consumer", "expired", "moved"]
    # The cursor to resume from
    resume_after: str | None


class StreamClosingEvent(TypedDict):
    """The service closes the connection; connect again with the cursor"""

    # Always "stream.closing"
    event: Literal["stream.closing"]
    # Data of the event
    data: StreamClosingEventData
    # Absent: this event does not move the cursor
    id: NotRequired[None]


class StreamEndEventData(TypedDict):
    pass


class StreamEndEvent(TypedDict):
    """The stream has ended; no event will follow"""

    # Always "stream.end"
    event: Literal["stream.end"]
    # Data of the event
    data: StreamEndEventData
    # Absent: this event does not move the cursor
    id: NotRequired[None]


class StreamResetEventData(TypedDict):
    # Why the cursor cannot be used
    reason: Literal["malformed", "ahead_of_head", "not_retained"]
    # The replay begins with this event
    from_seq: int


class StreamResetEvent(TypedDict):
    """The cursor cannot be used: drop what you have, and apply the events that follow"""

    # Always "reset"
    event: Literal["reset"]
    # Data of the event
    data: StreamResetEventData
    # Absent: this event does not move the cursor
    id: NotRequired[None]


class StreamUse(TypedDict):
    """Open streams of events"""

    # Streams that are open
    open: int
    # Streams that the organization may have open in this process; null for no limit
    limit: int | None
    # Streams whose reader accepts nothing although events wait
    behind: int
    # For how long the slowest reader has accepted nothing, in ms
    longest_stall_ms: float


class Task(TypedDict):
    """A work item"""

    # The task's id
    id: str
    # The title
    title: str
    # Description
    description: str | None
    # Current status
    status: TaskStatus
    # How urgent it is
    priority: Priority
    # Id of an agent or a user, as it was sent
    assigned_to: str | None
    # Workspace of the task, as it was sent
    workspace_id: str | None
    # The user or agent who created it
    created_by: str
    # ISO 8601 UTC with milliseconds
    completed_at: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class TaskList(TypedDict):
    """A page of tasks, newest first"""

    # The tasks of this page
    tasks: list[Task]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


# Status of a task
TaskStatus: TypeAlias = Union[
    "Literal['pending', 'in_progress', 'completed', 'cancelled']",
]


class TextBlock(TypedDict):
    """Text of the model, with its citations"""

    # Always "text"
    type: Literal["text"]
    # The text
    text: str
    # Citations in the text
    citations: NotRequired[list[Citation]]


class TextDelta(TypedDict):
    """Text that was added to a message"""

    # The message that it belongs to
    message_id: str
    # Where the text ends in the message's content, in UTF-16 units
    position: int
    # The added text
    text: str


class Token(TypedDict):
    """A credential, without its secret"""

    # The token's id
    id: str
    # For a person (`personal`) or for a program (`service`)
    kind: TokenKind
    # What the token is for
    name: str
    # Current status
    status: TokenStatus
    # What the token allows
    scopes: list[Scope]
    # Last characters of the token, to recognize it by
    last_characters: str
    # User that the token acts as
    user_id: str
    # ISO 8601 UTC with milliseconds
    expires_at: str
    # ISO 8601 UTC with milliseconds
    last_used_at: str | None
    # ISO 8601 UTC with milliseconds
    revoked_at: str | None
    # Token that created this one, and whose end also ends it; null if the operator created it
    created_with: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class TokenCounts(TypedDict):
    """Tokens that model calls have used"""

    # Tokens sent to models
    input_tokens: int
    # Tokens received from models
    output_tokens: int
    # Input tokens that the provider read from its cache; part of `input_tokens`
    cached_input_tokens: NotRequired[int]
    # Input tokens that the provider wrote to its cache; part of `input_tokens`
    cache_write_tokens: NotRequired[int]
    # Exact cost of those that have a price, in the `currency` of `GET /api/models`
    cost: NotRequired[str]


# Kind of token
TokenKind: TypeAlias = Union[
    "Literal['personal', 'service']",
]


# Status of a token or a session
TokenStatus: TypeAlias = Union[
    "Literal['active', 'expired', 'revoked']",
]


class TokenUsage(TypedDict):
    """Tokens that model calls have used"""

    # Tokens sent to models
    input_tokens: int
    # Tokens received from models
    output_tokens: int
    # Input tokens that the provider read from its cache; part of `input_tokens`
    cached_input_tokens: int
    # Input tokens that the provider wrote to its cache; part of `input_tokens`
    cache_write_tokens: int
    # Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a
    # price
    cost: str | None
    # Tokens of models without a price; they are not in `cost`
    unpriced_tokens: int
    # Tokens of calls with the organization's own key
    own_key_tokens: int
    # Tokens that are estimated because the provider did not report them; the other counts include them
    estimated_tokens: int


class Tool(TypedDict):
    """A tool that agents can call"""

    # Name, as used in `allowed_tools` and `approval_tools`
    name: str
    # What it does; models read this
    description: str
    # JSON Schema of its arguments
    input_schema: dict[str, Any]
    # `always`: every agent has it, unless its `allowed_tools` was set to an empty list; `granted`: agents
    # whose `allowed_tools` name it; `missions`: every agent, in the jobs of missions; `agent`: only the
    # requested agent
    availability: Literal["always", "granted", "missions", "agent"]
    # Whether it is read-only
    read_only: bool


# Where an argument of a tool goes in its request
ToolArgument = TypedDict(
    "ToolArgument",
    {
        # Property of `input_schema`
        "name": "str",
        # Where the argument goes in the request; with `body` it is the whole body
        "place": "ToolArgumentPlace",
        # Name in the request; by default the name of the argument
        "as": "NotRequired[str]",
    },
)


# Where an argument of a tool goes in its request
ToolArgumentInput = TypedDict(
    "ToolArgumentInput",
    {
        # Property of `input_schema`
        "name": "str",
        # Where the argument goes in the request; with `body` it is the whole body
        "place": "ToolArgumentPlace",
        # Name in the request; by default the name of the argument
        "as": "NotRequired[str]",
    },
)


# Where an argument goes in a request
ToolArgumentPlace: TypeAlias = Union[
    "Literal['path', 'query', 'header', 'body']",
]


class ToolAuth(TypedDict):
    """Access of an HTTP tool, by OAuth or by the agent's identity"""

    # `oauth`: as an OAuth client; `identity`: a signed token says which agent acts for whom
    type: Literal["oauth", "identity"]
    # For `oauth`. `person`: each person's jobs use that person's own connection; `organization`: all jobs use
    # one connection, which an owner makes
    owner: NotRequired[Literal["person", "organization"]]
    # For `oauth`: scopes to ask for; omitted: those that the server asks for
    scopes: NotRequired[list[str]]
    client: NotRequired[AuthClient]
    # For `identity`: audience of the token; default: the server's address. Only an owner with the scope
    # `secrets:use` may name another audience
    audience: NotRequired[str]
    # For `oauth`: the address that access is asked for, of the same origin as `url`; by default that origin
    resource: NotRequired[str]


class ToolAuthInput(TypedDict):
    """Access of an HTTP tool, by OAuth or by the agent's identity"""

    # `oauth`: as an OAuth client; `identity`: a signed token says which agent acts for whom
    type: Literal["oauth", "identity"]
    # For `oauth`. `person`: each person's jobs use that person's own connection; `organization`: all jobs use
    # one connection, which an owner makes
    owner: NotRequired[Literal["person", "organization"]]
    # For `oauth`: scopes to ask for; omitted: those that the server asks for
    scopes: NotRequired[list[str]]
    client: NotRequired[AuthClientInput]
    # For `identity`: audience of the token; default: the server's address. Only an owner with the scope
    # `secrets:use` may name another audience
    audience: NotRequired[str]
    # For `oauth`: the address that access is asked for, of the same origin as `url`; by default that origin
    resource: NotRequired[str]


class ToolHeader(TypedDict):
    """A header of a tool's requests: a prefix and a secret, or a fixed value"""

    # Name of the header
    name: str
    # Name of the organization's secret that is the header's value
    secret: NotRequired[str]
    # Text before the secret in the header's value, such as `Bearer `
    prefix: NotRequired[str]
    # A fixed value, instead of a secret; credentials are always secrets
    value: NotRequired[str]


class ToolHeaderInput(TypedDict):
    """A header of a tool's requests: a prefix and a secret, or a fixed value"""

    # Name of the header
    name: str
    # Name of the organization's secret that is the header's value
    secret: NotRequired[str]
    # Text before the secret in the header's value, such as `Bearer `
    prefix: NotRequired[str]
    # A fixed value, instead of a secret; credentials are always secrets
    value: NotRequired[str]


class ToolImport(TypedDict):
    """Tools made from an OpenAPI document"""

    # Agent that has the tools
    agent_id: str
    # Whether this was a dry run, which stores nothing
    dry_run: bool
    # Title of the document
    title: str
    # The operations of the document, in its order, at most 300
    operations: list[ImportableOperation]
    # How many operations the document has
    operations_total: int
    # The tools of the operations that were chosen
    tools: list[AgentTool]
    # Features of the operations that the tools lack
    notes: list[ToolImportNote]
    # Version of the agent
    version: int


class ToolImportNote(TypedDict):
    """A feature of an operation that its tool lacks"""

    # Id of the operation
    operation_id: str
    # What the tool leaves out
    message: str


class ToolList(TypedDict):
    """All tools of the service"""

    # Sorted by name
    tools: list[Tool]
    # MCP servers of the agent, and whether their tools could be listed
    mcp_servers: list[McpServerTools]


class ToolResultBlock(TypedDict):
    """The result of a tool call"""

    # Always "tool_result"
    type: Literal["tool_result"]
    # Id of the tool call that this is the result of
    tool_use_id: str
    # Result of the tool call, as text
    content: str
    # Whether the tool has failed
    is_error: bool
    # Images and files beside the text, for models that can read them
    attachments: NotRequired[list[Attachment]]


class ToolResultInput(TypedDict):
    """The result of a tool call that the client has run"""

    # Id of the tool call, as the model gave it
    tool_call_id: str
    # Result of the tool, at most 64 KiB
    content: NotRequired[str]
    # Error message for the model, instead of `content`
    error: NotRequired[str]


class ToolRetry(TypedDict):
    """How often a request is retried after a transient failure"""

    # Number of retries; 2 by default
    times: int
    # Milliseconds before the first retry, doubled for each further one; 500 by default
    pause_ms: int


class ToolRetryInput(TypedDict):
    """How often a request is retried after a transient failure"""

    # Number of retries; 2 by default
    times: NotRequired[int]
    # Milliseconds before the first retry, doubled for each further one; 500 by default
    pause_ms: NotRequired[int]


class ToolServerAuth(TypedDict):
    """Access to a tool server, by OAuth or by the agent's identity"""

    # `oauth`: as an OAuth client; `identity`: a signed token says which agent acts for whom
    type: Literal["oauth", "identity"]
    # For `oauth`. `person`: each person's jobs use that person's own connection; `organization`: all jobs use
    # one connection, which an owner makes
    owner: NotRequired[Literal["person", "organization"]]
    # For `oauth`: scopes to ask for; omitted: those that the server asks for
    scopes: NotRequired[list[str]]
    client: NotRequired[AuthClient]
    # For `identity`: audience of the token; default: the server's address. Only an owner with the scope
    # `secrets:use` may name another audience
    audience: NotRequired[str]


class ToolServerAuthInput(TypedDict):
    """Access to a tool server, by OAuth or by the agent's identity"""

    # `oauth`: as an OAuth client; `identity`: a signed token says which agent acts for whom
    type: Literal["oauth", "identity"]
    # For `oauth`. `person`: each person's jobs use that person's own connection; `organization`: all jobs use
    # one connection, which an owner makes
    owner: NotRequired[Literal["person", "organization"]]
    # For `oauth`: scopes to ask for; omitted: those that the server asks for
    scopes: NotRequired[list[str]]
    client: NotRequired[AuthClientInput]
    # For `identity`: audience of the token; default: the server's address. Only an owner with the scope
    # `secrets:use` may name another audience
    audience: NotRequired[str]


class ToolUseBlock(TypedDict):
    """A call of a tool"""

    # Always "tool_use"
    type: Literal["tool_use"]
    # Id of the tool call
    id: str
    # Name of the tool
    name: str
    # Input of the tool call
    input: dict[str, Any]


class TranscriptAssistantText(TypedDict):
    """Text of the model"""

    # Number in the stream, from 1, without gaps
    seq: int
    # Always "transcript.event"
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Always "assistant_text"
    kind: Literal["assistant_text"]
    # The text
    text: str
    # Citations in the text
    citations: NotRequired[list[Citation]]
    # Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token
    # limit (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or
    # `other`
    stop_reason: NotRequired[StopReason]


class TranscriptError(TypedDict):
    """What the run continued without, or why a call failed; not content"""

    # Number in the stream, from 1, without gaps
    seq: int
    # Always "transcript.event"
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Always "error"
    kind: Literal["error"]
    # The text
    text: str


class TranscriptReasoning(TypedDict):
    """Reasoning of the model"""

    # Number in the stream, from 1, without gaps
    seq: int
    # Always "transcript.event"
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Always "reasoning"
    kind: Literal["reasoning"]
    # The text
    text: str
    # Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token
    # limit (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or
    # `other`
    stop_reason: NotRequired[StopReason]


class TranscriptRepair(TypedDict):
    """The service's request to the model to repair an answer that does not fit its schema"""

    # Number in the stream, from 1, without gaps
    seq: int
    # Always "transcript.event"
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Always "repair"
    kind: Literal["repair"]
    # The text
    text: str


class TranscriptSummary(TypedDict):
    """A summary that replaces everything before it in model calls"""

    # Number in the stream, from 1, without gaps
    seq: int
    # Always "transcript.event"
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Always "summary"
    kind: Literal["summary"]
    # The text
    text: str
    # Number of parts of the run that the summary replaces; 0 if it replaces only earlier chat turns
    covers: int


class TranscriptSystem(TypedDict):
    """What the service did about the run, such as waiting; not content"""

    # Number in the stream, from 1, without gaps
    seq: int
    # Always "transcript.event"
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Always "system"
    kind: Literal["system"]
    # The text
    text: str


class TranscriptToolResult(TypedDict):
    """The result of a tool call"""

    # Number in the stream, from 1, without gaps
    seq: int
    # Always "transcript.event"
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Always "tool_result"
    kind: Literal["tool_result"]
    # Id of the tool call that this is the result of
    tool_use_id: str
    # Result of the tool call, as text
    content: str
    # Whether the tool has failed
    is_error: bool
    # Images and files beside the text
    attachments: NotRequired[list[Attachment]]


class TranscriptToolUse(TypedDict):
    """A call of a tool"""

    # Number in the stream, from 1, without gaps
    seq: int
    # Always "transcript.event"
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Always "tool_use"
    kind: Literal["tool_use"]
    # Id of the tool call
    id: str
    # Name of the tool
    name: str
    # Input of the tool call
    input: dict[str, Any]
    decision: NotRequired[CallDecision]
    # Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token
    # limit (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or
    # `other`
    stop_reason: NotRequired[StopReason]


class TranscriptUserText(TypedDict):
    """A message of the user, or feedback"""

    # Number in the stream, from 1, without gaps
    seq: int
    # Always "transcript.event"
    type: Literal["transcript.event"]
    # ISO 8601 UTC with milliseconds
    at: str
    # Always "user_text"
    kind: Literal["user_text"]
    # The text
    text: str
    # Id of the message
    message_id: NotRequired[str]
    # Content as blocks, in their order: text, files, tool calls and their results
    blocks: NotRequired[list[InputBlock]]


# An allowed transition
Transition = TypedDict(
    "Transition",
    {
        # A state
        "from": "str",
        # A trigger
        "trigger": "str",
        # A state
        "to": "str",
    },
)


class TriedCall(TypedDict):
    """A call of the agent, and what the rules would have decided about it"""

    # The job that made it
    job_id: str
    # The call
    tool_call_id: str
    # The tool
    tool_name: str
    # ISO 8601 UTC with milliseconds
    at: str
    # What decided then; null without rules
    was: CallDecision | None
    decision: CallDecision
    # Why the call would not have been made; null otherwise
    refusal: str | None


class TryApprovalRulesRequest(TypedDict):
    # Rules about tool calls: the first that matches decides; without one, `approval_tools` does
    approval_rules: NotRequired[list[ApprovalRuleInput]]


class UndeliveredEvents(TypedDict):
    """Deliveries that were given up, and the range of their events"""

    # The deliveries of this page
    deliveries: int
    # Number of the first event
    since_sequence: int
    # Number of the last event
    until_sequence: int


class UnfinishedUpload(TypedDict):
    """An upload in parts that is not finished"""

    # The upload's id
    id: str
    # The workspace of the file
    workspace_id: str
    # The path of the file
    path: str
    # SHA-256 of the whole content, in hex
    sha256: str
    # Bytes of the whole content
    size: int
    # Bytes received so far, and so the offset of the next part
    offset: int
    # User who started it; null for uploads of an earlier release
    created_by: str | None
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    expires_at: str


class UnfinishedUploadList(TypedDict):
    """Unfinished uploads, newest first"""

    # The uploads, newest first
    uploads: list[UnfinishedUpload]


class UpdateAgentRequest(TypedDict):
    # Display name
    name: NotRequired[str]
    # Instructions at the start of every model call of the agent
    system_prompt: NotRequired[str]
    # Who may see it. `private`: its creator; `organization`: every member; `public`: every caller;
    # `unlisted`: every caller who knows the id
    visibility: NotRequired[Visibility]
    # The agent's role in a few words, such as `Editor`
    role: NotRequired[str]
    # What the agent is for; null clears it
    description: NotRequired[str | None]
    # Model as `provider:name`; null is the service's default
    model: NotRequired[str | None]
    # Tools that the agent may call in addition to the read-only ones. null: only the read-only ones; empty
    # list: none of the service's tools
    allowed_tools: NotRequired[list[str] | None]
    # Tools whose calls wait for a person's approval; `<server>__*` stands for all tools of an MCP server
    approval_tools: NotRequired[list[str]]
    # Rules about tool calls: the first that matches decides; without one, `approval_tools` does
    approval_rules: NotRequired[list[ApprovalRuleInput]]
    approval_expiry: NotRequired[ApprovalExpiryInput]
    approval_reach: NotRequired[ApprovalReachInput]
    # MCP servers whose tools the agent can use
    mcp_servers: NotRequired[list[McpServerInput]]
    # Maximum number of model calls per job; null is the service's limit
    max_steps: NotRequired[int | None]
    # The agent's own tools: run by your program (`client`), or as HTTP requests by the service (`http`)
    tools: NotRequired[list[AgentToolInput]]
    # JSON Schema of an object, at most 16 KiB, that answers must match; null: answers are text
    output_schema: NotRequired[dict[str, Any] | None]
    # Whether providers are asked to cache the beginning of its calls: `auto` chooses the lifetime, `5m` and
    # `1h` set it, `off` asks for nothing
    cache: NotRequired[PromptCache]
    # Settings of the model; null or absent: the defaults of its provider
    model_settings: NotRequired[ModelSettingsInput | None]
    # Labels to find the agent by
    tags: NotRequired[list[str]]


class UpdateChatOptionsRequest(TypedDict):
    """Settings of a chat"""

    # Model that answers in this chat, as `provider:name`; null is the agent's own
    model: NotRequired[str | None]
    # What a message does while a job of the chat is active: wait (`queue`), join the running job (`steer`),
    # replace it (`interrupt`) or be refused (`reject`)
    on_busy: NotRequired[BusyPolicy]
    # Tools that the agent may use in this chat; null is all that the agent has
    tools: NotRequired[list[str] | None]
    # Whether calls that need approval are approved without a person
    auto_approve: NotRequired[bool]
    # Title
    title: NotRequired[str]
    # Whether the chat is pinned in lists
    pinned: NotRequired[bool]


class UpdateChatRequest(TypedDict):
    # Title
    title: NotRequired[str]
    # Whether the chat is pinned in lists
    pinned: NotRequired[bool]
    # Any JSON object; it is returned unchanged
    metadata: NotRequired[dict[str, Any]]


class UpdateMemberRequest(TypedDict):
    # `owner` administers the organization, `member` works in it
    role: Role


class UpdateMessageRequest(TypedDict):
    # Whether the message stays in the model's context when the chat is compacted
    pinned: bool


class UpdateMissionRequest(TypedDict):
    # Title
    title: NotRequired[str]
    # What each run should achieve; it is the first message of each run's chat
    goal: NotRequired[str]
    # Id of the agent
    agent_id: NotRequired[str]
    # Id of the workspace
    workspace_id: NotRequired[str]
    # Who may see it. `private`: its creator; `organization`: every member
    visibility: NotRequired[MissionVisibility]
    # Priority of its jobs while job slots are scarce
    priority: NotRequired[Priority]
    schedule: NotRequired[MissionScheduleInput]
    # Whether a person reviews the result before the job is completed; `false` by default
    review_required: NotRequired[bool]
    # Limits of each run, replaced as a whole
    budget: NotRequired[MissionBudgetInput]
    # Metadata of its jobs; at most 16 KiB as JSON
    metadata: NotRequired[dict[str, Any]]
    # Replaces the mission's settings as a whole; null removes them. Each setting replaces the agent's setting
    # of the same name in the mission's runs
    model_settings: NotRequired[ModelSettingsInput | None]
    # `paused` pauses it, `pending` resumes it, `running` runs it now
    status: NotRequired[MissionStatus]
    # Reason for the pause, as given
    paused_reason: NotRequired[str | None]


class UpdateMissionTaskRequest(TypedDict):
    # Title
    title: NotRequired[str]
    # What is to be done; null if not given
    description: NotRequired[str | None]
    # How urgent it is
    priority: NotRequired[Priority]
    # Id of the agent or user that the task is assigned to; null if unassigned
    assigned_to: NotRequired[str | None]
    # Ids of the tasks that must be completed or cancelled first
    depends_on: NotRequired[list[str]]
    # New status
    status: NotRequired[TaskStatus]
    # Place among the mission's tasks, from 0
    position: NotRequired[int]


class UpdateTaskRequest(TypedDict):
    # Title
    title: NotRequired[str]
    # Description
    description: NotRequired[str | None]
    # New status
    status: NotRequired[TaskStatus]
    # How urgent it is
    priority: NotRequired[Priority]
    # Id of the agent or user that the task is assigned to; null if unassigned
    assigned_to: NotRequired[str | None]
    # Id of the workspace that the task belongs to; null for none
    workspace_id: NotRequired[str | None]


class UpdateWorkspaceRequest(TypedDict):
    # Name
    name: NotRequired[str]
    # Description
    description: NotRequired[str | None]
    # Instructions that agents get in this workspace; null for none
    instructions: NotRequired[str | None]


class UploadedFile(TypedDict):
    """A file that messages can refer to by `file_id`"""

    # The file's id
    id: str
    # Name from the sender
    name: str
    # Media type, detected from the first bytes
    media_type: str
    # Size in bytes
    size: int
    # SHA-256 of the content, in hex
    sha256: str
    # Person who uploaded it; nobody else can see it
    created_by: str
    # When it will be removed; null once a message refers to it
    expires_at: str | None
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class UploadedFileList(TypedDict):
    """A page of files, newest first"""

    # The files of this page
    files: list[UploadedFile]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class UsageBudget(TypedDict):
    """The organization's budget for this month, and its usage"""

    # Null for no limit
    monthly_tokens: int | None
    # Tokens used
    used_tokens: int
    # Maximum cost, in the `currency` of `GET /api/usage`; null for no limit
    monthly_cost: str | None
    # Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a
    # price
    used_cost: str | None
    # Tokens of models without a price; they are not in `cost`
    unpriced_tokens: int
    # ISO 8601 UTC with milliseconds
    resets_at: str


# What usage is grouped by
UsageGrouping: TypeAlias = Union[
    "Literal['agent', 'model', 'day']",
]


class UsageReport(TypedDict):
    """What an organization has used"""

    # What the rows are grouped by
    group_by: UsageGrouping
    # Currency of all costs, by ISO 4217; null if the operator has set no prices
    currency: str | None
    # A day in UTC
    since: str
    # A day in UTC
    until: str
    # One row for each agent, model or day
    usage: list[UsageRow]
    totals: UsageTotals
    # Whether rows were left out; the totals include them
    truncated: bool
    budget: UsageBudget
    # All quotas; a change beyond a quota is refused with `quota_exceeded`
    quotas: list[Quota]


class UsageRow(TypedDict):
    """Usage of one agent, model or day; only the field that the report is grouped by is present"""

    # The agent; null is the sum of other people's private agents, unless you are an owner
    agent_id: NotRequired[str | None]
    # The model
    model: NotRequired[str]
    # A day in UTC
    day: NotRequired[str]
    # Tokens sent to models
    input_tokens: int
    # Tokens received from models
    output_tokens: int
    # Input tokens that the provider read from its cache; part of `input_tokens`
    cached_input_tokens: int
    # Input tokens that the provider wrote to its cache; part of `input_tokens`
    cache_write_tokens: int
    # Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a
    # price
    cost: str | None
    # Tokens of models without a price; they are not in `cost`
    unpriced_tokens: int
    # Tokens of calls with the organization's own key
    own_key_tokens: int
    # Tokens that are estimated because the provider did not report them; the other counts include them
    estimated_tokens: int
    # Jobs that used them
    jobs: int
    # Number of tool calls
    tool_calls: int
    # Average time from a call of a model to the first token of its answer; null if none was measured
    time_to_first_token_ms: int | None


class UsageTotals(TypedDict):
    """Usage of all rows together"""

    # Tokens sent to models
    input_tokens: int
    # Tokens received from models
    output_tokens: int
    # Input tokens that the provider read from its cache; part of `input_tokens`
    cached_input_tokens: int
    # Input tokens that the provider wrote to its cache; part of `input_tokens`
    cache_write_tokens: int
    # Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a
    # price
    cost: str | None
    # Tokens of models without a price; they are not in `cost`
    unpriced_tokens: int
    # Tokens of calls with the organization's own key
    own_key_tokens: int
    # Tokens that are estimated because the provider did not report them; the other counts include them
    estimated_tokens: int
    # Jobs that used them
    jobs: int
    # Number of tool calls
    tool_calls: int
    # Average time from a call of a model to the first token of its answer; null if none was measured
    time_to_first_token_ms: int | None


class V1Agent(TypedDict):
    """An AI assistant with a name, a role and system instructions"""

    # The agent's id
    id: str
    # Display name
    name: str
    # The agent's role in a few words
    role: str
    # System instructions; absent for readers of other organizations
    systemPrompt: NotRequired[str]
    # Who may see it. `private`: its creator; `organization`: every member; `public`: every caller;
    # `unlisted`: every caller who knows the id
    visibility: Visibility
    # The organization that owns it
    organizationId: str
    # The user who created it
    userId: str
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str
    # Present if the agent is deleted
    archived: NotRequired[Literal[True]]


class V1AgentAnswer(TypedDict):
    """An agent"""

    # Always true
    success: Literal[True]
    agent: V1Agent


class V1AgentList(TypedDict):
    """The organization's agents, newest first"""

    # Always true
    success: Literal[True]
    # The agents of this page
    agents: list[V1Agent]
    # Total number, including those that are not listed
    total: int


class V1CreateAgentRequest(TypedDict):
    # Display name
    name: str
    # System instructions
    systemPrompt: str
    # The agent's role in a few words. Default "Assistant"
    role: NotRequired[str]
    # Who may see it. `private`: its creator; `organization`: every member; `public`: every caller;
    # `unlisted`: every caller who knows the id. Default "organization"
    visibility: NotRequired[Visibility]


class V1CreateTaskRequest(TypedDict):
    # Title
    title: str
    # Description
    description: NotRequired[str]
    # How urgent it is. Default "medium"
    priority: NotRequired[Priority]
    # An agent's or a user's id; null or absent: unassigned
    assignTo: NotRequired[str | None]
    # Alias of `assignTo`, which takes precedence
    assignedTo: NotRequired[str | None]
    # Id of the workspace
    spaceId: NotRequired[str]


class V1CreatedAgent(TypedDict):
    """A new agent"""

    # Always true
    success: Literal[True]
    # The agent's id
    id: str
    # Display name
    name: str
    # Always "active"
    status: Literal["active"]
    # URL of the page of its first chat
    chatUrl: str


class V1Deleted(TypedDict):
    """Confirmation of a deletion"""

    # Always true
    success: Literal[True]
    # In words
    message: str


class V1Done(TypedDict):
    """What has been done"""

    # Always true
    success: Literal[True]
    # In words
    message: str


class V1ExecuteAgentRequest(TypedDict):
    # The message, as text
    message: str
    # The workspace of a new chat
    spaceId: NotRequired[str]
    # The session to continue
    sessionId: NotRequired[str]
    # The chat to continue
    chatId: NotRequired[str]
    # Whether the answer is a stream of events; `false` by default. Default false
    stream: NotRequired[bool]


class V1ExecutionError(TypedDict):
    """Why the execution is blocked; absent otherwise"""

    # What it waits for
    code: BlockedReason
    # In words
    message: str


class V1ExecutionErrorEventData(TypedDict):
    # What went wrong
    message: str


class V1ExecutionErrorEvent(TypedDict):
    """The last event of an execution that has failed"""

    # Always "error"
    event: Literal["error"]
    # Data of the event
    data: V1ExecutionErrorEventData


# An event of an execution: `meta`, then `message`s, then `result` or `error`
V1ExecutionEvent: TypeAlias = Union[
    "V1ExecutionMetaEvent",
    "V1ExecutionMessageEvent",
    "V1ExecutionResultEvent",
    "V1ExecutionErrorEvent",
]


class V1ExecutionMessageEventDataStreamEventDelta(TypedDict):
    # Always "text_delta"
    type: Literal["text_delta"]
    # What is added
    text: str


class V1ExecutionMessageEventDataStreamEvent(TypedDict):
    # Always "stream_event"
    messageType: Literal["stream_event"]
    # What is added
    delta: V1ExecutionMessageEventDataStreamEventDelta


class V1ExecutionMessageEventDataRestarted(TypedDict):
    # A step was restarted with different text: keep the text up to `position`, and append the next deltas
    messageType: Literal["restarted"]
    # Length to cut the text of all deltas to, in UTF-16 units
    position: int


class V1ExecutionMessageEventDataAssistantMessage(TypedDict):
    # Always "assistant"
    role: Literal["assistant"]
    # Content blocks of the answer
    content: list[PlainBlock]


class V1ExecutionMessageEventDataAssistant(TypedDict):
    # Always "assistant"
    messageType: Literal["assistant"]
    # The message so far
    message: V1ExecutionMessageEventDataAssistantMessage


class V1ExecutionMessageEvent(TypedDict):
    """A piece of the answer"""

    # Always "message"
    event: Literal["message"]
    # Data of the event
    data: V1ExecutionMessageEventDataStreamEvent | V1ExecutionMessageEventDataRestarted | V1ExecutionMessageEventDataAssistant


class V1ExecutionMetaEventData(TypedDict):
    # The execution's id
    executionId: str
    # The chat that it is in
    chatId: str
    # Send it back to continue the conversation
    sessionId: str
    # A note about the answer
    notice: NotRequired[str]


class V1ExecutionMetaEvent(TypedDict):
    """The first event: the ids of the execution"""

    # Always "meta"
    event: Literal["meta"]
    # Data of the event
    data: V1ExecutionMetaEventData


class V1ExecutionResult(TypedDict):
    """The result of an execution"""

    # Whether the agent completed its turn
    success: bool
    # The execution's id
    executionId: str
    # The chat that it is in
    chatId: str
    # Send it back to continue the conversation
    sessionId: str
    # The agent's answer; absent if the execution is blocked without an answer
    result: NotRequired[str]
    error: NotRequired[V1ExecutionError]
    # While the execution is blocked: its job, which can be approved or resumed on the current surface
    jobId: NotRequired[str]
    # Why the model stopped, such as `length`: the answer was cut. Absent if it stopped on its own
    stopReason: NotRequired[StopReason]
    # A note about the answer
    notice: NotRequired[str]


class V1ExecutionResultEventDataUsage(TypedDict):
    # Tokens sent
    input_tokens: int
    # Tokens received from models
    output_tokens: int


class V1ExecutionResultEventData(TypedDict):
    # Send it back to continue the conversation
    sessionId: str
    # The whole answer; only if the stream had a `restarted` message
    result: NotRequired[str]
    # Tokens that model calls have used
    usage: V1ExecutionResultEventDataUsage
    # Why the model stopped, such as `length`: the answer was cut. Absent if it stopped on its own
    stopReason: NotRequired[StopReason]
    # A note about the answer
    notice: NotRequired[str]


class V1ExecutionResultEvent(TypedDict):
    """The last event of an execution that has succeeded"""

    # Always "result"
    event: Literal["result"]
    # Data of the event
    data: V1ExecutionResultEventData


class V1Task(TypedDict):
    """A work item"""

    # The task's id
    id: str
    # The title
    title: str
    # Description
    description: NotRequired[str]
    # Current status
    status: TaskStatus
    # How urgent it is
    priority: Priority
    # An agent's or a user's id; absent when unassigned
    assignedTo: NotRequired[str]
    # The workspace that it belongs to
    spaceId: NotRequired[str]
    # The organization that owns it
    organizationId: str
    # The user or agent who created it
    createdBy: str
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    completedAt: NotRequired[str]


class V1TaskAnswer(TypedDict):
    """A task"""

    # Always true
    success: Literal[True]
    task: V1Task


class V1TaskList(TypedDict):
    """The organization's tasks, newest first"""

    # Always true
    success: Literal[True]
    # The tasks of this page
    tasks: list[V1Task]


class V1UpdateAgentRequest(TypedDict):
    # Display name
    name: NotRequired[str]
    # System instructions
    systemPrompt: NotRequired[str]
    # The agent's role in a few words. Default "Assistant"
    role: NotRequired[str]
    # Who may see it. `private`: its creator; `organization`: every member; `public`: every caller;
    # `unlisted`: every caller who knows the id. Default "organization"
    visibility: NotRequired[Visibility]


class VerifySignatureRequest(TypedDict):
    # The headers of the delivery, as they arrived
    headers: dict[str, str]
    # The body of the delivery, byte for byte
    body: str
    # Secret to verify with; by default the organization's
    secret: NotRequired[str]


# Who may see an agent
Visibility: TypeAlias = Union[
    "Literal['private', 'organization', 'public', 'unlisted']",
]


class Workspace(TypedDict):
    """A place for the work of an organization, with its files, repositories and apps"""

    # The workspace's id
    id: str
    # Display name
    name: str
    # Description
    description: str | None
    # Instructions for the agents that work here
    instructions: str | None
    # Whether the caller has selected it
    selected: bool
    # The user who created it
    created_by: str
    # Git repositories that are mounted in the workspace
    repos: list[Repository]
    # Apps of the workspace
    apps: list[App]
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]


class WorkspaceDetails(TypedDict):
    """A workspace with its storage usage"""

    # The workspace's id
    id: str
    # Display name
    name: str
    # Description
    description: str | None
    # Instructions for the agents that work here
    instructions: str | None
    # Whether the caller has selected it
    selected: bool
    # The user who created it
    created_by: str
    # Git repositories that are mounted in the workspace
    repos: list[Repository]
    # Apps of the workspace
    apps: list[App]
    # The organization that owns it
    organization_id: str
    # Version number; rises by one with each change. Send it in `If-Match`
    version: int
    # ISO 8601 UTC with milliseconds
    created_at: str
    # ISO 8601 UTC with milliseconds
    updated_at: str
    # Links to related resources, by name
    links: dict[str, str]
    # Actions that the caller may take now
    allowed_actions: list[str]
    storage: WorkspaceStorage


class WorkspaceFile(TypedDict):
    """A file or a directory of a workspace"""

    # The path, relative to the workspace
    path: str
    # Last part of the path
    name: str
    # Kind of the entry
    kind: Literal["file", "directory"]
    # Size in bytes; for a directory, of all files below it
    size: int
    # The media type of a file
    mime: str | None
    # Entity tag of the content, for `If-Match` and `If-None-Match`
    etag: str | None
    # Version of the file's content; rises by one with each change
    number: int | None
    # ISO 8601 UTC with milliseconds
    modified_at: str
    # User or agent of the last change; null if unknown
    modified_by: FileAuthor | None


class WorkspaceList(TypedDict):
    """A page of workspaces, newest first"""

    # The workspaces of this page
    workspaces: list[Workspace]
    # Cursor of the next page; absent on the last page
    next_cursor: NotRequired[str]


class WorkspaceStorage(TypedDict):
    """Storage usage of a workspace"""

    # Bytes of all files, without their former versions
    bytes: int
    # Number of files
    files: int


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
    """`invalid_request`: A field of the body, the query or the headers is missing, unknown, given twice, of
    the wrong type or out of range.
    """


class InvalidScheduleError(ApiError):
    """`invalid_schedule`: The schedule's expression, time zone or one of its times is not valid."""


class InvalidCursorError(ApiError):
    """`invalid_cursor`: Invalid cursor for this list."""


class UnsupportedApiVersionError(ApiError):
    """`unsupported_api_version`: The request asks for a version of the contract that is not served."""


class InvalidIdempotencyKeyError(ApiError):
    """`invalid_idempotency_key`: The `Idempotency-Key` cannot be read, or was sent twice."""


class InvalidEventTypeError(ApiError):
    """`invalid_event_type`: Unknown event type or family in a filter."""


class InvalidPathError(ApiError):
    """`invalid_path`: Invalid path: it is absolute, contains `..`, or has a name that some systems cannot
    store.
    """


class InvalidUrlError(ApiError):
    """`invalid_url`: The URL is not allowed as a destination: its form, its scheme or its address."""


class UnauthenticatedError(ApiError):
    """`unauthenticated`: The token is missing, unknown, malformed or revoked."""


class TokenExpiredError(ApiError):
    """`token_expired`: The token has expired."""


class InsufficientScopeError(ApiError):
    """`insufficient_scope`: The token is valid but lacks a scope that the operation needs."""


class OwnerRequiredError(ApiError):
    """`owner_required`: Only an owner of the organization may do this."""


class OrganizationSuspendedError(ApiError):
    """`organization_suspended`: The operator of the service has suspended the organization. Nothing of it
    runs, and all its tokens are refused.
    """


class ForbiddenError(ApiError):
    """`forbidden`: You may not do this to this record."""


class InvalidSignatureError(ApiError):
    """`invalid_signature`: The signed address is invalid or has expired."""


class NotFoundError(ApiError):
    """`not_found`: The record or path does not exist, or the record belongs to another organization."""


class MethodNotAllowedError(ApiError):
    """The code `method_not_allowed`."""


class RequestTimeoutError(ApiError):
    """`request_timeout`: The body of the request did not arrive in time. Nothing was done."""


class InvalidStateError(ApiError):
    """`invalid_state`: The record's current status does not allow this."""


class ChatBusyError(ApiError):
    """`chat_busy`: A turn is running in the chat, and `on_busy` is `reject`."""


class ApprovalPendingError(ApiError):
    """`approval_pending`: The job waits for an approval or a review."""


class VersionConflictError(ApiError):
    """`version_conflict`: The record was changed since you read it."""


class SecretInUseError(ApiError):
    """`secret_in_use`: Agents, repositories of workspaces or provider keys use the secret."""


class NotALibraryAgentError(ApiError):
    """`not_a_library_agent`: Only library agents can be installed or uninstalled."""


class ReadOnlyViolationError(ApiError):
    """`read_only_violation`: The query is not exactly one SELECT over files of the workspace."""


class PathExistsError(ApiError):
    """`path_exists`: A file or directory already exists at the path, or a file is in the way of a directory.
    """


class IdempotencyConflictError(ApiError):
    """`idempotency_conflict`: The `Idempotency-Key` was already used with different input."""


class IdempotencyInProgressError(ApiError):
    """`idempotency_in_progress`: The first request with this key is still running."""


class EventNotRetainedError(ApiError):
    """`event_not_retained`: The event is older than the retention period and was deleted."""


class ShareExpiredError(ApiError):
    """`share_expired`: The share has expired, has reached its number of downloads, or was revoked."""


class UploadOffsetMismatchError(ApiError):
    """`upload_offset_mismatch`: The part does not begin at the next byte of the upload."""


class PayloadTooLargeError(ApiError):
    """`payload_too_large`: The body or one of its fields is too large."""


class RangeNotSatisfiableError(ApiError):
    """`range_not_satisfiable`: The requested range begins past the end of the file."""


class UnsupportedMediaTypeError(ApiError):
    """`unsupported_media_type`: The operation does not accept a body of this content type."""


class RateLimitedError(ApiError):
    """`rate_limited`: Too many requests in this window."""


class BudgetExceededError(ApiError):
    """`budget_exceeded`: The organization has used up its budget of model tokens, or of their cost, for this
    month.
    """


class QuotaExceededError(ApiError):
    """`quota_exceeded`: The organization has reached the quota in `details.quota`. Nothing was done."""


class InternalError(ApiError):
    """`internal_error`: Internal error: a bug in the service."""


class ProviderError(ApiError):
    """`provider_error`: The model provider failed or rejected the request."""


class OverloadedError(ApiError):
    """`overloaded`: Too many requests are waiting for this record or in this organization, too many streams
    are open, or too many bodies are being sent. Nothing was done.
    """


class StorageFullError(ApiError):
    """`storage_full`: The disk of the service is nearly full. Reads are answered; nothing is stored until
    there is space. Nothing was done.
    """


class UnavailableError(ApiError):
    """`unavailable`: A dependency of the service is unavailable. Nothing was done."""


class OutcomeUnknownError(ApiError):
    """`outcome_unknown`: The connection to the database broke during the commit: it may or may not have
    happened.
    """


class ShuttingDownError(ApiError):
    """`shutting_down`: The service is restarting. Nothing was done."""


class ApiTimeoutError(ApiError):
    """`timeout`: The work exceeded its time limit."""


_ERROR_CLASSES: Mapping[str, type[ApiError]] = {
    "invalid_json": InvalidJsonError,
    "invalid_request": InvalidRequestError,
    "invalid_schedule": InvalidScheduleError,
    "invalid_cursor": InvalidCursorError,
    "unsupported_api_version": UnsupportedApiVersionError,
    "invalid_idempotency_key": InvalidIdempotencyKeyError,
    "invalid_event_type": InvalidEventTypeError,
    "invalid_path": InvalidPathError,
    "invalid_url": InvalidUrlError,
    "unauthenticated": UnauthenticatedError,
    "token_expired": TokenExpiredError,
    "insufficient_scope": InsufficientScopeError,
    "owner_required": OwnerRequiredError,
    "organization_suspended": OrganizationSuspendedError,
    "forbidden": ForbiddenError,
    "invalid_signature": InvalidSignatureError,
    "not_found": NotFoundError,
    "method_not_allowed": MethodNotAllowedError,
    "request_timeout": RequestTimeoutError,
    "invalid_state": InvalidStateError,
    "chat_busy": ChatBusyError,
    "approval_pending": ApprovalPendingError,
    "version_conflict": VersionConflictError,
    "secret_in_use": SecretInUseError,
    "not_a_library_agent": NotALibraryAgentError,
    "read_only_violation": ReadOnlyViolationError,
    "path_exists": PathExistsError,
    "idempotency_conflict": IdempotencyConflictError,
    "idempotency_in_progress": IdempotencyInProgressError,
    "event_not_retained": EventNotRetainedError,
    "share_expired": ShareExpiredError,
    "upload_offset_mismatch": UploadOffsetMismatchError,
    "payload_too_large": PayloadTooLargeError,
    "range_not_satisfiable": RangeNotSatisfiableError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "rate_limited": RateLimitedError,
    "budget_exceeded": BudgetExceededError,
    "quota_exceeded": QuotaExceededError,
    "internal_error": InternalError,
    "provider_error": ProviderError,
    "overloaded": OverloadedError,
    "storage_full": StorageFullError,
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
