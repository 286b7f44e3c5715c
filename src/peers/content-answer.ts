/**
 * Answers whose body is content of a file in storage that all replicas share (REP-7). The bytes bypass the owner: it
 * names the content, and the replica that forwarded the request reads it. So the client also gets the length, which
 * Bun's server does not send for a streamed body.
 */
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { ServedContent } from "../http/request/forwarding.ts";

/** Request header: the forwarding replica reads content itself. */
export const READS_CONTENT_HEADER = "troupe-reads-content";
/** Header of an answer without a body: names the content of its body. */
export const CONTENT_HEADER = "troupe-content";

const CONTENT = /^([\w-]{1,64})\/([0-9a-f]{64})\/(\d{1,16})\/(\d{1,16})$/;

/** The answer without its body. */
export function withoutContent(response: Response, { organizationId, sha256, start, end }: ServedContent): Response {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.set(CONTENT_HEADER, [organizationId, sha256, start, end].join("/"));
  return new Response(null, { status: response.status, headers });
}

/**
 * A response with these headers and the content that an owner's answer names (`CONTENT_HEADER`); null if this replica
 * cannot read it.
 */
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
