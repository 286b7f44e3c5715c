/**
 * What do files cost?
 *
 * The service as an operator starts it, with its own PostgreSQL and files in a folder; the load runs in separate
 * processes. The peers: `Bun.serve` that stores bodies with `Bun.write` and sends `Bun.file` (no token, no digest, no
 * commit, and no sync to disk, which the service does before it answers), and DuckDB alone in a process, warm and
 * without limits. Small queries and the 100 MB of CSV go over HTTP to the service, and to a warm child; children run
 * only when the machine is idle, so other load shows there first.
 *
 * The uploads beside messages come from a process of the lowest priority: real clients run elsewhere, and on two cores
 * it would take CPU from the service. Their rate is reported, so that slowing them down gains nothing. Before each
 * measurement memory is used and freed (`warmMemory`).
 *
 * BENCH_FILES=flood,transfers runs these parts only.
 */
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Benchmark } from "./support/benchmark.ts";
import { transfers } from "./support/file-transfers.ts";
import type { FilesTask } from "./support/files-worker.ts";
import { aim, contentOf, json, MIB, type Part, ratioAim, sorted, timed, type World } from "./support/files-world.ts";
import { flood } from "./support/file-flood.ts";
import { type RunningService, startService } from "./support/service.ts";
import { figure, percentile } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

const FILES = 10_000;
const LARGE_BYTES = 256 * MIB;
const CSV_BYTES = 100_000_000;
const CSV_QUERY = "SELECT region, count(*) AS n, sum(amount) AS total FROM 'big.csv' GROUP BY region ORDER BY region";
const QUERIES = 7;
const SMALL_QUERIES = 200;
const LARGE_MIB = 32;
/** The most time of a query, as a multiple of DuckDB alone. */
const QUERY_RATIO = 1.2;
const WHERE_A_LONG_QUERY_WAITS =
  "**A query of 100 MB** waits for a new child process, about 0.1 s. A child that has kept more than 64 MiB ends after its job, because the next job is promised its whole limit of memory, and the next one starts only when a query needs it. DuckDB alone keeps its process.";
const SMALL_MS = 10;

export const benchmark: Benchmark = {
  question: "What do files cost: lists, transfers, queries, and other work beside them?",
  async run(context) {
    const service = await startService(context.lifetime, null, {
      RATE_BUDGETS: "*=999999999",
      RATE_LIMIT_V1: "false",
      WORKSPACE_MIB: "102400",
    });
    const world: World = {
      context,
      service,
      load: startWorker<FilesTask, readonly number[]>(context.lifetime, "files-worker.ts"),
      other: startWorker<FilesTask, readonly number[]>(context.lifetime, "files-worker.ts"),
      uploaders: startWorker<FilesTask, readonly number[]>(context.lifetime, "files-worker.ts", { isLow: true }),
      workspace: await workspaceOf(service),
    };
    const parts: Part[] = [];
    for (const part of chosenParts()) parts.push(await part(world));
    return {
      text: [
        table(
          ["what", "service", "beside it"],
          parts.flatMap(({ rows }) => rows),
        ),
        ...parts.flatMap(({ note }) => note ?? []),
      ].join("\n\n"),
      aims: parts.flatMap(({ aims }) => aims),
      skipped: [],
    };
  },
};

/** The chosen parts, in their order. */
function chosenParts(): readonly ((world: World) => Promise<Part>)[] {
  const parts = { queries, memory, transfers, flood, lists };
  const wanted = process.env["BENCH_FILES"];
  if (wanted === undefined || wanted === "") return Object.values(parts);
  return Object.entries(parts).flatMap(([name, part]) => (wanted.split(",").includes(name) ? [part] : []));
}

async function workspaceOf(service: RunningService): Promise<string> {
  const { workspaces } = (await json(service, "/api/workspaces")) as { workspaces: { id: string }[] };
  return workspaces[0]?.id ?? "";
}

const median = (values: readonly number[]): number => percentile(sorted(values), 0.5);

