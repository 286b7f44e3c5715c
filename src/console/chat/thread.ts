/**
 * The messages of a chat, as its page and its stream give them. The newest page is read once, older pages on demand;
 * afterwards the stream's events are applied, and nothing is read again but a message that has just ended.
 *
 *   snapshot ─▶ newest page ─▶ events after it (earlier ones only for the text of a message that is being written)
 *
 * Each message is a signal of its own, so a piece of text renders one message.
 */
import { signal, type Signal } from "@preact/signals";
import {
  type Attachment,
  type Block,
  type Chat,
  type ChatStreamEvent,
  type Citation,
  type InputBlock,
  type Job,
  type JobStatus,
  LiveText,
  type Message,
  type MessageRole,
  type StopReason,
  type TokenUsage,
} from "../../../sdk/typescript/troupe.ts";
import { followStream, readSurely } from "../follow-stream.ts";
import { service } from "../service.ts";

/** A tool call of a message, and its place in the message's text. */
export interface ChatCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
  /** Null while it runs. */
  readonly result: string | null;
  readonly isError: boolean;
  /** Length of the text before the call. */
  readonly position: number;
}

export interface ShownMessage {
  readonly id: string;
  readonly chatId: string;
  readonly role: MessageRole;
  readonly status: Message["status"];
  readonly content: string;
  readonly calls: readonly ChatCall[];
  readonly reasoning: string;
  readonly attachments: readonly Attachment[];
  readonly citations: readonly Citation[];
  readonly jobId: string | null;
  /** The person who has sent it; null for messages of the agent, and until it is known. */
  readonly senderId: string | null;
  readonly isPinned: boolean;
  readonly isSummary: boolean;
  readonly stopReason: StopReason | null;
  readonly usage: TokenUsage | null;
  readonly createdAt: string;
}

const PAGE_MESSAGES = 50;
/** Pages that are read for one message: 2,000 messages. */
const MOST_SEARCHED_PAGES = 40;
/** An ended turn: the user's message and its answer. */
const TURN_MESSAGES = 2;

/** Between the text blocks of a message in its `content`. */
const BETWEEN_TEXTS = "\n\n";
/** Events of steps that are not stored yet. */
const OF_RUNNING_STEPS: ReadonlySet<ChatStreamEvent["event"]> = new Set([
  "message.restarted",
  "tool.started",
  "tool.requested",
  "tool.completed",
  "tool.failed",
]);
export const ACTIVE_JOB: ReadonlySet<JobStatus> = new Set([
  "queued",
  "running",
  "blocked",
  "needs_review",
  "cancelling",
]);

type ToolEvent = Extract<ChatStreamEvent, { event: `tool.${string}` }>;

export class Thread {
  readonly chatId: string;
  readonly chat: Signal<Chat | null> = signal(null);
  /** Ids in the order of the conversation. */
  readonly order: Signal<readonly string[]> = signal([]);
  /** The active job, or the last one; null without one. */
  readonly job: Signal<Job | null> = signal(null);
  readonly error: Signal<string | null> = signal(null);
  /** Whether older messages can be read. */
  readonly hasOlder = signal(false);
  private readonly messages = new Map<string, Signal<ShownMessage>>();
  private readonly live = new LiveText();
  private readonly ended = new AbortController();
  private olderCursor: string | undefined;
  /** The number of the last event that the newest page includes. */
  private pageSeq = 0;
  /** Text that is shown with the next frame of the screen. */
  private readonly grown = new Map<string, string>();
  private jobReads = 0;

  constructor(chatId: string) {
    this.chatId = chatId;
  }

  messageOf(id: string): Signal<ShownMessage> | undefined {
    return this.messages.get(id);
  }

  /** Follows the chat until `close`. */
  follow(): Promise<void> {
    return followStream({
      open: (until, after) => service.streamChatEvents(this.chatId, after === null ? {} : { after }, { signal: until }),
      take: async (event) => {
        if (event.event === "snapshot") await this.begin(event.data);
        else this.apply(event);
      },
      error: this.error,
      until: this.ended.signal,
    });
  }

  close(): void {
    this.ended.abort();
  }

  async readOlder(): Promise<void> {
    if (this.olderCursor === undefined) return;
    const page = await service.listMessages(this.chatId, { limit: PAGE_MESSAGES, cursor: this.olderCursor });
    this.olderCursor = page.next_cursor;
    const ids = page.messages.map((message) => this.put(shown(message)));
    this.order.value = [...ids, ...this.order.value.filter((id) => !ids.includes(id))];
    this.hasOlder.value = this.olderCursor !== undefined;
  }

  /** Reads older pages until the message is there; undefined if it is in none of them. */
  async find(isIt: (message: ShownMessage) => boolean): Promise<ShownMessage | undefined> {
    for (let pages = 0; ; pages++) {
      const found = this.order.value
        .map((id) => this.messages.get(id)?.value)
        .find((message) => message !== undefined && isIt(message));
      if (found !== undefined || this.olderCursor === undefined || pages === MOST_SEARCHED_PAGES) return found;
      await this.readOlder();
    }
  }

