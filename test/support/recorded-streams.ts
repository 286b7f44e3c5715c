/** Streams as providers send them, in each format. */
import { CHAT_RECORDINGS } from "./recorded-chat.ts";
import { MESSAGES_RECORDINGS } from "./recorded-messages.ts";
import { RESPONSES_RECORDINGS } from "./recorded-responses.ts";
import type { Recording } from "./recording.ts";

export const RECORDINGS: readonly Recording[] = [
  ...CHAT_RECORDINGS.map((recording) => ({ ...recording, format: "chat completions" as const })),
  ...MESSAGES_RECORDINGS.map((recording) => ({ ...recording, format: "messages" as const })),
  ...RESPONSES_RECORDINGS.map((recording) => ({ ...recording, format: "responses" as const })),
];
