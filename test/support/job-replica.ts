/** A replica of all actors of the service, with a model and tools that a test scripts. */
import { type Chat, chatRef, type Message, type MessageBlock, messageBlocks } from "../../actors/chat/schema.ts";
import { type InputBlock, isAttachment } from "../../actors/upload/terms.ts";
import { DEFAULT_JOB_LIMITS } from "../../actors/job/limits.ts";
import { jobExecution } from "../../actors/job/run/execution.ts";
import {
  type AgentSnapshot,
  type Block,
  type Job,
  jobRef,
  type JobTerms,
  PLAIN_TERMS,
  contentText,
  metricsUsage,
} from "../../actors/job/schema.ts";
import { assert } from "../../actors/assert.ts";
import { CHAT_EVENTS } from "../../actors/chat/events.ts";
import { JOB_EVENTS } from "../../actors/job/events.ts";
import { Transcript } from "../../actors/job/run/transcript.ts";
import { NO_RETRIES, type RetrySettings } from "../../actors/job/run/retry-policy.ts";
import type { RunServices } from "../../actors/job/run/services.ts";
import { Slots } from "../../actors/job/run/slots.ts";
import type { EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import type { TSchema } from "../../actors/schema.ts";
import type { StoredEvent } from "../../actors/runtime/store.ts";
import { addUsage } from "../../actors/usage/actor.ts";
import { type Counts, NO_COUNTS } from "../../actors/usage/schema.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import { troupeActors, type TroupeProtocols, type TroupeSystem } from "../../actors/troupe.ts";
import { calendar } from "../../src/schedule/calendar.ts";
import { until } from "./condition.ts";
import { FakeModel } from "./fake-model.ts";
import { FakeTools, parsedOutputs } from "./fake-tools.ts";
import { MemoryTranscripts, messagesOf } from "./memory-transcripts.ts";
import { Replica, type World } from "./replica.ts";
import { Value } from "@sinclair/typebox/value";

/** Pauses are as long as they can be. */
export const NO_JITTER = { fraction: () => 1 };
export const ORG = "org_a";
export const CHAT = "cht_1";
export const AGENT: AgentSnapshot = {
  id: "agt_1",
  name: "Ada",
  version: 1,
  systemPrompt: "Be brief.",
  model: null,
  allowedTools: ["look", "send"],
  approvalTools: [],
  mcpServers: [],
  maxSteps: null,
};

/** What a plain message says besides its content. */
export const MESSAGE = {
  kind: "send_message",
  userId: "usr_1",
  onBusy: null,
  terms: PLAIN_TERMS,
  metadata: {},
} as const;

/** What a message may say differently. */
export interface Sending {
  readonly agent?: AgentSnapshot;
  readonly terms?: JobTerms;
  readonly blocks?: readonly InputBlock[];
}

export interface JobReplicaOptions {
  readonly model?: FakeModel;
  readonly tools?: FakeTools;
  readonly slots?: Slots;
  /** Besides the loop of jobs. */
  readonly effects?: (system: TroupeSystem) => Readonly<Record<string, EffectHandler>>;
  /** Whether approvals go by mail; omitted: no. */
  readonly hasMail?: boolean;
  /** None unless given. */
  readonly retry?: RetrySettings;
  /** Where traces are told. */
  readonly tracing?: Tracing;
  /** What makes the loop of jobs; the core's own unless given. */
  readonly execution?: (services: RunServices) => EffectHandler;
}

export class JobReplica extends Replica<TroupeProtocols> {
  readonly model: FakeModel;
  readonly tools: FakeTools;
  readonly transcripts: MemoryTranscripts;

  constructor(world: World, options: JobReplicaOptions = {}) {
    const { model = new FakeModel(), tools = new FakeTools(), slots = new Slots(), effects = () => ({}) } = options;
    const transcripts = new MemoryTranscripts(world.database);
    const bugs: { fields: object; message: string }[] = [];
    const { tracing } = options;
    super(world, {
      definitions: troupeActors({ calendar, hasMail: options.hasMail ?? false }),
      ...(tracing === undefined ? {} : { tracing }),
    });
    const { system } = this;
    const run = (options.execution ?? jobExecution)({
      models: model,
      tools,
      outputs: parsedOutputs,
      transcripts,
      slots,
      steps: DEFAULT_JOB_LIMITS.steps,
      retry: options.retry ?? NO_RETRIES,
      chance: NO_JITTER,
      clock: world.clock,
      group: (members, admission) => system.dispatchGroup(members, admission),
      textWriter: (text) => system.textWriter(text),
      log: { warn: () => {}, error: (fields, message) => void bugs.push({ fields, message }) },
    });
    system.handle({ run, ...effects(system) });
    this.model = model;
    this.tools = tools;
    this.transcripts = transcripts;
    this.bugs = bugs;
  }

  /** What the loop has logged as errors. */
  readonly bugs: readonly { readonly fields: object; readonly message: string }[];

  /** Sends a user's message, and answers its job's id. The first one opens the chat. */
  async send(content: string, chatId = CHAT, how: Sending = {}): Promise<string> {
    const isNew = this.world.database.record("chat", ORG, chatId) === null;
    const open = isNew ? { workspaceId: "wsp_1", title: "Chat" } : null;
    const outcome = await this.system.dispatch(chatRef(ORG, chatId), {
      ...MESSAGE,
      open,
      agent: AGENT,
      content,
      ...how,
    });
    if (!outcome.ok) throw new Error(`the message was refused: ${outcome.fault.kind}`);
    assert(outcome.value.job !== null, "a message that does not steer has a job");
    return outcome.value.job.id;
  }

  job(id: string): Job {
    return this.world.database.record("job", ORG, id) as Job;
  }

  chat(chatId = CHAT): Chat {
    return this.world.database.record("chat", ORG, chatId) as Chat;
  }

  messages(chatId = CHAT): Message[] {
    return messagesOf(this.world.database, chatId);
  }

  events(stream: string): readonly StoredEvent[] {
    return this.world.database.stream(ORG, stream);
  }

  types(stream: string): string[] {
    return this.events(stream).map((event) => event.type);
  }

  /** The transcript as words: `text`, `use <id>`, `result <id>`. */
  async transcript(jobId: string): Promise<string[]> {
    return new Transcript(await this.transcripts.parts(ORG, jobId)).blocks.map(word);
  }

  async ended(jobId: string): Promise<Job> {
    await until(`job ${jobId} ends`, () =>
      ["completed", "failed", "blocked", "cancelled", "needs_review"].includes(this.job(jobId)?.status ?? ""),
    );
    return this.job(jobId);
  }

  subscribeJob(jobId: string) {
    return this.system.subscribe(jobRef(ORG, jobId), 0);
  }

  subscribeChat(chatId = CHAT) {
    return this.system.subscribe(chatRef(ORG, chatId), 0);
  }
}

export async function startJobs(world: World, options: JobReplicaOptions = {}): Promise<JobReplica> {
  const replica = new JobReplica(world, options);
  await replica.system.start();
  return replica;
}

export const word = (block: MessageBlock): string =>
  isAttachment(block)
    ? block.type
    : block.type === "text" || block.type === "reasoning"
      ? `${block.type} ${block.text}`
      : block.type === "tool_use"
        ? `use ${block.id}`
        : `result ${block.tool_use_id}`;

/** Where the chat and its jobs, as stored, disagree with each other or with their streams. */
export async function disagreements(replica: JobReplica, chatId = CHAT): Promise<string[]> {
  const wrong: string[] = [];
  const chat = replica.chat(chatId);
  const jobs = replica.world.database.rows<Job>("job");
  for (const record of [chat, ...jobs]) {
    const seqs = replica.events(record.id).map((event) => event.seq);
    if (seqs.some((seq, i) => seq !== i + 1) || record.lastSeq !== seqs.length)
      wrong.push(`${record.id}: seqs ${seqs.join()} and lastSeq ${record.lastSeq}`);
  }
  wrong.push(...strangeEvents(replica, chat.id, CHAT_EVENTS));
  for (const job of jobs) wrong.push(...strangeEvents(replica, job.id, JOB_EVENTS));
  for (const job of jobs) wrong.push(...(await disagreementsOf(replica, job)));
  const active = jobs.filter((job) => job.status === "running").map((job) => job.id);
  if (active.some((id) => id !== chat.activeJobId)) wrong.push(`running ${active.join()}, active ${chat.activeJobId}`);
  const metered = usageOf(replica).map(withoutTimes);
  const used = sumOf(jobs.map(({ startedAt, metrics }) => ({ ...metrics, jobs: startedAt === null ? 0 : 1 })));
  if (metered.some((usage) => JSON.stringify(usage) !== JSON.stringify(used)))
    wrong.push(`usage ${JSON.stringify(metered)}, of the jobs ${JSON.stringify(used)}`);
  if (chat.messageCount !== replica.messages(chatId).length) wrong.push(`messageCount ${chat.messageCount}`);
  return wrong;
}

/** What the organization has used, by its days and by its months. */
export function usageOf(replica: JobReplica): [Counts, Counts] {
  const rows = (table: string): Counts[] => replica.world.database.rows<RecordFields & Counts>(table);
  return [sumOf(rows("day_usage")), sumOf(rows("month_usage"))];
}

/** The times to the first tokens of all answers: a job keeps only that of its first one. */
function withoutTimes({ firstTokens: _count, firstTokenMs: _ms, ...counts }: Counts): Counts {
  return counts;
}

const sumOf = (all: readonly Counts[]): Counts => all.reduce(addUsage, NO_COUNTS);

/** Events of a stream that are not in their table, or not in its shape. */
function strangeEvents(replica: JobReplica, stream: string, table: Readonly<Record<string, TSchema>>): string[] {
  return replica.events(stream).flatMap(({ seq, type, data }) => {
    const schema = table[type];
    if (schema === undefined) return [`${stream}: event ${seq} is of no known type: ${type}`];
    return [...Value.Errors(schema, data)].map(({ path, message }) => `${stream}: ${seq} ${type}${path}: ${message}`);
  });
}

async function disagreementsOf(replica: JobReplica, job: Job): Promise<string[]> {
  const wrong: string[] = [];
  const message = replica.messages(job.chatId).find((m) => m.id === job.outputMessageId);
  const parts = await replica.transcripts.parts(ORG, job.id);
  // A summary is the whole content of the message of a job that compacts.
  const blocks =
    job.isCompaction === true
      ? parts.flatMap((part): Block[] => (part.type === "summary" ? [{ type: "text", text: part.text }] : []))
      : new Transcript(parts).blocks;
  const isOver = job.status === "completed" || job.status === "failed" || job.status === "cancelled";
  if (
    isOver &&
    replica.types(job.id).filter((t) => t === "job.completed" || t === "job.failed" || t === "job.cancelled").length !==
      1
  )
    wrong.push(`${job.id}: terminal events`);
  if (isOver && replica.types(job.id).at(-1) !== `job.${job.status}`)
    wrong.push(`${job.id}: the terminal event is not the last`);
  if (isOver && (job.result ?? "") !== contentText(blocks)) wrong.push(`${job.id}: result ${job.result}`);
  if (isOver && message !== undefined) {
    if (message.status !== job.status) wrong.push(`${job.id} is ${job.status}, its message ${message.status}`);
    if (message.content !== contentText(blocks))
      wrong.push(`${job.id}: content ${message.content}, transcript ${contentText(blocks)}`);
    if (messageBlocks(message).map(word).join() !== blocks.map(word).join())
      wrong.push(`${job.id}: blocks ${messageBlocks(message).map(word).join()}, transcript ${blocks.map(word).join()}`);
    const used = metricsUsage(job.metrics);
    if (JSON.stringify(message.usage) !== JSON.stringify(used)) wrong.push(`${job.id}: usage`);
  }
  if (isOver && replica.world.database.effects().some((effect) => effect.actorId === job.id))
    wrong.push(`${job.id}: an effect is left`);
  if (isOver && job.openCalls.length > 0) wrong.push(`${job.id}: open calls`);
  return wrong;
}
