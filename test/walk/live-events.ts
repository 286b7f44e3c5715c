/** Chats and jobs in which as much happens as can be made to happen, and the streams of all of them. */
import { FrameParser } from "../support/event-streams.ts";
import { type JobRecord, type World } from "./world.ts";

export interface Streamed {
  /** What of the events is not in the contract. */
  readonly found: readonly string[];
  /** The names of the events that have come. */
  readonly seen: ReadonlySet<string>;
}

const CAREFUL = { allowed_tools: ["create_task", "current_time"], approval_tools: ["create_task"] };
const SLOWLY = "/say one two three four five\n/repeat 3\n/slow 20";
const ENDLESS = "/say one two three\n/repeat 1000\n/slow 100";

export async function liveEvents(world: World): Promise<Streamed> {
  const stories = [talk, decisions, rounds, mishaps];
  const told = await Promise.all(stories.map((story) => story(world)));
  return { found: told.flatMap(({ found }) => found), seen: new Set(told.flatMap(({ seen }) => [...seen])) };
}

/** A turn that is watched while it runs, with messages that wait, steer and interrupt. */
async function talk(world: World): Promise<Streamed> {
  const chat = await world.chat();
  const first = await world.said(chat, ENDLESS, "running");
  const live = [streamed(world, "streamChatEvents", chat), streamed(world, "streamJobEvents", first.id)];
  const params = { id: chat };
  await world.call("sendMessage", { params, body: { content: "and then", on_busy: "queue" } });
  await world.call("sendMessage", { params, body: { content: "not so fast", on_busy: "steer" } });
  await world.call("updateChatOptions", { params, body: { title: "Talk", pinned: true } });
  const { job } = await world.call<{ job: JobRecord }>("sendMessage", {
    params,
    body: { content: SLOWLY, on_busy: "interrupt" },
  });
  const watched = streamed(world, "streamJobEvents", job.id);
  await world.reached(job, "completed");
  const replayed = streamed(world, "streamChatEvents", chat, [["replay", "all"]]);
  const lost = streamed(world, "streamChatEvents", chat, [["after", "999999"]]);
  return together([...live, watched, replayed, lost]);
}

/** Tool calls that wait for a person, approved and denied. */
async function decisions(world: World): Promise<Streamed> {
  const content = '/call create_task {"title": "Write"}\n/call current_time\n/then\n/say Done.';
  const jobs = await Promise.all([1, 2].map(() => world.job(content, "blocked", { agent: CAREFUL })));
  const [approved, denied] = jobs.map(({ id }) => ({ id }));
  await world.call("approveJob", { params: approved!, body: {} });
  await world.call("approveJob", { params: denied!, body: { decision: "deny", comment: "Not now." } });
  return replayedOnceDone(world, jobs);
}

/** A review, another round, and a job that was cancelled and resumed. */
async function rounds(world: World): Promise<Streamed> {
  const reviewed = await world.job("hello", "needs_review", { fields: { review_required: true } });
  const params = { id: reviewed.id };
  const next = await world.call<JobRecord>("iterateJob", { params, body: { feedback: "Shorter." } });
  await world.reached(next, "needs_review");
  await world.call("approveJob", { params: { id: next.id }, body: { comment: "Good." } });
  const running = await world.job(ENDLESS, "running");
  await world.call("cancelJob", { params: { id: running.id }, query: [["wait", "20"]] });
  return replayedOnceDone(world, [reviewed, next, running]);
}

/** What fails: the provider, a tool, a chat that is deleted. */
async function mishaps(world: World): Promise<Streamed> {
  const failed = await world.job("Well.\n/fail provider_rejected", "failed");
  const resumed = await world.call<JobRecord>("resumeJob", { params: { id: failed.id }, body: { input: "hello" } });
  const unknown = await world.job("/call no_such_tool {}", "completed");
  return replayedOnceDone(world, [failed, resumed, unknown]);
}

async function replayedOnceDone(world: World, jobs: readonly JobRecord[]): Promise<Streamed> {
  return together(jobs.map(({ id }) => streamed(world, "streamJobEvents", id, [["replay", "all"]])));
}

/** A stream until its end, which is that of the chat's turn, or of the job. */
async function streamed(
  world: World,
  operationId: string,
  id: string,
  query: readonly (readonly [string, string])[] = [],
): Promise<Streamed> {
  const ask = { params: { id }, query: [...query, ["wait", "end"] as const] };
  const { status, complaints, text } = await world.walker.ask(world.operation(operationId), ask);
  const parser = new FrameParser();
  parser.feed(text ?? "");
  const found = [...complaints, ...(status === 200 ? [] : [`${status} ${text}`])];
  return {
    found: found.map((one) => `${operationId}: ${one}`),
    seen: new Set(parser.frames.map(({ event }) => event)),
  };
}

async function together(streams: readonly Promise<Streamed>[]): Promise<Streamed> {
  const told = await Promise.all(streams);
  return { found: told.flatMap(({ found }) => found), seen: new Set(told.flatMap(({ seen }) => [...seen])) };
}
