/** The time of a message to a chat beside 50 uploads. */
import { contentOf, json, MIB, type Part, ratioAim, sorted, timed, warmMemory, type World } from "./files-world.ts";
import type { RunningService } from "./service.ts";
import { figure, percentile } from "./statistics.ts";

const FLOOD = { atOnce: 50, bytes: 4 * MIB };
/** One phase: the measured messages, and the pause between two. */
const MESSAGES = 500;
const MESSAGE_MS = 20;
/** Phases of a round, alternately alone and beside uploads. A p99 needs at least 500 messages. */
const PHASES = 2;
/** More than the uploads of one phase write. */
const FLOOD_MEMORY = 1_536 * MIB;
/** The most of the p99 beside uploads, as a multiple of that alone. */
const FLOOD_RATIO = 1.3;

/** Measured by hand on 2026-11-24, on 2 shared cores. */
const FLOOD_NOTE = [
  "**Where the time of a message beside uploads goes** (traced on 2026-11-24). Uploads yield (FAIR-10, docs/decisions/0043), so they reach only the rate above; the uploaders wait, in a process of the lowest priority. What remains for a message:",
  [
    "- Bun takes the first megabyte of each body whether it is read or not. So 50 uploads that begin at once occupy the loop for some 60 ms, which delays two or three messages of each phase.",
    "- A message may wait behind the commit of an upload.",
    "- The loop, the thread that hashes, PostgreSQL and the clients share two cores.",
  ].join("\n"),
  "In five alternating pairs of phases in which nothing else stalled the machine, the p99 beside uploads was 1.2 to 1.35 times that alone, so the aim of 1.3 is within the noise of one record. 50 uploads to the bare server, in a process of its own, raised the p99 from 14 to 60 ms alone to 20 to 120 ms (2026-11-23, beside other work).",
].join("\n\n");

/**
 * The time of a message to a chat, alone and during 50 uploads: alternating phases, and the p99 over all phases of a
 * kind.
 */
export async function flood(world: World): Promise<Part> {
  const { context, service, workspace, uploaders } = world;
  const alone: number[] = [];
  const beside: number[] = [];
  let uploads = 0;
  let seconds = 0;
  for (let phase = 0; phase < PHASES * context.rounds; phase++) {
    warmMemory(world, FLOOD_MEMORY);
    alone.push(...(await messages(service, workspace)));
    const target = { url: contentOf(world, `flood/${phase}-{n}`), token: service.token };
    const from = performance.now();
    await uploaders.ask({ kind: "flood", times: Number.MAX_SAFE_INTEGER, ...FLOOD, ...target });
    beside.push(...(await messages(service, workspace)));
    uploads += (await uploaders.ask({ kind: "stop" }))[0] ?? 0;
    seconds += (performance.now() - from) / 1_000;
    context.say(
      `phase ${phase + 1}: p99 of a message ${figure(p99(alone))} ms alone, ${figure(p99(beside))} beside uploads, until now`,
    );
  }
  const at = (part: number, values: readonly number[]): string => figure(percentile(sorted(values), part));
  return {
    note: FLOOD_NOTE,
    rows: [
      ...[0.5, 0.9, 0.99].map((part) => [
        `a message to a chat beside 50 uploads, p${part * 100}, ms`,
        at(part, beside),
        `${at(part, alone)} alone`,
      ]),
      ["uploads of 4 MiB meanwhile, MiB/s", figure((uploads * FLOOD.bytes) / MIB / seconds), ""],
    ],
    aims: [
      ratioAim(
        `50 uploads at once: a message's p99 is at most ${FLOOD_RATIO}× that without uploads`,
        p99(beside) / p99(alone),
        (r) => r <= FLOOD_RATIO,
      ),
    ],
  };
}

const p99 = (values: readonly number[]): number => percentile(sorted(values), 0.99);

async function messages(service: RunningService, workspace: string): Promise<readonly number[]> {
  const agent = (await json(service, "/api/agents", {
    name: "Bench",
    system_prompt: "Be brief.",
    model: "demo:echo",
  })) as { id: string };
  const latencies: number[] = [];
  for (let i = 0; i < MESSAGES; i++) {
    // A chat processes one message after the other, so change chats.
    const chat = i % 10 === 0 ? await newChat(service, agent.id, workspace) : latest;
    latest = chat;
    latencies.push(
      await timed(() => json(service, `/api/chats/${chat}/messages`, { content: "/say ok", on_busy: "queue" })),
    );
    await Bun.sleep(MESSAGE_MS);
  }
  return latencies;
}
let latest = "";

async function newChat(service: RunningService, agent: string, workspace: string): Promise<string> {
  return ((await json(service, "/api/chats", { agent_id: agent, workspace_id: workspace })) as { id: string }).id;
}
