/** A replica that is asked over a link: its port for the others, and what it has been asked. */
import { forwarderOf } from "../../src/http/request/forwarding.ts";
import { PeerKey } from "../../src/peers/peer-key.ts";
import { type LinkAnswer, PeerLink } from "../../src/peers/peer-link.ts";
import type { PlainAnswer } from "../../src/peers/plain-answer.ts";
import { openPeerServer, type Pipeline } from "../../src/peers/peer-server.ts";
import { until } from "./condition.ts";
import { FakeClock } from "./fake-clock.ts";
import { PEER_KEYS } from "./replica-pair.ts";

type Closing = (() => Promise<unknown> | void)[];

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** The wall clock of all, in ms. */
const NOW = 1_000_000;
export const keyOf = (id: string, now = () => NOW) => new PeerKey(PEER_KEYS, id, now);
/** Of the one replica that asks: it counts on from link to link. */
export const NEAR = keyOf("rpl_1");

/** An answer whose body is known as a whole. */
export function whole(request: Request, body: string, init: { readonly status?: number } = {}): Response {
  const by = forwarderOf(request);
  const headers = new Headers({ "x-one": "1", connection: "close" });
  const answer = by?.answer(init.status ?? 200, { headers, entries: [...headers] }, Buffer.from(body)) ?? null;
  return by === null || answer === null ? new Response(body, init) : by.take(answer);
}

/** The answer of a pipeline that has made it for a link. */
export function handOver(request: Request, answer: PlainAnswer): Response {
  return forwarderOf(request)!.take(answer);
}

/** The replica `rpl_2`, which has a port for links, and what it was asked. */
export class AskedReplica {
  readonly clock = new FakeClock();
  readonly asked: string[] = [];
  /** The requests themselves. */
  readonly requests: Request[] = [];
  readonly url: string;
  /** Its wall clock is ahead by this. */
  aheadMs = 0;
  pipeline: Pipeline = (request) => Promise.resolve(whole(request, `answer to ${request.url}`));

  constructor(closing: Closing, id = "rpl_2") {
    const server = openPeerServer({
      self: id,
      key: keyOf(id, () => NOW + this.aheadMs),
      hostname: "127.0.0.1",
      port: 0,
      maxRequestBodyBytes: 1_000_000,
      questions: () => {
        throw new Error("nobody asks");
      },
      clock: this.clock,
      onLook: () => Promise.resolve(),
      onRead: () => Promise.resolve(),
      serve: () => (request) => {
        this.requests.push(request);
        this.asked.push(new URL(request.url).pathname);
        return this.pipeline(request);
      },
      log: QUIET,
    });
    this.url = `http://127.0.0.1:${server.port}`;
    closing.push(() => server.stop());
  }
}

/** A link of `rpl_1` to the replica at this address; null where none has opened. */
export async function linkOf(closing: Closing, url: string, clock = new FakeClock()): Promise<PeerLink | null> {
  let hasEnded = false;
  const link = new PeerLink({ id: "rpl_2", url }, NEAR, clock, () => (hasEnded = true));
  closing.push(() => link.close());
  await until("it is open, or refused", () => link.isUsable || hasEnded);
  return hasEnded ? null : link;
}

export const ask = (link: PeerLink, path: string, method = "GET") =>
  link.call([method, path, "10.0.0.1", { host: "client" }], null);
export const textOf = (answer: LinkAnswer): string => (answer.kind === "whole" ? String(answer.body) : "kept");
