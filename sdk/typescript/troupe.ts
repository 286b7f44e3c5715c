/**
 * The TypeScript SDK of Troupe: one file that needs nothing but `fetch` (Node 20, Bun, Deno, browsers).
 * It is made from the contract by `bun run contract`; changes by hand are lost.
 *
 *   const troupe = new Troupe({ baseUrl: "http://127.0.0.1:3000", token: process.env.TROUPE_TOKEN });
 *   const chat = await troupe.createChat({ agent_id, workspace_id });
 *   const { message } = await troupe.sendMessage(chat.id, { content: "Hello" });
 *   for await (const event of troupe.streamChatEvents(chat.id, { replay: "all", wait: "end" }))
 *     if (event.event === "message.delta") process.stdout.write(event.data.text);
 *
 * - Each operation of the contract is a method of `Troupe`. `listAll…` goes through all pages, `waitFor…`
 *   answers when a record has changed, `stream…` gives typed events and goes on where it was cut.
 * - Requests that change something carry an `Idempotency-Key`: a failure that passes is tried again with
 *   the same key, and done once.
 * - A refusal is an `ApiError`; each code has its class, for example `NotFoundError`.
 * - `verifyWebhook` answers the event of a webhook, or throws.
 */

/** A client of the service. It holds no connection: make one and keep it. */
export class Troupe {
  readonly #http: Transport;

  constructor(options: TroupeOptions) {
    this.#http = new Transport(options, ERROR_CLASSES, { "api-version": API_VERSION });
  }

  // Agents: AI assistants: your own, and those of the library

  /**
   * List agents.
   *
   * The organization's agents and the caller's own private ones, newest first. The entries of the library that are not
   * installed follow on the last of them.
   *
   * `GET /api/agents`. Needs `agents:read` or `agents:read`. May throw `InvalidCursorError`.
   */
  listAgents(query?: ListAgentsQuery, options?: RequestOptions): Promise<AgentList> {
    return this.#http.json({ method: "GET", path: "/api/agents", query, options });
  }

  /**
   * List agents. All of them: the next page is asked for when it is needed.
   *
   * The organization's agents and the caller's own private ones, newest first. The entries of the library that are not
   * installed follow on the last of them.
   *
   * `GET /api/agents`. Needs `agents:read` or `agents:read`. May throw `InvalidCursorError`.
   */
  listAllAgents(
    query?: Omit<ListAgentsQuery, "cursor">,
    options?: RequestOptions,
  ): AsyncGenerator<Agent, void, undefined> {
    return this.#http.items(
      (next) => this.listAgents({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options),
      (page) => page.agents,
    );
  }

  /**
   * Create a private agent.
   *
   * Nobody else sees it until its `visibility` is changed.
   *
   * `POST /api/agents`. Needs `agents:write` or `agents:write`. May throw `OwnerRequiredError`.
   */
  createAgent(body: CreateAgentRequest, options?: MutationOptions): Promise<Agent> {
    return this.#http.json({ method: "POST", path: "/api/agents", body, isKeyed: true, options });
  }

  /**
   * Read an agent.
   *
   * `GET /api/agents/{id}`. Needs `agents:read` or `agents:read`. May throw `NotFoundError`.
   */
  getAgent(agentId: string, options?: RequestOptions): Promise<Agent> {
    return this.#http.json({ method: "GET", path: `/api/agents/${segment(agentId)}`, options });
  }

  /**
   * Update an agent.
   *
   * What is absent stays as it is. Jobs that have begun keep the agent as it was.
   *
   * `PATCH /api/agents/{id}`. Needs `agents:write` or `agents:write`. May throw `OwnerRequiredError`, `ForbiddenError`,
   * `NotFoundError`, `InvalidStateError` or `VersionConflictError`.
   */
  updateAgent(agentId: string, body: UpdateAgentRequest, options?: VersionedOptions): Promise<Agent> {
    return this.#http.json({ method: "PATCH", path: `/api/agents/${segment(agentId)}`, body, isKeyed: true, options });
  }

  /**
   * Delete a private agent.
   *
   * It is archived: no longer found, listed or executed. What it has done is kept.
   *
   * `DELETE /api/agents/{id}`. Needs `agents:write` or `agents:write`. May throw `NotFoundError` or
   * `InvalidStateError`.
   */
  deleteAgent(agentId: string, options?: MutationOptions): Promise<Agent> {
    return this.#http.json({ method: "DELETE", path: `/api/agents/${segment(agentId)}`, isKeyed: true, options });
  }

