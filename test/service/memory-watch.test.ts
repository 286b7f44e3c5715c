/** The watch over the memory of the process: when it lets it be, and when it ends it. */
import { expect, test } from "bun:test";
import { MEMORY_LOOK_MS, watchMemory } from "../../src/service/memory-watch.ts";
import { FakeClock } from "../support/fake-clock.ts";

const MIB = 1_048_576;

function watched(limitMib: number) {
  const clock = new FakeClock();
  const seen = { usedMib: 0, collected: 0, ended: [] as string[], said: [] as string[] };
  const log = {
    warn: (_: object, text: string) => seen.said.push(text),
    info: (_: object, text: string) => seen.said.push(text),
  };
  const stop = watchMemory({
    limitMib,
    clock,
    log: log as never,
    onFull: (reason) => seen.ended.push(reason),
    usedBytes: () => seen.usedMib * MIB,
    collect: () => seen.collected++,
  });
  const look = (): Promise<void> => clock.advance(MEMORY_LOOK_MS);
  return { seen, stop, look };
}

test("[OPS-5] the process is ended when three checks in a row find more than the limit, after a garbage collection", async () => {
  const { seen, look } = watched(100);
  seen.usedMib = 100;
  await look();
  expect([seen.collected, seen.said]).toEqual([0, []]);
  seen.usedMib = 101;
  await look();
  await look();
  expect([seen.collected, seen.ended]).toEqual([1, []]);
  await look();
  expect(seen.ended).toEqual(["the process has 101 MiB of memory, more than MEMORY_LIMIT_MIB (100)"]);
  await look();
  expect(seen.ended).toHaveLength(1);
});

test("[OPS-5] a peak that a garbage collection ends has no effect, and the count starts over", async () => {
  const { seen, look } = watched(100);
  for (const usedMib of [150, 150, 99, 150, 150, 99]) {
    seen.usedMib = usedMib;
    await look();
  }
  expect([seen.ended, seen.collected]).toEqual([[], 2]);
  expect(seen.said.at(-1)).toBe("memory is below its limit again");
});

test("[OPS-5] without a limit, and after the end, there are no checks", async () => {
  const none = watched(0);
  none.seen.usedMib = 1_000_000;
  for (let i = 0; i < 5; i++) await none.look();
  const stopped = watched(1);
  stopped.seen.usedMib = 2;
  stopped.stop();
  for (let i = 0; i < 5; i++) await stopped.look();
  expect([...none.seen.ended, ...stopped.seen.ended]).toEqual([]);
});
