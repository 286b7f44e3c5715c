/** What was asked of a replica that leaves, or is gone: of real ports, with the clock in the test's hands. */
import { afterEach, expect, test } from "bun:test";
import { LINK_PATH } from "../../src/peers/peer-link.ts";
import { until } from "../support/condition.ts";
import { ReplicaPair, toldBy, UNKNOWN_OUTCOME } from "../support/replica-pair.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test("[REP-8] a change that a replica received before it left is answered", async () => {
  const pair = await new ReplicaPair(closing).joined();
  const route = pair.send("POST");
  await until("it is there", () => pair.handed.length === 1);
  await pair.leave();
  pair.answers[0]!.resolve(new Response("done", { status: 201 }));
  expect(await toldBy(route)).toEqual([201, "done"]);
});

test("[REP-8] a change that waits at a leaving replica goes to the next owner", async () => {
  const pair = await new ReplicaPair(closing).joined();
  const route = pair.send("POST");
  await until("it is there", () => pair.handed.length === 1);
  await pair.leave();
  pair.answers[0]!.resolve(new Response(null, { status: 421 }));
  await until("it is asked again", async () => {
    await pair.clock.advance(50);
    return Bun.peek.status(route) === "fulfilled";
  });
  expect(await toldBy(route)).toEqual([200, "of the next owner"]);
});

test("[REP-8] a repeatable request goes to the next owner at once, and one without an answer has an unknown outcome", async () => {
  const pair = await new ReplicaPair(closing).joined();
  const [read, change] = [pair.send("GET"), pair.send("POST")];
  await until("they are there", () => pair.handed.length === 2);
  await pair.leave();
  await until("the read is asked again", async () => {
    await pair.clock.advance(10);
    return Bun.peek.status(read) === "fulfilled";
  });
  expect(await toldBy(read)).toEqual([200, "of the next owner"]);
  expect(Bun.peek.status(change)).toBe("pending");
  await pair.clock.advance(5_000);
  expect(await toldBy(change)).toEqual(UNKNOWN_OUTCOME);
});

test("[REP-6] a change sent to a replica that has fallen silent has an unknown outcome after a second", async () => {
  // It takes no links, so that what it is asked comes over HTTP.
  const fetch = ({ url }: Request): Promise<Response> =>
    url.endsWith(LINK_PATH) ? Promise.resolve(new Response(null, { status: 404 })) : new Promise(() => {});
  const silent = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch });
  closing.push(() => silent.stop(true));
  const pair = await new ReplicaPair(closing, silent.url.origin).joined();
  const route = pair.send("POST");
  await until("it is there", () => silent.pendingRequests > 0);
  await pair.leave(() => silent.pendingRequests === 2);
  expect(Bun.peek.status(route)).toBe("pending");
  await pair.clock.advance(1_000);
  expect(await toldBy(route)).toEqual(UNKNOWN_OUTCOME);
});

test("[REP-8] a replica's port stays open until all received requests are answered", async () => {
  const pair = await new ReplicaPair(closing).joined();
  const route = pair.send("POST");
  await until("it is there", () => pair.handed.length === 1);
  const stopped = pair.far.stop();
  // It goes on to take what comes: this one is answered by the port that is being closed.
  const late = pair.send("POST");
  await until("it is there too", () => pair.handed.length === 2);
  for (const answer of pair.answers) answer.resolve(new Response("done", { status: 201 }));
  await stopped;
  expect(await toldBy(route)).toEqual([201, "done"]);
  expect(await toldBy(late)).toEqual([201, "done"]);
});

test("[REP-8] a replica has left once the others know it", async () => {
  const pair = await new ReplicaPair(closing).joined();
  const joined = pair.far.joined();
  await pair.clock.advance(100);
  await joined;
  const read = Promise.withResolvers<void>();
  pair.reading = read.promise;
  let hasLeft = false;
  const before = pair.looks;
  const left = pair.far.left().then(() => (hasLeft = true));
  await until("the other one is told", () => pair.looks > before);
  await pair.clock.advance(100);
  expect(hasLeft).toBe(false);
  read.resolve();
  await until("the other one has looked", async () => {
    await pair.clock.advance(1);
    return hasLeft;
  });
  await left;
});
