/**
 * Toolsets: the parts of the list of tools that a client can ask for with `/mcp?tools=agents,jobs` (MCP-10). A client
 * hands every tool that it is given to its model, so a shorter list leaves the model more room. Without the
 * parameter a client gets all tools.
 */
import { assert } from "../../actors/assert.ts";
import { someOf } from "../http/contract/field.ts";
import { type Caller, chargeTo } from "../http/request/caller.ts";
import type { BoundTool, ShownTool } from "./tool-schema.ts";

/** The tools of each set. Every tool is in one of them; `chat` is a selection for clients in which people chat. */
const TOOLSETS = {
  agents: ["list_agents", "create_agent", "update_agent", "execute_agent"],
  chats: ["list_chats", "create_chat", "send_message", "read_chat", "compact_chat", "fork_chat", "pin_message"],
  jobs: ["list_jobs", "get_job", "wait_for_job", "approve_job", "cancel_job", "resume_job", "iterate_job"],
  missions: [
    "list_missions",
    "create_mission",
    "update_mission",
    "run_mission",
    "add_mission_task",
    "start_mission_task",
  ],
  files: ["list_files", "read_file", "write_file", "move_file", "share_file", "query_data"],
  chat: ["list_agents", "execute_agent", "send_message", "read_chat", "wait_for_job", "approve_job"],
} as const;
type ToolsetName = keyof typeof TOOLSETS;
export const TOOLSET_NAMES = Object.keys(TOOLSETS) as readonly ToolsetName[];

/** The query parameter `tools`. */
export const toolsField = someOf(TOOLSET_NAMES, {
  description: "The toolsets that the client gets; all tools by default. `chat` is a short list for chat clients",
});

/** The tools of one request. */
export interface Toolset {
  /** By name, in the order of the list. */
  readonly tools: ReadonlyMap<string, BoundTool>;
  readonly shown: readonly ShownTool[];
  /** `shown` as JSON: the list is constant, so it is serialized once. */
  readonly json: string;
}

export class Toolsets {
  private readonly all: ReadonlyMap<string, BoundTool>;
  /** By the names of the tools: there are as many as combinations of sets that clients ask for. */
  private readonly known = new Map<string, Toolset>();

  constructor(all: ReadonlyMap<string, BoundTool>) {
    this.all = all;
    const inSets = new Set<string>(Object.values(TOOLSETS).flat());
    assert(
      [...all.keys()].every((name) => inSets.has(name)),
      "every tool is in a toolset",
    );
  }

  /** The tools of these sets; of all if none is named. */
  of(names: readonly ToolsetName[] = []): Toolset {
    const sets = TOOLSET_NAMES.filter((name) => names.includes(name));
    const key = sets.join();
    let toolset = this.known.get(key);
    if (toolset === undefined) {
      const wanted = new Set<string>(sets.flatMap((name) => TOOLSETS[name]));
      const tools = sets.length === 0 ? this.all : new Map([...this.all].filter(([name]) => wanted.has(name)));
      const shown = [...tools.values()].map((tool) => tool.shown);
      toolset = { tools, shown, json: JSON.stringify(shown) };
      this.known.set(key, toolset);
    }
    return toolset;
  }
}

/** Empty in the answers of servers to `tools/list`: `withTools` puts the list there. */
const PLACE = '"tools":[]';

/** The JSON of an answer to `tools/list`, with the list of the toolset. */
export const withToolsIn = (text: string, { json }: Toolset): string => text.replace(PLACE, () => `"tools":${json}`);

/** The answer to `tools/list`, with the list of the toolset. */
export async function withTools(answer: Response, caller: Caller, toolset: Toolset): Promise<Response> {
  const text = await answer.text();
  const { status, headers } = answer;
  return chargeTo(caller, () => new Response(withToolsIn(text, toolset), { status, headers }));
}
