/** The limits of one answer of a model provider. Beyond them the call fails and the connection closes. */

/** Bytes of one answer as received: 180,000 pieces of text, each in its own frame of 350 bytes. */
export const MAX_MODEL_ANSWER_BYTES = 64 * 1024 * 1024;
/** Bytes of one line, and of all lines of one frame. The longest legitimate ones hold the arguments of a call. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** Limit for an answer that arrives as one JSON value instead of the requested stream, in bytes. */
export const MAX_WHOLE_BYTES = 4 * 1024 * 1024;
/** Arrays, objects and commas of one frame. OpenAI repeats the schemas of all tools in its first and last one. */
export const MAX_FRAME_VALUES = 16_384;
/** Nesting of one frame; a schema within a request within an event has under thirty. */
export const MAX_FRAME_DEPTH = 256;
/** Bytes of the body of an error. A longer one is not a readable message. */
export const MAX_ERROR_BYTES = 64 * 1024;
/** Bytes of the head, names and values. */
export const MAX_MODEL_HEAD_BYTES = 64 * 1024;
/** Calls of one answer. A step makes 64 of them; the model learns that the others were not made. */
export const MAX_ANSWER_CALLS = 256;
/** Characters of the arguments of one call. */
export const MAX_INPUT_CHARS = 1024 * 1024;
/** Arrays, objects and commas in the arguments of all calls of an answer. */
export const MAX_INPUT_VALUES = 65_536;
/** Characters of a call's id; a longer one is replaced by ours. */
export const MAX_ID_CHARS = 256;
/** Characters of the tool name in a call; the longest tool name has 64. */
export const MAX_CALLED_NAME_CHARS = 256;
/** Citations of one answer, and characters of all of them; the rest is dropped. */
export const MAX_CITATIONS = 128;
export const MAX_CITATION_CHARS = 64 * 1024;
/** Characters of a citation's quote, and of its source's title and address. */
export const MAX_CITED_CHARS = 1_000;
export const MAX_SOURCE_TITLE_CHARS = 256;
export const MAX_SOURCE_URL_CHARS = 2_048;
/**
 * Characters of JSON that a provider wants back of one answer: the signed reasoning of the longest ones has some 300,000.
 */
export const MAX_STATE_CHARS = 512 * 1024;
/** The most tokens that one call can plausibly use; the largest models take ten million. */
export const MAX_CALL_TOKENS = 100_000_000;

/** The cost of a value in addition to its bytes, because parsers allocate for it. Bytes. */
export const VALUE_COST = 16;

/** Ends a call whose answer exceeds a limit; `message` completes "The model provider's answer was refused: ". */
export class AnswerRefused extends Error {
  override readonly name = "AnswerRefused";
}
