/**
 * The JavaScript SDK of Troupe: one file that needs nothing but `fetch` (Node from 20 on, Bun, Deno, browsers).
 * It is made from the contract by `bun run contract`; changes by hand are lost.
 *
 *   const troupe = new Troupe({ baseUrl: "http://127.0.0.1:3000", token: process.env.TROUPE_TOKEN });
 *   const chat = await troupe.createChat({ agent_id, workspace_id });
 *   await troupe.sendMessage(chat.id, { content: "Hello" });
 *   const live = new LiveText();
 *   for await (const event of troupe.streamChatEvents(chat.id, { replay: "all", wait: "end" }))
 *     if (event.event === "message.delta") show(live.apply(event)); // the whole text so far
 *
 * - Each operation of the contract is a method of `Troupe`. `listAll…` goes through all pages, `waitFor…`
 *   answers when a record has changed, `stream…` gives typed events and resumes a stream that was cut.
 * - Requests that change something carry an `Idempotency-Key`: a temporary failure is tried again with
 *   the same key, and done once.
 * - A refusal is an `ApiError`; each code has its class, for example `NotFoundError`.
 * - `verifyWebhook` answers the event of a webhook, or throws.
 */
/** A client of the service. It holds no connection: make one and keep it. */
export class Troupe {
    #http;
    constructor(options) {
        this.#http = new Transport(options, ERROR_CLASSES, { "api-version": API_VERSION });
    }
    // Agents: AI assistants: your own, and those of the library. [Guide: Agents and tools](/guides/agents-and-tools.md)
    /**
     * List agents.
     *
     * The organization's agents and the caller's own private ones, newest first. Library entries that are not installed
     * follow at the end. Filters are combined with AND.
     *
     * `GET /api/agents`. Needs `agents:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAgents(query, options) {
        return this.#http.json({ method: "GET", path: "/api/agents", query, options });
    }
    /**
     * List agents. All of them: the next page is asked for when it is needed.
     *
     * The organization's agents and the caller's own private ones, newest first. Library entries that are not installed
     * follow at the end. Filters are combined with AND.
     *
     * `GET /api/agents`. Needs `agents:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllAgents(query, options) {
        return this.#http.items((next) => this.listAgents({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.agents);
    }
    /**
     * Create a private agent.
     *
     * Only its creator sees it, unless another `visibility` is given.
     *
     * `POST /api/agents`. Needs `agents:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    createAgent(body, options) {
        return this.#http.json({ method: "POST", path: "/api/agents", body, isKeyed: true, options });
    }
    /**
     * Read an agent.
     *
     * `GET /api/agents/{id}`. Needs `agents:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getAgent(agentId, options) {
        return this.#http.json({ method: "GET", path: `/api/agents/${segment(agentId)}`, options });
    }
    /**
     * Update an agent.
     *
     * Omitted fields are unchanged. Jobs that have started keep the agent as it was.
     *
     * `PATCH /api/agents/{id}`. Needs `agents:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    updateAgent(agentId, body, options) {
        return this.#http.json({ method: "PATCH", path: `/api/agents/${segment(agentId)}`, body, isKeyed: true, options });
    }
    /**
     * Delete a private agent.
     *
     * The agent is archived: it can no longer be found, listed or executed. Its history is kept.
     *
     * `DELETE /api/agents/{id}`. Needs `agents:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteAgent(agentId, options) {
        return this.#http.json({ method: "DELETE", path: `/api/agents/${segment(agentId)}`, isKeyed: true, options });
    }
    /**
     * Install, uninstall or restore a library agent.
     *
     * Send either `install_state` or `action`. `install` applies the library's settings; `restore` brings back the
     * settings from before the agent was uninstalled.
     *
     * `PATCH /api/agents/{id}/install-state`. Needs `agents:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `NotALibraryAgentError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    setAgentInstallState(agentId, body, options) {
        return this.#http.json({
            method: "PATCH",
            path: `/api/agents/${segment(agentId)}/install-state`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Make tools from an OpenAPI document.
     *
     * Each chosen operation becomes a tool of kind `http`; its parameters and the fields of its JSON body become the
     * tool's arguments. A tool of this kind with the same name is replaced; other tools stay. With `dry_run` nothing is
     * stored; a dry run without `operations` lists the document's operations.
     *
     * `POST /api/agents/{id}/tools/import`. Needs `agents:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
     * `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    importAgentTools(agentId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/agents/${segment(agentId)}/tools/import`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Try approval rules on earlier calls.
     *
     * What the rules would have decided about the newest 100 calls of the agent in jobs that the caller sees. Nothing is
     * stored. Without `approval_rules` those of the agent are tried.
     *
     * `POST /api/agents/{id}/approval-rules/dry-run`. Needs `jobs:read`. May throw `OrganizationSuspendedError`,
     * `NotFoundError` or `RequestTimeoutError`.
     */
    tryApprovalRules(agentId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/agents/${segment(agentId)}/approval-rules/dry-run`,
            body,
            options,
        });
    }
    // Chats: Durable conversations with an agent. [Guide: Conversations](/guides/conversations.md)
    /**
     * List chats.
     *
     * Filters are combined with AND.
     *
     * `GET /api/chats`. Needs `chats:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listChats(query, options) {
        return this.#http.json({ method: "GET", path: "/api/chats", query, options });
    }
    /**
     * List chats. All of them: the next page is asked for when it is needed.
     *
     * Filters are combined with AND.
     *
     * `GET /api/chats`. Needs `chats:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllChats(query, options) {
        return this.#http.items((next) => this.listChats({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.chats);
    }
    /**
     * Create a durable chat.
     *
     * `POST /api/chats`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    createChat(body, options) {
        return this.#http.json({ method: "POST", path: "/api/chats", body, isKeyed: true, options });
    }
    /**
     * Read a chat.
     *
     * `GET /api/chats/{id}`. Needs `chats:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getChat(chatId, options) {
        return this.#http.json({ method: "GET", path: `/api/chats/${segment(chatId)}`, options });
    }
    /**
     * Read a chat. Answers as soon as `version` is past `since_version`; nothing where that did not happen within `wait`
     * seconds.
     *
     * `GET /api/chats/{id}`. Needs `chats:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    waitForChat(chatId, query, options) {
        return this.#http.changed({ method: "GET", path: `/api/chats/${segment(chatId)}`, query, options });
    }
    /**
     * Delete a chat.
     *
     * Only for the chat's creator and for owners. Running work is cancelled, and the chat can no longer be found.
     *
     * `DELETE /api/chats/{id}`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteChat(chatId, options) {
        return this.#http.json({ method: "DELETE", path: `/api/chats/${segment(chatId)}`, isKeyed: true, options });
    }
    /**
     * Rename a chat, pin it, or change its metadata.
     *
     * Only for the chat's creator and for owners. Omitted fields are unchanged.
     *
     * `PATCH /api/chats/{id}`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateChat(chatId, body, options) {
        return this.#http.json({ method: "PATCH", path: `/api/chats/${segment(chatId)}`, body, isKeyed: true, options });
    }
    /**
     * Update chat options.
     *
     * Merges the given options, sent at the top level or in `options`. Only the chat's creator and owners can change its
     * title.
     *
     * `PATCH /api/chats/{id}/options`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateChatOptions(chatId, body, options) {
        return this.#http.json({
            method: "PATCH",
            path: `/api/chats/${segment(chatId)}/options`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Read messages and the durable work summary.
     *
     * The newest page comes first; the messages of a page are in conversation order. `next_cursor` leads to older
     * messages.
     *
     * `GET /api/chats/{id}/messages`. Needs `chats:read`. May throw `InvalidCursorError`, `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listMessages(chatId, query, options) {
        return this.#http.json({ method: "GET", path: `/api/chats/${segment(chatId)}/messages`, query, options });
    }
    /**
     * Read messages and the durable work summary. All of them: the next page is asked for when it is needed.
     *
     * The newest page comes first; the messages of a page are in conversation order. `next_cursor` leads to older
     * messages.
     *
     * `GET /api/chats/{id}/messages`. Needs `chats:read`. May throw `InvalidCursorError`, `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listAllMessages(chatId, query, options) {
        return this.#http.items((next) => this.listMessages(chatId, { ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.messages);
    }
    /**
     * Send a message to the agent.
     *
     * Returns when the message is stored; the job that answers it continues. `on_busy` decides what happens to the
     * message while a turn runs: `queue`, `steer` (the model gets it before its next call), `interrupt` (the turn is
     * cancelled) or `reject`.
     *
     * `POST /api/chats/{id}/messages`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `ChatBusyError`, `ApprovalPendingError`,
     * `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or `StorageFullError`.
     */
    sendMessage(chatId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/chats/${segment(chatId)}/messages`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Pin or unpin a message.
     *
     * A pinned message stays in the model's context unchanged, even when the conversation around it is compacted. A chat
     * can have at most 20.
     *
     * `PATCH /api/chats/{id}/messages/{message_id}`. Needs `chats:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateMessage(chatId, messageId, body, options) {
        return this.#http.json({
            method: "PATCH",
            path: `/api/chats/${segment(chatId)}/messages/${segment(messageId)}`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Compact the conversation.
     *
     * Starts a job that writes a summary of the conversation so far. From then on the model gets the summary instead of
     * the messages that it replaces; all messages stay readable. Long conversations are compacted automatically.
     *
     * `POST /api/chats/{id}/compact`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or
     * `StorageFullError`.
     */
    compactChat(chatId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/chats/${segment(chatId)}/compact`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Fork a chat at an earlier message.
     *
     * Copies the conversation up to and including the message into a new chat; this chat stays as it is. `content`
     * replaces the message, which must then be a user's, and the agent answers it: edit and resend. At most the newest
     * 1,000 messages and 4 MiB before the message are copied.
     *
     * `POST /api/chats/{id}/fork`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or
     * `StorageFullError`.
     */
    forkChat(chatId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/chats/${segment(chatId)}/fork`,
            body,
            isKeyed: true,
            options,
        });
    }
    // Jobs: Long-running work records. [Guide: Approvals and review](/guides/approvals-and-review.md)
    /**
     * List jobs.
     *
     * Filters are combined with AND.
     *
     * `GET /api/jobs`. Needs `jobs:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listJobs(query, options) {
        return this.#http.json({ method: "GET", path: "/api/jobs", query, options });
    }
    /**
     * List jobs. All of them: the next page is asked for when it is needed.
     *
     * Filters are combined with AND.
     *
     * `GET /api/jobs`. Needs `jobs:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllJobs(query, options) {
        return this.#http.items((next) => this.listJobs({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.jobs);
    }
    /**
     * Read status, metadata, artifacts, review state and links.
     *
     * `GET /api/jobs/{id}`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getJob(jobId, options) {
        return this.#http.json({ method: "GET", path: `/api/jobs/${segment(jobId)}`, options });
    }
    /**
     * Read status, metadata, artifacts, review state and links. Answers as soon as `version` is past `since_version`;
     * nothing where that did not happen within `wait` seconds.
     *
     * `GET /api/jobs/{id}`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    waitForJob(jobId, query, options) {
        return this.#http.changed({ method: "GET", path: `/api/jobs/${segment(jobId)}`, query, options });
    }
    /**
     * Read related jobs.
     *
     * The job's iterations, resumptions, delegations and ancestors.
     *
     * `GET /api/jobs/{id}/lineage`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getJobLineage(jobId, options) {
        return this.#http.json({ method: "GET", path: `/api/jobs/${segment(jobId)}/lineage`, options });
    }
    /**
     * Read transcript events.
     *
     * The durable events of the job's stream, in pages.
     *
     * `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listTranscriptEvents(jobId, query, options) {
        return this.#http.json({ method: "GET", path: `/api/jobs/${segment(jobId)}/transcript-events`, query, options });
    }
    /**
     * Read transcript events. All of them: the next page is asked for when it is needed.
     *
     * The durable events of the job's stream, in pages.
     *
     * `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listAllTranscriptEvents(jobId, query, options) {
        return this.#http.items((next) => this.listTranscriptEvents(jobId, { ...query, ...(next === undefined ? {} : { after: Number(next) }) }, options), (page) => page.events);
    }
    /**
     * Approve a reviewed job, or approve or deny waiting tool calls.
     *
     * Without an id it applies to all waiting calls, or to the review. A denial emits `job.denied`.
     *
     * `POST /api/jobs/{id}/approve`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    approveJob(jobId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/jobs/${segment(jobId)}/approve`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Cancel running work.
     *
     * With `wait` it returns when the job has stopped, with the seq of its last event.
     *
     * `POST /api/jobs/{id}/cancel`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    cancelJob(jobId, query, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/jobs/${segment(jobId)}/cancel`,
            query,
            isKeyed: true,
            options,
        });
    }
    /**
     * Send the results of tools that the client runs.
     *
     * For the calls in `requested_tool_calls`. Send one result per call; the job continues once every call has a result.
     *
     * `POST /api/jobs/{id}/tool-results`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    sendToolResults(jobId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/jobs/${segment(jobId)}/tool-results`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Resume blocked work.
     *
     * A blocked job continues as the same job; a failed or cancelled job continues in a new one.
     *
     * `POST /api/jobs/{id}/resume`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `ApprovalPendingError`, `BudgetExceededError`,
     * `QuotaExceededError`, `ProviderError` or `StorageFullError`.
     */
    resumeJob(jobId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/jobs/${segment(jobId)}/resume`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Request another iteration.
     *
     * Requests changes, if a review is pending, and starts another round in a new job.
     *
     * `POST /api/jobs/{id}/iterate`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `ApprovalPendingError`, `BudgetExceededError`,
     * `QuotaExceededError`, `ProviderError` or `StorageFullError`.
     */
    iterateJob(jobId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/jobs/${segment(jobId)}/iterate`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Cancel, resume or decide many jobs.
     *
     * Acts on the jobs of one page of the filter, one after the other. Each job changes and emits its event as if the
     * operation for one job had been called. The answer says what happened to each. Do not call it twice at the same
     * time: both calls may resume the same failed job. Call it again with `next_cursor` for the jobs after these.
     *
     * `POST /api/jobs/bulk`. Needs `jobs:write`. May throw `InvalidCursorError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    bulkJobs(body, query, options) {
        return this.#http.json({ method: "POST", path: "/api/jobs/bulk", query, body, isKeyed: true, options });
    }
    // Streams: Server-sent events that resume where the connection broke. [Guide: Streams and resuming](/guides/streams-and-resuming.md)
    /**
     * Stream chat events. Goes on by itself where it was cut, without a gap and without a repetition.
     *
     * A `snapshot` of the record comes first, then recent events, then live events. The id of an event is the cursor to
     * resume from, without gaps or duplicates. `reset` means that the cursor cannot be used. Comments are heartbeats.
     * Resuming a finished stream at its end returns 204. The stream stays open unless you send `wait=end`.
     *
     * `GET /api/chats/{id}/events`. Needs `chats:read` or `events:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    streamChatEvents(chatId, query, options) {
        return this.#http.resumed({ method: "GET", path: `/api/chats/${segment(chatId)}/events`, query, options });
    }
    /**
     * Stream job events. Goes on by itself where it was cut, without a gap and without a repetition.
     *
     * A `snapshot` of the record comes first, then recent events, then live events. The id of an event is the cursor to
     * resume from, without gaps or duplicates. `reset` means that the cursor cannot be used. Comments are heartbeats.
     * Resuming a finished stream at its end returns 204. After the job's last event comes `stream.end`, and the stream
     * closes.
     *
     * `GET /api/jobs/{id}/events`. Needs `jobs:read` or `events:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    streamJobEvents(jobId, query, options) {
        return this.#http.resumed({ method: "GET", path: `/api/jobs/${segment(jobId)}/events`, query, options });
    }
    // Embedded pages: Streams for pages without a token. [Guide: Streams and resuming](/guides/streams-and-resuming.md)
    /**
     * Stream job events by a signed URL. Goes on by itself where it was cut, without a gap and without a repetition.
     *
     * A job's `links.app_stream` is a signed URL that can open the stream for five minutes. It sends the same events as
     * the job's stream.
     *
     * `GET /mcp-app/jobs/{id}/events`. May throw `InvalidSignatureError`.
     */
    streamSignedJobEvents(jobId, query, options) {
        return this.#http.resumed({
            method: "GET",
            path: `/mcp-app/jobs/${segment(jobId)}/events`,
            query,
            isPublic: true,
            options,
        });
    }
    // Uploads: Files that messages refer to
    /**
     * List your uploaded files.
     *
     * `GET /api/files`. Needs `chats:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listUploads(query, options) {
        return this.#http.json({ method: "GET", path: "/api/files", query, options });
    }
    /**
     * List your uploaded files. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/files`. Needs `chats:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllUploads(query, options) {
        return this.#http.items((next) => this.listUploads({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.files);
    }
    /**
     * Upload a file for a message.
     *
     * The body is the file: a PNG, JPEG, GIF or WebP image, a PDF, or text in UTF-8. Its media type is detected from its
     * first bytes. A file that no message refers to is removed after 7 days.
     *
     * `POST /api/files`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    createUpload(body, query, options) {
        return this.#http.json({
            method: "POST",
            path: "/api/files",
            query,
            body,
            contentType: "application/octet-stream",
            isKeyed: true,
            options,
        });
    }
    /**
     * Read an uploaded file's metadata.
     *
     * `GET /api/files/{id}`. Needs `chats:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getUpload(fileId, options) {
        return this.#http.json({ method: "GET", path: `/api/files/${segment(fileId)}`, options });
    }
    /**
     * Delete an uploaded file.
     *
     * New messages can no longer refer to the file. Messages that already do keep its content.
     *
     * `DELETE /api/files/{id}`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteUpload(fileId, options) {
        return this.#http.json({ method: "DELETE", path: `/api/files/${segment(fileId)}`, isKeyed: true, options });
    }
    /**
     * Download an uploaded file.
     *
     * `GET /api/files/{id}/content`. Needs `chats:read`. May throw `OrganizationSuspendedError`, `NotFoundError` or
     * `RangeNotSatisfiableError`.
     */
    readUpload(fileId, options) {
        return this.#http.bytes({ method: "GET", path: `/api/files/${segment(fileId)}/content`, options });
    }
    /**
     * Download an uploaded file. The content in pieces, as they arrive: a file of any size takes little memory.
     *
     * `GET /api/files/{id}/content`. Needs `chats:read`. May throw `OrganizationSuspendedError`, `NotFoundError` or
     * `RangeNotSatisfiableError`.
     */
    readUploadStream(fileId, options) {
        return this.#http.chunks({ method: "GET", path: `/api/files/${segment(fileId)}/content`, options });
    }
    // Missions: Recurring work for an agent, started by hand or by a schedule. [Guide: Missions](/guides/missions.md)
    /**
     * List missions.
     *
     * Filters are combined with AND.
     *
     * `GET /api/missions`. Needs `missions:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listMissions(query, options) {
        return this.#http.json({ method: "GET", path: "/api/missions", query, options });
    }
    /**
     * List missions. All of them: the next page is asked for when it is needed.
     *
     * Filters are combined with AND.
     *
     * `GET /api/missions`. Needs `missions:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllMissions(query, options) {
        return this.#http.items((next) => this.listMissions({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.missions);
    }
    /**
     * Create a mission.
     *
     * Without a schedule, the mission runs only when it is started by hand. Scheduled runs have the permissions of the
     * mission's creator. Without `workspace_id` it uses the default workspace.
     *
     * `POST /api/missions`. Needs `missions:write`. May throw `InvalidScheduleError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    createMission(body, options) {
        return this.#http.json({ method: "POST", path: "/api/missions", body, isKeyed: true, options });
    }
    /**
     * Read a mission.
     *
     * `GET /api/missions/{id}`. Needs `missions:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getMission(missionId, options) {
        return this.#http.json({ method: "GET", path: `/api/missions/${segment(missionId)}`, options });
    }
    /**
     * Read a mission. Answers as soon as `version` is past `since_version`; nothing where that did not happen within
     * `wait` seconds.
     *
     * `GET /api/missions/{id}`. Needs `missions:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    waitForMission(missionId, query, options) {
        return this.#http.changed({ method: "GET", path: `/api/missions/${segment(missionId)}`, query, options });
    }
    /**
     * Update a mission.
     *
     * Omitted fields are unchanged. `status` pauses it (`paused`), resumes it (`pending`) or runs it now (`running`).
     *
     * `PATCH /api/missions/{id}`. Needs `missions:write`. May throw `InvalidScheduleError`, `OrganizationSuspendedError`,
     * `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`,
     * `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or `StorageFullError`.
     */
    updateMission(missionId, body, options) {
        return this.#http.json({
            method: "PATCH",
            path: `/api/missions/${segment(missionId)}`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Delete a mission.
     *
     * The mission no longer runs and can no longer be found; its record is kept. Its running jobs are cancelled.
     *
     * `DELETE /api/missions/{id}`. Needs `missions:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteMission(missionId, options) {
        return this.#http.json({ method: "DELETE", path: `/api/missions/${segment(missionId)}`, isKeyed: true, options });
    }
    /**
     * Forecast when a mission will run.
     *
     * In UTC and in local time, with a note where a clock change shifts, skips or repeats a time.
     *
     * `GET /api/missions/{id}/forecast`. Needs `missions:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    getMissionForecast(missionId, query, options) {
        return this.#http.json({ method: "GET", path: `/api/missions/${segment(missionId)}/forecast`, query, options });
    }
    /**
     * Forecast a schedule that is not saved.
     *
     * Validates the schedule as for a new mission, and answers its next times with the effects of clock changes. A
     * mission that only runs when it is started by hand has no times.
     *
     * `POST /api/missions/forecast`. Needs `missions:read`. May throw `InvalidScheduleError`,
     * `OrganizationSuspendedError` or `RequestTimeoutError`.
     */
    forecastSchedule(body, options) {
        return this.#http.json({ method: "POST", path: "/api/missions/forecast", body, options });
    }
    /**
     * Run a mission now.
     *
     * While another run is open, the mission's overlap policy decides. If it makes the new run wait, the answer has no
     * `run` and no `job` yet.
     *
     * `POST /api/missions/{id}/run`. Needs `missions:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `BudgetExceededError`, `QuotaExceededError`,
     * `ProviderError` or `StorageFullError`.
     */
    runMission(missionId, options) {
        return this.#http.json({ method: "POST", path: `/api/missions/${segment(missionId)}/run`, isKeyed: true, options });
    }
    /**
     * List the runs of a mission.
     *
     * The ledger: every scheduled time with its outcome, and every manual run.
     *
     * `GET /api/missions/{id}/runs`. Needs `missions:read`. May throw `InvalidCursorError`, `OrganizationSuspendedError`
     * or `NotFoundError`.
     */
    listMissionRuns(missionId, query, options) {
        return this.#http.json({ method: "GET", path: `/api/missions/${segment(missionId)}/runs`, query, options });
    }
    /**
     * List the runs of a mission. All of them: the next page is asked for when it is needed.
     *
     * The ledger: every scheduled time with its outcome, and every manual run.
     *
     * `GET /api/missions/{id}/runs`. Needs `missions:read`. May throw `InvalidCursorError`, `OrganizationSuspendedError`
     * or `NotFoundError`.
     */
    listAllMissionRuns(missionId, query, options) {
        return this.#http.items((next) => this.listMissionRuns(missionId, { ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.runs);
    }
    /**
     * Add a mission task.
     *
     * `POST /api/missions/{id}/tasks`. Needs `missions:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    addMissionTask(missionId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/missions/${segment(missionId)}/tasks`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Read a mission task.
     *
     * `GET /api/missions/{id}/tasks/{taskId}`. Needs `missions:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    getMissionTask(missionId, taskId, options) {
        return this.#http.json({
            method: "GET",
            path: `/api/missions/${segment(missionId)}/tasks/${segment(taskId)}`,
            options,
        });
    }
    /**
     * Update a mission task.
     *
     * Omitted fields are unchanged. A status that ends the work also stops its job.
     *
     * `PATCH /api/missions/{id}/tasks/{taskId}`. Needs `missions:write`. May throw `OrganizationSuspendedError`,
     * `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    updateMissionTask(missionId, taskId, body, options) {
        return this.#http.json({
            method: "PATCH",
            path: `/api/missions/${segment(missionId)}/tasks/${segment(taskId)}`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Start long-running work from a task.
     *
     * The agent that the task is assigned to does the work, or else the mission's agent. If a job is already active, it
     * is returned with 200.
     *
     * `POST /api/missions/{id}/tasks/{taskId}/start-work`. Needs `missions:write`. May throw
     * `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
     * `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or `StorageFullError`.
     */
    startMissionTask(missionId, taskId, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/missions/${segment(missionId)}/tasks/${segment(taskId)}/start-work`,
            isKeyed: true,
            options,
        });
    }
    // Tasks: Work items, assigned to agents or to people
    /**
     * List tasks.
     *
     * Filters are combined with AND.
     *
     * `GET /api/tasks`. Needs `tasks:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listTasks(query, options) {
        return this.#http.json({ method: "GET", path: "/api/tasks", query, options });
    }
    /**
     * List tasks. All of them: the next page is asked for when it is needed.
     *
     * Filters are combined with AND.
     *
     * `GET /api/tasks`. Needs `tasks:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllTasks(query, options) {
        return this.#http.items((next) => this.listTasks({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.tasks);
    }
    /**
     * Create a task.
     *
     * The new task is `pending`. Assigning a task does not start any work.
     *
     * `POST /api/tasks`. Needs `tasks:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    createTask(body, options) {
        return this.#http.json({ method: "POST", path: "/api/tasks", body, isKeyed: true, options });
    }
    /**
     * Read a task.
     *
     * `GET /api/tasks/{id}`. Needs `tasks:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getTask(taskId, options) {
        return this.#http.json({ method: "GET", path: `/api/tasks/${segment(taskId)}`, options });
    }
    /**
     * Update a task.
     *
     * Omitted fields are unchanged. `completed` and `cancelled` are final.
     *
     * `PATCH /api/tasks/{id}`. Needs `tasks:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateTask(taskId, body, options) {
        return this.#http.json({ method: "PATCH", path: `/api/tasks/${segment(taskId)}`, body, isKeyed: true, options });
    }
    /**
     * Delete a task.
     *
     * The task can no longer be found, on v1 either.
     *
     * `DELETE /api/tasks/{id}`. Needs `tasks:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteTask(taskId, options) {
        return this.#http.json({ method: "DELETE", path: `/api/tasks/${segment(taskId)}`, isKeyed: true, options });
    }
    // Workspaces: Where the work of an organization happens. [Guide: Files](/guides/files.md)
    /**
     * List workspaces.
     *
     * `GET /api/workspaces`. Needs `workspaces:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listWorkspaces(query, options) {
        return this.#http.json({ method: "GET", path: "/api/workspaces", query, options });
    }
    /**
     * List workspaces. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/workspaces`. Needs `workspaces:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllWorkspaces(query, options) {
        return this.#http.items((next) => this.listWorkspaces({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.workspaces);
    }
    /**
     * Create a workspace.
     *
     * `POST /api/workspaces`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    createWorkspace(body, options) {
        return this.#http.json({ method: "POST", path: "/api/workspaces", body, isKeyed: true, options });
    }
    /**
     * Read a workspace.
     *
     * `GET /api/workspaces/{id}`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getWorkspace(workspaceId, options) {
        return this.#http.json({ method: "GET", path: `/api/workspaces/${segment(workspaceId)}`, options });
    }
    /**
     * Update a workspace.
     *
     * Omitted fields are unchanged.
     *
     * `PATCH /api/workspaces/{id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateWorkspace(workspaceId, body, options) {
        return this.#http.json({
            method: "PATCH",
            path: `/api/workspaces/${segment(workspaceId)}`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Delete a workspace.
     *
     * Deletes its files too; missions in it fail. The organization's first workspace cannot be deleted.
     *
     * `DELETE /api/workspaces/{id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteWorkspace(workspaceId, options) {
        return this.#http.json({
            method: "DELETE",
            path: `/api/workspaces/${segment(workspaceId)}`,
            isKeyed: true,
            options,
        });
    }
    /**
     * Set the active workspace.
     *
     * Each user has an active workspace of their own.
     *
     * `POST /api/workspaces/{id}/select`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    selectWorkspace(workspaceId, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/select`,
            isKeyed: true,
            options,
        });
    }
    // Files: Files and directories of a workspace. [Guide: Files](/guides/files.md)
    /**
     * List files and directories.
     *
     * Sorted by path, byte by byte. A page can have fewer than `limit` entries if `glob` excludes some.
     *
     * `GET /api/workspaces/{id}/files`. Needs `workspaces:read`. May throw `InvalidCursorError`, `InvalidPathError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listFiles(workspaceId, query, options) {
        return this.#http.json({ method: "GET", path: `/api/workspaces/${segment(workspaceId)}/files`, query, options });
    }
    /**
     * List files and directories. All of them: the next page is asked for when it is needed.
     *
     * Sorted by path, byte by byte. A page can have fewer than `limit` entries if `glob` excludes some.
     *
     * `GET /api/workspaces/{id}/files`. Needs `workspaces:read`. May throw `InvalidCursorError`, `InvalidPathError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listAllFiles(workspaceId, query, options) {
        return this.#http.items((next) => this.listFiles(workspaceId, { ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.files);
    }
    /**
     * Search names and contents.
     *
     * Matches in names come first, then matches in contents. Only the first 64 KiB of a text file are searched.
     *
     * `GET /api/workspaces/{id}/files/search`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    searchFiles(workspaceId, query, options) {
        return this.#http.json({
            method: "GET",
            path: `/api/workspaces/${segment(workspaceId)}/files/search`,
            query,
            options,
        });
    }
    /**
     * Download a file.
     *
     * The current content, or the content of version `number`.
     *
     * `GET /api/workspaces/{id}/files/content`. Needs `workspaces:read`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `NotFoundError` or `RangeNotSatisfiableError`.
     */
    readFile(workspaceId, query, options) {
        return this.#http.bytes({
            method: "GET",
            path: `/api/workspaces/${segment(workspaceId)}/files/content`,
            query,
            options,
        });
    }
    /**
     * Download a file. The content in pieces, as they arrive: a file of any size takes little memory.
     *
     * The current content, or the content of version `number`.
     *
     * `GET /api/workspaces/{id}/files/content`. Needs `workspaces:read`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `NotFoundError` or `RangeNotSatisfiableError`.
     */
    readFileStream(workspaceId, query, options) {
        return this.#http.chunks({
            method: "GET",
            path: `/api/workspaces/${segment(workspaceId)}/files/content`,
            query,
            options,
        });
    }
    /**
     * Upload a file.
     *
     * Creates the file and missing parent directories, or replaces its content. The body is the file, and `Content-Type`
     * its media type. A large file can be sent in parts, each with `Content-Range` and the `Repr-Digest` of the whole
     * file. While bytes are missing, the response is 202 with the `offset` of the next part; send `Content-Range: bytes
     * *\/<size>` to query it. An upload in parts may take up to a day.
     *
     * `PUT /api/workspaces/{id}/files/content`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`,
     * `PathExistsError`, `UploadOffsetMismatchError`, `QuotaExceededError` or `StorageFullError`.
     */
    writeFile(workspaceId, body, query, options) {
        return this.#http.json({
            method: "PUT",
            path: `/api/workspaces/${segment(workspaceId)}/files/content`,
            query,
            body,
            contentType: "application/octet-stream",
            isKeyed: true,
            options,
        });
    }
    /**
     * Delete a file or directory.
     *
     * Deleting a directory that is not empty needs `recursive=true`; otherwise it is 409 `path_exists`.
     *
     * `DELETE /api/workspaces/{id}/files/content`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`,
     * `PathExistsError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteFile(workspaceId, query, options) {
        return this.#http.json({
            method: "DELETE",
            path: `/api/workspaces/${segment(workspaceId)}/files/content`,
            query,
            isKeyed: true,
            options,
        });
    }
    /**
     * List the versions of a file.
     *
     * Works for a file that exists or was deleted less than 30 days ago. All versions, at most 51, are on one page.
     *
     * `GET /api/workspaces/{id}/files/versions`. Needs `workspaces:read`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listFileVersions(workspaceId, query, options) {
        return this.#http.json({
            method: "GET",
            path: `/api/workspaces/${segment(workspaceId)}/files/versions`,
            query,
            options,
        });
    }
    /**
     * Create or fetch a file preview.
     *
     * Text files and tables: the beginning of their content. Markdown and code: HTML that is safe to show as well.
     * Tables: their first rows. Images: a scaled picture. PDFs: their text and first page. Parts that cannot be made for
     * a file are omitted.
     *
     * `POST /api/workspaces/{id}/files/preview`. Needs `workspaces:read`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `NotFoundError` or `RequestTimeoutError`.
     */
    previewFile(workspaceId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/files/preview`,
            body,
            options,
        });
    }
    /**
     * Create a directory.
     *
     * Creates missing parent directories. A directory that exists is not an error.
     *
     * `POST /api/workspaces/{id}/files/directory`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `PathExistsError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    createDirectory(workspaceId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/files/directory`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Move a file or directory.
     *
     * With `overwrite` a file replaces a file (whose content is kept as a version), and a directory replaces an empty
     * one.
     *
     * `POST /api/workspaces/{id}/files/move`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `PathExistsError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    moveFile(workspaceId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/files/move`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Create a public file share.
     *
     * The URL serves the file that is at the path at the time of the download.
     *
     * `POST /api/workspaces/{id}/files/share`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    shareFile(workspaceId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/files/share`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * List the shares of a workspace.
     *
     * `GET /api/workspaces/{id}/shares`. Needs `workspaces:read`. May throw `InvalidCursorError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listShares(workspaceId, query, options) {
        return this.#http.json({ method: "GET", path: `/api/workspaces/${segment(workspaceId)}/shares`, query, options });
    }
    /**
     * List the shares of a workspace. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/workspaces/{id}/shares`. Needs `workspaces:read`. May throw `InvalidCursorError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listAllShares(workspaceId, query, options) {
        return this.#http.items((next) => this.listShares(workspaceId, { ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.shares);
    }
    /**
     * Revoke a share.
     *
     * `DELETE /api/workspaces/{id}/shares/{share_id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeShare(workspaceId, shareId, options) {
        return this.#http.json({
            method: "DELETE",
            path: `/api/workspaces/${segment(workspaceId)}/shares/${segment(shareId)}`,
            isKeyed: true,
            options,
        });
    }
    // Shares: Files that anyone with the link can download, without a token. [Guide: Files](/guides/files.md)
    /**
     * Download a shared file.
     *
     * Send the password of a share by HTTP Basic authentication, with any user name. Each response with content counts as
     * a download; HEAD, 304 and 416 do not count. Browsers (`Accept: text/html`) get a page with a preview and a download
     * link, and errors as pages; the page does not count as a download, and has no preview if `max_downloads` is set.
     *
     * `GET /share/{token}`. May throw `NotFoundError`, `ShareExpiredError` or `RangeNotSatisfiableError`.
     */
    openShare(token, query, options) {
        return this.#http.bytes({ method: "GET", path: `/share/${segment(token)}`, query, isPublic: true, options });
    }
    /**
     * Download a shared file. The content in pieces, as they arrive: a file of any size takes little memory.
     *
     * Send the password of a share by HTTP Basic authentication, with any user name. Each response with content counts as
     * a download; HEAD, 304 and 416 do not count. Browsers (`Accept: text/html`) get a page with a preview and a download
     * link, and errors as pages; the page does not count as a download, and has no preview if `max_downloads` is set.
     *
     * `GET /share/{token}`. May throw `NotFoundError`, `ShareExpiredError` or `RangeNotSatisfiableError`.
     */
    openShareStream(token, query, options) {
        return this.#http.chunks({ method: "GET", path: `/share/${segment(token)}`, query, isPublic: true, options });
    }
    // Unfinished uploads: Uploads in parts that are not finished
    /**
     * List unfinished uploads.
     *
     * Your own uploads in parts, newest first; owners see those of all members. There are at most 32 per organization and
     * 8 per person.
     *
     * `GET /api/unfinished-uploads`. Needs `workspaces:read`. May throw `OrganizationSuspendedError`.
     */
    listUnfinishedUploads(options) {
        return this.#http.json({ method: "GET", path: "/api/unfinished-uploads", options });
    }
    /**
     * End an unfinished upload.
     *
     * Discards the bytes received so far. Only for the person who started the upload, and for owners.
     *
     * `DELETE /api/unfinished-uploads/{id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    endUnfinishedUpload(uploadId, options) {
        return this.#http.json({
            method: "DELETE",
            path: `/api/unfinished-uploads/${segment(uploadId)}`,
            isKeyed: true,
            options,
        });
    }
    // Data: Queries over the files of a workspace
    /**
     * Run a read-only data-block query.
     *
     * DuckDB over CSV, JSON and Parquet files, such as `FROM 'reports/sales.csv'` or `FROM read_csv('a.txt', delim =
     * ';')`; SQLite over the file that `database` names. A query reads only the files that it names, and may use 5 s of
     * CPU time, 30 s in total and 512 MiB of memory. CSV and Arrow responses contain only the rows; `X-Row-Count` and
     * `X-Truncated` have the rest.
     *
     * `POST /api/workspaces/{id}/data-blocks/query`. Needs `workspaces:read`. May throw `InvalidPathError`,
     * `ReadOnlyViolationError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError` or
     * `ApiTimeoutError`.
     */
    queryData(workspaceId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/data-blocks/query`,
            body,
            options,
        });
    }
    /**
     * Run a read-only data-block query. The content in the `format` that the body names.
     *
     * DuckDB over CSV, JSON and Parquet files, such as `FROM 'reports/sales.csv'` or `FROM read_csv('a.txt', delim =
     * ';')`; SQLite over the file that `database` names. A query reads only the files that it names, and may use 5 s of
     * CPU time, 30 s in total and 512 MiB of memory. CSV and Arrow responses contain only the rows; `X-Row-Count` and
     * `X-Truncated` have the rest.
     *
     * `POST /api/workspaces/{id}/data-blocks/query`. Needs `workspaces:read`. May throw `InvalidPathError`,
     * `ReadOnlyViolationError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError` or
     * `ApiTimeoutError`.
     */
    queryDataBytes(workspaceId, body, options) {
        return this.#http.bytes({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/data-blocks/query`,
            body,
            options,
        });
    }
    // Repositories: Repositories whose files are in a workspace
    /**
     * List repository mounts.
     *
     * Returns all of them: a workspace has at most 20.
     *
     * `GET /api/workspaces/{id}/repos`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listRepositories(workspaceId, options) {
        return this.#http.json({ method: "GET", path: `/api/workspaces/${segment(workspaceId)}/repos`, options });
    }
    /**
     * Add a repository mount.
     *
     * The mount stays `pending` until it is cloned. Only owners can name a `secret`, with the scope `secrets:use`.
     *
     * `POST /api/workspaces/{id}/repos`. Needs `workspaces:write`. May throw `InvalidPathError`, `InvalidUrlError`,
     * `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `PathExistsError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    addRepository(workspaceId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/repos`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Clone a repository mount.
     *
     * Clones the mount `repo_id`, or a new one. A job does the work: follow or cancel `job_id` like any other job. Only
     * the files of the latest commit are fetched; symbolic links, submodules and files that a workspace cannot store are
     * left out.
     *
     * `POST /api/workspaces/{id}/repos/clone`. Needs `workspaces:write`. May throw `InvalidPathError`, `InvalidUrlError`,
     * `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
     * `PathExistsError`, `QuotaExceededError` or `StorageFullError`.
     */
    cloneRepository(workspaceId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/repos/clone`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Read a repository mount.
     *
     * `GET /api/workspaces/{id}/repos/{repo_id}`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    getRepository(workspaceId, repoId, options) {
        return this.#http.json({
            method: "GET",
            path: `/api/workspaces/${segment(workspaceId)}/repos/${segment(repoId)}`,
            options,
        });
    }
    /**
     * Remove a repository mount.
     *
     * Its files stay in the workspace as ordinary files.
     *
     * `DELETE /api/workspaces/{id}/repos/{repo_id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    removeRepository(workspaceId, repoId, options) {
        return this.#http.json({
            method: "DELETE",
            path: `/api/workspaces/${segment(workspaceId)}/repos/${segment(repoId)}`,
            isKeyed: true,
            options,
        });
    }
    /**
     * Update a repository mount.
     *
     * Done by a job, like a clone. Files are replaced by those of the repository; local changes are kept as versions.
     *
     * `POST /api/workspaces/{id}/repos/{repo_id}/sync`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    syncRepository(workspaceId, repoId, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/repos/${segment(repoId)}/sync`,
            isKeyed: true,
            options,
        });
    }
    // Apps: Directories of static files, served under addresses of their own
    /**
     * List the apps of a workspace.
     *
     * Returns all of them: a workspace has at most 20.
     *
     * `GET /api/workspaces/{id}/apps`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listApps(workspaceId, options) {
        return this.#http.json({ method: "GET", path: `/api/workspaces/${segment(workspaceId)}/apps`, options });
    }
    /**
     * Create a workspace app.
     *
     * Anyone with the `url` can open the app, and gets the current files. Its scripts have no access to the API.
     *
     * `POST /api/workspaces/{id}/apps`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `PathExistsError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    createApp(workspaceId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/workspaces/${segment(workspaceId)}/apps`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Delete a workspace app.
     *
     * Its address stops working; its files stay.
     *
     * `DELETE /api/workspaces/{id}/apps/{app_id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteApp(workspaceId, appId, options) {
        return this.#http.json({
            method: "DELETE",
            path: `/api/workspaces/${segment(workspaceId)}/apps/${segment(appId)}`,
            isKeyed: true,
            options,
        });
    }
    // Models: The models that agents may use
    /**
     * List the models that the operator allows.
     *
     * `GET /api/models`. Needs `agents:read`. May throw `OrganizationSuspendedError`.
     */
    listModels(options) {
        return this.#http.json({ method: "GET", path: "/api/models", options });
    }
    // Tools: Tools that agents can use
    /**
     * List the tools that agents can be given.
     *
     * The service's own tools, sorted by name; with `agent_id` also the agent's own tools and those of its MCP servers. A
     * tool of an MCP server is called `<server>__<tool>`, and `<server>__*` stands for all tools of the server. Each
     * server is queried at most every 5 minutes; a server that is unavailable is reported in `mcp_servers`.
     *
     * `GET /api/tools`. Needs `agents:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    listTools(query, options) {
        return this.#http.json({ method: "GET", path: "/api/tools", query, options });
    }
    // Usage: The organization's usage and budget
    /**
     * Read usage by agent, model or day.
     *
     * `GET /api/usage`. Needs `jobs:read`. May throw `OrganizationSuspendedError`.
     */
    getUsage(query, options) {
        return this.#http.json({ method: "GET", path: "/api/usage", query, options });
    }
    /**
     * Read the costliest jobs of a day.
     *
     * The jobs that were created on the day and that you may see: highest cost first, then most tokens.
     *
     * `GET /api/usage/jobs`. Needs `jobs:read`. May throw `OrganizationSuspendedError`.
     */
    getCostliestJobs(query, options) {
        return this.#http.json({ method: "GET", path: "/api/usage/jobs", query, options });
    }
    // Groups: Groups of members who may decide about tool calls
    /**
     * List the groups of members.
     *
     * Every member may read them.
     *
     * `GET /api/groups`. Needs `tokens:read`. May throw `OrganizationSuspendedError`.
     */
    listGroups(options) {
        return this.#http.json({ method: "GET", path: "/api/groups", options });
    }
    /**
     * Read a group.
     *
     * `GET /api/groups/{name}`. Needs `tokens:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getGroup(name, options) {
        return this.#http.json({ method: "GET", path: `/api/groups/${segment(name)}`, options });
    }
    /**
     * Write a group.
     *
     * Creates it, or replaces its members. The members at the time of a decision may decide, also about calls that
     * already wait.
     *
     * `PUT /api/groups/{name}`. Needs `*`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    putGroup(name, body, options) {
        return this.#http.json({ method: "PUT", path: `/api/groups/${segment(name)}`, body, isKeyed: true, options });
    }
    /**
     * Delete a group.
     *
     * Refused while a rule of an agent names it. Calls of jobs that keep such a rule wait for their expiry from then on.
     *
     * `DELETE /api/groups/{name}`. Needs `*`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteGroup(name, options) {
        return this.#http.json({ method: "DELETE", path: `/api/groups/${segment(name)}`, isKeyed: true, options });
    }
    // Secrets: Write-only credentials for agents; for owners. [Guide: MCP tool servers](/guides/mcp-tool-servers.md)
    /**
     * List the names of the secrets.
     *
     * `GET /api/secrets`. Needs `tokens:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listSecrets(options) {
        return this.#http.json({ method: "GET", path: "/api/secrets", options });
    }
    /**
     * Write a secret.
     *
     * Creates it, or replaces its value.
     *
     * `PUT /api/secrets/{name}`. Needs `tokens:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    putSecret(name, body, options) {
        return this.#http.json({ method: "PUT", path: `/api/secrets/${segment(name)}`, body, isKeyed: true, options });
    }
    /**
     * Delete a secret.
     *
     * A secret that agents or repositories use is deleted only with `force`.
     *
     * `DELETE /api/secrets/{name}`. Needs `tokens:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `SecretInUseError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteSecret(name, query, options) {
        return this.#http.json({ method: "DELETE", path: `/api/secrets/${segment(name)}`, query, isKeyed: true, options });
    }
    /**
     * List the organization's own keys for providers of models.
     *
     * `GET /api/provider-keys`. Needs `tokens:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listProviderKeys(options) {
        return this.#http.json({ method: "GET", path: "/api/provider-keys", options });
    }
    /**
     * Use the organization's own key for a provider.
     *
     * Takes effect with the next model call, also in running jobs. To rotate the key, write the secret again. If the
     * provider rejects the key, jobs fail with `provider_key_rejected`; the operator's key is never used instead.
     *
     * `PUT /api/provider-keys/{provider}`. Needs `secrets:use`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    putProviderKey(provider, body, options) {
        return this.#http.json({
            method: "PUT",
            path: `/api/provider-keys/${segment(provider)}`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Use the operator's key for a provider again.
     *
     * `DELETE /api/provider-keys/{provider}`. Needs `secrets:use`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteProviderKey(provider, options) {
        return this.#http.json({
            method: "DELETE",
            path: `/api/provider-keys/${segment(provider)}`,
            isKeyed: true,
            options,
        });
    }
    // Connections: Access to tool servers that people have consented to
    /**
     * List your connections and those of the organization.
     *
     * `GET /api/connections`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listConnections(query, options) {
        return this.#http.json({ method: "GET", path: "/api/connections", query, options });
    }
    /**
     * List your connections and those of the organization. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/connections`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllConnections(query, options) {
        return this.#http.items((next) => this.listConnections({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.connections);
    }
    /**
     * Ask for a connection to a tool server.
     *
     * There is one connection for each owner and address, so this also finds an existing one. A server with a client that
     * was registered by hand (`auth.client` of an agent) has a separate connection, which the first job of the agent
     * creates. A signed-in person consents at its `authorization_url`. For a connection of the organization you must be
     * an owner.
     *
     * `POST /api/connections`. Needs `tokens:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    createConnection(body, options) {
        return this.#http.json({ method: "POST", path: "/api/connections", body, isKeyed: true, options });
    }
    /**
     * Read a connection.
     *
     * `GET /api/connections/{id}`. Needs `tokens:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getConnection(connectionId, options) {
        return this.#http.json({ method: "GET", path: `/api/connections/${segment(connectionId)}`, options });
    }
    /**
     * End a connection.
     *
     * Forgets the access at once, and revokes it at its server if that can be reached. Jobs that wait for the connection
     * go on without it.
     *
     * `DELETE /api/connections/{id}`. Needs `tokens:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteConnection(connectionId, options) {
        return this.#http.json({
            method: "DELETE",
            path: `/api/connections/${segment(connectionId)}`,
            isKeyed: true,
            options,
        });
    }
    /**
     * Try a connection.
     *
     * Sends one request with the access to the tool server. The access is renewed if it has expired.
     *
     * `POST /api/connections/{id}/try`. Needs `tokens:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    tryConnection(connectionId, options) {
        return this.#http.json({ method: "POST", path: `/api/connections/${segment(connectionId)}/try`, options });
    }
    // Tokens: Credentials: service tokens for owners, personal ones for all
    /**
     * List the organization's service tokens.
     *
     * `GET /api/service-tokens`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listServiceTokens(query, options) {
        return this.#http.json({ method: "GET", path: "/api/service-tokens", query, options });
    }
    /**
     * List the organization's service tokens. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/service-tokens`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAllServiceTokens(query, options) {
        return this.#http.items((next) => this.listServiceTokens({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.service_tokens);
    }
    /**
     * Create a service token.
     *
     * The response has the token, which is never shown again. It cannot have a scope that your token lacks, and it ends
     * with your token at the latest: when that expires or is revoked. Without `expires_in_days` it lives 90 days, but not
     * longer than your token.
     *
     * `POST /api/service-tokens`. Needs `tokens:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    createServiceToken(body, options) {
        return this.#http.json({ method: "POST", path: "/api/service-tokens", body, isKeyed: true, options });
    }
    /**
     * Revoke a service token.
     *
     * Takes effect with the next request, also for tokens that were created with it, and closes their open streams. A
     * token without the scope `*` cannot revoke a token with more scopes or a later expiry.
     *
     * `POST /api/service-tokens/{id}/revoke`. Needs `tokens:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    revokeServiceToken(tokenId, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/service-tokens/${segment(tokenId)}/revoke`,
            isKeyed: true,
            options,
        });
    }
    /**
     * List your personal access tokens.
     *
     * `GET /api/personal-access-tokens`. Needs `tokens:read`. May throw `InvalidCursorError` or
     * `OrganizationSuspendedError`.
     */
    listPersonalAccessTokens(query, options) {
        return this.#http.json({ method: "GET", path: "/api/personal-access-tokens", query, options });
    }
    /**
     * List your personal access tokens. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/personal-access-tokens`. Needs `tokens:read`. May throw `InvalidCursorError` or
     * `OrganizationSuspendedError`.
     */
    listAllPersonalAccessTokens(query, options) {
        return this.#http.items((next) => this.listPersonalAccessTokens({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.personal_access_tokens);
    }
    /**
     * Create a personal access token.
     *
     * The response has the token, which is never shown again. It cannot have a scope that your token lacks, and it ends
     * with your token at the latest: when that expires or is revoked. Without `expires_in_days` it lives 90 days, but not
     * longer than your token.
     *
     * `POST /api/personal-access-tokens`. Needs `tokens:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    createPersonalAccessToken(body, options) {
        return this.#http.json({ method: "POST", path: "/api/personal-access-tokens", body, isKeyed: true, options });
    }
    /**
     * Revoke a personal access token.
     *
     * Takes effect with the next request, also for tokens that were created with it, and closes their open streams. A
     * token without the scope `*` cannot revoke a token with more scopes or a later expiry.
     *
     * `POST /api/personal-access-tokens/{id}/revoke`. Needs `tokens:write`. May throw `OrganizationSuspendedError`,
     * `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokePersonalAccessToken(tokenId, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/personal-access-tokens/${segment(tokenId)}/revoke`,
            isKeyed: true,
            options,
        });
    }
    // Sessions: Browsers and programs that act as you
    /**
     * List your sessions.
     *
     * Browsers in which you have signed in to this organization, newest first.
     *
     * `GET /api/sessions`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listSessions(query, options) {
        return this.#http.json({ method: "GET", path: "/api/sessions", query, options });
    }
    /**
     * List your sessions. All of them: the next page is asked for when it is needed.
     *
     * Browsers in which you have signed in to this organization, newest first.
     *
     * `GET /api/sessions`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllSessions(query, options) {
        return this.#http.items((next) => this.listSessions({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.sessions);
    }
    /**
     * End one of your sessions.
     *
     * Takes effect with the next request, and closes the session's open streams. Needs a session or a token with the
     * scope `*`.
     *
     * `POST /api/sessions/{id}/revoke`. Needs `tokens:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeSession(sessionId, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/sessions/${segment(sessionId)}/revoke`,
            isKeyed: true,
            options,
        });
    }
    /**
     * End all your other sessions.
     *
     * Ends all your sessions in this organization except the current one. Needs a session or a token with the scope `*`.
     *
     * `POST /api/sessions/revoke-others`. Needs `tokens:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeOtherSessions(options) {
        return this.#http.json({ method: "POST", path: "/api/sessions/revoke-others", isKeyed: true, options });
    }
    /**
     * List the programs that you have granted access.
     *
     * Newest first; ended grants are listed for 30 days.
     *
     * `GET /api/oauth-grants`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listOauthGrants(query, options) {
        return this.#http.json({ method: "GET", path: "/api/oauth-grants", query, options });
    }
    /**
     * List the programs that you have granted access. All of them: the next page is asked for when it is needed.
     *
     * Newest first; ended grants are listed for 30 days.
     *
     * `GET /api/oauth-grants`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllOauthGrants(query, options) {
        return this.#http.items((next) => this.listOauthGrants({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.oauth_grants);
    }
    /**
     * End a program's access.
     *
     * Takes effect with the next request, and closes the program's open streams. A token cannot end a grant that has
     * scopes which the token lacks.
     *
     * `POST /api/oauth-grants/{id}/revoke`. Needs `tokens:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeOauthGrant(grantId, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/oauth-grants/${segment(grantId)}/revoke`,
            isKeyed: true,
            options,
        });
    }
    // Members: People of the organization, and invitations to it
    /**
     * List the members.
     *
     * Newest first. Every member may read the list.
     *
     * `GET /api/members`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listMembers(query, options) {
        return this.#http.json({ method: "GET", path: "/api/members", query, options });
    }
    /**
     * List the members. All of them: the next page is asked for when it is needed.
     *
     * Newest first. Every member may read the list.
     *
     * `GET /api/members`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllMembers(query, options) {
        return this.#http.items((next) => this.listMembers({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.members);
    }
    /**
     * Read a member.
     *
     * `me` in the place of the id names the caller.
     *
     * `GET /api/members/{id}`. Needs `tokens:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getMember(memberId, options) {
        return this.#http.json({ method: "GET", path: `/api/members/${segment(memberId)}`, options });
    }
    /**
     * Change a member's role.
     *
     * Takes effect with the member's next request. The last owner cannot become a plain member: 409.
     *
     * `PATCH /api/members/{id}`. Needs `*`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    updateMember(memberId, body, options) {
        return this.#http.json({
            method: "PATCH",
            path: `/api/members/${segment(memberId)}`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Remove a member.
     *
     * Ends the person's sessions, tokens and grants in this organization with the next request, and closes their open
     * streams. Open invitations for their address are withdrawn. What the person has created stays. The last owner cannot
     * be removed: 409.
     *
     * `DELETE /api/members/{id}`. Needs `*`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    removeMember(memberId, options) {
        return this.#http.json({ method: "DELETE", path: `/api/members/${segment(memberId)}`, isKeyed: true, options });
    }
    /**
     * List invitations.
     *
     * Newest first; accepted, withdrawn and expired invitations are listed for 30 days.
     *
     * `GET /api/invitations`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listInvitations(query, options) {
        return this.#http.json({ method: "GET", path: "/api/invitations", query, options });
    }
    /**
     * List invitations. All of them: the next page is asked for when it is needed.
     *
     * Newest first; accepted, withdrawn and expired invitations are listed for 30 days.
     *
     * `GET /api/invitations`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAllInvitations(query, options) {
        return this.#http.items((next) => this.listInvitations({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.invitations);
    }
    /**
     * Invite a person.
     *
     * The response has the link, which is never shown again. It works once, within 7 days, and makes the person who opens
     * it a member. No e-mail is sent: pass the link on. Open invitations for the same address are withdrawn.
     *
     * `POST /api/invitations`. Needs `*`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    createInvitation(body, options) {
        return this.#http.json({ method: "POST", path: "/api/invitations", body, isKeyed: true, options });
    }
    /**
     * Withdraw an invitation.
     *
     * The link stops working. An invitation that was already accepted or withdrawn is 404.
     *
     * `POST /api/invitations/{id}/revoke`. Needs `tokens:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeInvitation(invitationId, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/invitations/${segment(invitationId)}/revoke`,
            isKeyed: true,
            options,
        });
    }
    // Audit: Who signed in, and who made, used or revoked what
    /**
     * List the audit log of credentials and members.
     *
     * For owners. Newest first; entries are kept for 365 days.
     *
     * `GET /api/audit`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAuditEntries(query, options) {
        return this.#http.json({ method: "GET", path: "/api/audit", query, options });
    }
    /**
     * List the audit log of credentials and members. All of them: the next page is asked for when it is needed.
     *
     * For owners. Newest first; entries are kept for 365 days.
     *
     * `GET /api/audit`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAllAuditEntries(query, options) {
        return this.#http.items((next) => this.listAuditEntries({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.audit_entries);
    }
    /**
     * Export the audit log as one file.
     *
     * For owners. Newest first, streamed. In CSV, text that a spreadsheet would read as a formula starts with an
     * apostrophe. If the export fails midway, the transfer is aborted: repeat the request.
     *
     * `GET /api/audit/export`. Needs `tokens:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    exportAudit(query, options) {
        return this.#http.text({ method: "GET", path: "/api/audit/export", query, options });
    }
    // Webhooks: The destination of events, and the delivery ledger. [Guide: Webhooks](/guides/webhooks.md)
    /**
     * Read the delivery configuration.
     *
     * `GET /api/messaging-integration`. Needs `webhooks:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getMessagingIntegration(options) {
        return this.#http.json({ method: "GET", path: "/api/messaging-integration", options });
    }
    /**
     * Set the destination of events.
     *
     * For owners. The first call creates the signing secret; the response has it, and it is never shown again. Pending
     * deliveries go to the new address. Setting it again enables delivery unless `enabled` is false.
     *
     * `PUT /api/messaging-integration`. Needs `webhooks:write`. May throw `InvalidEventTypeError`, `InvalidUrlError`,
     * `OwnerRequiredError`, `OrganizationSuspendedError`, `RequestTimeoutError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    putMessagingIntegration(body, options) {
        return this.#http.json({ method: "PUT", path: "/api/messaging-integration", body, isKeyed: true, options });
    }
    /**
     * List delivery attempts.
     *
     * For owners. The delivery ledger, newest first: one row for each attempt. Filters are combined with AND.
     *
     * `GET /api/messaging-integration/deliveries`. Needs `webhooks:read`. May throw `InvalidCursorError`,
     * `InvalidEventTypeError`, `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listDeliveries(query, options) {
        return this.#http.json({ method: "GET", path: "/api/messaging-integration/deliveries", query, options });
    }
    /**
     * List delivery attempts. All of them: the next page is asked for when it is needed.
     *
     * For owners. The delivery ledger, newest first: one row for each attempt. Filters are combined with AND.
     *
     * `GET /api/messaging-integration/deliveries`. Needs `webhooks:read`. May throw `InvalidCursorError`,
     * `InvalidEventTypeError`, `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listAllDeliveries(query, options) {
        return this.#http.items((next) => this.listDeliveries({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.deliveries);
    }
    /**
     * Redeliver an event.
     *
     * For owners. Sent to the current destination, signed with the current secret, regardless of the subscription.
     *
     * `POST /api/messaging-integration/deliveries/{id}/redeliver`. Needs `webhooks:write`. May throw
     * `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
     * `EventNotRetainedError`, `QuotaExceededError` or `StorageFullError`.
     */
    redeliverEvent(deliveryId, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/messaging-integration/deliveries/${segment(deliveryId)}/redeliver`,
            isKeyed: true,
            options,
        });
    }
    /**
     * Redeliver a range of events.
     *
     * For owners. Events of the range that are no longer retained are left out.
     *
     * `POST /api/messaging-integration/redeliver`. Needs `webhooks:write`. May throw `InvalidEventTypeError`,
     * `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    redeliverEvents(body, options) {
        return this.#http.json({
            method: "POST",
            path: "/api/messaging-integration/redeliver",
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Replace the signing secret.
     *
     * For owners. The new secret is valid at once and is never shown again. For `grace_seconds`, deliveries also carry a
     * signature with the old secret.
     *
     * `POST /api/messaging-integration/signing-secret/rotate`. Needs `webhooks:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    rotateSigningSecret(body, options) {
        return this.#http.json({
            method: "POST",
            path: "/api/messaging-integration/signing-secret/rotate",
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Send a signed test.
     *
     * For owners. An event of type `webhook.test` and source `test`, regardless of the subscription.
     *
     * `POST /api/messaging-integration/test`. Needs `webhooks:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    testMessagingIntegration(options) {
        return this.#http.json({ method: "POST", path: "/api/messaging-integration/test", isKeyed: true, options });
    }
    /**
     * Check a signature, and explain why it does not verify.
     *
     * `POST /api/messaging-integration/verify`. Needs `webhooks:read`. May throw `OrganizationSuspendedError`,
     * `NotFoundError` or `RequestTimeoutError`.
     */
    verifySignature(body, options) {
        return this.#http.json({ method: "POST", path: "/api/messaging-integration/verify", body, options });
    }
    // Messengers: Where approvals reach people: chat programs, and the log of what was sent. [Guide: Approvals by mail](/guides/approvals-by-mail.md)
    /**
     * List the messengers.
     *
     * For owners.
     *
     * `GET /api/messengers`. Needs `webhooks:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listMessengers(options) {
        return this.#http.json({ method: "GET", path: "/api/messengers", options });
    }
    /**
     * Add a messenger.
     *
     * For owners. Approvals reach it from now on, beside the program's webhook; calls of private agents do not. To change
     * one, delete it and add another.
     *
     * `POST /api/messengers`. Needs `webhooks:write`. May throw `InvalidUrlError`, `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    createMessenger(body, options) {
        return this.#http.json({ method: "POST", path: "/api/messengers", body, isKeyed: true, options });
    }
    /**
     * Delete a messenger.
     *
     * For owners. Nothing more is sent to it. The links in messages that it already has still work.
     *
     * `DELETE /api/messengers/{id}`. Needs `webhooks:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteMessenger(messengerId, options) {
        return this.#http.json({
            method: "DELETE",
            path: `/api/messengers/${segment(messengerId)}`,
            isKeyed: true,
            options,
        });
    }
    /**
     * List what was sent about approvals.
     *
     * For owners. Newest first: for each approval its mails and messages, kept for 90 days.
     *
     * `GET /api/approval-notices`. Needs `webhooks:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listApprovalNotices(query, options) {
        return this.#http.json({ method: "GET", path: "/api/approval-notices", query, options });
    }
    /**
     * List what was sent about approvals. All of them: the next page is asked for when it is needed.
     *
     * For owners. Newest first: for each approval its mails and messages, kept for 90 days.
     *
     * `GET /api/approval-notices`. Needs `webhooks:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAllApprovalNotices(query, options) {
        return this.#http.items((next) => this.listApprovalNotices({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.approval_notices);
    }
    /**
     * Read whether approvals reach you by mail.
     *
     * The caller's own choice.
     *
     * `GET /api/approval-mails`. Needs `jobs:read`. May throw `OrganizationSuspendedError`.
     */
    getApprovalMails(options) {
        return this.#http.json({ method: "GET", path: "/api/approval-mails", options });
    }
    /**
     * Choose whether approvals reach you by mail.
     *
     * The caller's own choice. Mails are sent only if the operator has set a mail server.
     *
     * `PUT /api/approval-mails`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    setApprovalMails(body, options) {
        return this.#http.json({ method: "PUT", path: "/api/approval-mails", body, isKeyed: true, options });
    }
    // Events: The event feed, by number. [Guide: Webhooks](/guides/webhooks.md)
    /**
     * Read the events after a number.
     *
     * For owners. The same bodies that webhooks deliver, oldest first. `next_cursor` leads to the next page. After the
     * last page, continue later with `after` set to `last_sequence`. Events are retained for 30 days.
     *
     * `GET /api/events`. Needs `events:read`. May throw `InvalidCursorError`, `OwnerRequiredError`,
     * `OrganizationSuspendedError` or `EventNotRetainedError`.
     */
    listEvents(query, options) {
        return this.#http.json({ method: "GET", path: "/api/events", query, options });
    }
    /**
     * Read the events after a number. All of them: the next page is asked for when it is needed.
     *
     * For owners. The same bodies that webhooks deliver, oldest first. `next_cursor` leads to the next page. After the
     * last page, continue later with `after` set to `last_sequence`. Events are retained for 30 days.
     *
     * `GET /api/events`. Needs `events:read`. May throw `InvalidCursorError`, `OwnerRequiredError`,
     * `OrganizationSuspendedError` or `EventNotRetainedError`.
     */
    listAllEvents(query, options) {
        return this.#http.items((next) => this.listEvents({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options), (page) => page.events);
    }
    // Insight: State machines and invariants
    /**
     * Read the organization's current load.
     *
     * For owners. Figures of the process that serves the organization now; they begin anew when it starts, or when
     * another one takes over.
     *
     * `GET /api/load`. Needs `jobs:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    getLoad(options) {
        return this.#http.json({ method: "GET", path: "/api/load", options });
    }
    /**
     * Read the state machines of jobs, chats, missions and tasks.
     *
     * `GET /api/state-machines`. Needs `jobs:read`. May throw `OrganizationSuspendedError`.
     */
    listStateMachines(options) {
        return this.#http.json({ method: "GET", path: "/api/state-machines", options });
    }
    /**
     * Check the invariants.
     *
     * For owners. Counts violated invariants of the organization; every count is 0 in a healthy service.
     *
     * `GET /api/invariants`. Needs `jobs:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    checkInvariants(options) {
        return this.#http.json({ method: "GET", path: "/api/invariants", options });
    }
    // Service: Public documents about the service
    /**
     * Read the deployed version.
     *
     * `GET /api/version`.
     */
    getVersion(options) {
        return this.#http.json({ method: "GET", path: "/api/version", isPublic: true, options });
    }
    /**
     * Read the contract.
     *
     * This document; with `surface`, the part of it that describes one surface.
     *
     * `GET /api/openapi.json`.
     */
    getOpenApi(query, options) {
        return this.#http.json({ method: "GET", path: "/api/openapi.json", query, isPublic: true, options });
    }
    /**
     * Open the interactive reference.
     *
     * A page for people.
     *
     * `GET /api/reference`.
     */
    getReference(options) {
        return this.#http.text({ method: "GET", path: "/api/reference", isPublic: true, options });
    }
    /**
     * Read what the error codes mean.
     *
     * A page for people. `#error-<code>` explains a code; the `type` of an error is its address.
     *
     * `GET /api/errors`.
     */
    getErrorCodes(options) {
        return this.#http.text({ method: "GET", path: "/api/errors", isPublic: true, options });
    }
    /**
     * Read the rate-limit policy.
     *
     * `GET /api/rate-limits`.
     */
    getRateLimitPolicy(options) {
        return this.#http.json({ method: "GET", path: "/api/rate-limits", isPublic: true, options });
    }
    /**
     * Read the versioning and deprecation policy.
     *
     * `GET /api/deprecation-policy`.
     */
    getDeprecationPolicy(options) {
        return this.#http.json({ method: "GET", path: "/api/deprecation-policy", isPublic: true, options });
    }
    /**
     * Read what an agent needs to use the service.
     *
     * `GET /api/agent-readiness`.
     */
    getAgentReadiness(options) {
        return this.#http.json({ method: "GET", path: "/api/agent-readiness", isPublic: true, options });
    }
    /**
     * Read the entry document for crawlers and agents.
     *
     * `GET /.well-known/teamday-agent-api`.
     */
    getAgentApiManifest(options) {
        return this.#http.json({ method: "GET", path: "/.well-known/teamday-agent-api", isPublic: true, options });
    }
    /**
     * Read the metadata of the authorization server.
     *
     * The metadata of the authorization server (RFC 8414).
     *
     * `GET /.well-known/oauth-authorization-server`.
     */
    getAuthorizationServer(options) {
        return this.#http.json({ method: "GET", path: "/.well-known/oauth-authorization-server", isPublic: true, options });
    }
    /**
     * Read which server issues tokens for the current surface.
     *
     * The metadata of a protected resource (RFC 9728).
     *
     * `GET /.well-known/oauth-protected-resource`.
     */
    getProtectedResource(options) {
        return this.#http.json({ method: "GET", path: "/.well-known/oauth-protected-resource", isPublic: true, options });
    }
    /**
     * Read which server issues tokens for the MCP endpoint.
     *
     * The metadata of a protected resource (RFC 9728).
     *
     * `GET /.well-known/oauth-protected-resource/mcp`.
     */
    getProtectedMcpResource(options) {
        return this.#http.json({
            method: "GET",
            path: "/.well-known/oauth-protected-resource/mcp",
            isPublic: true,
            options,
        });
    }
    /**
     * Read how the service describes itself to other authorization servers.
     *
     * A Client ID Metadata Document: its address is the client id of the service.
     *
     * `GET /oauth/client.json`.
     */
    getOAuthClientDocument(options) {
        return this.#http.json({ method: "GET", path: "/oauth/client.json", isPublic: true, options });
    }
    /**
     * Read the keys that verify which agent acts for whom.
     *
     * A JSON Web Key Set (RFC 7517).
     *
     * `GET /.well-known/jwks.json`.
     */
    getIdentityKeys(options) {
        return this.#http.json({ method: "GET", path: "/.well-known/jwks.json", isPublic: true, options });
    }
    /**
     * List the SDKs and their hashes.
     *
     * `GET /api/sdk/manifest`.
     */
    getSdkManifest(options) {
        return this.#http.json({ method: "GET", path: "/api/sdk/manifest", isPublic: true, options });
    }
    /**
     * Get the TypeScript SDK.
     *
     * One file without dependencies, generated from this contract.
     *
     * `GET /api/sdk/typescript`.
     */
    getTypeScriptSdk(options) {
        return this.#http.text({ method: "GET", path: "/api/sdk/typescript", isPublic: true, options });
    }
    /**
     * Get the JavaScript SDK.
     *
     * The TypeScript SDK without its types, as a module for browsers and for Node 20 or later.
     *
     * `GET /api/sdk/javascript`.
     */
    getJavaScriptSdk(options) {
        return this.#http.text({ method: "GET", path: "/api/sdk/javascript", isPublic: true, options });
    }
    /**
     * Get the types of the JavaScript SDK.
     *
     * Type declarations for editors and compilers; save them beside the SDK.
     *
     * `GET /api/sdk/javascript/types`.
     */
    getJavaScriptSdkTypes(options) {
        return this.#http.text({ method: "GET", path: "/api/sdk/javascript/types", isPublic: true, options });
    }
    /**
     * Get `TroupeAgent` for AG-UI's clients, in TypeScript.
     *
     * An `HttpAgent` that also connects and stops. It needs `@ag-ui/client` 1.0, which your program installs.
     *
     * `GET /api/sdk/typescript/ag-ui`.
     */
    getTypeScriptAgUi(options) {
        return this.#http.text({ method: "GET", path: "/api/sdk/typescript/ag-ui", isPublic: true, options });
    }
    /**
     * Get `TroupeAgent` for AG-UI's clients, in JavaScript.
     *
     * The TypeScript one without its types. It needs `@ag-ui/client` 1.0, which your program installs.
     *
     * `GET /api/sdk/javascript/ag-ui`.
     */
    getJavaScriptAgUi(options) {
        return this.#http.text({ method: "GET", path: "/api/sdk/javascript/ag-ui", isPublic: true, options });
    }
    /**
     * Get the types of `TroupeAgent` in JavaScript.
     *
     * `GET /api/sdk/javascript/ag-ui/types`.
     */
    getJavaScriptAgUiTypes(options) {
        return this.#http.text({ method: "GET", path: "/api/sdk/javascript/ag-ui/types", isPublic: true, options });
    }
    /**
     * Get the Python SDK.
     *
     * One file that needs only the standard library, generated from this contract.
     *
     * `GET /api/sdk/python`.
     */
    getPythonSdk(options) {
        return this.#http.text({ method: "GET", path: "/api/sdk/python", isPublic: true, options });
    }
    /**
     * Read how to get and use the SDKs.
     *
     * `GET /api/sdk-examples`.
     */
    getSdkExamples(options) {
        return this.#http.json({ method: "GET", path: "/api/sdk-examples", isPublic: true, options });
    }
    /**
     * Read the documentation as text for language models.
     *
     * `GET /llms.txt`.
     */
    getLlmsText(options) {
        return this.#http.text({ method: "GET", path: "/llms.txt", isPublic: true, options });
    }
    // V1 agents: Agents on the v1 surface
    /**
     * List agents.
     *
     * The organization's agents, newest first, at most 1,000. Archived and private agents are not listed.
     *
     * `GET /api/v1/agents`. Needs `agents:read`. May throw `OrganizationSuspendedError`.
     */
    v1ListAgents(options) {
        return this.#http.json({ method: "GET", path: "/api/v1/agents", options });
    }
    /**
     * Create agent.
     *
     * `POST /api/v1/agents`. Needs `agents:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    v1CreateAgent(body, options) {
        return this.#http.json({ method: "POST", path: "/api/v1/agents", body, isKeyed: true, options });
    }
    /**
     * Get agent.
     *
     * `GET /api/v1/agents/{id}`. Needs `agents:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    v1GetAgent(agentId, options) {
        return this.#http.json({ method: "GET", path: `/api/v1/agents/${segment(agentId)}`, options });
    }
    /**
     * Update agent.
     *
     * Omitted fields are unchanged. A changed prompt takes effect on the next execution.
     *
     * `PATCH /api/v1/agents/{id}`. Needs `agents:write`. May throw `ForbiddenError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    v1UpdateAgent(agentId, body, options) {
        return this.#http.json({
            method: "PATCH",
            path: `/api/v1/agents/${segment(agentId)}`,
            body,
            isKeyed: true,
            options,
        });
    }
    /**
     * Soft-delete agent.
     *
     * The agent is archived: it can no longer be found, listed, changed or executed. Its history is kept.
     *
     * `DELETE /api/v1/agents/{id}`. Needs `agents:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    v1DeleteAgent(agentId, options) {
        return this.#http.json({ method: "DELETE", path: `/api/v1/agents/${segment(agentId)}`, isKeyed: true, options });
    }
    // V1 execution: One message to an agent, answered whole or as a stream
    /**
     * Execute agent.
     *
     * With `stream: true` the answer is an event stream: `meta` first, then `message`s, then `result`, or `error`.
     * Disconnecting does not stop the work. Send `sessionId` and `chatId` of an earlier answer to continue its
     * conversation.
     *
     * `POST /api/v1/agents/{id}/execute`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `BudgetExceededError`, `QuotaExceededError`, `ProviderError`,
     * `StorageFullError` or `ApiTimeoutError`.
     */
    v1ExecuteAgent(agentId, body, options) {
        return this.#http.json({
            method: "POST",
            path: `/api/v1/agents/${segment(agentId)}/execute`,
            body: { ...body, stream: false },
            isKeyed: true,
            options,
        });
    }
    /**
     * Execute agent.
     *
     * With `stream: true` the answer is an event stream: `meta` first, then `message`s, then `result`, or `error`.
     * Disconnecting does not stop the work. Send `sessionId` and `chatId` of an earlier answer to continue its
     * conversation.
     *
     * `POST /api/v1/agents/{id}/execute`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `BudgetExceededError`, `QuotaExceededError`, `ProviderError`,
     * `StorageFullError` or `ApiTimeoutError`.
     */
    v1ExecuteAgentStream(agentId, body, options) {
        return this.#http.once({
            method: "POST",
            path: `/api/v1/agents/${segment(agentId)}/execute`,
            body: { ...body, stream: true },
            last: ["result", "error"],
            isKeyed: true,
            options,
        });
    }
    // V1 tasks: Tasks on the v1 surface
    /**
     * List tasks.
     *
     * Filters are combined with AND. At most 1,000, newest first.
     *
     * `GET /api/v1/tasks`. Needs `tasks:read`. May throw `OrganizationSuspendedError`.
     */
    v1ListTasks(query, options) {
        return this.#http.json({ method: "GET", path: "/api/v1/tasks", query, options });
    }
    /**
     * Create task.
     *
     * The new task is `pending`. Assigning a task does not start any work.
     *
     * `POST /api/v1/tasks`. Needs `tasks:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    v1CreateTask(body, options) {
        return this.#http.json({ method: "POST", path: "/api/v1/tasks", body, isKeyed: true, options });
    }
}
/** The version of the contract that this file was made from. */
export const API_VERSION = "2026-11-01";
/** What goes wrong, as classes. The classes of the single codes are made from the contract and extend `ApiError`. */
/** Everything that this file throws of its own. */
export class TroupeError extends Error {
    name = "TroupeError";
}
/** No answer came: the connection failed, or the time was up. The request may have been done. */
export class ConnectionFailedError extends TroupeError {
    name = "ConnectionFailedError";
}
/** A stream that cannot be resumed ended before its last event, or one that can did not come back. */
export class StreamCutError extends TroupeError {
    name = "StreamCutError";
}
/** A webhook was not signed with this secret, or not in this time: do not believe it. */
export class WebhookSignatureError extends TroupeError {
    name = "WebhookSignatureError";
}
/** The service refused or failed. A code that has no class of its own is this. */
export class ApiError extends TroupeError {
    name = "ApiError";
    status;
    code;
    requestId;
    details;
    retryAfterSeconds;
    constructor(failure) {
        super(failure.message);
        this.status = failure.status;
        this.code = failure.code;
        this.requestId = failure.requestId;
        this.details = failure.details;
        this.retryAfterSeconds = failure.retryAfterSeconds;
    }
}
const CODES_BY_STATUS = {
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
};
/** The error of an answer; a body that is not the service's own still makes one. */
async function errorOf(response, classes) {
    const text = await response.text().catch(() => "");
    const body = objectOf(text);
    const code = typeof body["code"] === "string" ? body["code"] : (CODES_BY_STATUS[response.status] ?? "internal_error");
    const after = Number(response.headers.get("retry-after") ?? Number.NaN);
    const failure = {
        status: response.status,
        code,
        message: typeof body["message"] === "string" ? body["message"] : `The service answered ${response.status}`,
        requestId: response.headers.get("x-request-id"),
        details: isObject(body["details"]) ? body["details"] : {},
        retryAfterSeconds: Number.isFinite(after) ? after : null,
    };
    return new (classes[code] ?? ApiError)(failure);
}
function objectOf(text) {
    try {
        const value = JSON.parse(text);
        return isObject(value) ? value : {};
    }
    catch {
        return {};
    }
}
function isObject(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
/** `invalid_json`: The body is not JSON, or it is nested too deeply. */
export class InvalidJsonError extends ApiError {
    name = "InvalidJsonError";
}
/**
 * `invalid_request`: A field of the body, the query or the headers is missing, unknown, given twice, of the wrong type
 * or out of range.
 */
export class InvalidRequestError extends ApiError {
    name = "InvalidRequestError";
}
/** `invalid_schedule`: The schedule's expression, time zone or one of its times is not valid. */
export class InvalidScheduleError extends ApiError {
    name = "InvalidScheduleError";
}
/** `invalid_cursor`: Invalid cursor for this list. */
export class InvalidCursorError extends ApiError {
    name = "InvalidCursorError";
}
/** `unsupported_api_version`: The request asks for a version of the contract that is not served. */
export class UnsupportedApiVersionError extends ApiError {
    name = "UnsupportedApiVersionError";
}
/** `invalid_idempotency_key`: The `Idempotency-Key` cannot be read, or was sent twice. */
export class InvalidIdempotencyKeyError extends ApiError {
    name = "InvalidIdempotencyKeyError";
}
/** `invalid_event_type`: Unknown event type or family in a filter. */
export class InvalidEventTypeError extends ApiError {
    name = "InvalidEventTypeError";
}
/** `invalid_path`: Invalid path: it is absolute, contains `..`, or has a name that some systems cannot store. */
export class InvalidPathError extends ApiError {
    name = "InvalidPathError";
}
/** `invalid_url`: The URL is not allowed as a destination: its form, its scheme or its address. */
export class InvalidUrlError extends ApiError {
    name = "InvalidUrlError";
}
/** `unauthenticated`: The token is missing, unknown, malformed or revoked. */
export class UnauthenticatedError extends ApiError {
    name = "UnauthenticatedError";
}
/** `token_expired`: The token has expired. */
export class TokenExpiredError extends ApiError {
    name = "TokenExpiredError";
}
/** `insufficient_scope`: The token is valid but lacks a scope that the operation needs. */
export class InsufficientScopeError extends ApiError {
    name = "InsufficientScopeError";
}
/** `owner_required`: Only an owner of the organization may do this. */
export class OwnerRequiredError extends ApiError {
    name = "OwnerRequiredError";
}
/**
 * `organization_suspended`: The operator of the service has suspended the organization. Nothing of it runs, and all its
 * tokens are refused.
 */
export class OrganizationSuspendedError extends ApiError {
    name = "OrganizationSuspendedError";
}
/** `forbidden`: You may not do this to this record. */
export class ForbiddenError extends ApiError {
    name = "ForbiddenError";
}
/** `invalid_signature`: The signed address is invalid or has expired. */
export class InvalidSignatureError extends ApiError {
    name = "InvalidSignatureError";
}
/** `not_found`: The record or path does not exist, or the record belongs to another organization. */
export class NotFoundError extends ApiError {
    name = "NotFoundError";
}
/** The code `method_not_allowed`. */
export class MethodNotAllowedError extends ApiError {
    name = "MethodNotAllowedError";
}
/** `request_timeout`: The body of the request did not arrive in time. Nothing was done. */
export class RequestTimeoutError extends ApiError {
    name = "RequestTimeoutError";
}
/** `invalid_state`: The record's current status does not allow this. */
export class InvalidStateError extends ApiError {
    name = "InvalidStateError";
}
/** `chat_busy`: A turn is running in the chat, and `on_busy` is `reject`. */
export class ChatBusyError extends ApiError {
    name = "ChatBusyError";
}
/** `approval_pending`: The job waits for an approval or a review. */
export class ApprovalPendingError extends ApiError {
    name = "ApprovalPendingError";
}
/** `version_conflict`: The record was changed since you read it. */
export class VersionConflictError extends ApiError {
    name = "VersionConflictError";
}
/** `secret_in_use`: Agents, repositories of workspaces or provider keys use the secret. */
export class SecretInUseError extends ApiError {
    name = "SecretInUseError";
}
/** `not_a_library_agent`: Only library agents can be installed or uninstalled. */
export class NotALibraryAgentError extends ApiError {
    name = "NotALibraryAgentError";
}
/** `read_only_violation`: The query is not exactly one SELECT over files of the workspace. */
export class ReadOnlyViolationError extends ApiError {
    name = "ReadOnlyViolationError";
}
/** `path_exists`: A file or directory already exists at the path, or a file is in the way of a directory. */
export class PathExistsError extends ApiError {
    name = "PathExistsError";
}
/** `idempotency_conflict`: The `Idempotency-Key` was already used with different input. */
export class IdempotencyConflictError extends ApiError {
    name = "IdempotencyConflictError";
}
/** `idempotency_in_progress`: The first request with this key is still running. */
export class IdempotencyInProgressError extends ApiError {
    name = "IdempotencyInProgressError";
}
/** `event_not_retained`: The event is older than the retention period and was deleted. */
export class EventNotRetainedError extends ApiError {
    name = "EventNotRetainedError";
}
/** `share_expired`: The share has expired, has reached its number of downloads, or was revoked. */
export class ShareExpiredError extends ApiError {
    name = "ShareExpiredError";
}
/** `upload_offset_mismatch`: The part does not begin at the next byte of the upload. */
export class UploadOffsetMismatchError extends ApiError {
    name = "UploadOffsetMismatchError";
}
/** `payload_too_large`: The body or one of its fields is too large. */
export class PayloadTooLargeError extends ApiError {
    name = "PayloadTooLargeError";
}
/** `range_not_satisfiable`: The requested range begins past the end of the file. */
export class RangeNotSatisfiableError extends ApiError {
    name = "RangeNotSatisfiableError";
}
/** `unsupported_media_type`: The operation does not accept a body of this content type. */
export class UnsupportedMediaTypeError extends ApiError {
    name = "UnsupportedMediaTypeError";
}
/** `rate_limited`: Too many requests in this window. */
export class RateLimitedError extends ApiError {
    name = "RateLimitedError";
}
/** `budget_exceeded`: The organization has used up its budget of model tokens, or of their cost, for this month. */
export class BudgetExceededError extends ApiError {
    name = "BudgetExceededError";
}
/** `quota_exceeded`: The organization has reached the quota in `details.quota`. Nothing was done. */
export class QuotaExceededError extends ApiError {
    name = "QuotaExceededError";
}
/** `internal_error`: Internal error: a bug in the service. */
export class InternalError extends ApiError {
    name = "InternalError";
}
/** `provider_error`: The model provider failed or rejected the request. */
export class ProviderError extends ApiError {
    name = "ProviderError";
}
/**
 * `overloaded`: Too many requests are waiting for this record or in this organization, too many streams are open, or
 * too many bodies are being sent. Nothing was done.
 */
export class OverloadedError extends ApiError {
    name = "OverloadedError";
}
/**
 * `storage_full`: The disk of the service is nearly full. Reads are answered; nothing is stored until there is space.
 * Nothing was done.
 */
export class StorageFullError extends ApiError {
    name = "StorageFullError";
}
/** `unavailable`: A dependency of the service is unavailable. Nothing was done. */
export class UnavailableError extends ApiError {
    name = "UnavailableError";
}
/** `outcome_unknown`: The connection to the database broke during the commit: it may or may not have happened. */
export class OutcomeUnknownError extends ApiError {
    name = "OutcomeUnknownError";
}
/** `shutting_down`: The service is restarting. Nothing was done. */
export class ShuttingDownError extends ApiError {
    name = "ShuttingDownError";
}
/** `timeout`: The work exceeded its time limit. */
export class ApiTimeoutError extends ApiError {
    name = "ApiTimeoutError";
}
const ERROR_CLASSES = {
    invalid_json: InvalidJsonError,
    invalid_request: InvalidRequestError,
    invalid_schedule: InvalidScheduleError,
    invalid_cursor: InvalidCursorError,
    unsupported_api_version: UnsupportedApiVersionError,
    invalid_idempotency_key: InvalidIdempotencyKeyError,
    invalid_event_type: InvalidEventTypeError,
    invalid_path: InvalidPathError,
    invalid_url: InvalidUrlError,
    unauthenticated: UnauthenticatedError,
    token_expired: TokenExpiredError,
    insufficient_scope: InsufficientScopeError,
    owner_required: OwnerRequiredError,
    organization_suspended: OrganizationSuspendedError,
    forbidden: ForbiddenError,
    invalid_signature: InvalidSignatureError,
    not_found: NotFoundError,
    method_not_allowed: MethodNotAllowedError,
    request_timeout: RequestTimeoutError,
    invalid_state: InvalidStateError,
    chat_busy: ChatBusyError,
    approval_pending: ApprovalPendingError,
    version_conflict: VersionConflictError,
    secret_in_use: SecretInUseError,
    not_a_library_agent: NotALibraryAgentError,
    read_only_violation: ReadOnlyViolationError,
    path_exists: PathExistsError,
    idempotency_conflict: IdempotencyConflictError,
    idempotency_in_progress: IdempotencyInProgressError,
    event_not_retained: EventNotRetainedError,
    share_expired: ShareExpiredError,
    upload_offset_mismatch: UploadOffsetMismatchError,
    payload_too_large: PayloadTooLargeError,
    range_not_satisfiable: RangeNotSatisfiableError,
    unsupported_media_type: UnsupportedMediaTypeError,
    rate_limited: RateLimitedError,
    budget_exceeded: BudgetExceededError,
    quota_exceeded: QuotaExceededError,
    internal_error: InternalError,
    provider_error: ProviderError,
    overloaded: OverloadedError,
    storage_full: StorageFullError,
    unavailable: UnavailableError,
    outcome_unknown: OutcomeUnknownError,
    shutting_down: ShuttingDownError,
    timeout: ApiTimeoutError,
};
const EVENT_STREAM = "text/event-stream";
const DEFAULT_RETRIES = 3;
const DEFAULT_TIMEOUT_MS = 300_000;
/** Three heartbeats that did not come. */
const DEFAULT_STREAM_IDLE_MS = 35_000;
/** Delays of retries without `Retry-After`: 0.5 s, 1 s, 2 s, … at most 8 s, each up to a quarter shorter. */
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
const JITTER = 0.25;
/** A longer wait is an error instead: a window of the rate limit is a minute. */
const LONGEST_RETRY_AFTER_SECONDS = 60;
/** Times in a row that a stream may fail to come back. */
const STREAM_RECONNECTS = 8;
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);
class Transport {
    #options;
    #errors;
    #headers;
    #base;
    #parseJson;
    constructor(options, errors, headers) {
        // Said to programs without types.
        if (typeof options.baseUrl !== "string")
            throw new TypeError("Call it as `new Troupe({ baseUrl, token })`");
        this.#options = options;
        this.#errors = errors;
        this.#headers = headers;
        this.#base = options.baseUrl.replace(/\/+$/, "");
        this.#parseJson = options.parseJson ?? ((text) => JSON.parse(text));
    }
    /** The JSON of the answer. */
    async json(request) {
        return this.#retrying(keyed(request), (response) => this.#jsonOf(response));
    }
    /** The JSON of the answer, or null where the service had nothing new (304). */
    async changed(request) {
        return this.#retrying(request, (response) => response.status === 304 ? Promise.resolve(null) : this.#jsonOf(response));
    }
    /** Not by `response.json()`, which takes an empty body for null in places. */
    async #jsonOf(response) {
        return this.#parseJson(await response.text());
    }
    async text(request) {
        return this.#retrying(keyed(request), (response) => response.text());
    }
    async bytes(request) {
        return this.#retrying(keyed(request), async (response) => new Uint8Array(await response.arrayBuffer()));
    }
    /** The content in pieces, as they arrive. Retried until it begins; `StreamCutError` where it ends early. */
    async *chunks(request) {
        const { response, controller } = await this.#retrying(keyed(request), opened);
        const expected = response.headers.get("content-encoding") === null ? response.headers.get("content-length") : null;
        let bytes = 0;
        try {
            for await (const piece of this.#piecesOf({ response, controller })) {
                bytes += piece.byteLength;
                yield piece;
            }
        }
        catch (error) {
            throw request.options?.signal?.aborted === true ? error : cut(error);
        }
        if (expected !== null && bytes < Number(expected))
            throw cut(null);
    }
    /** Every item of every page. */
    async *items(page, items) {
        let cursor;
        do {
            const found = await page(cursor);
            yield* items(found);
            cursor = found.next_cursor;
        } while (cursor !== undefined);
    }
    /** The events of a stream that has no cursor: if it is cut before one of `last`, `StreamCutError`. */
    async *once({ last, ...request }) {
        const stream = await this.#retrying(keyed(this.#streaming(request)), opened);
        try {
            for await (const event of this.#eventsOf(stream, new SseParser(this.#parseJson))) {
                yield event;
                if (last.includes(event.event))
                    return;
            }
        }
        catch (error) {
            throw request.options?.signal?.aborted === true ? error : cut(error);
        }
        throw cut(null);
    }
    /**
     * The events of a stream, which is resumed if its connection is cut: it is opened again at the last cursor. This
     * ends with `stream.end`, with 204 (the stream is over), with a permanent error, or after too many failures in a
     * row. A connection that brought an event or a heartbeat has not failed.
     */
    async *resumed(request) {
        const { signal } = request.options ?? {};
        const parser = new SseParser(this.#parseJson);
        let failures = 0;
        for (;;) {
            let cause = null;
            parser.begin();
            try {
                const stream = await this.#attempt(resuming(this.#streaming(request), parser.lastEventId), opened);
                // The stream has ended, and the cursor is at its end.
                if (stream.response.status === 204)
                    return;
                for await (const event of this.#eventsOf(stream, parser)) {
                    yield event;
                    if (event.event === "stream.end")
                        return;
                }
            }
            catch (error) {
                if (signal?.aborted === true || (error instanceof ApiError && !isPassing(error)))
                    throw error;
                cause = error;
            }
            if (parser.isAlive)
                failures = 0;
            if (failures >= STREAM_RECONNECTS)
                throw cut(cause);
            await sleep(reopeningMs(parser.retryMs, cause, failures), signal);
            failures += 1;
        }
    }
    /** The request for a stream: one whose head does not come is as silent as one whose events do not. */
    #streaming(request) {
        const timeoutMs = request.options?.timeoutMs ?? this.#idleMs;
        return { ...request, accept: EVENT_STREAM, options: { ...request.options, timeoutMs } };
    }
    get #idleMs() {
        return this.#options.streamIdleMs ?? DEFAULT_STREAM_IDLE_MS;
    }
    async *#eventsOf(stream, parser) {
        const decoder = new TextDecoder();
        for await (const piece of this.#piecesOf(stream))
            yield* parser.push(decoder.decode(piece, { stream: true }));
    }
    /** Reads what comes, as long as something does. */
    async *#piecesOf({ response, controller }) {
        if (response.body === null)
            return;
        const idleMs = this.#idleMs;
        const reader = response.body.getReader();
        const giveUp = () => {
            controller.abort(new ConnectionFailedError(`The stream was silent for ${idleMs} ms`));
            // A `fetch` of the caller's own may not hear the signal.
            reader.cancel().catch(() => { });
        };
        let watch;
        try {
            for (;;) {
                watch = setTimeout(giveUp, idleMs);
                const { done, value } = await reader.read();
                clearTimeout(watch);
                if (done)
                    return;
                yield value;
            }
        }
        finally {
            clearTimeout(watch);
            await reader.cancel().catch(() => { });
        }
    }
    /** What `use` makes of the answer, after as many attempts as it takes and are allowed. */
    async #retrying(request, use) {
        const { signal } = request.options ?? {};
        const retries = this.#options.maxRetries ?? DEFAULT_RETRIES;
        for (let attempt = 0;; attempt += 1) {
            try {
                return await this.#attempt(request, use);
            }
            catch (error) {
                if (signal?.aborted === true || attempt >= retries || !isRepeatable(request, error))
                    throw error;
                const delayMs = delayOf(error, attempt);
                if (delayMs === null)
                    throw error;
                await sleep(delayMs, signal);
            }
        }
    }
    /** One request. `use` is within its time. */
    async #attempt(request, use) {
        const { signal, timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS } = request.options ?? {};
        const controller = new AbortController();
        const giveUp = () => controller.abort(new ConnectionFailedError(`No answer within ${timeoutMs} ms`));
        const timer = setTimeout(giveUp, timeoutMs);
        try {
            const send = this.#options.fetch ?? fetch;
            const response = await send(this.#base + pathOf(request), {
                method: request.method,
                headers: await this.#headersOf(request),
                signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
                ...bodyOf(request),
            });
            if (!response.ok && response.status !== 304)
                throw await errorOf(response, this.#errors);
            return await use(response, controller);
        }
        catch (error) {
            if (signal?.aborted === true || error instanceof TroupeError)
                throw error;
            throw new ConnectionFailedError(`${request.method} ${request.path}: ${String(error)}`, { cause: error });
        }
        finally {
            clearTimeout(timer);
        }
    }
    async #headersOf(request) {
        const { token } = this.#options;
        const { idempotencyKey, ifMatch } = request.options ?? {};
        const secret = typeof token === "function" ? await token() : token;
        return {
            ...(request.isPublic === true ? {} : this.#headers),
            accept: request.accept ?? "application/json",
            ...(request.isPublic === true || secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
            ...(request.body === undefined ? {} : { "content-type": typeOf(request) }),
            ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
            ...(ifMatch === undefined ? {} : { "if-match": String(ifMatch) }),
            ...(request.lastEventId === undefined ? {} : { "last-event-id": request.lastEventId }),
        };
    }
}
const opened = (response, controller) => Promise.resolve({ response, controller });
/** The request with a key that all its attempts share. */
function keyed(request) {
    if (request.isKeyed !== true || request.options?.idempotencyKey !== undefined)
        return request;
    return { ...request, options: { ...request.options, idempotencyKey: crypto.randomUUID() } };
}
/** The request for a stream after a cursor. A page without a token sends no header that its browser would ask about. */
function resuming(request, cursor) {
    if (cursor === undefined)
        return request;
    return request.isPublic === true
        ? { ...request, query: { ...request.query, after: cursor } }
        : { ...request, lastEventId: cursor };
}
/** An id as a piece of a path; what would be another path is refused. */
function segment(id) {
    if (id === "" || id === "." || id === "..")
        throw new TroupeError(`${JSON.stringify(id)} is not an id`);
    return encodeURIComponent(id);
}
function pathOf({ path, query }) {
    const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
    if (given.length === 0)
        return path;
    const words = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
    return `${path}?${words.join("&")}`;
}
function bodyOf({ body, contentType }) {
    if (body === undefined)
        return {};
    if (contentType === undefined)
        return { body: JSON.stringify(body) };
    // Node requires this: the answer is read after the body is sent.
    return { body: body, ...(body instanceof ReadableStream ? { duplex: "half" } : {}) };
}
const typeOf = ({ body, contentType = "application/json" }) => body instanceof Blob && body.type !== "" ? body.type : contentType;
/** Whether the same request may go well a little later. */
function isPassing(error) {
    if (error.code === "idempotency_in_progress")
        return true;
    return PASSING_STATUSES.has(error.status) && !["budget_exceeded", "quota_exceeded"].includes(error.code);
}
/** Whether it does no harm to send the request again: with a key, as a read, or when nothing was done. */
function isRepeatable(request, error) {
    if (error instanceof ApiError && !isPassing(error))
        return false;
    // A stream has been read by the first attempt.
    if (request.body instanceof ReadableStream)
        return false;
    const isSafe = request.method === "GET" || request.options?.idempotencyKey !== undefined;
    return isSafe || (error instanceof ApiError && error.status === 429);
}
/** Milliseconds before the next attempt; null if that would be too long. */
function delayOf(error, attempt) {
    const after = error instanceof ApiError ? error.retryAfterSeconds : null;
    if (after !== null)
        return after > LONGEST_RETRY_AFTER_SECONDS ? null : after * 1_000;
    return Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS) * (1 - Math.random() * JITTER);
}
/**
 * Milliseconds before a stream is opened again: what it asked for itself, longer with each failure in a
 * row, and up to a quarter more, so that not all come back at once whom one restart has cut.
 */
