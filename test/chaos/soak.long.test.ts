/**
 * The soak. In its short form its warm-up is not over in every table, so it finds only what leaks plainly; from ten
 * minutes on it holds the service to its word.
 */
import { expect, test } from "bun:test";
import { guardedFolder } from "../support/guarded-folder.ts";
import { LONG_SOAK_SECONDS, longScale, soakGraph } from "../support/long.ts";
import { graphOf } from "../support/soak-graph.ts";
import { growthOf, soak, type SoakReading } from "../support/soak.ts";

const { soakSeconds } = longScale();
/** The more readings, the less does one of them count. */
const ROUNDS = soakSeconds < LONG_SOAK_SECONDS ? 10 : 40;
const LONG_LIMITS = { heap: 0.05, data: 0.05 };
/** An actor that is never dropped would be several times this. */
const SHORT_LIMITS = { heap: 0.25, data: 0.6 };

const reading = (heapBytes: number): SoakReading => ({
  seconds: 0,
  pssBytes: 0,
  dataBytes: 0,
  heapBytes,
  objects: 0,
  done: 0,
});
const heapOf = ({ heapBytes }: SoakReading): number => heapBytes;
const dataOf = ({ dataBytes }: SoakReading): number => dataBytes;

test("[OPS-21] growth compares the last readings with the first ones after the warm-up", () => {
  const flat = [1, 2, 100, 100, 100, 300, 100, 100, 100, 100].map(reading);
  expect(growthOf(flat, heapOf)).toBe(0);
  const grown = [1, 2, 100, 100, 100, 100, 100, 120, 110, 110].map(reading);
  expect(growthOf(grown, heapOf)).toBeCloseTo(0.1);
});

test.skipIf(process.platform !== "linux")(
  "[OPS-21] memory does not grow under mixed load and cuts",
  async () => {
    const folder = guardedFolder("disk");
    try {
      const { readings, counts, bugs, end } = await soak(folder, { seconds: soakSeconds, rounds: ROUNDS });
      const growth = { heap: growthOf(readings, heapOf), data: growthOf(readings, dataOf) };
      const told = (part: number): string => `${(part * 100).toFixed(1)} %`;
      const mib = (of: typeof heapOf): string => readings.map((each) => (of(each) / 2 ** 20).toFixed(0)).join(" ");
      console.log(
        `soak of ${soakSeconds} s: ${counts.done} answers, ${counts.cut} cut, ${counts.refused} while the database was away; ` +
          `after the warm-up the heap grew by ${told(growth.heap)}, all data by ${told(growth.data)}; ` +
          `in MiB: heap ${mib(heapOf)}; data ${mib(dataOf)}`,
      );
      const graph = soakGraph();
      if (graph !== null) await Bun.write(graph, graphOf(readings));
      expect([[...counts.wrong], bugs]).toEqual([[], []]);
      expect(counts.done).toBeGreaterThan(ROUNDS);
      expect(counts.cut).toBeGreaterThan(ROUNDS);
      const limits = soakSeconds < LONG_SOAK_SECONDS ? SHORT_LIMITS : LONG_LIMITS;
      expect(growth.heap).toBeLessThan(limits.heap);
      expect(growth.data).toBeLessThan(limits.data);
      expect(end).toBe(0);
    } finally {
      await folder.remove();
    }
  },
  soakSeconds * 2_000 + 600_000,
);
