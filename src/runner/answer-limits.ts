/** What one answer of a model provider may be. Past it the call has failed, and the connection is closed. */

/** Of one answer as received: 180,000 pieces of text, each in a frame of its own of 350 bytes. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Of one line, and of all lines of one frame. The longest honest ones hold the arguments of a call. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** Arrays, objects and commas of one frame. OpenAI repeats the schemas of all tools in its first and last one. */
export const MAX_FRAME_VALUES = 16_384;
/** Nesting of one frame; a schema within a request within an event has under thirty. */
export const MAX_FRAME_DEPTH = 256;
/** Of the body of an error. What is longer is no message for anybody. */
export const MAX_ERROR_BYTES = 64 * 1024;
/** Of the head, names and values. */
export const MAX_HEAD_BYTES = 64 * 1024;
/** Calls of one answer. A step makes 64 of them; the others are told to the model. */
export const MAX_ANSWER_CALLS = 256;
/** Characters of the arguments of one call. */
export const MAX_INPUT_CHARS = 1024 * 1024;
/** Arrays, objects and commas in the arguments of all calls of an answer. */
export const MAX_INPUT_VALUES = 65_536;
/** Characters of a call's id; a longer one is replaced by ours. */
export const MAX_ID_CHARS = 256;
/** Characters of a name that a model calls; the longest one that any tool has is 64. */
export const MAX_NAME_CHARS = 256;
/** Citations of one answer, and characters of all of them; what is past that is left out. */
export const MAX_CITATIONS = 128;
export const MAX_CITATION_CHARS = 64 * 1024;
/** Characters of the words that one citation quotes, and of its source's title and address. */
export const MAX_CITED_CHARS = 1_000;
export const MAX_SOURCE_TITLE_CHARS = 256;
export const MAX_SOURCE_URL_CHARS = 2_048;
/** Tokens that one call can have used; the largest models take ten million. */
export const MAX_CALL_TOKENS = 100_000_000;

/** What a value costs beside its bytes: parsers allocate for it. Bytes. */
export const VALUE_COST = 16;

/** Ends a call whose answer is beyond a limit; `message` completes "The model provider's answer was refused: ". */
export class AnswerRefused extends Error {
  override readonly name = "AnswerRefused";
}
