/** A part of a file's content, sent with its range and the digest of the whole. */

export interface SentContent {
  readonly url: string;
  readonly workspace: string;
  readonly path: string;
  readonly token: string;
  readonly whole: Uint8Array;
  /** In place of the part itself. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

export const digestOf = (bytes: Uint8Array): string =>
  `sha-256=:${new Bun.CryptoHasher("sha256").update(bytes).digest("base64")}:`;

/** Sends the bytes from `first` up to and without `end`. */
export function sendPartOf(
  { url, workspace, path, token, whole, body }: SentContent,
  [first, end]: readonly [number, number],
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return fetch(`${url}${workspace}/files/content?path=${path}`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${token}`,
      "content-range": first < end ? `bytes ${first}-${end - 1}/${whole.length}` : `bytes */${whole.length}`,
      "repr-digest": digestOf(whole),
      ...headers,
    },
    body: body ?? (first < end ? new Uint8Array(whole.slice(first, end)) : null),
  });
}