function reopeningMs(retryMs, cause, failures) {
    const isRefused = cause instanceof ApiError && cause.retryAfterSeconds !== null;
    const delayMs = isRefused || failures > 0 ? (delayOf(cause, failures) ?? LONGEST_DELAY_MS) : 0;
    return Math.max(retryMs, delayMs) * (1 + Math.random() * JITTER);
}
const cut = (cause) => new StreamCutError("The stream was cut", cause === null ? undefined : { cause });
function sleep(ms, signal) {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", stop);
            resolve();
        }, ms);
        if (signal?.aborted === true)
            stop();
        else
            signal?.addEventListener("abort", stop, { once: true });
    });
}
/** Until the stream says its own. */
const DEFAULT_RECONNECT_MS = 1_000;
/** What a stream may ask for at most. */
const LONGEST_RECONNECT_MS = 60_000;
class SseParser {
    /** The cursor of the last event that was given out; undefined before the first. */
    lastEventId;
    /** How long to wait before the stream is opened again. */
    retryMs = DEFAULT_RECONNECT_MS;
    /** Whether an event or a heartbeat has come over this connection. */
    isAlive = false;
    #parse;
    #rest = "";
    #event = "";
    #id;
    #data = [];
    constructor(parse) {
        this.#parse = parse;
    }
    /** The connection is new: what the last one left half said is forgotten. */
    begin() {
        this.#rest = "";
        this.isAlive = false;
        this.#forget();
    }
    /** The events that are whole with this text. The cursor moves with each as it is taken. */
    *push(text) {
        const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
        this.#rest = lines.pop() ?? "";
        for (const line of lines) {
            const event = line === "" ? this.#take() : this.#read(line);
            if (event !== undefined)
                yield event;
        }
    }
    #read(line) {
        const colon = line.indexOf(":");
        const field = colon === -1 ? line : line.slice(0, colon);
        const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "")
            this.isAlive ||= value.startsWith("heartbeat");
        else if (field === "event")
            this.#event = value;
        else if (field === "data")
            this.#data.push(value);
        else if (field === "id" && !value.includes("\0"))
            this.#id = value;
        else if (field === "retry" && /^\d+$/.test(value))
            this.retryMs = Math.min(Number(value), LONGEST_RECONNECT_MS);
    }
    /** What the lines before a blank one make; nothing where they had no data. */
    #take() {
        const [name, id, lines] = [this.#event, this.#id, this.#data];
        this.#forget();
        if (id !== undefined)
            this.lastEventId = id;
        if (lines.length === 0)
            return undefined;
        this.isAlive = true;
        const event = name === "" ? "message" : name;
        const data = this.#parse(lines.join("\n"));
        if (event === "stream.closing")
            this.#resumeAfter(data);
        return { event, ...(id === undefined ? {} : { id }), data };
    }
    /** The service closes the stream and says where to go on. */
    #resumeAfter(data) {
        const cursor = data?.resume_after;
        if (typeof cursor === "string")
            this.lastEventId = cursor;
    }
    #forget() {
        this.#event = "";
        this.#id = undefined;
        this.#data = [];
    }
}
/**
 * Give it every event of a chat's or a job's stream. It is right after cuts too: a delta says where in the
 * message it ends, and an attempt that is begun anew takes its text back.
 */
