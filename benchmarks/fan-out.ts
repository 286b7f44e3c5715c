/**
 * What does it cost to deliver events to many readers of one chat?
 *
 * Readers over bare sockets, in their own process, on the stream of one chat. Events are published one by one, and in
 * bursts of 16 that commit together, slowly enough for the readers to keep up: this measures the server's cost of each
 * delivery.
 *
 *   troupe     `GET /api/chats/{id}/events`; each event is a turn, committed to PostgreSQL (synced)
 *              before it is delivered. The CPU of the server includes the turn and the commit
 *   C writer   one thread, epoll, one `send` for each reader and publication: the ceiling. A burst is one
 *              publication. It stores nothing, frames nothing, and authenticates nobody
 *   nchan      nginx with nchan, one worker; 16 requests on one connection are a burst. It keeps the newest
 *              64 messages in memory, and loses them with its process
 *
 * "Each further reader" subtracts the cost of the same publication to one reader, measured in the same run: for us the
 * turn and the commit, for the peers the receipt of the publication.
 *
 * "Delay" is the time from the commit (for the peers: from the publication) to the receipt. System calls are counted in a
 * separate run, because strace slows everything down.
 *
 * Resume storm: 5,000 readers come back at once, each 1,000 events behind.
 */
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { cpuOf } from "./support/cpu.ts";
import type { FanOutAnswer, FanOutQuestion } from "./support/fan-out-client.ts";
import { type FanOutPlace, startNchan, startWriter } from "./support/fan-out-peers.ts";
import { startServer } from "./support/postgres.ts";
import { pssOf } from "./support/pss.ts";
import { figure, times } from "./support/statistics.ts";
import type { Saying, StreamAnswer, StreamQuestion } from "./support/stream-service.ts";
import { countCalls } from "./support/system-calls.ts";
import { table } from "./support/table.ts";
import { startWorker, type Worker } from "./support/worker.ts";

const READERS = [100, 1_000, 5_000, 10_000] as const;
const LARGE = READERS.filter((readers) => readers >= 1_000);
const BURST = 16;
/** Time between two events, for each reader: long enough for the slowest of the three, and for the readers. */
const MS_PER_READER = 0.025;
const WARM_UP_READERS = 1_000;
const STORM = { readers: 5_000, events: 1_000 };

interface Measured {
  /** CPU of the whole publication, for each delivery. */
  readonly cpuUs: number;
  /** CPU of the same publication to one reader, for each event. */
  readonly aloneUs: number;
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}
const MODES = ["single", "burst"] as const;
type Mode = (typeof MODES)[number];
type Client = Worker<FanOutQuestion, FanOutAnswer>;

interface Bench {
  readonly context: BenchmarkContext;
  readonly client: Client;
  readonly places: readonly FanOutPlace[];
  readonly best: Map<string, Measured>;
  /** KiB for each connection. */
  readonly memory: Map<string, number>;
  /** Writes to sockets for each delivered event. */
  readonly calls: Map<string, number>;
}

const keyOf = (place: string, readers: number, mode: Mode): string => `${place}, ${readers}, ${mode}`;

export const benchmark: Benchmark = {
  question: "What does it cost to send an event to many readers of one chat?",
  async run(context) {
    const { ours, client, places, service, skipped } = await open(context);
    const bench: Bench = { context, client, places, best: new Map(), memory: new Map(), calls: new Map() };
    for (const place of places) await warmUp(bench, place);
    for (let round = 1; round <= context.rounds; round++)
      for (const readers of READERS) for (const place of places) await measureAt(bench, place, readers, round === 1);
    for (const place of places) if (!(await countAt(bench, place))) skipped.push("system calls (strace is not there)");
    const storm = await resumeStorm(bench, ours, service);
    return { text: `${tables(bench)}\n\n${storm}`, aims: aims(bench), skipped: [...new Set(skipped)] };
  },
};

async function open({ lifetime }: BenchmarkContext) {
  const server = await startServer(lifetime);
  const service = startWorker<StreamQuestion, StreamAnswer>(lifetime, "stream-service.ts", {
    args: [server.url, "http://127.0.0.1:9/v1"],
  });
  const { port, token, chat } = await service.ask({ kind: "chat" });
  const client = startWorker<FanOutQuestion, FanOutAnswer>(lifetime, "fan-out-client.ts");
  const ours: FanOutPlace = {
    name: "Troupe",
    port,
    pid: service.pid,
    request: requestOf(chat, token, "?replay=0"),
    say: async (saying) => (await service.ask({ kind: "say", chat, ...saying })).commits,
    tidy: async () => void (await service.ask({ kind: "tidy" })),
  };
  const eventBytes = await bytesOf(client, ours);
  const [writer, nchan] = [await startWriter(lifetime, () => eventBytes), await startNchan(lifetime, () => eventBytes)];
  const skipped = [
    ...(writer === null ? ["C writer (gcc is not installed)"] : []),
    ...(nchan === null ? ["nginx with nchan (Debian: nginx libnginx-mod-nchan)"] : []),
  ];
  const places = [ours, writer, nchan].filter((place) => place !== null);
  return { ours, client, places, service, skipped };
}

