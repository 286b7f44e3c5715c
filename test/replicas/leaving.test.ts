/** What was asked of a replica that leaves, or is gone: of real ports, with the clock in the test's hands. */
import { LINK_PATH } from "../../src/peers/peer-link.ts";
import { afterEach, expect, test } from "bun:test";
import { ok } from "../../actors/fault.ts";
import { SHARD_COUNT } from "../../actors/runtime/placement.ts";
import type { Route, Routed } from "../../src/http/request/forwarding.ts";
import { OpenStreams } from "../../src/http/stream/open-streams.ts";
import type { Owner } from "../../src/peers/placement-table.ts";
import { LEAVING_MS, ReplicaGroup } from "../../src/peers/replica-group.ts";
import { until } from "../support/condition.ts";
import { FakeClock } from "../support/fake-clock.ts";

const BEARER = { organizationId: "org_a", tokenId: "tok_a" };
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Notes how far away the timers are that are set. */
class NotedClock extends FakeClock {
  readonly delays: number[] = [];

  override after(delayMs: number, run: () => void): () => void {
    this.delays.push(delayMs);
    return super.after(delayMs, run);
  }
}

/** Two replicas: what comes to the first one belongs to the second, until that has left. */
class Pair {
  readonly clock = new NotedClock();
  readonly near: ReplicaGroup;
  /** What the second one has been handed, and how it answers. */
  readonly handed: Request[] = [];
  readonly answers: PromiseWithResolvers<Response>[] = [];
  readonly far: ReplicaGroup;
  private living: readonly Owner[];
  private owner = "rpl_2";
  /** What the database says to the first one waits for this. */
  reading: Promise<void> = Promise.resolve();
  /** How often the first one was told to look. */
  looks = 0;

  /** `url`: where the second one is, if not at its own address. */
  constructor(url: string | null = null) {
    this.near = this.replica("rpl_1", () => Promise.resolve(new Response("of the next owner")));
    this.far = this.replica("rpl_2", (request) => {
      this.handed.push(request);
      const answer = Promise.withResolvers<Response>();
      this.answers.push(answer);
      return answer.promise;
    });
    this.living = [
      { id: "rpl_1", url: this.near.url },
      { id: "rpl_2", url: url ?? this.far.url },
    ];
  }

  /** The first one has found the second one. */
  async joined(): Promise<this> {
    const joined = this.near.joined();
    await this.clock.advance(100);
    await joined;
    return this;
  }

  /**
   * The second one is not among the living any more, and the first one has seen it and asked whether it still answers.
   * Resolves when `isAsked`: by default, when it has answered.
   */
  async leave(isAsked = () => this.clock.delays.includes(LEAVING_MS)): Promise<void> {
    this.living = this.living.slice(0, 1);
    this.owner = "rpl_1";
    this.near.announce();
    await this.clock.advance(100);
    await until("it is known", () => !this.near.hasOthers);
    await until("it is asked whether it answers", isAsked);
  }

  send(method: string): Promise<Route> {
    const init = method === "GET" ? {} : { body: "{}", headers: { "content-length": "2" } };
    const request = new Request("http://client/api/tasks", { method, ...init });
    const routed: Routed = { request, requestId: "r", address: "10.0.0.1", keepOpen: () => {} };
    return Promise.resolve(this.near.forwarding.route(routed, BEARER));
  }

  private replica(id: string, pipeline: (request: Request) => Promise<Response>): ReplicaGroup {
    const group = new ReplicaGroup({
      id,
      hostname: "127.0.0.1",
      port: 0,
      urlOf: (port) => `http://127.0.0.1:${port}`,
      keys: [new Uint8Array(32).fill(1)],
      reader: { read: () => (id === "rpl_1" ? this.reading : Promise.resolve()).then(() => this.rows()) },
      bury: () => Promise.resolve(false),
      system: () => ({
        serves: () => this.owner === id,
        dispatchGroup: () => Promise.resolve(ok([])),
        settled: () => Promise.resolve(ok(null)),
        lookAtPlacement: () => {
          if (id === "rpl_1") this.looks++;
        },
      }),
      clock: this.clock,
      maxRequestBodyBytes: 1_000,
      contents: { read: () => Promise.resolve(null) },
      log: QUIET,
    });
    group.serve(pipeline, new OpenStreams(this.clock));
    closing.push(() => group.stop());
    return group;
  }

