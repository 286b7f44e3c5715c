/** Files for messages, as tests upload them. */
import { answered, type Client, type Json } from "./current.ts";

export interface Uploaded extends Json {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly expires_at: string | null;
}

/** A picture of one pixel. */
export const PNG = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

export const uploaded = (client: Client, name: string, body: string | Uint8Array<ArrayBuffer>): Promise<Uploaded> =>
  answered<Uploaded>(client.upload(`/api/files?name=${encodeURIComponent(name)}`, body), 201);

/** The id of an upload in parts of which one has arrived. */
export async function unfinishedUpload(url: string, by: { token: string; workspaceId: string }): Promise<string> {
  const authorization = `Bearer ${by.token}`;
  const part = await fetch(`${url}/api/workspaces/${by.workspaceId}/files/content?path=part.txt`, {
    method: "PUT",
    headers: {
      authorization,
      "content-range": "bytes 0-3/8",
      "repr-digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
    },
    body: "part",
  });
  if (!part.ok) throw new Error(await part.text());
  const answer = fetch(`${url}/api/unfinished-uploads`, { headers: { authorization } });
  const { uploads } = await answered<{ uploads: readonly { id: string }[] }>(answer);
  return uploads[0]!.id;
}
