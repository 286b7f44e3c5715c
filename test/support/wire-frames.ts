/** Frames of streams, and the refusals that several providers have in common. */
import type { ProviderWire, SentRequest, WireMessage } from "./provider-wire.ts";

export const sseFrame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
export const sseEvent = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
export const DONE_FRAME = "data: [DONE]\n\n";

/** A chunk of chat completions; `of` has what the server puts into each. */
export const chunkOf =
  (of: object) =>
  (delta: unknown, reason: string | null = null, more: object = {}, choice: object = {}): string =>
    sseFrame({
      object: "chat.completion.chunk",
      ...of,
      choices: [{ index: 0, delta, finish_reason: reason, ...choice }],
      ...more,
    });

export const calledTool = (id: string | undefined, more: object = {}): object => ({
  ...(id === undefined ? {} : { id }),
  index: 0,
  type: "function",
  function: { name: "current_time", arguments: "{}" },
  ...more,
});

export const refusal = (status: number, message: string, more: object = {}) => ({
  status,
  error: { error: { message, type: "invalid_request_error", ...more } },
});

/** The key in this header, as `KEY OF <name>` has it in the environment of the test. */
export const wantsKey =
  (header: string, value: string): ProviderWire["refuses"] =>
  ({ headers }) =>
    headers.get(header) === value ? null : refusal(401, `Incorrect API key in ${header}`);

export const allOf =
  (...checks: readonly ProviderWire["refuses"][]): ProviderWire["refuses"] =>
  (request) => {
    for (const check of checks) {
      const refused = check(request);
      if (refused !== null) return refused;
    }
    return null;
  };

/** The messages of the model that have calls. */
export const callers = ({ body }: Pick<SentRequest, "body">): readonly WireMessage[] =>
  (body.messages ?? []).filter(({ role, tool_calls: calls }) => role === "assistant" && calls !== undefined);

/** Every message of the model with calls must have this. */
export const wantsOfCallers =
  (has: (message: WireMessage) => boolean, words: string): ProviderWire["refuses"] =>
  (request) =>
    callers(request).every(has) ? null : refusal(400, words);