  private rows() {
    const owners = new Map(Array.from({ length: SHARD_COUNT }, (_, shard) => [shard, this.owner] as const));
    return { replicas: this.living, owners };
  }
}

const told = async (route: Promise<Route>): Promise<unknown> => {
  const end = await route;
  return end.kind === "elsewhere" ? [end.response.status, await end.response.text()] : end;
};
const UNKNOWN = { kind: "nowhere", fault: { kind: "outcome_unknown", retryAfterMs: 1_000 } };

test("[REP-8] a change that a replica was asked for before it left gets its answer", async () => {
  const pair = await new Pair().joined();
  const route = pair.send("POST");
  await until("it is there", () => pair.handed.length === 1);
  await pair.leave();
  pair.answers[0]!.resolve(new Response("done", { status: 201 }));
  expect(await told(route)).toEqual([201, "done"]);
});

test("[REP-8] a change that waits at a replica which leaves goes to the next owner", async () => {
  const pair = await new Pair().joined();
  const route = pair.send("POST");
  await until("it is there", () => pair.handed.length === 1);
  await pair.leave();
  pair.answers[0]!.resolve(new Response(null, { status: 421 }));
  await until("it is asked again", async () => {
    await pair.clock.advance(50);
    return Bun.peek.status(route) === "fulfilled";
  });
  expect(await told(route)).toEqual([200, "of the next owner"]);
});

test("[REP-8] what can be asked again is asked of the next owner at once, and what is never answered ends unknown", async () => {
  const pair = await new Pair().joined();
  const [read, change] = [pair.send("GET"), pair.send("POST")];
  await until("they are there", () => pair.handed.length === 2);
  await pair.leave();
  await until("the read is asked again", async () => {
    await pair.clock.advance(10);
    return Bun.peek.status(read) === "fulfilled";
  });
  expect(await told(read)).toEqual([200, "of the next owner"]);
  expect(Bun.peek.status(change)).toBe("pending");
  await pair.clock.advance(5_000);
  expect(await told(change)).toEqual(UNKNOWN);
});

test("[REP-6] a change that was asked of a replica which says nothing any more ends unknown after a second", async () => {
  // It takes no links, so that what it is asked comes over HTTP.
  const fetch = ({ url }: Request): Promise<Response> =>
    url.endsWith(LINK_PATH) ? Promise.resolve(new Response(null, { status: 404 })) : new Promise(() => {});
  const silent = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch });
  closing.push(() => silent.stop(true));
  const pair = await new Pair(silent.url.origin).joined();
  const route = pair.send("POST");
  await until("it is there", () => silent.pendingRequests > 0);
  await pair.leave(() => silent.pendingRequests === 2);
  expect(Bun.peek.status(route)).toBe("pending");
  await pair.clock.advance(1_000);
  expect(await told(route)).toEqual(UNKNOWN);
});

test("[REP-8] the port of a replica stays open until what has come is answered", async () => {
  const pair = await new Pair().joined();
  const route = pair.send("POST");
  await until("it is there", () => pair.handed.length === 1);
  const stopped = pair.far.stop();
  // It goes on to take what comes: this one is answered by the port that is being closed.
  const late = pair.send("POST");
  await until("it is there too", () => pair.handed.length === 2);
  for (const answer of pair.answers) answer.resolve(new Response("done", { status: 201 }));
  await stopped;
  expect(await told(route)).toEqual([201, "done"]);
  expect(await told(late)).toEqual([201, "done"]);
});

test("[REP-8] a replica has left when the others know", async () => {
  const pair = await new Pair().joined();
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