  /**
   * Install, uninstall or restore a library agent.
   *
   * Give `install_state`, or the `action`. `install` applies the library's settings; `restore` brings back those from
   * before the agent was uninstalled.
   *
   * `PATCH /api/agents/{id}/install-state`. Needs `agents:write` or `agents:write`. May throw `NotFoundError`,
   * `InvalidStateError` or `NotALibraryAgentError`.
   */
  setAgentInstallState(agentId: string, body: SetAgentInstallStateRequest, options?: MutationOptions): Promise<Agent> {
    return this.#http.json({
      method: "PATCH",
      path: `/api/agents/${segment(agentId)}/install-state`,
      body,
      isKeyed: true,
      options,
    });
  }

  // Chats: Durable conversations with an agent

  /**
   * List chats.
   *
   * `GET /api/chats`. Needs `chats:read` or `chats:read`. May throw `InvalidCursorError`.
   */
  listChats(query?: ListChatsQuery, options?: RequestOptions): Promise<ChatList> {
    return this.#http.json({ method: "GET", path: "/api/chats", query, options });
  }

  /**
   * List chats. All of them: the next page is asked for when it is needed.
   *
   * `GET /api/chats`. Needs `chats:read` or `chats:read`. May throw `InvalidCursorError`.
   */
  listAllChats(
    query?: Omit<ListChatsQuery, "cursor">,
    options?: RequestOptions,
  ): AsyncGenerator<Chat, void, undefined> {
    return this.#http.items(
      (next) => this.listChats({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options),
      (page) => page.chats,
    );
  }

  /**
   * Create a durable chat.
   *
   * `POST /api/chats`. Needs `chats:write` or `chats:write`. May throw `NotFoundError` or `InvalidStateError`.
   */
  createChat(body: CreateChatRequest, options?: MutationOptions): Promise<Chat> {
    return this.#http.json({ method: "POST", path: "/api/chats", body, isKeyed: true, options });
  }

  /**
   * Read a chat.
   *
   * `GET /api/chats/{id}`. Needs `chats:read` or `chats:read`. May throw `NotFoundError`.
   */
  getChat(chatId: string, options?: RequestOptions): Promise<Chat> {
    return this.#http.json({ method: "GET", path: `/api/chats/${segment(chatId)}`, options });
  }

  /**
   * Read a chat. Answers as soon as `version` is past `since_version`; nothing where that did not happen within `wait`
   * seconds.
   *
   * `GET /api/chats/{id}`. Needs `chats:read` or `chats:read`. May throw `NotFoundError`.
   */
  waitForChat(chatId: string, query?: WaitForChatQuery, options?: RequestOptions): Promise<Chat | null> {
    return this.#http.changed({ method: "GET", path: `/api/chats/${segment(chatId)}`, query, options });
  }

  /**
   * Delete a chat.
   *
   * What runs in it is cancelled, and from then on nobody finds it.
   *
   * `DELETE /api/chats/{id}`. Needs `chats:write` or `chats:write`. May throw `NotFoundError`.
   */
  deleteChat(chatId: string, options?: MutationOptions): Promise<DeletedChat> {
    return this.#http.json({ method: "DELETE", path: `/api/chats/${segment(chatId)}`, isKeyed: true, options });
  }

  /**
   * Update chat options.
   *
   * Merges the options that are given, bare or as `options`. A key that is no option is refused.
   *
   * `PATCH /api/chats/{id}/options`. Needs `chats:write` or `chats:write`. May throw `NotFoundError` or
   * `VersionConflictError`.
   */
  updateChatOptions(chatId: string, body: UpdateChatOptionsRequest, options?: VersionedOptions): Promise<Chat> {
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
   * The newest page first, each in the order of the conversation; `next_cursor` leads to the one before.
   *
   * `GET /api/chats/{id}/messages`. Needs `chats:read` or `chats:read`. May throw `InvalidCursorError` or
   * `NotFoundError`.
   */
  listMessages(chatId: string, query?: ListMessagesQuery, options?: RequestOptions): Promise<MessagePage> {
    return this.#http.json({ method: "GET", path: `/api/chats/${segment(chatId)}/messages`, query, options });
  }

  /**
   * Read messages and the durable work summary. All of them: the next page is asked for when it is needed.
   *
   * The newest page first, each in the order of the conversation; `next_cursor` leads to the one before.
   *
   * `GET /api/chats/{id}/messages`. Needs `chats:read` or `chats:read`. May throw `InvalidCursorError` or
   * `NotFoundError`.
   */
  listAllMessages(
    chatId: string,
    query?: Omit<ListMessagesQuery, "cursor">,
    options?: RequestOptions,
  ): AsyncGenerator<Message, void, undefined> {
    return this.#http.items(
      (next) => this.listMessages(chatId, { ...query, ...(next === undefined ? {} : { cursor: next }) }, options),
      (page) => page.messages,
    );
  }

  /**
   * Send a message to the agent.
   *
   * Answers when the message is stored; the job that answers it goes on. `on_busy` says what becomes of the message
   * while a turn runs: `queue`, `steer` (the model gets it before its next call), `interrupt` (the turn is cancelled)
   * or `reject`.
   *
   * `POST /api/chats/{id}/messages`. Needs `chats:write` or `chats:write`. May throw `ForbiddenError`, `NotFoundError`,
   * `InvalidStateError`, `ChatBusyError`, `ApprovalPendingError`, `BudgetExceededError` or `ProviderError`.
   */
  sendMessage(chatId: string, body: SendMessageRequest, options?: MutationOptions): Promise<SentMessage> {
    return this.#http.json({
      method: "POST",
      path: `/api/chats/${segment(chatId)}/messages`,
      body,
      isKeyed: true,
      options,
    });
  }

  // Jobs: Long-running work records

  /**
   * List jobs.
   *
   * All filters that are given must match.
   *
   * `GET /api/jobs`. Needs `jobs:read` or `jobs:read`. May throw `InvalidCursorError`.
   */
  listJobs(query?: ListJobsQuery, options?: RequestOptions): Promise<JobList> {
    return this.#http.json({ method: "GET", path: "/api/jobs", query, options });
  }

  /**
   * List jobs. All of them: the next page is asked for when it is needed.
   *
   * All filters that are given must match.
   *
   * `GET /api/jobs`. Needs `jobs:read` or `jobs:read`. May throw `InvalidCursorError`.
   */
  listAllJobs(query?: Omit<ListJobsQuery, "cursor">, options?: RequestOptions): AsyncGenerator<Job, void, undefined> {
    return this.#http.items(
      (next) => this.listJobs({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options),
      (page) => page.jobs,
    );
  }

  /**
   * Read status, metadata, artifacts, review state and links.
   *
   * `GET /api/jobs/{id}`. Needs `jobs:read` or `jobs:read`. May throw `NotFoundError`.
   */
  getJob(jobId: string, options?: RequestOptions): Promise<Job> {
    return this.#http.json({ method: "GET", path: `/api/jobs/${segment(jobId)}`, options });
  }

  /**
   * Read status, metadata, artifacts, review state and links. Answers as soon as `version` is past `since_version`;
   * nothing where that did not happen within `wait` seconds.
   *
   * `GET /api/jobs/{id}`. Needs `jobs:read` or `jobs:read`. May throw `NotFoundError`.
   */
  waitForJob(jobId: string, query?: WaitForJobQuery, options?: RequestOptions): Promise<Job | null> {
    return this.#http.changed({ method: "GET", path: `/api/jobs/${segment(jobId)}`, query, options });
  }

  /**
   * Read related jobs.
   *
   * Its iterations, resumptions and delegations, and what it comes from itself.
   *
   * `GET /api/jobs/{id}/lineage`. Needs `jobs:read` or `jobs:read`. May throw `NotFoundError`.
   */
  getJobLineage(jobId: string, options?: RequestOptions): Promise<JobLineage> {
    return this.#http.json({ method: "GET", path: `/api/jobs/${segment(jobId)}/lineage`, options });
  }

  /**
   * Read transcript events.
   *
   * The durable events of the job's stream, by pages.
   *
   * `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read` or `jobs:read`. May throw `NotFoundError`.
   */
  listTranscriptEvents(jobId: string, query?: ListTranscriptEventsQuery, options?: RequestOptions): Promise<EventPage> {
    return this.#http.json({ method: "GET", path: `/api/jobs/${segment(jobId)}/transcript-events`, query, options });
  }

  /**
   * Read transcript events. All of them: the next page is asked for when it is needed.
   *
   * The durable events of the job's stream, by pages.
   *
   * `GET /api/jobs/{id}/transcript-events`. Needs `jobs:read` or `jobs:read`. May throw `NotFoundError`.
   */
  listAllTranscriptEvents(
    jobId: string,
    query?: Omit<ListTranscriptEventsQuery, "after">,
    options?: RequestOptions,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    return this.#http.items(
      (next) =>
        this.listTranscriptEvents(jobId, { ...query, ...(next === undefined ? {} : { after: Number(next) }) }, options),
      (page) => page.events,
    );
  }

  /**
   * Approve reviewable work, or decide about tool calls that wait.
   *
   * Without an id it is meant for all calls that wait, or for the review. A denial leaves `resource.updated`.
   *
   * `POST /api/jobs/{id}/approve`. Needs `jobs:write` or `jobs:write`. May throw `ForbiddenError`, `NotFoundError` or
   * `InvalidStateError`.
   */
  approveJob(jobId: string, body?: ApproveJobRequest, options?: MutationOptions): Promise<Job> {
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
   * With `wait` it answers when the job has really stopped, with the last event that it has.
   *
   * `POST /api/jobs/{id}/cancel`. Needs `jobs:write` or `jobs:write`. May throw `NotFoundError` or `InvalidStateError`.
   */
  cancelJob(jobId: string, query?: CancelJobQuery, options?: MutationOptions): Promise<CancelReceipt> {
    return this.#http.json({
      method: "POST",
      path: `/api/jobs/${segment(jobId)}/cancel`,
      query,
      isKeyed: true,
      options,
    });
  }

  /**
   * Resume blocked work.
   *
   * A blocked job goes on itself; one that has failed or was cancelled goes on in a new one.
   *
   * `POST /api/jobs/{id}/resume`. Needs `jobs:write` or `jobs:write`. May throw `ForbiddenError`, `NotFoundError`,
   * `InvalidStateError`, `ApprovalPendingError`, `BudgetExceededError` or `ProviderError`.
   */
  resumeJob(jobId: string, body?: ResumeJobRequest, options?: MutationOptions): Promise<Job> {
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
   * Answers the review, where there is one, and begins another round in a new job.
   *
   * `POST /api/jobs/{id}/iterate`. Needs `jobs:write` or `jobs:write`. May throw `ForbiddenError`, `NotFoundError`,
   * `InvalidStateError`, `ApprovalPendingError`, `BudgetExceededError` or `ProviderError`.
   */
  iterateJob(jobId: string, body: IterateJobRequest, options?: MutationOptions): Promise<Job> {
    return this.#http.json({
      method: "POST",
      path: `/api/jobs/${segment(jobId)}/iterate`,
      body,
      isKeyed: true,
      options,
    });
  }

  // Streams: Server-sent events that go on where they were left

  /**
   * Stream chat events. Goes on by itself where it was cut, without a gap and without a repetition.
   *
   * A `snapshot` of the record comes first, then recent events, then what happens. The id of an event is the cursor to
   * come back with: nothing is missed and nothing told twice. A cursor that is of no use is told by `reset`. Comments
   * are heartbeats. The stream stays open, unless `wait=end` is asked for.
   *
   * `GET /api/chats/{id}/events`. Needs `chats:read`, `events:read`, `chats:read` or `events:read`. May throw
   * `NotFoundError`.
   */
  streamChatEvents(
    chatId: string,
    query?: StreamChatEventsQuery,
    options?: RequestOptions,
  ): AsyncGenerator<ChatStreamEvent, void, undefined> {
    return this.#http.resumed({ method: "GET", path: `/api/chats/${segment(chatId)}/events`, query, options });
  }

  /**
   * Stream job events. Goes on by itself where it was cut, without a gap and without a repetition.
   *
   * A `snapshot` of the record comes first, then recent events, then what happens. The id of an event is the cursor to
   * come back with: nothing is missed and nothing told twice. A cursor that is of no use is told by `reset`. Comments
   * are heartbeats. After the job's last event comes `stream.end`, and the stream closes.
   *
   * `GET /api/jobs/{id}/events`. Needs `jobs:read`, `events:read`, `jobs:read` or `events:read`. May throw
   * `NotFoundError`.
   */
  streamJobEvents(
    jobId: string,
    query?: StreamJobEventsQuery,
    options?: RequestOptions,
  ): AsyncGenerator<JobStreamEvent, void, undefined> {
    return this.#http.resumed({ method: "GET", path: `/api/jobs/${segment(jobId)}/events`, query, options });
  }

  // Embedded pages: Streams for pages that hold no token

  /**
   * Stream job events by a signed address. Goes on by itself where it was cut, without a gap and without a repetition.
   *
   * A job's `links.app_stream` is such an address; it opens the stream for five minutes. The events are those of the
   * job's stream.
   *
   * `GET /mcp-app/jobs/{id}/events`. May throw `InvalidSignatureError`.
   */
  streamSignedJobEvents(
    jobId: string,
    query?: StreamSignedJobEventsQuery,
    options?: RequestOptions,
  ): AsyncGenerator<JobStreamEvent, void, undefined> {
    return this.#http.resumed({
      method: "GET",
      path: `/mcp-app/jobs/${segment(jobId)}/events`,
      query,
      isPublic: true,
      options,
    });
  }

  // Tasks: Work items, assigned to agents or to people

  /**
   * List tasks.
   *
   * All filters that are given must match.
   *
   * `GET /api/tasks`. Needs `tasks:read` or `tasks:read`. May throw `InvalidCursorError`.
   */
  listTasks(query?: ListTasksQuery, options?: RequestOptions): Promise<TaskList> {
    return this.#http.json({ method: "GET", path: "/api/tasks", query, options });
  }

  /**
   * List tasks. All of them: the next page is asked for when it is needed.
   *
   * All filters that are given must match.
   *
   * `GET /api/tasks`. Needs `tasks:read` or `tasks:read`. May throw `InvalidCursorError`.
   */
  listAllTasks(
    query?: Omit<ListTasksQuery, "cursor">,
    options?: RequestOptions,
  ): AsyncGenerator<Task, void, undefined> {
    return this.#http.items(
      (next) => this.listTasks({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options),
      (page) => page.tasks,
    );
  }

  /**
   * Read a task.
   *
   * `GET /api/tasks/{id}`. Needs `tasks:read` or `tasks:read`. May throw `NotFoundError`.
   */
  getTask(taskId: string, options?: RequestOptions): Promise<Task> {
    return this.#http.json({ method: "GET", path: `/api/tasks/${segment(taskId)}`, options });
  }

  /**
   * Update a task.
   *
   * What is absent stays as it is. A status moves as the interface says: `completed` and `cancelled` are final.
   *
   * `PATCH /api/tasks/{id}`. Needs `tasks:write` or `tasks:write`. May throw `NotFoundError`, `InvalidStateError` or
   * `VersionConflictError`.
   */
  updateTask(taskId: string, body: UpdateTaskRequest, options?: VersionedOptions): Promise<Task> {
    return this.#http.json({ method: "PATCH", path: `/api/tasks/${segment(taskId)}`, body, isKeyed: true, options });
  }

  // Workspaces: Where the work of an organization happens

  /**
   * List workspaces.
   *
   * `GET /api/workspaces`. Needs `workspaces:read` or `workspaces:read`. May throw `InvalidCursorError`.
   */
  listWorkspaces(query?: ListWorkspacesQuery, options?: RequestOptions): Promise<WorkspaceList> {
    return this.#http.json({ method: "GET", path: "/api/workspaces", query, options });
  }

  /**
   * List workspaces. All of them: the next page is asked for when it is needed.
   *
   * `GET /api/workspaces`. Needs `workspaces:read` or `workspaces:read`. May throw `InvalidCursorError`.
   */
  listAllWorkspaces(
    query?: Omit<ListWorkspacesQuery, "cursor">,
    options?: RequestOptions,
  ): AsyncGenerator<Workspace, void, undefined> {
    return this.#http.items(
      (next) => this.listWorkspaces({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options),
      (page) => page.workspaces,
    );
  }

  /**
   * Read a workspace.
   *
   * `GET /api/workspaces/{id}`. Needs `workspaces:read` or `workspaces:read`. May throw `NotFoundError`.
   */
  getWorkspace(workspaceId: string, options?: RequestOptions): Promise<Workspace> {
    return this.#http.json({ method: "GET", path: `/api/workspaces/${segment(workspaceId)}`, options });
  }

  // Models: The models that agents may use

  /**
   * List the models that the operator allows.
   *
   * `GET /api/models`. Needs `agents:read` or `agents:read`.
   */
  listModels(options?: RequestOptions): Promise<ModelList> {
    return this.#http.json({ method: "GET", path: "/api/models", options });
  }

  // Usage: What the organization has used, and its budget

  /**
   * Read usage by agent, model or day.
   *
   * `GET /api/usage`. Needs `jobs:read` or `jobs:read`.
   */
  getUsage(query?: GetUsageQuery, options?: RequestOptions): Promise<UsageReport> {
    return this.#http.json({ method: "GET", path: "/api/usage", query, options });
  }

  // Secrets: Credentials that agents use and nobody reads; for owners

  /**
   * List the names of the secrets.
   *
   * `GET /api/secrets`. Needs `tokens:read` or `tokens:read`. May throw `OwnerRequiredError`.
   */
  listSecrets(options?: RequestOptions): Promise<SecretList> {
    return this.#http.json({ method: "GET", path: "/api/secrets", options });
  }

  /**
   * Write a secret.
   *
   * Makes it, or replaces its value.
   *
   * `PUT /api/secrets/{name}`. Needs `tokens:write` or `tokens:write`. May throw `OwnerRequiredError`.
   */
  putSecret(name: string, body: PutSecretRequest, options?: MutationOptions): Promise<Secret> {
    return this.#http.json({ method: "PUT", path: `/api/secrets/${segment(name)}`, body, isKeyed: true, options });
  }

  /**
   * Delete a secret.
   *
   * `DELETE /api/secrets/{name}`. Needs `tokens:write` or `tokens:write`. May throw `OwnerRequiredError` or
   * `NotFoundError`.
   */
  deleteSecret(name: string, options?: MutationOptions): Promise<Secret> {
    return this.#http.json({ method: "DELETE", path: `/api/secrets/${segment(name)}`, isKeyed: true, options });
  }

  // Tokens: Credentials: service tokens for owners, personal ones for all

  /**
   * List the organization's service tokens.
   *
   * `GET /api/service-tokens`. Needs `tokens:read` or `tokens:read`. May throw `InvalidCursorError` or
   * `OwnerRequiredError`.
   */
  listServiceTokens(query?: ListServiceTokensQuery, options?: RequestOptions): Promise<ServiceTokenList> {
    return this.#http.json({ method: "GET", path: "/api/service-tokens", query, options });
  }

  /**
   * List the organization's service tokens. All of them: the next page is asked for when it is needed.
   *
   * `GET /api/service-tokens`. Needs `tokens:read` or `tokens:read`. May throw `InvalidCursorError` or
   * `OwnerRequiredError`.
   */
  listAllServiceTokens(
    query?: Omit<ListServiceTokensQuery, "cursor">,
    options?: RequestOptions,
  ): AsyncGenerator<Token, void, undefined> {
    return this.#http.items(
      (next) => this.listServiceTokens({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options),
      (page) => page.service_tokens,
    );
  }

  /**
   * Create a service token.
   *
   * The answer has the token, which is never shown again. No token makes a scope that it lacks itself.
   *
   * `POST /api/service-tokens`. Needs `tokens:write` or `tokens:write`. May throw `OwnerRequiredError` or
   * `NotFoundError`.
   */
  createServiceToken(body: CreateServiceTokenRequest, options?: MutationOptions): Promise<NewToken> {
    return this.#http.json({ method: "POST", path: "/api/service-tokens", body, isKeyed: true, options });
  }

  /**
   * Revoke a service token.
   *
   * It counts from the next request on, and closes the token's open streams.
   *
   * `POST /api/service-tokens/{id}/revoke`. Needs `tokens:write` or `tokens:write`. May throw `OwnerRequiredError` or
   * `NotFoundError`.
   */
  revokeServiceToken(tokenId: string, options?: MutationOptions): Promise<Token> {
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
   * `GET /api/personal-access-tokens`. Needs `tokens:read` or `tokens:read`. May throw `InvalidCursorError`.
   */
  listPersonalAccessTokens(
    query?: ListPersonalAccessTokensQuery,
    options?: RequestOptions,
  ): Promise<PersonalAccessTokenList> {
    return this.#http.json({ method: "GET", path: "/api/personal-access-tokens", query, options });
  }

  /**
   * List your personal access tokens. All of them: the next page is asked for when it is needed.
   *
   * `GET /api/personal-access-tokens`. Needs `tokens:read` or `tokens:read`. May throw `InvalidCursorError`.
   */
  listAllPersonalAccessTokens(
    query?: Omit<ListPersonalAccessTokensQuery, "cursor">,
    options?: RequestOptions,
  ): AsyncGenerator<Token, void, undefined> {
    return this.#http.items(
      (next) => this.listPersonalAccessTokens({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options),
      (page) => page.personal_access_tokens,
    );
  }

  /**
   * Create a personal access token.
   *
   * The answer has the token, which is never shown again. No token makes a scope that it lacks itself.
   *
   * `POST /api/personal-access-tokens`. Needs `tokens:write` or `tokens:write`. May throw `NotFoundError`.
   */
  createPersonalAccessToken(body: CreatePersonalAccessTokenRequest, options?: MutationOptions): Promise<NewToken> {
    return this.#http.json({ method: "POST", path: "/api/personal-access-tokens", body, isKeyed: true, options });
  }

  /**
   * Revoke a personal access token.
   *
   * It counts from the next request on, and closes the token's open streams.
   *
   * `POST /api/personal-access-tokens/{id}/revoke`. Needs `tokens:write` or `tokens:write`. May throw `NotFoundError`.
   */
  revokePersonalAccessToken(tokenId: string, options?: MutationOptions): Promise<Token> {
    return this.#http.json({
      method: "POST",
      path: `/api/personal-access-tokens/${segment(tokenId)}/revoke`,
      isKeyed: true,
      options,
    });
  }

  // Webhooks: Where events are sent to, and what became of it

  /**
   * Read the delivery configuration.
   *
   * `GET /api/messaging-integration`. Needs `webhooks:read` or `webhooks:read`. May throw `NotFoundError`.
   */
  getMessagingIntegration(options?: RequestOptions): Promise<MessagingIntegration> {
    return this.#http.json({ method: "GET", path: "/api/messaging-integration", options });
  }

  /**
   * Set the destination of events.
   *
   * For owners. The first time makes the signing secret, which is in the answer and never shown again. What still waits
   * goes to the new address. Setting it again enables delivery unless `enabled` is false.
   *
   * `PUT /api/messaging-integration`. Needs `webhooks:write` or `webhooks:write`. May throw `InvalidEventTypeError`,
   * `InvalidUrlError` or `OwnerRequiredError`.
   */
  putMessagingIntegration(
    body: PutMessagingIntegrationRequest,
    options?: MutationOptions,
  ): Promise<MessagingIntegrationWithSecret> {
    return this.#http.json({ method: "PUT", path: "/api/messaging-integration", body, isKeyed: true, options });
  }

  /**
   * List attempts to deliver.
   *
   * The ledger, newest first: each attempt is a row. All filters that are given must match.
   *
   * `GET /api/messaging-integration/deliveries`. Needs `webhooks:read` or `webhooks:read`. May throw
   * `InvalidCursorError` or `InvalidEventTypeError`.
   */
  listDeliveries(query?: ListDeliveriesQuery, options?: RequestOptions): Promise<DeliveryList> {
    return this.#http.json({ method: "GET", path: "/api/messaging-integration/deliveries", query, options });
  }

  /**
   * List attempts to deliver. All of them: the next page is asked for when it is needed.
   *
   * The ledger, newest first: each attempt is a row. All filters that are given must match.
   *
   * `GET /api/messaging-integration/deliveries`. Needs `webhooks:read` or `webhooks:read`. May throw
   * `InvalidCursorError` or `InvalidEventTypeError`.
   */
  listAllDeliveries(
    query?: Omit<ListDeliveriesQuery, "cursor">,
    options?: RequestOptions,
  ): AsyncGenerator<Delivery, void, undefined> {
    return this.#http.items(
      (next) => this.listDeliveries({ ...query, ...(next === undefined ? {} : { cursor: next }) }, options),
      (page) => page.deliveries,
    );
  }

  /**
   * Send an event once more.
   *
   * For owners. To the present destination, signed with the present secret, whatever is subscribed to.
   *
   * `POST /api/messaging-integration/deliveries/{id}/redeliver`. Needs `webhooks:write` or `webhooks:write`. May throw
   * `OwnerRequiredError`, `NotFoundError`, `InvalidStateError` or `EventNotRetainedError`.
   */
  redeliverEvent(deliveryId: string, options?: MutationOptions): Promise<{
    delivery: Delivery;
  }> {
    return this.#http.json({
      method: "POST",
      path: `/api/messaging-integration/deliveries/${segment(deliveryId)}/redeliver`,
      isKeyed: true,
      options,
    });
  }

  /**
   * Send a range of events once more.
   *
   * For owners. Events of the range that are kept no more are left out.
   *
   * `POST /api/messaging-integration/redeliver`. Needs `webhooks:write` or `webhooks:write`. May throw
   * `InvalidEventTypeError`, `OwnerRequiredError`, `NotFoundError` or `InvalidStateError`.
   */
  redeliverEvents(body: RedeliverEventsRequest, options?: MutationOptions): Promise<{
    redelivery: Redelivery;
  }> {
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
   * For owners. The new secret counts at once and is never shown again. For `grace_seconds` deliveries carry a second
   * signature by the old one.
   *
   * `POST /api/messaging-integration/signing-secret/rotate`. Needs `webhooks:write` or `webhooks:write`. May throw
   * `OwnerRequiredError` or `NotFoundError`.
   */
  rotateSigningSecret(
    body?: RotateSigningSecretRequest,
    options?: MutationOptions,
  ): Promise<MessagingIntegrationWithSecret> {
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
   * An event of type `webhook.test` and source `test`, whatever is subscribed to.
   *
   * `POST /api/messaging-integration/test`. Needs `webhooks:write` or `webhooks:write`. May throw `NotFoundError` or
   * `InvalidStateError`.
   */
  testMessagingIntegration(options?: MutationOptions): Promise<{
    delivery: Delivery;
  }> {
    return this.#http.json({ method: "POST", path: "/api/messaging-integration/test", isKeyed: true, options });
  }

  /**
   * Say why a signature does not verify.
   *
   * `POST /api/messaging-integration/verify`. Needs `webhooks:read` or `webhooks:read`. May throw `NotFoundError`.
   */
  verifySignature(body: VerifySignatureRequest, options?: RequestOptions): Promise<SignatureVerification> {
    return this.#http.json({ method: "POST", path: "/api/messaging-integration/verify", body, options });
  }

  // Events: What has happened, by its number

  /**
   * Read the events after a number.
   *
   * For owners, as the webhook is. The same bodies as webhooks deliver, oldest first. Ask again with `after` set to
   * `last_sequence`. Events are kept for 30 days.
   *
   * `GET /api/events`. Needs `events:read` or `events:read`. May throw `OwnerRequiredError` or `EventNotRetainedError`.
   */
  listEvents(query?: ListEventsQuery, options?: RequestOptions): Promise<EventFeed> {
    return this.#http.json({ method: "GET", path: "/api/events", query, options });
  }

  // Insight: How the service moves, and whether it is well

  /**
   * Read the state machines of jobs, chats and tasks.
   *
   * `GET /api/state-machines`. Needs `jobs:read` or `jobs:read`.
   */
  listStateMachines(options?: RequestOptions): Promise<StateMachineList> {
    return this.#http.json({ method: "GET", path: "/api/state-machines", options });
  }

  /**
   * Check what must always hold.
   *
   * For owners. Counts what must never be; each count is 0 in a service that is well.
   *
   * `GET /api/invariants`. Needs `jobs:read` or `jobs:read`. May throw `OwnerRequiredError`.
   */
  checkInvariants(options?: RequestOptions): Promise<InvariantReport> {
    return this.#http.json({ method: "GET", path: "/api/invariants", options });
  }

  // Service: The service about itself, for anybody

  /**
   * Read what is deployed.
   *
   * `GET /api/version`.
   */
  getVersion(options?: RequestOptions): Promise<ServiceVersion> {
    return this.#http.json({ method: "GET", path: "/api/version", isPublic: true, options });
  }

  /**
   * Read the contract.
   *
   * This document.
   *
   * `GET /api/openapi.json`.
   */
  getOpenApi(options?: RequestOptions): Promise<{ [name: string]: unknown }> {
    return this.#http.json({ method: "GET", path: "/api/openapi.json", isPublic: true, options });
  }

  /**
   * Open the interactive reference.
   *
   * A page for people. `#error-<code>` explains an error code.
   *
   * `GET /api/reference`.
   */
  getReference(options?: RequestOptions): Promise<string> {
    return this.#http.text({ method: "GET", path: "/api/reference", isPublic: true, options });
  }

  /**
   * Read the rate-limit policy.
   *
   * `GET /api/rate-limits`.
   */
  getRateLimitPolicy(options?: RequestOptions): Promise<RateLimitPolicy> {
    return this.#http.json({ method: "GET", path: "/api/rate-limits", isPublic: true, options });
  }

  /**
   * Read the versioning and deprecation policy.
   *
   * `GET /api/deprecation-policy`.
   */
  getDeprecationPolicy(options?: RequestOptions): Promise<DeprecationPolicy> {
    return this.#http.json({ method: "GET", path: "/api/deprecation-policy", isPublic: true, options });
  }

  /**
   * Read what an agent needs to use the service.
   *
   * `GET /api/agent-readiness`.
   */
  getAgentReadiness(options?: RequestOptions): Promise<AgentReadiness> {
    return this.#http.json({ method: "GET", path: "/api/agent-readiness", isPublic: true, options });
  }

  /**
   * Read where crawlers and agents begin.
   *
   * `GET /.well-known/teamday-agent-api`.
   */
  getAgentApiManifest(options?: RequestOptions): Promise<AgentApiManifest> {
    return this.#http.json({ method: "GET", path: "/.well-known/teamday-agent-api", isPublic: true, options });
  }

  /**
   * Read which SDKs there are, with their hashes.
   *
   * `GET /api/sdk/manifest`.
   */
  getSdkManifest(options?: RequestOptions): Promise<SdkManifest> {
    return this.#http.json({ method: "GET", path: "/api/sdk/manifest", isPublic: true, options });
  }

  /**
   * Get the TypeScript SDK.
   *
   * One file that needs nothing else, made from this contract.
   *
   * `GET /api/sdk/typescript`.
   */
  getTypeScriptSdk(options?: RequestOptions): Promise<string> {
    return this.#http.text({ method: "GET", path: "/api/sdk/typescript", isPublic: true, options });
  }

  /**
   * Get the Python SDK.
   *
   * One file that needs nothing but the standard library, made from this contract.
   *
   * `GET /api/sdk/python`.
   */
  getPythonSdk(options?: RequestOptions): Promise<string> {
    return this.#http.text({ method: "GET", path: "/api/sdk/python", isPublic: true, options });
  }

  /**
   * Read how to get and use the SDKs.
   *
   * `GET /api/sdk-examples`.
   */
  getSdkExamples(options?: RequestOptions): Promise<SdkExamples> {
    return this.#http.json({ method: "GET", path: "/api/sdk-examples", isPublic: true, options });
  }

  /**
   * Read the same as text for language models.
   *
   * `GET /llms.txt`.
   */
  getLlmsText(options?: RequestOptions): Promise<string> {
    return this.#http.text({ method: "GET", path: "/llms.txt", isPublic: true, options });
  }

  // V1 agents: Agents on the v1 surface

  /**
   * List agents.
   *
   * The organization's agents, newest first, at most 1,000. Archived and private ones are in nobody's list.
   *
   * `GET /api/v1/agents`. Needs `agents:read` or `agents:read`.
   */
  v1ListAgents(options?: RequestOptions): Promise<V1AgentList> {
    return this.#http.json({ method: "GET", path: "/api/v1/agents", options });
  }

  /**
   * Create agent.
   *
   * `POST /api/v1/agents`. Needs `agents:write` or `agents:write`.
   */
  v1CreateAgent(body: V1CreateAgentRequest, options?: MutationOptions): Promise<V1CreatedAgent> {
    return this.#http.json({ method: "POST", path: "/api/v1/agents", body, isKeyed: true, options });
  }

  /**
   * Get agent.
   *
   * `GET /api/v1/agents/{id}`. Needs `agents:read` or `agents:read`. May throw `NotFoundError`.
   */
  v1GetAgent(agentId: string, options?: RequestOptions): Promise<V1AgentAnswer> {
    return this.#http.json({ method: "GET", path: `/api/v1/agents/${segment(agentId)}`, options });
  }

  /**
   * Update agent.
   *
   * What is absent stays as it is. A changed prompt takes effect on the next execution.
   *
   * `PATCH /api/v1/agents/{id}`. Needs `agents:write` or `agents:write`. May throw `ForbiddenError` or `NotFoundError`.
   */
  v1UpdateAgent(agentId: string, body: V1UpdateAgentRequest, options?: MutationOptions): Promise<V1Done> {
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
   * It is archived: no longer found, listed, changed or executed. Its history is kept.
   *
   * `DELETE /api/v1/agents/{id}`. Needs `agents:write` or `agents:write`. May throw `NotFoundError` or
   * `InvalidStateError`.
   */
  v1DeleteAgent(agentId: string, options?: MutationOptions): Promise<V1Done> {
    return this.#http.json({ method: "DELETE", path: `/api/v1/agents/${segment(agentId)}`, isKeyed: true, options });
  }

  // V1 execution: One message to an agent, answered whole or as a stream

  /**
   * Execute agent.
   *
   * With `stream: true` the answer is an event stream: `meta` first, then `message`s, then `result`, or `error`. A
   * client that leaves does not end the work. Send `sessionId` and `chatId` of an earlier answer to go on with its
   * conversation.
   *
   * `POST /api/v1/agents/{id}/execute`. Needs `chats:write` or `chats:write`. May throw `NotFoundError`,
   * `InvalidStateError`, `BudgetExceededError`, `ProviderError` or `ApiTimeoutError`.
   */
  v1ExecuteAgent(
    agentId: string,
    body: Omit<V1ExecuteAgentRequest, "stream">,
    options?: MutationOptions,
  ): Promise<V1ExecutionResult> {
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
   * With `stream: true` the answer is an event stream: `meta` first, then `message`s, then `result`, or `error`. A
   * client that leaves does not end the work. Send `sessionId` and `chatId` of an earlier answer to go on with its
   * conversation.
   *
   * `POST /api/v1/agents/{id}/execute`. Needs `chats:write` or `chats:write`. May throw `NotFoundError`,
   * `InvalidStateError`, `BudgetExceededError`, `ProviderError` or `ApiTimeoutError`.
   */
  v1ExecuteAgentStream(
    agentId: string,
    body: Omit<V1ExecuteAgentRequest, "stream">,
    options?: MutationOptions,
  ): AsyncGenerator<V1ExecutionEvent, void, undefined> {
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
   * All filters that are given must match. At most 1,000, newest first.
   *
   * `GET /api/v1/tasks`. Needs `tasks:read` or `tasks:read`.
   */
  v1ListTasks(query?: V1ListTasksQuery, options?: RequestOptions): Promise<V1TaskList> {
    return this.#http.json({ method: "GET", path: "/api/v1/tasks", query, options });
  }

  /**
   * Create task.
   *
   * The new task is `pending`. Assigning it starts nothing by itself.
   *
   * `POST /api/v1/tasks`. Needs `tasks:write` or `tasks:write`.
   */
  v1CreateTask(body: V1CreateTaskRequest, options?: MutationOptions): Promise<V1TaskAnswer> {
    return this.#http.json({ method: "POST", path: "/api/v1/tasks", body, isKeyed: true, options });
  }
}

/** The version of the contract that this file was made from. */
export const API_VERSION = "2026-11-01";

/** What `listAgents` takes besides. */
export interface ListAgentsQuery {
  /** Records of one page. Default 25 */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** What `listChats` takes besides. */
export interface ListChatsQuery {
  /** Who answers in them */
  agent_id?: string;
  /** Where they are */
  workspace_id?: string;
  /** The status that they have */
  status?: "standby" | "working" | "done" | "error" | "needs_attention";
  /** Records of one page. Default 25 */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** What `waitForChat` takes besides. */
export interface WaitForChatQuery {
  /** The version that the caller has: waits for a newer one */
  since_version?: number;
  /** Seconds to wait for it; 304 when there is none by then. Default 0 */
  wait?: number;
}

/** What `listMessages` takes besides. */
export interface ListMessagesQuery {
  /** Records of one page. Default 25 */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** What `listJobs` takes besides. */
export interface ListJobsQuery {
  /** The status that they have */
  status?: 
    | "queued"
    | "running"
    | "blocked"
    | "needs_review"
    | "cancelling"
    | "completed"
    | "failed"
    | "cancelled";
  /** Who works */
  agent_id?: string;
  /** The chat that they answer in */
  chat_id?: string;
  /** Where they work */
  workspace_id?: string;
  /** Their mission */
  mission_id?: string;
  /** The job that they come from */
  parent_job_id?: string;
  /** A time in ISO 8601 */
  created_after?: string;
  /** Records of one page. Default 25 */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** What `waitForJob` takes besides. */
export interface WaitForJobQuery {
  /** The version that the caller has: waits for a newer one */
  since_version?: number;
  /** Seconds to wait for it; 304 when there is none by then. Default 0 */
  wait?: number;
}

/** What `listTranscriptEvents` takes besides. */
export interface ListTranscriptEventsQuery {
  /** Only events after this seq */
  after?: number;
  /** Types of events, with commas between them */
  types?: string;
  /** Records of one page. Default 25 */
  limit?: number;
}

/** What `cancelJob` takes besides. */
export interface CancelJobQuery {
  /** Seconds to wait for it; 304 when there is none by then. Default 0 */
  wait?: number;
}

/** What `streamChatEvents` takes besides. */
export interface StreamChatEventsQuery {
  /** The cursor to go on from; the header `Last-Event-ID` comes before it */
  after?: string;
  /** Durable events to begin with where there is no cursor: a number, or `all`. Default "100" */
  replay?: string;
  /** Closes the stream of a chat when its turn ends; a job's closes anyway */
  wait?: "end";
}

/** What `streamJobEvents` takes besides. */
export interface StreamJobEventsQuery {
  /** The cursor to go on from; the header `Last-Event-ID` comes before it */
  after?: string;
  /** Durable events to begin with where there is no cursor: a number, or `all`. Default "100" */
  replay?: string;
  /** Closes the stream of a chat when its turn ends; a job's closes anyway */
  wait?: "end";
}

/** What `streamSignedJobEvents` takes besides. */
export interface StreamSignedJobEventsQuery {
  /** Who the address was given to */
  sub?: string;
  /** Until when it opens the stream, in Unix seconds */
  exp?: string;
  /** The signature of all of it */
  sig?: string;
  /** The cursor to go on from; the header `Last-Event-ID` comes before it */
  after?: string;
  /** Durable events to begin with where there is no cursor: a number, or `all`. Default "100" */
  replay?: string;
}

/** What `listTasks` takes besides. */
export interface ListTasksQuery {
  /** The status that they have */
  status?: "pending" | "in_progress" | "completed" | "cancelled";
  /** An agent's or a user's id */
  assigned_to?: string;
  /** The workspace that they belong to */
  workspace_id?: string;
  /** Records of one page. Default 25 */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** What `listWorkspaces` takes besides. */
export interface ListWorkspacesQuery {
  /** Records of one page. Default 25 */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** What `getUsage` takes besides. */
export interface GetUsageQuery {
  /** What a row is of. Default "day" */
  group_by?: "agent" | "model" | "day";
  /** A day, or a time; the first of this month unless given */
  since?: string;
  /** A day, or a time; today unless given */
  until?: string;
}

/** What `listServiceTokens` takes besides. */
export interface ListServiceTokensQuery {
  /** Records of one page. Default 25 */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** What `listPersonalAccessTokens` takes besides. */
export interface ListPersonalAccessTokensQuery {
  /** Records of one page. Default 25 */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** What `listDeliveries` takes besides. */
export interface ListDeliveriesQuery {
  /** Attempts to deliver events of this type */
  event_type?: 
    | "agent.created"
    | "agent.updated"
    | "agent.deleted"
    | "agent.install_state_changed"
    | "chat.created"
    | "chat.updated"
    | "chat.deleted"
    | "chat.message_sent"
    | "job.created"
    | "job.started"
    | "job.blocked"
    | "job.resumed"
    | "job.review_requested"
    | "job.approved"
    | "job.iteration_requested"
    | "job.cancelled"
    | "job.completed"
    | "job.failed"
    | "job.restarted"
    | "mission.created"
    | "mission.updated"
    | "mission.started"
    | "mission.completed"
    | "mission.failed"
    | "mission.paused"
    | "mission.resumed"
    | "mission.run_skipped"
    | "mission_task.created"
    | "mission_task.updated"
    | "mission_task.started"
    | "mission_task.completed"
    | "workspace.created"
    | "workspace.selected"
    | "workspace.app_created"
    | "workspace_repository.added"
    | "workspace_repository.cloned"
    | "workspace_file.changed"
    | "resource.created"
    | "resource.updated"
    | "resource.deleted"
    | "service_token.created"
    | "service_token.revoked"
    | "webhook.configured"
    | "webhook.secret_rotated"
    | "webhook.test"
    | "webhook.disabled"
    | "webhook.redelivery_requested";
  /** Attempts that stand so */
  status?: "pending" | "success" | "failed" | "retrying" | "skipped";
  /** Attempts of this event */
  event_id?: string;
  /** Attempts that were planned at this time or later, ISO 8601 */
  since?: string;
  /** Records of one page. Default 25 */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** What `listEvents` takes besides. */
export interface ListEventsQuery {
  /** The number of the last event that is known; absent: from the oldest */
  after?: number;
  /** Records of one page. Default 25 */
  limit?: number;
}

/** What `v1ListTasks` takes besides. */
export interface V1ListTasksQuery {
  /** The status that they have */
  status?: "pending" | "in_progress" | "completed" | "cancelled";
  /** An agent's or a user's id */
  assignedTo?: string;
  /** A workspace's id */
  spaceId?: string;
}

/** An AI assistant with a name, a role and instructions */
export interface Agent {
  /** The agent's id; entries of the library have ids of their own */
  id: string;
  /** Display name */
  name: string;
  /** What the agent is */
  role: string;
  /** What it is for */
  description: string | null;
  /** Its instructions; null for readers of other organizations */
  system_prompt: string | null;
  /** `provider:name`; null for the service's default */
  model: string | null;
  visibility: "private" | "organization" | "public" | "unlisted";
  source: "private" | "library";
  status: "active" | "archived";
  install_state: "available" | "installed" | "uninstalled";
  allowed_tools: string[];
  /** Tools whose calls wait for a person */
  approval_tools: string[];
  /** How long such a call waits, and what becomes of it then */
  approval_expiry: {
    after_seconds: number;
    on_expiry: "deny" | "cancel";
  };
  mcp_servers: {
    name: string;
    url: string;
    headers?: {
      name: string;
      secret: string;
      prefix?: string;
    }[];
  }[];
  /** Model calls of one job */
  max_steps: number | null;
  tags: string[];
  /** Who made it; null for an entry of the library that is not installed */
  created_by: string | null;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string | null;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
}

/** Where crawlers and agents begin */
export interface AgentApiManifest {
  name: string;
  description: string;
  version: string;
  /** A version of the contract, by date */
  api_version: string;
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
  /** The same as text */
  llms_txt: string;
  authentication: {
    type: string;
    header: string;
    format: string;
  };
  /** The MCP endpoint */
  mcp: string | null;
  sdks: string[];
}

/** A page of agents, newest first */
export interface AgentList {
  agents: Agent[];
  /** Where the next page begins; absent on the last */
  next_cursor?: string;
}

/** What an agent needs to use the service by itself */
export interface AgentReadiness {
  name: string;
  description: string;
  contract: {
    /** The OpenAPI 3.1 document */
    openapi: string;
    /** The same for people */
    reference: string;
    /** A version of the contract, by date */
    api_version: string;
    version_header: string;
  };
  authentication: {
    type: string;
    header: string;
    kinds: string[];
    how: string;
  }[];
  scopes: {
    name: string;
    allows: string;
  }[];
  mcp: 
    | {
      /** The endpoint */
      url: string;
      transport: string;
    }
    | null;
  sdks: {
    language: string;
    /** The source, one file */
    source: string;
  }[];
  rate_limits: {
    /** The policy */
    policy: string;
    limit: number;
    window_seconds: number;
  };
  idempotency: {
    header: string;
    answer_header: string;
    remembered_seconds: number;
    how: string;
  };
  streams: {
    content_type: string;
    paths: string[];
    resume: string;
  };
  webhooks: 
    | {
      /** Where they are configured */
      configuration: string;
      verification: string;
    }
    | null;
  errors: {
    fields: string[];
    codes: {
      code: string;
      status: number;
      meaning: string;
      remedy: string;
      /** The same in the reference */
      url: string;
    }[];
  };
  changelog: {
    versions: {
      /** A version of the contract, by date */
      version: string;
      changes: string;
    }[];
    /** What is to go */
    deprecations: string;
  };
}

/** A call of a tool that waits for a person */
export interface Approval {
  /** The approval's id */
  id: string;
  /** The tool */
  tool_name: string;
  /** The call */
  tool_call_id: string;
  /** What the tool would be called with */
  arguments: { [name: string]: unknown };
  /** What is asked */
  message: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string;
  on_expiry: "deny" | "cancel";
}

export interface ApproveJobRequest {
  approval_id?: string;
  tool_call_id?: string;
  decision?: "approve" | "deny";
  /** In place of the model's; at most 64 KiB as JSON */
  arguments?: { [name: string]: unknown };
  comment?: string;
}

/** A piece of a message: text, what the model thought before it, a call of a tool, or what the tool answered */
export type Block =
  | {
    type: "text";
    text: string;
  }
  | {
    type: "reasoning";
    text: string;
  }
  | {
    type: "tool_use";
    id: string;
    name: string;
    input: { [name: string]: unknown };
  }
  | {
    type: "tool_result";
    tool_use_id: string;
    content: string;
    is_error: boolean;
  };

/** How a job was stopped */
export interface CancelReceipt {
  job: Job;
  /** After this event there is none; null until it has stopped */
  stopped_at_seq: number | null;
  /** The message with what there was; absent where there was nothing */
  partial_message_id?: string;
  /** Calls of tools that were finished */
  tool_calls_finished: number;
  /** Calls of tools that were not */
  tool_calls_aborted: number;
}

/** A durable conversation with an agent */
export interface Chat {
  /** The chat's id */
  id: string;
  /** What it is called */
  title: string;
  status: "standby" | "working" | "done" | "error" | "needs_attention";
  /** Who answers */
  agent_id: string;
  /** What the agent was called when the chat was opened */
  agent_name: string;
  /** Where it is */
  workspace_id: string;
  options: ChatOptions;
  /** Messages in it */
  message_count: number;
  /** A job's id */
  active_job_id: string | null;
  /** Messages that wait for their turn */
  queued_messages: number;
  /** The mission whose run it is */
  mission_id: string | null;
  run_number: number | null;
  /** The beginning of the newest message */
  last_message_preview: string | null;
  /** The seq of its newest event */
  last_seq: number;
  /** What its maker gave it */
  metadata: { [name: string]: unknown };
  /** Who opened it */
  created_by: string;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
}

/** A page of chats, newest first */
export interface ChatList {
  chats: Chat[];
  /** Where the next page begins; absent on the last */
  next_cursor?: string;
}

/** What the people in a chat may set */
export interface ChatOptions {
  /** In place of the agent's own; null leaves it */
  model: string | null;
  /** What becomes of a message while a turn runs */
  on_busy: "queue" | "steer" | "interrupt" | "reject";
  /** In place of the agent's own; null leaves them */
  tools: string[] | null;
  /** Calls that would wait for a person are made at once */
  auto_approve: boolean;
  /** What it is called */
  title: string;
  pinned: boolean;
}

/** An event of a chat's stream */
export type ChatStreamEvent =
  | {
    event: "snapshot";
    data: Chat;
  }
  | {
    event: "message.created";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "message.created";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      message_id: string;
      role: "user" | "assistant" | "system" | "tool";
      content: string;
      job_id: string | null;
    };
  }
  | {
    event: "message.queued";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "message.queued";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      message_id: string;
      position: number;
    };
  }
  | {
    event: "message.started";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "message.started";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      message_id: string;
      attempt: number;
    };
  }
  | {
    event: "message.restarted";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "message.restarted";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      message_id: string;
      attempt: number;
    };
  }
  | {
    event: "message.completed";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "message.completed";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      message_id: string;
      status: "completed" | "cancelled" | "failed";
      content: string;
    };
  }
  | {
    event: "tool.started";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "tool.started";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      call_id: string;
      name: string;
    };
  }
  | {
    event: "tool.completed";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "tool.completed";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      call_id: string;
    };
  }
  | {
    event: "tool.failed";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "tool.failed";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      call_id: string;
    };
  }
  | {
    event: "routing.updated";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "routing.updated";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      model: string | null;
    };
  }
  | {
    event: "approval.requested";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "approval.requested";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      approval_id: string;
      tool_name: string;
      tool_call_id: string;
      arguments: { [name: string]: unknown };
      message: string;
      /** ISO 8601 UTC with milliseconds */
      expires_at: string;
      on_expiry: "deny" | "cancel";
    };
  }
  | {
    event: "approval.resolved";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "approval.resolved";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      approval_id: string;
      tool_call_id: string;
      decision: "approve" | "deny" | "expired";
      by: string | null;
      arguments?: { [name: string]: unknown };
    };
  }
  | {
    event: "review.updated";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "review.updated";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      state: "none" | "pending" | "approved" | "changes_requested" | "expired";
      decided_by: string | null;
      comment: string | null;
    };
  }
  | {
    event: "job.linked";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.linked";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      message_id: string;
    };
  }
  | {
    event: "job.updated";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.updated";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      status: 
        | "queued"
        | "running"
        | "blocked"
        | "needs_review"
        | "cancelling"
        | "completed"
        | "failed"
        | "cancelled";
      blocked_reason: 
        | "approval_required"
        | "input_required"
        | "auth_required"
        | "budget_reached"
        | "interrupted"
        | null;
    };
  }
  | {
    event: "chat.updated";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "chat.updated";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      status?: "standby" | "working" | "done" | "error" | "needs_attention";
      options?: {
        model?: string | null;
        on_busy?: "queue" | "steer" | "interrupt" | "reject";
        tools?: string[] | null;
        auto_approve?: boolean;
        title?: string;
        pinned?: boolean;
      };
      deleted?: boolean;
    };
  }
  | {
    event: "usage.updated";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "usage.updated";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      input_tokens: number;
      output_tokens: number;
    };
  }
  | {
    event: "error";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "error";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      job_id: string;
      code: 
        | "provider_unreachable"
        | "provider_unauthorized"
        | "provider_rate_limited"
        | "provider_error"
        | "provider_stalled"
        | "provider_rejected"
        | "model_unavailable"
        | "step_limit"
        | "timeout"
        | "attempts_exhausted"
        | "internal_error";
      message: string;
    };
  }
  | {
    event: "message.delta";
    /** The cursor that has it */
    id: string;
    data: {
      /** The message that it belongs to */
      message_id: string;
      /** Where the text ends in the message's content, in UTF-16 units */
      position: number;
      /** What is added */
      text: string;
    };
  }
  | {
    event: "reset";
    data: {
      /** Why the cursor is of no use */
      reason: "malformed" | "ahead_of_head" | "not_retained";
      /** The replay begins with this event */
      from_seq: number;
    };
  }
  | {
    event: "stream.closing";
    data: {
      reason: 
        | "deploy"
        | "unavailable"
        | "revoked"
        | "slow_consumer"
        | "expired"
        | "moved";
      /** The cursor to come back with */
      resume_after: string | null;
    };
  }
  | {
    event: "stream.end";
    data: {};
  };

