/**
 * The bytes of images and files on their way to a model (FILE-7). The loop refers to attachments by their digests; here
 * each call gets their content, newest first, up to the limits of one request, and only types that its model reads.
 * Words describe the rest.
 *
 *   room ─▶ read the bytes ─▶ send the request ─▶ release room and bytes ─▶ the answer arrives
 *
 * Bytes in memory are counted per organization, and calls without room wait. A slow answer holds no room. A provider of
 * the AI SDK keeps its input, so its calls hold their room until they end.
 */
import { unmadeCall } from "../../actors/job/run/call-failures.ts";
import {
  attachmentsIn,
  type MessagePart,
  type ModelCall,
  type ModelPort,
  type TranscriptEntry,
  withCalls,
} from "../../actors/job/ports.ts";
import type { Block } from "../../actors/job/schema.ts";
import {
  ATTACHED_BYTES,
  type AttachmentBlock,
  attachmentWords,
  type InputBlock,
  inputNeeded,
  isAttachment,
  type ModelInput,
} from "../../actors/upload/terms.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import { ByteRoom } from "./byte-room.ts";
import type { RunnerLog } from "../log/port.ts";
import { MIB } from "../../actors/units.ts";

/** Images and documents of one call: no provider accepts many more. */
const CALL_ATTACHMENTS = 100;
/** Bytes of memory for one byte of content until it is sent: the content itself, and its base64 in a request. */
const MEMORY_FACTOR = 4;
/** Bytes that all calls may hold together, and those of one organization. */
const ROOM = { all: 512 * MIB, ofOrganization: 192 * MIB };

interface AttachedContentParts {
  readonly contents: Pick<FileContents, "read">;
  readonly log?: RunnerLog;
  /** For tests. */
  readonly room?: ByteRoom;
}

/** The models, with attachments' content in place of their digests. */
export function withAttachedContent(
  models: ModelPort,
  { contents, log, room = new ByteRoom(ROOM.all, ROOM.ofOrganization) }: AttachedContentParts,
): ModelPort {
  return withCalls(models, async (call, onText, signal) => {
    const shown = shownOf(call.entries, models.inputOf(call.model));
    if (shown === null) return models.call(call, onText, signal);
    const { organizationId } = call.origin;
    const bytes = [...shown].reduce((sum, { size }) => sum + size, 0);
    const ready = room.enter(organizationId, bytes * MEMORY_FACTOR, signal);
    using held = await (call.waits?.(ready) ?? ready);
    if (held === null) return { kind: "aborted", partialText: "" };
    const entries = await fillEntries(call, shown, { contents, log, signal }).catch((err: unknown) => {
      log?.error({ err, ...call.origin }, "the files of a conversation could not be read");
      return null;
    });
    if (signal.aborted) return { kind: "aborted", partialText: "" };
    if (entries === null) return FILES_UNREADABLE;
    const onSent = (): void => {
      // Other parts of the call keep the list until the answer ends, so empty it.
      entries.length = 0;
      held.end();
    };
    return await models.call({ ...call, entries, onSent }, onText, signal);
  });
}

/** The store is temporarily unavailable, so the call is retried later. */
const FILES_UNREADABLE = unmadeCall({
  code: "provider_unreachable",
  message: "The files of the conversation could not be read.",
});

/**
 * The attachments that the call gets; null if the conversation has none. If one has no room, the oldest of earlier
 * messages are dropped until half of it is free: the beginning of the call changes then, and not again with each further
 * attachment. Those of the same message are dropped only as far as there is no room at all.
 */
function shownOf(entries: readonly TranscriptEntry[], reads: readonly ModelInput[]): Set<AttachmentBlock> | null {
  const lists = entries.map(attachmentsIn);
  if (lists.every((list) => list.length === 0)) return null;
  const shown = new Set<AttachmentBlock>();
  let bytes = 0;
  for (const list of lists) {
    const own = new Set(list);
    for (const block of list) {
      if (!reads.includes(inputNeeded(block)) || block.size > ATTACHED_BYTES) continue;
      const fits = (part: number): boolean =>
        bytes + block.size <= ATTACHED_BYTES / part && shown.size < CALL_ATTACHMENTS / part;
      const hasRoom = fits(1);
      for (const oldest of hasRoom ? [] : shown) {
        if (fits(own.has(oldest) ? 1 : 2)) break;
        shown.delete(oldest);
        bytes -= oldest.size;
      }
      shown.add(block);
      bytes += block.size;
    }
  }
  return shown;
}

interface FillingParts {
  readonly contents: AttachedContentParts["contents"];
  readonly log: RunnerLog | undefined;
  readonly signal: AbortSignal;
}

/** Reads one after the other, so that nothing is read needlessly or after the room is released. */
async function fillEntries(
  { origin, entries }: ModelCall,
  shown: ReadonlySet<AttachmentBlock>,
  { contents, log, signal }: FillingParts,
): Promise<TranscriptEntry[]> {
  // Content that several messages share is in memory once.
  const read = new Map<string, Uint8Array | null>();
  const partOf = async (block: InputBlock): Promise<MessagePart> => {
    if (!isAttachment(block)) return block;
    if (!shown.has(block))
      return describeMissing(block, "not shown here, because it is too old or this model cannot read it");
    const { type, media_type: mediaType, name, sha256 } = block;
    signal.throwIfAborted();
    const data = read.has(sha256)
      ? read.get(sha256)!
      : await readAttached(contents, { organizationId: origin.organizationId, sha256 });
    read.set(sha256, data);
    if (data !== null) return { type, mediaType, ...(name === null ? {} : { name }), data };
    log?.error({ sha256, ...origin }, "the content of a file of a conversation is lost");
    return describeMissing(block, "its content is lost");
  };
  const filledEntries: TranscriptEntry[] = [];
  for (const entry of entries) {
    if (attachmentsIn(entry).length === 0) filledEntries.push(entry);
    else if (entry.role === "user") {
      const parts: MessagePart[] = [];
      for (const block of entry.blocks ?? []) parts.push(await partOf(block));
      filledEntries.push({ ...entry, parts });
    } else {
      const resultFiles = new Map<Block, readonly MessagePart[]>();
      for (const block of entry.blocks) {
        if (block.type !== "tool_result" || block.attachments === undefined) continue;
        const parts: MessagePart[] = [];
        for (const file of block.attachments) parts.push(await partOf(file));
        resultFiles.set(block, parts);
      }
      filledEntries.push({ ...entry, resultFiles });
    }
  }
  return filledEntries;
}

const describeMissing = (block: AttachmentBlock, why: string): MessagePart => ({
  type: "text",
  text: `[${attachmentWords(block)}: ${why}]`,
});

/** Null if the content does not exist. Rejects if the store cannot be reached. */
async function readAttached(
  contents: AttachedContentParts["contents"],
  key: { readonly organizationId: string; readonly sha256: string },
): Promise<Uint8Array | null> {
  const found = await contents.read(key);
  return found === null ? null : new Uint8Array(await new Response(found).arrayBuffer());
}
