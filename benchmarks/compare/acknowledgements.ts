/**
 * How long until a message is acknowledged: the time from the request to the answer which says that the system has it.
 * What each has stored by then is in the table, because that is what the time pays for.
 */
import type { Aim } from "../support/benchmark.ts";
import type { Pgbench } from "../support/pgbench.ts";
import { figure, Samples, times } from "../support/statistics.ts";
import { table } from "../support/table.ts";
import { headline, type Headline } from "./headlines.ts";
import { type Commits, commitMeans } from "./commits.ts";

const ACKNOWLEDGED_CALLERS = [1, 16] as const;
const MICROSECONDS = 1_000;
/** More than anybody sends in a measurement. */
const MOST_MESSAGES = 100_000;

/** A system to which messages are sent. */
export interface Acknowledger {
  readonly name: string;
  /** What it has stored when it answers. */
  readonly stored: string;
  /** Prepares a sender; each of its calls sends one message and resolves with the acknowledgement. */
  open(): Promise<(message: string) => Promise<void>>;
  /** Its commits so far; omitted: it does not count them. */
  readonly commits?: () => Promise<Commits>;
}

interface AcknowledgementTimes {
  readonly p50: number;
  readonly p99: number;
  /** The mean time of the commits meanwhile; omitted: the system does not count them. */
  readonly commitMs?: number;
}

/** The best of all rounds, by the system and the number of callers. */
export class Acknowledgements {
  private readonly best = new Map<string, AcknowledgementTimes>();
  private readonly acknowledgers: readonly Acknowledger[];
  private readonly pgbench: Pgbench | null;

  constructor(acknowledgers: readonly Acknowledger[], pgbench: Pgbench | null) {
    this.acknowledgers = acknowledgers;
    this.pgbench = pgbench;
  }

  async round(seconds: number, say: (line: string) => void): Promise<void> {
    for (const callers of ACKNOWLEDGED_CALLERS) {
      for (const one of this.acknowledgers)
        this.keep(one.name, callers, await acknowledged(one, callers, seconds), say);
      if (this.pgbench === null) continue;
      const { p50Us, p99Us } = await this.pgbench.run(callers, seconds);
      this.keep(BARE_INSERT.name, callers, { p50: p50Us / MICROSECONDS, p99: p99Us / MICROSECONDS }, say);
    }
  }

  get headlines(): readonly Headline[] {
    return ACKNOWLEDGED_CALLERS.map((callers) =>
      headline(`a message acknowledged, ${callers} at once, p50 ms`, this.systems, ({ name }) => {
        const times = this.of(name, callers);
        return times === undefined ? null : figure(times.p50);
      }),
    );
  }

  get text(): string {
    const rows = this.systems.map(({ name, stored }) => [
      name,
      ...ACKNOWLEDGED_CALLERS.map((callers) => {
        const { p50, p99 } = this.of(name, callers) ?? { p50: Number.NaN, p99: Number.NaN };
        return `${figure(p50)} · ${figure(p99)}`;
      }),
      stored,
    ]);
    const head = ["system", ...ACKNOWLEDGED_CALLERS.map((callers) => `${callers} at once`), "stored by then"];
    return `Until a message is acknowledged, p50 and p99, in ms:\n\n${table(head, rows)}${this.waits}`;
  }

  /** What a message of ours waits for. */
  private get waits(): string {
    const commits = ACKNOWLEDGED_CALLERS.flatMap((callers) => {
      const commitMs = this.of("Troupe", callers)?.commitMs;
      return commitMs === undefined ? [] : [`${figure(commitMs)} ms with ${callers} at once`];
    });
    if (commits.length === 0) return "";
    return (
      `\n\nA commit of Troupe takes ${commits.join(" and ")} (mean). A message waits for its own commit and for what is left of the one before: ` +
      "the runs of the messages before it go on meanwhile, and each makes two commits in the same process. Restate, DBOS and LangGraph also begin the runs. The other parts are those of a stream until `meta`, " +
      "in the section `stream` of [the results](../benchmarks/RESULTS.md#stream)."
    );
  }

  get aims(): Aim[] {
    return ACKNOWLEDGED_CALLERS.flatMap((callers) => {
      const [ours, theirs] = [this.of("Troupe", callers), this.of("DBOS", callers)];
      if (ours === undefined || theirs === undefined) return [];
      const ratio = ours.p50 / theirs.p50;
      const aim = `${callers} at once: a message is acknowledged at least as soon as DBOS begins a workflow`;
      return [{ aim, figure: times(ratio), holds: ratio <= 1 }];
    });
  }

  private get systems(): readonly Pick<Acknowledger, "name" | "stored">[] {
    return [...this.acknowledgers, ...(this.pgbench === null ? [] : [BARE_INSERT])];
  }

  private of(name: string, callers: number): AcknowledgementTimes | undefined {
    return this.best.get(`${name}, ${callers} at once`);
  }

  private keep(name: string, callers: number, run: AcknowledgementTimes, say: (line: string) => void): void {
    if (run.p50 < (this.of(name, callers)?.p50 ?? Infinity)) this.best.set(`${name}, ${callers} at once`, run);
    say(`${name}, ${callers} at once: a message is acknowledged in ${figure(run.p50)} ms (p99 ${figure(run.p99)})`);
  }
}

const BARE_INSERT = { name: "pgbench", stored: "one row of a message's size, by a client in C without HTTP" };

async function acknowledged(one: Acknowledger, callers: number, seconds: number): Promise<AcknowledgementTimes> {
  const senders = await Promise.all(Array.from({ length: callers }, () => one.open()));
  const samples = new Samples(MOST_MESSAGES);
  const before = await one.commits?.();
  const end = performance.now() + seconds * 1_000;
  const send = async (sender: (message: string) => Promise<void>): Promise<void> => {
    while (performance.now() < end) {
      const from = performance.now();
      await sender(`steps=0 key=${crypto.randomUUID().replaceAll("-", "")}`);
      samples.add(performance.now() - from);
    }
  };
  await Promise.all(senders.map(send));
  const after = await one.commits?.();
  const times = samples.summary();
  return before === undefined || after === undefined ? times : { ...times, commitMs: commitMeans(before, after).ms };
}