  /** Reads the job again: after a decision, and when an event says that it has changed. */
  async readJob(jobId: string | null = this.job.value?.id ?? null): Promise<void> {
    if (jobId === null) return;
    const number = ++this.jobReads;
    // Answers may come in another order than the reads.
    const isVain = (): boolean => number !== this.jobReads;
    const job = await this.surely(() => service.getJob(jobId, { signal: this.ended.signal }), isVain);
    if (job !== null && !isVain()) this.job.value = job;
  }

  private surely<T>(read: () => Promise<T>, isVain: () => boolean = () => false): Promise<T | null> {
    return readSurely({ read, error: this.error, isVain, until: this.ended.signal });
  }

  private async begin(chat: Chat): Promise<void> {
    this.chat.value = chat;
    const page = await service.listMessages(this.chatId, { limit: PAGE_MESSAGES }, { signal: this.ended.signal });
    this.pageSeq = chat.last_seq;
    this.olderCursor = page.next_cursor;
    this.hasOlder.value = this.olderCursor !== undefined;
    const ids = page.messages.map((message) => this.put(shown(message)));
    // After a gap, older pages are read again on demand.
    this.order.value = ids;
    await this.readJob(page.work.active_job_id ?? page.messages.at(-1)?.job_id ?? null);
  }

  private apply(event: ChatStreamEvent): void {
    if (event.event === "message.delta") return this.applyText(event);
    this.showGrown();
    const { data } = event;
    // The page has it. It has neither text nor calls of a step that is running: these are in the replayed events.
    const isPast = "seq" in data && data.seq <= this.pageSeq;
    if (isPast && !OF_RUNNING_STEPS.has(event.event)) return;
    switch (event.event) {
      case "message.created": {
        const { message_id, role, content, blocks, job_id, at } = event.data;
        const record = { id: message_id, chatId: this.chatId, role, content, blocks, jobId: job_id, createdAt: at };
        this.add(newMessage({ ...record, status: role === "assistant" ? "streaming" : "completed" }));
        // Its event does not say who has sent it.
        if (role === "user") void this.readStored(message_id);
        break;
      }
      case "message.queued":
        this.change(event.data.message_id, { status: "queued" });
        break;
      case "message.started": {
        const { message_id: id, job_id: jobId, at } = event.data;
        for (const message of this.messages.values())
          if (message.value.jobId === jobId && message.value.status === "queued")
            this.change(message.value.id, { status: "completed" });
        if (this.messages.has(id)) this.change(id, { status: "streaming", jobId });
        else {
          const begun = { id, chatId: this.chatId, jobId, createdAt: at };
          this.add(newMessage({ ...begun, role: "assistant", status: "streaming", content: "" }));
        }
        void this.readJob(jobId);
        break;
      }
      case "message.restarted":
        if (!this.isRunning(event.data.message_id)) break;
        this.live.apply(event);
        this.change(event.data.message_id, { content: "", calls: [] });
        break;
      case "message.completed": {
        const { message_id, status, content, stop_reason = null } = event.data;
        this.change(message_id, { status, content, stopReason: stop_reason });
        void this.readStored(message_id);
        break;
      }
      case "message.updated":
        this.change(event.data.message_id, { isPinned: event.data.pinned });
        break;
      case "tool.started":
      case "tool.requested":
      case "tool.completed":
      case "tool.failed":
        this.applyCall(event);
        break;
      case "approval.requested":
      case "approval.resolved":
      case "authorization.requested":
      case "job.linked":
      case "job.updated":
      case "review.updated":
        this.jobChanged(event.data.job_id);
        break;
      case "chat.updated":
      case "chat.compacted":
        void this.surely(() => service.getChat(this.chatId, { signal: this.ended.signal })).then((chat) => {
          if (chat !== null) this.chat.value = chat;
        });
        break;
      default:
    }
  }

  private applyText(event: Extract<ChatStreamEvent, { event: "message.delta" }>): void {
    const id = event.data.message_id;
    const known = this.messages.get(id);
    if (known === undefined || !this.isRunning(id)) return;
    const text = this.live.apply(event);
    // Replayed text may be shorter than what the page had.
    if (text === undefined || text.length < known.value.content.length) return;
    if (this.grown.size === 0) requestAnimationFrame(() => this.showGrown());
    this.grown.set(id, text);
  }

  private showGrown(): void {
    for (const [id, content] of this.grown) this.change(id, { content });
    this.grown.clear();
  }

