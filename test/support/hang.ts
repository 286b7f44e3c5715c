/**
 * Loaded before the service: on SIGUSR2 its event loop hangs, as the environment says how, or in the first request
 * after it.
 */
import { open } from "node:fs";
import { LoopTime } from "../../actors/runtime/fairness/loop-time.ts";

const HANGS: Readonly<Record<string, () => void>> = {
  loop: () => {
    for (;;) Math.random();
  },
  wait: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  request: () => {
    // oxlint-disable-next-line typescript/unbound-method -- is called with the `this` that it is asked of
    const { begin } = LoopTime.prototype;
    LoopTime.prototype.begin = function hanging(work, organizationId, subject) {
      const from = begin.call(this, work, organizationId, subject);
      // Not while the token is looked up.
      while (work === "requests" && organizationId !== null) Math.random();
      return from;
    };
    console.log("hangs in the next request");
  },
  // Nobody writes to it, so each thread for files waits for a writer.
  files: () => {
    for (let one = 0; one < 64; one++) open(process.env["TROUPE_TEST_FIFO"] ?? "", "r", () => {});
  },
  microtasks: () => {
    const again = (): void => void Promise.resolve().then(again);
    again();
  },
};
process.on("SIGUSR2", () => HANGS[process.env["TROUPE_TEST_HANG"] ?? ""]?.());
