/** Links to the resources of the files that a job has made, next to its record (MCP-3, MCP-4). */
import { fileUri } from "./resources.ts";
import type { ToolAnswer } from "./call-parts.ts";

/** The fields of a job that its links need. */
interface MakingJob {
  readonly workspace_id?: string | null;
  readonly artifacts?: readonly {
    readonly path: string;
    readonly name: string;
    readonly mime: string;
    readonly size: number;
  }[];
}

/** Adds the links to a tool's answer that is a job. */
export function withFileLinks(answer: ToolAnswer): ToolAnswer {
  const { workspace_id: workspaceId = null, artifacts = [] } = answer.value as MakingJob;
  if (workspaceId === null || artifacts.length === 0) return answer;
  const { value, content = [{ type: "text", text: JSON.stringify(value) }] } = answer;
  const links = artifacts.map(({ path, name, mime, size }) => ({
    type: "resource_link" as const,
    uri: fileUri(workspaceId, path),
    name,
    mimeType: mime,
    size,
  }));
  return { value, content: [...content, ...links] };
}
