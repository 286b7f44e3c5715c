/** The queue of what streams write at the end of a turn of the event loop. */
import { expect, test } from "bun:test";
import { join } from "node:path";

const AFTER_TICK = join(import.meta.dir, "../../../src/http/stream/after-tick.ts");

test("[RT-14] a write that throws affects no other in the queue, and its exception is reported as uncaught", async () => {
  const program = `
    import { afterTick } from ${JSON.stringify(AFTER_TICK)};
    process.on("uncaughtException", (err) => console.log("uncaught:", err.message));
    afterTick(() => console.log("first"));
    afterTick(() => { throw new Error("planted"); });
    afterTick(() => console.log("last"));
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  expect(await child.exited).toBe(0);
  expect(lines).toEqual(["first", "last", "uncaught: planted"]);
});
