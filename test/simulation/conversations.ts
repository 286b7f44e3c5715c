/**
 * The clients of chats: they send messages, and hold chats and their jobs, as stored, against each
 * other and against what they were told.
 */
import type { ChatCommand } from "../../actors/chat/protocol.ts";
import { chatRef } from "../../actors/chat/schema.ts";
import type { Chat, Message } from "../../actors/chat/schema.ts";
import { toNew } from "../../actors/runtime/turns/members.ts";
import { ask } from "../../actors/troupe.ts";
import { isPassing, mapOutcome, ok, type Outcome } from "../../actors/fault.ts";
import { type AgentSnapshot, type Job, jobRef } from "../../actors/job/schema.ts";
import { type Callers, isDrawn } from "./callers.ts";
import type { WatchedDatabase } from "./ledger-book.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedReplica } from "./simulated-replica.ts";
import { MESSAGE } from "../support/job-replica.ts";
import { must } from "./violation.ts";

const AGENT: AgentSnapshot = {
  id: "agt_1",
  name: "Ada",
  version: 1,
  systemPrompt: "Be brief.",
  model: null,
  allowedTools: [],
  approvalTools: [],
  mcpServers: [],
  maxSteps: null,
};
/** Two organizations with two chats each. */
const CHATS = ["org_a/cht_1", "org_a/cht_2", "org_b/cht_3", "org_b/cht_4"];
const isOver = ({ status }: Job): boolean => status === "completed" || status === "failed" || status === "cancelled";

interface Said {
  readonly chatId: string;
  readonly content: string;
  answer: "pending" | "acknowledged" | "refused" | "unknown";
}

/** Sends it as the chat's first message, and once more if the chat exists. Returns its new job. */
async function sendAsFirst(
  { system }: SimulatedReplica,
  chat: ReturnType<typeof chatRef>,
  command: Omit<Extract<ChatCommand, { readonly kind: "send_message" }>, "open">,
): Promise<Outcome<Job | null>> {
  const open = { workspaceId: "wsp_1", title: "Chat" };
  const first = await system.dispatchGroup([toNew(ask(chat, { ...command, open }))]);
  if (first.ok) return ok(first.value[0].job);
  if (first.fault.kind !== "version_conflict") return first;
  return mapOutcome(await system.dispatch(chat, { ...command, open: null }), ({ job }) => job);
}

export class Conversations {
  private readonly said: Said[] = [];
  private readonly scheduler: Scheduler;
  private readonly callers: Callers;
  private readonly database: WatchedDatabase;
  private checked = -1;

  constructor(parts: { readonly scheduler: Scheduler; readonly callers: Callers; readonly database: WatchedDatabase }) {
    this.scheduler = parts.scheduler;
    this.callers = parts.callers;
    this.database = parts.database;
  }

  send(replica: SimulatedReplica): void {
    const [organizationId = "", chatId = ""] = this.scheduler.one(CHATS).split("/");
    const said: Said = { chatId, content: `message ${this.said.length}`, answer: "pending" };
    this.said.push(said);
    const answer = this.sendOften(replica, organizationId, said);
    this.callers.wait(replica, `${said.content} to ${chatId}`, answer, {
      answered: (outcome) => this.answered(said, outcome),
      threw: (cause) => {
        must(isDrawn(cause), "bug", () => `${said.content}: ${String(cause)}`);
        said.answer = "refused";
      },
      abandoned: () => void (said.answer = "unknown"),
    });
  }

  /** Half of the messages have ids of their own; of these some are sent again, with their run in memory. */
  private async sendOften(replica: SimulatedReplica, organizationId: string, { chatId, content }: Said) {
    const name = content.replace(" ", "_");
    const keyed = this.scheduler.happens(0.5) ? { messageId: `msg_${name}`, jobId: `job_${name}` } : undefined;
    const isRepeated = keyed !== undefined && this.scheduler.happens(0.5);
    const chat = chatRef(organizationId, chatId);
    const command = { ...MESSAGE, agent: AGENT, content, ...(keyed === undefined ? {} : { keyed }) };
    const first = await sendAsFirst(replica, chat, command);
    if (!first.ok || !isRepeated) return first;
    try {
      await replica.system.dispatch(jobRef(organizationId, keyed.jobId), { kind: "read_job" });
      const again = await sendAsFirst(replica, chat, command);
      must(!again.ok || again.value === null, "once", () => `${content} has begun again`);
    } catch (cause) {
      must(isDrawn(cause), "bug", () => `${content} again: ${String(cause)}`);
    }
    return first;
  }

