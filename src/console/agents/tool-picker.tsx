/** Which tools an agent may use, and which of them wait for a person: a list of what exists, with what each does. */
import { useState } from "preact/hooks";
import type { Tool } from "../../../sdk/typescript/troupe.ts";
import { WhenLoaded, useLoaded } from "../loading.tsx";
import type { FormDraft } from "../pieces/draft.ts";
import { CheckField } from "../pieces/fields.tsx";
import { service } from "../service.ts";
import type { AgentDraft } from "./agent-draft.ts";
import { SearchField } from "../pieces/filter.tsx";

interface ToolPickerProps {
  readonly draft: FormDraft<AgentDraft>;
  /** Its own tools and those of its MCP servers are listed too, as they are saved; null for a new agent. */
  readonly agentId: string | null;
  /** Rises when the agent is saved: it may have other servers. */
  readonly version: number;
}

/** A tool, all tools of a server, or a name that the agent has and the list has not. */
interface PickedTool {
  readonly name: string;
  readonly words: string;
  /** Why the agent has it without a choice; null if it is chosen. */
  readonly has: string | null;
}

const HAS_BY_ITSELF: Readonly<Record<Tool["availability"], string | null>> = {
  always: "every agent has it",
  missions: "in missions",
  granted: null,
  agent: null,
};

export function ToolPicker({ draft: { value, set }, agentId, version }: ToolPickerProps) {
  const found = useLoaded(
    (signal) => service.listTools(agentId === null ? {} : { agent_id: agentId }, { signal }),
    [agentId, version],
  );
  const [search, setSearch] = useState("");
  const allowed = value.allowed_tools ?? [];
  const hasNone = value.allowed_tools?.length === 0;
  const own = new Set(value.tools.map(({ name }) => name));
  const choose = (name: string, isChosen: boolean): void => {
    const rest = allowed.filter((one) => one !== name);
    const next = isChosen ? [...rest, name] : rest;
    set("allowed_tools", next.length === 0 ? null : next);
  };
  const askFirst = (name: string, isAsked: boolean): void => {
    const rest = value.approval_tools.filter((one) => one !== name);
    set("approval_tools", isAsked ? [...rest, name] : rest);
  };
  return (
    <fieldset class="tool-picker">
      <legend>Tools</legend>
      <CheckField
        label="None of the service's tools"
        value={hasNone}
        change={(isNone) => set("allowed_tools", isNone ? [] : null)}
      />
      <SearchField label="Find a tool" value={search} change={setSearch} />
      <WhenLoaded of={found}>
        {({ tools, mcp_servers }) => {
          const choices = choicesOf(tools, own, [...allowed, ...value.approval_tools], mcp_servers);
          const words = search.toLowerCase();
          const shown = choices.filter((choice) => `${choice.name} ${choice.words}`.toLowerCase().includes(words));
          return (
            <>
              {mcp_servers
                .filter(({ status }) => status === "unavailable")
                .map(({ name, message }) => (
                  <p key={name} class="bad">
                    Server {name}: {message}
                  </p>
                ))}
              <p role="status" class="quiet">
                {shown.length === choices.length ? "" : `${shown.length} of ${choices.length} tools`}
              </p>
              <ul class="rows tools" aria-label="Tools" tabIndex={0}>
                {shown.map((choice) => (
                  <li key={choice.name}>
                    <code>{choice.name}</code>
                    {choice.has === null || hasNone ? null : <span class="badge">{choice.has}</span>}
                    <p class="quiet preview">{choice.words}</p>
                    <p class="actions">
                      {choice.has === null ? (
                        <CheckField
                          label="May use"
                          of={choice.name}
                          value={allowed.includes(choice.name)}
                          change={(isChosen) => choose(choice.name, isChosen)}
                        />
                      ) : null}
                      <CheckField
                        label="Asks a person first"
                        of={choice.name}
                        value={value.approval_tools.includes(choice.name)}
                        change={(isAsked) => askFirst(choice.name, isAsked)}
                      />
                    </p>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </WhenLoaded>
    </fieldset>
  );
}

function choicesOf(
  tools: readonly Tool[],
  own: ReadonlySet<string>,
  named: readonly string[],
  servers: readonly { readonly name: string; readonly tools: number }[],
): readonly PickedTool[] {
  const listed: readonly PickedTool[] = [
    ...servers.map(({ name, tools: count }) => ({
      name: `${name}__*`,
      words: `All tools of the server ${name}: ${count} now`,
      has: null,
    })),
    ...tools.map(({ name, description, availability }) => ({
      name,
      words: description,
      has: own.has(name) ? "a tool of this agent" : HAS_BY_ITSELF[availability],
    })),
  ];
  const known = new Set(listed.map(({ name }) => name));
  // Tools of this agent that are not saved yet are not listed either.
  const unlisted = [...new Set([...own, ...named])].filter((name) => !known.has(name));
  return [
    ...unlisted.map((name) =>
      own.has(name)
        ? { name, words: "A tool of this agent that is not saved yet", has: "a tool of this agent" }
        : { name, words: "This tool is not available now", has: null },
    ),
    ...listed,
  ];
}
