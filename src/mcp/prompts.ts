/**
 * The organization's agents as prompts: a client that lists prompts lets its user apply an agent's instructions to a
 * task in its own conversation. A prompt's name is the agent's id, which never changes.
 */
import { invalid, mapOutcome, type Outcome } from "../../actors/fault.ts";
import type { Caller } from "../http/request/caller.ts";
import type { Invoke } from "../http/request/operations.ts";

/** Prompts per page. */
const PROMPTS_PAGE = 50;

interface AgentRecord {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly description: string | null;
  readonly system_prompt: string | null;
}

export interface ListedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: { readonly name: string; readonly description: string; readonly required: boolean }[];
}

/** If there is no description, the name is added: some clients show no title, and most agents have the same role. */
const descriptionOf = ({ name, role, description }: AgentRecord): string =>
  description === null || description.trim() === "" ? `${name}: ${role}` : description;

const listedPrompt = (agent: AgentRecord): ListedPrompt => ({
  name: agent.id,
  title: agent.name,
  description: descriptionOf(agent),
  arguments: [{ name: "task", description: "What the agent is to do", required: true }],
});

/** A page of the usable agents. */
export async function listPrompts(invoke: Invoke, caller: Caller, cursor: string | undefined) {
  const query = { limit: PROMPTS_PAGE, ...(cursor === undefined ? {} : { cursor }) };
  return mapOutcome(await invoke("listAgents", caller, { query }), (page) => {
    const { agents, next_cursor: next } = page as {
      readonly agents: readonly AgentRecord[];
      readonly next_cursor?: string;
    };
    return { prompts: agents.map(listedPrompt), ...(next === undefined ? {} : { nextCursor: next }) };
  });
}

export interface Prompt {
  readonly description: string;
  readonly messages: { readonly role: "user"; readonly content: { readonly type: "text"; readonly text: string } }[];
}

/** The agent's instructions, followed by the task. */
export async function getPrompt(
  invoke: Invoke,
  caller: Caller,
  { name, task }: { readonly name: string; readonly task: string | undefined },
): Promise<Outcome<Prompt>> {
  if (task === undefined || task.trim() === "") return invalid("/task", "task is required");
  return mapOutcome(await invoke("getAgent", caller, { params: { id: name } }), (record) => {
    const agent = record as AgentRecord;
    const instructions = agent.system_prompt ?? `You are ${agent.name}, ${agent.role}.`;
    const text = `Follow these instructions:\n\n${instructions}\n\nThe task:\n\n${task}`;
    return {
      description: descriptionOf(agent),
      messages: [{ role: "user", content: { type: "text", text } }],
    };
  });
}
