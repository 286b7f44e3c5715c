/**
 * Bodies that are no JSON. A `binary` one is read whole, within its limit, before the handler runs. A
 * `stream` is read by the handler: it is counted on its way, and ends with `BodyTooLarge` past its limit. Under an
 * idempotency key it is hashed too: the digest is the body's part of the key's fingerprint, so that a stream of any
 * length needs no memory for it.
 */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { RawBodyContract } from "../contract/body-schema.ts";
import { type BodyHold, TOO_SLOW } from "./bodies.ts";

/** Where a body comes from. */
export interface BodySource {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly headers: Pick<Headers, "get">;
}

interface About {
  /** As it was sent; empty where it was not. */
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

/** A body that its handler reads, once. */
export class StreamedBody implements About {
  readonly contentType: string;
  /** Bytes to come, where the sender has said so. */
  readonly length: number | null;
  readonly stream: ReadableStream<Uint8Array>;
  private readonly hasher: Bun.CryptoHasher | null;
  private readonly limitBytes: number;
  private taken = 0;
  private digest: string | null = null;
  private brokenBy: Fault | null = null;

  /** `hold`: what bounds its time; it ends with the stream. `isHashed`: whether anybody asks for its digest. */
  constructor({ body, headers }: BodySource, limitBytes: number, { hold = null, isHashed }: StreamOptions) {
    this.hasher = isHashed ? new Bun.CryptoHasher("sha256") : null;
    const length = headers.get("content-length");
    this.contentType = headers.get("content-type") ?? "";
    this.length = length === null ? null : Number(length);
    this.limitBytes = limitBytes;
    const reader = body?.getReader();
    const late = Promise.withResolvers<never>();
    // Nobody may be reading when it is late.
    late.promise.catch(() => {});
    hold?.whenLate(() => {
      this.brokenBy = TOO_SLOW;
      late.reject(new BodyTooSlow());
    });
    const leave = async (reason?: unknown): Promise<void> => {
      hold?.release();
      await reader?.cancel(reason);
    };
    this.stream = new ReadableStream<Uint8Array>({
      pull: async (sink) => {
        const next = await Promise.race([reader?.read(), late.promise]).catch(async (cause: unknown) => {
          await leave().catch(() => {}); // broken already
          throw cause;
        });
        if (next === undefined || next.done) {
          hold?.release();
          return this.end(sink);
        }
        hold?.progress(next.value.byteLength);
        this.taken += next.value.byteLength;
        if (this.taken > this.limitBytes) {
          this.brokenBy = { kind: "payload_too_large", limitBytes: this.limitBytes };
          await leave();
          throw new BodyTooLarge();
        }
        this.hasher?.update(next.value);
        sink.enqueue(next.value);
      },
      cancel: leave,
    });
  }

  /** Bytes that have been read. */
  get bytes(): number {
    return this.taken;
  }

  /** Of all its bytes, in hex; null until the last of them is read, and where it is not hashed. */
  get sha256(): string | null {
    return this.digest;
  }

  /** Why it ended early; null where it did not. */
  get fault(): Fault | null {
    return this.brokenBy;
  }

  private end(sink: ReadableStreamDefaultController<Uint8Array>): void {
    this.digest = this.hasher?.digest("hex") ?? null;
    sink.close();
  }
}

/** The body as its operation takes it. A stream is hashed under an idempotency key only: uploads hash what they keep. */
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
    if (cause instanceof Error) return refuse({ kind: "invalid_request", errors: [UNREADABLE] });
    throw cause;
  }
}

/** Why it is not even read, or null. */
function headFault(source: BodySource, { limitBytes, types }: RawBodyContract): Fault | null {
  if (types !== undefined && !types.includes(typeOf(source.headers.get("content-type") ?? "")))
    return { kind: "unsupported_media_type", expected: types.join(" or ") };
  if (isCoded(source)) return { kind: "unsupported_media_type", expected: "sent without a Content-Encoding" };
  return Number(source.headers.get("content-length") ?? 0) > limitBytes
    ? { kind: "payload_too_large", limitBytes }
    : null;
}

const UNREADABLE = { path: "", message: "Request body could not be read" };

const typeOf = (contentType: string): string => (contentType.split(";")[0] ?? "").trim().toLowerCase();

/** Whether the bytes are compressed on their way. */
export function isCoded({ headers }: Pick<BodySource, "headers">): boolean {
  const encoding = headers.get("content-encoding");
  return encoding !== null && encoding !== "identity";
}
