/** The pieces of a message besides text, in the API's form: they are shown as they are stored. */
import { Nullable, OneOf, type Static, Type } from "../schema.ts";
import { KIB, MIB } from "../units.ts";

/** The origin of the content when the message was accepted; from then on only the digest counts. */
export const AttachmentSource = Type.Union(
  [
    Type.Object({ kind: Type.Literal("upload"), file_id: Type.String({ description: "Id of the uploaded file" }) }),
    Type.Object({
      kind: Type.Literal("workspace"),
      workspace_id: Type.String(),
      path: Type.String(),
      version: Type.Integer(),
    }),
    /** Without its query, which may contain a secret. */
    Type.Object({ kind: Type.Literal("url"), url: Type.String() }),
    Type.Object({
      kind: Type.Literal("tool"),
      name: Type.String({ description: "Name of the tool whose result has the content" }),
      uri: Nullable(Type.String({ description: "URI of the content on its server, if it is a resource" })),
    }),
  ],
  { $id: "AttachmentSource", description: "The origin of the content when the message was accepted" },
);

/** An image or a file of a user or of a tool, without its bytes (FILE-5, FILE-10). */
export const AttachmentBlock = Type.Object(
  {
    type: OneOf(["image", "file"] as const),
    media_type: Type.String({ description: "Media type, detected from the first bytes" }),
    name: Nullable(Type.String({ description: "Name of the file; null if it has none" })),
    size: Type.Integer({ description: "Size in bytes" }),
    sha256: Type.String({ description: "SHA-256 digest of the content, which never changes" }),
    source: AttachmentSource,
  },
  { $id: "Attachment", description: "An image or a file in a message, or in the result of a tool" },
);
export type AttachmentBlock = Static<typeof AttachmentBlock>;

/** Text without the fields that a model adds. */
export const PlainTextBlock = Type.Object(
  { type: Type.Literal("text"), text: Type.String() },
  { $id: "PlainTextBlock", description: "A piece of text" },
);

export const InputBlock = Type.Union([PlainTextBlock, AttachmentBlock], {
  $id: "InputBlock",
  description: "A piece of a user's message",
});
export type InputBlock = Static<typeof InputBlock>;

/** All pieces of a user's message with attachments; absent: it is only text. */
export const InputBlocks = Type.Optional(Type.Array(InputBlock));

/** What a model must support to read this. Every model reads text. */
export const MODEL_INPUTS = ["text", "image", "file"] as const;
export type ModelInput = (typeof MODEL_INPUTS)[number];

export const isAttachment = (block: { readonly type: string }): block is AttachmentBlock =>
  block.type === "image" || block.type === "file";

export const inputNeeded = ({ type, media_type: mediaType }: AttachmentBlock): ModelInput =>
  type === "file" && mediaType.startsWith("text/") ? "text" : type;

/** A description of an attachment, for places where it cannot be shown. */
export const attachmentWords = ({ type, name, media_type: mediaType, size }: AttachmentBlock): string =>
  `${type}${name === null ? "" : ` "${name}"`}, ${mediaType}, ${Math.ceil(size / KIB)} KiB`;

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
export const UNUSED_UPLOAD_MS = 7 * 86_400_000;
/** Characters of an upload's name. */
export const UPLOAD_NAME = 255;
