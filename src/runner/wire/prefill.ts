/**
 * Which models continue from a given beginning of their answer: a repeated call then does not repeat text that was
 * shown. Others start over, or refuse it.
 */
import type { ModelTarget } from "../model-name.ts";
import type { AssistantMessage } from "../conversation.ts";

/** Claude takes it up to 4.5. */
const CLAUDE = /claude-(?:instant|v?2|3)|claude-(?:opus|sonnet|haiku)-4(?:$|@|-(?:\d{8}|[015](?:$|[-@])))/;
/** Mistral's models, where the message says that it is a beginning. */
const MISTRAL = /(?:mis|mix|minis|magis|devs|codes|pix)tral/i;

export const takesPrefill = ({ kind, name }: Pick<ModelTarget, "kind" | "name">): boolean =>
  kind === "anthropic" ? CLAUDE.test(name) : kind === "compatible" && MISTRAL.test(name);

/** The beginning as the last message. Only Mistral reads the field; the format of Anthropic's models has no fields. */
export const prefillMessage = (text: string): AssistantMessage => ({
  role: "assistant",
  parts: [{ kind: "text", text }],
  fields: { prefix: true },
});
