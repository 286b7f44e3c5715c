/** Stores the images and files of a tool's result, for models that read them and for people. */
import type { AttachmentBlock } from "../../../actors/upload/terms.ts";
import type { RunningTool } from "../tools/tool.ts";
import type { McpResultFile } from "./result-bytes.ts";

/** Stores the content of results. */
export interface FileKeeper {
  /** `admit` counts the file for its run. The words of a refusal complete "… was not kept: it ". Never rejects. */
  keep(
    organizationId: string,
    file: Pick<McpResultFile, "mime" | "bytes"> & Pick<AttachmentBlock, "name" | "source">,
    admit: (bytes: number) => boolean,
  ): Promise<{ readonly block: AttachmentBlock } | { readonly refused: string }>;
}

export interface KeptFiles {
  readonly blocks: readonly AttachmentBlock[];
  /** A description of what was not kept, for the model. */
  readonly notes: readonly string[];
}

interface Keeping extends Pick<RunningTool, "signal" | "host" | "context"> {
  readonly keeper: FileKeeper | null;
  readonly tool: string;
  /** Removes secrets from the server's text. */
  readonly mask: (text: string) => string;
}

/** One after the other, in their order. */
export async function keptFiles(
  files: readonly McpResultFile[],
  { keeper, tool, mask, signal, host, context }: Keeping,
): Promise<KeptFiles> {
  const blocks: AttachmentBlock[] = [];
  const notes: string[] = [];
  for (const [at, { mime, uri: named, bytes }] of files.entries()) {
    if (keeper === null || signal.aborted) break;
    const uri = named === null ? null : mask(named);
    const file = { mime, bytes, name: nameIn(uri), source: { kind: "tool", name: tool, uri } as const };
    const kept = await keeper.keep(context.organizationId, file, (size) => host.admitFile(size));
    if ("block" in kept) blocks.push(kept.block);
    else notes.push(`[The image or file ${at + 1} of this result was not kept: it ${kept.refused}.]`);
  }
  return { blocks, notes };
}

/** The last part of a URI's path; null if it has none. */
function nameIn(uri: string | null): string | null {
  const last = /([^/?#]+)(?:[?#].*)?$/.exec(uri ?? "")?.[1] ?? "";
  return last === "" ? null : last;
}
