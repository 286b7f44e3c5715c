/**
 * The behaviours that A2A's compatibility kit (TCK) orders by the beginning of a message's id, as commands of the demo
 * model. So the kit can test a service whose agent has that model; for every other model the id is only an id.
 */
import type { JsonObject } from "../../../actors/schema.ts";
import type { GivenRun } from "../runs/begin-run.ts";

/** A tool of the client that nobody runs: its call leaves the task waiting for input, and the next message is its result. */
const ASKING = {
  name: "ask_client",
  description: "Asks the client",
  inputSchema: { type: "object" } as JsonObject,
} as const;

interface TckBehaviour {
  readonly commands: string;
  readonly asks?: true;
  readonly answersJson?: true;
}
const tckSays = (text: string): TckBehaviour => ({ commands: `/say ${text}` });
const ASKS: TckBehaviour = { commands: "/call ask_client\n/then\n/say Done", asks: true };
const FAILS: TckBehaviour = { commands: "/fail provider_rejected" };

/** A longer beginning comes before a shorter one that it begins with. */
const TCK_BEHAVIOURS: Readonly<Record<string, TckBehaviour>> = {
  "tck-complete-task": tckSays("Hello from TCK"),
  "tck-message-response": tckSays("Direct message response"),
  "tck-artifact-text": tckSays("Generated text content"),
  "tck-artifact-data": { commands: '/say {"key": "value", "count": 42}', answersJson: true },
  "tck-input-required": ASKS,
  "tck-multi-turn": ASKS,
  "tck-task-failure": FAILS,
  "tck-reject-task": FAILS,
  "tck-stream-artifact-chunked": tckSays("chunk-1 chunk-2"),
  "tck-stream-artifact-text": tckSays("Streamed text content"),
  "tck-stream-chunked": tckSays("chunk-1 chunk-2"),
  "tck-stream-ordering-001": tckSays("Ordered output"),
  "tck-stream-001": tckSays("Stream hello from TCK"),
  "tck-stream-003": tckSays("Stream task lifecycle"),
  "tck-stream": tckSays("Stream hello from TCK"),
  "tck-long-running": { commands: "/slow 500\n/say one two" },
  "tck-cancel": { commands: "/slow 10000\n/say one two three" },
  "test-resubscribe-message-id": { commands: "/slow 1000\n/say one two three four" },
};

/** What takes the place of the message's content; null: the message is no order of the kit. */
export function tckRun(messageId: string): Pick<GivenRun, "content" | "tools" | "outputSchema"> | null {
  const found = Object.entries(TCK_BEHAVIOURS).find(([beginning]) => messageId.startsWith(beginning))?.[1];
  if (found === undefined) return null;
  return {
    content: found.commands,
    ...(found.asks === true ? { tools: [ASKING] } : {}),
    ...(found.answersJson === true ? { outputSchema: { type: "object" } } : {}),
  };
}
