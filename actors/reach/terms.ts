/** What a link asks a person about (REACH-6). */
import { inStoredOrder } from "../canonical-json.ts";
import type { Approval } from "../job/terms.ts";
import type { Json } from "../schema.ts";

/**
 * The call and the agent's settings of approvals, as a text that is the same as long as they are. `agent`: the agent as
 * it is now, or null if it is gone. A link whose text has changed is over: the person was asked about something else.
 */
export function askedTerms({ toolName, arguments: input }: Approval, agent: object | null): string {
  // All of them, so that a setting that is added later counts too.
  const settings = Object.entries(agent ?? {}).filter(([name]) => name.startsWith("approval"));
  return JSON.stringify(inStoredOrder<Json>({ toolName, input, settings: Object.fromEntries<Json>(settings) }));
}
