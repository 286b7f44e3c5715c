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
  type InputBlock,
  type Job,
  LiveText,
  type Message,
  type MessageRole,
  type TokenUsage,
} from "../../../sdk/typescript/troupe.ts";
import { isAbort, service, wordsOfError } from "../service.ts";

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
  readonly role: MessageRole;
  readonly status: Message["status"];
  readonly content: string;
  readonly calls: readonly ChatCall[];
  readonly reasoning: string;
  readonly attachments: readonly Attachment[];
  readonly jobId: string | null;
  readonly isPinned: boolean;
  readonly isSummary: boolean;
  readonly stopReason: string | null;
  readonly usage: TokenUsage | null;
  readonly createdAt: string;
}

const PAGE_MESSAGES = 50;
/** An ended turn: the user's message and its answer. */
const TURN_MESSAGES = 2;

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

  constructor(chatId: string) {
    this.chatId = chatId;
  }

  messageOf(id: string): Signal<ShownMessage> | undefined {
    return this.messages.get(id);
  }

  /** Follows the chat until `close`. */
  async follow(): Promise<void> {
    const { signal: until } = this.ended;
    try {
      for await (const event of service.streamChatEvents(this.chatId, {}, { signal: until })) {
        if (event.event === "snapshot") await this.begin(event.data);
        else this.apply(event);
      }
    } catch (error) {
      if (!until.aborted && !isAbort(error)) this.error.value = wordsOfError(error);
    }
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

  /** Reads the job again: after a decision, and when an event says that it has changed. */
  async readJob(jobId: string | null = this.job.value?.id ?? null): Promise<void> {
    if (jobId === null) return;
    try {
      this.job.value = await service.getJob(jobId, { signal: this.ended.signal });
    } catch (error) {
      if (!isAbort(error)) this.error.value = wordsOfError(error);
    }
  }

  private async begin(chat: Chat): Promise<void> {
    this.chat.value = chat;
    const page = await service.listMessages(this.chatId, { limit: PAGE_MESSAGES }, { signal: this.ended.signal });
    this.pageSeq = chat.last_seq;
    this.olderCursor = page.next_cursor;
    this.hasOlder.value = this.olderCursor !== undefined;
    const ids = page.messages.map((message) => this.put(shown(message)));
    // After a reset, older pages that were read stay.
    this.order.value = [...this.order.value.filter((id) => !ids.includes(id)), ...ids];
    await this.readJob(page.work.active_job_id ?? page.messages.at(-1)?.job_id ?? null);
  }

  private apply(event: ChatStreamEvent): void {
    if (event.event === "message.delta") return this.applyText(event);
    const { data } = event;
    const isPast = "seq" in data && data.seq <= this.pageSeq;
    if (isPast) return;
    switch (event.event) {
      case "message.created": {
        const { message_id, role, content, blocks, job_id, at } = event.data;
        const record = { id: message_id, role, content, blocks, jobId: job_id, createdAt: at };
        this.add(newMessage({ ...record, status: role === "user" ? "completed" : "streaming" }));
        break;
      }
      case "message.queued":
        this.change(event.data.message_id, { status: "queued" });
        break;
      case "message.started": {
        const { message_id: id, job_id: jobId, at } = event.data;
        if (this.messages.has(id)) this.change(id, { status: "streaming", jobId });
        else this.add(newMessage({ id, role: "assistant", status: "streaming", content: "", jobId, createdAt: at }));
        void this.readJob(jobId);
        break;
      }
      case "message.restarted":
        this.live.apply(event);
        this.change(event.data.message_id, { content: "", calls: [] });
        void this.readEnded();
        break;
      case "message.completed": {
        const { message_id, status, content, stop_reason = null } = event.data;
        this.change(message_id, { status, content, stopReason: stop_reason });
        void this.readEnded();
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
      case "job.updated":
      case "review.updated":
        void this.readJob(event.data.job_id);
        break;
      case "chat.updated":
      case "chat.compacted":
        void service.getChat(this.chatId).then(
          (chat) => (this.chat.value = chat),
          (error: unknown) => (this.error.value = wordsOfError(error)),
        );
        break;
      default:
    }
  }

  private applyText(event: Extract<ChatStreamEvent, { event: "message.delta" }>): void {
    const id = event.data.message_id;
    const known = this.messages.get(id);
    if (known === undefined || known.value.status !== "streaming") return;
    const text = this.live.apply(event);
    // Replayed text may be shorter than what the page had.
    if (text !== undefined && text.length >= known.value.content.length) this.change(id, { content: text });
  }

  private applyCall({ event, data }: ToolEvent): void {
    const message = this.runningOf(data.job_id);
    if (message === undefined) return;
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

  private runningOf(jobId: string): Signal<ShownMessage> | undefined {
    const id = this.order.value.findLast((one) => {
      const message = this.messages.get(one)?.value;
      return message?.jobId === jobId && message.role === "assistant";
    });
    return id === undefined ? undefined : this.messages.get(id);
  }

  /** The newest messages as they are stored: events have no usage, and only the beginning of a long result. */
  private async readEnded(): Promise<void> {
    try {
      const page = await service.listMessages(this.chatId, { limit: TURN_MESSAGES }, { signal: this.ended.signal });
      for (const message of page.messages) {
        const known = this.messages.get(message.id);
        if (known === undefined) this.add(shown(message));
        else if (message.status !== "streaming" || known.value.content === "") known.value = shown(message);
      }
      await this.readJob();
    } catch (error) {
      if (!isAbort(error)) this.error.value = wordsOfError(error);
    }
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

interface BegunMessage extends Pick<ShownMessage, "id" | "role" | "status" | "content" | "jobId" | "createdAt"> {
  readonly blocks?: readonly (Block | InputBlock | Attachment)[] | undefined;
}

function newMessage({ blocks = [], ...message }: BegunMessage): ShownMessage {
  return {
    ...message,
    calls: shownCallsOf(blocks),
    reasoning: blocks.flatMap((block) => (block.type === "reasoning" ? [block.text] : [])).join("\n\n"),
    attachments: blocks.filter((block): block is Attachment => block.type === "image" || block.type === "file"),
    isPinned: false,
    isSummary: false,
    stopReason: null,
    usage: null,
  };
}

function shown(message: Message): ShownMessage {
  const { id, role, status, content, blocks, job_id, created_at } = message;
  return {
    ...newMessage({ id, role, status, content, blocks, jobId: job_id, createdAt: created_at }),
    isPinned: message.pinned,
    isSummary: message.summary_of !== null,
    stopReason: message.stop_reason,
    usage: message.usage,
  };
}

function shownCallsOf(blocks: readonly (Block | InputBlock | Attachment)[]): readonly ChatCall[] {
  const calls: ChatCall[] = [];
  let position = 0;
  for (const block of blocks) {
    if (block.type === "text") position += block.text.length;
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
