import { expect, test } from "bun:test";
import type { Outcome } from "../../../actors/fault.ts";
import { type Bearer, OpenStreams } from "../../../src/http/stream/open-streams.ts";
import { CONFIRM_MS, watchTokens } from "../../../src/http/stream/token-watch.ts";
import { until } from "../../support/condition.ts";
import { HandClock } from "../../support/hand-clock.ts";

const UNKNOWN: Outcome<never> = { ok: false, fault: { kind: "unauthenticated", reason: "revoked token" } };
const EXPIRED: Outcome<never> = { ok: false, fault: { kind: "token_expired" } };

/** Streams of these tokens, and a watch that asks `confirm`. */
function watched(tokens: readonly string[], confirm: (tokenId: string) => Promise<Outcome<null>>) {
  const clock = new HandClock();
  const streams = new OpenStreams(clock);
  const ended: string[] = [];
  const asked: string[] = [];
  const errors: string[] = [];
  for (const tokenId of tokens) {
    const bearer: Bearer = { organizationId: "org_1", tokenId };
    const stream = { bearer, end: (reason: string) => (ended.push(`${tokenId} ${reason}`), streams.remove(stream)) };
    streams.add(stream);
  }
  const stop = watchTokens({
    streams,
    clock,
    system: {
      dispatch: (_ref: object, { tokenId }: { tokenId: string }) => {
        asked.push(tokenId);
        return confirm(tokenId) as never;
      },
    } as never,
    log: { info: () => {}, warn: () => {}, error: (_fields, message) => errors.push(message) },
  });
  return { clock, streams, ended, asked, errors, stop };
}

test("[AUTH-2] a check reads each token once, and ends the streams of invalid ones", async () => {
  const outcomes: Record<string, Outcome<null>> = { tok_2: UNKNOWN, tok_3: EXPIRED };
  const tokens = ["tok_1", "tok_1", "tok_2", "tok_2", "tok_3"];
  const { clock, asked, ended } = watched(tokens, (id) => Promise.resolve(outcomes[id] ?? { ok: true, value: null }));
  clock.advance(CONFIRM_MS - 1);
  expect(asked).toEqual([]);
  clock.advance(1);
  await until("the streams have ended", () => ended.length === 3);
  expect(asked).toEqual(["tok_1", "tok_2", "tok_3"]);
  expect(ended.sort()).toEqual(["tok_2 revoked", "tok_2 revoked", "tok_3 expired"]);
});

test("[AUTH-2] a temporary failure ends no stream, and the next check follows as usual", async () => {
  const answers: (() => Promise<Outcome<null>>)[] = [
    () => Promise.resolve({ ok: false, fault: { kind: "unavailable", retryAfterMs: 1_000 } }),
    () => Promise.reject(new Error("a bug")),
    () => Promise.resolve(UNKNOWN),
  ];
  const { clock, asked, ended, errors, streams, stop } = watched(["tok_1"], () => answers.shift()!());
  for (let looks = 1; looks <= 3; looks++) {
    expect(streams.count).toBe(1);
    await until("the next look is planned", () => {
      clock.advance(CONFIRM_MS);
      return asked.length === looks;
    });
  }
  await until("the stream has ended", () => ended.length === 1);
  expect(errors).toEqual(["the tokens of open streams could not be checked"]);
  stop();
});
