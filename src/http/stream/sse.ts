/**
 * Encodes Server-Sent Events: LF only, one space after the colon, a blank line after each event (SSE-1). One call
 * makes exactly one event for any input: line breaks in the data become further `data:` lines, and ids and event
 * names lose characters that would end their line.
 *
 * The id is the last line. Some clients apply an id when its line arrives, not when the event is dispatched. If the
 * connection broke between the id and the data, they would resume after data that they never received.
 */
export interface SseEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data: string;
}

const LINE_BREAK = /\r\n|\r|\n/;
const LINE_BREAKS = /[\r\n]/g;
/** Readers ignore an id with a NUL, so NUL is removed too. */
const UNSAFE_IN_ID = /[\r\n\0]/g;

export function sseEvent({ event, id, data }: SseEvent): string {
  let text = "";
  if (event !== undefined) text += `event: ${event.replace(LINE_BREAKS, "")}\n`;
  if (LINE_BREAK.test(data)) for (const line of data.split(LINE_BREAK)) text += `data: ${line}\n`;
  else text += `data: ${data}\n`;
  return id === undefined ? `${text}\n` : `${text}id: ${id.replace(UNSAFE_IN_ID, "")}\n\n`;
}

/**
 * Moves the reader's cursor without an event: readers take the id of lines that have no data, and dispatch nothing
 * (HTML, 9.2.6).
 */
export const sseCursor = (id: string): string => `id: ${id.replace(UNSAFE_IN_ID, "")}\n\n`;

/** Unicode line ends that JSON may contain unescaped, and at which some clients split lines. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** JSON as the data of an event: one line for every parser. */
export const sseJson = (data: object | string): string =>
  JSON.stringify(data).replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** An event that is only JSON. */
export const sseData = (data: object): string => `data: ${sseJson(data)}\n\n`;

/**
 * Events that differ in one text, which is `"text": ""` in this one. Their constant part is rendered once: a model's
 * deltas are up to ten thousand a second.
 */
export function sseTexts(event: string): (text: string) => string {
  const [head = "", tail = ""] = event.split(EMPTY_TEXT_FIELD);
  return (text) => `${head}"text":${sseJson(text)}${tail}`;
}

/** Never within a string of JSON, which has its quotes escaped. */
const EMPTY_TEXT_FIELD = '"text":""';

/** A line that readers ignore; it keeps the connection alive. */
export const sseComment = (text: string): string => `: ${text.replace(LINE_BREAKS, " ")}\n\n`;

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** A frame without an id: it moves no cursor. */
export const sseNote = (event: string, data: object): string =>
  `event: ${event.replace(LINE_BREAKS, "")}\ndata: ${sseJson(data)}\n\n`;
