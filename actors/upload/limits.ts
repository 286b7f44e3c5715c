/** Limits of uploads and attachments. Providers accept about 32 MB in one request, and base64 adds a third. */

const MIB = 1024 * 1024;

/** Bytes of one upload: the longest content of a message. */
export const UPLOAD_BYTES = 20 * MIB;
/** Pieces of one message, and how many of them may be images and files. */
export const MESSAGE_BLOCKS = 64;
export const MESSAGE_ATTACHMENTS = 20;
/**
 * Bytes of one image and of one text file, as providers and context windows allow; a PDF may be as long as an upload.
 */
export const IMAGE_BYTES = 5 * MIB;
export const TEXT_FILE_BYTES = MIB;
/**
 * Bytes of all attachments of one message, and of one model call: 29 MiB in base64, where the smallest limit of a
 * provider is 32 MB in all.
 */
export const ATTACHED_BYTES = 22 * MIB;
/** An upload to which no message refers for this long is removed. */
export const UPLOAD_MS = 7 * 86_400_000;
/** Characters of an upload's name. */
export const UPLOAD_NAME = 255;
