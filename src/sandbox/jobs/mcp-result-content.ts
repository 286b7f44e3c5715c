/**
 * The result of an MCP tool: its text, images and files. Each image or file has a line in its place in the text that
 * describes it, so that nothing is lost if it cannot be shown.
 */
import { cutText } from "../../../actors/cut-text.ts";

/** Images and files of one result; further ones are only described. */
export const MAX_RESULT_FILES = 20;
/** Characters of a type and a URI. A longer URI is left out. */
const MAX_MIME = 128;
const MAX_URI = 512;

/** A result of `tools/call`, of any revision; unknown parts are possible. */
export interface CallResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly toolResult?: unknown;
}

/** An image or a file, as its server names it. Its bytes are those of the whole result, after those of files before it. */
export interface ResultFile {
  readonly size: number;
  readonly mime: string;
  readonly uri: string | null;
}

export interface ResultContent {
  readonly text: string;
  readonly files: readonly ResultFile[];
  readonly bytes: readonly Uint8Array[];
}

interface ResultPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly size?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly resource?: unknown;
}

interface Resource {
  readonly uri?: unknown;
  readonly text?: unknown;
  readonly blob?: unknown;
  readonly mimeType?: unknown;
}

export function callContent({ content, structuredContent, toolResult }: CallResult): ResultContent {
  const reader = new ContentReader();
  const texts = Array.isArray(content) ? content.map((part: unknown) => reader.part(memberAs<ResultPart>(part))) : [];
  const other = structuredContent ?? toolResult;
  if (texts.length === 0)
    texts.push(other === undefined ? "The tool answered without content." : JSON.stringify(other));
  return reader.content(texts);
}

/** What `resources/read` has answered. */
export function resourceContent({ contents }: { readonly contents?: unknown }): ResultContent {
  const reader = new ContentReader();
  const texts = Array.isArray(contents) ? contents.map((one: unknown) => reader.resource(memberAs<Resource>(one))) : [];
  return reader.content(texts.length === 0 ? ["The resource has no content."] : texts);
}

const memberAs = <T extends object>(value: unknown): T =>
  (typeof value === "object" && value !== null ? value : {}) as T;

class ContentReader {
  private readonly files: ResultFile[] = [];
  private readonly bytes: Uint8Array[] = [];

  content(texts: readonly string[]): ResultContent {
    return { text: texts.join("\n"), files: this.files, bytes: this.bytes };
  }

  part(part: ResultPart): string {
    switch (part.type) {
      case "text":
        return String(part.text);
      case "image":
        return this.file("image", part.data, part);
      case "audio": {
        const bytes = decodedBase64(part.data);
        return `[audio, ${saidType(part.mimeType)}, ${bytes?.length ?? 0} bytes: models here cannot process audio]`;
      }
      case "resource_link": {
        const facts = [part.mimeType, typeof part.size === "number" ? `${part.size} bytes` : ""].filter(Boolean);
        return `[link to the resource ${String(part.name)}: ${[String(part.uri), ...facts.map(String)].join(", ")}]`;
      }
      case "resource":
        return this.resource(memberAs<Resource>(part.resource));
      default:
        return `[content of the type ${String(part.type)}, not shown]`;
    }
  }

  resource({ uri, text, blob, mimeType }: Resource): string {
    if (typeof text === "string") return `[resource ${String(uri)}]\n${text}`;
    const words = textFileText(blob, mimeType);
    if (words !== null) return `[resource ${String(uri)}]\n${words}`;
    return this.file(saidType(mimeType).startsWith("image/") ? "image" : "file", blob, { mimeType, uri });
  }

  private file(noun: "image" | "file", data: unknown, { mimeType, uri }: Pick<ResultPart, "mimeType" | "uri">): string {
    const bytes = decodedBase64(data);
    const known = typeof uri === "string" && uri.length <= MAX_URI ? uri.toWellFormed() : null;
    const where = uri === undefined ? "" : `, ${String(uri)}`;
    if (bytes === null || bytes.length === 0)
      return `[${noun}, ${saidType(mimeType)}${where}: its data is ${bytes === null ? "not base64" : "empty"}]`;
    const facts = `${saidType(mimeType)}, ${bytes.length} bytes${where}`;
    if (this.files.length === MAX_RESULT_FILES)
      return `[${noun}, ${facts}: left out: a result can have at most ${MAX_RESULT_FILES} images and files]`;
    this.bytes.push(bytes);
    this.files.push({ size: bytes.length, mime: saidType(mimeType), uri: known });
    return `[${noun} ${this.files.length}: ${facts}]`;
  }
}

const saidType = (mimeType: unknown): string =>
  typeof mimeType === "string" && mimeType !== "" ? cutText(mimeType, MAX_MIME) : "of an unknown type";

const NOT_BASE64 = /[^A-Za-z0-9+/_=\s-]/;

/** Null if it is no base64. */
const decodedBase64 = (data: unknown): Uint8Array | null =>
  typeof data === "string" && !NOT_BASE64.test(data) ? Buffer.from(data, "base64") : null;

/** The text of a file of text; null if it is another file. */
function textFileText(blob: unknown, mimeType: unknown): string | null {
  if (typeof mimeType === "string" && /^(?:image|audio|video)\/|pdf/i.test(mimeType)) return null;
  const bytes = decodedBase64(blob);
  if (bytes === null || bytes.length === 0 || bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
