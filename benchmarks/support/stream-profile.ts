/**
 * Where the time and the CPU of a stream go: profiles of the service and of the bare relay at the same load. Taken on
 * 2026-11-23, most of them on a machine with other work, so compare the parts and not their sums.
 */
import { table } from "./table.ts";

const TAKEN =
  "2026-11-23, at the commit of decision 0044, the first two beside other work: read the parts, not the sums";

/** `perf`, by thread and by origin of the code, with 50 streams; the fourth round of two seconds. */
const DELTA = table(
  ["CPU µs of a delta, 50 streams", "service", "relay", "what it is"],
  [
    ["main thread, kernel", "17", "6.3", "one `sendto` to the reader, `epoll`, being woken for one delta"],
    ["main thread, Bun's own code", "17", "2.1", "the reader of the body, JSON, strings, the response's sink"],
    [
      "main thread, compiled JavaScript",
      "15",
      "0",
      "the frame, what a turn would check, two live texts, the reader's frame",
    ],
    ["Bun's HTTP thread", "12", "9.2", "reads the provider's socket, wakes the main thread"],
    ["collector, allocator, compiler", "1.6", "0.1", "strings and objects of each delta"],
  ],
);

const DELTA_WHY =
  "The relay's body never reaches JavaScript; ours does, because its text is shown to the readers of two streams, counted and stored. " +
  "Relay and service make the same system calls for a delta, but the relay's main thread sleeps less between them. Of the JavaScript and what it calls, a fifth is Bun's " +
  "reader of the body, an eighth `JSON.parse` with the fields of the frame, an eighth the checks that a turn would make and the two live texts, a " +
  "tenth `write`, a twelfth the clocks and the accounting of the loop's time, a fourteenth `JSON.stringify` with the frame; the rest is spread over thirty " +
  "functions. In a loop without sockets the whole path from a chunk to its frame takes 3.5 µs; between two deltas of a real stream other processes use the processor, and the same code runs with cold caches. The minimum in JavaScript lies between the two: a server that reads the " +
  "body and writes it takes 1.3 to 1.5 times the relay's CPU, and one that parses each frame and writes JSON 1.5 to 1.8 times.";

/** The same of runs of eight deltas, four side by side; the last rows divide the main thread by Bun's profiler. */
const RUN = table(
  ["CPU µs of a short run, four side by side", "service", "relay", "what it is"],
  [
    ["main thread, kernel", "460", "260", "the sockets of the caller, the provider and PostgreSQL"],
    ["main thread, Bun's own code", "1,420", "110", "JSON, promises, the request, `fetch`, the driver's buffers"],
    ["main thread, compiled JavaScript", "720", "5", "broken down in the last rows"],
    ["Bun's HTTP thread", "380", "290", "sends the request to the provider, reads its answer"],
    ["collector, allocator, compiler", "280", "11", "the garbage of a run"],
    ["of which on the main thread: turns", "700", "–", "of chat, job, usage and feed; their drafts and records"],
    ["the driver and the statements", "640", "–", "two commits: 10 KB of JSON each, rows of ten tables"],
    ["the provider's request and answer", "280", "–", "the body, the frames, the text of each"],
    ["the caller's request", "260", "–", "token, budgets, body, answer, log line"],
    ["its stream", "180", "–", "eight deltas, the message, the result"],
    ["the runner's loop", "170", "–", "slot, tools, limits, reports"],
  ],
);

const RUN_WHY =
  "Profiled at 3.3 ms of the service and 0.67 of the relay. Only a run that does nothing but its two commits would meet the aim, and both are required: the start is stored before it is reported, and the end before its result. PostgreSQL takes another 2.1 ms for them, which the figure does not include. Before event numbers waited for the next commit (docs/decisions/0044) there were four commits: in five rounds that alternated, a run took 2.65 ms at least before, and 2.38 since.";

/** A trace in the service, one stream of eight deltas after the other, on a quiet machine. */
const META = table(
  ["ms until `meta`, one stream at a time, p50", "service", "what it is"],
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
  "There is no timer and no `setImmediate` on this path. The relay has only the sockets: 0.28 ms with the provider's answer. Two of the six parts belong to PostgreSQL and the machine, and take more than the aim allows. Before decision 0044 the commit also waited for the one that numbered the events of the last stream (1.9 ms on a busy machine): " +
  "in five rounds that alternated `meta` came after 4.61 ms before and after 3.24 since (3.06 and 2.90 in the best).";

/**
 * `perf`, by thread and by origin of the code, with 500 streams; the second round of four seconds, beside other work.
 */
const DELTA_OF_500 = table(
  ["CPU µs of a delta, 500 streams", "service", "relay"],
  [
    ["main thread, kernel", "6.9", "7.2"],
    ["main thread, Bun's own code", "7.9", "1.7"],
    ["main thread, compiled JavaScript", "5.9", "0"],
    ["Bun's HTTP thread", "8.6", "9.9"],
    ["collector, allocator, compiler", "2.4", "0"],
    ["together", "31.7", "18.8"],
  ],
);

const DELTA_OF_500_WHY =
  "This table was recorded later, beside other work. With 500 streams the kernel and the HTTP thread cost no more than the relay's, because each wakeup brings more deltas. " +
  "The remaining difference of 13 µs is the text itself (the body as JavaScript, its frame, two live texts, the reader's frame) and its garbage; the notes of the first table break it down.";

const MANY =
  "With 500 streams at once the single thread is busy for nine tenths of the time: 10,000 deltas a second, and 200 starts. A start then waits at each of its " +
  "dozen steps (the request, its commit, the provider's answer, its turns) behind the work that is already queued; the relay has one step and a quarter of the work.";

export const WHERE_A_STREAM_GOES = [
  `What stands between (${TAKEN}):`,
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
