/**
 * Answers whose body is content of a file in the place that all replicas share (REP-7). Their bytes take no way
 * through the owner: it says which they are, and the replica that has handed the request on reads them itself. So the
 * client is told the length too, which Bun's server does not tell of a body that is handed on as it comes.
 */
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { ServedContent } from "../http/request/forwarding.ts";

/** Of a request: the replica that hands it on reads content itself. */
export const READS_CONTENT_HEADER = "troupe-reads-content";
/** Of an answer without a body: the content that is its body. */
export const CONTENT_HEADER = "troupe-content";

const CONTENT = /^([\w-]{1,64})\/([0-9a-f]{64})\/(\d{1,16})\/(\d{1,16})$/;

/** The answer without its body. */
export function withoutContent(response: Response, { organizationId, sha256, start, end }: ServedContent): Response {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.set(CONTENT_HEADER, [organizationId, sha256, start, end].join("/"));
  return new Response(null, { status: response.status, headers });
}

/** The content that the answer of an owner names (`CONTENT_HEADER`), with these headers; null where it cannot be read here. */
export async function withContent(
  contents: Pick<FileContents, "read">,
  named: string,
  { status, headers }: { readonly status: number; readonly headers: Headers },
): Promise<Response | null> {
  const [, organizationId = "", sha256 = "", start, end] = CONTENT.exec(named) ?? [];
  if (sha256 === "") return null;
  headers.delete("content-length");
  const body = await contents.read({ organizationId, sha256 }, { start: Number(start), end: Number(end) });
  return body === null ? null : new Response(body, { status, headers });
}