  /** The invariants of chats and jobs. */
  check(): void {
    if (this.checked === this.database.commits) return;
    this.checked = this.database.commits;
    const [jobs, messages] = [this.all<Job>("job"), this.all<Message>("message")];
    for (const said of this.said) {
      const stored = messages.filter(({ content, role }) => role === "user" && content === said.content);
      must(stored.length <= 1, "once", () => `${said.content} is there ${stored.length} times`);
      if (said.answer === "acknowledged") must(stored.length === 1, "stored", () => said.content);
      if (said.answer === "refused") must(stored.length === 0, "refused", () => said.content);
      const own = jobs.filter(({ input }) => input === said.content);
      must(own.length === stored.length, "whole", () => `${said.content} has ${own.length} jobs`);
    }
    for (const job of jobs) this.checkJob(job, messages);
    for (const chat of this.all<Chat>("chat")) if (chat.id.startsWith("cht_")) this.checkChat(chat, jobs, messages);
  }

  /** At the end no job is on its way. */
  unfinished(): readonly string[] {
    return this.all<Job>("job").flatMap((job) => (isOver(job) ? [] : [`${job.id} is ${job.status}`]));
  }

  private answered(said: Said, outcome: Outcome<unknown>): void {
    if (outcome.ok) said.answer = "acknowledged";
    else {
      const { kind } = outcome.fault;
      must(isPassing(outcome.fault) || kind === "invalid_state", "bug", () => `${said.content}: ${kind}`);
      said.answer = kind === "outcome_unknown" ? "unknown" : "refused";
    }
    this.checked = -1;
  }

  private checkJob(job: Job, messages: readonly Message[]): void {
    const { id, organizationId, status } = job;
    const types = this.consecutive(job);
    const ends = types.filter((type) => /^job\.(completed|failed|cancelled)$/.test(type)).length;
    must(ends === (isOver(job) ? 1 : 0), "job", () => `${id} is ${status} with ${ends} ends`);
    if (isOver(job))
      must(types.at(-1) === `job.${status}`, "job", () => `${id} goes on after its end: ${types.join()}`);
    const results = this.database
      .stream(organizationId, id)
      .flatMap(({ data }) => (typeof data["toolUseId"] === "string" ? [data["toolUseId"]] : []));
    must(new Set(results).size === results.length, "job", () => `${id} has a result twice: ${results.join()}`);
    const effects = this.database.effects().filter(({ actorId }) => actorId === id).length;
    // A mission may ask its job to stop meanwhile.
    const starts = this.database
      .messages()
      .filter((sent) => sent.actorId === id && sent.command.kind === "start").length;
    const isActive = (this.database.record("chat", organizationId, job.chatId) as Chat | null)?.activeJobId === id;
    const wanted = !isOver(job) && isActive ? 1 : 0;
    must(
      effects + starts === wanted,
      "job",
      () => `${id} is ${status}, ${isActive ? "" : "not "}active, with ${effects} effects and ${starts} starts`,
    );
    const message = messages.find((other) => other.id === job.outputMessageId);
    if (isOver(job) && message !== undefined)
      must(message.status === status, "job", () => `${id} is ${status}, its message ${message.status}`);
  }

  private checkChat(chat: Chat, jobs: readonly Job[], messages: readonly Message[]): void {
    this.consecutive(chat);
    const own = jobs.filter(({ chatId }) => chatId === chat.id);
    const running = own.filter(({ status }) => status === "running").map(({ id }) => id);
    must(
      running.every((id) => id === chat.activeJobId),
      "job",
      () => `${chat.id}: ${running.join()} run, active is ${chat.activeJobId}`,
    );
    const waiting = own.filter((job) => job.status === "queued" && job.id !== chat.activeJobId).map(({ id }) => id);
    must(
      waiting.toSorted().join() === chat.queue.toSorted().join(),
      "job",
      () => `${chat.id}: ${waiting.join()} wait, its queue is ${chat.queue.join()}`,
    );
    const count = messages.filter(({ chatId }) => chatId === chat.id).length;
    must(chat.messageCount === count, "whole", () => `${chat.id} counts ${chat.messageCount} messages of ${count}`);
  }

  /** The types of a stream's events, which must be consecutive and known to the record. */
  private consecutive({ organizationId, id, lastSeq }: Job | Chat): readonly string[] {
    const events = this.database.stream(organizationId, id);
    must(
      events.length === lastSeq && events.every(({ seq }, i) => seq === i + 1),
      "sequence",
      () => `${id}: ${events.map(({ seq }) => seq).join()} and lastSeq ${lastSeq}`,
    );
    return events.map(({ type }) => type);
  }

  private all<T>(table: string): readonly T[] {
    return [...this.database.records].flatMap(([key, record]) => (key.startsWith(`${table}/`) ? [record as T] : []));
  }
}
