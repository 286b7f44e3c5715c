/**
 * Bodies that are not JSON. A `binary` body is read completely, within its limit, before the handler runs. The
 * handler reads a `stream` itself: bytes are counted on the way, and past its limit it fails with `BodyTooLarge`.
 * With an idempotency key it is hashed too, unless the handler's store does that (`hashedBy`): the digest is the
 * body's part of the key's fingerprint, so that a stream of any length needs no memory for it.
 */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { ByteReader, BytesRead } from "../../../actors/workspace/ports.ts";
import type { RawBodyContract } from "../contract/body-schema.ts";
import { type BodyHold, TOO_SLOW } from "./bodies.ts";

/** The source of a body. */
export interface BodySource {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly headers: Pick<Headers, "get">;
}

interface About {
  /** As it was sent; empty if absent. */
  readonly contentType: string;
}

export interface BinaryBody extends About {
  readonly bytes: Uint8Array;
  /** Of the bytes, in hex. */
  readonly sha256: string;
}

export class BodyTooLarge extends Error {}
export class BodyTooSlow extends Error {}

interface StreamOptions {
  readonly hold?: BodyHold | null;
  readonly isHashed: boolean;
}

/**
 * A body that its handler reads once, piece by piece. Pieces are passed on as they come: wrapping the stream in
 * another one would add two promises and a queue per piece.
 */
export class StreamedBody implements About, ByteReader {
  readonly contentType: string;
  /** Remaining bytes, if the sender announced the length. */
  readonly length: number | null;
  /** Bun allocates each piece of a request's body anew. */
  readonly givesMemory: boolean;
  private readonly reader: ByteReader | null;
  private readonly hold: BodyHold | null;
  private hasher: Bun.CryptoHasher | null;
  private readonly limitBytes: number;
  private taken = 0;
  private digest: string | null = null;
  private brokenBy: Fault | null = null;

  /**
   * `hold`: bounds the time of a body over HTTP; released with the stream. `isHashed`: whether the digest is needed.
   */
  constructor({ body, headers }: BodySource, limitBytes: number, { hold = null, isHashed }: StreamOptions) {
    this.hasher = isHashed ? new Bun.CryptoHasher("sha256") : null;
    const length = headers.get("content-length");
    this.contentType = headers.get("content-type") ?? "";
    this.length = length === null ? null : Number(length);
    this.limitBytes = limitBytes;
    this.hold = hold;
    this.givesMemory = hold !== null;
    this.reader = body?.getReader() ?? null;
    hold?.whenLate(() => {
      this.brokenBy = TOO_SLOW;
      // Ends the waiting read.
      void this.cancel().catch(() => {}); // broken already
    });
  }

  /**
   * The next piece, in its turn. Rejects with `BodyTooLarge` or `BodyTooSlow` at a bound, and also when the sender
   * is gone.
   */
  async read(): Promise<BytesRead> {
    const turn = this.hold?.turn() ?? null;
    if (turn !== null) await turn;
    const next = await this.next();
    if (this.brokenBy?.kind === "request_timeout") throw new BodyTooSlow();
    if (next.done) {
      this.hold?.end();
      this.digest ??= this.hasher?.digest("hex") ?? null;
      return next;
    }
    this.hold?.progress(next.value.byteLength);
    this.taken += next.value.byteLength;
    if (this.taken > this.limitBytes) {
      this.brokenBy = { kind: "payload_too_large", limitBytes: this.limitBytes };
      await this.cancel();
      throw new BodyTooLarge();
    }
    this.hasher?.update(next.value);
    return next;
  }

  /** Passes all pieces to a reader that returns their digest, so that they are not hashed twice. */
  async hashedBy<T extends { readonly sha256: string }>(
    take: (pieces: this) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    this.hasher = null;
    const taken = await take(this);
    if (taken.ok) this.digest = taken.value.sha256;
    return taken;
  }

  /**
   * Reads the rest if an idempotency key needs the digest: so a repeated request is recognised even if its operation
   * refuses it without reading the body.
   */
  async readForKey(): Promise<void> {
    while (this.hasher !== null && this.digest === null) await this.read();
  }

  /** Leaves the rest unread, and ends a waiting read. A body that is not read completely has no digest. */
  async cancel(reason?: unknown): Promise<void> {
    this.hasher = null;
    this.hold?.release();
    await this.reader?.cancel(reason);
  }

  /** Stops counting the body, because nobody reads it any more. Idempotent. */
  leave(): void {
    this.hold?.release();
  }

  /** The body as a stream, for callers that need one; read either this or the body. */
  get stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: async (sink) => {
        const next = await this.read();
        if (next.done) sink.close();
        else sink.enqueue(next.value);
      },
      cancel: (reason) => this.cancel(reason),
    });
  }

  /** Bytes read so far. */
  get bytes(): number {
    return this.taken;
  }

  /** Digest of all bytes, in hex; null until the last byte is read, and if hashing is off. */
  get sha256(): string | null {
    return this.digest;
  }

  /** Why it ended early; null if it did not. */
  get fault(): Fault | null {
    return this.brokenBy;
  }

  private async next(): Promise<BytesRead> {
    try {
      return (await this.reader?.read()) ?? BODY_END;
    } catch (cause) {
      // The sender is gone, or the body is malformed.
      this.brokenBy ??= { kind: "invalid_request", errors: [UNREADABLE_BODY_ERROR] };
      await this.cancel().catch(() => {}); // broken already
      throw cause;
    }
  }
}

const BODY_END: BytesRead = { done: true };

/**
 * The body in the form that its operation takes. A stream is hashed only with an idempotency key: uploads hash what
 * they store.
 */
export async function rawBody(
  source: BodySource,
  contract: RawBodyContract,
  { hold, isKeyed }: { readonly hold: BodyHold | null; readonly isKeyed: boolean },
): Promise<Outcome<BinaryBody | StreamedBody>> {
  const contentType = source.headers.get("content-type") ?? "";
  const fault = headFault(source, contract);
  if (fault !== null) {
    hold?.release();
    return refuse(fault);
  }
  const streamed = new StreamedBody(source, contract.limitBytes, {
    hold,
    isHashed: isKeyed || contract.kind !== "stream",
  });
  if (contract.kind === "stream") return ok(streamed);
  try {
    const bytes = await Bun.readableStreamToBytes(streamed.stream);
    return ok({ contentType, bytes, sha256: streamed.sha256 ?? "" });
  } catch (cause) {
    if (streamed.fault !== null) return refuse(streamed.fault);
    throw cause;
  }
}

/** Why the body is refused unread, or null. */
function headFault(source: BodySource, { limitBytes, types }: RawBodyContract): Fault | null {
  if (types !== undefined && !types.includes(contentTypeName(source.headers.get("content-type") ?? "")))
    return { kind: "unsupported_media_type", expected: types.join(" or ") };
  if (isCoded(source)) return { kind: "unsupported_media_type", expected: "sent without a Content-Encoding" };
  return Number(source.headers.get("content-length") ?? 0) > limitBytes
    ? { kind: "payload_too_large", limitBytes }
    : null;
}

const UNREADABLE_BODY_ERROR = { path: "", message: "Request body could not be read" };

const contentTypeName = (contentType: string): string => (contentType.split(";")[0] ?? "").trim().toLowerCase();

/** Whether the bytes have a content coding. */
export function isCoded({ headers }: Pick<BodySource, "headers">): boolean {
  const encoding = headers.get("content-encoding");
  return encoding !== null && encoding !== "identity";
}
