/** What uploads and attachments may be. Providers take about 32 MB in one request, and base64 adds a third. */

const MIB = 1024 * 1024;

/** Of one upload, in bytes: the longest of what messages take. */
export const UPLOAD_BYTES = 20 * MIB;
/** An upload that no message has named for so long is removed. */
export const UPLOAD_MS = 7 * 86_400_000;
/** Characters of an upload's name. */
export const UPLOAD_NAME = 255;
