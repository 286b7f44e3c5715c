/**
 * Where the time and the CPU of a stream go: profiles of the service and of the bare relay at the same load, on a machine
 * with other work. Compare the parts and not their sums: the table of the record has the sums.
 */
import { table } from "./table.ts";

const TAKEN =
  "Profiles of the service and the relay on 2026-11-29, beside other work: read the parts and not the sums. The sums are in the record above.";

/** `perf`, by thread and by origin of the code, with 50 streams. */
const DELTA = table(
  ["CPU µs of a delta, 50 streams", "service", "relay", "what it is"],
  [
    ["main thread, kernel", "12.4", "6.4", "one `sendto` to the reader, `epoll`, being woken for one delta"],
    ["main thread, Bun's own code", "12.5", "1.3", "the reader of the body, JSON, strings, the response's sink"],
    [
      "main thread, compiled JavaScript",
      "12.4",
      "0",
      "the frame, what a turn would check, two live texts, the reader's frame",
    ],
    ["Bun's HTTP thread", "8.0", "7.3", "reads the provider's socket, wakes the main thread"],
    ["collector, allocator, compiler", "5.0", "0.2", "strings and objects of each delta"],
  ],
);

const DELTA_WHY = [
  "The relay's body never reaches JavaScript. Ours does, because its text is shown to the readers of two streams, counted and stored. " +
    "Relay and service make the same system calls for a delta, but the relay's main thread sleeps less between them.",
  "Of the JavaScript and what it calls (2026-11-23), Bun's reader of the body takes a fifth; `JSON.parse` with the fields of the frame an eighth; the checks that a turn would make and the two live texts " +
    "an eighth; `write` a tenth; the clocks and the accounting of the loop's time a twelfth; `JSON.stringify` with the frame a fourteenth. The rest is spread over thirty functions.",
  "In a loop without sockets the whole path from a chunk to its frame takes 3.5 µs. Between two deltas of a real stream other processes use the processor, so the same code runs with cold caches. " +
    "Two simpler servers show the minimum in JavaScript: one that reads the body and writes it takes 1.3 to 1.5 times the relay's CPU, and one that parses each frame and writes JSON 1.5 to 1.8 times. " +
    "The aim of 2 leaves little beyond that.",
].join("\n\n");

/** The same of runs of eight deltas, four side by side. */
const RUN = table(
  ["CPU µs of a short run, four side by side", "service", "relay", "what it is"],
  [
    ["main thread, kernel", "420", "210", "the sockets of the caller, the provider and PostgreSQL"],
    ["main thread, Bun's own code", "1,150", "60", "JSON, promises, the request, `fetch`, the driver's buffers"],
    ["main thread, compiled JavaScript", "650", "0", "turns, the statements, the loop of the run"],
    ["Bun's HTTP thread", "220", "220", "sends the request to the provider, reads its answer"],
    ["collector, allocator, compiler", "540", "0", "the garbage of a run, and code that is compiled during use"],
  ],
);

const RUN_WHY = [
  "The main thread's time, by Bun's profiler on 2026-11-23: turns of chat, job, usage and feed with their records 31 %; the driver and the statements of the two commits 29 %; " +
    "the provider's request and answer 13 %; the caller's request (token, budgets, body, answer, log line) 12 %; its stream 8 %; the loop of the run (slot, tools, limits, reports) 8 %.",
  "Both commits are required: the start of a run is stored before it is reported, and its end before its result. The driver and the statements alone took 0.64 ms, more than the older aim allows for everything.",
  "PostgreSQL took another 2.1 ms that day, so the aim of 0.3.0 (30 % less) is 1.5 ms; the record above has today's figure. " +
    "Since then a commit carries only what changed, and each text once (docs/decisions/0065 and 0066). This made the statements of a short run shorter by a quarter, and then by another twelfth. They carry 15.1 KB of rows; the aim of 0.3.0 was 8. The events of the run and the messages to webhooks make up two thirds of them.",
].join("\n\n");

/** A trace in the service, one stream of eight deltas after the other, on a quiet machine on 2026-11-23. */
const META = table(
  ["ms until `meta`, one stream at a time, p50 (2026-11-23)", "service", "what it is"],
  [
    ["the sockets", "0.66", "from the reader to our first line of code, and from the last one to the reader: wakeups"],
    ["the request", "0.17", "token, budgets, body"],
    ["turns", "0.62", "message, job, its start, metering, in code that last ran for the previous stream"],
    ["the statement", "0.20", "10 KB of JSON"],
    ["the commit", "1.86", "two wakeups, rows of ten tables with their indexes (1 ms of PostgreSQL's CPU), one sync"],
    ["after it", "0.37", "readers, the effect, the head of the response"],
  ],
);

const META_WHY =
  "There is no timer and no `setImmediate` on this path. The relay has only the sockets: 0.28 ms with the provider's answer. Two of the six parts belong to PostgreSQL and the machine, " +
  "and took 2.5 ms together: more than the older aim allows, and nearly all of the aim of 0.3.0. The record above has the time of today, with shorter statements.";

/** `perf`, by thread and by origin of the code, with 500 streams. */
const DELTA_OF_500 = table(
  ["CPU µs of a delta, 500 streams", "service", "relay"],
  [
    ["main thread, kernel", "11.0", "8.3"],
    ["main thread, Bun's own code", "9.4", "1.2"],
    ["main thread, compiled JavaScript", "10.8", "0"],
    ["Bun's HTTP thread", "8.0", "8.9"],
    ["collector, allocator, compiler", "1.5", "0"],
  ],
);

const DELTA_OF_500_WHY =
  "With 500 streams the HTTP thread costs no more than the relay's and the kernel little more, because each wakeup brings more deltas. " +
  "What remains is the text itself (the body as JavaScript, its frame, two live texts, the reader's frame) and its garbage, as with 50 streams.";

const MANY =
  "With 500 streams at once, the time to the first delta is waiting: 10,000 deltas a second and 200 starts keep the single thread busy for nine tenths of the time, and a start waits behind the work that is already queued, " +
  "at each of its dozen steps (the request, its commit, the provider's answer, its turns). Deltas wait for those that arrived with them. The relay has one step and a quarter of the work.";

export const WHERE_A_STREAM_GOES = [
  `**Where the time goes.** ${TAKEN}`,
  DELTA,
  DELTA_WHY,
  RUN,
  RUN_WHY,
  META,
  META_WHY,
  DELTA_OF_500,
  DELTA_OF_500_WHY,
  MANY,
].join("\n\n");
