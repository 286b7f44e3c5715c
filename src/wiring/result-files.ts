/** Stores images and files of tool results as the content of messages is stored (port: `FileKeeper` of the runner). */
import { cutText } from "../../actors/cut-text.ts";
import { cleanText } from "../../actors/clean-text.ts";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import { SHARD_UNAVAILABLE } from "../../actors/runtime/placement/shards.ts";
import { visibleText } from "../../actors/visible-text.ts";
import { UPLOAD_NAME } from "../../actors/upload/terms.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { FileKeeper } from "../runner/mcp/kept-files.ts";
import type { RunnerLog } from "../log/port.ts";
import { largestOf } from "../work/attaching.ts";
import { receiveWithin } from "../work/content-room.ts";
import { knownContent, LOOKED_BYTES, TAKEN_TYPES } from "../work/media-type.ts";

interface ResultFilesParts {
  readonly contents: Pick<FileContents, "receive" | "hold">;
  readonly quotas: Pick<QuotaReports, "room" | "unreferred">;
  readonly log: RunnerLog;
}

export const resultFiles = (parts: ResultFilesParts): FileKeeper => ({
  async keep(organizationId, { mime: declared, bytes, name: said, source }, admit) {
    const size = bytes.length;
    const known = knownContent(bytes.subarray(0, LOOKED_BYTES), size, declared);
    if (known === null) return { refused: `is of a type that no model reads; models read ${TAKEN_TYPES}` };
    const { kind: type, mime } = known;
    const most = largestOf(mime);
    if (size > most) return { refused: `has ${size} bytes; ${mime} may have at most ${most}` };
    if (!admit(size)) return { refused: "is more than one run may keep of images and files" };
    const stored = await storedContent(parts, organizationId, bytes);
    if (!stored.ok) return { refused: RESULT_FILE_WORDS[stored.fault.kind] ?? "could not be stored now" };
    const name = said === null ? null : cutText(visibleText(cleanText(said)), UPLOAD_NAME);
    return { block: { type, media_type: mime, name, size, sha256: stored.value, source } };
  },
});

const RESULT_FILE_WORDS: Readonly<Record<string, string>> = {
  quota_exceeded: "has no room in the storage of the organization",
};

/** The digest of the stored content. */
async function storedContent(
  { contents, quotas, log }: ResultFilesParts,
  organizationId: string,
  bytes: Uint8Array,
): Promise<Outcome<string>> {
  try {
    const body = new Blob([bytes]).stream();
    const received = await receiveWithin({ quotas, contents }, organizationId, body, bytes.length);
    if (!received.ok) return received;
    // The commit that refers to it does not count it: a job is not refused for what it has already kept.
    quotas.unreferred(organizationId, bytes.length);
    return ok(received.value.sha256);
  } catch (err) {
    log.error({ err, organizationId }, "a file of a tool's result could not be stored");
    return refuse(SHARD_UNAVAILABLE);
  }
}
