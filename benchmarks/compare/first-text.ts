/**
 * How long until the first text of an answer: from the request to the first piece of text, over a stream, with a
 * provider that sends its first piece at once. A bare relay, which stores nothing, shows what HTTP and the provider take.
 */
import type { Aim } from "../support/benchmark.ts";
import { figure, Samples, times } from "../support/statistics.ts";
import { table } from "../support/table.ts";
import { headline, type Headline } from "./headlines.ts";

const STREAMS = [1, 16] as const;
const PROMPT = "deltas=5 every=2";
const RELAY = "bare relay";
const MOST_ANSWERS = 100_000;

/** A system that streams the answer to a message. */
export interface StreamingSystem {
  readonly name: string;
  /** What it has stored before the first text. */
  readonly stored: string;
  /** Sends the message; the body of the response is the stream. */
  send(message: string): Promise<Response>;
  /** Matches the stream as soon as it has text of the model. */
  readonly text: RegExp;
}

/** The relay of `stream-relay.ts` at this port. */
export const relaySystem = (port: number): StreamingSystem => ({
  name: RELAY,
  stored: "nothing",
  send: (message) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: JSON.stringify({ model: "fake-model", stream: true, messages: [{ role: "user", content: message }] }),
    }),
  text: /"content":"\d/,
});

interface FirstTextTimes {
  readonly p50: number;
  readonly p99: number;
}

/** The best of all rounds, by the system and the number of streams. */
export class FirstTexts {
  private readonly best = new Map<string, FirstTextTimes>();
  private readonly systems: readonly StreamingSystem[];

  constructor(systems: readonly StreamingSystem[]) {
    this.systems = systems;
  }

  async round(seconds: number, say: (line: string) => void): Promise<void> {
    for (const streams of STREAMS)
      for (const system of this.systems) {
        const run = await firstTexts(system, streams, seconds);
        const key = `${system.name}, ${streams} at once`;
        if (run.p50 < (this.best.get(key)?.p50 ?? Infinity)) this.best.set(key, run);
        say(`${key}: first text after ${figure(run.p50)} ms (p99 ${figure(run.p99)})`);
      }
  }

  get headlines(): readonly Headline[] {
    return STREAMS.map((streams) =>
      headline(`the first text of an answer, ${streams} at once, p50 ms`, this.systems, ({ name }) => {
        const times = this.best.get(`${name}, ${streams} at once`);
        return times === undefined ? null : figure(times.p50);
      }),
    );
  }

  get text(): string {
    const rows = this.systems.map(({ name, stored }) => [
      name,
      ...STREAMS.map((streams) => {
        const { p50, p99 } = this.best.get(`${name}, ${streams} at once`) ?? { p50: Number.NaN, p99: Number.NaN };
        return `${figure(p50)} · ${figure(p99)}`;
      }),
      stored,
    ]);
    const head = ["system", ...STREAMS.map((streams) => `${streams} at once`), "stored before the first text"];
    return `From a message to the first text of its answer, p50 and p99, in ms:\n\n${table(head, rows)}`;
  }

  get aims(): Aim[] {
    const of = (name: string): number | undefined => this.best.get(`${name}, 1 at once`)?.p50;
    const [ours, theirs] = [of("Troupe"), of("LangGraph dev server")];
    if (ours === undefined || theirs === undefined) return [];
    const aim = "the first text comes earlier than LangGraph's, although durable";
    return [{ aim, figure: `${times(theirs / ours)} as long there`, holds: ours < theirs }];
  }
}

async function firstTexts(system: StreamingSystem, streams: number, seconds: number): Promise<FirstTextTimes> {
  const samples = new Samples(MOST_ANSWERS);
  const end = performance.now() + seconds * 1_000;
  const read = async (): Promise<void> => {
    while (performance.now() < end) samples.add(await firstText(system));
  };
  await Promise.all(Array.from({ length: streams }, read));
  return samples.summary();
}

/** Reads the stream to its end; answers the time from the request to the first text. */
async function firstText({ name, send, text }: StreamingSystem): Promise<number> {
  const from = performance.now();
  const answer = await send(PROMPT);
  const decoder = new TextDecoder();
  let [heard, first] = ["", Number.NaN];
  for await (const bytes of answer.body ?? []) {
    if (!Number.isNaN(first)) continue;
    heard += decoder.decode(bytes, { stream: true });
    if (text.test(heard)) first = performance.now() - from;
  }
  if (Number.isNaN(first)) throw new Error(`${name} said nothing: ${answer.status} ${heard.slice(0, 500)}`);
  return first;
}
