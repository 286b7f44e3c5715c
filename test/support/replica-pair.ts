/** Two replicas with real ports, and the clock in the test's hands. */
import { SHARD_COUNT } from "../../actors/runtime/placement/placement.ts";
import { ok, refuse } from "../../actors/fault.ts";
import type { Route, RoutedRequest } from "../../src/http/request/forwarding.ts";
import { OpenStreams } from "../../src/http/stream/open-streams.ts";
import { CLIENT_HEADER } from "../../src/peers/peer-key.ts";
import type { Owner } from "../../src/peers/placement-table.ts";
import { LEAVING_MS, ReplicaGroup } from "../../src/peers/replica-group.ts";
import { until } from "./condition.ts";
import { FakeClock } from "./fake-clock.ts";

const BEARER = { organizationId: "org_a", tokenId: "tok_a" };
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** All that replicas of the tests seal with. */
export const PEER_KEYS: readonly [Uint8Array] = [new Uint8Array(32).fill(1)];

/** Whether the request has come over a link: over HTTP the client is named in a header. */
export const isOverLink = ({ headers }: Request): boolean => !headers.has(CLIENT_HEADER);

/** Notes how far away the timers are that are set. */
class NotedClock extends FakeClock {
  readonly delays: number[] = [];

  override after(delayMs: number, run: () => void): () => void {
    this.delays.push(delayMs);
    return super.after(delayMs, run);
  }
}

/** Two replicas: what comes to the first one belongs to the second, until that has left. */
export class ReplicaPair {
  readonly clock = new NotedClock();
  readonly near: ReplicaGroup;
  /** What the second one has been handed, and how it answers. */
  readonly handed: Request[] = [];
  readonly answers: PromiseWithResolvers<Response>[] = [];
  readonly far: ReplicaGroup;
  /** What the first one has answered itself, as the next owner. */
  ownAnswers = 0;
  private living: readonly Owner[];
  private owner = "rpl_2";
  /** What the database says to the first one waits for this. */
  reading: Promise<void> = Promise.resolve();
  /** How often the first one was told to look. */
  looks = 0;

  private readonly closing: (() => Promise<void>)[];

  /** What is to be closed goes to `closing`. `url`: where the second one is, if not at its own address. */
  constructor(closing: (() => Promise<void>)[], url: string | null = null) {
    this.closing = closing;
    this.near = this.replica("rpl_1", () => {
      this.ownAnswers++;
      return Promise.resolve(new Response("of the next owner"));
    });
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

  /** The first one finds the second one at this address. */
  at(url: string): this {
    this.living = this.living.map((owner) => (owner.id === "rpl_2" ? { ...owner, url } : owner));
    return this;
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

  /** And has a link to it: what is handed on from now on goes over that. */
  async linked(): Promise<this> {
    await this.joined();
    for (let isLinked = false; !isLinked;) {
      const asked = this.handed.length;
      const route = this.send("GET");
      await until("it is there", () => this.handed.length > asked);
      isLinked = isOverLink(this.handed.at(-1)!);
      this.answers.at(-1)!.resolve(new Response("of the second one"));
      await route;
    }
    this.handed.length = this.answers.length = 0;
    return this;
  }

  send(method: string, init: { readonly signal?: AbortSignal } = {}): Promise<Route> {
    const { signal = new AbortController().signal } = init;
    const body = method === "GET" ? {} : { body: "{}", headers: { "content-length": "2" } };
    const request = new Request("http://client/api/tasks", { method, signal, ...body });
    request.headers.set("host", "client");
    const routed: RoutedRequest = { request, requestId: "r", address: "10.0.0.1", keepOpen: () => {} };
    return Promise.resolve(this.near.forwarding.route(routed, BEARER));
  }

  private replica(id: string, pipeline: (request: Request) => Promise<Response>): ReplicaGroup {
    const group = new ReplicaGroup({
      id,
      hostname: "127.0.0.1",
      port: 0,
      urlOf: (port) => `http://127.0.0.1:${port}`,
      keys: PEER_KEYS,
      reader: { read: () => (id === "rpl_1" ? this.reading : Promise.resolve()).then(() => this.rows()) },
      bury: () => Promise.resolve(false),
      clock: this.clock,
      maxRequestBodyBytes: 1_000,
      contents: { read: () => Promise.resolve(null) },
      log: QUIET,
    });
    group.attach({
      serves: () => this.owner === id,
      dispatchGroup: () => Promise.resolve(ok([])),
      settled: () => Promise.resolve(ok(null)),
      lookAtPlacement: () => {
        if (id === "rpl_1") this.looks++;
      },
    });
    group.serve(pipeline, new OpenStreams(this.clock), () =>
      Promise.resolve(refuse({ kind: "not_found", noun: "route" })),
    );
    this.closing.push(() => group.stop());
    return group;
  }

  private rows() {
    const owners = new Map(Array.from({ length: SHARD_COUNT }, (_, shard) => [shard, this.owner] as const));
    return { replicas: this.living, owners };
  }
}

/** What the client is told: status and body, or why there is no answer. */
export const toldBy = async (route: Promise<Route>): Promise<unknown> => {
  const end = await route;
  return end.kind === "elsewhere" ? [end.response.status, await end.response.text()] : end;
};
export const UNKNOWN_OUTCOME = { kind: "nowhere", fault: { kind: "outcome_unknown", retryAfterMs: 1_000 } };
