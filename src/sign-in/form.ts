/** Bodies of forms: small, and of one type. */

/** Bytes of a form: the longest field is a URL of another site. */
const FORM_BYTES = 32 * 1_024;
export const FORM_TYPE = "application/x-www-form-urlencoded";

/** The body as text; null if it has another type, is too long, or its client leaves before its end. */
export async function boundedText(request: Request, type: string): Promise<string | null> {
  const given = request.headers.get("content-type") ?? "";
  if (given.split(";")[0]?.trim().toLowerCase() !== type) return null;
  if (Number(request.headers.get("content-length") ?? "0") > FORM_BYTES) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > FORM_BYTES) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString("utf8");
}
