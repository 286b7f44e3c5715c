/**
 * Does the 10,000th message of a chat cost what the 10th costs?
 *
 * Turns (a message, its job, a model that answers at once, the end of both) one after the other, in process, in three
 * kinds of chats that are filled in advance, in interleaved rounds:
 *
 *   short   many chats, each at about its 10th message
 *   full    a chat of 1,000 messages: more than a model call gets, so it has a summary of the older ones
 *   long    a chat of 10,000 messages
 *
 * A turn of `full` costs more than one of `short` because of the model's context: the messages since the last summary are
 * read and passed to the model. If a turn of `long` costs more than one of `full`, the cost grows with the chat, which it
 * should not. Both begin behind a summary, and the summaries of a measurement are part of its turns.
 */
import type { Benchmark } from "./support/benchmark.ts";
import type { Talk, Talked } from "./support/chat-worker.ts";
import { cpuOfTree } from "./support/cpu.ts";
import { startServer } from "./support/postgres.ts";
import { figure, times } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

/**
 * Turns; each is two messages. `full` and `long` are equally many turns behind a summary, so their contexts have the same
 * length: a chat is summarized after 400 turns, and then after 300 more each time.
 */
const FILLED = { short: 4, full: 500, long: 5_000 } as const;
const SHORT_CHATS = 150;
/** Turns of each measurement: enough for the clock of /proc, and few enough that `short` stays short. */
const TURNS = 150;

type Kind = keyof typeof FILLED;
const KINDS = ["short", "full", "long"] as const satisfies readonly Kind[];

interface Cost extends Talked {
  /** CPU of PostgreSQL, ms for each turn. */
  readonly databaseMs: number;
}

export const benchmark: Benchmark = {
  question: "Does the 10,000th message of a chat cost what the 10th costs?",
  async run({ lifetime, rounds, say }) {
    const server = await startServer(lifetime);
    const { ask } = startWorker<Talk, Talked>(lifetime, "chat-worker.ts", { args: [server.url] });
    const best = new Map<Kind, Cost>();
    let lost = 0;
    const chatsOf = (kind: Kind, round: number): string[] =>
      kind === "short" ? Array.from({ length: SHORT_CHATS }, (_, i) => `cht_short_${round}_${i}`) : [`cht_${kind}`];
    for (const kind of ["full", "long"] as const)
      lost += (await ask({ chats: chatsOf(kind, 0), turns: FILLED[kind] })).lost;
    say(`filled: ${FILLED.long * 2} messages`);
    for (let round = 1; round <= rounds; round++) {
      lost += (await ask({ chats: chatsOf("short", round), turns: SHORT_CHATS * FILLED.short })).lost;
      for (const kind of KINDS) {
        const cpuFrom = cpuOfTree(server.pid);
        const talked = await ask({ chats: chatsOf(kind, round), turns: TURNS });
        const cost = { ...talked, databaseMs: ((cpuOfTree(server.pid) - cpuFrom) * 1_000) / TURNS };
        lost += talked.lost;
        best.set(kind, cheaper(best.get(kind), cost));
        say(
          `round ${round}: ${kind}: ${figure(cost.p50Ms)} ms, CPU ${figure(cost.cpuMs)} + ${figure(cost.databaseMs)} ms`,
        );
      }
    }
    const [short, full, long] = KINDS.map((kind) => best.get(kind)!) as [Cost, Cost, Cost];
    return { text: text(best), aims: aims({ short, full, long }, lost), skipped: [] };
  },
};

const cheaper = (before: Cost | undefined, cost: Cost): Cost =>
  before === undefined
    ? cost
    : {
        ...cost,
        p50Ms: Math.min(before.p50Ms, cost.p50Ms),
        p99Ms: Math.min(before.p99Ms, cost.p99Ms),
        cpuMs: Math.min(before.cpuMs, cost.cpuMs),
        databaseMs: Math.min(before.databaseMs, cost.databaseMs),
      };

function text(best: ReadonlyMap<Kind, Cost>): string {
  const names: Record<Kind, string> = {
    short: "the 10th message",
    full: "the 1,000th message",
    long: "the 10,000th message",
  };
  const head = ["a turn at", "p50 ms", "p99", "CPU ms", "of PostgreSQL ms", "entries for the model", "characters"];
  const rows = KINDS.map((kind) => {
    const { p50Ms, p99Ms, cpuMs, databaseMs, entries, characters } = best.get(kind)!;
    return [names[kind], ...[p50Ms, p99Ms, cpuMs, databaseMs, entries, characters].map(figure)];
  });
  return `${table(head, rows)}\n\n${whereItGoes(best.get("short")!, best.get("full")!)}`;
}

function whereItGoes(short: Cost, full: Cost): string {
  const more = full.entries - short.entries;
  const each = (ms: number): string => figure((ms * 1_000) / more);
  return (
    `Where the time of the context goes: a turn reads the messages of its chat from PostgreSQL, 200 in a statement, and makes the model's conversation of them. ` +
    `For each of up to ${figure(more)} messages more, PostgreSQL takes ${each(full.databaseMs - short.databaseMs)} µs of CPU, to read a record, measure its JSON and send it, and the service ${each(full.cpuMs - short.cpuMs)} µs, to parse it and put it in order. ` +
    "A chat with a summary also reads 256 messages from before it, because a message that waited there may belong to a later turn. " +
    "The aim is of 2026-11-21, when a call got at most 200 messages. Now it gets what fits into the model's window, up to 800 messages since the last summary (CHAT-8, CHAT-11), and the aim has stayed."
  );
}

function aims({ short, full, long }: Record<Kind, Cost>, lost: number) {
  const cpu = (cost: Cost): number => cost.cpuMs + cost.databaseMs;
  const growth = cpu(long) / cpu(full);
  const slower = long.p50Ms / full.p50Ms;
  const context = cpu(full) - cpu(short);
  return [
    {
      aim: "the 10,000th message costs at most 1.2 times the CPU of the 1,000th, which has the same context",
      figure: times(growth),
      holds: growth <= 1.2,
    },
    { aim: "and takes at most 1.2 times as long at p50", figure: times(slower), holds: slower <= 1.2 },
    {
      aim: `the model's own context (${figure(full.entries)} messages instead of ${figure(short.entries)}) costs under 10 ms of CPU`,
      figure: `${figure(context)} ms`,
      holds: context < 10,
    },
    { aim: "every turn succeeded", figure: `${lost} lost`, holds: lost === 0 },
  ];
}
