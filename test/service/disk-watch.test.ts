/** The watch over the free space: when it says full, and when it takes that back. */
import { expect, test } from "bun:test";
import { DISK_LOOK_MS, watchDisk } from "../../src/service/disk-watch.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

const MIB = 1_048_576;

async function watched(reserveMib: number) {
  const clock = new FakeClock();
  const said: string[] = [];
  const disk = { free: reserveMib * MIB, isBroken: false };
  const log = {
    warn: (_: object, text: string) => said.push(text),
    info: (_: object, text: string) => said.push(text),
  };
  const freeBytes = (): Promise<number> =>
    disk.isBroken ? Promise.reject(new Error("gone")) : Promise.resolve(disk.free);
  const watch = await watchDisk({ path: "/data", reserveMib, clock, log: log as never, freeBytes });
  const look = async (): Promise<void> => {
    await clock.advance(DISK_LOOK_MS);
    await settle();
  };
  return { disk, watch, look, said };
}

test("[RT-17] the disk is full one byte under the reserve, and has room again an eighth above it", async () => {
  const { disk, watch, look, said } = await watched(512);
  expect(watch.hasRoom()).toBe(true);
  disk.free = 512 * MIB - 1;
  await look();
  expect(watch.hasRoom()).toBe(false);
  disk.free = 576 * MIB - 1;
  await look();
  expect(watch.hasRoom()).toBe(false);
  disk.isBroken = true;
  await look();
  expect(watch.hasRoom()).toBe(false);
  disk.isBroken = false;
  disk.free = 576 * MIB;
  await look();
  expect(watch.hasRoom()).toBe(true);
  expect(said).toEqual([
    "the disk is nearly full: writes are refused",
    "the free space of the disk could not be read",
    "the disk has room again: writes are accepted",
  ]);
  watch.stop();
});

test("[RT-17] a reserve of 0 watches nothing", async () => {
  const { disk, watch, look } = await watched(0);
  disk.isBroken = true;
  await look();
  expect(watch.hasRoom()).toBe(true);
});
