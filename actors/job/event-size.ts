/** How much of a call a chat's event has; the whole is in the job's transcript. */
import { cutText, isLonger } from "../cut-text.ts";
import type { JsonObject } from "../schema.ts";

/** Characters of arguments and of a result. */
const EVENT_CHARACTERS = 4_096;

/** Null if they are too long. */
export const eventArguments = (given: JsonObject): JsonObject | null =>
  JSON.stringify(given).length > EVENT_CHARACTERS ? null : given;

export const eventResult = (content: string) => ({
  result: cutText(content, EVENT_CHARACTERS),
  isTruncated: isLonger(content, EVENT_CHARACTERS),
});
