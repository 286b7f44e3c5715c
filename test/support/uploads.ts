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
