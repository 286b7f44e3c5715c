/** Room in memory that calls share (FILE-7). */
import { expect, test } from "bun:test";
import { ByteRoom } from "../../src/runner/byte-room.ts";
import { settle } from "../support/fake-clock.ts";

const { signal } = new AbortController();

/** Who has room so far, in their order. */
function callers(room: ByteRoom) {
  const began: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    began,
    ask(name: string, organization: string, bytes: number, aborted = signal) {
      return room.enter(organization, bytes, aborted).then((pass) => {
        began.push(pass === null ? `${name} aborted` : name);
        if (pass !== null) releases.set(name, () => pass.end());
      });
    },
    async end(name: string) {
      releases.get(name)?.();
      releases.get(name)?.();
      await settle();
    },
  };
}

test("[FILE-7] calls wait for room, those of an organization that has its share behind the others", async () => {
  const room = new ByteRoom(100, 60);
  const { began, ask, end } = callers(room);
  const all = [ask("a1", "a", 50), ask("a2", "a", 20), ask("b1", "b", 40), ask("b2", "b", 30)];
  await settle();
  expect(began).toEqual(["a1", "b1"]);
  expect(room.used).toBe(90);
  await end("a1");
  expect(began).toEqual(["a1", "b1", "a2"]);
  await end("b1");
  await Promise.all(all);
  expect(began).toEqual(["a1", "b1", "a2", "b2"]);
  await end("a2");
  await end("b2");
  expect(room.used).toBe(0);
});

test("[FILE-7] a call that is larger than all the room gets it alone, and a cancelled one gets none", async () => {
  const room = new ByteRoom(100, 60);
  const { began, ask, end } = callers(room);
  const off = new AbortController();
  const all = [ask("small", "a", 10), ask("large", "b", 500), ask("off", "c", 10, off.signal), ask("later", "c", 10)];
  await settle();
  expect(began).toEqual(["small"]);
  off.abort();
  await settle();
  expect(began).toEqual(["small", "off aborted"]);
  await end("small");
  expect(began).toEqual(["small", "off aborted", "large"]);
  await end("large");
  await Promise.all(all);
  await end("later");
  expect(room.used).toBe(0);
});
