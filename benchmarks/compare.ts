/**
 * How does Troupe compare with other systems that make an agent's run durable?
 *
 * The same loop of an agent runs in all of them: the model asks for a tool, the tool answers, the result is stored, the
 * model is asked again. The provider and the tool answer at once and are one process beside them, so what is measured
 * is the system. A step is the time between the answer of the model and the next question to it.
 *
 *   Troupe     the service as an operator starts it: an agent with an HTTP tool, called by `execute` of v1
 *   Restate    its server from npm, and the loop as a handler in Node: each call is a `ctx.run`
 *   DBOS       the loop as a workflow in Node on the same PostgreSQL: each call is a `runStep`
 *   bare loop  the same in Node without durability
 *
 * Durability is the same in all but the bare loop: a step is synced to the disk before the next one. Troupe also keeps
 * the chat, its events and the usage, and checks the call; the others store a result for each call.
 *
 * The other rows have their own peers, because few systems do the same: what acknowledges a message (pg-boss and pgbench
 * beside them, LangGraph's dev server, which is in memory), what streams text (LangGraph's dev server, a bare relay),
 * what resumes a stream (LangGraph, Durable Streams), memory, disk, and the first run from nothing. `BENCH_PARTS` names
 * some of the parts: `steps`, `kills`, `acknowledgements`, `streams`, `footprint`, `first-run`.
 */
import { Acknowledgements } from "./compare/acknowledgements.ts";
import { cutStreams } from "./compare/cut-streams.ts";
import { DurableSteps } from "./compare/durable-steps.ts";
import { firstRuns } from "./compare/first-run.ts";
import { FirstTexts } from "./compare/first-text.ts";
import { footprints } from "./compare/footprint.ts";
import { type ComparedPart, type Headline, headlineTable } from "./compare/headlines.ts";
import { type Losses, lossAims, lossesOverKills, lossHeadlines, lossText } from "./compare/kills.ts";
import { startComparison } from "./compare/comparison.ts";
import type { Aim, Benchmark, Report } from "./support/benchmark.ts";
import { figure } from "./support/statistics.ts";

/** Kills of a system for each round. */
const ROUND_KILLS = 7;
/** The page that has the tables. */
const PAGE = "docs/comparison.md";
const PAGE_LINK = "[Troupe beside others](../docs/comparison.md#measured)";
/** Where the profiles of the aims are on that page. */
const WHERE_IT_GOES =
  "Where the time goes is on that page too: of a step under *What a step of Troupe waits for*, of runs also under *Cores that such runs keep busy*, of a message below *Until a message is acknowledged*.";
const PARTS = ["steps", "acknowledgements", "streams", "footprint", "kills", "first-run"] as const;

export const benchmark: Benchmark = {
  question: "How does Troupe compare with other systems that make an agent's run durable?",
  async run({ lifetime, rounds, seconds, say }): Promise<Report> {
    const chosen = chosenParts();
    const { world, systems, acknowledgers, pgbench, streaming, cut, measured, ways, skipped } =
      await startComparison(lifetime);
    const steps = new DurableSteps(world, systems);
    const acknowledgements = new Acknowledgements(acknowledgers, pgbench);
    const firstTexts = new FirstTexts(streaming);
    const texts: string[] = [];
    const headlines: Headline[] = [];
    const aims: Aim[] = [];
    const take = (part: ComparedPart & { readonly aims?: readonly Aim[] }): void => {
      texts.push(part.text);
      headlines.push(...part.headlines);
      aims.push(...(part.aims ?? []));
    };
    // Idle memory comes first: load leaves memory behind.
    const footprint = chosen.has("footprint") ? await footprints(measured, say) : null;
    await steps.warmUp();
    for (let round = 1; round <= rounds; round++) {
      const note = (line: string): void => say(`round ${round}: ${line}`);
      if (chosen.has("steps")) await steps.round(seconds, note);
      if (chosen.has("acknowledgements")) await acknowledgements.round(seconds, note);
      if (chosen.has("streams")) await firstTexts.round(seconds, note);
    }
    if (chosen.has("steps")) take(steps);
    if (chosen.has("acknowledgements")) take(acknowledgements);
    if (chosen.has("streams")) {
      take(firstTexts);
      take(await cutStreams(cut, rounds, say));
    }
    if (footprint !== null) take(footprint);
    if (chosen.has("kills")) {
      const losses = new Map<string, Losses>();
      for (const { accept, ...system } of systems) {
        if (accept === null) continue;
        const lost = await lossesOverKills(world, { ...system, accept }, rounds * ROUND_KILLS);
        losses.set(system.name, lost);
        say(`${system.name}: ${lost.lost} of ${lost.acknowledged} runs lost over ${figure(lost.kills)} kills`);
      }
      take({ text: lossText(losses), headlines: lossHeadlines(losses), aims: lossAims(losses) });
    }
    if (chosen.has("first-run")) {
      const first = await firstRuns(lifetime, ways, say);
      take(first);
      skipped.push(...first.skipped);
    }
    const text = `The tables are on the page ${PAGE_LINK}. ${WHERE_IT_GOES}`;
    return { text, aims, skipped, page: { path: PAGE, text: [headlineTable(headlines), ...texts].join("\n\n") } };
  },
};

function chosenParts(): ReadonlySet<string> {
  const named = (process.env["BENCH_PARTS"] ?? "").split(",").filter((name) => name !== "");
  const unknown = named.filter((name) => !(PARTS as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`BENCH_PARTS: unknown ${unknown.join(", ")}; there are ${PARTS.join(", ")}`);
  return new Set(named.length === 0 ? PARTS : named);
}