const requestOf = (chat: string, token: string, query: string, headers = ""): string =>
  `GET /api/chats/${chat}/events${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n`;

/** Measures our bytes per event, so that the peers send as many. */
async function bytesOf(client: Client, ours: FanOutPlace): Promise<number> {
  await client.ask({ kind: "open", port: ours.port, request: ours.request, readers: 1, events: 0 });
  const { bytes } = await counted(client, ours, { bursts: 10, size: 1, everyMs: 20 });
  await client.ask({ kind: "leave" });
  return Math.round(bytes);
}

async function counted(client: Client, place: FanOutPlace, saying: Saying): Promise<FanOutAnswer> {
  const got = client.ask({ kind: "count", events: saying.bursts * saying.size });
  // The client must start counting before anything is published.
  await Bun.sleep(50);
  const commits = await place.say(saying);
  await got;
  return client.ask({ kind: "delays", commits, size: saying.size });
}

function sayingOf(readers: number, mode: Mode, seconds: number): Saying {
  const everyMs = Math.max(5, readers * MS_PER_READER);
  return { bursts: Math.max(4, Math.round((seconds * 1_000) / everyMs)), size: mode === "single" ? 1 : BURST, everyMs };
}

/** Warms up: code is compiled during use, and some memory is taken once and never released. */
async function warmUp({ client }: Bench, place: FanOutPlace): Promise<void> {
  const { port, request } = place;
  await client.ask({ kind: "open", port, request, readers: WARM_UP_READERS, events: 0 });
  for (const mode of MODES) await counted(client, place, sayingOf(WARM_UP_READERS, mode, 1.5));
  await client.ask({ kind: "leave" });
  await Bun.sleep(200);
}

async function measureAt(bench: Bench, place: FanOutPlace, readers: number, isFirst: boolean): Promise<void> {
  const { client, context, best, memory } = bench;
  const { name, port, pid, request } = place;
  const open = (count: number) => client.ask({ kind: "open", port, request, readers: count, events: 0 });
  const alone = new Map<Mode, number>();
  await open(1);
  for (const mode of MODES) alone.set(mode, (await cost(bench, place, sayingOf(readers, mode, context.seconds))).us);
  await client.ask({ kind: "leave" });
  await place.tidy();
  const before = pssOf(pid);
  await open(readers);
  if (isFirst) {
    await place.tidy();
    memory.set(`${name}, ${readers}`, (pssOf(pid) - before) / 1024 / readers);
  }
  for (const mode of MODES) {
    const { us, p50, p99, perSecond } = await cost(bench, place, sayingOf(readers, mode, context.seconds));
    const cpuUs = us / readers;
    const key = keyOf(name, readers, mode);
    best.set(key, better(best.get(key), { cpuUs, aloneUs: alone.get(mode) ?? 0, p50, p99, perSecond }));
    context.say(`${key}: ${figure(cpuUs)} µs, p50 ${figure(p50)}, p99 ${figure(p99)} ms, ${figure(perSecond)}/s`);
  }
  await client.ask({ kind: "leave" });
  await Bun.sleep(200);
}

/** Publishes, and adds the CPU of each event in µs. */
async function cost({ client }: Bench, place: FanOutPlace, saying: Saying): Promise<FanOutAnswer & { us: number }> {
  const cpu = cpuOf(place.pid);
  const answer = await counted(client, place, saying);
  return { ...answer, us: ((cpuOf(place.pid) - cpu) * 1e6) / (saying.bursts * saying.size) };
}

/** The cost CPU µs/further reader, in µs per event. */
const furtherUs = ({ cpuUs, aloneUs }: Measured, readers: number): number =>
  (cpuUs * readers - aloneUs) / (readers - 1);

function better(before: Measured | undefined, run: Measured): Measured {
  if (before === undefined) return run;
  return {
    cpuUs: Math.min(before.cpuUs, run.cpuUs),
    aloneUs: Math.min(before.aloneUs, run.aloneUs),
    p50: Math.min(before.p50, run.p50),
    p99: Math.min(before.p99, run.p99),
    perSecond: Math.max(before.perSecond, run.perSecond),
  };
}

