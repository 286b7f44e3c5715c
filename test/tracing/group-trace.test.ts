/** The spans of a turn group, told to a tracing of the test's own. */
import { expect, test } from "bun:test";
import { GroupTrace } from "../../actors/runtime/turns/group-trace.ts";
import type { Span, Tracing } from "../../actors/runtime/tracing.ts";

test("[OPS-9] when a group fails on its way to the store, the span of its flush ends with it", () => {
  const said: string[] = [];
  const spanOf = (name: string): Span => ({
    carrier: name,
    tell: () => {},
    rename: () => {},
    fail: (why: string) => void said.push(`${name} fails: ${why}`),
    end: () => void said.push(`${name} ends`),
    within: (run) => run(),
  });
  const tracing = { current: () => "above", now: () => 0, begin: spanOf } as unknown as Tracing;
  const trace = GroupTrace.of(tracing, [])!;
  trace.sent();
  trace.failed();
  expect(said).toEqual(["flush fails: bug", "flush ends", "turn fails: bug", "turn ends"]);
});
