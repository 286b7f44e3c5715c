/**
 * The format of a link between two replicas (`peer-link.ts`): messages of frames, each message with a seal. The frames
 * of one turn of the event loop share a message, so that the receiver wakes once for all of them.
 *
 *   message   seal (32 bytes) · time (8) · frames
 *   frame     kind (1) · id (4) · length of the head (4) · length of the body (4) · head (JSON) · body
 *
 * A seal is an HMAC-SHA256, under a key that only this connection has, over the direction, the number of the message,
 * its time and its frames. So no message can be changed, dropped, replayed, reflected, moved to another link, or
 * delayed for long.
 */
import { timingSafeEqual } from "node:crypto";
import { afterTick } from "../http/stream/after-tick.ts";
import { REPLICA_SKEW_MS } from "./peer-key.ts";

/** Kinds of frames. */
export const ASK = 1;
export const ANSWER_FRAME = 2;
/** The answer is too large, or a stream: the other side fetches it over HTTP. */
export const KEPT = 3;
/** Nobody waits for the answer any more. */
export const CANCEL = 4;
export const PING = 5;
export const PONG = 6;
/** The replica is stopping: send it no new requests. The link closes after the last answer. */
export const LEAVE = 7;
/** The request has failed by a bug: its outcome is unknown. */
export const FAILED = 8;
/** An answer whose body is text and whose headers may refer to earlier ones (`link-heads.ts`). */
export const TEXT = 9;

export interface Frame {
  readonly kind: number;
  /** Id of the call; 0 for none. */
  readonly id: number;
  /** JSON; empty for none. */
  readonly head: string;
  readonly body: string | Uint8Array | null;
}

/** A received frame. */
export interface ReadFrame extends Frame {
  readonly body: Buffer | null;
  /** For `TEXT`: the text, in place of the body. */
  readonly text: string;
}

/** The sender of a frame: the side that asks, or the one that answers. */
export type Direction = "asks" | "answers";

/** Longer messages are divided. */
const LINK_MESSAGE_BYTES = 256 * 1024;
/** The longest message that a receiver accepts: one frame may exceed the length above. */
export const MOST_MESSAGE_BYTES = 1024 * 1024;
const SEAL_BYTES = 32;
const TIME_BYTES = 8;
const FRAME_HEAD_BYTES = 13;

/** The received bytes are not what the other side sent. */
export class LinkBroken extends Error {
  override readonly name = "LinkBroken";
}

/** The key of a link. `call` is the seal of the call that opened it, `nonce` the answering replica's. */
export const linkKey = (key: Uint8Array, call: string, nonce: string): Uint8Array =>
  new Bun.CryptoHasher("sha256", key).update(JSON.stringify(["link", call, nonce])).digest();

/** The seals of one direction, message by message. */
export class LinkSeals {
  /** The wall clock of this replica, in ms. */
  readonly now: () => number;
  private readonly key: Uint8Array;
  private readonly direction: Direction;
  private count = 0;

  constructor(key: Uint8Array, direction: Direction, now: () => number) {
    this.key = key;
    this.direction = direction;
    this.now = now;
  }

  /** `sealed` is the message without its seal. */
  next(sealed: Uint8Array): Buffer {
    return new Bun.CryptoHasher("sha256", this.key)
      .update(`${this.direction} ${this.count++} `)
      .update(sealed)
      .digest();
  }
}

/** Joins the frames of one turn of the event loop into one message. */
export class LinkWriter {
  private readonly seals: LinkSeals;
  private readonly send: (message: Buffer) => void;
  private frames: Frame[] = [];
  private isJoining = false;

  constructor(seals: LinkSeals, send: (message: Buffer) => void) {
    this.seals = seals;
    this.send = send;
  }

  add(frame: Frame): void {
    if (this.frames.push(frame) === 1 && !this.isJoining) afterTick(this.flush);
  }

  /** Sends the frames that `work` adds as soon as it returns, without waiting for the end of the turn. */
  joining(work: () => void): void {
    this.isJoining = true;
    try {
      work();
    } finally {
      this.isJoining = false;
      this.flush();
    }
  }

  /** Sends all pending frames now. */
  readonly flush = (): void => {
    const { frames } = this;
    this.frames = [];
    for (let first = 0; first < frames.length;) {
      let bytes = 0;
      let next = first;
      do bytes += lengthOf(frames[next++]!);
      while (next < frames.length && bytes + lengthOf(frames[next]!) <= LINK_MESSAGE_BYTES);
      this.send(this.sealed(frames.slice(first, next), bytes));
      first = next;
    }
  };

  private sealed(frames: readonly Frame[], bytes: number): Buffer {
    const message = Buffer.allocUnsafe(SEAL_BYTES + TIME_BYTES + bytes);
    let at = message.writeDoubleLE(this.seals.now(), SEAL_BYTES);
    for (const frame of frames) at = writeFrame(message, at, frame);
    this.seals.next(message.subarray(SEAL_BYTES)).copy(message);
    return message;
  }
}

const frameBodyBytes = (body: Frame["body"]): number =>
  body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;

const lengthOf = ({ head, body }: Frame): number => FRAME_HEAD_BYTES + Buffer.byteLength(head) + frameBodyBytes(body);

function writeFrame(message: Buffer, at: number, { kind, id, head, body }: Frame): number {
  const headAt = at + FRAME_HEAD_BYTES;
  const headLength = message.write(head, headAt);
  const bodyAt = headAt + headLength;
  let bodyLength = 0;
  if (typeof body === "string") bodyLength = message.write(body, bodyAt);
  else if (body !== null) {
    message.set(body, bodyAt);
    bodyLength = body.byteLength;
  }
  message[at] = kind;
  message.writeUInt32LE(id, at + 1);
  message.writeUInt32LE(headLength, at + 5);
  message.writeUInt32LE(bodyLength, at + 9);
  return bodyAt + bodyLength;
}

/** The frames of a message. Throws `LinkBroken` if the seal is not the next one or is too old. */
export function readFrames(message: Buffer, seals: LinkSeals): ReadFrame[] {
  const seal = message.subarray(0, SEAL_BYTES);
  if (message.length < SEAL_BYTES + TIME_BYTES || !timingSafeEqual(seals.next(message.subarray(SEAL_BYTES)), seal))
    throw new LinkBroken("a message with another seal");
  // After a long stall, a connection must not deliver stale calls whose callers have given up.
  if (!(Math.abs(seals.now() - message.readDoubleLE(SEAL_BYTES)) <= REPLICA_SKEW_MS))
    throw new LinkBroken("a message of another time");
  const read: ReadFrame[] = [];
  for (let at = SEAL_BYTES + TIME_BYTES; at < message.length;) {
    if (at + FRAME_HEAD_BYTES > message.length) throw new LinkBroken("a frame that is not whole");
    const headAt = at + FRAME_HEAD_BYTES;
    const bodyAt = headAt + message.readUInt32LE(at + 5);
    const end = bodyAt + message.readUInt32LE(at + 9);
    if (end > message.length) throw new LinkBroken("a frame that is not whole");
    const kind = message[at]!;
    read.push({
      kind,
      id: message.readUInt32LE(at + 1),
      head: message.toString("utf8", headAt, bodyAt),
      text: kind === TEXT ? message.toString("utf8", bodyAt, end) : "",
      body: end === bodyAt || kind === TEXT ? null : message.subarray(bodyAt, end),
    });
    at = end;
  }
  return read;
}
