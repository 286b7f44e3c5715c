/**
 * The soak. In its short form its warm-up is not over in every table, so it finds only what leaks plainly; from ten
 * minutes on it holds the service to its word.
 */
import { expect, test } from "bun:test";
import { guardedFolder } from "../support/guarded-folder.ts";
import { longScale, soakGraph } from "../support/long.ts";
import { graphOf } from "../support/soak-graph.ts";
import { growthOf, soak, type SoakReading } from "../support/soak.ts";

const { soakSeconds } = longScale();
const ROUNDS = 20;
const LONG_SECONDS = 600;
const LONG_LIMITS = { heap: 0.05, all: 0.05 };
/** An actor that is never dropped would be several times this. */
const SHORT_LIMITS = { heap: 0.25, all: 0.6 };

const reading = (heapBytes: number): SoakReading => ({ seconds: 0, pssBytes: 0, heapBytes, objects: 0, done: 0 });
const heapOf = ({ heapBytes }: SoakReading): number => heapBytes;

test("[OPS-21] growth is that of the last readings over the first ones after the warm-up", () => {
  const flat = [1, 2, 3, 4, 100, 100, 100, 100, 100, 100].map(reading);
  expect(growthOf(flat, heapOf)).toBe(0);
  const grown = [1, 2, 3, 4, 100, 100, 100, 120, 110, 110].map(reading);
  expect(growthOf(grown, heapOf)).toBeCloseTo(0.1);
});

test.skipIf(process.platform !== "linux")(
  "[OPS-21] memory does not grow under mixed load and cuts",
  async () => {
    const folder = guardedFolder();
    try {
      const { readings, counts, end } = await soak(folder, { seconds: soakSeconds, rounds: ROUNDS });
      const growth = { heap: growthOf(readings, heapOf), all: growthOf(readings, ({ pssBytes }) => pssBytes) };
      const told = (part: number): string => `${(part * 100).toFixed(1)} %`;
      console.log(
        `soak of ${soakSeconds} s: ${counts.done} answers, ${counts.cut} cut, ${counts.refused} while the database was away; ` +
          `after the warm-up the heap grew by ${told(growth.heap)}, all memory by ${told(growth.all)}; ` +
          `all memory in MiB: ${readings.map(({ pssBytes }) => (pssBytes / 2 ** 20).toFixed(0)).join(" ")}`,
      );
      const graph = soakGraph();
      if (graph !== null) await Bun.write(graph, graphOf(readings));
      expect([...counts.wrong]).toEqual([]);
      expect(counts.done).toBeGreaterThan(ROUNDS);
      expect(counts.cut).toBeGreaterThan(ROUNDS);
      const limits = soakSeconds < LONG_SECONDS ? SHORT_LIMITS : LONG_LIMITS;
      expect(growth.heap).toBeLessThan(limits.heap);
      expect(growth.all).toBeLessThan(limits.all);
      expect(end).toBe(0);
    } finally {
      await folder.remove();
    }
  },
  soakSeconds * 2_000 + 600_000,
);