/** What goes on in a chat */
export interface ChatWork {
  /** A job's id */
  active_job_id: string | null;
  /** The newest jobs */
  jobs: {
    /** A job's id */
    id: string;
    /** What it is called */
    title: string;
    status: 
      | "queued"
      | "running"
      | "blocked"
      | "needs_review"
      | "cancelling"
      | "completed"
      | "failed"
      | "cancelled";
    review_state: "none" | "pending" | "approved" | "changes_requested" | "expired";
  }[];
  artifacts: { [name: string]: unknown }[];
  /** Whether it waits for a person */
  needs_attention: boolean;
}

export interface CreateAgentRequest {
  name: string;
  system_prompt: string;
  role?: string;
  description?: string | null;
  model?: string | null;
  allowed_tools?: string[];
  approval_tools?: string[];
  approval_expiry?: {
    after_seconds: number;
    on_expiry: "deny" | "cancel";
  };
  mcp_servers?: {
    name: string;
    url: string;
    headers?: {
      name: string;
      secret: string;
      prefix?: string;
    }[];
  }[];
  max_steps?: number | null;
  tags?: string[];
}

export interface CreateChatRequest {
  agent_id: string;
  workspace_id: string;
  title?: string;
  options?: {
    model?: string | null;
    on_busy?: "queue" | "steer" | "interrupt" | "reject";
    tools?: string[] | null;
    auto_approve?: boolean;
    title?: string;
    pinned?: boolean;
  };
  metadata?: { [name: string]: unknown };
}

