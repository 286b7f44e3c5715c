/**
 * The bytes of images and files on their way to a model (FILE-7). The loop knows attachments by their digests; here
 * each call gets their content, from the newest to the oldest as far as one request takes them, and only what its
 * model reads. The rest is described in words.
 *
 *   room ─▶ the bytes are read ─▶ the request is sent ─▶ room and bytes are given back ─▶ the answer comes
 *
 * What is in memory is counted for the organization, and calls for which there is no room wait. However slow an answer
 * is, it holds no room. A provider of the AI SDK keeps what it is given, so its calls hold their room to their end.
 */
import type { ContentPart, ModelCall, ModelOutcome, ModelPort, TranscriptEntry } from "../../actors/job/ports.ts";
import { withCalls } from "../../actors/job/wrapped-models.ts";
import { ATTACHED_BYTES } from "../../actors/upload/limits.ts";
import {
  type AttachmentBlock,
  attachmentWords,
  type InputBlock,
  inputNeeded,
  isAttachment,
  type ModelInput,
} from "../../actors/upload/terms.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import { ByteRoom } from "./byte-room.ts";
import type { RunnerLog } from "./log.ts";

/** Images and documents of one call: no provider takes many more. */
const CALL_ATTACHMENTS = 100;
/** What a byte of content takes in memory until it is sent: itself, and as base64 in a request. */
const MEMORY_FACTOR = 4;
const MIB = 1024 * 1024;
/** What all calls may hold, and those of one organization. */
const ROOM = { all: 512 * MIB, ofOrganization: 192 * MIB };

interface Parts {
  readonly contents: Pick<FileContents, "read">;
  readonly log?: RunnerLog;
  /** For tests. */
  readonly room?: ByteRoom;
}

/** The models, with the content of attachments in the place of their digests. */
export function withAttachedContent(
  models: ModelPort,
  { contents, log, room = new ByteRoom(ROOM.all, ROOM.ofOrganization) }: Parts,
): ModelPort {
  return withCalls(models, async (call, onText, signal) => {
    const shown = shownOf(call.entries, models.inputOf(call.model));
    if (shown === null) return models.call(call, onText, signal);
    const { organizationId } = call.origin;
    const bytes = [...shown].reduce((sum, { size }) => sum + size, 0);
    const release = await entered(call, room.enter(organizationId, bytes * MEMORY_FACTOR, signal));
    if (release === "aborted") return { kind: "aborted", partialText: "" };
    try {
      const entries = await filled(call, shown, { contents, log, signal }).catch((err: unknown) => {
        log?.error({ err, ...call.origin }, "the files of a conversation could not be read");
        return null;
      });
      if (signal.aborted) return { kind: "aborted", partialText: "" };
      if (entries === null) return UNREADABLE;
      const onSent = (): void => {
        // Other parts of the call keep the list until its answer has ended.
        entries.length = 0;
        release();
      };
      return await models.call({ ...call, entries, onSent }, onText, signal);
    } finally {
      release();
    }
  });
}

/** The room of this call, waited for as its run waits. */
async function entered<T extends (() => void) | "aborted">({ waits }: ModelCall, room: Promise<T>): Promise<T> {
  if (waits === undefined) return room;
  try {
    return await waits(room);
  } catch (cause) {
    const release = await room;
    if (release !== "aborted") release();
    throw cause;
  }
}

/** The store is away for a moment, so the call is made again later. */
const UNREADABLE: ModelOutcome = {
  kind: "failed",
  error: { code: "provider_unreachable", message: "The files of the conversation could not be read." },
  partialText: "",
  usage: { inputTokens: 0, outputTokens: 0 },
};

/** The attachments that the call gets, from the newest on; null where it has none at all. */
function shownOf(entries: readonly TranscriptEntry[], reads: readonly ModelInput[]): Set<AttachmentBlock> | null {
  const shown = new Set<AttachmentBlock>();
  let room = ATTACHED_BYTES;
  let hasAny = false;
  for (const entry of entries.toReversed()) {
    if (entry.role !== "user") continue;
    for (const block of (entry.blocks ?? []).toReversed()) {
      if (!isAttachment(block)) continue;
      hasAny = true;
      if (!reads.includes(inputNeeded(block))) continue;
      room -= block.size;
      if (room >= 0 && shown.size < CALL_ATTACHMENTS) shown.add(block);
    }
  }
  return hasAny ? shown : null;
}

interface Filling {
  readonly contents: Parts["contents"];
  readonly log: RunnerLog | undefined;
  readonly signal: AbortSignal;
}

/** One after the other: what is not needed any more is not read, and nothing is read when the room is given back. */
async function filled(
  { origin, entries }: ModelCall,
  shown: ReadonlySet<AttachmentBlock>,
  { contents, log, signal }: Filling,
): Promise<TranscriptEntry[]> {
  // The same content of several messages is in memory once.
  const read = new Map<string, Uint8Array | null>();
  const partOf = async (block: InputBlock): Promise<ContentPart> => {
    if (!isAttachment(block)) return block;
    if (!shown.has(block)) return told(block, "not shown here, because it is too old or this model cannot read it");
    const { type, media_type: mediaType, name, sha256 } = block;
    signal.throwIfAborted();
    const data = read.has(sha256)
      ? read.get(sha256)!
      : await contentOf(contents, { organizationId: origin.organizationId, sha256 });
    read.set(sha256, data);
    if (data !== null) return { type, mediaType, ...(name === null ? {} : { name }), data };
    log?.error({ sha256, ...origin }, "the content of a file of a conversation is lost");
    return told(block, "its content is lost");
  };
  const filledEntries: TranscriptEntry[] = [];
  for (const entry of entries) {
    if (entry.role !== "user" || entry.blocks === undefined) {
      filledEntries.push(entry);
      continue;
    }
    const parts: ContentPart[] = [];
    for (const block of entry.blocks) parts.push(await partOf(block));
    filledEntries.push({ role: entry.role, text: entry.text, parts });
  }
  return filledEntries;
}

const told = (block: AttachmentBlock, why: string): ContentPart => ({
  type: "text",
  text: `[${attachmentWords(block)}: ${why}]`,
});

/** Null: there is no such content. Rejects where the store cannot be reached. */
async function contentOf(
  contents: Parts["contents"],
  key: { readonly organizationId: string; readonly sha256: string },
): Promise<Uint8Array | null> {
  const found = await contents.read(key);
  return found === null ? null : new Uint8Array(await new Response(found).arrayBuffer());
}
