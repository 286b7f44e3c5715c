/**
 * A connection to another replica that carries many forwarded requests at a time: a WebSocket to its peer port. A link
 * carries small requests and answers; everything else goes over HTTP, and so does everything while there is no link. So
 * nothing waits for a link, and a replica of an older release needs none.
 *
 *   opening ──the other one has said who it is──▶ open ──it stops, or is silent──▶ not used ──▶ closed
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import {
  ANSWER_FRAME,
  ASK,
  CANCEL,
  FAILED,
  readFrames,
  KEPT,
  LEAVE,
  linkKey,
  LinkSeals,
  LinkWriter,
  PING,
  type ReadFrame,
  TEXT,
} from "./link-frames.ts";
import { ReceivedHeaders } from "./link-heads.ts";
import { answeredBy, SEALED_WITHOUT_BODY, type PeerKey, SEAL_HEADER } from "./peer-key.ts";
import type { Owner } from "./placement-table.ts";

export const LINK_PATH = "/.replica/link";

/** Between two checks for a silent link with calls in flight. */
const LINK_LOOK_MS = 1_000;
/** A link closes after this many checks without an answer; it takes no new calls from the first one on. */
const MOST_SILENT = 15;
/** A link that has not opened within this is given up. */
const OPEN_LIMIT_MS = 2_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 30_000;
/** Written bytes that are not sent yet, beyond which the link takes no new calls: backpressure. */
const MOST_UNSENT_BYTES = 1024 * 1024;

/** Ids wrap around after this one: a frame has four bytes for them. */
const LAST_ID = 2 ** 32 - 1;

/** The answer was lost with the link. */
export class LinkLost extends Error {
  override readonly name = "LinkLost";
}

/** The head of a request frame. */
export type AskHead = readonly [method: string, target: string, client: string, headers: Record<string, string>];
/** The head of an answer frame. A repeated header has a list of values. */
export type AnswerHead = readonly [status: number, headers: Record<string, string | string[]>];

export type LinkAnswer =
  | { readonly kind: "whole"; readonly head: AnswerHead; readonly body: Buffer | null }
  /** A text answer, ready for the client. */
  | { readonly kind: "text"; readonly response: Response }
  /** The answer must be fetched over HTTP with this ticket. */
  | { readonly kind: "kept"; readonly ticket: string };

interface WaitingAnswer {
  resolve(answer: LinkAnswer): void;
  reject(cause: unknown): void;
}

/** A call in flight. */
export interface LinkCall {
  readonly answer: Promise<LinkAnswer>;
  abort(reason?: unknown): void;
}

export class PeerLink {
  private readonly socket: WebSocket;
  private readonly clock: Pick<Clock, "after">;
  private readonly onEnd: (hasServed: boolean) => void;
  private readonly waiting = new Map<number, WaitingAnswer>();
  private readonly received = new ReceivedHeaders();
  private writer: LinkWriter | null = null;
  private seals: LinkSeals | null = null;
  private asked = 0;
  private isLeaving = false;
  private isClosed = false;
  private isHeard = false;
  private isPinged = false;
  private silentLooks = 0;
  private cancel: () => void;

  /** `onEnd` runs once, when the link has closed; `hasServed` says whether it had been open. */
  constructor(owner: Owner, key: PeerKey, clock: Pick<Clock, "after">, onEnd: (hasServed: boolean) => void) {
    this.clock = clock;
    this.onEnd = onEnd;
    const seal = key.seal(owner.id, { method: "GET", target: LINK_PATH, client: "" }, SEALED_WITHOUT_BODY);
    this.socket = new WebSocket(owner.url.replace(/^http/, "ws") + LINK_PATH, {
      headers: { [SEAL_HEADER]: seal.header },
      perMessageDeflate: false,
    });
    this.socket.binaryType = "nodebuffer";
    this.socket.addEventListener("message", ({ data }) => {
      if (this.isClosed) return;
      if (typeof data !== "string") return this.take(data as Buffer);
      const [nonce = "", answer = ""] = data.split(" ");
      if (this.writer !== null || answeredBy(seal, answer) !== owner.id) return this.close();
      this.opened(linkKey(seal.key, seal.mac, nonce), key.now);
    });
    for (const end of ["close", "error"] as const) this.socket.addEventListener(end, () => this.close());
    this.cancel = clock.after(OPEN_LIMIT_MS, () => this.close());
  }

  /** Whether a new call may go here. */
  get isUsable(): boolean {
    return (
      this.writer !== null &&
      !this.isLeaving &&
      this.silentLooks === 0 &&
      this.socket.bufferedAmount < MOST_UNSENT_BYTES
    );
  }