export interface CreatePersonalAccessTokenRequest {
  name: string;
  scopes: Array<
    | "agents:read"
    | "agents:write"
    | "chats:read"
    | "chats:write"
    | "jobs:read"
    | "jobs:write"
    | "missions:read"
    | "missions:write"
    | "workspaces:read"
    | "workspaces:write"
    | "webhooks:read"
    | "webhooks:write"
    | "tokens:read"
    | "tokens:write"
    | "tasks:read"
    | "tasks:write"
    | "events:read"
    | "mcp"
    | "*">;
  expires_in_days?: number;
}

export interface CreateServiceTokenRequest {
  name: string;
  scopes: Array<
    | "agents:read"
    | "agents:write"
    | "chats:read"
    | "chats:write"
    | "jobs:read"
    | "jobs:write"
    | "missions:read"
    | "missions:write"
    | "workspaces:read"
    | "workspaces:write"
    | "webhooks:read"
    | "webhooks:write"
    | "tokens:read"
    | "tokens:write"
    | "tasks:read"
    | "tasks:write"
    | "events:read"
    | "mcp"
    | "*">;
  expires_in_days?: number;
}

/** A chat that nobody finds any more */
export interface DeletedChat {
  /** The chat's id */
  id: string;
  deleted: true;
}

/** One attempt to deliver an event */
export interface Delivery {
  /** The attempt's id */
  id: string;
  /** The event; its receivers dedupe on it */
  event_id: string;
  event_type: 
    | "agent.created"
    | "agent.updated"
    | "agent.deleted"
    | "agent.install_state_changed"
    | "chat.created"
    | "chat.updated"
    | "chat.deleted"
    | "chat.message_sent"
    | "job.created"
    | "job.started"
    | "job.blocked"
    | "job.resumed"
    | "job.review_requested"
    | "job.approved"
    | "job.iteration_requested"
    | "job.cancelled"
    | "job.completed"
    | "job.failed"
    | "job.restarted"
    | "mission.created"
    | "mission.updated"
    | "mission.started"
    | "mission.completed"
    | "mission.failed"
    | "mission.paused"
    | "mission.resumed"
    | "mission.run_skipped"
    | "mission_task.created"
    | "mission_task.updated"
    | "mission_task.started"
    | "mission_task.completed"
    | "workspace.created"
    | "workspace.selected"
    | "workspace.app_created"
    | "workspace_repository.added"
    | "workspace_repository.cloned"
    | "workspace_file.changed"
    | "resource.created"
    | "resource.updated"
    | "resource.deleted"
    | "service_token.created"
    | "service_token.revoked"
    | "webhook.configured"
    | "webhook.secret_rotated"
    | "webhook.test"
    | "webhook.disabled"
    | "webhook.redelivery_requested";
  source: "job_lifecycle" | "api_mutation" | "test";
  /** The event's number */
  sequence: number;
  attempt: number;
  status: "pending" | "success" | "failed" | "retrying" | "skipped";
  http_status: number | null;
  error: 
    | "timeout"
    | "dns_error"
    | "tls_error"
    | "connection_refused"
    | "connection_reset"
    | "blocked_address"
    | "http_error"
    | null;
  duration_ms: number | null;
  /** Redacted */
  destination_host: string;
  /** The same for all attempts of one delivery */
  delivery_key: string;
  trigger: "automatic" | "redelivery" | "test";
  /** ISO 8601 UTC with milliseconds */
  next_attempt_at: string | null;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
}

