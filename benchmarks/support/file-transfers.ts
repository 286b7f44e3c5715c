/** Uploads and downloads compared with the bare server of `files-worker.ts`, and what explains the difference. */
import { cpuOf } from "./cpu.ts";
import type { FilesTask } from "./files-worker.ts";
import { contentOf, MIB, type Part, ratioAim, warmMemory, type World } from "./files-world.ts";
import { figure, times } from "./statistics.ts";
import { table } from "./table.ts";

/** Bytes of one transfer. */
const TRANSFER_BYTES = 64 * MIB;
const TRANSFERS = 6;
/** The least throughput, as a part of the bare server's. */
const TRANSFER_RATIO = 0.7;
/** The least throughput, as a part of a bare server's that also hashes and syncs. */
const SAME_WORK_RATIO = 0.9;

/** Measured by hand on 2026-11-23 and 24, on 2 shared cores: compare proportions, not absolute figures. */
const PROFILE_NOTE = [
  "**Where the CPU of an upload goes** (`perf` by thread, 2026-11-23). The event loop and the writing thread take about half each. A third of the loop's time copies bytes (into Bun's buffer, out of it, into our piece), and a fifth receives from the socket. In the thread, the digest takes 58 % and the write to the page cache 28 %, a third of which is the copy. Syncs are 3 % of the process. The digest uses the processor's SHA instructions (0.68 ms for each MiB; OpenSSL alone takes 0.65).",
  "CPU is not everything. During uploads to either server a fifth of the two cores is idle: both uploads tend to end together, and then the client copies its next two bodies in one thread while the server has nothing to receive.",
  "Tried, without a gain beyond the noise: no syncs at all; four pieces of an upload with the thread instead of two; other ways to read a body (`readMany`, `for await`, `pipeTo`, `node:http`); writing the oldest upload first (in rounds that always measured it last it was 1.17 times as fast, but in rounds with alternating order whichever came second was mostly faster). Writing past the page cache (`O_DIRECT`) takes 0.9 instead of 1.15 ms in a process that only hashes and writes, but saves at most a tenth of the service's CPU, and the first download would come from the disk.",
].join("\n\n");

/** One contestant: the best rate in MiB/s, and the least CPU in ms per MiB, its own and that of the load. */
interface Transfer {
  rate: number;
  cpu: number;
  load: number;
}

