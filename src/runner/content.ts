/** Images and files of user messages and of tool results, for providers. */
import type { MessagePart, TranscriptEntry } from "../../actors/job/ports.ts";
import { ATTACHED_BYTES } from "../../actors/upload/terms.ts";

export type { MessagePart };

/** The content of a user message: text, or parts. */
export type UserContent = string | readonly MessagePart[];
/** An image or a file. */
export type DataPart = Exclude<MessagePart, { readonly type: "text" }>;

/** The images and files of an entry. */
export const dataParts = (entry: TranscriptEntry): DataPart[] =>
  (entry.role === "user" ? (entry.parts ?? []) : [...(entry.resultFiles?.values() ?? [])].flat()).filter(isData);
export const isData = (part: MessagePart): part is DataPart => part.type !== "text";

/** The images and files of a call exceed the limit of a call. */
export class TooMuchData extends Error {
  override readonly name = "TooMuchData";

  constructor() {
    super("The images and files of the conversation have more than 22 MiB, the limit of one model call.");
  }
}

/** Throws `TooMuchData`. */
export function checkData(entries: readonly TranscriptEntry[]): void {
  const bytes = entries.flatMap(dataParts).reduce((sum, { data }) => sum + data.length, 0);
  if (bytes > ATTACHED_BYTES) throw new TooMuchData();
}

/** Media types whose bytes are text, in UTF-8. */
const TEXT_TYPES = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|sql|[\w.-]+\+(?:json|xml))$)/;

export const isTextFile = ({ type, mediaType }: DataPart): boolean => type === "file" && TEXT_TYPES.test(mediaType);
export const isPdf = ({ type, mediaType }: DataPart): boolean => type === "file" && mediaType === "application/pdf";

/** The text of a text file. */
export const fileText = ({ data }: DataPart): string => new TextDecoder().decode(data);

/** A text file for providers that do not accept text files: its name and its text. */
export const spokenFile = (file: DataPart): string =>
  file.name === undefined ? fileText(file) : `${file.name}:\n\n${fileText(file)}`;

/** A file has a type that no provider of this format accepts. */
export class UnspeakableFile extends Error {
  override readonly name = "UnspeakableFile";

  constructor({ mediaType }: DataPart) {
    super(`Files of the type ${mediaType} cannot be sent to this model.`);
  }
}