/** A page of deliveries, newest first */
export interface DeliveryList {
  deliveries: Delivery[];
  /** Where the next page begins; absent on the last */
  next_cursor?: string;
}

/** How the contract changes, and what of it is to go */
export interface DeprecationPolicy {
  versioning: {
    scheme: "date";
    header: "Api-Version";
    /** A version of the contract, by date */
    current: string;
    supported: string[];
    breaking_changes: string;
    v1: string;
  };
  /** Months that an operation stays after its replacement is published */
  compatibility_months: number;
  /** Days between the announcement and the deprecation */
  deprecation_notice_days: number;
  /** Days between the announcement and the removal */
  sunset_notice_days: number;
  /** What the responses of a deprecated operation say */
  headers: {
    name: string;
    meaning: string;
  }[];
  deprecations: {
    /** The operation's id */
    operation: string;
    method: string;
    path: string;
    /** When it was announced */
    announced_at: string;
    /** From when on it is deprecated */
    deprecated_at: string;
    /** When it will be gone; null while that is not decided */
    sunset_at: string | null;
    /** The path of what replaces it */
    successor: string | null;
    /** What tells how to move */
    guide: string | null;
  }[];
}

/** What a caller needs to act on a refusal; which of these are there depends on the code */
export interface ErrorDetails {
  errors?: InputError[];
  required_scopes?: string[];
  /** Versions of the interface */
  supported?: string[];
  /** Event types that there are not */
  unknown?: string[];
  /** The oldest event that is kept */
  oldest_sequence?: number;
  limit_bytes?: number;
  /** The status that the record has now */
  status?: string;
  /** What may be done with it now */
  allowed_actions?: string[];
  /** The job that is in the way */
  job_id?: string;
  /** The version that the record has now */
  version?: number;
}

/** What has happened */
export interface Event {
  /** The event's id: the same over retries and redeliveries */
  id: string;
  type: 
    | "agent.created"
    | "agent.updated"
    | "agent.deleted"
    | "agent.install_state_changed"
    | "chat.created"
    | "chat.updated"
    | "chat.deleted"
    | "chat.message_sent"
    | "job.created"
    | "job.started"
    | "job.blocked"
    | "job.resumed"
    | "job.review_requested"
    | "job.approved"
    | "job.iteration_requested"
    | "job.cancelled"
    | "job.completed"
    | "job.failed"
    | "job.restarted"
    | "mission.created"
    | "mission.updated"
    | "mission.started"
    | "mission.completed"
    | "mission.failed"
    | "mission.paused"
    | "mission.resumed"
    | "mission.run_skipped"
    | "mission_task.created"
    | "mission_task.updated"
    | "mission_task.started"
    | "mission_task.completed"
    | "workspace.created"
    | "workspace.selected"
    | "workspace.app_created"
    | "workspace_repository.added"
    | "workspace_repository.cloned"
    | "workspace_file.changed"
    | "resource.created"
    | "resource.updated"
    | "resource.deleted"
    | "service_token.created"
    | "service_token.revoked"
    | "webhook.configured"
    | "webhook.secret_rotated"
    | "webhook.test"
    | "webhook.disabled"
    | "webhook.redelivery_requested";
  api_version: string;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** `created_at` in seconds */
  timestamp: number;
  /** Whose it is */
  organization_id: string;
  /** Without a gap within the organization */
  sequence: number;
  source: "job_lifecycle" | "api_mutation" | "test";
  actor: {
    type: "user" | "service_token" | "agent" | "system";
    id: string;
  };
  /** The request that has caused it */
  request_id: string | null;
  resource: {
    /** What it is about */
    type: string;
    id: string | null;
    /** Where it is read */
    url: string | null;
    version: number | null;
  };
  data: { [name: string]: unknown };
  /** The fields that have been set */
  changes: string[];
  /** The data was longer than 20 KiB, and is ids and status only */
  truncated?: true;
}

/** Events by their numbers */
export interface EventFeed {
  events: Event[];
  /** Of the last event here, or `after` where there is none */
  last_sequence: number;
  has_more: boolean;
}

/** Durable events, oldest first */
export interface EventPage {
  events: RecordedEvent[];
  /** `after` of the next page; absent on the last */
  next_cursor?: string;
}

/** What is wrong with one place of the input */
export interface InputError {
  /** A JSON pointer */
  path: string;
  /** In words */
  message: string;
}

/** What must never be, counted */
export interface InvariantReport {
  /** Whether every count is 0 */
  ok: boolean;
  checks: {
    /** What is counted */
    name: string;
    /** How many */
    count: number;
  }[];
}

export interface IterateJobRequest {
  feedback: string;
}

/** A long-running work record: one turn of an agent */
export interface Job {
  /** A job's id */
  id: string;
  /** What it is called */
  title: string;
  status: 
    | "queued"
    | "running"
    | "blocked"
    | "needs_review"
    | "cancelling"
    | "completed"
    | "failed"
    | "cancelled";
  blocked_reason: 
    | "approval_required"
    | "input_required"
    | "auth_required"
    | "budget_reached"
    | "interrupted"
    | null;
  /** Who works */
  agent_id: string;
  /** The chat that it answers in */
  chat_id: string;
  /** Where it works */
  workspace_id: string | null;
  /** Its mission */
  mission_id: string | null;
  /** The task of a mission that it does */
  mission_task_id: string | null;
  /** The job that it comes from */
  parent_job_id: string | null;
  /** A job's id */
  root_job_id: string;
  /** How it comes from its parent */
  relation: "root" | "iteration" | "resume" | "delegation";
  /** Which round of feedback it is */
  iteration: number;
  /** How often it has been begun */
  attempt: number;
  priority: "low" | "medium" | "high" | "urgent";
  /** What was asked */
  input: string;
  /** What has come of it */
  result: string | null;
  error: RunError | null;
  progress: {
    percent: number | null;
    label: string | null;
  };
  review: Review;
  approvals: Approval[];
  artifacts: { [name: string]: unknown }[];
  metrics: JobMetrics;
  budget: JobBudget;
  runner: JobRunner | null;
  /** What its maker gave it */
  metadata: { [name: string]: unknown };
  /** The seq of its newest event */
  last_seq: number;
  /** Who it acts for */
  created_by: string;
  /** ISO 8601 UTC with milliseconds */
  started_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  completed_at: string | null;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
}

/** What a job may use; null is the service's own limit */
export interface JobBudget {
  max_tokens: number | null;
  max_steps: number | null;
  /** ISO 8601 UTC with milliseconds */
  deadline_at: string | null;
}

/** The jobs that come from one root, oldest first */
export interface JobLineage {
  /** A job's id */
  root_id: string;
  nodes: JobNode[];
}

/** A page of jobs, newest first */
export interface JobList {
  jobs: Job[];
  /** Where the next page begins; absent on the last */
  next_cursor?: string;
}

/** What a job has used */
export interface JobMetrics {
  /** Tokens that were sent to models */
  input_tokens: number;
  /** Tokens that came back */
  output_tokens: number;
  /** Calls of tools */
  tool_calls: number;
  duration_ms: number | null;
  time_to_first_token_ms: number | null;
}

/** A job among its relatives */
export interface JobNode {
  /** A job's id */
  id: string;
  /** The job that it comes from */
  parent_job_id: string | null;
  relation: "root" | "iteration" | "resume" | "delegation";
  status: 
    | "queued"
    | "running"
    | "blocked"
    | "needs_review"
    | "cancelling"
    | "completed"
    | "failed"
    | "cancelled";
  /** What it is called */
  title: string;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
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

/** An event of a job's stream */
export type JobStreamEvent =
  | {
    event: "snapshot";
    data: Job;
  }
  | {
    event: "job.created";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.created";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      chat_id: string;
      agent_id: string;
      title: string;
    };
  }
  | {
    event: "job.started";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.started";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      attempt: number;
      model: string;
    };
  }
  | {
    event: "job.restarted";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.restarted";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      attempt: number;
    };
  }
  | {
    event: "job.blocked";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.blocked";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      reason: 
        | "approval_required"
        | "input_required"
        | "auth_required"
        | "budget_reached"
        | "interrupted";
    };
  }
  | {
    event: "job.resumed";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.resumed";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      attempt: number;
    };
  }
  | {
    event: "job.review_requested";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.review_requested";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      /** ISO 8601 UTC with milliseconds */
      expires_at: string;
    };
  }
  | {
    event: "job.approved";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.approved";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      decided_by: string | null;
    };
  }
  | {
    event: "job.iteration_requested";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.iteration_requested";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      by: string;
      feedback: string;
    };
  }
  | {
    event: "job.cancelling";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.cancelling";
      /** ISO 8601 UTC with milliseconds */
      at: string;
    };
  }
  | {
    event: "job.completed";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.completed";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      usage: {
        input_tokens: number;
        output_tokens: number;
      };
    };
  }
  | {
    event: "job.failed";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.failed";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      error: {
        code: 
          | "provider_unreachable"
          | "provider_unauthorized"
          | "provider_rate_limited"
          | "provider_error"
          | "provider_stalled"
          | "provider_rejected"
          | "model_unavailable"
          | "step_limit"
          | "timeout"
          | "attempts_exhausted"
          | "internal_error";
        message: string;
      };
      usage: {
        input_tokens: number;
        output_tokens: number;
      };
    };
  }
  | {
    event: "job.cancelled";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "job.cancelled";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      tool_calls_aborted: number;
      usage: {
        input_tokens: number;
        output_tokens: number;
      };
    };
  }
  | {
    event: "runner.status";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "runner.status";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      state: "queued" | "starting" | "running" | "waiting" | "stopped";
      attempt: number;
      /** ISO 8601 UTC with milliseconds */
      heartbeat_at: string | null;
      progress: {
        percent: number | null;
        label: string | null;
      };
    };
  }
  | {
    event: "transcript.event";
    /** The cursor that has it */
    id: string;
    data: 
      | {
        /** Its place in the stream, from 1, without gaps */
        seq: number;
        type: "transcript.event";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        kind: "assistant_text";
        text: string;
      }
      | {
        /** Its place in the stream, from 1, without gaps */
        seq: number;
        type: "transcript.event";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        kind: "reasoning";
        text: string;
      }
      | {
        /** Its place in the stream, from 1, without gaps */
        seq: number;
        type: "transcript.event";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        kind: "user_text";
        text: string;
        message_id?: string;
      }
      | {
        /** Its place in the stream, from 1, without gaps */
        seq: number;
        type: "transcript.event";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        kind: "tool_use";
        id: string;
        name: string;
        input: { [name: string]: unknown };
      }
      | {
        /** Its place in the stream, from 1, without gaps */
        seq: number;
        type: "transcript.event";
        /** ISO 8601 UTC with milliseconds */
        at: string;
        kind: "tool_result";
        tool_use_id: string;
        content: string;
        is_error: boolean;
      };
  }
  | {
    event: "log";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "log";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      level: "info" | "warn";
      message: string;
    };
  }
  | {
    event: "usage.updated";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "usage.updated";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      input_tokens: number;
      output_tokens: number;
    };
  }
  | {
    event: "approval.requested";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "approval.requested";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      approval_id: string;
      tool_name: string;
      tool_call_id: string;
      arguments: { [name: string]: unknown };
      message: string;
      /** ISO 8601 UTC with milliseconds */
      expires_at: string;
      on_expiry: "deny" | "cancel";
    };
  }
  | {
    event: "approval.resolved";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "approval.resolved";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      approval_id: string;
      tool_call_id: string;
      decision: "approve" | "deny" | "expired";
      by: string | null;
      arguments?: { [name: string]: unknown };
    };
  }
  | {
    event: "review.updated";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "review.updated";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      state: "none" | "pending" | "approved" | "changes_requested" | "expired";
      decided_by: string | null;
      comment: string | null;
    };
  }
  | {
    event: "error";
    /** The cursor that has it */
    id: string;
    data: {
      /** Its place in the stream, from 1, without gaps */
      seq: number;
      type: "error";
      /** ISO 8601 UTC with milliseconds */
      at: string;
      code: 
        | "provider_unreachable"
        | "provider_unauthorized"
        | "provider_rate_limited"
        | "provider_error"
        | "provider_stalled"
        | "provider_rejected"
        | "model_unavailable"
        | "step_limit"
        | "timeout"
        | "attempts_exhausted"
        | "internal_error";
      message: string;
    };
  }
  | {
    event: "transcript.delta";
    /** The cursor that has it */
    id: string;
    data: {
      /** The message that it belongs to */
      message_id: string;
      /** Where the text ends in the message's content, in UTF-16 units */
      position: number;
      /** What is added */
      text: string;
    };
  }
  | {
    event: "reset";
    data: {
      /** Why the cursor is of no use */
      reason: "malformed" | "ahead_of_head" | "not_retained";
      /** The replay begins with this event */
      from_seq: number;
    };
  }
  | {
    event: "stream.closing";
    data: {
      reason: 
        | "deploy"
        | "unavailable"
        | "revoked"
        | "slow_consumer"
        | "expired"
        | "moved";
      /** The cursor to come back with */
      resume_after: string | null;
    };
  }
  | {
    event: "stream.end";
    data: {};
  };