  private applyCall({ event, data }: ToolEvent): void {
    const message = this.runningOf(data.job_id);
    if (message === undefined || !this.isRunning(message.value.id)) return;
    const { calls, content } = message.value;
    const known = calls.find(({ id }) => id === data.call_id);
    if (event === "tool.started" || event === "tool.requested") {
      if (known !== undefined) return;
      const call = { id: data.call_id, name: data.name, input: data.arguments ?? {}, result: null, isError: false };
      this.change(message.value.id, { calls: [...calls, { ...call, position: content.length }] });
      if (event === "tool.requested") void this.readJob(data.job_id);
    } else if (known !== undefined) {
      const after = { ...known, result: data.result ?? "", isError: event === "tool.failed" };
      this.change(message.value.id, { calls: calls.map((call) => (call === known ? after : call)) });
    }
  }

  private isRunning(id: string): boolean {
    return this.messages.get(id)?.value.status === "streaming";
  }

  /** The shown job is the active one. A job that waits behind it is shown when it starts. */
  private jobChanged(jobId: string): void {
    const shown = this.job.value;
    if (shown === null || shown.id === jobId || !ACTIVE_JOB.has(shown.status)) void this.readJob(jobId);
  }

  private runningOf(jobId: string): Signal<ShownMessage> | undefined {
    const id = this.order.value.findLast((one) => {
      const message = this.messages.get(one)?.value;
      return message?.jobId === jobId && message.role === "assistant";
    });
    return id === undefined ? undefined : this.messages.get(id);
  }

  /** A message as it is stored: events have neither its sender nor its usage, and only the beginning of a long result. */
  private async readStored(id: string): Promise<void> {
    const found = await this.surely(() => this.findStored(id));
    if (found === null || found === undefined || found.status === "streaming") return;
    const stored = shown(found);
    // The state of a person's message may have changed since the read.
    if (found.role === "user") this.change(id, { senderId: stored.senderId });
    else this.put(stored);
  }

  private async findStored(id: string): Promise<Message | undefined> {
    // Messages may wait behind it.
    for (let limit = TURN_MESSAGES; limit <= PAGE_MESSAGES; limit *= 5) {
      const page = await service.listMessages(this.chatId, { limit }, { signal: this.ended.signal });
      const found = page.messages.find((message) => message.id === id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private add(message: ShownMessage): void {
    const isNew = !this.messages.has(message.id);
    this.put(message);
    if (isNew) this.order.value = [...this.order.value, message.id];
  }

  private put(message: ShownMessage): string {
    const known = this.messages.get(message.id);
    if (known === undefined) this.messages.set(message.id, signal(message));
    else known.value = message;
    return message.id;
  }

  private change(id: string, changes: Partial<ShownMessage>): void {
    const known = this.messages.get(id);
    if (known !== undefined) known.value = { ...known.value, ...changes };
  }
}

interface BegunMessage extends Pick<
  ShownMessage,
  "id" | "chatId" | "role" | "status" | "content" | "jobId" | "createdAt"
> {
  readonly blocks?: readonly (Block | InputBlock | Attachment)[] | undefined;
}

function newMessage({ blocks = [], ...message }: BegunMessage): ShownMessage {
  return {
    ...message,
    calls: shownCallsOf(blocks),
    reasoning: blocks.flatMap((block) => (block.type === "reasoning" ? [block.text] : [])).join("\n\n"),
    attachments: blocks.filter((block): block is Attachment => block.type === "image" || block.type === "file"),
    senderId: null,
    citations: blocks.flatMap((block) => (block.type === "text" ? citationsOf(block) : [])),
    isPinned: false,
    isSummary: false,
    stopReason: null,
    usage: null,
  };
}

function shown(message: Message): ShownMessage {
  const { id, chat_id: chatId, role, status, content, blocks, job_id, created_at } = message;
  return {
    ...newMessage({ id, chatId, role, status, content, blocks, jobId: job_id, createdAt: created_at }),
    senderId: message.sender.type === "user" ? message.sender.id : null,
    isPinned: message.pinned,
    isSummary: message.summary_of !== null,
    stopReason: message.stop_reason,
    usage: message.usage,
  };
}

/** Texts of people have none. */
const citationsOf = (text: Block | InputBlock): readonly Citation[] =>
  "citations" in text ? (text.citations ?? []) : [];

function shownCallsOf(blocks: readonly (Block | InputBlock | Attachment)[]): readonly ChatCall[] {
  const calls: ChatCall[] = [];
  let position = 0;
  for (const block of blocks) {
    if (block.type === "text" && block.text !== "")
      position += (position === 0 ? 0 : BETWEEN_TEXTS.length) + block.text.length;
    else if (block.type === "tool_use")
      calls.push({ id: block.id, name: block.name, input: block.input, result: null, isError: false, position });
    else if (block.type === "tool_result") {
      const at = calls.findIndex(({ id }) => id === block.tool_use_id);
      const call = calls[at];
      if (call !== undefined) calls[at] = { ...call, result: block.content, isError: block.is_error };
    }
  }
  return calls;
}
