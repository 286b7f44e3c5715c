/** The result of an MCP tool as text, the only form that transcripts hold. */

/** A result of `tools/call`, of any revision; unknown parts are possible. */
export interface CallResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly toolResult?: unknown;
}

interface Part {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly resource?: { readonly uri?: unknown; readonly text?: unknown; readonly mimeType?: unknown };
}

export function resultText({ content, structuredContent, toolResult }: CallResult): string {
  const parts = Array.isArray(content) ? content.map((part: unknown) => partText((part ?? {}) as Part)) : [];
  if (parts.length > 0) return parts.join("\n");
  const other = structuredContent ?? toolResult;
  return other === undefined ? "The tool answered without content." : JSON.stringify(other);
}

function partText(part: Part): string {
  if (part.type === "text") return String(part.text);
  if (part.type === "image" || part.type === "audio") {
    const size = typeof part.data === "string" ? Math.floor((part.data.length * 3) / 4) : 0;
    return `[${part.type}, ${String(part.mimeType)}, about ${size} bytes, not shown]`;
  }
  if (part.type === "resource_link") return `[resource ${String(part.name)}: ${String(part.uri)}]`;
  if (part.type === "resource" && typeof part.resource?.text === "string")
    return `[resource ${String(part.resource.uri)}]\n${part.resource.text}`;
  if (part.type === "resource")
    return `[resource ${String(part.resource?.uri)}, ${String(part.resource?.mimeType)}, not shown]`;
  return `[content of the type ${String(part.type)}, not shown]`;
}