/** What somebody has said in a chat */
export interface Message {
  /** The message's id */
  id: string;
  /** Its chat */
  chat_id: string;
  /** The organization that owns it */
  organization_id: string;
  role: "user" | "assistant" | "system" | "tool";
  status: "queued" | "streaming" | "completed" | "cancelled" | "failed";
  /** The text blocks joined; `position` of the streams counts in it */
  content: string;
  blocks: Block[];
  /** A job's id */
  job_id: string | null;
  usage: TokenUsage | null;
  sender: {
    type: "user" | "agent";
    /** A user's or an agent's id */
    id: string;
  };
  /** What its sender gave it */
  metadata: { [name: string]: unknown };
  /** Its place in the conversation: the seq of the event that made it */
  seq: number;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** ISO 8601 UTC with milliseconds */
  completed_at: string | null;
}

/** A page of messages in the order of the conversation, from the newest page to the oldest */
export interface MessagePage {
  /** The chat */
  chat_id: string;
  /** What it is called */
  title: string;
  status: "standby" | "working" | "done" | "error" | "needs_attention";
  messages: Message[];
  work: ChatWork;
  /** Where the page of older messages ends; absent on the last */
  next_cursor?: string;
}

/** Where an organization's events are sent to */
export interface MessagingIntegration {
  provider: "webhook";
  name: string;
  /** Whole for owners; others see its scheme and the host as the ledger names it */
  url: string;
  enabled: boolean;
  event_types: string[];
  retry_profile: "standard" | "durable";
  secret_set: boolean;
  secret_last4: string;
  /** ISO 8601 UTC with milliseconds */
  former_secret_until: string | null;
  disabled_reason: "gone" | "failing" | null;
  /** ISO 8601 UTC with milliseconds */
  last_success_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  last_failure_at: string | null;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
}

/** A destination and its new secret */
export interface MessagingIntegrationWithSecret {
  provider: "webhook";
  name: string;
  /** Whole for owners; others see its scheme and the host as the ledger names it */
  url: string;
  enabled: boolean;
  event_types: string[];
  retry_profile: "standard" | "durable";
  secret_set: boolean;
  secret_last4: string;
  /** ISO 8601 UTC with milliseconds */
  former_secret_until: string | null;
  disabled_reason: "gone" | "failing" | null;
  /** ISO 8601 UTC with milliseconds */
  last_success_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  last_failure_at: string | null;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
  /** The signing secret; never shown again */
  secret?: string;
}

/** A model that the operator allows */
export interface Model {
  /** `provider:name`, as agents and chats name it */
  id: string;
  /** Who offers it */
  provider: string;
  /** Its name there */
  name: string;
  /** Whether it answers where no model is named */
  default: boolean;
  /** Whether it is the built-in demo provider, which is no language model */
  demo: boolean;
  limits: {
    /** Model calls of one job, unless its budget or its agent names a number */
    max_steps: number;
    /** How long one job may run, unless its budget names a time */
    max_run_seconds: number;
  };
}

/** All models that are allowed */
export interface ModelList {
  models: Model[];
}

/** A new credential; the token itself is never shown again */
export interface NewToken {
  /** The token's id */
  id: string;
  kind: "personal" | "service";
  /** What it is for */
  name: string;
  status: "active" | "expired" | "revoked";
  scopes: Array<
    | "agents:read"
    | "agents:write"
    | "chats:read"
    | "chats:write"
    | "jobs:read"
    | "jobs:write"
    | "missions:read"
    | "missions:write"
    | "workspaces:read"
    | "workspaces:write"
    | "webhooks:read"
    | "webhooks:write"
    | "tokens:read"
    | "tokens:write"
    | "tasks:read"
    | "tasks:write"
    | "events:read"
    | "mcp"
    | "*">;
  /** Its last characters, by which its owner recognises it */
  last_characters: string;
  /** Who it acts as */
  user_id: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string;
  /** ISO 8601 UTC with milliseconds */
  last_used_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  revoked_at: string | null;
  /** The token that it was made with; null where the operator made it */
  created_with: string | null;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
  /** What to send as the bearer: keep it */
  token: string;
}

/** A page of personal access tokens, newest first */
export interface PersonalAccessTokenList {
  personal_access_tokens: Token[];
  /** Where the next page begins; absent on the last */
  next_cursor?: string;
}

export interface PutMessagingIntegrationRequest {
  provider?: "webhook";
  name?: string;
  url: string;
  enabled?: boolean;
  /** Exact types or `family.*`; empty is all */
  event_types?: string[];
  retry_profile?: "standard" | "durable";
}

export interface PutSecretRequest {
  value: string;
}

/** How requests are limited, as the service does it now */
export interface RateLimitPolicy {
  default: {
    /** Requests of an identity in a window */
    limit: number;
    window_seconds: number;
    /** How many of them may come at once */
    burst: number;
    algorithm: "fixed-window";
  };
  /** For whom a request counts: the first of these that it has */
  identity_order: string[];
  /** What every response of the current surface says */
  headers: {
    name: string;
    meaning: string;
  }[];
  public_endpoints: {
    counted: boolean;
    /** Requests of an address without a good token in a window */
    limit: number;
    identity: string;
  };
  v1: {
    /** Whether requests of v1 count too */
    counted: boolean;
  };
  /** What a request past the limit is answered with, and `Retry-After` */
  status: 429;
  higher_limits: string;
}

/** A durable event of a stream */
export interface RecordedEvent {
  /** Its place in the stream */
  seq: number;
  /** What has happened */
  type: string;
  /** ISO 8601 UTC with milliseconds */
  at: string;
  /** What is told of it; the stream's own events say which fields each type has */
  data: { [name: string]: unknown };
}

export interface RedeliverEventsRequest {
  since_sequence: number;
  until_sequence: number;
  /** Exact types or `family.*`; empty is all */
  event_types?: string[];
}

/** The events that are sent once more */
export interface Redelivery {
  since_sequence: number;
  until_sequence: number;
  event_types: string[];
}

export interface ResumeJobRequest {
  input?: string;
  retry_step?: boolean;
}

/** What people say about the outcome of a job */
export interface Review {
  state: "none" | "pending" | "approved" | "changes_requested" | "expired";
  required: boolean;
  /** ISO 8601 UTC with milliseconds */
  requested_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string | null;
  /** The user who has decided */
  decided_by: string | null;
  /** ISO 8601 UTC with milliseconds */
  decided_at: string | null;
  comment: string | null;
}

export interface RotateSigningSecretRequest {
  grace_seconds?: number;
}

/** Why a job has failed */
export interface RunError {
  code: 
    | "provider_unreachable"
    | "provider_unauthorized"
    | "provider_rate_limited"
    | "provider_error"
    | "provider_stalled"
    | "provider_rejected"
    | "model_unavailable"
    | "step_limit"
    | "timeout"
    | "attempts_exhausted"
    | "internal_error";
  /** In words */
  message: string;
}

/** What to type */
export interface SdkCommand {
  /** What it does */
  title: string;
  language: "typescript" | "python";
  /** A line for a shell */
  command: string;
}

/** A program beside the SDK's file */
export interface SdkExample {
  /** What it does */
  title: string;
  language: "typescript" | "python";
  /** The name to keep it under */
  file: string;
  /** All of it */
  code: string;
}

/** How the SDKs are got and used, as tests run it */
export interface SdkExamples {
  /** What the commands and the examples read */
  environment: {
    /** A variable */
    name: string;
    /** What to set it to */
    value: string;
  }[];
  commands: SdkCommand[];
  examples: SdkExample[];
}

/** The SDKs that the service serves, each one file */
export interface SdkManifest {
  /** The version of the contract that they were made from */
  api_version: string;
  packages: SdkPackage[];
}

/** An SDK */
export interface SdkPackage {
  /** What it is called */
  name: string;
  language: "typescript" | "python";
  /** The version of the service that it came with */
  version: string;
  /** The name to keep it under */
  file: string;
  /** Where it is */
  url: string;
  /** SHA-256 of its bytes, in hex */
  sha256: string;
  /** How long it is */
  bytes: number;
  /** What it needs */
  requires: string;
}

/** A value that is written and never read; agents refer to it by its name */
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
  secrets: Secret[];
}

export interface SendMessageRequest {
  content: string;
  on_busy?: "queue" | "steer" | "interrupt" | "reject";
  metadata?: { [name: string]: unknown };
  priority?: "low" | "medium" | "high" | "urgent";
  review_required?: boolean;
  budget?: {
    max_tokens?: number;
    max_steps?: number;
    /** When its run ends, in ISO 8601; 24 hours after its beginning at the latest */
    deadline_at?: string;
  };
}

/** A message that is stored, and the job that answers it */
export interface SentMessage {
  message: Message;
  job: Job;
  chat: Chat;
  /** Its place among the turns that wait; 0 for the one that runs */
  queued_position: number;
}

/** A page of service tokens, newest first */
export interface ServiceTokenList {
  service_tokens: Token[];
  /** Where the next page begins; absent on the last */
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
  /** The commit that it was built from; null where nobody knows */
  commit: string | null;
  /** When it was built; null where it runs from its sources */
  built_at: string | null;
  runner: {
    /** The model that answers where none is named; null where there is none */
    model: string | null;
    /** Whether that is the built-in demo, which is no language model */
    demo: boolean;
  };
}

export interface SetAgentInstallStateRequest {
  install_state?: "installed" | "uninstalled";
  action?: "install" | "uninstall" | "restore";
}

/** Whether a signature verifies, and exactly why not */
export interface SignatureVerification {
  valid: boolean;
  reason: 
    | "valid"
    | "missing_signature"
    | "malformed_signature"
    | "timestamp_out_of_tolerance"
    | "wrong_secret_encoding"
    | "body_changed"
    | "signature_mismatch";
  message: string;
}

/** How a record moves from state to state */
export interface StateMachine {
  /** Whose machine it is */
  name: string;
  states: string[];
  /** A state */
  initial: string;
  terminal: string[];
  triggers: string[];
  /** The triggers that callers have */
  actions: string[];
  transitions: Transition[];
}

/** All state machines */
export interface StateMachineList {
  machines: StateMachine[];
}

/** A work item */
export interface Task {
  /** The task's id */
  id: string;
  /** What there is to do */
  title: string;
  description: string | null;
  status: "pending" | "in_progress" | "completed" | "cancelled";
  priority: "low" | "medium" | "high" | "urgent";
  /** An agent's or a user's id, as it was given */
  assigned_to: string | null;
  /** The workspace that it belongs to, as it was given */
  workspace_id: string | null;
  /** Who made it: a user's or an agent's id */
  created_by: string;
  /** ISO 8601 UTC with milliseconds */
  completed_at: string | null;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
}

/** A page of tasks, newest first */
export interface TaskList {
  tasks: Task[];
  /** Where the next page begins; absent on the last */
  next_cursor?: string;
}

/** A credential, without what it is used by */
export interface Token {
  /** The token's id */
  id: string;
  kind: "personal" | "service";
  /** What it is for */
  name: string;
  status: "active" | "expired" | "revoked";
  scopes: Array<
    | "agents:read"
    | "agents:write"
    | "chats:read"
    | "chats:write"
    | "jobs:read"
    | "jobs:write"
    | "missions:read"
    | "missions:write"
    | "workspaces:read"
    | "workspaces:write"
    | "webhooks:read"
    | "webhooks:write"
    | "tokens:read"
    | "tokens:write"
    | "tasks:read"
    | "tasks:write"
    | "events:read"
    | "mcp"
    | "*">;
  /** Its last characters, by which its owner recognises it */
  last_characters: string;
  /** Who it acts as */
  user_id: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string;
  /** ISO 8601 UTC with milliseconds */
  last_used_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  revoked_at: string | null;
  /** The token that it was made with; null where the operator made it */
  created_with: string | null;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
}

/** Tokens that model calls have used */
export interface TokenUsage {
  /** Tokens that were sent */
  input_tokens: number;
  /** Tokens that came back */
  output_tokens: number;
}

/** A move that is allowed */
export interface Transition {
  /** A state */
  from: string;
  /** What moves it */
  trigger: string;
  /** A state */
  to: string;
}

export interface UpdateAgentRequest {
  name?: string;
  system_prompt?: string;
  visibility?: "private" | "organization" | "public" | "unlisted";
  role?: string;
  description?: string | null;
  model?: string | null;
  allowed_tools?: string[];
  approval_tools?: string[];
  approval_expiry?: {
    after_seconds: number;
    on_expiry: "deny" | "cancel";
  };
  mcp_servers?: {
    name: string;
    url: string;
    headers?: {
      name: string;
      secret: string;
      prefix?: string;
    }[];
  }[];
  max_steps?: number | null;
  tags?: string[];
}

export interface UpdateChatOptionsRequest {
  model?: string | null;
  on_busy?: "queue" | "steer" | "interrupt" | "reject";
  tools?: string[] | null;
  auto_approve?: boolean;
  title?: string;
  pinned?: boolean;
}

export interface UpdateTaskRequest {
  title?: string;
  description?: string | null;
  status?: "pending" | "in_progress" | "completed" | "cancelled";
  priority?: "low" | "medium" | "high" | "urgent";
  assigned_to?: string | null;
  workspace_id?: string | null;
}

/** The organization's tokens of this month */
export interface UsageBudget {
  /** Null for no limit */
  monthly_tokens: number | null;
  /** Tokens that are used up */
  used_tokens: number;
  /** ISO 8601 UTC with milliseconds */
  resets_at: string;
}

/** What an organization has used */
export interface UsageReport {
  group_by: "agent" | "model" | "day";
  /** A day of UTC */
  since: string;
  /** A day of UTC */
  until: string;
  usage: UsageRow[];
  totals: UsageTotals;
  /** Whether there are more groups than are shown; the totals are of all */
  truncated: boolean;
  budget: UsageBudget;
}

/** What one agent, one model or one day has used: the field of the group is there */
export interface UsageRow {
  /** The agent */
  agent_id?: string;
  /** The model */
  model?: string;
  /** A day of UTC */
  day?: string;
  /** Tokens that were sent to models */
  input_tokens: number;
  /** Tokens that came back */
  output_tokens: number;
  /** Jobs that used them */
  jobs: number;
  /** Calls of tools */
  tool_calls: number;
}

/** What all have used together */
export interface UsageTotals {
  /** Tokens that were sent to models */
  input_tokens: number;
  /** Tokens that came back */
  output_tokens: number;
  /** Jobs that used them */
  jobs: number;
  /** Calls of tools */
  tool_calls: number;
}

/** An AI assistant with a name, a role and system instructions */
export interface V1Agent {
  /** The agent's id */
  id: string;
  /** Display name */
  name: string;
  /** What the agent is */
  role: string;
  /** System instructions; absent for readers of other organizations */
  systemPrompt?: string;
  visibility: "private" | "organization" | "public" | "unlisted";
  /** Who owns it */
  organizationId: string;
  /** Who made it */
  userId: string;
  /** ISO 8601 UTC with milliseconds */
  createdAt: string;
  /** ISO 8601 UTC with milliseconds */
  updatedAt: string;
  /** It is deleted */
  archived?: true;
}