export class LiveText {
    #texts = new Map();
    /** The text of the message that the event is about, as far as it is known; undefined for other events. */
    apply({ event, data }) {
        const { message_id: id, position, text, content } = data;
        if (typeof id !== "string")
            return undefined;
        if (typeof text === "string" && typeof position === "number") {
            const start = position - text.length;
            this.#texts.set(id, (this.#texts.get(id) ?? "").slice(0, start).padEnd(start) + text);
        }
        else if (event === "message.restarted")
            this.#texts.set(id, "");
        else if (event === "message.completed" && typeof content === "string")
            this.#texts.set(id, content);
        else
            return undefined;
        return this.#texts.get(id);
    }
}
const OVER = new Set(["completed", "failed", "cancelled"]);
/** Seconds for which the service keeps an answer that has nothing new. */
const WAIT_SECONDS = 20;
const DEFAULT_OUTAGE_MS = 300_000;
const RETRY_MS = 500;
/**
 * Runs the tools of a job until it is over, and returns the job. After a crash, call this again with the same job:
 * calls whose results are stored are not run again. Calls of tools that are not given are left to other programs.
 */
export async function runTools(troupe, jobId, tools, { signal, outageMs = DEFAULT_OUTAGE_MS } = {}) {
    const http = signal === undefined ? {} : { signal };
    const results = new Map();
    let job = null;
    let awaySince = null;
    for (;;) {
        try {
            job ??= await troupe.getJob(jobId, http);
            if (OVER.has(job.status))
                return job;
            const call = job.requested_tool_calls.find(({ id, name }) => Object.hasOwn(tools, name) && results.get(id) !== SENT);
            if (call === undefined) {
                job = (await troupe.waitForJob(jobId, { since_version: job.version, wait: WAIT_SECONDS }, http)) ?? job;
            }
            else {
                const idempotencyKey = `${jobId}:${call.id}`;
                // A result that could not be sent is sent again, and not made again.
                const result = results.get(call.id) ?? (await resultOf(tools, call, { jobId, callId: call.id, idempotencyKey, ...http }));
                results.set(call.id, result);
                const body = { results: [{ tool_call_id: call.id, ...result }] };
                job = await troupe.sendToolResults(jobId, body, { ...http, idempotencyKey });
                results.set(call.id, SENT);
            }
            awaySince = null;
        }
        catch (error) {
            if (signal?.aborted === true)
                throw error;
            // Somebody else has sent the result of this call, or it is too late: the job says how it goes on.
            if (error instanceof ApiError && error.status === 409) {
                for (const id of results.keys())
                    results.set(id, SENT);
            }
            else {
                const isAway = error instanceof ConnectionFailedError || (error instanceof ApiError && error.status >= 500);
                awaySince ??= Date.now();
                if (!isAway || Date.now() - awaySince > outageMs)
                    throw error;
                await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
            }
            job = null;
        }
    }
}
/** In the place of a result that the service has. */
const SENT = {};
async function resultOf(tools, call, context) {
    try {
        const answer = await tools[call.name]?.(call.arguments, context);
        return { content: typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "null") };
    }
    catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
    }
}
/** Between two tries to send a message, and for how long they go on, in milliseconds. */
const SEND_RETRY_MS = 500;
const SEND_OUTAGE_MS = 300_000;
/** Sends a message, runs the tools that its job calls, and answers the job when it is over. */
export async function sendWithTools(troupe, chatId, message, { idempotencyKey = crypto.randomUUID(), ...options } = {}) {
    const { tools, ...body } = message;
    const { signal, outageMs = SEND_OUTAGE_MS } = options;
    const http = { idempotencyKey, ...(signal === undefined ? {} : { signal }) };
    const since = Date.now();
    let jobId = null;
    while (jobId === null) {
        try {
            jobId = (await troupe.sendMessage(chatId, body, http)).job.id;
        }
        catch (error) {
            const isAway = error instanceof ConnectionFailedError || (error instanceof ApiError && error.status >= 500);
            if (!isAway || signal?.aborted === true || Date.now() - since > outageMs)
                throw error;
            await new Promise((resolve) => setTimeout(resolve, SEND_RETRY_MS));
        }
    }
    return runTools(troupe, jobId, tools, options);
}
/**
 * Runs the tools of all jobs of an agent that act for this token's user, also for messages of others, until the signal
 * aborts. Start it again after a crash: jobs wait for it.
 */
