/** What scopes allow, in words for documents. */

/** What a token with this scope may do; write access includes read access. */
export function scopeSentence(scope: string): string {
  const [noun, verb] = scope.split(":");
  if (scope === "*") return "Everything that its maker may do";
  if (verb === "use") return "Name the organization's secrets in agents";
  if (verb === undefined) return "The MCP endpoint";
  return verb === "read" ? `Read ${noun}` : `Read and change ${noun}`;
}