/** Counts system calls; false if that is not possible. */
async function countAt({ client, calls }: Bench, place: FanOutPlace): Promise<boolean> {
  const { name, port, pid, request } = place;
  await client.ask({ kind: "open", port, request, readers: WARM_UP_READERS, events: 0 });
  let isCounted = true;
  for (const mode of MODES) {
    const saying: Saying = { bursts: 10, size: mode === "single" ? 1 : BURST, everyMs: 300 };
    const count = await countCalls(pid, () => counted(client, place, saying));
    if (count === null) isCounted = false;
    else calls.set(`${name}, ${mode}`, count / (WARM_UP_READERS * saying.bursts * saying.size));
  }
  await client.ask({ kind: "leave" });
  return isCounted;
}

async function resumeStorm(
  { client, context }: Bench,
  ours: FanOutPlace,
  service: Worker<StreamQuestion, StreamAnswer>,
) {
  const { readers, events } = STORM;
  const { chat, token, port } = await service.ask({ kind: "chat" });
  await service.ask({ kind: "say", chat, bursts: Math.ceil(events / BURST), size: BURST, everyMs: 0 });
  const head = Math.ceil(events / BURST) * BURST;
  const request = requestOf(chat, token, "", `Last-Event-ID: ${head - events}\r\n`);
  const [cpu, memory] = [cpuOf(ours.pid), pssOf(ours.pid)];
  let peak = memory;
  const watch = setInterval(() => (peak = Math.max(peak, pssOf(ours.pid))), 100);
  const { ms } = await client.ask({ kind: "open", port, request, readers, events }).finally(() => clearInterval(watch));
  const cpuUs = ((cpuOf(ours.pid) - cpu) * 1e6) / (readers * events);
  await client.ask({ kind: "leave" });
  const line = `Resume storm: ${figure(readers)} readers return at once, each ${figure(events)} events behind. All readers have all events after ${figure(ms / 1_000)} s: ${figure((readers * events * 1_000) / ms)} events per second, ${figure(cpuUs)} µs of the service's CPU for each, and at most ${figure((peak - memory) / 2 ** 20)} MiB more memory.`;
  context.say(line);
  return line;
}

function tables(bench: Bench): string {
  const { best, places, memory, calls } = bench;
  const rows = MODES.flatMap((mode) =>
    READERS.flatMap((readers) =>
      places.map(({ name }) => {
        const measured = best.get(keyOf(name, readers, mode))!;
        const { cpuUs, p50, p99, perSecond } = measured;
        const kib = mode === "single" ? figure(memory.get(`${name}, ${readers}`) ?? Number.NaN) : "";
        return [
          `${name}, ${figure(readers)}, ${mode}`,
          ...[perSecond, p50, p99, cpuUs, furtherUs(measured, readers)].map(figure),
          kib,
        ];
      }),
    ),
  );
  const head = [
    "readers and events",
    "delivered/s",
    "delay p50 ms",
    "p99",
    "CPU µs/delivery",
    "CPU µs/further reader",
    "KiB/connection",
  ];
  const counts = places.flatMap(({ name }) =>
    MODES.map((mode) => [`${name}, ${mode}`, figure(calls.get(`${name}, ${mode}`) ?? Number.NaN)]),
  );
  const writes = table(["1,000 readers", "socket writes for each delivered event"], counts);
  return [table(head, rows), NOTES, WHERE_IT_GOES, ...besideNchan(bench), writes].join("\n\n");
}

const NOTES =
  "If a server cannot keep up with its bursts (nchan: 16 writes for each reader), its delays are queueing delays; compare its CPU instead. Each single event is one write to each socket in all three. Most of the C writer's CPU is the kernel's part of that write. The rest of ours is the turn with its commit, which costs the same for one reader as for ten thousand, and the path from JavaScript to the socket. The cost of each further reader leaves out the first one.";