/** 10,000 files: all of them by pages of 100, and a search. */
async function lists(world: World): Promise<Part> {
  const { context, service, workspace, load } = world;
  context.say(`writing ${FILES} files`);
  await load.ask({
    kind: "upload",
    bytes: 1_000,
    url: contentOf(world, "many/d{n}/f.txt"),
    token: service.token,
    times: 1,
    atOnce: 1,
  });
  const [seconds = 0] = await load.ask({
    kind: "upload",
    bytes: 1_000,
    url: contentOf(world, "many/file-{n}.txt"),
    token: service.token,
    times: FILES,
    atOnce: 32,
  });
  const pages: number[] = [];
  let cursor: string | undefined;
  let count = 0;
  do {
    const from = performance.now();
    const more = cursor === undefined ? "" : `&cursor=${cursor}`;
    const page = (await json(service, `/api/workspaces/${workspace}/files?recursive=true&limit=100${more}`)) as {
      files: unknown[];
      next_cursor?: string;
    };
    pages.push(performance.now() - from);
    count += page.files.length;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  if (count < FILES) throw new Error(`only ${count} files are listed`);
  const searches: number[] = [];
  for (let i = 0; i < 50; i++)
    searches.push(await timed(() => json(service, `/api/workspaces/${workspace}/files/search?q=file-${i * 199}`)));
  const whole = pages.reduce((sum, ms) => sum + ms, 0);
  return {
    rows: [
      ["10,000 small uploads, files/s", figure(FILES / seconds), ""],
      ["all of them listed, ms", figure(whole), ""],
      ["a page of 100, p50, ms", figure(median(pages)), ""],
      ["a search among them, p50, ms", figure(median(searches)), ""],
    ],
    aims: [
      aim("10,000 files are listed in at most 2 s", figure(whole / 1_000), whole <= 2_000, " s"),
      aim("a search among 10,000 files takes at most 50 ms", figure(median(searches)), median(searches) <= 50, " ms"),
    ],
  };
}

/** The service's peak memory while it receives one large file. */
async function memory(world: World): Promise<Part> {
  const { service, load, context } = world;
  const upload = (n: string, bytes: number) =>
    load.ask({ kind: "upload", bytes, url: contentOf(world, `one/${n}`), token: service.token, times: 1, atOnce: 1 });
  await upload("warm-up", 32 * MIB);
  const more: number[] = [];
  for (let round = 0; round < context.rounds; round++) {
    // Resets the peak.
    writeFileSync(`/proc/${service.pid}/clear_refs`, "5");
    const before = peakOf(service.pid);
    await upload(`large-${round}`, LARGE_BYTES);
    more.push((peakOf(service.pid) - before) / MIB);
  }
  const least = Math.min(...more);
  return {
    rows: [["memory taken by an upload of 256 MiB, MiB", figure(least), ""]],
    aims: [aim(`an upload of 256 MiB takes less than ${LARGE_MIB} MiB`, figure(least), least < LARGE_MIB, " MiB")],
  };
}

/** Bytes of the largest resident set. */
const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

async function queries(world: World): Promise<Part> {
  const { context, service, workspace, other } = world;
  const folder = context.lifetime.folder();
  const path = join(folder, "big.csv");
  writeCsv(path);
  const put = await fetch(contentOf(world, "big.csv"), {
    method: "PUT",
    headers: { authorization: `Bearer ${service.token}` },
    body: Bun.file(path),
  });
  if (!put.ok) throw new Error(`the CSV was not taken: ${put.status}`);
  const ask = (query: string) => json(service, `/api/workspaces/${workspace}/data-blocks/query`, { query });
  for (let i = 0; i < 20; i++) await ask("SELECT 1");
  await ask(CSV_QUERY);
  await other.ask({ kind: "duckdb", folder, query: CSV_QUERY, times: 1 });
  const ours: number[] = [];
  const alone: number[] = [];
  for (let i = 0; i < QUERIES; i++) {
    ours.push(await timed(() => ask(CSV_QUERY)));
    alone.push(...(await other.ask({ kind: "duckdb", folder, query: CSV_QUERY, times: 1 })));
  }
  const small: number[] = [];
  for (let i = 0; i < SMALL_QUERIES; i++) small.push(await timed(() => ask(`SELECT ${i} AS answer`)));
  const least = { ours: Math.min(...ours), alone: Math.min(...alone) };
  context.say(`100 MB of CSV: ${figure(least.ours)} ms, DuckDB alone ${figure(least.alone)}`);
  return {
    note: WHERE_A_LONG_QUERY_WAITS,
    rows: [
      ["a query of 100 MB of CSV, ms", figure(least.ours), figure(least.alone)],
      ["a small query, p50, ms", figure(median(small)), ""],
    ],
    aims: [
      ratioAim(
        `a query of 100 MB of CSV: at most ${QUERY_RATIO}× DuckDB alone`,
        least.ours / least.alone,
        (r) => r <= QUERY_RATIO,
      ),
      aim(
        `a warm child answers a small query in less than ${SMALL_MS} ms`,
        figure(median(small)),
        median(small) < SMALL_MS,
        " ms",
      ),
    ],
  };
}

function writeCsv(path: string): void {
  const file = openSync(path, "w");
  let bytes = writeSync(file, "id,region,amount,day,note\n");
  for (let n = 0; bytes < CSV_BYTES;) {
    let text = "";
    for (let line = 0; line < 5_000; line++, n++)
      text += `${n},${["north", "south", "east", "west"][n % 4]},${((n * 7_919) % 100_000) / 100},2026-${String((n % 12) + 1).padStart(2, "0")}-15,note number ${n % 1_000}\n`;
    bytes += writeSync(file, text);
  }
  closeSync(file);
}
