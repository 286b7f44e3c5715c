/**
 * The content of a message: text, or blocks of text, images and files, which refer to an upload, a file of a workspace,
 * or a URL (FILE-5). Errors name their place.
 */
import { cutText, isLonger } from "../../actors/cut-text.ts";
import type { InputError } from "../../actors/fault.ts";
import { MESSAGE_ATTACHMENTS, MESSAGE_BLOCKS, UPLOAD_NAME } from "../../actors/upload/terms.ts";

export type GivenSource =
  | { readonly kind: "upload"; readonly file_id: string }
  | {
      readonly kind: "workspace";
      readonly workspace_id: string;
      readonly path: string;
      readonly version?: number | undefined;
    }
  | { readonly kind: "url"; readonly url: string }
  /** Content itself, in a URL that begins with `data:`. Only other people's protocols have it, never `/api`. */
  | { readonly kind: "data"; readonly url: string };
export interface GivenAttachment {
  readonly type: "image" | "file";
  readonly source: GivenSource;
  readonly name?: string | undefined;
}
export type GivenBlock = { readonly type: "text"; readonly text: string } | GivenAttachment;
export type GivenContent = string | readonly GivenBlock[];

/** Characters of a URL, and of an id or a path. */
const BLOCK_URL_CHARACTERS = 8_192;
const BLOCK_TITLE_CHARACTERS = 4_096;

type BlockFields = Readonly<Record<string, unknown>>;
const isBlockObject = (value: unknown): value is BlockFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The errors of a message's content; `field` is its name in the body. */
export const contentErrors = (value: unknown, field: string): readonly InputError[] =>
  errorsOfContent(value, new Checks(field, false));

/** The same for the content of another protocol: it may have data URLs, and beside others texts and names that are blank. */
export const foreignContentErrors = (value: GivenContent, field: string): readonly InputError[] =>
  errorsOfContent(value, new Checks(field, true));

function errorsOfContent(value: unknown, checks: Checks): readonly InputError[] {
  if (typeof value === "string") {
    if (isBlank(value)) checks.add([], `Missing required field: ${checks.field}`);
  } else if (!Array.isArray(value)) checks.add([], "must be a string or an array of content blocks");
  else checks.blocks(value);
  return checks.errors;
}

const isBlank = (text: string): boolean => text.trim() === "";

/** Whether the content says nothing. */
export const isBlankContent = (content: GivenContent): boolean =>
  typeof content === "string"
    ? isBlank(content)
    : content.every((block) => block.type === "text" && isBlank(block.text));

/** How many images and files the content has. */
export const attachmentCount = (content: GivenContent): number =>
  typeof content === "string" ? 0 : content.filter(({ type }) => type !== "text").length;

/** A place as text: `content[1].source.file_id`. */
export const placeName = (path: readonly (string | number)[]): string =>
  path.map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");

/** An error that begins with the name of its place. */
export const errorAt = (path: readonly (string | number)[], message: string): InputError => ({
  path: `/${path.join("/")}`,
  message: message.startsWith("Missing required field") ? message : `${placeName(path)} ${message}`,
});

class Checks {
  readonly errors: InputError[] = [];
  readonly field: string;
  private readonly isForeign: boolean;

  constructor(field: string, isForeign: boolean) {
    this.field = field;
    this.isForeign = isForeign;
  }

  add(path: readonly (string | number)[], message: string): void {
    this.errors.push(errorAt([this.field, ...path], message));
  }

  blocks(blocks: readonly unknown[]): void {
    if (blocks.length === 0) this.add([], "must have at least 1 block");
    if (blocks.length > MESSAGE_BLOCKS) return this.add([], `must have at most ${MESSAGE_BLOCKS} blocks`);
    const attached = blocks.filter((block) => isBlockObject(block) && block["type"] !== "text").length;
    if (attached > MESSAGE_ATTACHMENTS)
      return this.add([], `must have at most ${MESSAGE_ATTACHMENTS} images and files`);
    for (const [at, block] of blocks.entries()) this.block(block, at);
    if (this.errors.length === 0 && isBlankContent(blocks as readonly GivenBlock[]))
      this.add([], "must have a text that is not blank, an image or a file");
  }

  private block(block: unknown, at: number): void {
    if (!isBlockObject(block)) return this.add([at], 'must be an object such as {type: "text", text}');
    if (block["type"] === "text") {
      this.known(block, ["type", "text"], [at]);
      if (typeof block["text"] !== "string" || (isBlank(block["text"]) && !this.isForeign))
        this.add([at, "text"], "must be a string that is not empty");
      return;
    }
    if (block["type"] !== "image" && block["type"] !== "file")
      return this.add([at, "type"], "must be one of: text, image, file");
    this.known(block, ["type", "source", "name"], [at]);
    const { source, name } = block;
    const isName = typeof name === "string" && (this.isForeign || !isBlank(name)) && !isLonger(name, UPLOAD_NAME);
    if (name !== undefined && !isName) this.add([at, "name"], `must be a string of 1 to ${UPLOAD_NAME} characters`);
    if (!isBlockObject(source))
      return this.add([at, "source"], "must be an object with a kind: upload, workspace or url");
    this.source(source, [at, "source"]);
  }

  private source(source: BlockFields, at: readonly (string | number)[]): void {
    if (this.isForeign && source["kind"] === "data") return;
    switch (source["kind"]) {
      case "upload":
        this.known(source, ["kind", "file_id"], at);
        return this.text(source, "file_id", at);
      case "workspace": {
        this.known(source, ["kind", "workspace_id", "path", "version"], at);
        this.text(source, "workspace_id", at);
        this.text(source, "path", at);
        const { version } = source;
        if (version !== undefined && !(Number.isSafeInteger(version) && Number(version) >= 1))
          this.add([...at, "version"], "must be a whole number, at least 1");
        return;
      }
      case "url":
        this.known(source, ["kind", "url"], at);
        return this.text(source, "url", at, BLOCK_URL_CHARACTERS);
      default:
        return this.add([...at, "kind"], "must be one of: upload, workspace, url");
    }
  }

  private text(of: BlockFields, name: string, at: readonly (string | number)[], most = BLOCK_TITLE_CHARACTERS): void {
    const value = of[name];
    if (typeof value !== "string" || value === "" || isLonger(value, most))
      this.add([...at, name], `must be a string of 1 to ${most} characters`);
  }

  private known(of: BlockFields, names: readonly string[], at: readonly (string | number)[]): void {
    for (const key of Object.keys(of))
      if (!names.includes(key)) this.add([...at, cutText(key, 64)], "is an unknown field");
  }
}