/** An agent */
export interface V1AgentAnswer {
  success: true;
  agent: V1Agent;
}

/** The organization's agents, newest first */
export interface V1AgentList {
  success: true;
  agents: V1Agent[];
  /** How many there are, those past the end of the list too */
  total: number;
}

export interface V1CreateAgentRequest {
  /** Display name */
  name: string;
  /** System instructions */
  systemPrompt: string;
  /** What the agent is. Default "Assistant" */
  role?: string;
  /** Default "organization" */
  visibility?: "private" | "organization" | "public" | "unlisted";
}

export interface V1CreateTaskRequest {
  title: string;
  description?: string;
  /** Default "medium" */
  priority?: "low" | "medium" | "high" | "urgent";
  /** An agent's or a user's id */
  assignTo?: string;
  spaceId?: string;
}

/** A new agent */
export interface V1CreatedAgent {
  success: true;
  /** The agent's id */
  id: string;
  /** Display name */
  name: string;
  status: "active";
  /** Where its first chat has its page */
  chatUrl: string;
}

/** What has been done */
export interface V1Done {
  success: true;
  /** In words */
  message: string;
}

export interface V1ExecuteAgentRequest {
  message: string;
  /** The workspace of a new chat */
  spaceId?: string;
  /** The session to continue */
  sessionId?: string;
  /** The chat to continue */
  chatId?: string;
  /** Default false */
  stream?: boolean;
}

/** An event of an execution: `meta`, then `message`s, then `result` or `error` */
export type V1ExecutionEvent =
  | {
    event: "meta";
    data: {
      /** The execution's id */
      executionId: string;
      /** The chat that it is in */
      chatId: string;
      /** Pass it back to go on with the conversation */
      sessionId: string;
      /** What is to be known of the answer */
      notice?: string;
    };
  }
  | {
    event: "message";
    data: 
      | {
        messageType: "stream_event";
        delta: {
          type: "text_delta";
          /** What is added */
          text: string;
        };
      }
      | {
        messageType: "assistant";
        content: Block[];
      };
  }
  | {
    event: "result";
    data: {
      /** Pass it back to go on with the conversation */
      sessionId: string;
      usage: {
        /** Tokens sent */
        input_tokens: number;
        /** Tokens that came back */
        output_tokens: number;
      };
      /** What is to be known of the answer */
      notice?: string;
    };
  }
  | {
    event: "error";
    data: {
      /** What has happened */
      message: string;
    };
  };

/** What an execution has come to */
export interface V1ExecutionResult {
  /** Whether the agent has come to its end */
  success: boolean;
  /** The execution's id */
  executionId: string;
  /** The chat that it is in */
  chatId: string;
  /** Pass it back to go on with the conversation */
  sessionId: string;
  /** The agent's answer */
  result: string;
  /** What is to be known of the answer */
  notice?: string;
}

/** A work item */
export interface V1Task {
  /** The task's id */
  id: string;
  /** What there is to do */
  title: string;
  description?: string;
  status: "pending" | "in_progress" | "completed" | "cancelled";
  priority: "low" | "medium" | "high" | "urgent";
  /** An agent's or a user's id; absent when unassigned */
  assignedTo?: string;
  /** The workspace that it belongs to */
  spaceId?: string;
  /** Who owns it */
  organizationId: string;
  /** Who made it: a user's or an agent's id */
  createdBy: string;
  /** ISO 8601 UTC with milliseconds */
  createdAt: string;
  /** ISO 8601 UTC with milliseconds */
  completedAt?: string;
}

/** A task */
export interface V1TaskAnswer {
  success: true;
  task: V1Task;
}

/** The organization's tasks, newest first */
export interface V1TaskList {
  success: true;
  tasks: V1Task[];
}

export interface V1UpdateAgentRequest {
  /** Display name */
  name?: string;
  /** System instructions */
  systemPrompt?: string;
  /** What the agent is. Default "Assistant" */
  role?: string;
  /** Default "organization" */
  visibility?: "private" | "organization" | "public" | "unlisted";
}

export interface VerifySignatureRequest {
  /** The headers of the delivery, as they arrived */
  headers: { [name: string]: string };
  /** The body of the delivery, byte for byte */
  body: string;
  /** Absent: the organization's own */
  secret?: string;
}

/** Where work of an organization happens */
export interface Workspace {
  /** The workspace's id */
  id: string;
  /** What people call it */
  name: string;
  description: string | null;
  /** Who made it */
  created_by: string;
  /** The organization that owns it */
  organization_id: string;
  /** One more with each change; `If-Match` takes it */
  version: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** Where what belongs to it is, by name */
  links: { [name: string]: string };
  /** What this caller may do with it now */
  allowed_actions: string[];
}

/** A page of workspaces, newest first */
export interface WorkspaceList {
  workspaces: Workspace[];
  /** Where the next page begins; absent on the last */
  next_cursor?: string;
}

/** What the body of a webhook says. */
export type WebhookEvent = Event;

/** What goes wrong, as classes. The classes of the single codes are made from the contract and extend `ApiError`. */

/** Everything that this file throws of its own. */
export class TroupeError extends Error {
  override name = "TroupeError";
}

/** No answer came: the connection failed, or the time was up. The request may have been done. */
export class ConnectionFailedError extends TroupeError {
  override name = "ConnectionFailedError";
}

/** A stream that cannot be resumed ended before its last event, or one that can did not come back. */
export class StreamCutError extends TroupeError {
  override name = "StreamCutError";
}

/** A webhook was not signed with this secret, or not in this time: do not believe it. */
export class WebhookSignatureError extends TroupeError {
  override name = "WebhookSignatureError";
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
  readonly details: { readonly [key: string]: unknown };
  /** The seconds of `Retry-After`. */
  readonly retryAfterSeconds: number | null;
}

/** The service refused or failed. A code that has no class of its own is this. */
export class ApiError extends TroupeError implements ApiFailure {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly details: { readonly [key: string]: unknown };
  readonly retryAfterSeconds: number | null;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.status = failure.status;
    this.code = failure.code;
    this.requestId = failure.requestId;
    this.details = failure.details;
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }
}

/** The class of each code. */
type ErrorClasses = { readonly [code: string]: new (failure: ApiFailure) => ApiError };

const CODES_BY_STATUS: { readonly [status: number]: string } = {
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
};

/** The error of an answer; a body that is not the service's own still makes one. */
async function errorOf(response: Response, classes: ErrorClasses): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const body = objectOf(text);
  const code = typeof body["code"] === "string" ? body["code"] : (CODES_BY_STATUS[response.status] ?? "internal_error");
  const after = Number(response.headers.get("retry-after") ?? Number.NaN);
  const failure: ApiFailure = {
    status: response.status,
    code,
    message: typeof body["message"] === "string" ? body["message"] : `The service answered ${response.status}`,
    requestId: response.headers.get("x-request-id"),
    details: isObject(body["details"]) ? body["details"] : {},
    retryAfterSeconds: Number.isFinite(after) ? after : null,
  };
  return new (classes[code] ?? ApiError)(failure);
}

