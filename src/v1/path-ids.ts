/** The ids in paths of v1. Text that cannot be an id is answered with 404. */
import { pathId } from "../http/contract/field.ts";
import { Id } from "../http/contract/noun.ts";

/** Entries of the library and imported agents have ids of their own. */
export const AgentId = pathId("agent", /^[A-Za-z0-9_-]{1,64}$/, Id("agt", "The agent's id"));
