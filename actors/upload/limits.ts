/** What uploads and attachments may be. Providers take about 32 MB in one request, and base64 adds a third. */

const MIB = 1024 * 1024;

/** Of one upload, in bytes: the longest of what messages take. */
export const UPLOAD_BYTES = 20 * MIB;
/** Pieces of one message, and how many of them are images and files. */
export const MESSAGE_BLOCKS = 64;
export const MESSAGE_ATTACHMENTS = 20;
/** Of one image and one text file in bytes, as providers and context windows take them; a PDF is as long as an upload. */
export const IMAGE_BYTES = 5 * MIB;
export const TEXT_FILE_BYTES = MIB;
/**
 * Of all attachments of one message, and of what one model call gets: 29 MiB in base64, where the least that a
 * provider takes are 32 MB in all.
 */
export const ATTACHED_BYTES = 22 * MIB;
/** An upload that no message has named for so long is removed. */
export const UPLOAD_MS = 7 * 86_400_000;
/** Characters of an upload's name. */
export const UPLOAD_NAME = 255;
