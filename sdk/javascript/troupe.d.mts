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
export declare class Troupe {
    #private;
    constructor(options: TroupeOptions);
    /**
     * List agents.
     *
     * The organization's agents and the caller's own private ones, newest first. Library entries that are not installed
     * follow at the end. Filters are combined with AND.
     *
     * `GET /api/agents`. Needs `agents:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAgents(query?: ListAgentsQuery, options?: RequestOptions): Promise<AgentList>;
    /**
     * List agents. All of them: the next page is asked for when it is needed.
     *
     * The organization's agents and the caller's own private ones, newest first. Library entries that are not installed
     * follow at the end. Filters are combined with AND.
     *
     * `GET /api/agents`. Needs `agents:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllAgents(query?: Omit<ListAgentsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Agent, void, undefined>;
    /**
     * Create a private agent.
     *
     * Only its creator sees it, unless another `visibility` is given.
     *
     * `POST /api/agents`. Needs `agents:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    createAgent(body: CreateAgentRequest, options?: MutationOptions): Promise<Agent>;
    /**
     * Read an agent.
     *
     * `GET /api/agents/{id}`. Needs `agents:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getAgent(agentId: string, options?: RequestOptions): Promise<Agent>;
    /**
     * Update an agent.
     *
     * Omitted fields are unchanged. Jobs that have started keep the agent as it was.
     *
     * `PATCH /api/agents/{id}`. Needs `agents:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    updateAgent(agentId: string, body: UpdateAgentRequest, options?: VersionedOptions): Promise<Agent>;
    /**
     * Delete a private agent.
     *
     * The agent is archived: it can no longer be found, listed or executed. Its history is kept.
     *
     * `DELETE /api/agents/{id}`. Needs `agents:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteAgent(agentId: string, options?: MutationOptions): Promise<Agent>;
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
    setAgentInstallState(agentId: string, body: SetAgentInstallStateRequest, options?: MutationOptions): Promise<Agent>;
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
    importAgentTools(agentId: string, body: ImportAgentToolsRequest, options?: VersionedOptions): Promise<ToolImport>;
    /**
     * Try approval rules on earlier calls.
     *
     * What the rules would have decided about the newest 100 calls of the agent in jobs that the caller sees. Nothing is
     * stored. Without `approval_rules` those of the agent are tried.
     *
     * `POST /api/agents/{id}/approval-rules/dry-run`. Needs `jobs:read`. May throw `OrganizationSuspendedError`,
     * `NotFoundError` or `RequestTimeoutError`.
     */
    tryApprovalRules(agentId: string, body: TryApprovalRulesRequest, options?: RequestOptions): Promise<RuleTrial>;
    /**
     * List chats.
     *
     * Filters are combined with AND.
     *
     * `GET /api/chats`. Needs `chats:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listChats(query?: ListChatsQuery, options?: RequestOptions): Promise<ChatList>;
    /**
     * List chats. All of them: the next page is asked for when it is needed.
     *
     * Filters are combined with AND.
     *
     * `GET /api/chats`. Needs `chats:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllChats(query?: Omit<ListChatsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Chat, void, undefined>;
    /**
     * Create a durable chat.
     *
     * `POST /api/chats`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    createChat(body: CreateChatRequest, options?: MutationOptions): Promise<Chat>;
    /**
     * Read a chat.
     *
     * `GET /api/chats/{id}`. Needs `chats:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getChat(chatId: string, options?: RequestOptions): Promise<Chat>;
    /**
     * Read a chat. Answers as soon as `version` is past `since_version`; nothing where that did not happen within `wait`
     * seconds.
     *
     * `GET /api/chats/{id}`. Needs `chats:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    waitForChat(chatId: string, query?: WaitForChatQuery, options?: RequestOptions): Promise<Chat | null>;
    /**
     * Delete a chat.
     *
     * Only for the chat's creator and for owners. Running work is cancelled, and the chat can no longer be found.
     *
     * `DELETE /api/chats/{id}`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteChat(chatId: string, options?: MutationOptions): Promise<DeletedChat>;
    /**
     * Rename a chat, pin it, or change its metadata.
     *
     * Only for the chat's creator and for owners. Omitted fields are unchanged.
     *
     * `PATCH /api/chats/{id}`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateChat(chatId: string, body: UpdateChatRequest, options?: VersionedOptions): Promise<Chat>;
    /**
     * Update chat options.
     *
     * Merges the given options, sent at the top level or in `options`. Only the chat's creator and owners can change its
     * title.
     *
     * `PATCH /api/chats/{id}/options`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateChatOptions(chatId: string, body: UpdateChatOptionsRequest, options?: VersionedOptions): Promise<Chat>;
    /**
     * Read messages and the durable work summary.
     *
     * The newest page comes first; the messages of a page are in conversation order. `next_cursor` leads to older
     * messages.
     *
     * `GET /api/chats/{id}/messages`. Needs `chats:read`. May throw `InvalidCursorError`, `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listMessages(chatId: string, query?: ListMessagesQuery, options?: RequestOptions): Promise<MessagePage>;
    /**
     * Read messages and the durable work summary. All of them: the next page is asked for when it is needed.
     *
     * The newest page comes first; the messages of a page are in conversation order. `next_cursor` leads to older
     * messages.
     *
     * `GET /api/chats/{id}/messages`. Needs `chats:read`. May throw `InvalidCursorError`, `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listAllMessages(chatId: string, query?: Omit<ListMessagesQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Message, void, undefined>;
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
    sendMessage(chatId: string, body: SendMessageRequest, options?: MutationOptions): Promise<SentMessage>;
    /**
     * Pin or unpin a message.
     *
     * A pinned message stays in the model's context unchanged, even when the conversation around it is compacted. A chat
     * can have at most 20.
     *
     * `PATCH /api/chats/{id}/messages/{message_id}`. Needs `chats:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateMessage(chatId: string, messageId: string, body: UpdateMessageRequest, options?: MutationOptions): Promise<Message>;
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
    compactChat(chatId: string, body: CompactChatRequest, options?: MutationOptions): Promise<StartedCompaction>;
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
    forkChat(chatId: string, body: ForkChatRequest, options?: MutationOptions): Promise<ForkedChat>;
    /**
     * List jobs.
     *
     * Filters are combined with AND.
     *
     * `GET /api/jobs`. Needs `jobs:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listJobs(query?: ListJobsQuery, options?: RequestOptions): Promise<JobList>;
    /**
     * List jobs. All of them: the next page is asked for when it is needed.
     *
     * Filters are combined with AND.
     *
     * `GET /api/jobs`. Needs `jobs:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllJobs(query?: Omit<ListJobsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Job, void, undefined>;
    /**
     * Read status, metadata, artifacts, review state and links.
     *
     * `GET /api/jobs/{id}`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getJob(jobId: string, options?: RequestOptions): Promise<Job>;
    /**
     * Read status, metadata, artifacts, review state and links. Answers as soon as `version` is past `since_version`;
     * nothing where that did not happen within `wait` seconds.
     *
     * `GET /api/jobs/{id}`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    waitForJob(jobId: string, query?: WaitForJobQuery, options?: RequestOptions): Promise<Job | null>;
    /**
     * Read related jobs.
     *
     * The job's iterations, resumptions, delegations and ancestors.
     *
     * `GET /api/jobs/{id}/lineage`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getJobLineage(jobId: string, options?: RequestOptions): Promise<JobLineage>;
    /**
     * Read transcript events.
     *
     * The durable events of the job's stream, in pages.
     *
     * `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listTranscriptEvents(jobId: string, query?: ListTranscriptEventsQuery, options?: RequestOptions): Promise<EventPage>;
    /**
     * Read transcript events. All of them: the next page is asked for when it is needed.
     *
     * The durable events of the job's stream, in pages.
     *
     * `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listAllTranscriptEvents(jobId: string, query?: Omit<ListTranscriptEventsQuery, "after">, options?: RequestOptions): AsyncGenerator<RecordedEvent, void, undefined>;
    /**
     * Approve a reviewed job, or approve or deny waiting tool calls.
     *
     * Without an id it applies to all waiting calls, or to the review. A denial emits `job.denied`.
     *
     * `POST /api/jobs/{id}/approve`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    approveJob(jobId: string, body?: ApproveJobRequest, options?: MutationOptions): Promise<Job>;
    /**
     * Cancel running work.
     *
     * With `wait` it returns when the job has stopped, with the seq of its last event.
     *
     * `POST /api/jobs/{id}/cancel`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    cancelJob(jobId: string, query?: CancelJobQuery, options?: MutationOptions): Promise<CancelReceipt>;
    /**
     * Send the results of tools that the client runs.
     *
     * For the calls in `requested_tool_calls`. Send one result per call; the job continues once every call has a result.
     *
     * `POST /api/jobs/{id}/tool-results`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    sendToolResults(jobId: string, body: SendToolResultsRequest, options?: MutationOptions): Promise<Job>;
    /**
     * Resume blocked work.
     *
     * A blocked job continues as the same job; a failed or cancelled job continues in a new one.
     *
     * `POST /api/jobs/{id}/resume`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `ApprovalPendingError`, `BudgetExceededError`,
     * `QuotaExceededError`, `ProviderError` or `StorageFullError`.
     */
    resumeJob(jobId: string, body?: ResumeJobRequest, options?: MutationOptions): Promise<Job>;
    /**
     * Request another iteration.
     *
     * Requests changes, if a review is pending, and starts another round in a new job.
     *
     * `POST /api/jobs/{id}/iterate`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `ApprovalPendingError`, `BudgetExceededError`,
     * `QuotaExceededError`, `ProviderError` or `StorageFullError`.
     */
    iterateJob(jobId: string, body: IterateJobRequest, options?: MutationOptions): Promise<Job>;
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
    bulkJobs(body: BulkJobsRequest, query?: BulkJobsQuery, options?: MutationOptions): Promise<BulkJobs>;
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
    streamChatEvents(chatId: string, query?: StreamChatEventsQuery, options?: RequestOptions): AsyncGenerator<ChatStreamEvent, void, undefined>;
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
    streamJobEvents(jobId: string, query?: StreamJobEventsQuery, options?: RequestOptions): AsyncGenerator<JobStreamEvent, void, undefined>;
    /**
     * Stream job events by a signed URL. Goes on by itself where it was cut, without a gap and without a repetition.
     *
     * A job's `links.app_stream` is a signed URL that can open the stream for five minutes. It sends the same events as
     * the job's stream.
     *
     * `GET /mcp-app/jobs/{id}/events`. May throw `InvalidSignatureError`.
     */
    streamSignedJobEvents(jobId: string, query?: StreamSignedJobEventsQuery, options?: RequestOptions): AsyncGenerator<JobStreamEvent, void, undefined>;
    /**
     * List your uploaded files.
     *
     * `GET /api/files`. Needs `chats:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listUploads(query?: ListUploadsQuery, options?: RequestOptions): Promise<UploadedFileList>;
    /**
     * List your uploaded files. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/files`. Needs `chats:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllUploads(query?: Omit<ListUploadsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<UploadedFile, void, undefined>;
    /**
     * Upload a file for a message.
     *
     * The body is the file: a PNG, JPEG, GIF or WebP image, a PDF, or text in UTF-8. Its media type is detected from its
     * first bytes. A file that no message refers to is removed after 7 days.
     *
     * `POST /api/files`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    createUpload(body: BinaryBody, query?: CreateUploadQuery, options?: MutationOptions): Promise<UploadedFile>;
    /**
     * Read an uploaded file's metadata.
     *
     * `GET /api/files/{id}`. Needs `chats:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getUpload(fileId: string, options?: RequestOptions): Promise<UploadedFile>;
    /**
     * Delete an uploaded file.
     *
     * New messages can no longer refer to the file. Messages that already do keep its content.
     *
     * `DELETE /api/files/{id}`. Needs `chats:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteUpload(fileId: string, options?: MutationOptions): Promise<UploadedFile>;
    /**
     * Download an uploaded file.
     *
     * `GET /api/files/{id}/content`. Needs `chats:read`. May throw `OrganizationSuspendedError`, `NotFoundError` or
     * `RangeNotSatisfiableError`.
     */
    readUpload(fileId: string, options?: RequestOptions): Promise<Uint8Array>;
    /**
     * Download an uploaded file. The content in pieces, as they arrive: a file of any size takes little memory.
     *
     * `GET /api/files/{id}/content`. Needs `chats:read`. May throw `OrganizationSuspendedError`, `NotFoundError` or
     * `RangeNotSatisfiableError`.
     */
    readUploadStream(fileId: string, options?: RequestOptions): AsyncGenerator<Uint8Array, void, undefined>;
    /**
     * List missions.
     *
     * Filters are combined with AND.
     *
     * `GET /api/missions`. Needs `missions:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listMissions(query?: ListMissionsQuery, options?: RequestOptions): Promise<MissionList>;
    /**
     * List missions. All of them: the next page is asked for when it is needed.
     *
     * Filters are combined with AND.
     *
     * `GET /api/missions`. Needs `missions:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllMissions(query?: Omit<ListMissionsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Mission, void, undefined>;
    /**
     * Create a mission.
     *
     * Without a schedule, the mission runs only when it is started by hand. Scheduled runs have the permissions of the
     * mission's creator. Without `workspace_id` it uses the default workspace.
     *
     * `POST /api/missions`. Needs `missions:write`. May throw `InvalidScheduleError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    createMission(body: CreateMissionRequest, options?: MutationOptions): Promise<Mission>;
    /**
     * Read a mission.
     *
     * `GET /api/missions/{id}`. Needs `missions:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getMission(missionId: string, options?: RequestOptions): Promise<Mission>;
    /**
     * Read a mission. Answers as soon as `version` is past `since_version`; nothing where that did not happen within
     * `wait` seconds.
     *
     * `GET /api/missions/{id}`. Needs `missions:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    waitForMission(missionId: string, query?: WaitForMissionQuery, options?: RequestOptions): Promise<Mission | null>;
    /**
     * Update a mission.
     *
     * Omitted fields are unchanged. `status` pauses it (`paused`), resumes it (`pending`) or runs it now (`running`).
     *
     * `PATCH /api/missions/{id}`. Needs `missions:write`. May throw `InvalidScheduleError`, `OrganizationSuspendedError`,
     * `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`,
     * `BudgetExceededError`, `QuotaExceededError`, `ProviderError` or `StorageFullError`.
     */
    updateMission(missionId: string, body: UpdateMissionRequest, options?: VersionedOptions): Promise<Mission>;
    /**
     * Delete a mission.
     *
     * The mission no longer runs and can no longer be found; its record is kept. Its running jobs are cancelled.
     *
     * `DELETE /api/missions/{id}`. Needs `missions:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteMission(missionId: string, options?: MutationOptions): Promise<DeletedMission>;
    /**
     * Forecast when a mission will run.
     *
     * In UTC and in local time, with a note where a clock change shifts, skips or repeats a time.
     *
     * `GET /api/missions/{id}/forecast`. Needs `missions:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    getMissionForecast(missionId: string, query?: GetMissionForecastQuery, options?: RequestOptions): Promise<MissionForecast>;
    /**
     * Forecast a schedule that is not saved.
     *
     * Validates the schedule as for a new mission, and answers its next times with the effects of clock changes. A
     * mission that only runs when it is started by hand has no times.
     *
     * `POST /api/missions/forecast`. Needs `missions:read`. May throw `InvalidScheduleError`,
     * `OrganizationSuspendedError` or `RequestTimeoutError`.
     */
    forecastSchedule(body: ForecastScheduleRequest, options?: RequestOptions): Promise<ScheduleForecast>;
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
    runMission(missionId: string, options?: MutationOptions): Promise<MissionRunStarted>;
    /**
     * List the runs of a mission.
     *
     * The ledger: every scheduled time with its outcome, and every manual run.
     *
     * `GET /api/missions/{id}/runs`. Needs `missions:read`. May throw `InvalidCursorError`, `OrganizationSuspendedError`
     * or `NotFoundError`.
     */
    listMissionRuns(missionId: string, query?: ListMissionRunsQuery, options?: RequestOptions): Promise<MissionRunList>;
    /**
     * List the runs of a mission. All of them: the next page is asked for when it is needed.
     *
     * The ledger: every scheduled time with its outcome, and every manual run.
     *
     * `GET /api/missions/{id}/runs`. Needs `missions:read`. May throw `InvalidCursorError`, `OrganizationSuspendedError`
     * or `NotFoundError`.
     */
    listAllMissionRuns(missionId: string, query?: Omit<ListMissionRunsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<MissionRun, void, undefined>;
    /**
     * Add a mission task.
     *
     * `POST /api/missions/{id}/tasks`. Needs `missions:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    addMissionTask(missionId: string, body: AddMissionTaskRequest, options?: MutationOptions): Promise<MissionTask>;
    /**
     * Read a mission task.
     *
     * `GET /api/missions/{id}/tasks/{taskId}`. Needs `missions:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    getMissionTask(missionId: string, taskId: string, options?: RequestOptions): Promise<MissionTask>;
    /**
     * Update a mission task.
     *
     * Omitted fields are unchanged. A status that ends the work also stops its job.
     *
     * `PATCH /api/missions/{id}/tasks/{taskId}`. Needs `missions:write`. May throw `OrganizationSuspendedError`,
     * `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    updateMissionTask(missionId: string, taskId: string, body: UpdateMissionTaskRequest, options?: VersionedOptions): Promise<MissionTask>;
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
    startMissionTask(missionId: string, taskId: string, options?: MutationOptions): Promise<MissionTaskStarted>;
    /**
     * List tasks.
     *
     * Filters are combined with AND.
     *
     * `GET /api/tasks`. Needs `tasks:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listTasks(query?: ListTasksQuery, options?: RequestOptions): Promise<TaskList>;
    /**
     * List tasks. All of them: the next page is asked for when it is needed.
     *
     * Filters are combined with AND.
     *
     * `GET /api/tasks`. Needs `tasks:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllTasks(query?: Omit<ListTasksQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Task, void, undefined>;
    /**
     * Create a task.
     *
     * The new task is `pending`. Assigning a task does not start any work.
     *
     * `POST /api/tasks`. Needs `tasks:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    createTask(body: CreateTaskRequest, options?: MutationOptions): Promise<Task>;
    /**
     * Read a task.
     *
     * `GET /api/tasks/{id}`. Needs `tasks:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getTask(taskId: string, options?: RequestOptions): Promise<Task>;
    /**
     * Update a task.
     *
     * Omitted fields are unchanged. `completed` and `cancelled` are final.
     *
     * `PATCH /api/tasks/{id}`. Needs `tasks:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateTask(taskId: string, body: UpdateTaskRequest, options?: VersionedOptions): Promise<Task>;
    /**
     * Delete a task.
     *
     * The task can no longer be found, on v1 either.
     *
     * `DELETE /api/tasks/{id}`. Needs `tasks:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteTask(taskId: string, options?: MutationOptions): Promise<DeletedTask>;
    /**
     * List workspaces.
     *
     * `GET /api/workspaces`. Needs `workspaces:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listWorkspaces(query?: ListWorkspacesQuery, options?: RequestOptions): Promise<WorkspaceList>;
    /**
     * List workspaces. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/workspaces`. Needs `workspaces:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllWorkspaces(query?: Omit<ListWorkspacesQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Workspace, void, undefined>;
    /**
     * Create a workspace.
     *
     * `POST /api/workspaces`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    createWorkspace(body: CreateWorkspaceRequest, options?: MutationOptions): Promise<WorkspaceDetails>;
    /**
     * Read a workspace.
     *
     * `GET /api/workspaces/{id}`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getWorkspace(workspaceId: string, options?: RequestOptions): Promise<WorkspaceDetails>;
    /**
     * Update a workspace.
     *
     * Omitted fields are unchanged.
     *
     * `PATCH /api/workspaces/{id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    updateWorkspace(workspaceId: string, body: UpdateWorkspaceRequest, options?: VersionedOptions): Promise<WorkspaceDetails>;
    /**
     * Delete a workspace.
     *
     * Deletes its files too; missions in it fail. The organization's first workspace cannot be deleted.
     *
     * `DELETE /api/workspaces/{id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteWorkspace(workspaceId: string, options?: MutationOptions): Promise<Workspace>;
    /**
     * Set the active workspace.
     *
     * Each user has an active workspace of their own.
     *
     * `POST /api/workspaces/{id}/select`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    selectWorkspace(workspaceId: string, options?: MutationOptions): Promise<WorkspaceDetails>;
    /**
     * List files and directories.
     *
     * Sorted by path, byte by byte. A page can have fewer than `limit` entries if `glob` excludes some.
     *
     * `GET /api/workspaces/{id}/files`. Needs `workspaces:read`. May throw `InvalidCursorError`, `InvalidPathError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listFiles(workspaceId: string, query?: ListFilesQuery, options?: RequestOptions): Promise<FileList>;
    /**
     * List files and directories. All of them: the next page is asked for when it is needed.
     *
     * Sorted by path, byte by byte. A page can have fewer than `limit` entries if `glob` excludes some.
     *
     * `GET /api/workspaces/{id}/files`. Needs `workspaces:read`. May throw `InvalidCursorError`, `InvalidPathError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listAllFiles(workspaceId: string, query?: Omit<ListFilesQuery, "cursor">, options?: RequestOptions): AsyncGenerator<WorkspaceFile, void, undefined>;
    /**
     * Search names and contents.
     *
     * Matches in names come first, then matches in contents. Only the first 64 KiB of a text file are searched.
     *
     * `GET /api/workspaces/{id}/files/search`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    searchFiles(workspaceId: string, query?: SearchFilesQuery, options?: RequestOptions): Promise<FoundFiles>;
    /**
     * Download a file.
     *
     * The current content, or the content of version `number`.
     *
     * `GET /api/workspaces/{id}/files/content`. Needs `workspaces:read`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `NotFoundError` or `RangeNotSatisfiableError`.
     */
    readFile(workspaceId: string, query?: ReadFileQuery, options?: RequestOptions): Promise<Uint8Array>;
    /**
     * Download a file. The content in pieces, as they arrive: a file of any size takes little memory.
     *
     * The current content, or the content of version `number`.
     *
     * `GET /api/workspaces/{id}/files/content`. Needs `workspaces:read`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `NotFoundError` or `RangeNotSatisfiableError`.
     */
    readFileStream(workspaceId: string, query?: ReadFileStreamQuery, options?: RequestOptions): AsyncGenerator<Uint8Array, void, undefined>;
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
    writeFile(workspaceId: string, body: BinaryBody, query?: WriteFileQuery, options?: VersionedOptions): Promise<FileUpload>;
    /**
     * Delete a file or directory.
     *
     * Deleting a directory that is not empty needs `recursive=true`; otherwise it is 409 `path_exists`.
     *
     * `DELETE /api/workspaces/{id}/files/content`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `VersionConflictError`,
     * `PathExistsError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteFile(workspaceId: string, query?: DeleteFileQuery, options?: VersionedOptions): Promise<ChangedFile>;
    /**
     * List the versions of a file.
     *
     * Works for a file that exists or was deleted less than 30 days ago. All versions, at most 51, are on one page.
     *
     * `GET /api/workspaces/{id}/files/versions`. Needs `workspaces:read`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listFileVersions(workspaceId: string, query?: ListFileVersionsQuery, options?: RequestOptions): Promise<FileVersions>;
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
    previewFile(workspaceId: string, body: PreviewFileRequest, options?: RequestOptions): Promise<FilePreview>;
    /**
     * Create a directory.
     *
     * Creates missing parent directories. A directory that exists is not an error.
     *
     * `POST /api/workspaces/{id}/files/directory`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `PathExistsError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    createDirectory(workspaceId: string, body: CreateDirectoryRequest, options?: MutationOptions): Promise<MadeDirectory>;
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
    moveFile(workspaceId: string, body: MoveFileRequest, options?: MutationOptions): Promise<ChangedFile>;
    /**
     * Create a public file share.
     *
     * The URL serves the file that is at the path at the time of the download.
     *
     * `POST /api/workspaces/{id}/files/share`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    shareFile(workspaceId: string, body: ShareFileRequest, options?: MutationOptions): Promise<NewShare>;
    /**
     * List the shares of a workspace.
     *
     * `GET /api/workspaces/{id}/shares`. Needs `workspaces:read`. May throw `InvalidCursorError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listShares(workspaceId: string, query?: ListSharesQuery, options?: RequestOptions): Promise<ShareList>;
    /**
     * List the shares of a workspace. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/workspaces/{id}/shares`. Needs `workspaces:read`. May throw `InvalidCursorError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    listAllShares(workspaceId: string, query?: Omit<ListSharesQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Share, void, undefined>;
    /**
     * Revoke a share.
     *
     * `DELETE /api/workspaces/{id}/shares/{share_id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeShare(workspaceId: string, shareId: string, options?: MutationOptions): Promise<Share>;
    /**
     * Download a shared file.
     *
     * Send the password of a share by HTTP Basic authentication, with any user name. Each response with content counts as
     * a download; HEAD, 304 and 416 do not count. Browsers (`Accept: text/html`) get a page with a preview and a download
     * link, and errors as pages; the page does not count as a download, and has no preview if `max_downloads` is set.
     *
     * `GET /share/{token}`. May throw `NotFoundError`, `ShareExpiredError` or `RangeNotSatisfiableError`.
     */
    openShare(token: string, query?: OpenShareQuery, options?: RequestOptions): Promise<Uint8Array>;
    /**
     * Download a shared file. The content in pieces, as they arrive: a file of any size takes little memory.
     *
     * Send the password of a share by HTTP Basic authentication, with any user name. Each response with content counts as
     * a download; HEAD, 304 and 416 do not count. Browsers (`Accept: text/html`) get a page with a preview and a download
     * link, and errors as pages; the page does not count as a download, and has no preview if `max_downloads` is set.
     *
     * `GET /share/{token}`. May throw `NotFoundError`, `ShareExpiredError` or `RangeNotSatisfiableError`.
     */
    openShareStream(token: string, query?: OpenShareStreamQuery, options?: RequestOptions): AsyncGenerator<Uint8Array, void, undefined>;
    /**
     * List unfinished uploads.
     *
     * Your own uploads in parts, newest first; owners see those of all members. There are at most 32 per organization and
     * 8 per person.
     *
     * `GET /api/unfinished-uploads`. Needs `workspaces:read`. May throw `OrganizationSuspendedError`.
     */
    listUnfinishedUploads(options?: RequestOptions): Promise<UnfinishedUploadList>;
    /**
     * End an unfinished upload.
     *
     * Discards the bytes received so far. Only for the person who started the upload, and for owners.
     *
     * `DELETE /api/unfinished-uploads/{id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    endUnfinishedUpload(uploadId: string, options?: MutationOptions): Promise<UnfinishedUpload>;
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
    queryData(workspaceId: string, body: QueryDataRequest, options?: RequestOptions): Promise<QueryResult>;
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
    queryDataBytes(workspaceId: string, body: QueryDataRequest, options?: RequestOptions): Promise<Uint8Array>;
    /**
     * List repository mounts.
     *
     * Returns all of them: a workspace has at most 20.
     *
     * `GET /api/workspaces/{id}/repos`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listRepositories(workspaceId: string, options?: RequestOptions): Promise<RepositoryList>;
    /**
     * Add a repository mount.
     *
     * The mount stays `pending` until it is cloned. Only owners can name a `secret`, with the scope `secrets:use`.
     *
     * `POST /api/workspaces/{id}/repos`. Needs `workspaces:write`. May throw `InvalidPathError`, `InvalidUrlError`,
     * `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `PathExistsError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    addRepository(workspaceId: string, body: AddRepositoryRequest, options?: MutationOptions): Promise<Repository>;
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
    cloneRepository(workspaceId: string, body: CloneRepositoryRequest, options?: MutationOptions): Promise<Repository>;
    /**
     * Read a repository mount.
     *
     * `GET /api/workspaces/{id}/repos/{repo_id}`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    getRepository(workspaceId: string, repoId: string, options?: RequestOptions): Promise<Repository>;
    /**
     * Remove a repository mount.
     *
     * Its files stay in the workspace as ordinary files.
     *
     * `DELETE /api/workspaces/{id}/repos/{repo_id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    removeRepository(workspaceId: string, repoId: string, options?: MutationOptions): Promise<Repository>;
    /**
     * Update a repository mount.
     *
     * Done by a job, like a clone. Files are replaced by those of the repository; local changes are kept as versions.
     *
     * `POST /api/workspaces/{id}/repos/{repo_id}/sync`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    syncRepository(workspaceId: string, repoId: string, options?: MutationOptions): Promise<Repository>;
    /**
     * List the apps of a workspace.
     *
     * Returns all of them: a workspace has at most 20.
     *
     * `GET /api/workspaces/{id}/apps`. Needs `workspaces:read`. May throw `OrganizationSuspendedError` or
     * `NotFoundError`.
     */
    listApps(workspaceId: string, options?: RequestOptions): Promise<AppList>;
    /**
     * Create a workspace app.
     *
     * Anyone with the `url` can open the app, and gets the current files. Its scripts have no access to the API.
     *
     * `POST /api/workspaces/{id}/apps`. Needs `workspaces:write`. May throw `InvalidPathError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `PathExistsError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    createApp(workspaceId: string, body: CreateAppRequest, options?: MutationOptions): Promise<App>;
    /**
     * Delete a workspace app.
     *
     * Its address stops working; its files stay.
     *
     * `DELETE /api/workspaces/{id}/apps/{app_id}`. Needs `workspaces:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteApp(workspaceId: string, appId: string, options?: MutationOptions): Promise<App>;
    /**
     * List the models that the operator allows.
     *
     * `GET /api/models`. Needs `agents:read`. May throw `OrganizationSuspendedError`.
     */
    listModels(options?: RequestOptions): Promise<ModelList>;
    /**
     * List the tools that agents can be given.
     *
     * The service's own tools, sorted by name; with `agent_id` also the agent's own tools and those of its MCP servers. A
     * tool of an MCP server is called `<server>__<tool>`, and `<server>__*` stands for all tools of the server. Each
     * server is queried at most every 5 minutes; a server that is unavailable is reported in `mcp_servers`.
     *
     * `GET /api/tools`. Needs `agents:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    listTools(query?: ListToolsQuery, options?: RequestOptions): Promise<ToolList>;
    /**
     * Read usage by agent, model or day.
     *
     * `GET /api/usage`. Needs `jobs:read`. May throw `OrganizationSuspendedError`.
     */
    getUsage(query?: GetUsageQuery, options?: RequestOptions): Promise<UsageReport>;
    /**
     * Read the costliest jobs of a day.
     *
     * The jobs that were created on the day and that you may see: highest cost first, then most tokens.
     *
     * `GET /api/usage/jobs`. Needs `jobs:read`. May throw `OrganizationSuspendedError`.
     */
    getCostliestJobs(query?: GetCostliestJobsQuery, options?: RequestOptions): Promise<CostliestJobs>;
    /**
     * List the groups of members.
     *
     * Every member may read them.
     *
     * `GET /api/groups`. Needs `tokens:read`. May throw `OrganizationSuspendedError`.
     */
    listGroups(options?: RequestOptions): Promise<GroupList>;
    /**
     * Read a group.
     *
     * `GET /api/groups/{name}`. Needs `tokens:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getGroup(name: string, options?: RequestOptions): Promise<Group>;
    /**
     * Write a group.
     *
     * Creates it, or replaces its members. The members at the time of a decision may decide, also about calls that
     * already wait.
     *
     * `PUT /api/groups/{name}`. Needs `*`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `VersionConflictError`, `QuotaExceededError` or `StorageFullError`.
     */
    putGroup(name: string, body: PutGroupRequest, options?: VersionedOptions): Promise<Group>;
    /**
     * Delete a group.
     *
     * Refused while a rule of an agent names it. Calls of jobs that keep such a rule wait for their expiry from then on.
     *
     * `DELETE /api/groups/{name}`. Needs `*`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteGroup(name: string, options?: MutationOptions): Promise<Group>;
    /**
     * List the names of the secrets.
     *
     * `GET /api/secrets`. Needs `tokens:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listSecrets(options?: RequestOptions): Promise<SecretList>;
    /**
     * Write a secret.
     *
     * Creates it, or replaces its value.
     *
     * `PUT /api/secrets/{name}`. Needs `tokens:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    putSecret(name: string, body: PutSecretRequest, options?: MutationOptions): Promise<Secret>;
    /**
     * Delete a secret.
     *
     * A secret that agents or repositories use is deleted only with `force`.
     *
     * `DELETE /api/secrets/{name}`. Needs `tokens:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `SecretInUseError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteSecret(name: string, query?: DeleteSecretQuery, options?: MutationOptions): Promise<Secret>;
    /**
     * List the organization's own keys for providers of models.
     *
     * `GET /api/provider-keys`. Needs `tokens:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listProviderKeys(options?: RequestOptions): Promise<ProviderKeyList>;
    /**
     * Use the organization's own key for a provider.
     *
     * Takes effect with the next model call, also in running jobs. To rotate the key, write the secret again. If the
     * provider rejects the key, jobs fail with `provider_key_rejected`; the operator's key is never used instead.
     *
     * `PUT /api/provider-keys/{provider}`. Needs `secrets:use`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    putProviderKey(provider: string, body: PutProviderKeyRequest, options?: MutationOptions): Promise<ProviderKey>;
    /**
     * Use the operator's key for a provider again.
     *
     * `DELETE /api/provider-keys/{provider}`. Needs `secrets:use`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteProviderKey(provider: string, options?: MutationOptions): Promise<ProviderKey>;
    /**
     * List your connections and those of the organization.
     *
     * `GET /api/connections`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listConnections(query?: ListConnectionsQuery, options?: RequestOptions): Promise<ConnectionList>;
    /**
     * List your connections and those of the organization. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/connections`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllConnections(query?: Omit<ListConnectionsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Connection, void, undefined>;
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
    createConnection(body: CreateConnectionRequest, options?: MutationOptions): Promise<Connection>;
    /**
     * Read a connection.
     *
     * `GET /api/connections/{id}`. Needs `tokens:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getConnection(connectionId: string, options?: RequestOptions): Promise<Connection>;
    /**
     * End a connection.
     *
     * Forgets the access at once, and revokes it at its server if that can be reached. Jobs that wait for the connection
     * go on without it.
     *
     * `DELETE /api/connections/{id}`. Needs `tokens:write`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteConnection(connectionId: string, options?: MutationOptions): Promise<Connection>;
    /**
     * Try a connection.
     *
     * Sends one request with the access to the tool server. The access is renewed if it has expired.
     *
     * `POST /api/connections/{id}/try`. Needs `tokens:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError` or `NotFoundError`.
     */
    tryConnection(connectionId: string, options?: RequestOptions): Promise<ConnectionTrial>;
    /**
     * List the organization's service tokens.
     *
     * `GET /api/service-tokens`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listServiceTokens(query?: ListServiceTokensQuery, options?: RequestOptions): Promise<ServiceTokenList>;
    /**
     * List the organization's service tokens. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/service-tokens`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAllServiceTokens(query?: Omit<ListServiceTokensQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Token, void, undefined>;
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
    createServiceToken(body: CreateServiceTokenRequest, options?: MutationOptions): Promise<NewToken>;
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
    revokeServiceToken(tokenId: string, options?: MutationOptions): Promise<Token>;
    /**
     * List your personal access tokens.
     *
     * `GET /api/personal-access-tokens`. Needs `tokens:read`. May throw `InvalidCursorError` or
     * `OrganizationSuspendedError`.
     */
    listPersonalAccessTokens(query?: ListPersonalAccessTokensQuery, options?: RequestOptions): Promise<PersonalAccessTokenList>;
    /**
     * List your personal access tokens. All of them: the next page is asked for when it is needed.
     *
     * `GET /api/personal-access-tokens`. Needs `tokens:read`. May throw `InvalidCursorError` or
     * `OrganizationSuspendedError`.
     */
    listAllPersonalAccessTokens(query?: Omit<ListPersonalAccessTokensQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Token, void, undefined>;
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
    createPersonalAccessToken(body: CreatePersonalAccessTokenRequest, options?: MutationOptions): Promise<NewToken>;
    /**
     * Revoke a personal access token.
     *
     * Takes effect with the next request, also for tokens that were created with it, and closes their open streams. A
     * token without the scope `*` cannot revoke a token with more scopes or a later expiry.
     *
     * `POST /api/personal-access-tokens/{id}/revoke`. Needs `tokens:write`. May throw `OrganizationSuspendedError`,
     * `ForbiddenError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokePersonalAccessToken(tokenId: string, options?: MutationOptions): Promise<Token>;
    /**
     * List your sessions.
     *
     * Browsers in which you have signed in to this organization, newest first.
     *
     * `GET /api/sessions`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listSessions(query?: ListSessionsQuery, options?: RequestOptions): Promise<SessionList>;
    /**
     * List your sessions. All of them: the next page is asked for when it is needed.
     *
     * Browsers in which you have signed in to this organization, newest first.
     *
     * `GET /api/sessions`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllSessions(query?: Omit<ListSessionsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Session, void, undefined>;
    /**
     * End one of your sessions.
     *
     * Takes effect with the next request, and closes the session's open streams. Needs a session or a token with the
     * scope `*`.
     *
     * `POST /api/sessions/{id}/revoke`. Needs `tokens:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeSession(sessionId: string, options?: MutationOptions): Promise<Session>;
    /**
     * End all your other sessions.
     *
     * Ends all your sessions in this organization except the current one. Needs a session or a token with the scope `*`.
     *
     * `POST /api/sessions/revoke-others`. Needs `tokens:write`. May throw `OrganizationSuspendedError`, `ForbiddenError`,
     * `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeOtherSessions(options?: MutationOptions): Promise<RevokedSessions>;
    /**
     * List the programs that you have granted access.
     *
     * Newest first; ended grants are listed for 30 days.
     *
     * `GET /api/oauth-grants`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listOauthGrants(query?: ListOauthGrantsQuery, options?: RequestOptions): Promise<OauthGrantList>;
    /**
     * List the programs that you have granted access. All of them: the next page is asked for when it is needed.
     *
     * Newest first; ended grants are listed for 30 days.
     *
     * `GET /api/oauth-grants`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllOauthGrants(query?: Omit<ListOauthGrantsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<OauthGrant, void, undefined>;
    /**
     * End a program's access.
     *
     * Takes effect with the next request, and closes the program's open streams. A token cannot end a grant that has
     * scopes which the token lacks.
     *
     * `POST /api/oauth-grants/{id}/revoke`. Needs `tokens:write`. May throw `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeOauthGrant(grantId: string, options?: MutationOptions): Promise<OauthGrant>;
    /**
     * List the members.
     *
     * Newest first. Every member may read the list.
     *
     * `GET /api/members`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listMembers(query?: ListMembersQuery, options?: RequestOptions): Promise<MemberList>;
    /**
     * List the members. All of them: the next page is asked for when it is needed.
     *
     * Newest first. Every member may read the list.
     *
     * `GET /api/members`. Needs `tokens:read`. May throw `InvalidCursorError` or `OrganizationSuspendedError`.
     */
    listAllMembers(query?: Omit<ListMembersQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Member, void, undefined>;
    /**
     * Read a member.
     *
     * `me` in the place of the id names the caller.
     *
     * `GET /api/members/{id}`. Needs `tokens:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getMember(memberId: string, options?: RequestOptions): Promise<Member>;
    /**
     * Change a member's role.
     *
     * Takes effect with the member's next request. The last owner cannot become a plain member: 409.
     *
     * `PATCH /api/members/{id}`. Needs `*`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `VersionConflictError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    updateMember(memberId: string, body: UpdateMemberRequest, options?: VersionedOptions): Promise<Member>;
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
    removeMember(memberId: string, options?: MutationOptions): Promise<RemovedMember>;
    /**
     * List invitations.
     *
     * Newest first; accepted, withdrawn and expired invitations are listed for 30 days.
     *
     * `GET /api/invitations`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listInvitations(query?: ListInvitationsQuery, options?: RequestOptions): Promise<InvitationList>;
    /**
     * List invitations. All of them: the next page is asked for when it is needed.
     *
     * Newest first; accepted, withdrawn and expired invitations are listed for 30 days.
     *
     * `GET /api/invitations`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAllInvitations(query?: Omit<ListInvitationsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Invitation, void, undefined>;
    /**
     * Invite a person.
     *
     * The response has the link, which is never shown again. It works once, within 7 days, and makes the person who opens
     * it a member. No e-mail is sent: pass the link on. Open invitations for the same address are withdrawn.
     *
     * `POST /api/invitations`. Needs `*`. May throw `OwnerRequiredError`, `OrganizationSuspendedError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    createInvitation(body: CreateInvitationRequest, options?: MutationOptions): Promise<NewInvitation>;
    /**
     * Withdraw an invitation.
     *
     * The link stops working. An invitation that was already accepted or withdrawn is 404.
     *
     * `POST /api/invitations/{id}/revoke`. Needs `tokens:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    revokeInvitation(invitationId: string, options?: MutationOptions): Promise<Invitation>;
    /**
     * List the audit log of credentials and members.
     *
     * For owners. Newest first; entries are kept for 365 days.
     *
     * `GET /api/audit`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAuditEntries(query?: ListAuditEntriesQuery, options?: RequestOptions): Promise<AuditEntryList>;
    /**
     * List the audit log of credentials and members. All of them: the next page is asked for when it is needed.
     *
     * For owners. Newest first; entries are kept for 365 days.
     *
     * `GET /api/audit`. Needs `tokens:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAllAuditEntries(query?: Omit<ListAuditEntriesQuery, "cursor">, options?: RequestOptions): AsyncGenerator<AuditEntry, void, undefined>;
    /**
     * Export the audit log as one file.
     *
     * For owners. Newest first, streamed. In CSV, text that a spreadsheet would read as a formula starts with an
     * apostrophe. If the export fails midway, the transfer is aborted: repeat the request.
     *
     * `GET /api/audit/export`. Needs `tokens:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    exportAudit(query?: ExportAuditQuery, options?: RequestOptions): Promise<string>;
    /**
     * Read the delivery configuration.
     *
     * `GET /api/messaging-integration`. Needs `webhooks:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    getMessagingIntegration(options?: RequestOptions): Promise<MessagingIntegration>;
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
    putMessagingIntegration(body: PutMessagingIntegrationRequest, options?: MutationOptions): Promise<MessagingIntegrationWithSecret>;
    /**
     * List delivery attempts.
     *
     * For owners. The delivery ledger, newest first: one row for each attempt. Filters are combined with AND.
     *
     * `GET /api/messaging-integration/deliveries`. Needs `webhooks:read`. May throw `InvalidCursorError`,
     * `InvalidEventTypeError`, `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listDeliveries(query?: ListDeliveriesQuery, options?: RequestOptions): Promise<DeliveryList>;
    /**
     * List delivery attempts. All of them: the next page is asked for when it is needed.
     *
     * For owners. The delivery ledger, newest first: one row for each attempt. Filters are combined with AND.
     *
     * `GET /api/messaging-integration/deliveries`. Needs `webhooks:read`. May throw `InvalidCursorError`,
     * `InvalidEventTypeError`, `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listAllDeliveries(query?: Omit<ListDeliveriesQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Delivery, void, undefined>;
    /**
     * Redeliver an event.
     *
     * For owners. Sent to the current destination, signed with the current secret, regardless of the subscription.
     *
     * `POST /api/messaging-integration/deliveries/{id}/redeliver`. Needs `webhooks:write`. May throw
     * `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
     * `EventNotRetainedError`, `QuotaExceededError` or `StorageFullError`.
     */
    redeliverEvent(deliveryId: string, options?: MutationOptions): Promise<DeliveryAccepted>;
    /**
     * Redeliver a range of events.
     *
     * For owners. Events of the range that are no longer retained are left out.
     *
     * `POST /api/messaging-integration/redeliver`. Needs `webhooks:write`. May throw `InvalidEventTypeError`,
     * `OwnerRequiredError`, `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    redeliverEvents(body: RedeliverEventsRequest, options?: MutationOptions): Promise<RedeliveryAccepted>;
    /**
     * Replace the signing secret.
     *
     * For owners. The new secret is valid at once and is never shown again. For `grace_seconds`, deliveries also carry a
     * signature with the old secret.
     *
     * `POST /api/messaging-integration/signing-secret/rotate`. Needs `webhooks:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    rotateSigningSecret(body?: RotateSigningSecretRequest, options?: MutationOptions): Promise<RotatedMessagingIntegration>;
    /**
     * Send a signed test.
     *
     * For owners. An event of type `webhook.test` and source `test`, regardless of the subscription.
     *
     * `POST /api/messaging-integration/test`. Needs `webhooks:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or
     * `StorageFullError`.
     */
    testMessagingIntegration(options?: MutationOptions): Promise<DeliveryAccepted>;
    /**
     * Check a signature, and explain why it does not verify.
     *
     * `POST /api/messaging-integration/verify`. Needs `webhooks:read`. May throw `OrganizationSuspendedError`,
     * `NotFoundError` or `RequestTimeoutError`.
     */
    verifySignature(body: VerifySignatureRequest, options?: RequestOptions): Promise<SignatureVerification>;
    /**
     * List the messengers.
     *
     * For owners.
     *
     * `GET /api/messengers`. Needs `webhooks:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    listMessengers(options?: RequestOptions): Promise<MessengerList>;
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
    createMessenger(body: CreateMessengerRequest, options?: MutationOptions): Promise<Messenger>;
    /**
     * Delete a messenger.
     *
     * For owners. Nothing more is sent to it. The links in messages that it already has still work.
     *
     * `DELETE /api/messengers/{id}`. Needs `webhooks:write`. May throw `OwnerRequiredError`,
     * `OrganizationSuspendedError`, `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    deleteMessenger(messengerId: string, options?: MutationOptions): Promise<Messenger>;
    /**
     * List what was sent about approvals.
     *
     * For owners. Newest first: for each approval its mails and messages, kept for 90 days.
     *
     * `GET /api/approval-notices`. Needs `webhooks:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listApprovalNotices(query?: ListApprovalNoticesQuery, options?: RequestOptions): Promise<ApprovalNoticesList>;
    /**
     * List what was sent about approvals. All of them: the next page is asked for when it is needed.
     *
     * For owners. Newest first: for each approval its mails and messages, kept for 90 days.
     *
     * `GET /api/approval-notices`. Needs `webhooks:read`. May throw `InvalidCursorError`, `OwnerRequiredError` or
     * `OrganizationSuspendedError`.
     */
    listAllApprovalNotices(query?: Omit<ListApprovalNoticesQuery, "cursor">, options?: RequestOptions): AsyncGenerator<ApprovalNotices, void, undefined>;
    /**
     * Read whether approvals reach you by mail.
     *
     * The caller's own choice.
     *
     * `GET /api/approval-mails`. Needs `jobs:read`. May throw `OrganizationSuspendedError`.
     */
    getApprovalMails(options?: RequestOptions): Promise<ApprovalMails>;
    /**
     * Choose whether approvals reach you by mail.
     *
     * The caller's own choice. Mails are sent only if the operator has set a mail server.
     *
     * `PUT /api/approval-mails`. Needs `jobs:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    setApprovalMails(body: SetApprovalMailsRequest, options?: MutationOptions): Promise<ApprovalMails>;
    /**
     * Read the events after a number.
     *
     * For owners. The same bodies that webhooks deliver, oldest first. `next_cursor` leads to the next page. After the
     * last page, continue later with `after` set to `last_sequence`. Events are retained for 30 days.
     *
     * `GET /api/events`. Needs `events:read`. May throw `InvalidCursorError`, `OwnerRequiredError`,
     * `OrganizationSuspendedError` or `EventNotRetainedError`.
     */
    listEvents(query?: ListEventsQuery, options?: RequestOptions): Promise<EventFeed>;
    /**
     * Read the events after a number. All of them: the next page is asked for when it is needed.
     *
     * For owners. The same bodies that webhooks deliver, oldest first. `next_cursor` leads to the next page. After the
     * last page, continue later with `after` set to `last_sequence`. Events are retained for 30 days.
     *
     * `GET /api/events`. Needs `events:read`. May throw `InvalidCursorError`, `OwnerRequiredError`,
     * `OrganizationSuspendedError` or `EventNotRetainedError`.
     */
    listAllEvents(query?: Omit<ListEventsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Event, void, undefined>;
    /**
     * Read the organization's current load.
     *
     * For owners. Figures of the process that serves the organization now; they begin anew when it starts, or when
     * another one takes over.
     *
     * `GET /api/load`. Needs `jobs:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    getLoad(options?: RequestOptions): Promise<Load>;
    /**
     * Read the state machines of jobs, chats, missions and tasks.
     *
     * `GET /api/state-machines`. Needs `jobs:read`. May throw `OrganizationSuspendedError`.
     */
    listStateMachines(options?: RequestOptions): Promise<StateMachineList>;
    /**
     * Check the invariants.
     *
     * For owners. Counts violated invariants of the organization; every count is 0 in a healthy service.
     *
     * `GET /api/invariants`. Needs `jobs:read`. May throw `OwnerRequiredError` or `OrganizationSuspendedError`.
     */
    checkInvariants(options?: RequestOptions): Promise<InvariantReport>;
    /**
     * Read the deployed version.
     *
     * `GET /api/version`.
     */
    getVersion(options?: RequestOptions): Promise<ServiceVersion>;
    /**
     * Read the contract.
     *
     * This document; with `surface`, the part of it that describes one surface.
     *
     * `GET /api/openapi.json`.
     */
    getOpenApi(query?: GetOpenApiQuery, options?: RequestOptions): Promise<{
        [name: string]: unknown;
    }>;
    /**
     * Open the interactive reference.
     *
     * A page for people.
     *
     * `GET /api/reference`.
     */
    getReference(options?: RequestOptions): Promise<string>;
    /**
     * Read what the error codes mean.
     *
     * A page for people. `#error-<code>` explains a code; the `type` of an error is its address.
     *
     * `GET /api/errors`.
     */
    getErrorCodes(options?: RequestOptions): Promise<string>;
    /**
     * Read the rate-limit policy.
     *
     * `GET /api/rate-limits`.
     */
    getRateLimitPolicy(options?: RequestOptions): Promise<RateLimitPolicy>;
    /**
     * Read the versioning and deprecation policy.
     *
     * `GET /api/deprecation-policy`.
     */
    getDeprecationPolicy(options?: RequestOptions): Promise<DeprecationPolicy>;
    /**
     * Read what an agent needs to use the service.
     *
     * `GET /api/agent-readiness`.
     */
    getAgentReadiness(options?: RequestOptions): Promise<AgentReadiness>;
    /**
     * Read the entry document for crawlers and agents.
     *
     * `GET /.well-known/teamday-agent-api`.
     */
    getAgentApiManifest(options?: RequestOptions): Promise<AgentApiManifest>;
    /**
     * Read the metadata of the authorization server.
     *
     * The metadata of the authorization server (RFC 8414).
     *
     * `GET /.well-known/oauth-authorization-server`.
     */
    getAuthorizationServer(options?: RequestOptions): Promise<AuthorizationServer>;
    /**
     * Read which server issues tokens for the current surface.
     *
     * The metadata of a protected resource (RFC 9728).
     *
     * `GET /.well-known/oauth-protected-resource`.
     */
    getProtectedResource(options?: RequestOptions): Promise<ProtectedResource>;
    /**
     * Read which server issues tokens for the MCP endpoint.
     *
     * The metadata of a protected resource (RFC 9728).
     *
     * `GET /.well-known/oauth-protected-resource/mcp`.
     */
    getProtectedMcpResource(options?: RequestOptions): Promise<ProtectedResource>;
    /**
     * Read how the service describes itself to other authorization servers.
     *
     * A Client ID Metadata Document: its address is the client id of the service.
     *
     * `GET /oauth/client.json`.
     */
    getOAuthClientDocument(options?: RequestOptions): Promise<OAuthClientDocument>;
    /**
     * Read the keys that verify which agent acts for whom.
     *
     * A JSON Web Key Set (RFC 7517).
     *
     * `GET /.well-known/jwks.json`.
     */
    getIdentityKeys(options?: RequestOptions): Promise<IdentityKeySet>;
    /**
     * List the SDKs and their hashes.
     *
     * `GET /api/sdk/manifest`.
     */
    getSdkManifest(options?: RequestOptions): Promise<SdkManifest>;
    /**
     * Get the TypeScript SDK.
     *
     * One file without dependencies, generated from this contract.
     *
     * `GET /api/sdk/typescript`.
     */
    getTypeScriptSdk(options?: RequestOptions): Promise<string>;
    /**
     * Get the JavaScript SDK.
     *
     * The TypeScript SDK without its types, as a module for browsers and for Node 20 or later.
     *
     * `GET /api/sdk/javascript`.
     */
    getJavaScriptSdk(options?: RequestOptions): Promise<string>;
    /**
     * Get the types of the JavaScript SDK.
     *
     * Type declarations for editors and compilers; save them beside the SDK.
     *
     * `GET /api/sdk/javascript/types`.
     */
    getJavaScriptSdkTypes(options?: RequestOptions): Promise<string>;
    /**
     * Get `TroupeAgent` for AG-UI's clients, in TypeScript.
     *
     * An `HttpAgent` that also connects and stops. It needs `@ag-ui/client` 1.0, which your program installs.
     *
     * `GET /api/sdk/typescript/ag-ui`.
     */
    getTypeScriptAgUi(options?: RequestOptions): Promise<string>;
    /**
     * Get `TroupeAgent` for AG-UI's clients, in JavaScript.
     *
     * The TypeScript one without its types. It needs `@ag-ui/client` 1.0, which your program installs.
     *
     * `GET /api/sdk/javascript/ag-ui`.
     */
    getJavaScriptAgUi(options?: RequestOptions): Promise<string>;
    /**
     * Get the types of `TroupeAgent` in JavaScript.
     *
     * `GET /api/sdk/javascript/ag-ui/types`.
     */
    getJavaScriptAgUiTypes(options?: RequestOptions): Promise<string>;
    /**
     * Get the Python SDK.
     *
     * One file that needs only the standard library, generated from this contract.
     *
     * `GET /api/sdk/python`.
     */
    getPythonSdk(options?: RequestOptions): Promise<string>;
    /**
     * Read how to get and use the SDKs.
     *
     * `GET /api/sdk-examples`.
     */
    getSdkExamples(options?: RequestOptions): Promise<SdkExamples>;
    /**
     * Read the documentation as text for language models.
     *
     * `GET /llms.txt`.
     */
    getLlmsText(options?: RequestOptions): Promise<string>;
    /**
     * List agents.
     *
     * The organization's agents, newest first, at most 1,000. Archived and private agents are not listed.
     *
     * `GET /api/v1/agents`. Needs `agents:read`. May throw `OrganizationSuspendedError`.
     */
    v1ListAgents(options?: RequestOptions): Promise<V1AgentList>;
    /**
     * Create agent.
     *
     * `POST /api/v1/agents`. Needs `agents:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    v1CreateAgent(body: V1CreateAgentRequest, options?: MutationOptions): Promise<V1CreatedAgent>;
    /**
     * Get agent.
     *
     * `GET /api/v1/agents/{id}`. Needs `agents:read`. May throw `OrganizationSuspendedError` or `NotFoundError`.
     */
    v1GetAgent(agentId: string, options?: RequestOptions): Promise<V1AgentAnswer>;
    /**
     * Update agent.
     *
     * Omitted fields are unchanged. A changed prompt takes effect on the next execution.
     *
     * `PATCH /api/v1/agents/{id}`. Needs `agents:write`. May throw `ForbiddenError`, `OrganizationSuspendedError`,
     * `NotFoundError`, `RequestTimeoutError`, `QuotaExceededError` or `StorageFullError`.
     */
    v1UpdateAgent(agentId: string, body: V1UpdateAgentRequest, options?: MutationOptions): Promise<V1Done>;
    /**
     * Soft-delete agent.
     *
     * The agent is archived: it can no longer be found, listed, changed or executed. Its history is kept.
     *
     * `DELETE /api/v1/agents/{id}`. Needs `agents:write`. May throw `OrganizationSuspendedError`, `NotFoundError`,
     * `RequestTimeoutError`, `InvalidStateError`, `QuotaExceededError` or `StorageFullError`.
     */
    v1DeleteAgent(agentId: string, options?: MutationOptions): Promise<V1Deleted>;
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
    v1ExecuteAgent(agentId: string, body: Omit<V1ExecuteAgentRequest, "stream">, options?: MutationOptions): Promise<V1ExecutionResult>;
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
    v1ExecuteAgentStream(agentId: string, body: Omit<V1ExecuteAgentRequest, "stream">, options?: MutationOptions): AsyncGenerator<V1ExecutionEvent, void, undefined>;
    /**
     * List tasks.
     *
     * Filters are combined with AND. At most 1,000, newest first.
     *
     * `GET /api/v1/tasks`. Needs `tasks:read`. May throw `OrganizationSuspendedError`.
     */
    v1ListTasks(query?: V1ListTasksQuery, options?: RequestOptions): Promise<V1TaskList>;
    /**
     * Create task.
     *
     * The new task is `pending`. Assigning a task does not start any work.
     *
     * `POST /api/v1/tasks`. Needs `tasks:write`. May throw `OrganizationSuspendedError`, `RequestTimeoutError`,
     * `QuotaExceededError` or `StorageFullError`.
     */
    v1CreateTask(body: V1CreateTaskRequest, options?: MutationOptions): Promise<V1TaskAnswer>;
}
/** The version of the contract that this file was made from. */
export declare const API_VERSION = "2026-11-01";
/** What `listAgents` takes besides. */
export interface ListAgentsQuery {
    /** Agents whose name has a word that starts with this text */
    name?: string;
    /** Agents with this tag */
    tag?: string;
    /** Agents of this source: made in the organization (`private`), or from the library */
    source?: "private" | "library";
    /** Agents with one of these visibilities */
    visibility?: Visibility[];
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listChats` takes besides. */
export interface ListChatsQuery {
    /** Chats with this agent */
    agent_id?: string;
    /** Chats in this workspace */
    workspace_id?: string;
    /** Chats with one of these statuses */
    status?: ChatStatus[];
    /** Chats whose title has a word that starts with this text */
    title?: string;
    /** Only pinned chats (`true`), or only the others (`false`) */
    pinned?: "true" | "false";
    /** Chats whose messages contain this: words, "phrases", `or`, and `-` before words to exclude */
    text?: string;
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `waitForChat` takes besides. */
export interface WaitForChatQuery {
    /** The version that you have; with `wait`, the request waits for a newer one */
    since_version?: number;
    /** Seconds to wait for a newer version; 304 if there is none by then. Default 0 */
    wait?: number;
}
/** What `listMessages` takes besides. */
export interface ListMessagesQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listJobs` takes besides. */
export interface ListJobsQuery {
    /** Jobs with one of these statuses */
    status?: JobStatus[];
    /** Jobs of this agent */
    agent_id?: string;
    /** Jobs of this chat */
    chat_id?: string;
    /** Jobs in this workspace */
    workspace_id?: string;
    /** Jobs of this mission */
    mission_id?: string;
    /** Jobs that were created from this one */
    parent_job_id?: string;
    /** Jobs created after this time, in ISO 8601 */
    created_after?: string;
    /** Jobs whose metadata contains these fields, as a JSON object */
    metadata?: string;
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `waitForJob` takes besides. */
export interface WaitForJobQuery {
    /** The version that you have; with `wait`, the request waits for a newer one */
    since_version?: number;
    /** Seconds to wait for a newer version; 304 if there is none by then. Default 0 */
    wait?: number;
}
/** What `listTranscriptEvents` takes besides. */
export interface ListTranscriptEventsQuery {
    /** Only events after this seq. Default 0 */
    after?: number;
    /** Only events of these types */
    types?: Array<"job.created" | "job.started" | "job.restarted" | "job.blocked" | "job.resumed" | "job.review_requested" | "job.approved" | "job.denied" | "job.iteration_requested" | "job.cancelling" | "job.completed" | "job.failed" | "job.cancelled" | "runner.status" | "transcript.event" | "log" | "usage.updated" | "artifact.created" | "approval.requested" | "approval.updated" | "approval.resolved" | "review.updated" | "error">;
    /** Page size. Default 25 */
    limit?: number;
}
/** What `cancelJob` takes besides. */
export interface CancelJobQuery {
    /** Seconds to wait for a newer version; 304 if there is none by then. Default 0 */
    wait?: number;
}
/** What `bulkJobs` takes besides. */
export interface BulkJobsQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `streamChatEvents` takes besides. */
export interface StreamChatEventsQuery {
    /** The cursor to resume from; the header `Last-Event-ID` takes precedence */
    after?: string;
    /** Without a cursor: how many past durable events are sent first, a number or `all`. Default "100" */
    replay?: string;
    /** `end` closes a chat's stream when its chat turn ends; a job's stream always closes at the end of the job */
    wait?: "end";
}
/** What `streamJobEvents` takes besides. */
export interface StreamJobEventsQuery {
    /** The cursor to resume from; the header `Last-Event-ID` takes precedence */
    after?: string;
    /** Without a cursor: how many past durable events are sent first, a number or `all`. Default "100" */
    replay?: string;
    /** `end` closes a chat's stream when its chat turn ends; a job's stream always closes at the end of the job */
    wait?: "end";
}
/** What `streamSignedJobEvents` takes besides. */
export interface StreamSignedJobEventsQuery {
    /** User and token that the URL was issued to */
    sub?: string;
    /** Expiry of the URL, in Unix seconds */
    exp?: string;
    /** Signature of path, expiry and subject */
    sig?: string;
    /** The cursor to resume from; the header `Last-Event-ID` takes precedence */
    after?: string;
    /** Without a cursor: how many past durable events are sent first, a number or `all`. Default "100" */
    replay?: string;
}
/** What `listUploads` takes besides. */
export interface ListUploadsQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `createUpload` takes besides. */
export interface CreateUploadQuery {
    /** Name of the file */
    name?: string;
}
/** What `listMissions` takes besides. */
export interface ListMissionsQuery {
    /** Missions with one of these statuses */
    status?: MissionStatus[];
    /** Missions of this agent */
    agent_id?: string;
    /** Missions in this workspace */
    workspace_id?: string;
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `waitForMission` takes besides. */
export interface WaitForMissionQuery {
    /** The version that you have; with `wait`, the request waits for a newer one */
    since_version?: number;
    /** Seconds to wait for a newer version; 304 if there is none by then. Default 0 */
    wait?: number;
}
/** What `getMissionForecast` takes besides. */
export interface GetMissionForecastQuery {
    /** Number of times to return. Default 20 */
    count?: number;
}
/** What `listMissionRuns` takes besides. */
export interface ListMissionRunsQuery {
    /** Entries with one of these outcomes */
    outcome?: MissionRunOutcome[];
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listTasks` takes besides. */
export interface ListTasksQuery {
    /** Tasks with one of these statuses */
    status?: TaskStatus[];
    /** An agent's or a user's id */
    assigned_to?: string;
    /** Tasks of this workspace */
    workspace_id?: string;
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listWorkspaces` takes besides. */
export interface ListWorkspacesQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listFiles` takes besides. */
export interface ListFilesQuery {
    /** The directory; the whole workspace by default */
    path?: string;
    /** Whether to include everything below the directory. Default "false" */
    recursive?: "true" | "false";
    /** Only paths that match, such as `**\/*.md` */
    glob?: string;
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `searchFiles` takes besides. */
export interface SearchFilesQuery {
    /** Text to search for */
    q?: string;
    /** Maximum number of files to return. Default 25 */
    limit?: number;
}
/** What `readFile` takes besides. */
export interface ReadFileQuery {
    /** Path, relative to the workspace */
    path?: string;
    /** A version of the file */
    number?: number;
}
/** What `readFileStream` takes besides. */
export interface ReadFileStreamQuery {
    /** Path, relative to the workspace */
    path?: string;
    /** A version of the file */
    number?: number;
}
/** What `writeFile` takes besides. */
export interface WriteFileQuery {
    /** Path, relative to the workspace */
    path?: string;
}
/** What `deleteFile` takes besides. */
export interface DeleteFileQuery {
    /** Path, relative to the workspace */
    path?: string;
    /** Whether to include everything below the directory. Default "false" */
    recursive?: "true" | "false";
}
/** What `listFileVersions` takes besides. */
export interface ListFileVersionsQuery {
    /** Path, relative to the workspace */
    path?: string;
}
/** What `listShares` takes besides. */
export interface ListSharesQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `openShare` takes besides. */
export interface OpenShareQuery {
    /** `1` sends browsers the file instead of the page */
    download?: "1";
}
/** What `openShareStream` takes besides. */
export interface OpenShareStreamQuery {
    /** `1` sends browsers the file instead of the page */
    download?: "1";
}
/** What `listTools` takes besides. */
export interface ListToolsQuery {
    /** An agent whose own tools are listed too */
    agent_id?: string;
}
/** What `getUsage` takes besides. */
export interface GetUsageQuery {
    /** What the rows are grouped by. Default "day" */
    group_by?: UsageGrouping;
    /** A day or a time; the first of this month by default */
    since?: string;
    /** A day or a time; today by default */
    until?: string;
    /** Only the usage of this agent */
    agent_id?: string;
    /** Only the usage of this model, by `provider:name` */
    model?: string;
}
/** What `getCostliestJobs` takes besides. */
export interface GetCostliestJobsQuery {
    /** A day in UTC or a time; today by default */
    day?: string;
    /** Page size. Default 25 */
    limit?: number;
}
/** What `deleteSecret` takes besides. */
export interface DeleteSecretQuery {
    /** Deletes the secret even if it is in use */
    force?: "true" | "false";
}
/** What `listConnections` takes besides. */
export interface ListConnectionsQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listServiceTokens` takes besides. */
export interface ListServiceTokensQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listPersonalAccessTokens` takes besides. */
export interface ListPersonalAccessTokensQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listSessions` takes besides. */
export interface ListSessionsQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listOauthGrants` takes besides. */
export interface ListOauthGrantsQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listMembers` takes besides. */
export interface ListMembersQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listInvitations` takes besides. */
export interface ListInvitationsQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listAuditEntries` takes besides. */
export interface ListAuditEntriesQuery {
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
    /** Only this action */
    action?: AuditAction;
    /** Only actions of this user */
    user_id?: string;
    /** Only entries after this time */
    created_after?: string;
    /** Only entries before this time */
    created_before?: string;
}
/** What `exportAudit` takes besides. */
export interface ExportAuditQuery {
    /** Only this action */
    action?: AuditAction;
    /** Only actions of this user */
    user_id?: string;
    /** Only entries after this time */
    created_after?: string;
    /** Only entries before this time */
    created_before?: string;
    /** `csv`, or `ndjson` with one JSON entry per line. Default "csv" */
    format?: "csv" | "ndjson";
}
/** What `listDeliveries` takes besides. */
export interface ListDeliveriesQuery {
    /** Attempts to deliver events of these types */
    event_type?: EventType[];
    /** Attempts with one of these statuses */
    status?: DeliveryStatus[];
    /** Attempts to deliver this event */
    event_id?: string;
    /** Attempts scheduled at this time or later, in ISO 8601 */
    since?: string;
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listApprovalNotices` takes besides. */
export interface ListApprovalNoticesQuery {
    /** Only approvals of this job */
    job_id?: string;
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `listEvents` takes besides. */
export interface ListEventsQuery {
    /** The number of the last event that you have; omitted: from the oldest */
    after?: number;
    /** Page size. Default 25 */
    limit?: number;
    /** `next_cursor` of the previous page */
    cursor?: string;
}
/** What `getOpenApi` takes besides. */
export interface GetOpenApiQuery {
    /** Only this surface */
    surface?: "v1" | "current";
}
/** What `v1ListTasks` takes besides. */
export interface V1ListTasksQuery {
    /** Tasks with this status */
    status?: TaskStatus;
    /** An agent's or a user's id */
    assignedTo?: string;
    /** A workspace's id */
    spaceId?: string;
}
export interface AddMissionTaskRequest {
    /** Title */
    title: string;
    /** What is to be done; null if not given */
    description?: string | null;
    /** How urgent it is */
    priority?: Priority;
    /** Id of the agent or user that the task is assigned to; null if unassigned */
    assigned_to?: string | null;
    /** Ids of the tasks that must be completed or cancelled first */
    depends_on?: string[];
}
export interface AddRepositoryRequest {
    /** https URL without credentials. http is allowed only for hosts that the operator has opened */
    url: string;
    /** Branch; by default the repository's default branch */
    branch?: string | null;
    /** Directory for the files; by default the name of the repository */
    path?: string;
    /** `read`: the files cannot be changed in the workspace; `write`: they can. Default "read" */
    mode?: "read" | "write";
    /** Name of the secret with the credentials: `user:password`, or only a token */
    secret?: string | null;
}
/** An AI assistant with a name, a role and instructions */
export interface Agent {
    /** The agent's id; entries of the library have ids of their own */
    id: string;
    /** Display name */
    name: string;
    /** The agent's role in a few words */
    role: string;
    /** What the agent is for */
    description: string | null;
    /** The agent's instructions; null for readers of other organizations */
    system_prompt: string | null;
    /** `provider:name`; null for the service's default */
    model: string | null;
    /**
     * Who may see it. `private`: its creator; `organization`: every member; `public`: every caller; `unlisted`: every
     * caller who knows the id
     */
    visibility: Visibility;
    /** `private`: made in this organization; `library`: comes with the service */
    source: "private" | "library";
    /** An `archived` agent cannot be executed; its record stays readable */
    status: "active" | "archived";
    /** Whether the organization has installed the library agent */
    install_state: "available" | "installed" | "uninstalled";
    /**
     * Tools that the agent may use in addition to the read-only ones; `<server>__*` stands for all tools of an MCP server
     */
    allowed_tools: string[];
    /** Whether the agent has none of the service's tools, because `allowed_tools` was set to an empty list */
    has_no_tools: boolean;
    /** Tools whose calls wait for a person's approval */
    approval_tools: string[];
    /** Rules that decide about tool calls before `approval_tools` do */
    approval_rules: ApprovalRule[];
    approval_expiry: ApprovalExpiry;
    approval_reach: ApprovalReach;
    /** MCP servers whose tools the agent can use */
    mcp_servers: McpServer[];
    /** Maximum number of model calls per job */
    max_steps: number | null;
    /** The agent's own tools: run by your program (`client`), or as HTTP requests by the service (`http`) */
    tools: AgentTool[];
    /** JSON Schema that answers must match; null: answers are text */
    output_schema: {
        [name: string]: unknown;
    } | null;
    /**
     * Whether providers are asked to cache the beginning of its calls: `auto` chooses the lifetime, `5m` and `1h` set it,
     * `off` asks for nothing. Default "auto"
     */
    cache: PromptCache;
    /** Settings of the model; null or absent: the defaults of its provider */
    model_settings: ModelSettings | null;
    /** Labels to find the agent by */
    tags: string[];
    /** The user who created it; null for a library entry that is not installed */
    created_by: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string | null;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** Entry document for crawlers and agents */
export interface AgentApiManifest {
    /** Name */
    name: string;
    /** Description */
    description: string;
    /** Version of the service */
    version: string;
    /** A version of the contract, by date */
    api_version: string;
    /** Address that all paths are relative to */
    base_url: string;
    /** The OpenAPI 3.1 document */
    openapi: string;
    /** The reference */
    reference: string;
    /** The manifest for agents */
    agent_readiness: string;
    /** The rate-limit policy */
    rate_limits: string;
    /** The deprecation policy */
    deprecation_policy: string;
    /** What is deployed */
    deployed_version: string;
    /** Documentation as text for language models */
    llms_txt: string;
    /** How to authenticate */
    authentication: {
        /** Kind of the entry */
        type: string;
        /** Name of the header */
        header: string;
        /** Format of the header's value */
        format: string;
        /** The metadata of the authorization server (RFC 8414) */
        authorization_server: string | null;
    };
    /** The MCP endpoint */
    mcp: string | null;
    /** The SDKs */
    sdks: string[];
}
/** What happens if nobody decides on an approval of the agent in time */
export type AgentExpiryAction = "deny" | "cancel" | "keep";
/** A page of agents, newest first */
export interface AgentList {
    /** The agents of this page */
    agents: Agent[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** What an agent needs to use the service by itself */
export interface AgentReadiness {
    /** Name */
    name: string;
    /** Description */
    description: string;
    /** Where the contract is */
    contract: {
        /** The OpenAPI 3.1 document */
        openapi: string;
        /** The interactive reference */
        reference: string;
        /** A version of the contract, by date */
        api_version: string;
        /** Header with the version */
        version_header: string;
    };
    /** How to authenticate */
    authentication: {
        /** Kind of the entry */
        type: string;
        /** Name of the header */
        header: string;
        /** Kinds of tokens */
        kinds: string[];
        /** How it works */
        how: string;
    }[];
    /** What the token allows */
    scopes: {
        /** Name */
        name: string;
        /** What the scope allows */
        allows: string;
    }[];
    /** The MCP endpoint; null if there is none */
    mcp: {
        /** The endpoint */
        url: string;
        /** MCP transport */
        transport: string;
    } | null;
    /** The SDKs */
    sdks: {
        /** Programming language */
        language: string;
        /** Source of the SDK, one file */
        source: string;
    }[];
    /** How requests are limited */
    rate_limits: {
        /** The policy */
        policy: string;
        /** Requests in a window */
        limit: number;
        /** Length of the window in seconds */
        window_seconds: number;
    };
    /** How a repeated change takes effect once */
    idempotency: {
        /** Name of the header */
        header: string;
        /** Response header that says whether it is a replay */
        answer_header: string;
        /** Seconds for which a key is remembered */
        remembered_seconds: number;
        /** How it works */
        how: string;
    };
    /** Event streams */
    streams: {
        /** Media type of the streams */
        content_type: string;
        /** Paths of the streams */
        paths: string[];
        /** How to resume after an interruption */
        resume: string;
    };
    /** Webhooks; null if there are none */
    webhooks: {
        /** Where they are configured */
        configuration: string;
        /** How to verify a delivery */
        verification: string;
    } | null;
    /** How errors are reported */
    errors: {
        /** Fields of every error body */
        fields: string[];
        /** All error codes */
        codes: {
            /** Code of the error */
            code: string;
            /** HTTP status */
            status: number;
            /** What it means */
            meaning: string;
            /** What to do about it */
            remedy: string;
            /** The same in the reference */
            url: string;
        }[];
    };
    /** What has changed */
    changelog: {
        /** The versions, newest first */
        versions: {
            /** A version of the contract, by date */
            version: string;
            /** Changes of this version, as Markdown */
            changes: string;
        }[];
        /** The deprecated operations */
        deprecations: string;
    };
}
/** A tool that only one agent has */
export interface AgentTool {
    /** Name of the tool */
    name: string;
    /** What the tool does; models read this */
    description: string;
    /** JSON Schema of the tool's arguments: an object, at most 16 KiB */
    input_schema: {
        [name: string]: unknown;
    };
    /** Who runs the tool. `client`: your program; `http`: the service, as an HTTP request */
    kind: "client" | "http";
    /** For `http`: method of the request */
    method?: HttpMethod;
    /** For `http`: URL of the request; `{argument}` in its path is replaced by the argument */
    url?: string;
    /**
     * Where arguments go. Arguments that are not listed go into the path if the URL has a placeholder for them, else into
     * the JSON body, or into the query of GET and DELETE
     */
    arguments?: ToolArgument[];
    /** Headers of each request */
    headers?: ToolHeader[];
    /** Timeout of one request in milliseconds; 30,000 by default */
    timeout_ms?: number;
    retry?: ToolRetry;
    /** Name of a secret (`whsec_…`) that signs each request like a webhook */
    signing_secret?: string;
    /** Whether a request with an unknown outcome may be repeated; by default `true` for GET, PUT and DELETE */
    repeatable?: boolean;
    auth?: ToolAuth;
}
/** A tool that only one agent has */
export interface AgentToolInput {
    /** Name of the tool */
    name: string;
    /** What the tool does; models read this */
    description: string;
    /** JSON Schema of the tool's arguments: an object, at most 16 KiB */
    input_schema: {
        [name: string]: unknown;
    };
    /** Who runs the tool. `client`: your program; `http`: the service, as an HTTP request */
    kind: "client" | "http";
    /** For `http`: method of the request */
    method?: HttpMethod;
    /** For `http`: URL of the request; `{argument}` in its path is replaced by the argument */
    url?: string;
    /**
     * Where arguments go. Arguments that are not listed go into the path if the URL has a placeholder for them, else into
     * the JSON body, or into the query of GET and DELETE
     */
    arguments?: ToolArgumentInput[];
    /** Headers of each request */
    headers?: ToolHeaderInput[];
    /** Timeout of one request in milliseconds; 30,000 by default */
    timeout_ms?: number;
    retry?: ToolRetryInput;
    /** Name of a secret (`whsec_…`) that signs each request like a webhook */
    signing_secret?: string;
    /** Whether a request with an unknown outcome may be repeated; by default `true` for GET, PUT and DELETE */
    repeatable?: boolean;
    auth?: ToolAuthInput;
}
/** A directory of static files that anyone with the URL can open */
export interface App {
    /** The app's id */
    id: string;
    /** Display name */
    name: string;
    /** Part of its URL */
    slug: string;
    /** Kind of app */
    kind: "static";
    /** Directory with the app's files */
    path: string;
    /** Start page */
    entry: string;
    /** URL at which anyone can open the app */
    url: string;
    /** Status of the app */
    status: "ready";
    /** Who made it */
    created_by: string;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
}
/** All apps of a workspace */
export interface AppList {
    /** In order of creation */
    apps: App[];
}
/** A tool call that needs a person's approval */
export interface Approval {
    /** The approval's id */
    id: string;
    /** The tool */
    tool_name: string;
    /** The call */
    tool_call_id: string;
    /** Arguments of the call */
    arguments: {
        [name: string]: unknown;
    };
    /** Question to the person who decides */
    message: string;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string;
    /**
     * What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels the job,
     * `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
     */
    on_expiry: ApprovalExpiryAction;
    /** What made the call wait; null if the agent has no approval rules */
    asked_by: CallDecision | null;
    /** Who decides about it, if a rule says so; null: any member who sees the job */
    policy: ApprovalPolicy | null;
    /**
     * Who has approved so far, if several people must. While the call is undecided, people who may no longer decide are
     * left out
     */
    votes: ApprovalVote[];
    /** Why the caller may not decide about this call; null if they may, or if it is decided */
    decision_refusal: string | null;
    /** The decision; `expired` if nobody decided in time */
    decision: ApprovalDecision | null;
    /** The user who decided; null if the approval expired */
    decided_by: string | null;
    /** ISO 8601 UTC with milliseconds */
    decided_at: string | null;
}
/** Who decides about a call that waits */
export type ApprovalDeciders = "anyone" | "starter" | "agent_owner" | "owners";
/** How the wait for an approval ended */
export type ApprovalDecision = "approve" | "deny" | "expired";
/** How long a call waits for approval, and what happens then; by default 24 hours and `deny` */
export interface ApprovalExpiry {
    /** How long an approval may take, in seconds */
    after_seconds: number;
    /**
     * What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels the job,
     * `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
     */
    on_expiry: AgentExpiryAction;
}
/** What happens if nobody decides on an approval in time */
export type ApprovalExpiryAction = "deny" | "cancel" | "keep" | "escalate";
/** How long a call waits for approval, and what happens then; by default 24 hours and `deny` */
export interface ApprovalExpiryInput {
    /** How long an approval may take, in seconds */
    after_seconds: number;
    /**
     * What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels the job,
     * `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
     */
    on_expiry: AgentExpiryAction;
}
/** Whether approvals reach the caller by mail */
export interface ApprovalMails {
    /** Whether the caller wants the mails */
    enabled: boolean;
}
/** A mail or a message about an approval */
export interface ApprovalNotice {
    /** The notice's id */
    id: string;
    /** Kind of the entry */
    kind: "asked" | "reminder" | "decided";
    /** Who gets it by mail; null if a messenger gets it */
    user_id: string | null;
    /** The messenger that gets it; null for a mail */
    messenger_id: string | null;
    /** Current status */
    status: DeliveryStatus;
    /** Why it was not sent */
    skipped: "decided" | "no_recipient" | "not_wanted" | "private" | "not_theirs" | "too_many" | null;
    /** Attempts so far */
    attempts: number;
    /** How the newest attempt failed */
    error: "timeout" | "dns_error" | "tls_error" | "connection_refused" | "connection_reset" | "blocked_address" | "http_error" | "smtp_refused" | "no_mail_server" | null;
    /** HTTP status of the receiver's response; null if there was none */
    http_status: number | null;
    /** Duration in milliseconds; null until it has ended */
    duration_ms: number | null;
    /** ISO 8601 UTC with milliseconds */
    next_attempt_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
}
/** What was sent about one approval */
export interface ApprovalNotices {
    /** The approval */
    approval_id: string;
    /** The job whose call it is about */
    job_id: string;
    /** Its mails and messages, in their order */
    notices: ApprovalNotice[];
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A page of approval notices, newest first */
export interface ApprovalNoticesList {
    /** What was sent, one entry for each approval */
    approval_notices: ApprovalNotices[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** Who decides about a call, as a rule says it */
export interface ApprovalPolicy {
    /**
     * Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts, `agent_owner` the
     * creator of the agent, `owners` those of the organization; or the members of a group
     */
    of: ApprovalDeciders | DecidingGroup;
    /** How many people must approve */
    count: number;
    /** Whether the person for whom the job acts may not decide */
    not_starter: boolean;
    /** Whether tokens of services may decide */
    services: boolean;
}
/**
 * How an agent's approvals reach people: `links` says whether the link in a mail or message needs a sign-in, and
 * `remind_after_seconds` when those who were asked are reminded; null means never
 */
export interface ApprovalReach {
    /** Whether the link in a mail or message needs a sign-in */
    links: "signed_in" | "anyone";
    /** When those who were asked are reminded, in seconds; null: never */
    remind_after_seconds: number | null;
}
/**
 * How an agent's approvals reach people: `links` says whether the link in a mail or message needs a sign-in, and
 * `remind_after_seconds` when those who were asked are reminded; null means never
 */
export interface ApprovalReachInput {
    /** Whether the link in a mail or message needs a sign-in */
    links: "signed_in" | "anyone";
    /** When those who were asked are reminded, in seconds; null: never */
    remind_after_seconds: number | null;
}
/** A rule that decides about tool calls before people do */
export interface ApprovalRule {
    /** Name */
    name?: string;
    /** Name of a tool, or the beginning of names and `*`, such as `refund__*` */
    tool: string;
    when?: ApprovalRuleConditions;
    /** What happens to the call */
    then: RuleOutcome;
    /**
     * Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts, `agent_owner` the
     * creator of the agent, `owners` those of the organization; or the members of a group
     */
    of?: ApprovalDeciders | DecidingGroup;
    /** How many people must approve */
    count?: number;
    /** Whether the person for whom the job acts may not decide */
    not_starter?: boolean;
    /** Whether tokens of services may decide; false by default */
    services?: boolean;
    expiry?: ApprovalRuleExpiry;
}
/** When a rule matches; without conditions always */
export interface ApprovalRuleConditions {
    /**
     * JSON Schema of the arguments. A rule with `allow` matches only if the call has every field that the schema names
     */
    arguments?: {
        [name: string]: unknown;
    };
    /** Users: the job acts for one of them */
    caller?: string[];
    /** Agents: one of them runs the job, or has delegated its work */
    agent?: string[];
    /** How the work began; `delegation` if another job has begun it */
    origin?: JobOrigin[];
}
/** When a rule matches; without conditions always */
export interface ApprovalRuleConditionsInput {
    /**
     * JSON Schema of the arguments. A rule with `allow` matches only if the call has every field that the schema names
     */
    arguments?: {
        [name: string]: unknown;
    };
    /** Users: the job acts for one of them */
    caller?: string[];
    /** Agents: one of them runs the job, or has delegated its work */
    agent?: string[];
    /** How the work began; `delegation` if another job has begun it */
    origin?: JobOrigin[];
}
/** How long a call waits, and what happens then; it is never approved */
export interface ApprovalRuleExpiry {
    /** How long an approval may take, in seconds */
    after_seconds: number;
    /**
     * What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels the job,
     * `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
     */
    on_expiry: ApprovalExpiryAction;
    /**
     * Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts, `agent_owner` the
     * creator of the agent, `owners` those of the organization; or the members of a group
     */
    escalate_to?: ApprovalDeciders | DecidingGroup;
}
/** How long a call waits, and what happens then; it is never approved */
export interface ApprovalRuleExpiryInput {
    /** How long an approval may take, in seconds */
    after_seconds: number;
    /**
     * What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels the job,
     * `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
     */
    on_expiry: ApprovalExpiryAction;
    /**
     * Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts, `agent_owner` the
     * creator of the agent, `owners` those of the organization; or the members of a group
     */
    escalate_to?: ApprovalDeciders | DecidingGroupInput;
}
/** A rule that decides about tool calls before people do */
export interface ApprovalRuleInput {
    /** Name */
    name?: string;
    /** Name of a tool, or the beginning of names and `*`, such as `refund__*` */
    tool: string;
    when?: ApprovalRuleConditionsInput;
    /** What happens to the call */
    then: RuleOutcome;
    /**
     * Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts, `agent_owner` the
     * creator of the agent, `owners` those of the organization; or the members of a group
     */
    of?: ApprovalDeciders | DecidingGroupInput;
    /** How many people must approve */
    count?: number;
    /** Whether the person for whom the job acts may not decide */
    not_starter?: boolean;
    /** Whether tokens of services may decide; false by default */
    services?: boolean;
    expiry?: ApprovalRuleExpiryInput;
}
/** The approval of one person, where a call needs several */
export interface ApprovalVote {
    /** Who has approved */
    by: string;
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Comment on the decision */
    comment: string | null;
}
export interface ApproveJobRequest {
    /** Approval to decide. Without it and `tool_call_id`, the decision applies to all open approvals, or to the review */
    approval_id?: string;
    /** Tool call to decide, as the model named it; instead of `approval_id` */
    tool_call_id?: string;
    /** The decision */
    decision?: "approve" | "deny";
    /** Arguments to use instead of the model's; at most 64 KiB as JSON */
    arguments?: {
        [name: string]: unknown;
    };
    /** Reason, for the agent and the record */
    comment?: string;
}
/** A file that a job has written, as of the job's last change to it */
export interface Artifact {
    /** The artifact's id */
    id: string;
    /** Kind of artifact */
    kind: "file";
    /** The file's name */
    name: string;
    /** Its path in the workspace */
    path: string;
    /** Its media type */
    mime: string;
    /** Size in bytes */
    size: number;
    /** URL of the content */
    url: string;
}
/** An image or a file in a message, or in the result of a tool */
export interface Attachment {
    /** Kind of the entry */
    type: "image" | "file";
    /** Media type, detected from the first bytes */
    media_type: string;
    /** Name of the file; null if it has none */
    name: string | null;
    /** Size in bytes */
    size: number;
    /** SHA-256 digest of the content, which never changes */
    sha256: string;
    source: AttachmentSource;
}
/** The origin of the content when the message was accepted */
export type AttachmentSource = {
    /** Always "upload" */
    kind: "upload";
    /** Id of the uploaded file */
    file_id: string;
} | {
    /** Always "workspace" */
    kind: "workspace";
    /** Id of the workspace */
    workspace_id: string;
    /** Path in the workspace, such as `reports/2026.md` */
    path: string;
    /** Version of the file at that time */
    version: number;
} | {
    /** Always "url" */
    kind: "url";
    /** URL that it was fetched from */
    url: string;
} | {
    /** Always "tool" */
    kind: "tool";
    /** Name of the tool whose result has the content */
    name: string;
    /** URI of the content on its server, if it is a resource */
    uri: string | null;
};
/** What an entry of the audit records */
export type AuditAction = "session.started" | "session.ended" | "session.refused" | "password.set" | "identity.linked" | "identity.unlinked" | "passkey.added" | "passkey.removed" | "token.created" | "token.used" | "token.revoked" | "grant.created" | "grant.ended" | "grant.reused" | "member.added" | "member.changed" | "member.removed" | "invitation.created" | "invitation.accepted" | "invitation.revoked" | "provider_key.set" | "provider_key.removed" | "group.set" | "group.removed" | "connection.made" | "connection.ended";
/** What somebody did with a credential, or to a member */
export interface AuditEntry {
    /** The entry's id */
    id: string;
    /** What was done */
    action: AuditAction;
    /** User who did it; null for the operator or an unknown person */
    user_id: string | null;
    /** Token or session that was used */
    token_id: string | null;
    /** The remote address; an IPv6 address as its /64 */
    address: string | null;
    /** Subject of the action: a token, a user, a grant or an invitation */
    subject_id: string | null;
    /** A detail, such as a name or a role */
    detail: string | null;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
}
/** A page of audit entries, newest first */
export interface AuditEntryList {
    /** The audit entries of this page */
    audit_entries: AuditEntry[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** An OAuth client that was registered by hand */
export interface AuthClient {
    /** The authorization server that knows the client, to the letter of its metadata */
    issuer: string;
    /** The client id */
    id: string;
    /** Name of the secret with the client's secret; omitted: it has none */
    secret?: string;
}
/** An OAuth client that was registered by hand */
export interface AuthClientInput {
    /** The authorization server that knows the client, to the letter of its metadata */
    issuer: string;
    /** The client id */
    id: string;
    /** Name of the secret with the client's secret; omitted: it has none */
    secret?: string;
}
/** A connection that a job needs, and how the wait for it ended */
export interface Authorization {
    /** The connection */
    connection_id: string;
    /** The MCP server or the tool that needs it */
    name: string;
    /** The address of the tool server */
    url: string;
    /** Who can give it: the person for whom the job acts, or an owner */
    owner: "person" | "organization";
    /** Scopes that are asked for; empty: those that the server names */
    scopes: string[];
    /** The page where the person grants or denies the connection */
    link: string;
    /** ISO 8601 UTC with milliseconds */
    requested_at: string;
    /** How the wait ended; null while the job waits */
    outcome: "connected" | "denied" | "expired" | null;
    /** Why there is no connection */
    message: string | null;
}
/** Metadata of the authorization server */
export interface AuthorizationServer {
    /** Identifier of the authorization server; the same as `iss` in its responses */
    issuer: string;
    /** Where a browser is sent for consent */
    authorization_endpoint: string;
    /** Where codes and refresh tokens are redeemed */
    token_endpoint: string;
    /** Where programs register themselves */
    registration_endpoint: string;
    /** Where tokens are revoked */
    revocation_endpoint: string;
    /** Where owners inspect a token */
    introspection_endpoint: string;
    /** The keys that verify which agent acts for whom; no token of the authorization server needs them */
    jwks_uri: string;
    /** Scopes that can be requested */
    scopes_supported: string[];
    /** Supported response types */
    response_types_supported: string[];
    /** Supported response modes */
    response_modes_supported: string[];
    /** Supported grant types */
    grant_types_supported: string[];
    /** Only `none`: clients have no secret */
    token_endpoint_auth_methods_supported: string[];
    /** Only `none`: clients have no secret */
    revocation_endpoint_auth_methods_supported: string[];
    /** PKCE is required */
    code_challenge_methods_supported: string[];
    /** Whether responses have the issuer (RFC 9207) */
    authorization_response_iss_parameter_supported: boolean;
    /** Whether a client id may be the URL of a metadata document */
    client_id_metadata_document_supported: boolean;
    /** Documentation for people */
    service_documentation: string;
}
/** A piece of a message: text with its citations, the model's reasoning, a call of a tool, or the result of the call */
export type Block = TextBlock | ReasoningBlock | ToolUseBlock | ToolResultBlock;
/** What a blocked job waits for */
export type BlockedReason = "approval_required" | "input_required" | "auth_required" | "tool_result_required" | "budget_reached" | "interrupted";
/** What is done to many jobs at once */
export type BulkAction = "cancel" | "resume" | "approve" | "deny";
/** Why an action on many jobs was refused for one of them */
export interface BulkJobRefusal {
    /** An error code */
    code: string;
    /** In words */
    message: string;
}
/** What an action on many jobs did to one of them */
export interface BulkJobResult {
    /** A job's id */
    job_id: string;
    /** The title */
    title: string;
    /**
     * `done` (in a dry run: would be done), `unchanged` because the job is already as the action would leave it, or
     * `refused`
     */
    outcome: "done" | "unchanged" | "refused";
    /** Status of the job afterwards */
    status: JobStatus;
    /** Id of the new job that continues the work; null if no new job was made */
    next_job_id: string | null;
    /** Why it failed; null if it did not */
    error: BulkJobRefusal | null;
}
/** What an action did to one page of jobs */
export interface BulkJobs {
    /** What was asked for */
    action: BulkAction;
    /** Whether this was a dry run, which changes nothing */
    dry_run: boolean;
    /** Number of jobs with the outcome `done` */
    done: number;
    /** Number of jobs with the outcome `unchanged` */
    unchanged: number;
    /** Number of jobs with the outcome `refused` */
    refused: number;
    /** One for each job of the page, newest first */
    results: BulkJobResult[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
export interface BulkJobsRequest {
    /**
     * `cancel`; `resume`: a blocked job continues, a failed or cancelled one continues in a new job; `approve`: the
     * result that waits for review is accepted, or all waiting calls of tools are approved; `deny`: all waiting calls are
     * denied
     */
    action: BulkAction;
    filter: JobFilterInput;
    /** Only say what would happen; by default false */
    dry_run?: boolean;
}
/** What happens to a message while a chat turn runs */
export type BusyPolicy = "queue" | "steer" | "interrupt" | "reject";
/** Who decides about a call, as a rule says it */
export interface CallDeciders {
    /** Who decides: a kind of person, or the members of a group */
    of: ApprovalDeciders | DecidingGroup;
    /** How many people must approve */
    count: number;
    /** Whether the person for whom the job acts may not decide */
    not_starter: boolean;
    /** Whether tokens of services may decide */
    services: boolean;
}
/** What decided whether a tool call is made, before any person did */
export interface CallDecision {
    /** What decided; `doubt`: a rule about the tool could not be applied, so the call waits for a person or is denied */
    by: "rule" | "default" | "doubt";
    /** Whether the call is made, waits for a person, or is denied */
    outcome: RuleOutcome;
    /** Place of the rule in the agent's list, from 0 */
    rule?: number;
    /** Name of the rule */
    name?: string;
}
/** How a job was stopped */
export interface CancelReceipt {
    job: Job;
    /** The seq of its last event; null until it has stopped */
    stopped_at_seq: number | null;
    /** Message with the partial answer; absent if there is none */
    partial_message_id?: string;
    /** Tool calls that finished */
    tool_calls_finished: number;
    /** Tool calls that were aborted */
    tool_calls_aborted: number;
}
/** A file or directory after a change */
export interface ChangedFile {
    /** The workspace's id */
    workspace_id: string;
    /** What was done */
    change: "created" | "updated" | "moved" | "deleted";
    /** The path, relative to the workspace */
    path: string;
    /** Last part of the path */
    name: string;
    /** Kind of the entry */
    kind: "file" | "directory";
    /** Size in bytes; for a directory, of all files below it */
    size: number;
    /** The media type of a file */
    mime: string | null;
    /** Entity tag of the content, for `If-Match` and `If-None-Match` */
    etag: string | null;
    /** Version of the file's content; rises by one with each change */
    number: number | null;
    /** ISO 8601 UTC with milliseconds */
    modified_at: string;
    /** User or agent of the last change; null if unknown */
    modified_by: FileAuthor | null;
}
/** A durable conversation with an agent */
export interface Chat {
    /** The chat's id */
    id: string;
    /** The title */
    title: string;
    /** What the chat needs: `working` has an active job, `needs_attention` waits for a person */
    status: ChatStatus;
    /** The agent that answers */
    agent_id: string;
    /** Name of the agent when the chat was created */
    agent_name: string;
    /** Workspace of the chat */
    workspace_id: string;
    options: ChatOptions;
    /** Number of messages */
    message_count: number;
    /** A job's id */
    active_job_id: string | null;
    /** Number of queued messages */
    queued_messages: number;
    /** Mission that this chat is a run of */
    mission_id: string | null;
    /** Number of the mission's run that the chat belongs to; null for other chats */
    run_number: number | null;
    /** Summary that replaces older messages in model calls; null if nothing was compacted */
    summary: ChatSummary | null;
    /** Where the chat was forked from; null if it was not forked */
    forked_from: ForkOrigin | null;
    /** The beginning of the newest message */
    last_message_preview: string | null;
    /** Number of the newest event */
    last_seq: number;
    /** Any JSON object, as the creator gave it */
    metadata: {
        [name: string]: unknown;
    };
    /** The user who opened it */
    created_by: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A tool call waits for a person's approval */
export interface ChatApprovalRequestedEvent {
    /** Always "approval.requested" */
    event: "approval.requested";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "approval.requested" */
        type: "approval.requested";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the approval */
        approval_id: string;
        /** Name of the tool */
        tool_name: string;
        /** Id of the tool call, as the model gave it */
        tool_call_id: string;
        /** Arguments of the call */
        arguments: {
            [name: string]: unknown;
        };
        /** Human-readable message */
        message: string;
        /** ISO 8601 UTC with milliseconds */
        expires_at: string;
        /**
         * What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels the job,
         * `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
         */
        on_expiry: ApprovalExpiryAction;
        asked_by?: CallDecision;
        policy?: CallDeciders;
    };
}
/** An approval was decided, or has expired */
export interface ChatApprovalResolvedEvent {
    /** Always "approval.resolved" */
    event: "approval.resolved";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "approval.resolved" */
        type: "approval.resolved";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the approval */
        approval_id: string;
        /** Id of the tool call, as the model gave it */
        tool_call_id: string;
        /** The decision; `expired` if nobody decided in time */
        decision: ApprovalDecision;
        /** User who did it; null if the service did */
        by: string | null;
        /** Arguments of the call */
        arguments?: {
            [name: string]: unknown;
        };
    };
}
/** A tool has written a file for the first time */
export interface ChatArtifactCreatedEvent {
    /** Always "artifact.created" */
    event: "artifact.created";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "artifact.created" */
        type: "artifact.created";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the artifact: the same for all changes of one file by one job */
        id: string;
        /** Always "file" */
        kind: "file";
        /** Name */
        name: string;
        /** Path in the workspace, such as `reports/2026.md` */
        path: string;
        /** Media type of the content */
        mime: string;
        /** Size in bytes */
        size: number;
    };
}
/** A job waits for a person to connect a tool server: `link` leads to the page for it */
export interface ChatAuthorizationRequestedEvent {
    /** Always "authorization.requested" */
    event: "authorization.requested";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "authorization.requested" */
        type: "authorization.requested";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the connection */
        connection_id: string;
        /** The MCP server or the tool that needs it */
        name: string;
        /** The address of the tool server */
        resource: string;
        /** Who can grant the connection: the person for whom the job acts, or an owner */
        owner: "person" | "organization";
        /** Scopes that are asked for; empty: those that the server names */
        scopes: string[];
        /** The page where the person grants or denies the connection */
        link: string;
    };
}
/** From now on this message, a summary, replaces older messages in model calls */
export interface ChatCompactedEvent {
    /** Always "chat.compacted" */
    event: "chat.compacted";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "chat.compacted" */
        type: "chat.compacted";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the message */
        message_id: string;
        /** Number of messages that the summary replaces */
        messages: number;
    };
}
/** A job of the chat has failed */
export interface ChatErrorEvent {
    /** Always "error" */
    event: "error";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "error" */
        type: "error";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Code of the error */
        code: RunErrorCode;
        /** Human-readable message */
        message: string;
    };
}
/** A job of a chat, in short */
export interface ChatJob {
    /** A job's id */
    id: string;
    /** The title */
    title: string;
    /** Current status */
    status: JobStatus;
    /** State of the review of the current job */
    review_state: ReviewState;
}
/** The message got the job that answers it */
export interface ChatJobLinkedEvent {
    /** Always "job.linked" */
    event: "job.linked";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.linked" */
        type: "job.linked";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the message */
        message_id: string;
    };
}
/** A job of the chat has a new status */
export interface ChatJobUpdatedEvent {
    /** Always "job.updated" */
    event: "job.updated";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.updated" */
        type: "job.updated";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Current status */
        status: JobStatus;
        /** What a blocked job waits for; null for other jobs */
        blocked_reason: BlockedReason | null;
    };
}
/** A page of chats, newest first */
export interface ChatList {
    /** The chats of this page */
    chats: Chat[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** The message is complete, or was cancelled, or has failed */
export interface ChatMessageCompletedEvent {
    /** Always "message.completed" */
    event: "message.completed";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "message.completed" */
        type: "message.completed";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the message */
        message_id: string;
        /** Current status */
        status: "completed" | "cancelled" | "failed";
        /** Content as text */
        content: string;
        /**
         * Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token limit
         * (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or `other`
         */
        stop_reason?: StopReason | null;
    };
}
/** There is a new message, from a user or from the agent */
export interface ChatMessageCreatedEvent {
    /** Always "message.created" */
    event: "message.created";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "message.created" */
        type: "message.created";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the message */
        message_id: string;
        /** Author of the message: a person, the agent, the system or a tool */
        role: MessageRole;
        /** Content as text */
        content: string;
        /** Content as blocks, in their order: text, files, tool calls and their results */
        blocks?: InputBlock[];
        /** Id of the job; null if no job answers */
        job_id: string | null;
    };
}
/** Live text; it is not stored */
export interface ChatMessageDeltaEvent {
    /** Always "message.delta" */
    event: "message.delta";
    /** Cursor of this event */
    id: string;
    data: TextDelta;
}
/** The message waits in the queue */
export interface ChatMessageQueuedEvent {
    /** Always "message.queued" */
    event: "message.queued";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "message.queued" */
        type: "message.queued";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the message */
        message_id: string;
        /** Place in the queue, from 1 */
        position: number;
    };
}
/** A new attempt writes the message again: drop the live text that no event contains */
export interface ChatMessageRestartedEvent {
    /** Always "message.restarted" */
    event: "message.restarted";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "message.restarted" */
        type: "message.restarted";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the message */
        message_id: string;
        /** Number of the attempt, from 1 */
        attempt: number;
    };
}
/** The agent has begun to write the message */
export interface ChatMessageStartedEvent {
    /** Always "message.started" */
    event: "message.started";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "message.started" */
        type: "message.started";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the message */
        message_id: string;
        /** Number of the attempt, from 1 */
        attempt: number;
    };
}
/** The message was pinned to the context, or unpinned */
export interface ChatMessageUpdatedEvent {
    /** Always "message.updated" */
    event: "message.updated";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "message.updated" */
        type: "message.updated";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the message */
        message_id: string;
        /** Whether the message stays in the model's context when the chat is compacted */
        pinned: boolean;
    };
}
/** Settings of a chat */
export interface ChatOptions {
    /** Model that answers in this chat, as `provider:name`; null is the agent's own */
    model: string | null;
    /** What happens to a message while a chat turn runs */
    on_busy: BusyPolicy;
    /** Tools that the agent may use in this chat; null is all that the agent has */
    tools: string[] | null;
    /** Whether calls that need approval are approved without a person */
    auto_approve: boolean;
    /** The title */
    title: string;
    /** Whether the chat is pinned in lists */
    pinned: boolean;
}
/** The settings that have changed */
export interface ChatOptionsChange {
    /** Model that answers in this chat, as `provider:name`; null is the agent's own */
    model?: string | null;
    /**
     * What a message does while a job of the chat is active: wait (`queue`), join the running job (`steer`), replace it
     * (`interrupt`) or be refused (`reject`)
     */
    on_busy?: BusyPolicy;
    /** Tools that the agent may use in this chat; null is all that the agent has */
    tools?: string[] | null;
    /** Whether calls that need approval are approved without a person */
    auto_approve?: boolean;
    /** Title */
    title?: string;
    /** Whether the chat is pinned in lists */
    pinned?: boolean;
}
/** Settings of a chat */
export interface ChatOptionsInput {
    /** Model that answers in this chat, as `provider:name`; null is the agent's own */
    model?: string | null;
    /**
     * What a message does while a job of the chat is active: wait (`queue`), join the running job (`steer`), replace it
     * (`interrupt`) or be refused (`reject`)
     */
    on_busy?: BusyPolicy;
    /** Tools that the agent may use in this chat; null is all that the agent has */
    tools?: string[] | null;
    /** Whether calls that need approval are approved without a person */
    auto_approve?: boolean;
    /** Title */
    title?: string;
    /** Whether the chat is pinned in lists */
    pinned?: boolean;
}
/** The review of a job has a new state */
export interface ChatReviewUpdatedEvent {
    /** Always "review.updated" */
    event: "review.updated";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "review.updated" */
        type: "review.updated";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** New state */
        state: ReviewState;
        /** User who decided; null if the time ran out */
        decided_by: string | null;
        /** Comment on the decision */
        comment: string | null;
    };
}
/** Another model answers from now on */
export interface ChatRoutingUpdatedEvent {
    /** Always "routing.updated" */
    event: "routing.updated";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "routing.updated" */
        type: "routing.updated";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Model that answers from now on, as `provider:name`; null is the agent's own */
        model: string | null;
    };
}
/** The chat as it is when the stream begins */
export interface ChatSnapshotEvent {
    /** Always "snapshot" */
    event: "snapshot";
    data: Chat;
    /** Absent: this event does not move the cursor */
    id?: undefined;
}
/** Status of a chat */
export type ChatStatus = "standby" | "working" | "done" | "error" | "needs_attention";
/** An event of a chat's stream */
export type ChatStreamEvent = ChatSnapshotEvent | ChatMessageCreatedEvent | ChatMessageQueuedEvent | ChatMessageStartedEvent | ChatMessageRestartedEvent | ChatMessageCompletedEvent | ChatToolStartedEvent | ChatToolRequestedEvent | ChatToolCompletedEvent | ChatToolFailedEvent | ChatRoutingUpdatedEvent | ChatApprovalRequestedEvent | ChatApprovalResolvedEvent | ChatAuthorizationRequestedEvent | ChatArtifactCreatedEvent | ChatReviewUpdatedEvent | ChatJobLinkedEvent | ChatJobUpdatedEvent | ChatUpdatedEvent | ChatCompactedEvent | ChatMessageUpdatedEvent | ChatUsageUpdatedEvent | ChatErrorEvent | ChatMessageDeltaEvent | StreamResetEvent | StreamClosingEvent | StreamEndEvent;
/** Summary that replaces older messages in model calls */
export interface ChatSummary {
    /** The message with the summary */
    message_id: string;
    /** Messages that it replaces */
    messages: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
}
/** The tool has answered */
export interface ChatToolCompletedEvent {
    /** Always "tool.completed" */
    event: "tool.completed";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "tool.completed" */
        type: "tool.completed";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the tool call */
        call_id: string;
        /** Beginning of the tool's result; absent without `jobs:read` */
        result?: string;
        /** Whether the result is longer than `result` */
        is_truncated?: boolean;
        /** Images and files in the result; absent without `jobs:read` */
        attachments?: Attachment[];
    };
}
/** The tool has failed */
export interface ChatToolFailedEvent {
    /** Always "tool.failed" */
    event: "tool.failed";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "tool.failed" */
        type: "tool.failed";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the tool call */
        call_id: string;
        /** Beginning of the tool's result; absent without `jobs:read` */
        result?: string;
        /** Whether the result is longer than `result` */
        is_truncated?: boolean;
        /** Images and files in the result; absent without `jobs:read` */
        attachments?: Attachment[];
    };
}
/** The agent has called a tool that the client runs: send its result */
export interface ChatToolRequestedEvent {
    /** Always "tool.requested" */
    event: "tool.requested";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "tool.requested" */
        type: "tool.requested";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the tool call */
        call_id: string;
        /** Name of the tool */
        name: string;
        /** Arguments of the call; absent if longer than 4 KiB, or without `jobs:read` */
        arguments?: {
            [name: string]: unknown;
        };
        /** ISO 8601 UTC with milliseconds */
        expires_at: string;
    };
}
/** The agent has called a tool */
export interface ChatToolStartedEvent {
    /** Always "tool.started" */
    event: "tool.started";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "tool.started" */
        type: "tool.started";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Id of the tool call */
        call_id: string;
        /** Name of the tool */
        name: string;
        /** Arguments of the call; absent if longer than 4 KiB, or without `jobs:read` */
        arguments?: {
            [name: string]: unknown;
        };
    };
}
/** The chat has changed; only the changed fields are present */
export interface ChatUpdatedEvent {
    /** Always "chat.updated" */
    event: "chat.updated";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "chat.updated" */
        type: "chat.updated";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Current status */
        status?: ChatStatus;
        options?: ChatOptionsChange;
        /** Any JSON object; it is returned unchanged */
        metadata?: {
            [name: string]: unknown;
        };
        /** Whether the chat has been deleted */
        deleted?: boolean;
    };
}
/** Tokens that the chat turn has used so far */
export interface ChatUsageUpdatedEvent {
    /** Always "usage.updated" */
    event: "usage.updated";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "usage.updated" */
        type: "usage.updated";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the job; null if no job answers */
        job_id: string;
        /** Tokens sent to models */
        input_tokens: number;
        /** Tokens received from models */
        output_tokens: number;
        /** Input tokens that the provider read from its cache; part of `input_tokens` */
        cached_input_tokens?: number;
        /** Input tokens that the provider wrote to its cache; part of `input_tokens` */
        cache_write_tokens?: number;
        /** Exact cost of those that have a price, in the `currency` of `GET /api/models` */
        cost?: string;
    };
}
/** The current work of a chat */
export interface ChatWork {
    /** A job's id */
    active_job_id: string | null;
    /** The newest jobs */
    jobs: ChatJob[];
    /** Artifacts of the job */
    artifacts: Artifact[];
    /** Whether it waits for a person */
    needs_attention: boolean;
}
/** A source that the model cites for a part of its answer */
export interface Citation {
    /** Start of the cited part of the text, in UTF-16 units */
    start: number;
    /** End of the cited part, exclusive, in UTF-16 units */
    end: number;
    /** A web page, or a document in the conversation */
    type: "url" | "document";
    /** Title or name of the source; null if it has none */
    title: string | null;
    /** URL of the source, with http or https; null if it has none */
    url: string | null;
    /** Index of the document in the conversation, from 0; null if the source is not a document */
    document_index: number | null;
    /** First cited page, from 1; null if the source has no pages */
    first_page: number | null;
    /** Last cited page; null if the source has no pages */
    last_page: number | null;
    /** Cited text of the source, at most 1,000 characters; null if the provider does not return it */
    cited_text: string | null;
}
/** A call of a tool that waits for its result from the client */
export interface ClientToolCall {
    /** Id of the tool call */
    id: string;
    /** Name of the tool */
    name: string;
    /** Arguments of the call */
    arguments?: {
        [name: string]: unknown;
    };
}
/** Effect of a clock change on a scheduled time */
export interface ClockChangeNote {
    /** Kind of the entry */
    kind: "shifted" | "skipped" | "repeated";
    /** Effect of the clock change, in words */
    message: string;
}
export interface CloneRepositoryRequest {
    /** An existing mount; omit it to create one from the other fields */
    repo_id?: string;
    /** https URL without credentials. http is allowed only for hosts that the operator has opened */
    url?: string;
    /** Branch; by default the repository's default branch */
    branch?: string | null;
    /** Directory for the files; by default the name of the repository */
    path?: string;
    /** `read`: the files cannot be changed in the workspace; `write`: they can. Default "read" */
    mode?: "read" | "write";
    /** Name of the secret with the credentials: `user:password`, or only a token */
    secret?: string | null;
}
export interface CompactChatRequest {
    /** What the summary must keep, in your own words */
    instructions?: string;
}
/** Access to a tool server that a person or an owner has consented to */
export interface Connection {
    /** The connection's id */
    id: string;
    /** Whose access it is: one person's, or the organization's */
    owner: "person" | "organization";
    /** The person whose connection it is; null for one of the organization */
    user_id: string | null;
    /** The address of the tool server */
    url: string;
    /** `required`: nobody has consented yet; `connected`; `ended`: it works again after a new consent */
    status: "required" | "connected" | "ended";
    /** The authorization server */
    issuer: string | null;
    /** The OAuth client that was registered by hand; null: the service registers itself */
    client_id: string | null;
    /** Granted scopes */
    scopes: string[];
    /** Scopes that the next consent asks for */
    asked_scopes: string[];
    /** The person who consented last */
    connected_by: string | null;
    /** ISO 8601 UTC with milliseconds */
    connected_at: string | null;
    /** When the present access token expires; it is renewed before */
    expires_at: string | null;
    /** Why the connection ended by itself; null if it did not */
    end: ConnectionEnd | null;
    /** Number of jobs that wait for it */
    waiting_jobs: number;
    /** The page where a signed-in person grants or denies the connection */
    authorization_url: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** Why a connection has ended by itself */
export interface ConnectionEnd {
    /**
     * `refused`: the authorization server refused to renew the access; `refresh_lost`: it refused after the answer to an
     * earlier renewal was lost; `expired`: the access cannot be renewed; `rejected`: the tool server no longer accepts it
     */
    reason: "refused" | "refresh_lost" | "expired" | "rejected";
    /** For people */
    message: string;
    /** ISO 8601 UTC with milliseconds */
    at: string;
}
/** A page of connections, newest first */
export interface ConnectionList {
    /** The connections of this page */
    connections: Connection[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** What the tool server has answered to a request with the access */
export interface ConnectionTrial {
    /**
     * `accepted`: the server knows the access; `refused`: it does not; `unreachable`: there was no answer;
     * `not_connected`: there is no access to try
     */
    result: "accepted" | "refused" | "unreachable" | "not_connected";
    /** Status of the answer */
    http_status: number | null;
    connection: Connection;
}
/** Part of a message: text, an image, or a file (PDF or text) */
export type ContentBlockInput = {
    /** Always "text" */
    type: "text";
    /** The text */
    text: string;
} | {
    /** Kind of the entry */
    type: "image" | "file";
    source: ContentSourceInput;
    /** Name of the file */
    name?: string;
};
/** Where the content is. The message keeps it as it is at the time of sending */
export type ContentSourceInput = {
    /** Always "upload" */
    kind: "upload";
    /** Id of a file from `POST /api/files` */
    file_id: string;
} | {
    /** Always "workspace" */
    kind: "workspace";
    /** Id of the workspace; the token needs `workspaces:read` */
    workspace_id: string;
    /** Path of the file in the workspace */
    path: string;
    /** Version of the file; by default the current one */
    version?: number;
} | {
    /** Always "url" */
    kind: "url";
    /** An https URL, fetched once when the message is sent */
    url: string;
};
/** The costliest jobs of a day */
export interface CostliestJobs {
    /** A day in UTC */
    day: string;
    /** Currency of all costs, by ISO 4217; null if the operator has set no prices */
    currency: string | null;
    /** The jobs of this page */
    jobs: CostlyJob[];
}
/** A job and what it has used */
export interface CostlyJob {
    /** A job's id */
    id: string;
    /** The title */
    title: string;
    /** Current status */
    status: JobStatus;
    /** The agent that does the work */
    agent_id: string;
    /** The model; null if the job has not started */
    model: string | null;
    metrics: JobMetrics;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
}
export interface CreateAgentRequest {
    /** Display name */
    name: string;
    /** Instructions at the start of every model call of the agent */
    system_prompt: string;
    /**
     * Who may see it. `private`: its creator; `organization`: every member; `public`: every caller; `unlisted`: every
     * caller who knows the id. Default "private"
     */
    visibility?: Visibility;
    /** The agent's role in a few words, such as `Editor` */
    role?: string;
    /** What the agent is for */
    description?: string | null;
    /** Model as `provider:name`; null is the service's default */
    model?: string | null;
    /**
     * Tools that the agent may call in addition to the read-only ones. null: only the read-only ones; empty list: none of
     * the service's tools
     */
    allowed_tools?: string[] | null;
    /** Tools whose calls wait for a person's approval; `<server>__*` stands for all tools of an MCP server */
    approval_tools?: string[];
    /** Rules about tool calls: the first that matches decides; without one, `approval_tools` does */
    approval_rules?: ApprovalRuleInput[];
    approval_expiry?: ApprovalExpiryInput;
    approval_reach?: ApprovalReachInput;
    /** MCP servers whose tools the agent can use */
    mcp_servers?: McpServerInput[];
    /** Maximum number of model calls per job; null is the service's limit */
    max_steps?: number | null;
    /** The agent's own tools: run by your program (`client`), or as HTTP requests by the service (`http`) */
    tools?: AgentToolInput[];
    /** JSON Schema of an object, at most 16 KiB, that answers must match; null: answers are text */
    output_schema?: {
        [name: string]: unknown;
    } | null;
    /**
     * Whether providers are asked to cache the beginning of its calls: `auto` chooses the lifetime, `5m` and `1h` set it,
     * `off` asks for nothing
     */
    cache?: PromptCache;
    /** Settings of the model; null or absent: the defaults of its provider */
    model_settings?: ModelSettingsInput | null;
    /** Labels to find the agent by */
    tags?: string[];
}
export interface CreateAppRequest {
    /** Display name */
    name: string;
    /** Part of the URL; unique in the workspace */
    slug: string;
    /** Directory with the app's files; by default the slug */
    path?: string;
    /** Start page, relative to the directory. Default "index.html" */
    entry?: string;
}
export interface CreateChatRequest {
    /** Id of the agent */
    agent_id: string;
    /** Id of the workspace */
    workspace_id: string;
    /** Title */
    title?: string;
    options?: ChatOptionsInput;
    /** Any JSON object; it is returned unchanged */
    metadata?: {
        [name: string]: unknown;
    };
}
export interface CreateConnectionRequest {
    /** Address of the tool server */
    url: string;
    /** Whose access it is to be: yours, or the organization's. Default "person" */
    owner?: "person" | "organization";
    /** Scopes to ask for; omitted: those that the server asks for */
    scopes?: string[];
}
export interface CreateDirectoryRequest {
    /** Path in the workspace, such as `reports/2026.md` */
    path: string;
}
export interface CreateInvitationRequest {
    /** E-mail address of the person; nothing is sent to it */
    email: string;
    /** Role that the person gets. Default "member" */
    role?: Role;
}
export interface CreateMessengerRequest {
    /** Name */
    name: string;
    /** The format of its messages */
    format: MessengerFormat;
    /** An incoming webhook of Slack or Teams, or the address of a topic of ntfy. It is never shown again */
    url: string;
}
export interface CreateMissionRequest {
    /** Title */
    title: string;
    /** What each run should achieve; it is the first message of each run's chat */
    goal: string;
    /** Id of the agent */
    agent_id: string;
    /** Workspace in which it runs; by default the organization's default workspace */
    workspace_id?: string;
    /** Who may see it. `private`: its creator; `organization`: every member */
    visibility?: MissionVisibility;
    /** Priority of its jobs while job slots are scarce */
    priority?: Priority;
    schedule?: MissionScheduleInput;
    /** Whether a person reviews the result before the job is completed; `false` by default */
    review_required?: boolean;
    /** Limits of each run; the service's limits apply where one is absent */
    budget?: MissionBudgetInput;
    /** Metadata of its jobs; at most 16 KiB as JSON */
    metadata?: {
        [name: string]: unknown;
    };
    /** Model settings of its runs. Each replaces the agent's setting of that name */
    model_settings?: ModelSettingsInput | null;
}
export interface CreatePersonalAccessTokenRequest {
    /** Name of the token, for people */
    name: string;
    /** What the token allows */
    scopes: Scope[];
    /** Days until the token expires */
    expires_in_days?: number;
}
export interface CreateServiceTokenRequest {
    /** Name of the token, for people */
    name: string;
    /** What the token allows */
    scopes: Scope[];
    /** Days until the token expires */
    expires_in_days?: number;
}
export interface CreateTaskRequest {
    /** Title */
    title: string;
    /** Description */
    description?: string | null;
    /** How urgent it is. Default "medium" */
    priority?: Priority;
    /** Id of the agent or user that the task is assigned to; null if unassigned */
    assigned_to?: string | null;
    /** Id of the workspace */
    workspace_id?: string | null;
}
export interface CreateWorkspaceRequest {
    /** Name */
    name: string;
    /** Description */
    description?: string | null;
    /** Instructions that agents get in this workspace; null for none */
    instructions?: string | null;
}
/** A column of a table */
export interface DataColumn {
    /** Name */
    name: string;
    /** Type of the column, as DuckDB or SQLite names it */
    type: string;
}
/** The members of a group */
export interface DecidingGroup {
    /** Name of the group */
    group: string;
}
/** The members of a group */
export interface DecidingGroupInput {
    /** Name of the group */
    group: string;
}
/** What jobs run with by default */
export interface DefaultRunner {
    /** The default model; null if there is none */
    model: string | null;
    /** Whether that is the built-in demo, which is not a language model */
    demo: boolean;
}
/** A deleted chat, in its last state */
export interface DeletedChat {
    /** The chat's id */
    id: string;
    /** The title */
    title: string;
    /** Current status */
    status: ChatStatus;
    /** The agent that answers */
    agent_id: string;
    /** Name of the agent when the chat was created */
    agent_name: string;
    /** Workspace of the chat */
    workspace_id: string;
    options: ChatOptions;
    /** Number of messages */
    message_count: number;
    /** A job's id */
    active_job_id: string | null;
    /** Number of queued messages */
    queued_messages: number;
    /** Mission that this chat is a run of */
    mission_id: string | null;
    /** Number of the mission's run that the chat belongs to; null for other chats */
    run_number: number | null;
    /** Summary that replaced older messages in model calls */
    summary: ChatSummary | null;
    /** Where the chat was forked from; null if it was not forked */
    forked_from: ForkOrigin | null;
    /** The beginning of the newest message */
    last_message_preview: string | null;
    /** Number of the newest event */
    last_seq: number;
    /** Any JSON object, as the creator gave it */
    metadata: {
        [name: string]: unknown;
    };
    /** The user who opened it */
    created_by: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    /** Always true */
    deleted: true;
}
/** A deleted mission, in its last state */
export interface DeletedMission {
    /** The mission's id */
    id: string;
    /** Title */
    title: string;
    /** What each run is for */
    goal: string;
    /** The agent that does the work */
    agent_id: string;
    /** The workspace that it works in */
    workspace_id: string;
    /** Who may see it. `private`: its creator; `organization`: every member */
    visibility: MissionVisibility;
    /** How urgent it is */
    priority: Priority;
    /** Current status */
    status: MissionStatus;
    /** Reason for the pause, as given */
    paused_reason: string | null;
    /** Why it failed; null if it did not */
    failed_reason: MissionFailedReason | null;
    schedule: MissionSchedule;
    /** Whether a person reviews the result before the job is completed; `false` by default */
    review_required: boolean;
    budget: MissionBudget;
    /** Metadata of its jobs */
    metadata: {
        [name: string]: unknown;
    };
    /** Settings of the model; null or absent: the defaults of its provider */
    model_settings: ModelSettings | null;
    /** Failures since the last success */
    consecutive_failures: number;
    /** The mission's tasks, in their order */
    tasks: MissionTask[];
    /** The newest run; null before the first */
    last_run: MissionLastRun | null;
    /** The user that its runs act for */
    created_by: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    /** Always true */
    deleted: true;
}
/** A deleted task, in its last state */
export interface DeletedTask {
    /** The task's id */
    id: string;
    /** The title */
    title: string;
    /** Description */
    description: string | null;
    /** Current status */
    status: TaskStatus;
    /** How urgent it is */
    priority: Priority;
    /** Id of an agent or a user, as it was sent */
    assigned_to: string | null;
    /** Workspace of the task, as it was sent */
    workspace_id: string | null;
    /** The user or agent who created it */
    created_by: string;
    /** ISO 8601 UTC with milliseconds */
    completed_at: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    /** Always true */
    deleted: true;
}
/** One attempt to deliver an event */
export interface Delivery {
    /** The attempt's id */
    id: string;
    /** Id of the event; receivers deduplicate by it */
    event_id: string;
    /** Type of the event */
    event_type: EventType;
    /** Origin of the event: a change over the API, the lifecycle of a job, or a test */
    source: EventSource;
    /** The event's number */
    sequence: number;
    /** Number of the attempt, from 1 */
    attempt: number;
    /** `pending`: not attempted yet; `retrying`: failed, and will be retried; `skipped`: not sent */
    status: DeliveryStatus;
    /** HTTP status of the receiver's response; null if there was none */
    http_status: number | null;
    /** Why the attempt failed; null if it did not */
    error: "timeout" | "dns_error" | "tls_error" | "connection_refused" | "connection_reset" | "blocked_address" | "http_error" | null;
    /** Duration in milliseconds; null until it has ended */
    duration_ms: number | null;
    /** Host of the destination, redacted */
    destination_host: string;
    /** The same for all attempts of one delivery */
    delivery_key: string;
    /** Why it is sent: for the event, again, as a test, or as a push notification of A2A */
    trigger: "automatic" | "redelivery" | "test" | "push";
    /**
     * For a push notification of A2A: the job whose state it reports; null: the delivery goes to the organization's
     * destination
     */
    pushed_job_id: string | null;
    /** ISO 8601 UTC with milliseconds */
    next_attempt_at: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** The delivery that will be attempted */
export interface DeliveryAccepted {
    delivery: Delivery;
}
/** A page of deliveries, newest first */
export interface DeliveryList {
    /** The deliveries of this page */
    deliveries: Delivery[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** Status of an attempt to deliver an event */
export type DeliveryStatus = "pending" | "success" | "failed" | "retrying" | "skipped";
/** A deprecated operation */
export interface Deprecation {
    /** The operation's id */
    operation: string;
    /** HTTP method of the operation */
    method: string;
    /** Path of the operation */
    path: string;
    /** When it was announced */
    announced_at: string;
    /** When it becomes deprecated */
    deprecated_at: string;
    /** When it will be removed; null if not decided yet */
    sunset_at: string | null;
    /** Path of its replacement */
    successor: string | null;
    /** The migration guide */
    guide: string | null;
}
/** Versioning policy, and the deprecated operations */
export interface DeprecationPolicy {
    /** How the contract is versioned */
    versioning: {
        /** Always "date" */
        scheme: "date";
        /** Always "Api-Version" */
        header: "Api-Version";
        /** A version of the contract, by date */
        current: string;
        /** Versions that are supported */
        supported: string[];
        /** What counts as a breaking change */
        breaking_changes: string;
        /** What applies to v1 */
        v1: string;
    };
    /** Months that an operation stays after its replacement is published */
    compatibility_months: number;
    /** Days between the announcement and the deprecation */
    deprecation_notice_days: number;
    /** Days between the announcement and the removal */
    sunset_notice_days: number;
    /** Headers of the responses of a deprecated operation */
    headers: DocumentedHeader[];
    /** Operations that will be removed */
    deprecations: Deprecation[];
}
/** A header and its meaning */
export interface DocumentedHeader {
    /** Name */
    name: string;
    /** What it means */
    meaning: string;
}
/** Code of an error */
export type ErrorCode = "invalid_json" | "invalid_request" | "invalid_schedule" | "invalid_cursor" | "unsupported_api_version" | "invalid_idempotency_key" | "invalid_event_type" | "invalid_path" | "invalid_url" | "unauthenticated" | "token_expired" | "insufficient_scope" | "owner_required" | "organization_suspended" | "forbidden" | "invalid_signature" | "not_found" | "method_not_allowed" | "request_timeout" | "invalid_state" | "chat_busy" | "approval_pending" | "version_conflict" | "secret_in_use" | "not_a_library_agent" | "read_only_violation" | "path_exists" | "idempotency_conflict" | "idempotency_in_progress" | "event_not_retained" | "share_expired" | "upload_offset_mismatch" | "payload_too_large" | "range_not_satisfiable" | "unsupported_media_type" | "rate_limited" | "budget_exceeded" | "quota_exceeded" | "internal_error" | "provider_error" | "overloaded" | "storage_full" | "unavailable" | "outcome_unknown" | "shutting_down" | "timeout";
/** Details to act on; which fields are present depends on the code */
export interface ErrorDetails {
    /** All errors of the input */
    errors?: InputError[];
    /** Scopes that the token lacks */
    required_scopes?: string[];
    /** Supported API versions */
    supported?: string[];
    /** Unknown event types */
    unknown?: string[];
    /** The oldest event that is kept */
    oldest_sequence?: number;
    /** Quota that was reached */
    quota?: string;
    /** What the quota allows */
    limit?: number;
    /** Current usage */
    used?: number;
    /** Limit that was exceeded, in bytes */
    limit_bytes?: number;
    /** The size of the file */
    bytes?: number;
    /** The first byte of the next part of the upload */
    offset?: number;
    /** The current status of the record */
    status?: string;
    /** The actions that are allowed now */
    allowed_actions?: string[];
    /** The job that blocks the request */
    job_id?: string;
    /** The current version of the record */
    version?: number;
    /** The existing file or directory */
    path?: string;
    /** Agents that use the secret and that you may see */
    agents?: NamedRecord[];
    /** Workspaces with repositories that use the secret */
    workspaces?: NamedRecord[];
    /** Providers of models that are called with the secret */
    providers?: string[];
    /** Number of agents that use the secret and that you may not see */
    others?: number;
}
/** An event of the organization */
export interface Event {
    /** Id of the event, the same in retries and redeliveries */
    id: string;
    /** Type of the event */
    type: EventType;
    /** Version of the contract that the event's data follows */
    api_version: string;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** `created_at` in seconds */
    timestamp: number;
    /** The organization */
    organization_id: string;
    /** Number of the event in the organization, without gaps */
    sequence: number;
    /** Origin of the event: a change over the API, the lifecycle of a job, or a test */
    source: EventSource;
    actor: EventActor;
    /** Request that caused the event */
    request_id: string | null;
    resource: EventResource;
    /** Data of the event */
    data: {
        [name: string]: unknown;
    };
    /** Fields that the change has set */
    changes: string[];
    /** `data` was longer than 20 KiB, and has only ids and the status */
    truncated?: true;
}
/** Who caused the event; `system` is the service itself */
export interface EventActor {
    /** Kind of actor */
    type: "user" | "service_token" | "agent" | "system";
    /** Id of the actor */
    id: string;
}
/** A page of events, oldest first */
export interface EventFeed {
    /** The events of this page */
    events: Event[];
    /** Number of the last event on this page, or `after` if the page is empty */
    last_sequence: number;
    /** Whether there is a `next_cursor` */
    has_more: boolean;
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** The time of the event loop, which all organizations share */
export interface EventLoopUse {
    /** Time within the last second, in ms */
    recent_ms: number;
    /** Whether the organization waits now, because it uses most of the event loop while others are active */
    throttled: boolean;
    /** How long each kind of work has used it */
    work: EventLoopWork[];
}
/** Time of one kind of work since the start of the process */
export interface EventLoopWork {
    /** The kind of work */
    kind: "requests" | "uploads" | "pages" | "turns" | "commits" | "runs" | "streams";
    /** Time since the start of the process, in ms */
    total_ms: number;
}
/** Durable events, oldest first */
export interface EventPage {
    /** The events of this page */
    events: RecordedEvent[];
    /** Value of `after` for the next page; absent on the last page */
    next_cursor?: string;
}
/** The record that the event is about */
export interface EventResource {
    /** Kind of record */
    type: string;
    /** Id of the record; null if it has none */
    id: string | null;
    /** URL of the record */
    url: string | null;
    /** Version of the record that the event is about; null if it has none */
    version: number | null;
}
/** Origin of an event */
export type EventSource = "job_lifecycle" | "api_mutation" | "test";
/** Type of an event */
export type EventType = "agent.created" | "agent.updated" | "agent.deleted" | "agent.install_state_changed" | "chat.created" | "chat.updated" | "chat.deleted" | "chat.message_sent" | "job.created" | "job.started" | "job.blocked" | "job.resumed" | "job.review_requested" | "job.approved" | "job.denied" | "job.tool_results" | "job.iteration_requested" | "job.cancelled" | "job.completed" | "job.failed" | "job.restarted" | "mission.created" | "mission.updated" | "mission.started" | "mission.completed" | "mission.failed" | "mission.paused" | "mission.resumed" | "mission.run_skipped" | "mission_task.created" | "mission_task.updated" | "mission_task.started" | "mission_task.completed" | "workspace.created" | "workspace.selected" | "workspace.app_created" | "workspace_repository.added" | "workspace_repository.cloned" | "workspace_file.changed" | "resource.created" | "resource.updated" | "resource.deleted" | "connection.ended" | "service_token.created" | "service_token.revoked" | "webhook.configured" | "webhook.secret_rotated" | "webhook.test" | "webhook.disabled" | "webhook.redelivery_requested";
/** Who made the last change: a user, an agent, or a commit of a repository */
export interface FileAuthor {
    /** Kind of author */
    type: "user" | "agent" | "repository";
    /** Id of the user, agent or repository */
    id: string;
}
/** Files and directories, sorted by path */
export interface FileList {
    /** The files of this page */
    files: WorkspaceFile[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** Preview of a file */
export interface FilePreview {
    /** The path, relative to the workspace */
    path: string;
    /** How the file can be shown */
    kind: "text" | "markdown" | "image" | "pdf" | "table" | "binary" | "too_large";
    /** Media type of the content */
    mime: string;
    /** Bytes of the file */
    size: number;
    /** Entity tag of the content, for `If-Match` and `If-None-Match` */
    etag: string;
    /** Beginning of the text, not sanitized; for a PDF, its text */
    content?: string;
    /** `content` as HTML that is safe to show: Markdown, or highlighted code (`hljs-…`) */
    html?: string;
    image?: PreviewImage;
    /** Pages of a PDF */
    pages?: number;
    table?: PreviewTable;
    /** Where the content is */
    url?: string;
    /** Whether `content` was cut */
    truncated: boolean;
}
/** Progress of an upload in parts */
export interface FileUpload {
    /** The workspace's id */
    workspace_id: string;
    /** The path, relative to the workspace */
    path: string;
    /** Bytes received so far, and so the offset of the next part */
    offset: number;
    /** Bytes of the whole content */
    size: number;
    /** SHA-256 of the whole content, in hex */
    sha256: string;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string | null;
}
/** A stored version of a file */
export interface FileVersion {
    /** Version number; send it as `?number=` to read the content */
    number: number;
    /** Size in bytes */
    size: number;
    /** Media type of the content */
    mime: string;
    /** Entity tag of the content, for `If-Match` and `If-None-Match` */
    etag: string;
    /** ISO 8601 UTC with milliseconds */
    modified_at: string;
    modified_by: FileAuthor;
    /** ISO 8601 UTC with milliseconds */
    kept_until: string | null;
}
/** Versions of a file, newest first */
export interface FileVersions {
    /** The path, relative to the workspace */
    path: string;
    /** The versions, newest first */
    versions: FileVersion[];
}
export interface ForecastScheduleRequest {
    schedule: MissionScheduleInput;
    /** Number of times to return */
    count?: number;
}
export interface ForkChatRequest {
    /** The conversation is copied up to and including this message */
    from_message_id: string;
    /**
     * Replaces the message, which must be a user's, and is answered: text, or blocks; a source is {kind: upload,
     * file_id}, {kind: workspace, workspace_id, path} or {kind: url, url}
     */
    content?: string | ContentBlockInput[];
    /** Title */
    title?: string;
}
/** Where a chat was forked from */
export interface ForkOrigin {
    /** The chat */
    chat_id: string;
    /** Last message that was copied */
    message_id: string;
}
/** A chat that was forked from another one */
export interface ForkedChat {
    chat: Chat;
    /** The message that was sent in the new chat; null without `content` */
    message: Message | null;
    /** The job; null if none was started */
    job: Job | null;
}
/** A file that a search has found */
export interface FoundFile {
    /** The path, relative to the workspace */
    path: string;
    /** Last part of the path */
    name: string;
    /** Kind of the entry */
    kind: "file" | "directory";
    /** Size in bytes; for a directory, of all files below it */
    size: number;
    /** The media type of a file */
    mime: string | null;
    /** Entity tag of the content, for `If-Match` and `If-None-Match` */
    etag: string | null;
    /** Version of the file's content; rises by one with each change */
    number: number | null;
    /** ISO 8601 UTC with milliseconds */
    modified_at: string;
    /** User or agent of the last change; null if unknown */
    modified_by: FileAuthor | null;
    /** Text around the match; null if only the name matches */
    excerpt: string | null;
}
/** Matches in names first, then in contents */
export interface FoundFiles {
    /** The matching files */
    files: FoundFile[];
}
/** Members who may decide about the tool calls for which a rule names the group */
export interface Group {
    /** The name of the group: 1 to 64 lower-case letters, digits, `_` and `-` */
    name: string;
    /** Rises by one with each change. Send it in `If-Match` */
    version: number;
    /** Its members, by their user ids */
    members: string[];
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
}
/** All groups, by name */
export interface GroupList {
    /** All groups, by name */
    groups: Group[];
}
/** Method of the request of a tool */
export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/** A public key that verifies who acts, as a JSON Web Key */
export interface IdentityKey {
    /** Kind of the key */
    kty: "EC";
    /** Its curve */
    crv: "P-256";
    /** The x coordinate of its point */
    x: string;
    /** The y coordinate of its point */
    y: string;
    /** Id of the key, which tokens name: its thumbprint (RFC 7638) */
    kid: string;
    /** Algorithm of the signatures */
    alg: "ES256";
    /** What it is for */
    use: "sig";
}
/** The keys that verify who acts (RFC 7517) */
export interface IdentityKeySet {
    /** The keys of the former, the present and the next period */
    keys: IdentityKey[];
}
export interface ImportAgentToolsRequest {
    /** OpenAPI document, version 3.0 or 3.1; alternatively, send `text` or `url` */
    document?: {
        [name: string]: unknown;
    };
    /** The document as JSON or YAML */
    text?: string;
    /** URL to fetch the document from */
    url?: string;
    /** Operations that become tools, by `operationId` or as `GET /path`; they may be omitted only with `dry_run` */
    operations?: string[];
    /** Prefix of the names of the tools, which are otherwise those of the operations */
    prefix?: string;
    /** Base URL of the operations; by default the first server of the document */
    server_url?: string;
    /** Headers of each request */
    headers?: ToolHeaderInput[];
    /** Timeout of one request in milliseconds; 30,000 by default */
    timeout_ms?: number;
    retry?: ToolRetryInput;
    /** Name of a secret (`whsec_…`) that signs each request like a webhook */
    signing_secret?: string;
    /** Whether to store nothing and only return the result */
    dry_run?: boolean;
}
/** An operation of an OpenAPI document */
export interface ImportableOperation {
    /** Id to choose the operation by */
    operation_id: string;
    /** Its method */
    method: string;
    /** Its path */
    path: string;
    /** Summary from the document */
    summary: string;
}
/** A piece of a user's message */
export type InputBlock = PlainTextBlock | Attachment;
/** One error of the input */
export interface InputError {
    /** JSON pointer to the field */
    path: string;
    /** In words */
    message: string;
}
/** One invariant, and how often it is violated */
export interface InvariantCheck {
    /** What is counted */
    name: string;
    /** How many violations there are */
    count: number;
}
/** Invariant violations, counted */
export interface InvariantReport {
    /** Whether every count is 0 */
    ok: boolean;
    /** The invariants that were checked */
    checks: InvariantCheck[];
}
/** A one-time link that makes a person a member */
export interface Invitation {
    /** The invitation's id */
    id: string;
    /** The invited address; anybody with the link can accept it */
    email: string;
    /** `owner` administers the organization, `member` works in it */
    role: Role;
    /** Current status */
    status: InvitationStatus;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A page of invitations, newest first */
export interface InvitationList {
    /** The invitations of this page */
    invitations: Invitation[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** Status of an invitation */
export type InvitationStatus = "pending" | "accepted" | "revoked" | "expired";
export interface IterateJobRequest {
    /**
     * Requested changes: text, or blocks; a source is {kind: upload, file_id}, {kind: workspace, workspace_id, path} or
     * {kind: url, url}
     */
    feedback: string | ContentBlockInput[];
    /** Metadata of the new job; by default that of the previous job */
    metadata?: {
        [name: string]: unknown;
    };
}
/** A long-running work record: one chat turn of an agent */
export interface Job {
    /** A job's id */
    id: string;
    /** The title */
    title: string;
    /** Current status; `GET /api/state-machines` has the transitions */
    status: JobStatus;
    /** What a blocked job waits for; null for other jobs */
    blocked_reason: BlockedReason | null;
    /** The agent that does the work */
    agent_id: string;
    /** The chat that it answers in */
    chat_id: string;
    /** The workspace of the job */
    workspace_id: string | null;
    /** The mission that the job belongs to */
    mission_id: string | null;
    /** The mission task that the job works on */
    mission_task_id: string | null;
    /** Parent of the job */
    parent_job_id: string | null;
    /** A job's id */
    root_job_id: string;
    /** How the job derives from its parent */
    relation: JobRelation;
    /** Number of feedback rounds before this job */
    iteration: number;
    /** Number of the current attempt, from 1 */
    attempt: number;
    /** Priority of the job while job slots are scarce */
    priority: Priority;
    /** The message that the job answers */
    input: string;
    /** The result, as text; null until there is one */
    result: string | null;
    /**
     * Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token limit
     * (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or `other`
     */
    stop_reason: StopReason | null;
    /** JSON Schema that the answer must match, from the message or the agent; null for none */
    output_schema: {
        [name: string]: unknown;
    } | null;
    /** Settings of its model calls: the message's, else the agent's; null for none */
    model_settings: ModelSettings | null;
    /** The answer as a value that matches `output_schema`, once the job is completed; null for none */
    output: {
        [name: string]: unknown;
    } | null;
    /** Citations in `result` */
    citations: Citation[];
    /** Why it failed; null if it did not */
    error: RunError | null;
    progress: JobProgress;
    /** What the running job waits for; null if it does not wait */
    waiting: JobWaiting | null;
    /** What the job had to leave out or do differently */
    warnings: JobWarning[];
    review: Review;
    /** Tool calls that wait for approval, or have waited */
    approvals: Approval[];
    /** Connections for which the job waits, or has waited */
    authorizations: Authorization[];
    /** Calls that wait for a result from the client; see `POST /api/jobs/{id}/tool-results` */
    requested_tool_calls: RequestedToolCall[];
    /** Artifacts of the job */
    artifacts: Artifact[];
    metrics: JobMetrics;
    budget: JobBudget;
    /** What runs the job; null before it has started */
    runner: JobRunner | null;
    /** Any JSON object, as the creator gave it */
    metadata: {
        [name: string]: unknown;
    };
    /** Number of the newest event */
    last_seq: number;
    /** The user that it acts for */
    created_by: string;
    /** ISO 8601 UTC with milliseconds */
    started_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    completed_at: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A tool call waits for a person's approval */
export interface JobApprovalRequestedEvent {
    /** Always "approval.requested" */
    event: "approval.requested";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "approval.requested" */
        type: "approval.requested";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the approval */
        approval_id: string;
        /** Name of the tool */
        tool_name: string;
        /** Id of the tool call, as the model gave it */
        tool_call_id: string;
        /** Arguments of the call */
        arguments: {
            [name: string]: unknown;
        };
        /** Human-readable message */
        message: string;
        /** ISO 8601 UTC with milliseconds */
        expires_at: string;
        /**
         * What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels the job,
         * `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
         */
        on_expiry: ApprovalExpiryAction;
        asked_by?: CallDecision;
        policy?: CallDeciders;
    };
}
/** An approval was decided, or has expired */
export interface JobApprovalResolvedEvent {
    /** Always "approval.resolved" */
    event: "approval.resolved";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "approval.resolved" */
        type: "approval.resolved";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the approval */
        approval_id: string;
        /** Id of the tool call, as the model gave it */
        tool_call_id: string;
        /** The decision; `expired` if nobody decided in time */
        decision: ApprovalDecision;
        /** User who did it; null if the service did */
        by: string | null;
        /** Arguments of the call */
        arguments?: {
            [name: string]: unknown;
        };
    };
}
/** One of several people has approved a call that waits, or others decide about it from now on */
export interface JobApprovalUpdatedEvent {
    /** Always "approval.updated" */
    event: "approval.updated";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "approval.updated" */
        type: "approval.updated";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the approval */
        approval_id: string;
        /** Id of the tool call, as the model gave it */
        tool_call_id: string;
        policy: CallDeciders;
        /** Who has approved so far */
        votes: {
            /** User who did it; null if the service did */
            by: string;
            /** ISO 8601 UTC with milliseconds */
            at: string;
            /** Comment on the decision */
            comment: string | null;
        }[];
        /** ISO 8601 UTC with milliseconds */
        expires_at: string;
        /**
         * What happens if nobody decides in time: `deny` refuses the call and the job continues, `cancel` cancels the job,
         * `keep` keeps the call waiting; `escalate` (only in rules) lets others decide
         */
        on_expiry: ApprovalExpiryAction;
    };
}
/** The review has approved the result */
export interface JobApprovedEvent {
    /** Always "job.approved" */
    event: "job.approved";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.approved" */
        type: "job.approved";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** User who decided; null if the time ran out */
        decided_by: string | null;
    };
}
/** A tool has written a file for the first time */
export interface JobArtifactCreatedEvent {
    /** Always "artifact.created" */
    event: "artifact.created";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "artifact.created" */
        type: "artifact.created";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the artifact: the same for all changes of one file by one job */
        id: string;
        /** Always "file" */
        kind: "file";
        /** Name */
        name: string;
        /** Path in the workspace, such as `reports/2026.md` */
        path: string;
        /** Media type of the content */
        mime: string;
        /** Size in bytes */
        size: number;
    };
}
/** The job is blocked; `reason` says what it waits for */
export interface JobBlockedEvent {
    /** Always "job.blocked" */
    event: "job.blocked";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.blocked" */
        type: "job.blocked";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** What the job waits for */
        reason: BlockedReason;
        /** For `tool_result_required`: the calls that wait for a result from the client */
        tool_calls?: ClientToolCall[];
        /** For `auth_required`: the connections that the job waits for */
        authorizations?: {
            /** Id of the connection */
            id: string;
            /** The MCP server or the tool that needs it */
            name: string;
            /** The address of the tool server */
            resource: string;
            /** Who can grant the connection: the person for whom the job acts, or an owner */
            owner: "person" | "organization";
            /** Scopes that are asked for; empty: those that the server names */
            scopes: string[];
            /** The page where the person grants or denies the connection */
            link: string;
        }[];
    };
}
/** What a job may use; null is the service's own limit */
export interface JobBudget {
    /** Maximum number of tokens, sent and received, of one job; null is no limit of its own */
    max_tokens: number | null;
    /** Maximum cost, in the `currency` of `GET /api/usage`; null for no limit */
    max_cost: string | null;
    /** Maximum number of model calls per job; null is the service's limit */
    max_steps: number | null;
    /** ISO 8601 UTC with milliseconds */
    deadline_at: string | null;
}
/** What a job may use; null is no limit of its own */
export interface JobBudgetInput {
    /** Maximum number of tokens, sent and received, of one job; null is no limit of its own */
    max_tokens?: number | null;
    /** Maximum cost as decimal text, in the `currency` of `GET /api/usage`; the model must have a price */
    max_cost?: string | null;
    /** Maximum number of model calls per job; null is the service's limit */
    max_steps?: number | null;
    /** Deadline of the run in ISO 8601, at most 24 hours after its start */
    deadline_at?: string | null;
}
/** The job was cancelled */
export interface JobCancelledEvent {
    /** Always "job.cancelled" */
    event: "job.cancelled";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.cancelled" */
        type: "job.cancelled";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Tool calls that were stopped before they had a result */
        tool_calls_aborted: number;
        usage: TokenCounts;
    };
}
/** The job is being cancelled */
export interface JobCancellingEvent {
    /** Always "job.cancelling" */
    event: "job.cancelling";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.cancelling" */
        type: "job.cancelling";
        /** ISO 8601 UTC with milliseconds */
        at: string;
    };
}
/** The job is completed */
export interface JobCompletedEvent {
    /** Always "job.completed" */
    event: "job.completed";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.completed" */
        type: "job.completed";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        usage: TokenCounts;
        /**
         * Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token limit
         * (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or `other`
         */
        stop_reason?: StopReason | null;
    };
}
/** The job exists, and waits for a runner */
export interface JobCreatedEvent {
    /** Always "job.created" */
    event: "job.created";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.created" */
        type: "job.created";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Id of the chat */
        chat_id: string;
        /** Id of the agent */
        agent_id: string;
        /** Title */
        title: string;
    };
}
/** A person has denied tool calls; the job continues without them */
export interface JobDeniedEvent {
    /** Always "job.denied" */
    event: "job.denied";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.denied" */
        type: "job.denied";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** User who decided; null if the time ran out */
        decided_by: string;
        /** Ids of the tool calls, as the model gave them */
        tool_call_ids: string[];
        /** Comment on the decision */
        comment: string | null;
    };
}
/** The job has failed */
export interface JobErrorEvent {
    /** Always "error" */
    event: "error";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "error" */
        type: "error";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Code of the error */
        code: RunErrorCode;
        /** Human-readable message */
        message: string;
    };
}
/** The job has failed */
export interface JobFailedEvent {
    /** Always "job.failed" */
    event: "job.failed";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.failed" */
        type: "job.failed";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        error: JobFailure;
        usage: TokenCounts;
        /**
         * Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token limit
         * (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or `other`
         */
        stop_reason?: StopReason | null;
    };
}
/** Why the job has failed */
export interface JobFailure {
    /** Code of the error */
    code: RunErrorCode;
    /** Human-readable message */
    message: string;
}
/** Conditions on jobs, combined with AND; at least one */
export interface JobFilterInput {
    /** Jobs with one of these statuses */
    status?: JobStatus[];
    /** Jobs of this agent */
    agent_id?: string;
    /** Jobs of this chat */
    chat_id?: string;
    /** Jobs in this workspace */
    workspace_id?: string;
    /** Jobs of this mission */
    mission_id?: string;
    /** Jobs that were created from this one */
    parent_job_id?: string;
    /** Jobs created after this time, in ISO 8601 */
    created_after?: string;
    /** Jobs whose metadata contains these fields; an empty object is no condition */
    metadata?: {
        [name: string]: unknown;
    };
}
/** The review wants changes; another job makes them */
export interface JobIterationRequestedEvent {
    /** Always "job.iteration_requested" */
    event: "job.iteration_requested";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.iteration_requested" */
        type: "job.iteration_requested";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** User who did it; null if the service did */
        by: string;
        /** What the next round should do differently */
        feedback: string;
        /** Content as blocks, in their order: text, files, tool calls and their results */
        blocks?: InputBlock[];
    };
}
/** All jobs that derive from one root, oldest first */
export interface JobLineage {
    /** A job's id */
    root_id: string;
    /** The jobs */
    nodes: JobNode[];
}
/** A page of jobs, newest first */
export interface JobList {
    /** The jobs of this page */
    jobs: Job[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** A line that a tool or the runner has logged about its work */
export interface JobLogEvent {
    /** Always "log" */
    event: "log";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "log" */
        type: "log";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Severity of the line */
        level: "info" | "warn";
        /** Human-readable message */
        message: string;
    };
}
/** What a job has used */
export interface JobMetrics {
    /** Tokens sent to models */
    input_tokens: number;
    /** Tokens received from models */
    output_tokens: number;
    /** Input tokens that the provider read from its cache; part of `input_tokens` */
    cached_input_tokens: number;
    /** Input tokens that the provider wrote to its cache; part of `input_tokens` */
    cache_write_tokens: number;
    /** Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a price */
    cost: string | null;
    /** Tokens of models without a price; they are not in `cost` */
    unpriced_tokens: number;
    /** Tokens of calls with the organization's own key */
    own_key_tokens: number;
    /** Tokens that are estimated because the provider did not report them; the other counts include them */
    estimated_tokens: number;
    /** Number of tool calls */
    tool_calls: number;
    /** Number of retried model calls */
    model_retries: number;
    /** Duration in milliseconds; null until it has ended */
    duration_ms: number | null;
    /** Milliseconds from the first model call to its first text; null if there was none */
    time_to_first_token_ms: number | null;
}
/** A job in a lineage */
export interface JobNode {
    /** A job's id */
    id: string;
    /** Parent of the job */
    parent_job_id: string | null;
    /** How the job derives from its parent */
    relation: JobRelation;
    /** Current status */
    status: JobStatus;
    /** The title */
    title: string;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
}
/** How work began */
export type JobOrigin = "api" | "v1" | "mcp" | "a2a" | "acp" | "ag-ui" | "ai-sdk" | "openai" | "mission" | "delegation";
/** The progress of a job, as its tools report it */
export interface JobProgress {
    /** Percentage done, from 0 to 100; null if unknown */
    percent: number | null;
    /** Current activity; null if unknown */
    label: string | null;
}
/** How a job derives from its parent */
export type JobRelation = "root" | "iteration" | "resume" | "delegation";
/** The job was resumed after a crash */
export interface JobRestartedEvent {
    /** Always "job.restarted" */
    event: "job.restarted";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.restarted" */
        type: "job.restarted";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Number of the attempt, from 1 */
        attempt: number;
    };
}
/** The blocked job runs again */
export interface JobResumedEvent {
    /** Always "job.resumed" */
    event: "job.resumed";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.resumed" */
        type: "job.resumed";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Number of the attempt, from 1 */
        attempt: number;
    };
}
/** The result of the job waits for a person's review */
export interface JobReviewRequestedEvent {
    /** Always "job.review_requested" */
    event: "job.review_requested";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.review_requested" */
        type: "job.review_requested";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** ISO 8601 UTC with milliseconds */
        expires_at: string;
    };
}
/** The review has a new state */
export interface JobReviewUpdatedEvent {
    /** Always "review.updated" */
    event: "review.updated";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "review.updated" */
        type: "review.updated";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** New state */
        state: ReviewState;
        /** User who decided; null if the time ran out */
        decided_by: string | null;
        /** Comment on the decision */
        comment: string | null;
    };
}
/** What runs a job; null before it has started */
export interface JobRunner {
    /** The provider of the model */
    kind: string;
    /** `provider:name` */
    model: string;
    /** ISO 8601 UTC with milliseconds */
    started_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    heartbeat_at: string | null;
}
/** The state of the job's runner: on every change, and as a heartbeat while nothing else happens */
export interface JobRunnerStatusEvent {
    /** Always "runner.status" */
    event: "runner.status";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "runner.status" */
        type: "runner.status";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** New state */
        state: "queued" | "starting" | "running" | "waiting" | "stopped";
        /** Number of the attempt, from 1 */
        attempt: number;
        /** ISO 8601 UTC with milliseconds */
        heartbeat_at: string | null;
        progress: JobProgress;
        /** Why the runner waits; absent if it does not */
        reason?: JobWaitReason;
        /** ISO 8601 UTC with milliseconds */
        retry_at?: string | null;
    };
}
/** The job as it is when the stream begins */
export interface JobSnapshotEvent {
    /** Always "snapshot" */
    event: "snapshot";
    data: Job;
    /** Absent: this event does not move the cursor */
    id?: undefined;
}
/** The job has begun to run */
export interface JobStartedEvent {
    /** Always "job.started" */
    event: "job.started";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "job.started" */
        type: "job.started";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Number of the attempt, from 1 */
        attempt: number;
        /** Model of this run, as `provider:name` */
        model: string;
    };
}
/** Status of a job */
export type JobStatus = "queued" | "running" | "blocked" | "needs_review" | "cancelling" | "completed" | "failed" | "cancelled";
/** An event of a job's stream */
export type JobStreamEvent = JobSnapshotEvent | JobCreatedEvent | JobStartedEvent | JobRestartedEvent | JobBlockedEvent | JobResumedEvent | JobReviewRequestedEvent | JobApprovedEvent | JobDeniedEvent | JobIterationRequestedEvent | JobCancellingEvent | JobCompletedEvent | JobFailedEvent | JobCancelledEvent | JobRunnerStatusEvent | JobTranscriptEvent | JobLogEvent | JobUsageUpdatedEvent | JobArtifactCreatedEvent | JobApprovalRequestedEvent | JobApprovalUpdatedEvent | JobApprovalResolvedEvent | JobReviewUpdatedEvent | JobErrorEvent | JobTranscriptDeltaEvent | StreamResetEvent | StreamClosingEvent | StreamEndEvent;
/** Live text; it is not stored */
export interface JobTranscriptDeltaEvent {
    /** Always "transcript.delta" */
    event: "transcript.delta";
    /** Cursor of this event */
    id: string;
    data: TextDelta;
}
/** A piece of the transcript */
export interface JobTranscriptEvent {
    /** Always "transcript.event" */
    event: "transcript.event";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: TranscriptAssistantText | TranscriptReasoning | TranscriptUserText | TranscriptToolUse | TranscriptRepair | TranscriptSummary | TranscriptSystem | TranscriptError | TranscriptToolResult;
}
/** Tokens that the job has used so far */
export interface JobUsageUpdatedEvent {
    /** Always "usage.updated" */
    event: "usage.updated";
    /** Cursor of this event */
    id: string;
    /** Data of the event */
    data: {
        /** Number in the stream, from 1, without gaps */
        seq: number;
        /** Always "usage.updated" */
        type: "usage.updated";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        /** Tokens sent to models */
        input_tokens: number;
        /** Tokens received from models */
        output_tokens: number;
        /** Input tokens that the provider read from its cache; part of `input_tokens` */
        cached_input_tokens?: number;
        /** Input tokens that the provider wrote to its cache; part of `input_tokens` */
        cache_write_tokens?: number;
        /** Exact cost of those that have a price, in the `currency` of `GET /api/models` */
        cost?: string;
    };
}
/** Why a running job waits */
export type JobWaitReason = "provider_rate_limited" | "provider_unavailable" | "tools_unavailable" | "memory_limit";
/** What a running job waits for before it continues on its own */
export interface JobWaiting {
    /** What the job waits for */
    reason: JobWaitReason;
    /** ISO 8601 UTC with milliseconds */
    retry_at: string | null;
    /** Retries of this call, including the next one */
    retries: number;
}
/** Something that a job had to leave out or do differently */
export interface JobWarning {
    /** Code of the warning */
    code: "tools_unavailable" | "model_fallback" | "model_without_tools" | "answer_cut" | "setting_ignored";
    /** In words */
    message: string;
    /** The field of the agent or the message that it is about */
    field?: string;
    /** ISO 8601 UTC with milliseconds */
    at: string;
}
/** What an organization uses of the process that has answered */
export interface Load {
    event_loop: EventLoopUse;
    streams: StreamUse;
}
/** A directory that now exists */
export interface MadeDirectory {
    /** The path, relative to the workspace */
    path: string;
    /** Whether it was created by this request */
    created: boolean;
}
/** An MCP server whose tools an agent can use */
export interface McpServer {
    /** Name of the MCP server; its tools are called `<name>__<tool>` */
    name: string;
    /** Address of the MCP server */
    url: string;
    /** HTTP headers for the MCP server */
    headers?: McpServerHeader[];
    auth?: ToolServerAuth;
    /** Whether runs continue without the server's tools while it is unavailable; `false` by default */
    optional?: boolean;
}
/** A header for the MCP server: a prefix and a secret */
export interface McpServerHeader {
    /** Name of the header */
    name: string;
    /** Name of the organization's secret that is the header's value */
    secret: string;
    /** Text before the secret in the header's value, such as `Bearer ` */
    prefix?: string;
}
/** A header for the MCP server: a prefix and a secret */
export interface McpServerHeaderInput {
    /** Name of the header */
    name: string;
    /** Name of the organization's secret that is the header's value */
    secret: string;
    /** Text before the secret in the header's value, such as `Bearer ` */
    prefix?: string;
}
/** An MCP server whose tools an agent can use */
export interface McpServerInput {
    /** Name of the MCP server; its tools are called `<name>__<tool>` */
    name: string;
    /** Address of the MCP server */
    url: string;
    /** HTTP headers for the MCP server */
    headers?: McpServerHeaderInput[];
    auth?: ToolServerAuthInput;
    /** Whether runs continue without the server's tools while it is unavailable; `false` by default */
    optional?: boolean;
}
/** Result of listing the tools of an MCP server */
export interface McpServerTools {
    /** The name of the server */
    name: string;
    /** `listed`: its tools are in the list; `unavailable`: it could not be used, `message` says why */
    status: "listed" | "unavailable";
    /** Number of its tools in the list */
    tools: number;
    /** Number of its tools that were left out: beyond 256, or with too large a schema */
    left_out: number;
    /** Why it cannot be used */
    message: string | null;
    /** ISO 8601 UTC with milliseconds */
    asked_at: string;
}
/** A group of MCP tools */
export type McpToolset = "agents" | "chats" | "jobs" | "missions" | "files" | "chat";
/** A person in the organization */
export interface Member {
    /** The user's id: the same in every organization */
    id: string;
    /** The person's name */
    name: string;
    /** The person's e-mail address */
    email: string;
    /** `owner` administers the organization, `member` works in it */
    role: Role;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A page of members, newest first */
export interface MemberList {
    /** The members of this page */
    members: Member[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** A message in a chat */
export interface Message {
    /** The message's id */
    id: string;
    /** Chat of the message */
    chat_id: string;
    /** The organization that owns it */
    organization_id: string;
    /** Author of the message: a person, the agent, the system or a tool */
    role: MessageRole;
    /** State of the message's text */
    status: "queued" | "streaming" | "completed" | "cancelled" | "failed";
    /** Concatenated text blocks; `position` in streams is an offset into it */
    content: string;
    /** All blocks of the message, in order */
    blocks: Array<Block | Attachment>;
    /** A job's id */
    job_id: string | null;
    /** Tokens of the model calls behind the message; null until it is complete */
    usage: TokenUsage | null;
    /**
     * Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token limit
     * (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or `other`
     */
    stop_reason: StopReason | null;
    /** Whether it stays in the model's context when the conversation is compacted */
    pinned: boolean;
    /** For a summary: how many messages it replaces in model calls */
    summary_of: number | null;
    sender: MessageSender;
    /** Metadata from the sender */
    metadata: {
        [name: string]: unknown;
    };
    /** Position in the conversation: the seq of the event that created it */
    seq: number;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** ISO 8601 UTC with milliseconds */
    completed_at: string | null;
}
/** A page of messages in conversation order; the newest page comes first */
export interface MessagePage {
    /** The chat */
    chat_id: string;
    /** The title */
    title: string;
    /** What the chat needs: `working` has an active job, `needs_attention` waits for a person */
    status: ChatStatus;
    /** The messages of this page */
    messages: Message[];
    work: ChatWork;
    /** Cursor of the next page, with older messages; absent on the last page */
    next_cursor?: string;
}
/** Role of the author of a message */
export type MessageRole = "user" | "assistant" | "system" | "tool";
/** Who has sent a message */
export interface MessageSender {
    /** Kind of sender */
    type: "user" | "agent";
    /** A user's or an agent's id */
    id: string;
}
/** Destination of an organization's events */
export interface MessagingIntegration {
    /** Kind of destination */
    provider: "webhook";
    /** Name */
    name: string;
    /** URL of the destination; members who are not owners see only its scheme and the redacted host */
    url: string;
    /** Whether events are delivered */
    enabled: boolean;
    /** Event types that are delivered; an empty list means all */
    event_types: string[];
    /**
     * How long a failed delivery is retried: `standard` for 7 seconds (after 1, 2 and 4 s), `durable` for three more
     * days. Choose `durable` unless the receiver must not get old events: `standard` gives up before a deployment of the
     * receiver usually ends
     */
    retry_profile: RetryProfile;
    /** Whether there is a signing secret */
    secret_set: boolean;
    /** The last four characters of the signing secret */
    secret_last4: string;
    /** ISO 8601 UTC with milliseconds */
    former_secret_until: string | null;
    /** Why the service has disabled the destination; null if it has not */
    disabled_reason: "gone" | "failing" | null;
    /** ISO 8601 UTC with milliseconds */
    last_success_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    last_failure_at: string | null;
    /**
     * Deliveries that were given up and not redelivered since, with the range of event numbers to redeliver; null if
     * there are none
     */
    undelivered: UndeliveredEvents | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A destination and its new secret */
export interface MessagingIntegrationWithSecret {
    /** Kind of destination */
    provider: "webhook";
    /** Name */
    name: string;
    /** URL of the destination; members who are not owners see only its scheme and the redacted host */
    url: string;
    /** Whether events are delivered */
    enabled: boolean;
    /** Event types that are delivered; an empty list means all */
    event_types: string[];
    /**
     * How long a failed delivery is retried: `standard` for 7 seconds (after 1, 2 and 4 s), `durable` for three more
     * days. Choose `durable` unless the receiver must not get old events: `standard` gives up before a deployment of the
     * receiver usually ends
     */
    retry_profile: RetryProfile;
    /** Whether there is a signing secret */
    secret_set: boolean;
    /** The last four characters of the signing secret */
    secret_last4: string;
    /** ISO 8601 UTC with milliseconds */
    former_secret_until: string | null;
    /** Why the service has disabled the destination; null if it has not */
    disabled_reason: "gone" | "failing" | null;
    /** ISO 8601 UTC with milliseconds */
    last_success_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    last_failure_at: string | null;
    /**
     * Deliveries that were given up and not redelivered since, with the range of event numbers to redeliver; null if
     * there are none
     */
    undelivered: UndeliveredEvents | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    /** The signing secret, if this request has created it; never shown again */
    secret?: string;
}
/** A place where approvals reach people */
export interface Messenger {
    /** The messenger's id */
    id: string;
    /** Its name */
    name: string;
    /** The format of its messages */
    format: MessengerFormat;
    /** The host of its address, redacted */
    destination_host: string;
    /** Who added it */
    created_by: string;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    last_success_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    last_failure_at: string | null;
}
/** The shape of the messages of a messenger */
export type MessengerFormat = "slack" | "teams" | "ntfy";
/** All messengers, oldest first */
export interface MessengerList {
    /** At most eight */
    messengers: Messenger[];
}
/** Recurring work for an agent, started by hand or by a schedule */
export interface Mission {
    /** The mission's id */
    id: string;
    /** Title */
    title: string;
    /** What each run is for */
    goal: string;
    /** The agent that does the work */
    agent_id: string;
    /** The workspace that it works in */
    workspace_id: string;
    /** Who may see it. `private`: its creator; `organization`: every member */
    visibility: MissionVisibility;
    /** Priority of its jobs while job slots are scarce */
    priority: Priority;
    /** Current status; `GET /api/state-machines` has the transitions */
    status: MissionStatus;
    /** Reason for the pause, as given */
    paused_reason: string | null;
    /** Why it failed; null if it did not */
    failed_reason: MissionFailedReason | null;
    schedule: MissionSchedule;
    /** Whether a person reviews the result before the job is completed; `false` by default */
    review_required: boolean;
    budget: MissionBudget;
    /** Metadata of its jobs */
    metadata: {
        [name: string]: unknown;
    };
    /** Model settings of its runs; null for none. Each replaces the agent's setting of that name */
    model_settings: ModelSettings | null;
    /** Failures since the last success */
    consecutive_failures: number;
    /** The mission's tasks, in their order */
    tasks: MissionTask[];
    /** The newest run; null before the first */
    last_run: MissionLastRun | null;
    /** The user that its runs act for */
    created_by: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** What each run may use; null is the service's own limit */
export interface MissionBudget {
    /** Maximum number of tokens, sent and received, of one job; null is no limit of its own */
    max_tokens: number | null;
    /** Maximum cost, in the `currency` of `GET /api/usage`; null for no limit */
    max_cost: string | null;
    /** Maximum number of model calls per job; null is the service's limit */
    max_steps: number | null;
}
/** What each run may use; null is no limit of its own */
export interface MissionBudgetInput {
    /** Maximum number of tokens, sent and received, of one job; null is no limit of its own */
    max_tokens?: number | null;
    /** Maximum cost as decimal text, in the `currency` of `GET /api/usage`; the model must have a price */
    max_cost?: string | null;
    /** Maximum number of model calls per job; null is the service's limit */
    max_steps?: number | null;
}
/** Why a mission has failed */
export type MissionFailedReason = "consecutive_failures" | "run_failed" | "agent_unavailable" | "workspace_deleted" | "creator_removed";
/** When a mission will run */
export interface MissionForecast {
    /** The mission's id */
    mission_id: string;
    /** The zone of the local times */
    timezone: string;
    /** The times, soonest first */
    times: MissionForecastTime[];
}
/** A time of a schedule */
export interface MissionForecastTime {
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** The time in the time zone of the schedule */
    local_time: string;
    /** How a clock change shifts, skips or repeats the time; null if it does not */
    note: ClockChangeNote | null;
}
/** The newest run of a mission */
export interface MissionLastRun {
    /** The run's id */
    id: string;
    /** Number of the run; null until its job has started */
    run_number: number | null;
    /** What started the run */
    trigger: MissionRunTrigger;
    /** Outcome of the run: `started` is still open, `skipped_…` and `missed` did not run */
    outcome: MissionRunOutcome;
    /** ISO 8601 UTC with milliseconds */
    scheduled_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    fired_at: string;
    /** ISO 8601 UTC with milliseconds */
    ended_at: string | null;
    /** Job of the run */
    job_id: string | null;
    /** Chat of the run */
    chat_id: string | null;
    /** Why it failed; null if it did not */
    error: MissionRunError | null;
}
/** A page of missions, newest first */
export interface MissionList {
    /** The missions of this page */
    missions: Mission[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** What happens when a run is due while another one is open */
export type MissionOverlap = "skip" | "buffer_one" | "cancel_other" | "allow_all";
/** An entry of a mission's ledger */
export interface MissionRun {
    /** The entry's id */
    id: string;
    /** The mission's id */
    mission_id: string;
    /** Number of the run; null if nothing ran */
    run_number: number | null;
    /** What started the run */
    trigger: MissionRunTrigger;
    /** Outcome of the run: `started` is still open, `skipped_…` and `missed` did not run */
    outcome: MissionRunOutcome;
    /** ISO 8601 UTC with milliseconds */
    scheduled_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    fired_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    ended_at: string | null;
    /** Number of scheduled times that the entry covers */
    count: number;
    /** Last scheduled time that the entry covers */
    until: string | null;
    /** Job of the run */
    job_id: string | null;
    /** Chat of the run */
    chat_id: string | null;
    /** Beginning of its result */
    result: string | null;
    /** Why it failed; null if it did not */
    error: MissionRunError | null;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
}
/** Why a run failed */
export interface MissionRunError {
    /** What went wrong */
    code: string;
    /** In words */
    message: string;
}
/** A page of runs, newest first */
export interface MissionRunList {
    /** Entries of the ledger, newest first */
    runs: MissionRun[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** Outcome of a run */
export type MissionRunOutcome = "started" | "succeeded" | "failed" | "cancelled" | "skipped_overlap" | "skipped_paused" | "skipped_budget" | "missed";
/** A manual run */
export interface MissionRunStarted {
    mission: Mission;
    /** The run; null if none was started */
    run: MissionRun | null;
    /** The job; null if none was started */
    job: Job | null;
}
/** What started a run */
export type MissionRunTrigger = "schedule" | "manual" | "catchup" | "continuous";
/** When a mission runs */
export interface MissionSchedule {
    /** Kind of schedule */
    type: ScheduleType;
    /** Cron expression, time or pause, depending on `type` */
    value: string | null;
    /** An IANA time zone */
    timezone: string;
    /** The schedule in words */
    description: string;
    /** ISO 8601 UTC with milliseconds */
    start_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    end_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    next_run_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    last_run_at: string | null;
    /** The next scheduled times, at most five */
    upcoming_runs_at: string[];
    /** Number of runs so far */
    run_count: number;
    /** Number of runs after which the mission is completed; null for no limit */
    max_runs: number | null;
    /** What happens when a run is due while an earlier one is open */
    overlap: MissionOverlap;
    /** How many seconds late a run may start */
    catchup_window_seconds: number;
    /** Maximum random delay of a run, in seconds */
    jitter_seconds: number;
}
/** When a mission runs; by default only when it is started by hand */
export interface MissionScheduleInput {
    /** Kind of schedule */
    type?: ScheduleType;
    /**
     * `cron`: five fields or `@daily` and similar. `once`: a time in ISO 8601, local time of `timezone` without an
     * offset. `continuous`: the pause between runs as a duration, such as `PT5M`
     */
    value?: string | null;
    /** An IANA time zone; `UTC` by default */
    timezone?: string;
    /** A time in ISO 8601, or null */
    start_at?: string | null;
    /** A time in ISO 8601, or null */
    end_at?: string | null;
    /** Number of runs after which the mission is completed; null for no limit */
    max_runs?: number | null;
    /** What happens when a run is due while an earlier one is open; `skip` by default */
    overlap?: MissionOverlap;
    /** How many seconds late a run may start; 60 by default */
    catchup_window_seconds?: number;
    /** Maximum random delay of a run, in seconds; 0 by default */
    jitter_seconds?: number;
}
/** Status of a mission */
export type MissionStatus = "pending" | "running" | "paused" | "completed" | "failed";
/** A task of a mission */
export interface MissionTask {
    /** The task's id */
    id: string;
    /** The mission's id */
    mission_id: string;
    /** Title of the task */
    title: string;
    /** What is to be done; null if not given */
    description: string | null;
    /** Current status */
    status: TaskStatus;
    /** How urgent it is */
    priority: Priority;
    /** Id of an agent or a user, as it was sent */
    assigned_to: string | null;
    /** Position in the mission's list, from 0 */
    position: number;
    /** Ids of the tasks that must be completed or cancelled first */
    depends_on: string[];
    /** The newest job that works on it */
    job_id: string | null;
    /** The user who created it */
    created_by: string;
    /** ISO 8601 UTC with milliseconds */
    completed_at: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** The job that works on a task */
export interface MissionTaskStarted {
    job: Job;
    task: MissionTask;
}
/** Who may see a mission */
export type MissionVisibility = "private" | "organization";
/** A model that the operator allows */
export interface Model {
    /** `provider:name`, as agents and chats name it */
    id: string;
    /** The provider */
    provider: string;
    /** Its name there */
    name: string;
    /** Whether it is the default model */
    default: boolean;
    /** Whether it is the built-in demo provider, which is not a language model */
    demo: boolean;
    /** Whether only organizations with a key of their own for its provider can use it */
    needs_own_key: boolean;
    /** What the model can read in messages: text, images, PDF documents (`file`). Every model reads text files */
    input: Array<"text" | "image" | "file">;
    /**
     * Whether the model has a price today; the demo costs nothing. Tokens of a model without a price are not in `cost`,
     * and the model cannot be used with a cost limit
     */
    priced: boolean;
    limits: ModelLimits;
}
/** How hard a model works, from the least */
export type ModelEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
/** What one call and one job of the model may use */
export interface ModelLimits {
    /** Context window in tokens, including the answer; longer conversations are compacted */
    context_tokens: number;
    /** Maximum number of model calls per job, unless its budget or its agent sets a limit */
    max_steps: number;
    /** Maximum duration of a job in seconds, unless its budget sets a deadline */
    max_run_seconds: number;
}
/** All models that are allowed */
export interface ModelList {
    /** The allowed models */
    models: Model[];
    /** Currency of all costs, by ISO 4217; null if the operator has set no prices */
    currency: string | null;
}
/** Settings of the model; an absent one is the provider's default */
export interface ModelSettings {
    /** How hard the model works on an answer; each provider has some of the levels */
    effort?: ModelEffort | null;
    /** Maximum number of tokens of one answer, including the model's reasoning */
    max_output_tokens?: number | null;
    /** Randomness of the answer; Anthropic: at most 1 */
    temperature?: number | null;
    /** Share of the likeliest tokens to choose from */
    top_p?: number | null;
    /** Texts that end the answer before they appear in it */
    stop?: string[] | null;
    /** The provider's name of a service tier */
    service_tier?: string | null;
    /** Whether and how long the model thinks before it answers */
    thinking?: ModelThinking | null;
    /** Further fields of the request to the provider, sent as given */
    provider_options?: {
        [name: string]: unknown;
    } | null;
}
/** Settings of the model; an absent one is the provider's default */
export interface ModelSettingsInput {
    /** How hard the model works on an answer; each provider has some of the levels */
    effort?: ModelEffort | null;
    /** Maximum number of tokens of one answer, including the model's reasoning */
    max_output_tokens?: number | null;
    /** Randomness of the answer; Anthropic: at most 1 */
    temperature?: number | null;
    /** Share of the likeliest tokens to choose from */
    top_p?: number | null;
    /** Texts that end the answer before they appear in it */
    stop?: string[] | null;
    /** The provider's name of a service tier */
    service_tier?: string | null;
    /** Whether and how long the model thinks before it answers */
    thinking?: ModelThinkingInput | null;
    /** Further fields of the request to the provider, sent as given */
    provider_options?: {
        [name: string]: unknown;
    } | null;
}
/** Whether and how long the model thinks before it answers */
export interface ModelThinking {
    /** `adaptive`: the model decides; `enabled` needs a budget */
    type: ModelThinkingType;
    /** Maximum number of tokens of thought; only with `enabled` */
    budget_tokens?: number;
}
/** Whether and how long the model thinks before it answers */
export interface ModelThinkingInput {
    /** Kind of the entry */
    type: ModelThinkingType;
    /** Maximum number of tokens of thought; only with `enabled` */
    budget_tokens?: number;
}
/** How a model thinks before it answers */
export type ModelThinkingType = "enabled" | "adaptive" | "disabled";
export interface MoveFileRequest {
    /** Path of the file or directory */
    from: string;
    /** New path */
    to: string;
    /** Whether a file at the new path is replaced; `false` by default. Default false */
    overwrite?: boolean;
}
/** A record by its id and its name */
export interface NamedRecord {
    /** The record's id */
    id: string;
    /** The record's name */
    name: string;
}
/** A new invitation; its link is never shown again */
export interface NewInvitation {
    /** The invitation's id */
    id: string;
    /** The invited address; anybody with the link can accept it */
    email: string;
    /** `owner` administers the organization, `member` works in it */
    role: Role;
    /** Current status */
    status: InvitationStatus;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    /** The link: pass it on */
    url: string;
}
/** A new share; its URL is never shown again */
export interface NewShare {
    /** The share's id */
    id: string;
    /** The path, relative to the workspace */
    path: string;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string | null;
    /** Maximum number of downloads; null for no limit */
    max_downloads: number | null;
    /** Number of downloads */
    downloads: number;
    /** Whether a download needs a password */
    has_password: boolean;
    /** The user who created it */
    created_by: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    /** URL of the download; no token is needed */
    url: string;
    /** Last part of the URL */
    token: string;
}
/** A new credential; the token itself is never shown again */
export interface NewToken {
    /** The token's id */
    id: string;
    /** For a person (`personal`) or for a program (`service`) */
    kind: TokenKind;
    /** What the token is for */
    name: string;
    /** Current status */
    status: TokenStatus;
    /** What the token allows */
    scopes: Scope[];
    /** Last characters of the token, to recognize it by */
    last_characters: string;
    /** User that the token acts as */
    user_id: string;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string;
    /** ISO 8601 UTC with milliseconds */
    last_used_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    revoked_at: string | null;
    /** Token that created this one, and whose end also ends it; null if the operator created it */
    created_with: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    /** The bearer token: store it */
    token: string;
}
/** The service as a client of other authorization servers */
export interface OAuthClientDocument {
    /** Address of this document, which is the client's id */
    client_id: string;
    /** Its name for people */
    client_name: string;
    /** Address of the service */
    client_uri: string;
    /** Where people come back */
    redirect_uris: string[];
    /** Grant types that it uses */
    grant_types: string[];
    /** Response types that it uses */
    response_types: string[];
    /** `none`: it proves itself by PKCE */
    token_endpoint_auth_method: string;
}
/** Access that you have granted to a program */
export interface OauthGrant {
    /** The grant's id */
    id: string;
    /** Client id of the program, or the URL of its metadata */
    client_id: string;
    /** Name of the program, as it registered itself */
    client_name: string;
    /** `offered` until the program has taken its first token */
    status: "offered" | "active" | "expired" | "ended";
    /** What the token allows */
    scopes: Scope[];
    /** Resource that its tokens are for */
    resource: string;
    /** The user that the program acts as */
    user_id: string;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A page of oauth grants, newest first */
export interface OauthGrantList {
    /** The oauth grants of this page */
    oauth_grants: OauthGrant[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** An error in an answer */
export interface OutputError {
    /** Its place in the answer, as a JSON pointer */
    path: string;
    /** In words */
    message: string;
}
/** A page of personal access tokens, newest first */
export interface PersonalAccessTokenList {
    /** The personal access tokens of this page */
    personal_access_tokens: Token[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** A piece of a message: text, reasoning, a call of a tool, or its result */
export type PlainBlock = PlainTextBlock | ReasoningBlock | ToolUseBlock | PlainToolResultBlock;
/** A piece of text */
export interface PlainTextBlock {
    /** Always "text" */
    type: "text";
    /** The text */
    text: string;
}
/** The result of a tool call, as text */
export interface PlainToolResultBlock {
    /** Always "tool_result" */
    type: "tool_result";
    /** Id of the tool call that this is the result of */
    tool_use_id: string;
    /** Result of the tool call, as text */
    content: string;
    /** Whether the tool has failed */
    is_error: boolean;
}
export interface PreviewFileRequest {
    /** Path in the workspace, such as `reports/2026.md` */
    path: string;
}
/** A picture of at most 1,024 pixels: the image, or the first page of a PDF */
export interface PreviewImage {
    /** A `data:` URL with the picture as WebP */
    url: string;
    /** Width in pixels */
    width: number;
    /** Height in pixels */
    height: number;
}
/** The first rows of a table, at most 100 */
export interface PreviewTable {
    /** Columns of the result, in their order */
    columns: DataColumn[];
    /** Values in the order of the columns */
    rows: unknown[][];
    /** Whether there are more rows */
    truncated: boolean;
}
/** From the lowest to the highest */
export type Priority = "low" | "medium" | "high" | "urgent";
/** How providers are asked to cache the calls of an agent */
export type PromptCache = "auto" | "off" | "5m" | "1h";
/** Which servers issue tokens for a resource */
export interface ProtectedResource {
    /** Resource that the tokens are for */
    resource: string;
    /** Servers that issue the tokens */
    authorization_servers: string[];
    /** Scopes that can be requested */
    scopes_supported: string[];
    /** How a token is sent */
    bearer_methods_supported: string[];
    /** Its name for people */
    resource_name: string;
    /** Documentation for people */
    resource_documentation: string;
}
/** The secret whose value is used for calls to this provider, instead of the operator's key */
export interface ProviderKey {
    /** A provider of models: the part before the colon in the names of its models, as `GET /api/models` shows them */
    provider: string;
    /** The name of the secret with the key */
    secret: string;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
}
/** All keys, by provider */
export interface ProviderKeyList {
    /** One entry per provider */
    provider_keys: ProviderKey[];
}
export interface PutGroupRequest {
    /** User ids of members of the organization */
    members: string[];
}
export interface PutMessagingIntegrationRequest {
    /** Kind of destination */
    provider?: "webhook";
    /** Name of the destination, for people */
    name?: string;
    /** Address that deliveries are sent to; `https` unless the operator allows more */
    url: string;
    /** Whether events are delivered */
    enabled?: boolean;
    /**
     * Exact types or `family.*`; an empty list means all. `!<source>` excludes events of that source, such as
     * `!api_mutation`
     */
    event_types?: string[];
    /**
     * How long a failed delivery is retried: `standard` for 7 seconds (after 1, 2 and 4 s), `durable` for three more
     * days. Choose `durable` unless the receiver must not get old events: `standard` gives up before a deployment of the
     * receiver usually ends
     */
    retry_profile?: RetryProfile;
}
export interface PutProviderKeyRequest {
    /** The name of the secret with the key */
    secret: string;
}
export interface PutSecretRequest {
    /** The secret's value; it is never shown again */
    value: string;
}
export interface QueryDataRequest {
    /** One SELECT. Its tables are files, named by their paths, or the tables of `database` */
    query: string;
    /** Values of the parameters: a list for `?` and `$1`, an object for `$name` */
    params?: Array<string | number | boolean | null> | {
        [name: string]: string | number | boolean | null;
    };
    /** The path of an SQLite file. Without it the query names CSV, JSON and Parquet files */
    database?: string;
    /** Format of the response: `json` has rows as lists, `csv` and `arrow` are files. Default "json" */
    format?: "json" | "csv" | "arrow";
    /** Maximum number of rows. Default 1000 */
    limit?: number;
}
/** Result of a query */
export interface QueryResult {
    /** Columns of the result, in their order */
    columns: DataColumn[];
    /**
     * Values in the order of the columns. Numbers that JSON cannot hold exactly are text, times are ISO 8601, bytes are
     * Base64
     */
    rows: unknown[][];
    /** Number of rows in this response */
    row_count: number;
    /** Whether there are more rows than `limit`, or than 8 MiB */
    truncated: boolean;
    /** Duration in milliseconds */
    duration_ms: number;
}
/** A quota of the organization, and its usage */
export interface Quota {
    /** What the quota limits */
    quota: "agents" | "chats" | "tasks" | "missions" | "tokens" | "secrets" | "workspaces" | "files" | "file_bytes" | "stored_rows" | "stored_bytes";
    /** Null for no limit */
    limit: number | null;
    /** Current usage; slightly too high at most, during many concurrent changes */
    used: number;
}
/** The current rate limits */
export interface RateLimitPolicy {
    /** The limit of most requests */
    default: {
        /** Requests per window of one identity */
        limit: number;
        /** Length of the window in seconds */
        window_seconds: number;
        /** Requests that may arrive at once */
        burst: number;
        /** Always "fixed-window" */
        algorithm: "fixed-window";
    };
    /** The identity that a request is counted for: the first of these that it has */
    identity_order: string[];
    /** Headers of every response of the current surface */
    headers: DocumentedHeader[];
    /** The limit of requests without a valid token */
    public_endpoints: {
        /** Whether requests are counted */
        counted: boolean;
        /** Requests per window from one address without a valid token */
        limit: number;
        /** What requests without a valid token are counted by */
        identity: string;
    };
    /** What applies to v1 */
    v1: {
        /** Whether requests to v1 are counted */
        counted: boolean;
        /**
         * If requests to v1 are not counted: requests per window of one organization, beyond which the service protects
         * itself with 429 and `Retry-After`
         */
        protective_limit: number | null;
    };
    /** Status of a request beyond the limit; it has `Retry-After` */
    status: 429;
    /** How to get higher limits */
    higher_limits: string;
}
/** The model's reasoning, if its provider shows it */
export interface ReasoningBlock {
    /** Always "reasoning" */
    type: "reasoning";
    /** The text */
    text: string;
}
/** A durable event of a stream */
export interface RecordedEvent {
    /** Number of the event in the stream */
    seq: number;
    /** Type of the event */
    type: string;
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** The event's data; the stream's own events define the fields of each type */
    data: {
        [name: string]: unknown;
    };
}
export interface RedeliverEventsRequest {
    /** Number of the first event */
    since_sequence: number;
    /** Number of the last event */
    until_sequence: number;
    /**
     * Exact types or `family.*`; an empty list means all. `!<source>` excludes events of that source, such as
     * `!api_mutation`
     */
    event_types?: string[];
}
/** The range of events that is sent again */
export interface Redelivery {
    /** Number of the first event */
    since_sequence: number;
    /** Number of the last event */
    until_sequence: number;
    /** Event types that are sent again; an empty list means all */
    event_types: string[];
}
/** The events that will be sent again */
export interface RedeliveryAccepted {
    redelivery: Redelivery;
}
/** A person who is no longer a member */
export interface RemovedMember {
    /** The user's id: the same in every organization */
    id: string;
    /** The person's name */
    name: string;
    /** The person's e-mail address */
    email: string;
    /** `owner` administers the organization, `member` works in it */
    role: Role;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    /** Always true */
    deleted: true;
}
/** A repository whose files are in a workspace */
export interface Repository {
    /** The mount's id */
    id: string;
    /** Provider by its host: `github`, `gitlab`, `bitbucket` or `git` */
    provider: string;
    /** URL that it is cloned from */
    url: string;
    /** Branch; null is the repository's default branch */
    branch: string | null;
    /** Its directory in the workspace */
    path: string;
    /** Whether agents may only read the files or also write them */
    mode: "read" | "write";
    /** Name of the secret with the credentials */
    secret: string | null;
    /** Current status */
    status: "pending" | "cloning" | "ready" | "error";
    /** Commit that its files are from */
    commit: string | null;
    /** Why the last clone failed */
    error: string | null;
    /** The job of the last clone */
    job_id: string | null;
    /** ISO 8601 UTC with milliseconds */
    synced_at: string | null;
    /** Who added it */
    created_by: string;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
}
/** All repositories of a workspace */
export interface RepositoryList {
    /** Git repositories that are mounted in the workspace */
    repos: Repository[];
}
/** A call of a tool that the client runs; the client sends the result */
export interface RequestedToolCall {
    /** The call */
    id: string;
    /** The tool */
    name: string;
    /** The arguments; they match the tool's `input_schema` */
    arguments: {
        [name: string]: unknown;
    };
    /** ISO 8601 UTC with milliseconds */
    expires_at: string;
}
export interface ResumeJobRequest {
    /**
     * Answer to what the job waits for, or instructions for the next job: text, or blocks; a source is {kind: upload,
     * file_id}, {kind: workspace, workspace_id, path} or {kind: url, url}
     */
    input?: string | ContentBlockInput[];
    /** Whether the interrupted tool call is made again; needed to resume an `interrupted` job */
    retry_step?: boolean;
    /** New limits of the job; an omitted limit stays unchanged */
    budget?: JobBudgetInput;
    /** Metadata of the new job; by default that of the previous job */
    metadata?: {
        [name: string]: unknown;
    };
}
/** How long a failed delivery is retried */
export type RetryProfile = "standard" | "durable";
/** The review of a job's result by a person */
export interface Review {
    /** State of the review */
    state: ReviewState;
    /** Whether the job needs a review before it is completed */
    required: boolean;
    /** ISO 8601 UTC with milliseconds */
    requested_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string | null;
    /** The user who decided */
    decided_by: string | null;
    /** ISO 8601 UTC with milliseconds */
    decided_at: string | null;
    /** Comment on the decision */
    comment: string | null;
}
/** State of a review */
export type ReviewState = "none" | "pending" | "approved" | "changes_requested" | "expired";
/** How many sessions have ended */
export interface RevokedSessions {
    /** Sessions that were active and have ended now */
    revoked: number;
}
/** Role of a person in an organization */
export type Role = "owner" | "member";
export interface RotateSigningSecretRequest {
    /** Seconds for which the former signing secret stays valid */
    grace_seconds?: number;
}
/** A destination whose secret was replaced */
export interface RotatedMessagingIntegration {
    /** Kind of destination */
    provider: "webhook";
    /** Name */
    name: string;
    /** URL of the destination; members who are not owners see only its scheme and the redacted host */
    url: string;
    /** Whether events are delivered */
    enabled: boolean;
    /** Event types that are delivered; an empty list means all */
    event_types: string[];
    /**
     * How long a failed delivery is retried: `standard` for 7 seconds (after 1, 2 and 4 s), `durable` for three more
     * days. Choose `durable` unless the receiver must not get old events: `standard` gives up before a deployment of the
     * receiver usually ends
     */
    retry_profile: RetryProfile;
    /** Whether there is a signing secret */
    secret_set: boolean;
    /** The last four characters of the signing secret */
    secret_last4: string;
    /** ISO 8601 UTC with milliseconds */
    former_secret_until: string | null;
    /** Why the service has disabled the destination; null if it has not */
    disabled_reason: "gone" | "failing" | null;
    /** ISO 8601 UTC with milliseconds */
    last_success_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    last_failure_at: string | null;
    /**
     * Deliveries that were given up and not redelivered since, with the range of event numbers to redeliver; null if
     * there are none
     */
    undelivered: UndeliveredEvents | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    /** The new signing secret; never shown again */
    secret: string;
}
/** What an approval rule does with a call */
export type RuleOutcome = "allow" | "ask" | "deny";
/** What rules would have decided */
export interface RuleTrial {
    /** The newest calls first */
    calls: TriedCall[];
    /** Number of calls that a rule, or a doubt about a rule, would have decided */
    touched: number;
}
/** Why a job has failed */
export interface RunError {
    /** Code of the error */
    code: RunErrorCode;
    /** In words */
    message: string;
    /** With the code `output_invalid`: what is wrong with the last answer. Otherwise empty */
    errors: OutputError[];
}
/** Why a run has failed */
export type RunErrorCode = "provider_unreachable" | "provider_unauthorized" | "provider_key_rejected" | "provider_rate_limited" | "provider_error" | "provider_stalled" | "provider_rejected" | "context_length_exceeded" | "model_unavailable" | "step_limit" | "timeout" | "attempts_exhausted" | "tools_unavailable" | "authorization_required" | "clone_failed" | "output_invalid" | "no_answer" | "internal_error";
/** When a mission with this schedule would run */
export interface ScheduleForecast {
    /** The schedule in words */
    description: string;
    /** The zone of the local times */
    timezone: string;
    /** The times, soonest first */
    times: MissionForecastTime[];
}
/** Kind of schedule */
export type ScheduleType = "none" | "once" | "cron" | "continuous";
/** Scope of a token */
export type Scope = "agents:read" | "agents:write" | "chats:read" | "chats:write" | "jobs:read" | "jobs:write" | "missions:read" | "missions:write" | "workspaces:read" | "workspaces:write" | "webhooks:read" | "webhooks:write" | "tokens:read" | "tokens:write" | "tasks:read" | "tasks:write" | "events:read" | "mcp" | "secrets:use" | "*";
/** What to type */
export interface SdkCommand {
    /** What it does */
    title: string;
    /** Programming language */
    language: SdkLanguage;
    /** Shell command */
    command: string;
}
/** A program beside the SDK's file */
export interface SdkExample {
    /** What it does */
    title: string;
    /** Programming language */
    language: SdkLanguage;
    /** File name to save it as */
    file: string;
    /** Source of the program */
    code: string;
}
/** How to get and use the SDKs; commands and examples are tested */
export interface SdkExamples {
    /** Environment variables of the commands and the examples */
    environment: {
        /** Name of the variable */
        name: string;
        /** Value to set */
        value: string;
    }[];
    /** What to type */
    commands: SdkCommand[];
    /** Example programs */
    examples: SdkExample[];
}
/** Language of an SDK */
export type SdkLanguage = "typescript" | "javascript" | "python";
/** The SDKs that the service serves, each one file */
export interface SdkManifest {
    /** Version of the contract that they were generated from */
    api_version: string;
    /** The SDKs */
    packages: SdkPackage[];
}
/** An SDK */
export interface SdkPackage {
    /** The title */
    name: string;
    /** Programming language */
    language: SdkLanguage;
    /** The version of the service that it came with */
    version: string;
    /** File name to save it as */
    file: string;
    /** URL of the file */
    url: string;
    /** SHA-256 of its bytes, in hex */
    sha256: string;
    /** Size in bytes */
    bytes: number;
    /** What it needs */
    requires: string;
    /** Files beside the SDK */
    parts?: SdkPart[];
    types?: SdkTypes;
}
/** A file beside the SDK, for programs that use another package */
export interface SdkPart {
    /** File name to save it as */
    file: string;
    /** URL of the file */
    url: string;
    /** SHA-256 of its bytes, in hex */
    sha256: string;
    /** Size in bytes */
    bytes: number;
    /** Packages that your program installs, with their versions */
    peers: {
        [name: string]: string;
    };
}
/** Type declarations of an SDK in a language without types, for editors and compilers */
export interface SdkTypes {
    /** File name to save it as, beside the SDK */
    file: string;
    /** URL of the file */
    url: string;
    /** SHA-256 of its bytes, in hex */
    sha256: string;
    /** Size in bytes */
    bytes: number;
}
/** A write-only value that agents refer to by its name */
export interface Secret {
    /** The name of the secret: 1 to 64 letters, digits, `_`, `-` and `.` */
    name: string;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
}
/** All secrets, by name */
export interface SecretList {
    /** The secrets, sorted by name */
    secrets: Secret[];
}
export interface SendMessageRequest {
    /**
     * Message to the agent: text, or blocks; a source is {kind: upload, file_id}, {kind: workspace, workspace_id, path}
     * or {kind: url, url}
     */
    content: string | ContentBlockInput[];
    /**
     * What a message does while a job of the chat is active: wait (`queue`), join the running job (`steer`), replace it
     * (`interrupt`) or be refused (`reject`)
     */
    on_busy?: BusyPolicy;
    /** Any JSON object; it is returned unchanged */
    metadata?: {
        [name: string]: unknown;
    };
    /** Priority of the job that answers */
    priority?: Priority;
    /** Whether a person reviews the result before the job is completed; `false` by default */
    review_required?: boolean;
    budget?: JobBudgetInput;
    /** JSON Schema of an object, at most 16 KiB, that answers must match; null: answers are text */
    output_schema?: {
        [name: string]: unknown;
    } | null;
    /**
     * Settings of the model for this message. Each replaces the agent's setting of the same name; null stands for the
     * provider's default
     */
    model_settings?: ModelSettingsInput | null;
}
export interface SendToolResultsRequest {
    /** One result for each call */
    results: ToolResultInput[];
}
/** A message that is stored, and the job that answers it */
export interface SentMessage {
    message: Message;
    job: Job;
    chat: Chat;
    /** Position in the queue of chat turns; 0 is the running one */
    queued_position: number;
}
/** A page of service tokens, newest first */
export interface ServiceTokenList {
    /** The service tokens of this page */
    service_tokens: Token[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** What is deployed */
export interface ServiceVersion {
    /** The version of the service */
    version: string;
    /** A version of the contract, by date */
    api_version: string;
    /** What a request may send in `Api-Version` */
    supported_versions: string[];
    /** The commit that it was built from; null if unknown */
    commit: string | null;
    /** When it was built; null if it runs from source */
    built_at: string | null;
    /** What jobs run with */
    runner: DefaultRunner;
}
/** A browser in which you have signed in */
export interface Session {
    /** Id of the session, as in the audit log */
    id: string;
    /** Browser and operating system, as the browser reports them */
    name: string;
    /** Current status */
    status: TokenStatus;
    /** Whether this is the session of this request */
    is_current: boolean;
    /** Remote address of its last recorded use */
    last_address: string | null;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string;
    /** ISO 8601 UTC with milliseconds */
    last_used_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    revoked_at: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A page of sessions, newest first */
export interface SessionList {
    /** The sessions of this page */
    sessions: Session[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
export interface SetAgentInstallStateRequest {
    /** Whether the organization has installed the library agent */
    install_state?: "installed" | "uninstalled";
    /** What to do with the library agent; instead of `install_state` */
    action?: "install" | "uninstall" | "restore";
}
export interface SetApprovalMailsRequest {
    /** Whether approvals reach the caller by mail */
    enabled: boolean;
}
/** A file that anyone with the URL can download */
export interface Share {
    /** The share's id */
    id: string;
    /** The path, relative to the workspace */
    path: string;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string | null;
    /** Maximum number of downloads; null for no limit */
    max_downloads: number | null;
    /** Number of downloads */
    downloads: number;
    /** Whether a download needs a password */
    has_password: boolean;
    /** The user who created it */
    created_by: string;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
export interface ShareFileRequest {
    /** Path in the workspace, such as `reports/2026.md` */
    path: string;
    /** Seconds until the share expires */
    expires_in_seconds?: number;
    /** Maximum number of downloads; null for no limit */
    max_downloads?: number | null;
    /** Password that a download needs */
    password?: string;
}
/** A page of shares, newest first */
export interface ShareList {
    /** The shares of this page */
    shares: Share[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** Whether a signature verifies, and if not, exactly why */
export interface SignatureVerification {
    /** Whether the signature verifies */
    valid: boolean;
    /** What is wrong with the signature; `valid` if nothing is */
    reason: "valid" | "missing_signature" | "malformed_signature" | "timestamp_out_of_tolerance" | "wrong_secret_encoding" | "body_changed" | "signature_mismatch";
    /** Human-readable message */
    message: string;
}
/** The job that writes a summary of the conversation */
export interface StartedCompaction {
    chat: Chat;
    job: Job;
}
/** The states of a record, and the transitions between them */
export interface StateMachine {
    /** The record that moves through these states */
    name: string;
    /** All states */
    states: string[];
    /** A state */
    initial: string;
    /** Final states */
    terminal: string[];
    /** What can cause a transition */
    triggers: string[];
    /** Triggers that callers can use */
    actions: string[];
    /** All transitions */
    transitions: Transition[];
}
/** All state machines */
export interface StateMachineList {
    /** The state machines */
    machines: StateMachine[];
}
/** Why a model stopped */
export type StopReason = "stop" | "tool_use" | "length" | "content_filter" | "refusal" | "other";
/** The service closes the connection; connect again with the cursor */
export interface StreamClosingEvent {
    /** Always "stream.closing" */
    event: "stream.closing";
    /** Data of the event */
    data: {
        /** Why the service closes the connection */
        reason: "deploy" | "unavailable" | "revoked" | "slow_consumer" | "expired" | "moved";
        /** The cursor to resume from */
        resume_after: string | null;
    };
    /** Absent: this event does not move the cursor */
    id?: undefined;
}
/** The stream has ended; no event will follow */
export interface StreamEndEvent {
    /** Always "stream.end" */
    event: "stream.end";
    /** Data of the event */
    data: {};
    /** Absent: this event does not move the cursor */
    id?: undefined;
}
/** The cursor cannot be used: drop what you have, and apply the events that follow */
export interface StreamResetEvent {
    /** Always "reset" */
    event: "reset";
    /** Data of the event */
    data: {
        /** Why the cursor cannot be used */
        reason: "malformed" | "ahead_of_head" | "not_retained";
        /** The replay begins with this event */
        from_seq: number;
    };
    /** Absent: this event does not move the cursor */
    id?: undefined;
}
/** Open streams of events */
export interface StreamUse {
    /** Streams that are open */
    open: number;
    /** Streams that the organization may have open in this process; null for no limit */
    limit: number | null;
    /** Streams whose reader accepts nothing although events wait */
    behind: number;
    /** For how long the slowest reader has accepted nothing, in ms */
    longest_stall_ms: number;
}
/** A work item */
export interface Task {
    /** The task's id */
    id: string;
    /** The title */
    title: string;
    /** Description */
    description: string | null;
    /** Current status */
    status: TaskStatus;
    /** How urgent it is */
    priority: Priority;
    /** Id of an agent or a user, as it was sent */
    assigned_to: string | null;
    /** Workspace of the task, as it was sent */
    workspace_id: string | null;
    /** The user or agent who created it */
    created_by: string;
    /** ISO 8601 UTC with milliseconds */
    completed_at: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A page of tasks, newest first */
export interface TaskList {
    /** The tasks of this page */
    tasks: Task[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** Status of a task */
export type TaskStatus = "pending" | "in_progress" | "completed" | "cancelled";
/** Text of the model, with its citations */
export interface TextBlock {
    /** Always "text" */
    type: "text";
    /** The text */
    text: string;
    /** Citations in the text */
    citations?: Citation[];
}
/** Text that was added to a message */
export interface TextDelta {
    /** The message that it belongs to */
    message_id: string;
    /** Where the text ends in the message's content, in UTF-16 units */
    position: number;
    /** The added text */
    text: string;
}
/** A credential, without its secret */
export interface Token {
    /** The token's id */
    id: string;
    /** For a person (`personal`) or for a program (`service`) */
    kind: TokenKind;
    /** What the token is for */
    name: string;
    /** Current status */
    status: TokenStatus;
    /** What the token allows */
    scopes: Scope[];
    /** Last characters of the token, to recognize it by */
    last_characters: string;
    /** User that the token acts as */
    user_id: string;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string;
    /** ISO 8601 UTC with milliseconds */
    last_used_at: string | null;
    /** ISO 8601 UTC with milliseconds */
    revoked_at: string | null;
    /** Token that created this one, and whose end also ends it; null if the operator created it */
    created_with: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** Tokens that model calls have used */
export interface TokenCounts {
    /** Tokens sent to models */
    input_tokens: number;
    /** Tokens received from models */
    output_tokens: number;
    /** Input tokens that the provider read from its cache; part of `input_tokens` */
    cached_input_tokens?: number;
    /** Input tokens that the provider wrote to its cache; part of `input_tokens` */
    cache_write_tokens?: number;
    /** Exact cost of those that have a price, in the `currency` of `GET /api/models` */
    cost?: string;
}
/** Kind of token */
export type TokenKind = "personal" | "service";
/** Status of a token or a session */
export type TokenStatus = "active" | "expired" | "revoked";
/** Tokens that model calls have used */
export interface TokenUsage {
    /** Tokens sent to models */
    input_tokens: number;
    /** Tokens received from models */
    output_tokens: number;
    /** Input tokens that the provider read from its cache; part of `input_tokens` */
    cached_input_tokens: number;
    /** Input tokens that the provider wrote to its cache; part of `input_tokens` */
    cache_write_tokens: number;
    /** Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a price */
    cost: string | null;
    /** Tokens of models without a price; they are not in `cost` */
    unpriced_tokens: number;
    /** Tokens of calls with the organization's own key */
    own_key_tokens: number;
    /** Tokens that are estimated because the provider did not report them; the other counts include them */
    estimated_tokens: number;
}
/** A tool that agents can call */
export interface Tool {
    /** Name, as used in `allowed_tools` and `approval_tools` */
    name: string;
    /** What it does; models read this */
    description: string;
    /** JSON Schema of its arguments */
    input_schema: {
        [name: string]: unknown;
    };
    /**
     * `always`: every agent has it, unless its `allowed_tools` was set to an empty list; `granted`: agents whose
     * `allowed_tools` name it; `missions`: every agent, in the jobs of missions; `agent`: only the requested agent
     */
    availability: "always" | "granted" | "missions" | "agent";
    /** Whether it is read-only */
    read_only: boolean;
}
/** Where an argument of a tool goes in its request */
export interface ToolArgument {
    /** Property of `input_schema` */
    name: string;
    /** Where the argument goes in the request; with `body` it is the whole body */
    place: ToolArgumentPlace;
    /** Name in the request; by default the name of the argument */
    as?: string;
}
/** Where an argument of a tool goes in its request */
export interface ToolArgumentInput {
    /** Property of `input_schema` */
    name: string;
    /** Where the argument goes in the request; with `body` it is the whole body */
    place: ToolArgumentPlace;
    /** Name in the request; by default the name of the argument */
    as?: string;
}
/** Where an argument goes in a request */
export type ToolArgumentPlace = "path" | "query" | "header" | "body";
/** Access of an HTTP tool, by OAuth or by the agent's identity */
export interface ToolAuth {
    /** `oauth`: as an OAuth client; `identity`: a signed token says which agent acts for whom */
    type: "oauth" | "identity";
    /**
     * For `oauth`. `person`: each person's jobs use that person's own connection; `organization`: all jobs use one
     * connection, which an owner makes
     */
    owner?: "person" | "organization";
    /** For `oauth`: scopes to ask for; omitted: those that the server asks for */
    scopes?: string[];
    client?: AuthClient;
    /**
     * For `identity`: audience of the token; default: the server's address. Only an owner with the scope `secrets:use`
     * may name another audience
     */
    audience?: string;
    /** For `oauth`: the address that access is asked for, of the same origin as `url`; by default that origin */
    resource?: string;
}
/** Access of an HTTP tool, by OAuth or by the agent's identity */
export interface ToolAuthInput {
    /** `oauth`: as an OAuth client; `identity`: a signed token says which agent acts for whom */
    type: "oauth" | "identity";
    /**
     * For `oauth`. `person`: each person's jobs use that person's own connection; `organization`: all jobs use one
     * connection, which an owner makes
     */
    owner?: "person" | "organization";
    /** For `oauth`: scopes to ask for; omitted: those that the server asks for */
    scopes?: string[];
    client?: AuthClientInput;
    /**
     * For `identity`: audience of the token; default: the server's address. Only an owner with the scope `secrets:use`
     * may name another audience
     */
    audience?: string;
    /** For `oauth`: the address that access is asked for, of the same origin as `url`; by default that origin */
    resource?: string;
}
/** A header of a tool's requests: a prefix and a secret, or a fixed value */
export interface ToolHeader {
    /** Name of the header */
    name: string;
    /** Name of the organization's secret that is the header's value */
    secret?: string;
    /** Text before the secret in the header's value, such as `Bearer ` */
    prefix?: string;
    /** A fixed value, instead of a secret; credentials are always secrets */
    value?: string;
}
/** A header of a tool's requests: a prefix and a secret, or a fixed value */
export interface ToolHeaderInput {
    /** Name of the header */
    name: string;
    /** Name of the organization's secret that is the header's value */
    secret?: string;
    /** Text before the secret in the header's value, such as `Bearer ` */
    prefix?: string;
    /** A fixed value, instead of a secret; credentials are always secrets */
    value?: string;
}
/** Tools made from an OpenAPI document */
export interface ToolImport {
    /** Agent that has the tools */
    agent_id: string;
    /** Whether this was a dry run, which stores nothing */
    dry_run: boolean;
    /** Title of the document */
    title: string;
    /** The operations of the document, in its order, at most 300 */
    operations: ImportableOperation[];
    /** How many operations the document has */
    operations_total: number;
    /** The tools of the operations that were chosen */
    tools: AgentTool[];
    /** Features of the operations that the tools lack */
    notes: ToolImportNote[];
    /** Version of the agent */
    version: number;
}
/** A feature of an operation that its tool lacks */
export interface ToolImportNote {
    /** Id of the operation */
    operation_id: string;
    /** What the tool leaves out */
    message: string;
}
/** All tools of the service */
export interface ToolList {
    /** Sorted by name */
    tools: Tool[];
    /** MCP servers of the agent, and whether their tools could be listed */
    mcp_servers: McpServerTools[];
}
/** The result of a tool call */
export interface ToolResultBlock {
    /** Always "tool_result" */
    type: "tool_result";
    /** Id of the tool call that this is the result of */
    tool_use_id: string;
    /** Result of the tool call, as text */
    content: string;
    /** Whether the tool has failed */
    is_error: boolean;
    /** Images and files beside the text, for models that can read them */
    attachments?: Attachment[];
}
/** The result of a tool call that the client has run */
export interface ToolResultInput {
    /** Id of the tool call, as the model gave it */
    tool_call_id: string;
    /** Result of the tool, at most 64 KiB */
    content?: string;
    /** Error message for the model, instead of `content` */
    error?: string;
}
/** How often a request is retried after a transient failure */
export interface ToolRetry {
    /** Number of retries; 2 by default */
    times: number;
    /** Milliseconds before the first retry, doubled for each further one; 500 by default */
    pause_ms: number;
}
/** How often a request is retried after a transient failure */
export interface ToolRetryInput {
    /** Number of retries; 2 by default */
    times?: number;
    /** Milliseconds before the first retry, doubled for each further one; 500 by default */
    pause_ms?: number;
}
/** Access to a tool server, by OAuth or by the agent's identity */
export interface ToolServerAuth {
    /** `oauth`: as an OAuth client; `identity`: a signed token says which agent acts for whom */
    type: "oauth" | "identity";
    /**
     * For `oauth`. `person`: each person's jobs use that person's own connection; `organization`: all jobs use one
     * connection, which an owner makes
     */
    owner?: "person" | "organization";
    /** For `oauth`: scopes to ask for; omitted: those that the server asks for */
    scopes?: string[];
    client?: AuthClient;
    /**
     * For `identity`: audience of the token; default: the server's address. Only an owner with the scope `secrets:use`
     * may name another audience
     */
    audience?: string;
}
/** Access to a tool server, by OAuth or by the agent's identity */
export interface ToolServerAuthInput {
    /** `oauth`: as an OAuth client; `identity`: a signed token says which agent acts for whom */
    type: "oauth" | "identity";
    /**
     * For `oauth`. `person`: each person's jobs use that person's own connection; `organization`: all jobs use one
     * connection, which an owner makes
     */
    owner?: "person" | "organization";
    /** For `oauth`: scopes to ask for; omitted: those that the server asks for */
    scopes?: string[];
    client?: AuthClientInput;
    /**
     * For `identity`: audience of the token; default: the server's address. Only an owner with the scope `secrets:use`
     * may name another audience
     */
    audience?: string;
}
/** A call of a tool */
export interface ToolUseBlock {
    /** Always "tool_use" */
    type: "tool_use";
    /** Id of the tool call */
    id: string;
    /** Name of the tool */
    name: string;
    /** Input of the tool call */
    input: {
        [name: string]: unknown;
    };
}
/** Text of the model */
export interface TranscriptAssistantText {
    /** Number in the stream, from 1, without gaps */
    seq: number;
    /** Always "transcript.event" */
    type: "transcript.event";
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Always "assistant_text" */
    kind: "assistant_text";
    /** The text */
    text: string;
    /** Citations in the text */
    citations?: Citation[];
    /**
     * Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token limit
     * (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or `other`
     */
    stop_reason?: StopReason;
}
/** What the run continued without, or why a call failed; not content */
export interface TranscriptError {
    /** Number in the stream, from 1, without gaps */
    seq: number;
    /** Always "transcript.event" */
    type: "transcript.event";
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Always "error" */
    kind: "error";
    /** The text */
    text: string;
}
/** Reasoning of the model */
export interface TranscriptReasoning {
    /** Number in the stream, from 1, without gaps */
    seq: number;
    /** Always "transcript.event" */
    type: "transcript.event";
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Always "reasoning" */
    kind: "reasoning";
    /** The text */
    text: string;
    /**
     * Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token limit
     * (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or `other`
     */
    stop_reason?: StopReason;
}
/** The service's request to the model to repair an answer that does not fit its schema */
export interface TranscriptRepair {
    /** Number in the stream, from 1, without gaps */
    seq: number;
    /** Always "transcript.event" */
    type: "transcript.event";
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Always "repair" */
    kind: "repair";
    /** The text */
    text: string;
}
/** A summary that replaces everything before it in model calls */
export interface TranscriptSummary {
    /** Number in the stream, from 1, without gaps */
    seq: number;
    /** Always "transcript.event" */
    type: "transcript.event";
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Always "summary" */
    kind: "summary";
    /** The text */
    text: string;
    /** Number of parts of the run that the summary replaces; 0 if it replaces only earlier chat turns */
    covers: number;
}
/** What the service did about the run, such as waiting; not content */
export interface TranscriptSystem {
    /** Number in the stream, from 1, without gaps */
    seq: number;
    /** Always "transcript.event" */
    type: "transcript.event";
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Always "system" */
    kind: "system";
    /** The text */
    text: string;
}
/** The result of a tool call */
export interface TranscriptToolResult {
    /** Number in the stream, from 1, without gaps */
    seq: number;
    /** Always "transcript.event" */
    type: "transcript.event";
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Always "tool_result" */
    kind: "tool_result";
    /** Id of the tool call that this is the result of */
    tool_use_id: string;
    /** Result of the tool call, as text */
    content: string;
    /** Whether the tool has failed */
    is_error: boolean;
    /** Images and files beside the text */
    attachments?: Attachment[];
}
/** A call of a tool */
export interface TranscriptToolUse {
    /** Number in the stream, from 1, without gaps */
    seq: number;
    /** Always "transcript.event" */
    type: "transcript.event";
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Always "tool_use" */
    kind: "tool_use";
    /** Id of the tool call */
    id: string;
    /** Name of the tool */
    name: string;
    /** Input of the tool call */
    input: {
        [name: string]: unknown;
    };
    decision?: CallDecision;
    /**
     * Why the model stopped in its latest step: on its own (`stop`), to call tools (`tool_use`), at a token limit
     * (`length`), by a filter of its provider (`content_filter`), because it declined (`refusal`), or `other`
     */
    stop_reason?: StopReason;
}
/** A message of the user, or feedback */
export interface TranscriptUserText {
    /** Number in the stream, from 1, without gaps */
    seq: number;
    /** Always "transcript.event" */
    type: "transcript.event";
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** Always "user_text" */
    kind: "user_text";
    /** The text */
    text: string;
    /** Id of the message */
    message_id?: string;
    /** Content as blocks, in their order: text, files, tool calls and their results */
    blocks?: InputBlock[];
}
/** An allowed transition */
export interface Transition {
    /** A state */
    from: string;
    /** A trigger */
    trigger: string;
    /** A state */
    to: string;
}
/** A call of the agent, and what the rules would have decided about it */
export interface TriedCall {
    /** The job that made it */
    job_id: string;
    /** The call */
    tool_call_id: string;
    /** The tool */
    tool_name: string;
    /** ISO 8601 UTC with milliseconds */
    at: string;
    /** What decided then; null without rules */
    was: CallDecision | null;
    decision: CallDecision;
    /** Why the call would not have been made; null otherwise */
    refusal: string | null;
}
export interface TryApprovalRulesRequest {
    /** Rules about tool calls: the first that matches decides; without one, `approval_tools` does */
    approval_rules?: ApprovalRuleInput[];
}
/** Deliveries that were given up, and the range of their events */
export interface UndeliveredEvents {
    /** The deliveries of this page */
    deliveries: number;
    /** Number of the first event */
    since_sequence: number;
    /** Number of the last event */
    until_sequence: number;
}
/** An upload in parts that is not finished */
export interface UnfinishedUpload {
    /** The upload's id */
    id: string;
    /** The workspace of the file */
    workspace_id: string;
    /** The path of the file */
    path: string;
    /** SHA-256 of the whole content, in hex */
    sha256: string;
    /** Bytes of the whole content */
    size: number;
    /** Bytes received so far, and so the offset of the next part */
    offset: number;
    /** User who started it; null for uploads of an earlier release */
    created_by: string | null;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    expires_at: string;
}
/** Unfinished uploads, newest first */
export interface UnfinishedUploadList {
    /** The uploads, newest first */
    uploads: UnfinishedUpload[];
}
export interface UpdateAgentRequest {
    /** Display name */
    name?: string;
    /** Instructions at the start of every model call of the agent */
    system_prompt?: string;
    /**
     * Who may see it. `private`: its creator; `organization`: every member; `public`: every caller; `unlisted`: every
     * caller who knows the id
     */
    visibility?: Visibility;
    /** The agent's role in a few words, such as `Editor` */
    role?: string;
    /** What the agent is for; null clears it */
    description?: string | null;
    /** Model as `provider:name`; null is the service's default */
    model?: string | null;
    /**
     * Tools that the agent may call in addition to the read-only ones. null: only the read-only ones; empty list: none of
     * the service's tools
     */
    allowed_tools?: string[] | null;
    /** Tools whose calls wait for a person's approval; `<server>__*` stands for all tools of an MCP server */
    approval_tools?: string[];
    /** Rules about tool calls: the first that matches decides; without one, `approval_tools` does */
    approval_rules?: ApprovalRuleInput[];
    approval_expiry?: ApprovalExpiryInput;
    approval_reach?: ApprovalReachInput;
    /** MCP servers whose tools the agent can use */
    mcp_servers?: McpServerInput[];
    /** Maximum number of model calls per job; null is the service's limit */
    max_steps?: number | null;
    /** The agent's own tools: run by your program (`client`), or as HTTP requests by the service (`http`) */
    tools?: AgentToolInput[];
    /** JSON Schema of an object, at most 16 KiB, that answers must match; null: answers are text */
    output_schema?: {
        [name: string]: unknown;
    } | null;
    /**
     * Whether providers are asked to cache the beginning of its calls: `auto` chooses the lifetime, `5m` and `1h` set it,
     * `off` asks for nothing
     */
    cache?: PromptCache;
    /** Settings of the model; null or absent: the defaults of its provider */
    model_settings?: ModelSettingsInput | null;
    /** Labels to find the agent by */
    tags?: string[];
}
/** Settings of a chat */
export interface UpdateChatOptionsRequest {
    /** Model that answers in this chat, as `provider:name`; null is the agent's own */
    model?: string | null;
    /**
     * What a message does while a job of the chat is active: wait (`queue`), join the running job (`steer`), replace it
     * (`interrupt`) or be refused (`reject`)
     */
    on_busy?: BusyPolicy;
    /** Tools that the agent may use in this chat; null is all that the agent has */
    tools?: string[] | null;
    /** Whether calls that need approval are approved without a person */
    auto_approve?: boolean;
    /** Title */
    title?: string;
    /** Whether the chat is pinned in lists */
    pinned?: boolean;
}
export interface UpdateChatRequest {
    /** Title */
    title?: string;
    /** Whether the chat is pinned in lists */
    pinned?: boolean;
    /** Any JSON object; it is returned unchanged */
    metadata?: {
        [name: string]: unknown;
    };
}
export interface UpdateMemberRequest {
    /** `owner` administers the organization, `member` works in it */
    role: Role;
}
export interface UpdateMessageRequest {
    /** Whether the message stays in the model's context when the chat is compacted */
    pinned: boolean;
}
export interface UpdateMissionRequest {
    /** Title */
    title?: string;
    /** What each run should achieve; it is the first message of each run's chat */
    goal?: string;
    /** Id of the agent */
    agent_id?: string;
    /** Id of the workspace */
    workspace_id?: string;
    /** Who may see it. `private`: its creator; `organization`: every member */
    visibility?: MissionVisibility;
    /** Priority of its jobs while job slots are scarce */
    priority?: Priority;
    schedule?: MissionScheduleInput;
    /** Whether a person reviews the result before the job is completed; `false` by default */
    review_required?: boolean;
    /** Limits of each run, replaced as a whole */
    budget?: MissionBudgetInput;
    /** Metadata of its jobs; at most 16 KiB as JSON */
    metadata?: {
        [name: string]: unknown;
    };
    /**
     * Replaces the mission's settings as a whole; null removes them. Each setting replaces the agent's setting of the
     * same name in the mission's runs
     */
    model_settings?: ModelSettingsInput | null;
    /** `paused` pauses it, `pending` resumes it, `running` runs it now */
    status?: MissionStatus;
    /** Reason for the pause, as given */
    paused_reason?: string | null;
}
export interface UpdateMissionTaskRequest {
    /** Title */
    title?: string;
    /** What is to be done; null if not given */
    description?: string | null;
    /** How urgent it is */
    priority?: Priority;
    /** Id of the agent or user that the task is assigned to; null if unassigned */
    assigned_to?: string | null;
    /** Ids of the tasks that must be completed or cancelled first */
    depends_on?: string[];
    /** New status */
    status?: TaskStatus;
    /** Place among the mission's tasks, from 0 */
    position?: number;
}
export interface UpdateTaskRequest {
    /** Title */
    title?: string;
    /** Description */
    description?: string | null;
    /** New status */
    status?: TaskStatus;
    /** How urgent it is */
    priority?: Priority;
    /** Id of the agent or user that the task is assigned to; null if unassigned */
    assigned_to?: string | null;
    /** Id of the workspace that the task belongs to; null for none */
    workspace_id?: string | null;
}
export interface UpdateWorkspaceRequest {
    /** Name */
    name?: string;
    /** Description */
    description?: string | null;
    /** Instructions that agents get in this workspace; null for none */
    instructions?: string | null;
}
/** A file that messages can refer to by `file_id` */
export interface UploadedFile {
    /** The file's id */
    id: string;
    /** Name from the sender */
    name: string;
    /** Media type, detected from the first bytes */
    media_type: string;
    /** Size in bytes */
    size: number;
    /** SHA-256 of the content, in hex */
    sha256: string;
    /** Person who uploaded it; nobody else can see it */
    created_by: string;
    /** When it will be removed; null once a message refers to it */
    expires_at: string | null;
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A page of files, newest first */
export interface UploadedFileList {
    /** The files of this page */
    files: UploadedFile[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** The organization's budget for this month, and its usage */
export interface UsageBudget {
    /** Null for no limit */
    monthly_tokens: number | null;
    /** Tokens used */
    used_tokens: number;
    /** Maximum cost, in the `currency` of `GET /api/usage`; null for no limit */
    monthly_cost: string | null;
    /** Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a price */
    used_cost: string | null;
    /** Tokens of models without a price; they are not in `cost` */
    unpriced_tokens: number;
    /** ISO 8601 UTC with milliseconds */
    resets_at: string;
}
/** What usage is grouped by */
export type UsageGrouping = "agent" | "model" | "day";
/** What an organization has used */
export interface UsageReport {
    /** What the rows are grouped by */
    group_by: UsageGrouping;
    /** Currency of all costs, by ISO 4217; null if the operator has set no prices */
    currency: string | null;
    /** A day in UTC */
    since: string;
    /** A day in UTC */
    until: string;
    /** One row for each agent, model or day */
    usage: UsageRow[];
    totals: UsageTotals;
    /** Whether rows were left out; the totals include them */
    truncated: boolean;
    budget: UsageBudget;
    /** All quotas; a change beyond a quota is refused with `quota_exceeded` */
    quotas: Quota[];
}
/** Usage of one agent, model or day; only the field that the report is grouped by is present */
export interface UsageRow {
    /** The agent; null is the sum of other people's private agents, unless you are an owner */
    agent_id?: string | null;
    /** The model */
    model?: string;
    /** A day in UTC */
    day?: string;
    /** Tokens sent to models */
    input_tokens: number;
    /** Tokens received from models */
    output_tokens: number;
    /** Input tokens that the provider read from its cache; part of `input_tokens` */
    cached_input_tokens: number;
    /** Input tokens that the provider wrote to its cache; part of `input_tokens` */
    cache_write_tokens: number;
    /** Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a price */
    cost: string | null;
    /** Tokens of models without a price; they are not in `cost` */
    unpriced_tokens: number;
    /** Tokens of calls with the organization's own key */
    own_key_tokens: number;
    /** Tokens that are estimated because the provider did not report them; the other counts include them */
    estimated_tokens: number;
    /** Jobs that used them */
    jobs: number;
    /** Number of tool calls */
    tool_calls: number;
    /** Average time from a call of a model to the first token of its answer; null if none was measured */
    time_to_first_token_ms: number | null;
}
/** Usage of all rows together */
export interface UsageTotals {
    /** Tokens sent to models */
    input_tokens: number;
    /** Tokens received from models */
    output_tokens: number;
    /** Input tokens that the provider read from its cache; part of `input_tokens` */
    cached_input_tokens: number;
    /** Input tokens that the provider wrote to its cache; part of `input_tokens` */
    cache_write_tokens: number;
    /** Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a price */
    cost: string | null;
    /** Tokens of models without a price; they are not in `cost` */
    unpriced_tokens: number;
    /** Tokens of calls with the organization's own key */
    own_key_tokens: number;
    /** Tokens that are estimated because the provider did not report them; the other counts include them */
    estimated_tokens: number;
    /** Jobs that used them */
    jobs: number;
    /** Number of tool calls */
    tool_calls: number;
    /** Average time from a call of a model to the first token of its answer; null if none was measured */
    time_to_first_token_ms: number | null;
}
/** An AI assistant with a name, a role and system instructions */
export interface V1Agent {
    /** The agent's id */
    id: string;
    /** Display name */
    name: string;
    /** The agent's role in a few words */
    role: string;
    /** System instructions; absent for readers of other organizations */
    systemPrompt?: string;
    /**
     * Who may see it. `private`: its creator; `organization`: every member; `public`: every caller; `unlisted`: every
     * caller who knows the id
     */
    visibility: Visibility;
    /** The organization that owns it */
    organizationId: string;
    /** The user who created it */
    userId: string;
    /** ISO 8601 UTC with milliseconds */
    createdAt: string;
    /** ISO 8601 UTC with milliseconds */
    updatedAt: string;
    /** Present if the agent is deleted */
    archived?: true;
}
/** An agent */
export interface V1AgentAnswer {
    /** Always true */
    success: true;
    agent: V1Agent;
}
/** The organization's agents, newest first */
export interface V1AgentList {
    /** Always true */
    success: true;
    /** The agents of this page */
    agents: V1Agent[];
    /** Total number, including those that are not listed */
    total: number;
}
export interface V1CreateAgentRequest {
    /** Display name */
    name: string;
    /** System instructions */
    systemPrompt: string;
    /** The agent's role in a few words. Default "Assistant" */
    role?: string;
    /**
     * Who may see it. `private`: its creator; `organization`: every member; `public`: every caller; `unlisted`: every
     * caller who knows the id. Default "organization"
     */
    visibility?: Visibility;
}
export interface V1CreateTaskRequest {
    /** Title */
    title: string;
    /** Description */
    description?: string;
    /** How urgent it is. Default "medium" */
    priority?: Priority;
    /** An agent's or a user's id; null or absent: unassigned */
    assignTo?: string | null;
    /** Alias of `assignTo`, which takes precedence */
    assignedTo?: string | null;
    /** Id of the workspace */
    spaceId?: string;
}
/** A new agent */
export interface V1CreatedAgent {
    /** Always true */
    success: true;
    /** The agent's id */
    id: string;
    /** Display name */
    name: string;
    /** Always "active" */
    status: "active";
    /** URL of the page of its first chat */
    chatUrl: string;
}
/** Confirmation of a deletion */
export interface V1Deleted {
    /** Always true */
    success: true;
    /** In words */
    message: string;
}
/** What has been done */
export interface V1Done {
    /** Always true */
    success: true;
    /** In words */
    message: string;
}
export interface V1ExecuteAgentRequest {
    /** The message, as text */
    message: string;
    /** The workspace of a new chat */
    spaceId?: string;
    /** The session to continue */
    sessionId?: string;
    /** The chat to continue */
    chatId?: string;
    /** Whether the answer is a stream of events; `false` by default. Default false */
    stream?: boolean;
}
/** Why the execution is blocked; absent otherwise */
export interface V1ExecutionError {
    /** What it waits for */
    code: BlockedReason;
    /** In words */
    message: string;
}
/** The last event of an execution that has failed */
export interface V1ExecutionErrorEvent {
    /** Always "error" */
    event: "error";
    /** Data of the event */
    data: {
        /** What went wrong */
        message: string;
    };
}
/** An event of an execution: `meta`, then `message`s, then `result` or `error` */
export type V1ExecutionEvent = V1ExecutionMetaEvent | V1ExecutionMessageEvent | V1ExecutionResultEvent | V1ExecutionErrorEvent;
/** A piece of the answer */
export interface V1ExecutionMessageEvent {
    /** Always "message" */
    event: "message";
    /** Data of the event */
    data: {
        /** Always "stream_event" */
        messageType: "stream_event";
        /** What is added */
        delta: {
            /** Always "text_delta" */
            type: "text_delta";
            /** What is added */
            text: string;
        };
    } | {
        /** A step was restarted with different text: keep the text up to `position`, and append the next deltas */
        messageType: "restarted";
        /** Length to cut the text of all deltas to, in UTF-16 units */
        position: number;
    } | {
        /** Always "assistant" */
        messageType: "assistant";
        /** The message so far */
        message: {
            /** Always "assistant" */
            role: "assistant";
            /** Content blocks of the answer */
            content: PlainBlock[];
        };
    };
}
/** The first event: the ids of the execution */
export interface V1ExecutionMetaEvent {
    /** Always "meta" */
    event: "meta";
    /** Data of the event */
    data: {
        /** The execution's id */
        executionId: string;
        /** The chat that it is in */
        chatId: string;
        /** Send it back to continue the conversation */
        sessionId: string;
        /** A note about the answer */
        notice?: string;
    };
}
/** The result of an execution */
export interface V1ExecutionResult {
    /** Whether the agent completed its turn */
    success: boolean;
    /** The execution's id */
    executionId: string;
    /** The chat that it is in */
    chatId: string;
    /** Send it back to continue the conversation */
    sessionId: string;
    /** The agent's answer; absent if the execution is blocked without an answer */
    result?: string;
    error?: V1ExecutionError;
    /** While the execution is blocked: its job, which can be approved or resumed on the current surface */
    jobId?: string;
    /** Why the model stopped, such as `length`: the answer was cut. Absent if it stopped on its own */
    stopReason?: StopReason;
    /** A note about the answer */
    notice?: string;
}
/** The last event of an execution that has succeeded */
export interface V1ExecutionResultEvent {
    /** Always "result" */
    event: "result";
    /** Data of the event */
    data: {
        /** Send it back to continue the conversation */
        sessionId: string;
        /** The whole answer; only if the stream had a `restarted` message */
        result?: string;
        /** Tokens that model calls have used */
        usage: {
            /** Tokens sent */
            input_tokens: number;
            /** Tokens received from models */
            output_tokens: number;
        };
        /** Why the model stopped, such as `length`: the answer was cut. Absent if it stopped on its own */
        stopReason?: StopReason;
        /** A note about the answer */
        notice?: string;
    };
}
/** A work item */
export interface V1Task {
    /** The task's id */
    id: string;
    /** The title */
    title: string;
    /** Description */
    description?: string;
    /** Current status */
    status: TaskStatus;
    /** How urgent it is */
    priority: Priority;
    /** An agent's or a user's id; absent when unassigned */
    assignedTo?: string;
    /** The workspace that it belongs to */
    spaceId?: string;
    /** The organization that owns it */
    organizationId: string;
    /** The user or agent who created it */
    createdBy: string;
    /** ISO 8601 UTC with milliseconds */
    createdAt: string;
    /** ISO 8601 UTC with milliseconds */
    completedAt?: string;
}
/** A task */
export interface V1TaskAnswer {
    /** Always true */
    success: true;
    task: V1Task;
}
/** The organization's tasks, newest first */
export interface V1TaskList {
    /** Always true */
    success: true;
    /** The tasks of this page */
    tasks: V1Task[];
}
export interface V1UpdateAgentRequest {
    /** Display name */
    name?: string;
    /** System instructions */
    systemPrompt?: string;
    /** The agent's role in a few words. Default "Assistant" */
    role?: string;
    /**
     * Who may see it. `private`: its creator; `organization`: every member; `public`: every caller; `unlisted`: every
     * caller who knows the id. Default "organization"
     */
    visibility?: Visibility;
}
export interface VerifySignatureRequest {
    /** The headers of the delivery, as they arrived */
    headers: {
        [name: string]: string;
    };
    /** The body of the delivery, byte for byte */
    body: string;
    /** Secret to verify with; by default the organization's */
    secret?: string;
}
/** Who may see an agent */
export type Visibility = "private" | "organization" | "public" | "unlisted";
/** A place for the work of an organization, with its files, repositories and apps */
export interface Workspace {
    /** The workspace's id */
    id: string;
    /** Display name */
    name: string;
    /** Description */
    description: string | null;
    /** Instructions for the agents that work here */
    instructions: string | null;
    /** Whether the caller has selected it */
    selected: boolean;
    /** The user who created it */
    created_by: string;
    /** Git repositories that are mounted in the workspace */
    repos: Repository[];
    /** Apps of the workspace */
    apps: App[];
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
}
/** A workspace with its storage usage */
export interface WorkspaceDetails {
    /** The workspace's id */
    id: string;
    /** Display name */
    name: string;
    /** Description */
    description: string | null;
    /** Instructions for the agents that work here */
    instructions: string | null;
    /** Whether the caller has selected it */
    selected: boolean;
    /** The user who created it */
    created_by: string;
    /** Git repositories that are mounted in the workspace */
    repos: Repository[];
    /** Apps of the workspace */
    apps: App[];
    /** The organization that owns it */
    organization_id: string;
    /** Version number; rises by one with each change. Send it in `If-Match` */
    version: number;
    /** ISO 8601 UTC with milliseconds */
    created_at: string;
    /** ISO 8601 UTC with milliseconds */
    updated_at: string;
    /** Links to related resources, by name */
    links: {
        [name: string]: string;
    };
    /** Actions that the caller may take now */
    allowed_actions: string[];
    storage: WorkspaceStorage;
}
/** A file or a directory of a workspace */
export interface WorkspaceFile {
    /** The path, relative to the workspace */
    path: string;
    /** Last part of the path */
    name: string;
    /** Kind of the entry */
    kind: "file" | "directory";
    /** Size in bytes; for a directory, of all files below it */
    size: number;
    /** The media type of a file */
    mime: string | null;
    /** Entity tag of the content, for `If-Match` and `If-None-Match` */
    etag: string | null;
    /** Version of the file's content; rises by one with each change */
    number: number | null;
    /** ISO 8601 UTC with milliseconds */
    modified_at: string;
    /** User or agent of the last change; null if unknown */
    modified_by: FileAuthor | null;
}
/** A page of workspaces, newest first */
export interface WorkspaceList {
    /** The workspaces of this page */
    workspaces: Workspace[];
    /** Cursor of the next page; absent on the last page */
    next_cursor?: string;
}
/** Storage usage of a workspace */
export interface WorkspaceStorage {
    /** Bytes of all files, without their former versions */
    bytes: number;
    /** Number of files */
    files: number;
}
/** What the body of a webhook says. */
export type WebhookEvent = Event;
/** What goes wrong, as classes. The classes of the single codes are made from the contract and extend `ApiError`. */
/** Everything that this file throws of its own. */
export declare class TroupeError extends Error {
    name: string;
}
/** No answer came: the connection failed, or the time was up. The request may have been done. */
export declare class ConnectionFailedError extends TroupeError {
    name: string;
}
/** A stream that cannot be resumed ended before its last event, or one that can did not come back. */
export declare class StreamCutError extends TroupeError {
    name: string;
}
/** A webhook was not signed with this secret, or not in this time: do not believe it. */
export declare class WebhookSignatureError extends TroupeError {
    name: string;
}
/** What an answer says of its failure. */
export interface ApiFailure {
    /** The HTTP status. */
    readonly status: number;
    /** Says what is wrong, for programs. The v1 surface has no codes; there it follows from the status. */
    readonly code: string;
    readonly message: string;
    /** Name it when you ask the operator. */
    readonly requestId: string | null;
    readonly details: {
        readonly [key: string]: unknown;
    };
    /** The seconds of `Retry-After`. */
    readonly retryAfterSeconds: number | null;
}
/** The service refused or failed. A code that has no class of its own is this. */
export declare class ApiError extends TroupeError implements ApiFailure {
    name: string;
    readonly status: number;
    readonly code: string;
    readonly requestId: string | null;
    readonly details: {
        readonly [key: string]: unknown;
    };
    readonly retryAfterSeconds: number | null;
    constructor(failure: ApiFailure);
}
/** `invalid_json`: The body is not JSON, or it is nested too deeply. */
export declare class InvalidJsonError extends ApiError {
    name: string;
}
/**
 * `invalid_request`: A field of the body, the query or the headers is missing, unknown, given twice, of the wrong type
 * or out of range.
 */
export declare class InvalidRequestError extends ApiError {
    name: string;
}
/** `invalid_schedule`: The schedule's expression, time zone or one of its times is not valid. */
export declare class InvalidScheduleError extends ApiError {
    name: string;
}
/** `invalid_cursor`: Invalid cursor for this list. */
export declare class InvalidCursorError extends ApiError {
    name: string;
}
/** `unsupported_api_version`: The request asks for a version of the contract that is not served. */
export declare class UnsupportedApiVersionError extends ApiError {
    name: string;
}
/** `invalid_idempotency_key`: The `Idempotency-Key` cannot be read, or was sent twice. */
export declare class InvalidIdempotencyKeyError extends ApiError {
    name: string;
}
/** `invalid_event_type`: Unknown event type or family in a filter. */
export declare class InvalidEventTypeError extends ApiError {
    name: string;
}
/** `invalid_path`: Invalid path: it is absolute, contains `..`, or has a name that some systems cannot store. */
export declare class InvalidPathError extends ApiError {
    name: string;
}
/** `invalid_url`: The URL is not allowed as a destination: its form, its scheme or its address. */
export declare class InvalidUrlError extends ApiError {
    name: string;
}
/** `unauthenticated`: The token is missing, unknown, malformed or revoked. */
export declare class UnauthenticatedError extends ApiError {
    name: string;
}
/** `token_expired`: The token has expired. */
export declare class TokenExpiredError extends ApiError {
    name: string;
}
/** `insufficient_scope`: The token is valid but lacks a scope that the operation needs. */
export declare class InsufficientScopeError extends ApiError {
    name: string;
}
/** `owner_required`: Only an owner of the organization may do this. */
export declare class OwnerRequiredError extends ApiError {
    name: string;
}
/**
 * `organization_suspended`: The operator of the service has suspended the organization. Nothing of it runs, and all its
 * tokens are refused.
 */
export declare class OrganizationSuspendedError extends ApiError {
    name: string;
}
/** `forbidden`: You may not do this to this record. */
export declare class ForbiddenError extends ApiError {
    name: string;
}
/** `invalid_signature`: The signed address is invalid or has expired. */
export declare class InvalidSignatureError extends ApiError {
    name: string;
}
/** `not_found`: The record or path does not exist, or the record belongs to another organization. */
export declare class NotFoundError extends ApiError {
    name: string;
}
/** The code `method_not_allowed`. */
export declare class MethodNotAllowedError extends ApiError {
    name: string;
}
/** `request_timeout`: The body of the request did not arrive in time. Nothing was done. */
export declare class RequestTimeoutError extends ApiError {
    name: string;
}
/** `invalid_state`: The record's current status does not allow this. */
export declare class InvalidStateError extends ApiError {
    name: string;
}
/** `chat_busy`: A turn is running in the chat, and `on_busy` is `reject`. */
export declare class ChatBusyError extends ApiError {
    name: string;
}
/** `approval_pending`: The job waits for an approval or a review. */
export declare class ApprovalPendingError extends ApiError {
    name: string;
}
/** `version_conflict`: The record was changed since you read it. */
export declare class VersionConflictError extends ApiError {
    name: string;
}
/** `secret_in_use`: Agents, repositories of workspaces or provider keys use the secret. */
export declare class SecretInUseError extends ApiError {
    name: string;
}
/** `not_a_library_agent`: Only library agents can be installed or uninstalled. */
export declare class NotALibraryAgentError extends ApiError {
    name: string;
}
/** `read_only_violation`: The query is not exactly one SELECT over files of the workspace. */
export declare class ReadOnlyViolationError extends ApiError {
    name: string;
}
/** `path_exists`: A file or directory already exists at the path, or a file is in the way of a directory. */
export declare class PathExistsError extends ApiError {
    name: string;
}
/** `idempotency_conflict`: The `Idempotency-Key` was already used with different input. */
export declare class IdempotencyConflictError extends ApiError {
    name: string;
}
/** `idempotency_in_progress`: The first request with this key is still running. */
export declare class IdempotencyInProgressError extends ApiError {
    name: string;
}
/** `event_not_retained`: The event is older than the retention period and was deleted. */
export declare class EventNotRetainedError extends ApiError {
    name: string;
}
/** `share_expired`: The share has expired, has reached its number of downloads, or was revoked. */
export declare class ShareExpiredError extends ApiError {
    name: string;
}
/** `upload_offset_mismatch`: The part does not begin at the next byte of the upload. */
export declare class UploadOffsetMismatchError extends ApiError {
    name: string;
}
/** `payload_too_large`: The body or one of its fields is too large. */
export declare class PayloadTooLargeError extends ApiError {
    name: string;
}
/** `range_not_satisfiable`: The requested range begins past the end of the file. */
export declare class RangeNotSatisfiableError extends ApiError {
    name: string;
}
/** `unsupported_media_type`: The operation does not accept a body of this content type. */
export declare class UnsupportedMediaTypeError extends ApiError {
    name: string;
}
/** `rate_limited`: Too many requests in this window. */
export declare class RateLimitedError extends ApiError {
    name: string;
}
/** `budget_exceeded`: The organization has used up its budget of model tokens, or of their cost, for this month. */
export declare class BudgetExceededError extends ApiError {
    name: string;
}
/** `quota_exceeded`: The organization has reached the quota in `details.quota`. Nothing was done. */
export declare class QuotaExceededError extends ApiError {
    name: string;
}
/** `internal_error`: Internal error: a bug in the service. */
export declare class InternalError extends ApiError {
    name: string;
}
/** `provider_error`: The model provider failed or rejected the request. */
export declare class ProviderError extends ApiError {
    name: string;
}
/**
 * `overloaded`: Too many requests are waiting for this record or in this organization, too many streams are open, or
 * too many bodies are being sent. Nothing was done.
 */
export declare class OverloadedError extends ApiError {
    name: string;
}
/**
 * `storage_full`: The disk of the service is nearly full. Reads are answered; nothing is stored until there is space.
 * Nothing was done.
 */
export declare class StorageFullError extends ApiError {
    name: string;
}
/** `unavailable`: A dependency of the service is unavailable. Nothing was done. */
export declare class UnavailableError extends ApiError {
    name: string;
}
/** `outcome_unknown`: The connection to the database broke during the commit: it may or may not have happened. */
export declare class OutcomeUnknownError extends ApiError {
    name: string;
}
/** `shutting_down`: The service is restarting. Nothing was done. */
export declare class ShuttingDownError extends ApiError {
    name: string;
}
/** `timeout`: The work exceeded its time limit. */
export declare class ApiTimeoutError extends ApiError {
    name: string;
}
/**
 * How requests go out. A temporary failure (no connection, 429, 5xx, a first request that is still
 * running) is tried again with the same `Idempotency-Key`, so the change is made once.
 */
export interface TroupeOptions {
    /** Where the service is, for example `http://127.0.0.1:3000`. */
    readonly baseUrl: string;
    /** A personal access token or a service token; a function is asked before each request. */
    readonly token?: string | (() => string | Promise<string>);
    /** How often a temporary failure is tried again. Default 3. */
    readonly maxRetries?: number;
    /** Milliseconds for one attempt. Default 300,000. */
    readonly timeoutMs?: number;
    /** Milliseconds without a byte after which a stream counts as cut, or as not begun; heartbeats come every ten seconds. Default 35,000. */
    readonly streamIdleMs?: number;
    /** Reads the JSON of answers and streams, in place of `JSON.parse`, which rounds integers above 2⁵³. */
    readonly parseJson?: (text: string) => unknown;
    /** In place of the global `fetch`. */
    readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}
export interface RequestOptions {
    /** Ends the request, its retries, and the stream that it opened. */
    readonly signal?: AbortSignal;
    /** Milliseconds for one attempt; for a stream, until it begins. */
    readonly timeoutMs?: number;
}
export interface MutationOptions extends RequestOptions {
    /** Repeat a request with the key of its first attempt and it is done once. Without one a fresh key is made. */
    readonly idempotencyKey?: string;
}
export interface VersionedOptions extends MutationOptions {
    /** The `version` that the record had when it was read: if it has moved, `VersionConflictError`. */
    readonly ifMatch?: number;
}
/**
 * The content to send. Text is sent as UTF-8. A `Blob` (such as a `File`, or what `openAsBlob` and `Bun.file` give) is
 * read while it is sent, and its type is the content type; it can be sent again. A stream is sent once: such a request
 * is not retried.
 */
export type BinaryBody = string | Uint8Array | Blob | ReadableStream<Uint8Array>;
/** The text of running messages, put together from the deltas of a stream. */
interface TextEvent {
    readonly event: string;
    readonly data: unknown;
}
/**
 * Give it every event of a chat's or a job's stream. It is right after cuts too: a delta says where in the
 * message it ends, and an attempt that is begun anew takes its text back.
 */
export declare class LiveText {
    #private;
    /** The text of the message that the event is about, as far as it is known; undefined for other events. */
    apply({ event, data }: TextEvent): string | undefined;
}
/** Tools that this program runs for a job: the functions behind an agent's tools of the kind `client`. */
/** What a function gets besides its input. */
export interface ToolContext {
    readonly jobId: string;
    readonly callId: string;
    /** The same each time that this call is run: for what must not happen twice. */
    readonly idempotencyKey: string;
    readonly signal?: AbortSignal;
}
/** By name. An answer that is no string is sent as JSON; of an exception the model sees the message. */
export type ClientTools = Readonly<Record<string, (input: any, context: ToolContext) => unknown>>;
export interface RunToolsOptions {
    /** Ends the waiting; the job goes on. */
    readonly signal?: AbortSignal;
    /** Milliseconds for which the service may be away, one time. Default 300,000. */
    readonly outageMs?: number;
}
/** What is needed of a job. */
export interface ToolJob {
    readonly id: string;
    readonly version: number;
    readonly status: string;
    readonly requested_tool_calls: readonly {
        readonly id: string;
        readonly name: string;
        readonly arguments: object;
    }[];
}
/** What is needed of `Troupe`. */
export interface ToolClient<J extends ToolJob> {
    getJob(id: string, options?: {
        signal?: AbortSignal;
    }): Promise<J>;
    waitForJob(id: string, query?: {
        wait?: number;
        since_version?: number;
    }, options?: {
        signal?: AbortSignal;
    }): Promise<J | null>;
    sendToolResults(id: string, body: {
        results: {
            tool_call_id: string;
            content?: string;
            error?: string;
        }[];
    }, options?: {
        signal?: AbortSignal;
        idempotencyKey?: string;
    }): Promise<J>;
}
/**
 * Runs the tools of a job until it is over, and returns the job. After a crash, call this again with the same job:
 * calls whose results are stored are not run again. Calls of tools that are not given are left to other programs.
 */
export declare function runTools<J extends ToolJob>(troupe: ToolClient<J>, jobId: string, tools: ClientTools, { signal, outageMs }?: RunToolsOptions): Promise<J>;
/** Programs whose functions are an agent's tools: for one message, or for all jobs of an agent. */
/** What is needed of `Troupe`. */
interface MessageClient<B, J extends ToolJob> extends ToolClient<J> {
    sendMessage(chatId: string, body: B, options?: {
        signal?: AbortSignal;
        idempotencyKey?: string;
    }): Promise<{
        job: J;
    }>;
}
interface JobsClient<J extends ToolJob> extends ToolClient<J> {
    listAllJobs(query?: {
        agent_id?: string;
        status?: "blocked"[];
    }, options?: {
        signal?: AbortSignal;
    }): AsyncIterable<J & {
        readonly allowed_actions: readonly string[];
    }>;
}
export interface SendWithToolsOptions extends RunToolsOptions {
    /**
     * Names the message: a program that is started again with the same key goes on with the job that it began, and sends
     * nothing twice. Without it each call sends a message.
     */
    readonly idempotencyKey?: string;
}
/** Sends a message, runs the tools that its job calls, and answers the job when it is over. */
export declare function sendWithTools<B, J extends ToolJob>(troupe: MessageClient<B, J>, chatId: string, message: B & {
    readonly tools: ClientTools;
}, { idempotencyKey, ...options }?: SendWithToolsOptions): Promise<J>;
export interface ServeToolsOptions {
    /** Ends the serving; jobs go on waiting, for a day. */
    readonly signal: AbortSignal;
    /** Milliseconds between two looks for jobs that wait. Default 1,000. */
    readonly pollMs?: number;
    /** Jobs that are served side by side. Default 8. */
    readonly jobs?: number;
    /** Hears of what fails; the serving goes on. */
    readonly onError?: (error: unknown, jobId: string | null) => void;
}
/**
 * Runs the tools of all jobs of an agent that act for this token's user, also for messages of others, until the signal
 * aborts. Start it again after a crash: jobs wait for it.
 */
export declare function serveTools<J extends ToolJob>(troupe: JobsClient<J>, agentId: string, tools: ClientTools, { signal, pollMs, jobs: most, onError }: ServeToolsOptions): Promise<void>;
/** A webhook as it has arrived. */
export interface ReceivedWebhook {
    /** All headers of the request, whatever their case. */
    readonly headers: Headers | {
        readonly [name: string]: string | readonly string[] | undefined;
    };
    /** The body as it has come, before anything reads it as JSON: the signature is over its bytes. */
    readonly body: string | Uint8Array;
    /** The signing secret, `whsec_…`. Give the old one too while it is being replaced. */
    readonly secret: string | readonly string[];
    /** Default 300. */
    readonly toleranceSeconds?: number;
    /** In place of the present, in Unix milliseconds. */
    readonly now?: number;
}
/**
 * Answers the event of a webhook that was signed with the secret, and throws `WebhookSignatureError` for any
 * other. It takes `Service-Signature` and the headers of Standard Webhooks, and compares in constant time.
 * An event may come more than once: its `id` is the same each time.
 */
export declare function verifyWebhook<E = WebhookEvent>(received: ReceivedWebhook): Promise<E>;
export {};