export async function serveTools(troupe, agentId, tools, { signal, pollMs = 1_000, jobs: most = 8, onError = () => { } }) {
    const served = new Map();
    const serve = async (id) => {
        try {
            await runTools(troupe, id, tools, { signal });
        }
        catch (error) {
            if (!signal.aborted)
                onError(error, id);
        }
        finally {
            served.delete(id);
        }
    };
    while (!signal.aborted) {
        try {
            for await (const job of troupe.listAllJobs({ agent_id: agentId, status: ["blocked"] }, { signal })) {
                const isOurs = job.requested_tool_calls.some(({ name }) => Object.hasOwn(tools, name));
                if (!isOurs || !job.allowed_actions.includes("tool_results") || served.has(job.id))
                    continue;
                if (served.size >= most)
                    break;
                served.set(job.id, serve(job.id));
            }
        }
        catch (error) {
            if (!signal.aborted)
                onError(error, null);
        }
        await pause(pollMs, signal);
    }
    await Promise.all(served.values());
}
/** Waits, or until the signal aborts. */
function pause(ms, signal) {
    return new Promise((resolve) => {
        if (signal.aborted)
            return resolve();
        const end = () => {
            clearTimeout(timer);
            signal.removeEventListener("abort", end);
            resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener("abort", end);
    });
}
/** Whether a webhook is what the service sent. */
/** Seconds that a signature may be old, or ahead of this clock. */
const TOLERANCE_SECONDS = 300;
/**
 * Answers the event of a webhook that was signed with the secret, and throws `WebhookSignatureError` for any
 * other. It takes `Service-Signature` and the headers of Standard Webhooks, and compares in constant time.
 * An event may come more than once: its `id` is the same each time.
 */
export async function verifyWebhook(received) {
    const bytes = typeof received.body === "string" ? new TextEncoder().encode(received.body) : received.body;
    const header = readerOf(received.headers);
    const secrets = typeof received.secret === "string" ? [received.secret] : received.secret;
    const own = header("service-signature");
    const signed = own === null ? standardSignature(header) : serviceSignature(own);
    const ageSeconds = (received.now ?? Date.now()) / 1_000 - signed.timestamp;
    if (!(Math.abs(ageSeconds) <= (received.toleranceSeconds ?? TOLERANCE_SECONDS)))
        throw new WebhookSignatureError("The signature is too old, or of another clock");
    const message = joined(new TextEncoder().encode(signed.prefix), bytes);
    for (const secret of secrets) {
        const bytesOfKey = signed.keyOf(secret);
        if (bytesOfKey.length === 0)
            throw new WebhookSignatureError("The secret is none");
        const key = await hmacKey(bytesOfKey);
        for (const signature of signed.signatures)
            if (await crypto.subtle.verify("HMAC", key, signature, message))
                return JSON.parse(new TextDecoder().decode(bytes));
    }
    throw new WebhookSignatureError("The signature is of another secret or another body");
}
/** `t=<timestamp>,v1=<hex>`, with another `v1` while a secret is being replaced. */
function serviceSignature(header) {
    const parts = header.split(",").map((part) => part.trim());
    const timestamp = parts.find((part) => part.startsWith("t="))?.slice(2) ?? "";
    const signatures = parts.filter((part) => part.startsWith("v1=")).map((part) => bytesOfHex(part.slice(3)));
    return {
        timestamp: secondsOf(timestamp),
        prefix: `${timestamp}.`,
        signatures,
        keyOf: (secret) => new TextEncoder().encode(secret),
    };
}
/** `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64> …`. */
function standardSignature(header) {
    const timestamp = header("webhook-timestamp") ?? "";
    const signatures = (header("webhook-signature") ?? "")
        .split(" ")
        .filter((part) => part.startsWith("v1,"))
        .map((part) => bytesOfBase64(part.slice(3)));
    return {
        timestamp: secondsOf(timestamp),
        prefix: `${header("webhook-id") ?? ""}.${timestamp}.`,
        signatures,
        keyOf: (secret) => bytesOfBase64(secret.replace(/^whsec_/, "")),
    };
}
function secondsOf(text) {
    if (!/^\d{1,12}$/.test(text))
        throw new WebhookSignatureError("There is no signature, or it has no timestamp");
    return Number(text);
}
function readerOf(headers) {
    if (headers instanceof Headers)
        return (name) => headers.get(name);
    const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    return (name) => {
        const value = values.get(name);
        return typeof value === "string" ? value : (value?.[0] ?? null);
    };
}
const hmacKey = (bytes) => crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
function bytesOfHex(text) {
    if (!/^(?:[0-9a-f]{2})*$/i.test(text))
        return new Uint8Array();
    return new Uint8Array((text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}
function bytesOfBase64(text) {
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text))
        return new Uint8Array();
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
function joined(first, second) {
    const all = new Uint8Array(first.length + second.length);
    all.set(first);
    all.set(second, first.length);
    return all;
}
