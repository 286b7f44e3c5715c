/** Reads and their short answers over a link: neither a `Request` nor a `Response` is made of them at the owner. */
import { afterEach, describe, expect, test } from "bun:test";
import type { SharedHeaders } from "../../src/http/answer/answer.ts";
import { PlainAnswer, plainResponse } from "../../src/peers/plain-answer.ts";
import { ReceivedHeaders, SentHeaders } from "../../src/peers/link-heads.ts";
import { LinkBroken } from "../../src/peers/link-frames.ts";
import { LinkedCall, linkedRequest } from "../../src/peers/linked-request.ts";
import type { LinkAnswer } from "../../src/peers/peer-link.ts";
import { ask, AskedReplica, handOver, linkOf } from "../support/asked-replica.ts";
import { until } from "../support/condition.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const shared = (entries: Readonly<Record<string, string>>): SharedHeaders => ({
  headers: new Headers({ ...entries }),
  entries: Object.entries(entries),
});
const responseIn = (answer: LinkAnswer): Response => {
  if (answer.kind !== "text") throw new Error(`it came as ${answer.kind}`);
  return answer.response;
};
/** What a client sees of it. */
const seen = async (response: Response): Promise<unknown> => [
  response.status,
  Object.fromEntries(response.headers),
  await response.text(),
];

describe("answers", () => {
  const ofTheSecond = (n: number): SharedHeaders => shared({ "content-type": "application/json", "x-second": `${n}` });

  test("[REP-4] a short answer over a link is what a client of the owner gets", async () => {
    const there = new AskedReplica(closing);
    const link = (await linkOf(closing, there.url))!;
    // More sets of headers than a link remembers, each sent twice, and again when it is forgotten.
    const seconds = Array.from({ length: 100 }, (_, n) => ofTheSecond(n));
    const sets = [...seconds.flatMap((set) => [set, set]), seconds[0]!, seconds[99]!, seconds[1]!];
    for (const [i, set] of sets.entries()) {
      const answer = new PlainAnswer(i % 3 === 0 ? 201 : 200, set, `{"körper":${i}}`);
      answer.headers.set("X-Own", `${i}`);
      if (i % 2 === 0) answer.headers.set("content-type", "text/plain");
      answer.headers.append("vary", "origin");
      answer.headers.append("vary", "accept-encoding");
      there.pipeline = (request) => handOver(request, answer);
      const direct = await seen(plainResponse(answer));
      expect(await seen(responseIn(await ask(link, "/").answer))).toEqual(direct);
    }
  });

  test("[REP-4] headers of an answer that nobody awaits are known for later answers", async () => {
    const there = new AskedReplica(closing);
    const link = (await linkOf(closing, there.url))!;
    const set = ofTheSecond(1);
    const late = Promise.withResolvers<PlainAnswer>();
    there.pipeline = async (request) => handOver(request, await late.promise);
    const left = ask(link, "/left");
    left.answer.catch(() => {});
    await until("it is there", () => there.asked.length === 1);
    left.abort();
    late.resolve(new PlainAnswer(200, set, "for nobody"));
    there.pipeline = (request) => handOver(request, new PlainAnswer(200, set, "for you"));
    const response = responseIn(await ask(link, "/").answer);
    expect([response.headers.get("x-second"), await response.text()]).toEqual(["1", "for you"]);
  });

  test("[REP-4] binary answers, and those too long for a link, come over HTTP", async () => {
    const there = new AskedReplica(closing);
    const link = (await linkOf(closing, there.url))!;
    there.pipeline = (request) =>
      handOver(request, new PlainAnswer(200, ofTheSecond(1), new Uint8Array([0, 255, 128])));
    expect(await ask(link, "/").answer).toMatchObject({ kind: "whole", body: Buffer.from([0, 255, 128]) });
    there.pipeline = (request) => handOver(request, new PlainAnswer(200, ofTheSecond(1), "x".repeat(64 * 1024 + 1)));
    expect(await ask(link, "/").answer).toMatchObject({ kind: "kept" });
    await there.clock.advance(10_000);
  });

  test("[REP-4] an answer that refers to headers never sent is broken", () => {
    const sent = new SentHeaders();
    const answer = new PlainAnswer(200, ofTheSecond(1), "");
    sent.headOf(answer);
    expect(() => new ReceivedHeaders().responseOf(sent.headOf(answer), "")).toThrow(LinkBroken);
  });
});

describe("requests", () => {
  const given = { method: "GET", url: "http://client/a?b=1", headers: { host: "client", "x-one": "1" } };

  test("[REP-4] a read over a link looks like a request to the code that reads it", async () => {
    const call = new LinkedCall();
    const request = linkedRequest(given, call);
    expect([request.method, request.url, request.body, request.bodyUsed]).toEqual(["GET", given.url, null, false]);
    const { headers } = request;
    expect([headers.get("X-One"), headers.get("none"), headers.has("host")]).toEqual(["1", null, true]);
    // Names that objects have of their own are none of headers.
    expect([headers.get("constructor"), headers.has("__proto__")]).toEqual([null, false]);
    expect(Object.fromEntries(headers)).toEqual(given.headers);
    expect(await request.text()).toBe("");
    const copy = new Request(request.url, { method: request.method, headers: [...headers], signal: request.signal });
    expect(copy.headers.get("x-one")).toBe("1");
    expect(request.clone().url).toBe(given.url);
    call.abort();
    expect([request.signal.aborted, copy.signal.aborted]).toEqual([true, true]);
  });

  test("[REP-4] a late check for a disconnected client works", () => {
    const call = new LinkedCall();
    const request = linkedRequest(given, call);
    call.abort();
    expect(request.signal.aborted).toBe(true);
  });
});
