/** What a message has besides text, in the words of the API: it is shown as it is stored. */
import { Nullable, OneOf, type Static, Type } from "../schema.ts";

/** Where the content came from when the message was accepted; only the digest counts from then on. */
export const AttachmentSource = Type.Union(
  [
    Type.Object({ kind: Type.Literal("upload"), file_id: Type.String({ description: "Id of the uploaded file" }) }),
    Type.Object({
      kind: Type.Literal("workspace"),
      workspace_id: Type.String(),
      path: Type.String(),
      version: Type.Integer(),
    }),
    /** Without its query, which may be a secret. */
    Type.Object({ kind: Type.Literal("url"), url: Type.String() }),
  ],
  { description: "Where the content came from when the message was accepted" },
);

export const AttachmentBlock = Type.Object({
  type: OneOf(["image", "file"] as const),
  media_type: Type.String({ description: "What the first bytes say that it is" }),
  name: Nullable(Type.String({ description: "What it is called" })),
  size: Type.Integer({ description: "Bytes" }),
  sha256: Type.String({ description: "The digest of its content, which never changes" }),
  source: AttachmentSource,
});
export type AttachmentBlock = Static<typeof AttachmentBlock>;

/** A piece of what a user says. */
export const InputBlock = Type.Union([
  Type.Object({ type: Type.Literal("text"), text: Type.String() }),
  AttachmentBlock,
]);
export type InputBlock = Static<typeof InputBlock>;

/** A user's message with attachments has all of its pieces here; absent: it is text. */
export const InputBlocks = Type.Optional(Type.Array(InputBlock));

/** What a model must be able to read. Text it always is. */
export const MODEL_INPUTS = ["text", "image", "file"] as const;
export type ModelInput = (typeof MODEL_INPUTS)[number];

export const isAttachment = (block: { readonly type: string }): block is AttachmentBlock =>
  block.type === "image" || block.type === "file";

export const inputNeeded = ({ type, media_type: mediaType }: AttachmentBlock): ModelInput =>
  type === "file" && mediaType.startsWith("text/") ? "text" : type;

const KIB = 1024;
/** An attachment in words, where it cannot be shown. */
export const attachmentWords = ({ type, name, media_type: mediaType, size }: AttachmentBlock): string =>
  `${type}${name === null ? "" : ` "${name}"`}, ${mediaType}, ${Math.ceil(size / KIB)} KiB`;