/** Profiles (`perf`) of single events for 1,000 readers on 2026-11-23, on a machine with other work. */
const PARTS = table(
  ["CPU µs of a delivery, 1,000 readers", "service", "C writer", "nchan", "what it is"],
  [
    ["kernel", "5.6", "5.4", "3.6", "one `send` to each socket, and waking its reader"],
    ["native code", "1.0", "0.1", "1.9", "the path from JavaScript to the socket: the sink, its chunk; nchan's lists"],
    ["compiled JavaScript", "0.24", "–", "–", "the audience calls each reader's `write`"],
    ["collector, compiler", "0.25", "–", "–", "the garbage of the turns"],
    ["all", "7.2", "5.5", "5.5", ""],
    ["of which the event itself", "0.69", "0.03", "0.09", "a turn with its durable commit, divided by its readers"],
  ],
);
const WHERE_IT_GOES =
  `Where the difference comes from (2026-11-23, beside other work: compare the parts, not the sums):\n\n${PARTS}\n\nThe kernel's part is the same as the C writer's, which does nothing else. At most 1.15 times the ` +
  "C writer's CPU would leave 0.8 µs for everything of ours, and with 1,000 readers the commit takes nearly all of that. The rest is one call from JavaScript into Bun for each reader. " +
  "With 100 readers the turn and its commit are a large part of a delivery, so the ratio to the C writer is highest there. The cost of each further reader is lowest there: it is the difference of two small figures.";

/** How close the aim beside nchan is to the ceiling; nothing if it is not installed. */
function besideNchan({ best }: Bench): string[] {
  const cpuUs = (name: string, readers: number): number =>
    best.get(keyOf(name, readers, "single"))?.cpuUs ?? Number.NaN;
  const ratios = LARGE.map((readers) => cpuUs("C writer", readers) / cpuUs("nginx with nchan", readers));
  if (ratios.some(Number.isNaN)) return [];
  return [
    `The C writer itself takes ${ratios.map(times).join(", ")} nchan's CPU with ${LARGE.map(figure).join(", ")} readers. All three make one write for each reader and event, ` +
      "so at most 0.7 times nchan's CPU would need a server in JavaScript that is about as cheap as the C writer. Bursts meet their aim, because one write carries many events.",
  ];
}

function aims({ best, memory, calls }: Bench): Aim[] {
  const whole = ({ cpuUs }: Measured): number => cpuUs;
  const ratio = (to: string, readers: number, mode: Mode, of: typeof furtherUs = whole): number => {
    const [ours, theirs] = ["Troupe", to].map((name) => best.get(keyOf(name, readers, mode)));
    return ours === undefined || theirs === undefined ? Number.NaN : of(ours, readers) / of(theirs, readers);
  };
  const worst = (to: string, mode: Mode, of: typeof furtherUs = whole): number =>
    Math.max(...LARGE.map((readers) => ratio(to, readers, mode, of)));
  const aim = (text: string, value: number, limit: number, unit: (of: number) => string = times): Aim => ({
    aim: text,
    figure: unit(value),
    holds: value <= limit,
  });
  const flat = (text: string, ratios: readonly number[]): Aim => ({
    aim: text,
    figure: ratios.map(times).join(", "),
    holds: isFlat(ratios),
  });
  // An aim beside a peer that is missing is neither met nor missed.
  const beside = (peer: string, aimed: readonly Aim[]): readonly Aim[] =>
    [...best.keys()].some((key) => key.startsWith(`${peer}, `)) ? aimed : [];
  const kib = Math.max(...LARGE.map((readers) => memory.get(`Troupe, ${readers}`) ?? Number.NaN));
  const isFlat = (index: readonly number[]): boolean => Math.max(...index) <= 1.2 * Math.min(...index);
  const [index, furtherIndex] = [whole, furtherUs].map((of) =>
    READERS.map((readers) => ratio("C writer", readers, "single", of)),
  ) as [number[], number[]];
  return [
    ...beside("C writer", [
      aim("single events, 1,000 readers and more: at most 1.15× the C writer's CPU", worst("C writer", "single"), 1.15),
      aim(
        "without the turn, for each further reader: at most 1.15× the C writer's",
        worst("C writer", "single", furtherUs),
        1.15,
      ),
      flat("the ratio to the C writer is flat from 100 to 10,000 readers (within a fifth)", index),
      flat("the same without the turn, for each further reader", furtherIndex),
    ]),
    ...beside("nginx with nchan", [
      aim("single events, 1,000 readers and more: at most 0.7× nchan's CPU", worst("nginx with nchan", "single"), 0.7),
      aim(
        "without the turn, for each further reader: at most 0.7× nchan's",
        worst("nginx with nchan", "single", furtherUs),
        0.7,
      ),
      aim("bursts of 16: at most 0.15× nchan's CPU", worst("nginx with nchan", "burst"), 0.15),
    ]),
    aim("bursts of 16: at most 0.1 writes per event", calls.get("Troupe, burst") ?? Number.NaN, 0.1, figure),
    aim("at most 6 KiB per connection, 1,000 readers and more", kib, 6, (of) => `${figure(of)} KiB`),
  ];
}
