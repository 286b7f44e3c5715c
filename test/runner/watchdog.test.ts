import { describe, expect, test } from "bun:test";
import { Watchdog } from "../../src/runner/watchdog.ts";
import { fakeTimers } from "../support/fake-timers.ts";

describe("the watchdog of a stream", () => {
  test("[RUN-3] it fires at the limit of silence, not a millisecond before", () => {
    const timers = fakeTimers();
    let fired = 0;
    const watchdog = new Watchdog(timers, 60_000, () => {
      fired += 1;
    });
    timers.advance(59_999);
    watchdog.touch();
    timers.advance(59_999);
    expect(fired).toBe(0);
    timers.advance(1);
    expect(fired).toBe(1);
    timers.advance(600_000);
    expect(fired).toBe(1);
  });

  test("[RUN-3] activity starts no timers, and a stopped watchdog leaves none", () => {
    const timers = fakeTimers();
    const watchdog = new Watchdog(timers, 1_000, () => {});
    for (let piece = 0; piece < 100; piece += 1) watchdog.touch();
    expect(timers.pending()).toBe(1);
    watchdog.stop();
    expect(timers.pending()).toBe(0);
  });
});