function objectOf(text: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `invalid_json`: The body is not JSON, or it is nested too deeply. */
export class InvalidJsonError extends ApiError {
  override name = "InvalidJsonError";
}

/** `invalid_request`: A field of the body, the query or the headers is missing, of a wrong type or out of its range. */
export class InvalidRequestError extends ApiError {
  override name = "InvalidRequestError";
}

/** `invalid_cursor`: The cursor is none that this list has given. */
export class InvalidCursorError extends ApiError {
  override name = "InvalidCursorError";
}

/** `unsupported_api_version`: The request asks for a version of the contract that is not served. */
export class UnsupportedApiVersionError extends ApiError {
  override name = "UnsupportedApiVersionError";
}

/** `invalid_idempotency_key`: The `Idempotency-Key` cannot be read. */
export class InvalidIdempotencyKeyError extends ApiError {
  override name = "InvalidIdempotencyKeyError";
}

/** `invalid_event_type`: A filter names event types or families that there are not. */
export class InvalidEventTypeError extends ApiError {
  override name = "InvalidEventTypeError";
}

/** `invalid_url`: Nothing is sent to this URL: its form, its scheme or its address. */
export class InvalidUrlError extends ApiError {
  override name = "InvalidUrlError";
}

/** `unauthenticated`: There is no token, or one that is unknown, malformed or revoked. */
export class UnauthenticatedError extends ApiError {
  override name = "UnauthenticatedError";
}

/** `token_expired`: The token has expired. */
export class TokenExpiredError extends ApiError {
  override name = "TokenExpiredError";
}

/** `insufficient_scope`: The token is valid and lacks a scope that the operation needs. */
export class InsufficientScopeError extends ApiError {
  override name = "InsufficientScopeError";
}

/** `owner_required`: Only an owner of the organization may do this. */
export class OwnerRequiredError extends ApiError {
  override name = "OwnerRequiredError";
}

/** `forbidden`: This caller may not do this to this record. */
export class ForbiddenError extends ApiError {
  override name = "ForbiddenError";
}

/** `invalid_signature`: The signed address does not open anything, or does not any more. */
export class InvalidSignatureError extends ApiError {
  override name = "InvalidSignatureError";
}

/** `not_found`: There is no such record or path, or it is another organization's. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

/** The code `method_not_allowed`. */
export class MethodNotAllowedError extends ApiError {
  override name = "MethodNotAllowedError";
}

/** `invalid_state`: The record's present status does not allow this. */
export class InvalidStateError extends ApiError {
  override name = "InvalidStateError";
}

/** `chat_busy`: A turn is running in the chat, and the message was to be refused then. */
export class ChatBusyError extends ApiError {
  override name = "ChatBusyError";
}

/** `approval_pending`: The job waits for a person's decision. */
export class ApprovalPendingError extends ApiError {
  override name = "ApprovalPendingError";
}

/** `version_conflict`: The record has changed since it was read. */
export class VersionConflictError extends ApiError {
  override name = "VersionConflictError";
}

/** `not_a_library_agent`: Only an agent of the library can be installed or uninstalled. */
export class NotALibraryAgentError extends ApiError {
  override name = "NotALibraryAgentError";
}

/** `idempotency_conflict`: The `Idempotency-Key` was used for a request with another input. */
export class IdempotencyConflictError extends ApiError {
  override name = "IdempotencyConflictError";
}

/** `idempotency_in_progress`: The first request with this key is still running. */
export class IdempotencyInProgressError extends ApiError {
  override name = "IdempotencyInProgressError";
}

/** `event_not_retained`: The event was kept for its time and is gone. */
export class EventNotRetainedError extends ApiError {
  override name = "EventNotRetainedError";
}

/** `payload_too_large`: The body or one of its fields is too large. */
export class PayloadTooLargeError extends ApiError {
  override name = "PayloadTooLargeError";
}

/** `unsupported_media_type`: The body is of a type that the operation does not take. */
export class UnsupportedMediaTypeError extends ApiError {
  override name = "UnsupportedMediaTypeError";
}

/** `rate_limited`: The requests of this window are used up. */
export class RateLimitedError extends ApiError {
  override name = "RateLimitedError";
}

/** `budget_exceeded`: The organization has used up its model tokens of this month. */
export class BudgetExceededError extends ApiError {
  override name = "BudgetExceededError";
}

/** `internal_error`: The service failed on this request: a bug of ours. */
export class InternalError extends ApiError {
  override name = "InternalError";
}

/** `provider_error`: The model or its provider refused or failed. */
export class ProviderError extends ApiError {
  override name = "ProviderError";
}

/** `overloaded`: Too much waits for this record already, or too many streams are open. Nothing was done. */
export class OverloadedError extends ApiError {
  override name = "OverloadedError";
}

/** `unavailable`: The service cannot reach what it needs. Nothing was done. */
export class UnavailableError extends ApiError {
  override name = "UnavailableError";
}

/** `outcome_unknown`: The connection to the database broke during the commit: it may or may not have happened. */
export class OutcomeUnknownError extends ApiError {
  override name = "OutcomeUnknownError";
}

/** `shutting_down`: The service is restarting. Nothing was done. */
export class ShuttingDownError extends ApiError {
  override name = "ShuttingDownError";
}

/** `timeout`: The work took longer than it may. */
export class ApiTimeoutError extends ApiError {
  override name = "ApiTimeoutError";
}

const ERROR_CLASSES: ErrorClasses = {
  invalid_json: InvalidJsonError,
  invalid_request: InvalidRequestError,
  invalid_cursor: InvalidCursorError,
  unsupported_api_version: UnsupportedApiVersionError,
  invalid_idempotency_key: InvalidIdempotencyKeyError,
  invalid_event_type: InvalidEventTypeError,
  invalid_url: InvalidUrlError,
  unauthenticated: UnauthenticatedError,
  token_expired: TokenExpiredError,
  insufficient_scope: InsufficientScopeError,
  owner_required: OwnerRequiredError,
  forbidden: ForbiddenError,
  invalid_signature: InvalidSignatureError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  invalid_state: InvalidStateError,
  chat_busy: ChatBusyError,
  approval_pending: ApprovalPendingError,
  version_conflict: VersionConflictError,
  not_a_library_agent: NotALibraryAgentError,
  idempotency_conflict: IdempotencyConflictError,
  idempotency_in_progress: IdempotencyInProgressError,
  event_not_retained: EventNotRetainedError,
  payload_too_large: PayloadTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  rate_limited: RateLimitedError,
  budget_exceeded: BudgetExceededError,
  internal_error: InternalError,
  provider_error: ProviderError,
  overloaded: OverloadedError,
  unavailable: UnavailableError,
  outcome_unknown: OutcomeUnknownError,
  shutting_down: ShuttingDownError,
  timeout: ApiTimeoutError,
};

/**
 * How requests go out. A failure that passes (no connection, 429, 5xx, a first request that is still
 * running) is tried again with the same `Idempotency-Key`, so that what it asks for is done once.
 */

export interface TroupeOptions {
  /** Where the service is, for example `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** A personal access token or a service token; a function is asked before each request. */
  readonly token?: string | (() => string | Promise<string>);
  /** How often a failure that passes is tried again. Default 3. */
  readonly maxRetries?: number;
  /** Milliseconds for one attempt. Default 300,000. */
  readonly timeoutMs?: number;
  /** Milliseconds without a byte after which a stream counts as cut, or as not begun; heartbeats come every ten seconds. Default 35,000. */
  readonly streamIdleMs?: number;
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

/** A request to be, and how its answer is read. */
interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** The body is sent as it is, under this content type; without it, as JSON. */
  readonly contentType?: string;
  readonly accept?: string;
  /** It goes without the token. */
  readonly isPublic?: true;
  /** It carries an `Idempotency-Key`. */
  readonly isKeyed?: true;
  readonly options?: VersionedOptions | undefined;
  /** Where a stream goes on. */
  readonly lastEventId?: string | undefined;
}

/** For a stream that has no cursor: the events that may be its last. */
interface OnceRequest extends ApiRequest {
  readonly last: readonly string[];
}

const EVENT_STREAM = "text/event-stream";
const DEFAULT_RETRIES = 3;
const DEFAULT_TIMEOUT_MS = 300_000;
/** Three heartbeats that did not come. */
const DEFAULT_STREAM_IDLE_MS = 35_000;
/** Delays of retries without `Retry-After`: 0.5 s, 1 s, 2 s, … at most 8 s, each up to a quarter shorter. */
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
const JITTER = 0.25;
/** Whoever is to wait for longer hears of it instead: a window of the rate limit is a minute. */
const LONGEST_RETRY_AFTER_SECONDS = 60;
/** Times in a row that a stream may fail to come back. */
const STREAM_RECONNECTS = 8;
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

class Transport {
  readonly #options: TroupeOptions;
  readonly #errors: ErrorClasses;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #base: string;

  constructor(options: TroupeOptions, errors: ErrorClasses, headers: Readonly<Record<string, string>>) {
    this.#options = options;
    this.#errors = errors;
    this.#headers = headers;
    this.#base = options.baseUrl.replace(/\/+$/, "");
  }

  /** The JSON of the answer. */
  async json<T>(request: ApiRequest): Promise<T> {
    return this.#retrying(keyed(request), jsonOf<T>);
  }

  /** The JSON of the answer, or null where the service had nothing new (304). */
  async changed<T>(request: ApiRequest): Promise<T | null> {
    return this.#retrying(request, (response) =>
      response.status === 304 ? Promise.resolve(null) : jsonOf<T>(response),
    );
  }

  async text(request: ApiRequest): Promise<string> {
    return this.#retrying(keyed(request), (response) => response.text());
  }

  async bytes(request: ApiRequest): Promise<Uint8Array> {
    return this.#retrying(keyed(request), async (response) => new Uint8Array(await response.arrayBuffer()));
  }

  /** Every item of every page. */
  async *items<P extends { readonly next_cursor?: string }, T>(
    page: (cursor: string | undefined) => Promise<P>,
    items: (page: P) => readonly T[],
  ): AsyncGenerator<T, void, undefined> {
    let cursor: string | undefined;
    do {
      const found = await page(cursor);
      yield* items(found);
      cursor = found.next_cursor;
    } while (cursor !== undefined);
  }

  /** The events of a stream that has no cursor: if it is cut before one of `last`, `StreamCutError`. */
  async *once<E extends StreamEvent>({ last, ...request }: OnceRequest): AsyncGenerator<E, void, undefined> {
    const stream = await this.#retrying(keyed(this.#streaming(request)), opened);
    try {
      for await (const event of this.#eventsOf(stream, new SseParser())) {
        yield event as E;
        if (last.includes(event.event)) return;
      }
    } catch (error) {
      throw request.options?.signal?.aborted === true ? error : cut(error);
    }
    throw cut(null);
  }

  /**
   * The events of a stream that goes on where it was cut: it is opened again after the last cursor, until
   * `stream.end`, an error that does not pass, or too many failures in a row. A connection that brought
   * an event or a heartbeat was none.
   */
  async *resumed<E extends StreamEvent>(request: ApiRequest): AsyncGenerator<E, void, undefined> {
    const { signal } = request.options ?? {};
    const parser = new SseParser();
    let failures = 0;
    for (;;) {
      let cause: unknown = null;
      parser.begin();
      try {
        const stream = await this.#attempt(resuming(this.#streaming(request), parser.lastEventId), opened);
        for await (const event of this.#eventsOf(stream, parser)) {
          yield event as E;
          if (event.event === "stream.end") return;
        }
      } catch (error) {
        if (signal?.aborted === true || (error instanceof ApiError && !isPassing(error))) throw error;
        cause = error;
      }
      if (parser.isAlive) failures = 0;
      if (failures >= STREAM_RECONNECTS) throw cut(cause);
      await sleep(reopeningMs(parser.retryMs, cause, failures), signal);
      failures += 1;
    }
  }

  /** The request for a stream: one whose head does not come is as silent as one whose events do not. */
  #streaming(request: ApiRequest): ApiRequest {
    const timeoutMs = request.options?.timeoutMs ?? this.#idleMs;
    return { ...request, accept: EVENT_STREAM, options: { ...request.options, timeoutMs } };
  }

  get #idleMs(): number {
    return this.#options.streamIdleMs ?? DEFAULT_STREAM_IDLE_MS;
  }

  /** Reads what comes, as long as something does. */
  async *#eventsOf({ response, controller }: OpenStream, parser: SseParser): AsyncGenerator<StreamEvent> {
    if (response.body === null) return;
    const idleMs = this.#idleMs;
    const reader = response.body.getReader();
    const giveUp = () => {
      controller.abort(new ConnectionFailedError(`The stream was silent for ${idleMs} ms`));
      // A `fetch` of the caller's own may not hear the signal.
      reader.cancel().catch(() => {});
    };
    const decoder = new TextDecoder();
    let watch: ReturnType<typeof setTimeout> | undefined;
    try {
      for (;;) {
        watch = setTimeout(giveUp, idleMs);
        const { done, value } = await reader.read();
        clearTimeout(watch);
        if (done) return;
        yield* parser.push(decoder.decode(value, { stream: true }));
      }
    } finally {
      clearTimeout(watch);
      await reader.cancel().catch(() => {});
    }
  }

  /** What `use` makes of the answer, after as many attempts as it takes and are allowed. */
  async #retrying<T>(request: ApiRequest, use: Use<T>): Promise<T> {
    const { signal } = request.options ?? {};
    const retries = this.#options.maxRetries ?? DEFAULT_RETRIES;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(request, use);
      } catch (error) {
        if (signal?.aborted === true || attempt >= retries || !isRepeatable(request, error)) throw error;
        const delayMs = delayOf(error, attempt);
        if (delayMs === null) throw error;
        await sleep(delayMs, signal);
      }
    }
  }

  /** One request. `use` is within its time. */
  async #attempt<T>(request: ApiRequest, use: Use<T>): Promise<T> {
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
      if (!response.ok && response.status !== 304) throw await errorOf(response, this.#errors);
      return await use(response, controller);
    } catch (error) {
      if (signal?.aborted === true || error instanceof TroupeError) throw error;
      throw new ConnectionFailedError(`${request.method} ${request.path}: ${String(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #headersOf(request: ApiRequest): Promise<Record<string, string>> {
    const { token } = this.#options;
    const { idempotencyKey, ifMatch } = request.options ?? {};
    const secret = typeof token === "function" ? await token() : token;
    return {
      ...(request.isPublic === true ? {} : this.#headers),
      accept: request.accept ?? "application/json",
      ...(request.isPublic === true || secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(request.body === undefined ? {} : { "content-type": request.contentType ?? "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(ifMatch === undefined ? {} : { "if-match": String(ifMatch) }),
      ...(request.lastEventId === undefined ? {} : { "last-event-id": request.lastEventId }),
    };
  }
}

type Use<T> = (response: Response, controller: AbortController) => Promise<T>;

/** Not by `response.json()`, which takes an empty body for null in places. */
const jsonOf = async <T>(response: Response): Promise<T> => JSON.parse(await response.text()) as T;

interface OpenStream {
  readonly response: Response;
  /** Ends it. */
  readonly controller: AbortController;
}
const opened: Use<OpenStream> = (response, controller) => Promise.resolve({ response, controller });

/** The request with a key that all its attempts share. */
function keyed(request: ApiRequest): ApiRequest {
  if (request.isKeyed !== true || request.options?.idempotencyKey !== undefined) return request;
  return { ...request, options: { ...request.options, idempotencyKey: crypto.randomUUID() } };
}

/** The request for a stream after a cursor. A page without a token sends no header that its browser would ask about. */
function resuming(request: ApiRequest, cursor: string | undefined): ApiRequest {
  if (cursor === undefined) return request;
  return request.isPublic === true
    ? { ...request, query: { ...request.query, after: cursor } }
    : { ...request, lastEventId: cursor };
}

/** An id as a piece of a path; what would be another path is refused. */
function segment(id: string): string {
  if (id === "" || id === "." || id === "..") throw new TroupeError(`${JSON.stringify(id)} is no id`);
  return encodeURIComponent(id);
}

function pathOf({ path, query }: ApiRequest): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return path;
  const words = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return `${path}?${words.join("&")}`;
}

type SentBody = NonNullable<RequestInit["body"]>;

function bodyOf({ body, contentType }: ApiRequest): { readonly body?: SentBody } {
  if (body === undefined) return {};
  return { body: contentType === undefined ? JSON.stringify(body) : (body as SentBody) };
}

/** Whether the same request may go well a little later. */
function isPassing(error: ApiError): boolean {
  if (error.code === "idempotency_in_progress") return true;
  return PASSING_STATUSES.has(error.status) && error.code !== "budget_exceeded";
}

/** Whether it does no harm to send the request again: with a key, as a read, or when nothing was done. */
function isRepeatable(request: ApiRequest, error: unknown): boolean {
  if (error instanceof ApiError && !isPassing(error)) return false;
  const isSafe = request.method === "GET" || request.options?.idempotencyKey !== undefined;
  return isSafe || (error instanceof ApiError && error.status === 429);
}

/** Milliseconds before the next attempt; null if that would be too long. */
function delayOf(error: unknown, attempt: number): number | null {
  const after = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (after !== null) return after > LONGEST_RETRY_AFTER_SECONDS ? null : after * 1_000;
  return Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS) * (1 - Math.random() * JITTER);
}

/**
 * Milliseconds before a stream is opened again: what it asked for itself, longer with each failure in a
 * row, and up to a quarter more, so that not all come back at once whom one restart has cut.
 */
function reopeningMs(retryMs: number, cause: unknown, failures: number): number {
  const isRefused = cause instanceof ApiError && cause.retryAfterSeconds !== null;
  const delayMs = isRefused || failures > 0 ? (delayOf(cause, failures) ?? LONGEST_DELAY_MS) : 0;
  return Math.max(retryMs, delayMs) * (1 + Math.random() * JITTER);
}

const cut = (cause: unknown): StreamCutError =>
  new StreamCutError("The stream was cut", cause === null ? undefined : { cause });

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Reads Server-Sent Events as the HTML standard says, and keeps the cursor to come back with. */

/** What a stream gives: an event's name, its data, and the cursor that has it where it has one. */
interface StreamEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** Until the stream says its own. */
const DEFAULT_RECONNECT_MS = 1_000;
/** What a stream may ask for at most. */
const LONGEST_RECONNECT_MS = 60_000;

class SseParser {
  /** The cursor of the last event that was given out; undefined before the first. */
  lastEventId: string | undefined;
  /** How long to wait before the stream is opened again. */
  retryMs = DEFAULT_RECONNECT_MS;
  /** Whether an event or a heartbeat has come over this connection. */
  isAlive = false;
  #rest = "";
  #event = "";
  #id: string | undefined;
  #data: string[] = [];

  /** The connection is new: what the last one left half said is forgotten. */
  begin(): void {
    this.#rest = "";
    this.isAlive = false;
    this.#forget();
  }

  /** The events that are whole with this text. The cursor moves with each as it is taken. */
  *push(text: string): Generator<StreamEvent, void, undefined> {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = line === "" ? this.#take() : this.#read(line);
      if (event !== undefined) yield event;
    }
  }

  #read(line: string): undefined {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "") this.isAlive ||= value.startsWith("heartbeat");
    else if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Math.min(Number(value), LONGEST_RECONNECT_MS);
  }

  /** What the lines before a blank one make; nothing where they had no data. */
  #take(): StreamEvent | undefined {
    const [name, id, lines] = [this.#event, this.#id, this.#data];
    this.#forget();
    if (id !== undefined) this.lastEventId = id;
    if (lines.length === 0) return undefined;
    this.isAlive = true;
    const event = name === "" ? "message" : name;
    const data: unknown = JSON.parse(lines.join("\n"));
    if (event === "stream.closing") this.#resumeAfter(data);
    return { event, ...(id === undefined ? {} : { id }), data };
  }

  /** The service closes the stream and says where to go on. */
  #resumeAfter(data: unknown): void {
    const cursor = (data as { readonly resume_after?: unknown } | null)?.resume_after;
    if (typeof cursor === "string") this.lastEventId = cursor;
  }

  #forget(): void {
    this.#event = "";
    this.#id = undefined;
    this.#data = [];
  }
}

/** The text of running messages, put together from the deltas of a stream. */

interface TextEvent {
  readonly event: string;
  readonly data: unknown;
}
interface TextEventData {
  readonly message_id?: unknown;
  readonly position?: unknown;
  readonly text?: unknown;
  readonly content?: unknown;
}

/**
 * Give it every event of a chat's or a job's stream. It is right after cuts too: a delta says where in the
 * message it ends, and an attempt that is begun anew takes its text back.
 */
export class LiveText {
  readonly #texts = new Map<string, string>();

  /** The text of the message that the event is about, as far as it is known; undefined for other events. */
  apply({ event, data }: TextEvent): string | undefined {
    const { message_id: id, position, text, content } = data as TextEventData;
    if (typeof id !== "string") return undefined;
    if (typeof text === "string" && typeof position === "number") {
      const start = position - text.length;
      this.#texts.set(id, (this.#texts.get(id) ?? "").slice(0, start).padEnd(start) + text);
    } else if (event === "message.restarted") this.#texts.set(id, "");
    else if (event === "message.completed" && typeof content === "string") this.#texts.set(id, content);
    else return undefined;
    return this.#texts.get(id);
  }
}

/** Whether a webhook is what the service sent. */

/** Seconds that a signature may be old, or ahead of this clock. */
const TOLERANCE_SECONDS = 300;

/** A webhook as it has arrived. */
export interface ReceivedWebhook {
  /** All headers of the request, whatever their case. */
  readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined };
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
export async function verifyWebhook<E = WebhookEvent>(received: ReceivedWebhook): Promise<E> {
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
    if (bytesOfKey.length === 0) throw new WebhookSignatureError("The secret is none");
    const key = await hmacKey(bytesOfKey);
    for (const signature of signed.signatures)
      if (await crypto.subtle.verify("HMAC", key, signature, message))
        return JSON.parse(new TextDecoder().decode(bytes)) as E;
  }
  throw new WebhookSignatureError("The signature is of another secret or another body");
}

interface Signed {
  /** Unix seconds. */
  readonly timestamp: number;
  /** What is signed before the body. */
  readonly prefix: string;
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
  readonly keyOf: (secret: string) => Uint8Array<ArrayBuffer>;
}

/** `t=<timestamp>,v1=<hex>`, with another `v1` while a secret is being replaced. */
function serviceSignature(header: string): Signed {
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
function standardSignature(header: (name: string) => string | null): Signed {
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

function secondsOf(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new WebhookSignatureError("There is no signature, or it has no timestamp");
  return Number(text);
}

function readerOf(headers: ReceivedWebhook["headers"]): (name: string) => string | null {
  if (headers instanceof Headers) return (name) => headers.get(name);
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = values.get(name);
    return typeof value === "string" ? value : (value?.[0] ?? null);
  };
}

const hmacKey = (bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);

function bytesOfHex(text: string): Uint8Array<ArrayBuffer> {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) return new Uint8Array();
  return new Uint8Array((text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return new Uint8Array();
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
