/**
 * Resolves the content of a message for storage: finds each image and file, checks its first bytes, and pins it by its
 * digest (FILE-5, FILE-6). Commits nothing.
 *
 *   upload     ─▶ its record ───────────────────────┐
 *   workspace  ─▶ the file, or a version of it ─────┼─▶ claimed ─▶ type, size ─▶ {type, media_type, sha256, …}
 *   url        ─▶ fetched by the guarded client ────┘
 */
import { cutText } from "../../actors/cut-text.ts";
import { invalid, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import type { Ask } from "../../actors/runtime/turns/members.ts";
import { ask } from "../../actors/troupe.ts";
import { cleanText } from "../../actors/clean-text.ts";
import { visibleText } from "../../actors/visible-text.ts";
import { noUpload } from "../../actors/upload/actor.ts";
import {
  ATTACHED_BYTES,
  type AttachmentBlock,
  IMAGE_BYTES,
  type InputBlock,
  TEXT_FILE_BYTES,
  UPLOAD_BYTES,
  UPLOAD_NAME,
} from "../../actors/upload/terms.ts";
import { uploadRef } from "../../actors/upload/schema.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import { parsePath } from "../../actors/workspace/path.ts";
import type { ArrivedContent, FileContents } from "../../actors/workspace/ports.ts";
import type { StoredContent } from "../../actors/workspace/schema.ts";
import { errorAt, type GivenAttachment, type GivenContent, type GivenSource } from "./content-blocks.ts";
import { contentAt, type FileParts } from "./file-content.ts";
import { roomFor } from "./content-room.ts";
import { readHead, type KnownContent, knownContent, LOOKED_BYTES, TAKEN_TYPES } from "./media-type.ts";
import { TEXT_SEPARATOR } from "../../actors/job/schema.ts";
import { MIB } from "../../actors/units.ts";

/** Fetches content that a message refers to by URL. */
export interface UrlContents {
  /** Stores at most `maxBytes` of it, claimed, unless `check` refuses it. A failure's text completes "<field> …". */
  fetch(
    organizationId: string,
    url: string,
    limits: {
      readonly maxBytes: number;
      readonly signal: AbortSignal;
      /** Checks the received content, given the media type that its server declares. */
      readonly check: (content: ArrivedContent, mime: string) => MaybePromise<Outcome<unknown>>;
    },
  ): Promise<
    | { readonly kind: "fetched"; readonly content: StoredContent; readonly finalUrl: string }
    /** `isPassing`: the same URL may answer later. */
    | { readonly kind: "failed"; readonly why: string; readonly isPassing: boolean }
    | { readonly kind: "refused"; readonly refusal: Outcome<never> }
  >;
}

/** When to retry a URL that has not answered. */
const URL_RETRY_MS = 5_000;

export interface AttachingParts extends FileParts {
  readonly contents: Pick<FileContents, "read" | "hold" | "receive">;
  readonly quotas: Pick<QuotaReports, "room">;
  readonly urlContents: UrlContents;
}

/** The author of the content, and what its token may read. */
export interface Sayer {
  readonly organizationId: string;
  readonly userId: string;
  /** Whether the token may read workspaces. */
  readonly readsWorkspaces: boolean;
  readonly signal: AbortSignal;
}

/** The content that a message stores. */
export interface SaidContent {
  /** The text blocks, with a blank line between them. */
  readonly text: string;
  /** All blocks; absent if the content is only text. */
  readonly blocks?: readonly InputBlock[];
}

/** Finds and pins all named content; `field` is the content's name in the body. */
export async function attachContent(
  parts: AttachingParts,
  by: Sayer,
  { content, field }: { readonly content: GivenContent; readonly field: string },
): Promise<Outcome<SaidContent>> {
  if (typeof content === "string") return ok({ text: content });
  const blocks: InputBlock[] = [];
  let left = ATTACHED_BYTES;
  for (const [at, block] of content.entries()) {
    if (block.type === "text") {
      // Providers refuse a blank piece.
      if (block.text.trim() !== "") blocks.push({ type: "text", text: block.text });
      continue;
    }
    const found = await attachBlock(parts, by, { block, place: [field, at], left });
    if (!found.ok) return found;
    left -= found.value.size;
    blocks.push(found.value);
  }
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(TEXT_SEPARATOR);
  return ok(blocks.every(({ type }) => type === "text") ? { text } : { text, blocks });
}

/** Members for the message's group that keep the uploads of these blocks. */
export const usesOf = (
  { organizationId, userId }: Pick<Sayer, "organizationId" | "userId">,
  blocks: readonly InputBlock[] = [],
  field = "content",
): Ask<unknown>[] =>
  blocks.flatMap((block, at) =>
    block.type !== "text" && block.source.kind === "upload"
      ? [
          ask(uploadRef(organizationId, block.source.file_id), {
            kind: "use_upload",
            userId,
            field: `/${field}/${at}/source/file_id`,
          }),
        ]
      : [],
  );

type InputPlace = readonly (string | number)[];
interface WantedAttachment {
  readonly block: GivenAttachment;
  readonly place: InputPlace;
  /** Remaining bytes of the message's limit. */
  readonly left: number;
}
/** Content, its name at its source, and the source. */
interface Located {
  readonly content: StoredContent;
  readonly name: string | null;
  readonly source: AttachmentBlock["source"];
}

const wrongContent = (place: InputPlace, message: string): Outcome<never> => {
  const { path, message: text } = errorAt(place, message);
  return invalid(path, text);
};

async function attachBlock(
  parts: AttachingParts,
  by: Sayer,
  wanted: WantedAttachment,
): Promise<Outcome<AttachmentBlock>> {
  const { block, place } = wanted;
  const located = await LOCATE[block.source.kind](parts, by, wanted as never);
  if (!located.ok) return located;
  const { content, source } = located.value;
  const { sha256, size } = content;
  const key = { organizationId: by.organizationId, sha256 };
  if (!(await parts.contents.hold(key))) return wrongContent([...place, "source"], "has no content any more");
  const head = (await readHead(parts.contents, key, size)) ?? new Uint8Array();
  const fitting = fittingContent(wanted, content, head);
  if (!fitting.ok) return fitting;
  const name = block.name === undefined || block.name.trim() === "" ? located.value.name : block.name;
  const { kind, mime } = fitting.value;
  return ok({ type: kind, media_type: mime, name, size, sha256, source });
}

/** The type of the content, if messages accept it in this kind of block. */
function fittingContent(
  { block, place, left }: Omit<WantedAttachment, "block"> & { readonly block: Pick<GivenAttachment, "type"> },
  { size, mime }: Pick<StoredContent, "size" | "mime">,
  head: Uint8Array,
): Outcome<KnownContent> {
  if (size === 0) return wrongContent([...place, "source"], "is an empty file");
  const known = knownContent(head, size, mime);
  if (known === null)
    return wrongContent([...place, "source"], `is of a type that messages do not accept; they accept ${TAKEN_TYPES}`);
  if (known.kind !== block.type)
    return wrongContent([...place, "type"], `must be "${known.kind}": the content is ${known.mime}`);
  const most = Math.min(left, largestOf(known.mime));
  if (size > most)
    return wrongContent(
      [...place, "source"],
      size > left && left < largestOf(known.mime)
        ? `makes the images and files of this message longer than ${ATTACHED_BYTES / MIB} MiB together`
        : `has ${size} bytes; ${known.mime} may have at most ${largestOf(known.mime)}`,
    );
  return ok(known);
}

/** Bytes of content of this type. */
export const largestOf = (mime: string): number =>
  mime.startsWith("image/") ? IMAGE_BYTES : mime.startsWith("text/") ? TEXT_FILE_BYTES : UPLOAD_BYTES;

type Of<K extends GivenSource["kind"]> = Extract<GivenSource, { readonly kind: K }>;
type Locating<K extends GivenSource["kind"]> = (
  parts: AttachingParts,
  by: Sayer,
  wanted: Omit<WantedAttachment, "block"> & {
    readonly block: Pick<GivenAttachment, "type"> & { readonly source: Of<K> };
  },
) => Promise<Outcome<Located>>;

const LOCATE: { readonly [K in GivenSource["kind"]]: Locating<K> } = {
  async upload({ system }, { organizationId, userId }, { block: { source }, place }) {
    const ref = uploadRef(organizationId, source.file_id);
    const upload = await system.dispatch(ref, { kind: "read_upload", userId });
    if (upload.ok) return ok({ content: upload.value, name: upload.value.name, source });
    return upload.fault.kind === "not_found"
      ? invalid(`/${[...place, "source", "file_id"].join("/")}`, noUpload(source.file_id))
      : upload;
  },

  async workspace(parts, { organizationId, readsWorkspaces }, { block: { source }, place }) {
    if (!readsWorkspaces) return refuse({ kind: "insufficient_scope", required: ["workspaces:read"] });
    const path = parsePath(source.path);
    if (!path.ok)
      return wrongContent(
        [...place, "source", "path"],
        path.fault.kind === "invalid_path" ? `is not a path: ${path.fault.message}` : "is not a path",
      );
    const id = source.workspace_id;
    const found = await contentAt(parts, { organizationId, id, path: path.value, number: source.version });
    if (found.ok) {
      const { number: version, ...content } = found.value;
      const name = path.value.names.at(-1)?.name ?? null;
      return ok({ content, name, source: { kind: "workspace", workspace_id: id, path: path.value.text, version } });
    }
    if (found.fault.kind !== "not_found") return found;
    const field = found.fault.noun === "workspace" ? "workspace_id" : "path";
    const version = source.version === undefined ? "" : `, or it has no version ${source.version}`;
    return wrongContent(
      [...place, "source", field],
      `names no ${found.fault.noun === "workspace" ? "workspace" : `file of the workspace${version}`}`,
    );
  },

  async url(parts, { organizationId, signal }, wanted) {
    const { block, place, left } = wanted;
    const { source } = block;
    const maxBytes = Math.min(left, UPLOAD_BYTES);
    const found = await parts.urlContents.fetch(organizationId, source.url, {
      maxBytes,
      signal,
      check: async (content, mime) => {
        const { size, head } = content;
        const fitting = fittingContent(wanted, { size, mime }, await head(LOOKED_BYTES));
        return fitting.ok ? roomFor(parts, organizationId, content) : fitting;
      },
    });
    if (found.kind === "refused") return found.refusal;
    const at = [...place, "source", "url"];
    if (found.kind === "failed" && found.isPassing)
      return refuse({ kind: "unavailable", retryAfterMs: URL_RETRY_MS, message: errorAt(at, found.why).message });
    if (found.kind === "failed") return wrongContent(at, found.why);
    const url = shownUrl(source.url);
    const last = URL.parse(found.finalUrl)?.pathname.split("/").at(-1) ?? "";
    return ok({ content: found.content, name: decodedFileName(last), source: { kind: "url", url } });
  },

  async data(parts, { organizationId }, wanted) {
    const { block, place, left } = wanted;
    const data = dataOf(block.source.url);
    if (data === null) return wrongContent([...place, "source"], "is not a data URL, such as data:image/png;base64,…");
    const { mime, bytes } = data;
    const body = new Blob([bytes]).stream();
    const received = await parts.contents.receive(
      organizationId,
      body,
      Math.min(left, UPLOAD_BYTES),
      async (content) => {
        const fitting = fittingContent(wanted, { size: content.size, mime }, await content.head(LOOKED_BYTES));
        return fitting.ok ? roomFor(parts, organizationId, content) : fitting;
      },
    );
    if (!received.ok) return received;
    const { sha256, size } = received.value;
    return ok({ content: { sha256, size, mime }, name: null, source: { kind: "url", url: `data:${mime}` } });
  },
};

/** `data:image/png;base64,…`: the type, whether it is Base64, and the content. */
const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/i;

/** A media type as it is shown; any other text in its place is left out. */
const SHOWN_MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;

/** The type and the bytes of a data URL; null if it is not one. */
function dataOf(url: string): { readonly mime: string; readonly bytes: Uint8Array } | null {
  const head = DATA_URL.exec(url);
  if (head === null) return null;
  const rest = url.slice(head[0].length);
  const isBase64 = /;base64$/i.test(head[2] ?? "");
  try {
    const bytes = isBase64 ? Uint8Array.fromBase64(rest) : new TextEncoder().encode(decodeURIComponent(rest));
    const mime = head[1] ?? "";
    return { mime: SHOWN_MIME.test(mime) ? mime.toLowerCase() : "", bytes };
  } catch {
    return null;
  }
}

/** The URL without parts that may be secret. */
function shownUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? "" : `${url.origin}${url.pathname}`;
}

/** The file name in a URL; null if it has none. */
function decodedFileName(text: string): string | null {
  try {
    const name = cutText(visibleText(cleanText(decodeURIComponent(text))), UPLOAD_NAME);
    return name.trim() === "" ? null : name;
  } catch {
    return null;
  }
}