  call(head: AskHead, body: Uint8Array | null): LinkCall {
    const id = (this.asked = (this.asked % LAST_ID) + 1);
    const { promise, resolve, reject } = Promise.withResolvers<LinkAnswer>();
    this.waiting.set(id, { resolve, reject });
    this.writer!.add({ kind: ASK, id, head: JSON.stringify(head), body });
    const abort = (reason: unknown = new LinkLost("nobody waits for the answer")): void => {
      if (!this.waiting.delete(id)) return;
      this.writer?.add({ kind: CANCEL, id, head: "", body: null });
      reject(reason);
    };
    return { answer: promise, abort };
  }

  /** Closes the link; calls in flight are lost. Idempotent. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.cancel();
    const hasServed = this.writer !== null;
    this.writer = null;
    this.socket.terminate();
    for (const { reject } of this.waiting.values()) reject(new LinkLost("the link has closed"));
    this.waiting.clear();
    this.onEnd(hasServed);
  }

  private opened(key: Uint8Array, now: () => number): void {
    this.cancel();
    this.seals = new LinkSeals(key, "answers", now);
    this.writer = new LinkWriter(new LinkSeals(key, "asks", now), (message) => {
      if (!this.isClosed) this.socket.send(message);
    });
    this.look();
  }

  private take(message: Buffer): void {
    this.isHeard = true;
    this.silentLooks = 0;
    try {
      if (this.seals === null) return this.close();
      for (const frame of readFrames(message, this.seals)) this.taken(frame);
    } catch {
      return this.close();
    }
    if (this.isLeaving && this.waiting.size === 0) this.close();
  }

  private taken({ kind, id, head, body, text }: ReadFrame): void {
    if (kind === LEAVE) this.isLeaving = true;
    if (kind !== ANSWER_FRAME && kind !== TEXT && kind !== KEPT && kind !== FAILED) return;
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    // Read the head even if nobody waits any more: later answers may refer to its headers.
    if (kind === TEXT) {
      const response = this.received.responseOf(head, text);
      waiting?.resolve({ kind: "text", response });
    } else if (kind === FAILED) waiting?.reject(new LinkLost("the request has failed"));
    else if (kind === KEPT) waiting?.resolve({ kind: "kept", ticket: head });
    else waiting?.resolve({ kind: "whole", head: JSON.parse(head) as AnswerHead, body });
  }

  /** A call may take long, but a live replica answers a ping at once. */
  private look(): void {
    this.cancel = this.clock.after(LINK_LOOK_MS, () => {
      if (this.isPinged && !this.isHeard) this.silentLooks++;
      if (this.silentLooks > MOST_SILENT) return this.close();
      this.isHeard = false;
      this.isPinged = this.waiting.size > 0 || this.silentLooks > 0;
      if (this.isPinged) this.writer?.add({ kind: PING, id: 0, head: "", body: null });
      this.look();
    });
  }
}

interface LinkState {
  link: PeerLink | null;
  failures: number;
  /** On the monotonic clock. */
  notBeforeMs: number;
}

/** The links of this replica to the others. */
export class PeerLinks {
  private readonly key: PeerKey;
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  private readonly states = new Map<string, LinkState>();
  private isOver = false;

  constructor(key: PeerKey, clock: Pick<Clock, "monotonic" | "after">) {
    this.key = key;
    this.clock = clock;
  }

  /** The link to the replica, if one is open; otherwise opens one for later calls. */
  to(owner: Owner): PeerLink | null {
    const state = this.states.get(owner.id) ?? { link: null, failures: 0, notBeforeMs: 0 };
    this.states.set(owner.id, state);
    if (state.link !== null) return state.link.isUsable ? state.link : null;
    if (!this.isOver && this.clock.monotonic() >= state.notBeforeMs) this.open(owner, state);
    return null;
  }

  /** Closes the link to a dead replica. */
  drop(id: string): void {
    const link = this.states.get(id)?.link;
    this.states.delete(id);
    link?.close();
  }

  close(): void {
    this.isOver = true;
    for (const id of this.states.keys()) this.drop(id);
  }

  private open(owner: Owner, state: LinkState): void {
    state.link = new PeerLink(owner, this.key, this.clock, (hasServed) => {
      state.link = null;
      state.failures = hasServed ? 0 : state.failures + 1;
      state.notBeforeMs = this.clock.monotonic() + Math.min(FIRST_RETRY_MS * 2 ** state.failures, LAST_RETRY_MS);
    });
  }
}
