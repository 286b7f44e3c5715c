/** The content of a prompt in the service's own form. A link stays a link: the agent reads the file if it can. */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../actors/schema.ts";
import type { GivenBlock } from "../../work/content-blocks.ts";

/** Blocks of one prompt. */
const PROMPT_BLOCKS = 256;

export function promptContent(prompt: readonly Json[]): Outcome<readonly GivenBlock[]> {
  if (prompt.length > PROMPT_BLOCKS)
    return invalid("/prompt", `prompt has ${prompt.length} blocks; there are at most ${PROMPT_BLOCKS}`);
  const blocks: GivenBlock[] = [];
  for (const [at, given] of prompt.entries()) {
    const block = isJsonObject(given) ? promptBlock(given) : null;
    if (block === null)
      return invalid(
        `/prompt/${at}`,
        `prompt[${at}] is not a block that this agent takes: text, image, resource_link, resource`,
      );
    blocks.push(block);
  }
  return ok(joinedTexts(blocks));
}

function promptBlock(block: JsonObject): GivenBlock | null {
  const { type, text, data, mimeType, uri, name, resource } = block;
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image" && typeof data === "string") return { type, source: dataSource(mimeType, data) };
  if (type === "resource_link" && typeof uri === "string")
    return { type: "text", text: `[${typeof name === "string" ? name : uri}](${uri})` };
  return type === "resource" && isJsonObject(resource) ? resourceBlock(resource) : null;
}

function resourceBlock({ uri, text, blob, mimeType }: JsonObject): GivenBlock | null {
  if (typeof uri !== "string") return null;
  if (typeof text === "string") return { type: "text", text: `<file uri=${JSON.stringify(uri)}>\n${text}\n</file>` };
  if (typeof blob !== "string") return null;
  const isImage = typeof mimeType === "string" && mimeType.startsWith("image/");
  const file = uri.slice(uri.lastIndexOf("/") + 1);
  return {
    type: isImage ? "image" : "file",
    source: dataSource(mimeType, blob),
    ...(file === "" ? {} : { name: file }),
  };
}

const dataSource = (mimeType: Json | undefined, data: string) =>
  ({ kind: "data", url: `data:${typeof mimeType === "string" ? mimeType : ""};base64,${data}` }) as const;

/** Editors send a sentence with files in it as several blocks. */
function joinedTexts(blocks: readonly GivenBlock[]): readonly GivenBlock[] {
  const joined: GivenBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.type === "text" && last?.type === "text")
      joined[joined.length - 1] = { type: "text", text: last.text + block.text };
    else joined.push(block);
  }
  return joined;
}