/** Alternates with the bare server; the best of each counts. */
export async function transfers(world: World): Promise<Part> {
  const { context, service, load, other } = world;
  const [port = 0] = await other.ask({ kind: "serve", folder: context.lifetime.folder() });
  const bareUrl = `http://127.0.0.1:${port}`;
  const none = (): Transfer => ({ rate: 0, cpu: Number.POSITIVE_INFINITY, load: Number.POSITIVE_INFINITY });
  const best = { up: none(), down: none(), bareUp: none(), bareDown: none() };
  // Further steps of the bare server, added one by one, up to the service's work for an upload.
  const steps = { streamed: none(), hashed: none(), synced: none() };
  const mib = (TRANSFERS * TRANSFER_BYTES) / MIB;
  const many = { times: TRANSFERS, atOnce: 2 };
  const ours = { ...many, url: contentOf(world, "large/f{n}"), token: service.token };
  const theirs = { ...many, url: `${bareUrl}/f{n}`, token: null };
  const measure = async (of: Transfer, pid: number, task: FilesTask): Promise<void> => {
    if (task.kind === "upload") warmMemory(world, 2 * TRANSFERS * TRANSFER_BYTES);
    const [cpu, loadCpu] = [cpuOf(pid), cpuOf(load.pid)];
    const [seconds = 0] = await load.ask(task);
    of.rate = Math.max(of.rate, mib / seconds);
    of.cpu = Math.min(of.cpu, ((cpuOf(pid) - cpu) * 1_000) / mib);
    of.load = Math.min(of.load, ((cpuOf(load.pid) - loadCpu) * 1_000) / mib);
  };
  for (let round = 0; round < context.rounds; round++) {
    await measure(best.bareUp, other.pid, { kind: "upload", bytes: TRANSFER_BYTES, ...theirs });
    await measure(best.up, service.pid, { kind: "upload", bytes: TRANSFER_BYTES, ...ours });
    for (const [step, of] of Object.entries(steps)) {
      const url = `${bareUrl}/${step}/f{n}`;
      await measure(of, other.pid, { kind: "upload", bytes: TRANSFER_BYTES, ...theirs, url });
    }
    await measure(best.bareDown, other.pid, { kind: "download", ...theirs });
    await measure(best.down, service.pid, { kind: "download", ...ours });
    context.say(
      `round ${round + 1}: up ${figure(best.up.rate)} of ${figure(best.bareUp.rate)} MiB/s (${figure(steps.synced.rate)} with digest and sync), down ${figure(best.down.rate)} of ${figure(best.bareDown.rate)}`,
    );
  }
  const [hash = 0] = await other.ask({ kind: "hash", bytes: TRANSFER_BYTES });
  const plain = `${figure(best.bareUp.rate)}; with a digest and a sync ${figure(steps.synced.rate)}`;
  const plainCpu = `${figure(best.bareUp.cpu)}; with a digest and a sync ${figure(steps.synced.cpu)}`;
  const { cpu: bare, load: sending } = best.bareUp;
  const left = Math.max(0, (bare + sending) / TRANSFER_RATIO - (bare + hash + sending));
  return {
    note: `${between(best, steps)}\n\n**Why not more.** An upload takes the service ${figure(best.up.cpu)} ms of CPU per MiB, and the bare server ${figure(bare)}. The service's SHA-256, which names the content, takes ${figure(hash)} of that; the load generator takes ${figure(sending)} on the same cores. If the cores were always busy, a server that also computes the digest would reach ${times((bare + sending) / (bare + hash + sending))} of the bare server's rate. So the aim of ${TRANSFER_RATIO}× leaves ${figure(left)} ms per MiB for everything else: the sync, the name, two commits, and reading in pieces, which alone takes a bare server ${figure(steps.streamed.cpu - bare)} ms more than \`Bun.write\`. The cores are in fact idle for a part of the time, so this is a guide, not a bound. The aim beside a bare server that also hashes and syncs compares the same work.\n\n${PROFILE_NOTE}`,
    rows: [
      ["uploads of 64 MiB, 2 at once, MiB/s", figure(best.up.rate), plain],
      [`their CPU, ms per MiB (SHA-256 alone: ${figure(hash)})`, figure(best.up.cpu), plainCpu],
      ["downloads, MiB/s", figure(best.down.rate), figure(best.bareDown.rate)],
      ["their CPU, ms per MiB", figure(best.down.cpu), figure(best.bareDown.cpu)],
    ],
    aims: [
      ratioAim(
        `uploads: at least ${TRANSFER_RATIO}× a bare file server`,
        best.up.rate / best.bareUp.rate,
        (r) => r >= TRANSFER_RATIO,
      ),
      ratioAim(
        `uploads: at least ${SAME_WORK_RATIO}× a bare file server that hashes and syncs`,
        best.up.rate / steps.synced.rate,
        (r) => r >= SAME_WORK_RATIO,
      ),
      ratioAim(
        `downloads: at least ${TRANSFER_RATIO}× a bare file server`,
        best.down.rate / best.bareDown.rate,
        (r) => r >= TRANSFER_RATIO,
      ),
    ],
  };
}

/** What explains the difference between the bare server and the service: a table of each step. */
function between(
  { up, bareUp }: { readonly up: Transfer; readonly bareUp: Transfer },
  { streamed, hashed, synced }: Readonly<Record<"streamed" | "hashed" | "synced", Transfer>>,
): string {
  const row = (who: string, of: Transfer): string[] => [
    who,
    figure(of.rate),
    times(of.rate / bareUp.rate),
    figure(of.cpu),
  ];
  const rows = [
    row("a bare server: `Bun.write` of the request", bareUp),
    row("a bare server that reads the body in pieces", streamed),
    row("and computes SHA-256", hashed),
    row("and syncs it to disk", synced),
    row("the service: all of that, and commits", up),
  ];
  return `The steps between an upload to a bare server and one to the service:\n\n${table(["uploads of 64 MiB, 2 at once", "MiB/s", "of the bare server", "CPU, ms per MiB"], rows)}`;
}
