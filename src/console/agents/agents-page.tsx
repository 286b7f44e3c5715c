/** The agents that the person may use, and those of the library. */
import { Link, useSearchParams } from "wouter-preact";
import type { Agent } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { Command, CopyAsCurl, curlOf } from "../pieces/curl.tsx";
import { ItemPages, usePaged } from "../pieces/paged.tsx";
import { ViewChoice } from "../pieces/view-choice.tsx";
import { ListAndOne } from "../routes.tsx";
import { service } from "../service.ts";
import { useTitle } from "../title.ts";
import { FIRST_AGENT } from "../chat/start-chat.ts";
import { AgentPage } from "./agent-page.tsx";

export const AgentPages = () => <ListAndOne path="/agents" list={AgentsPage} one={AgentPage} />;

const PAGE_AGENTS = 50;
const AGENT_VIEWS = [
  ["", "In use"],
  ["library", "Library"],
] as const;

function AgentsPage() {
  useTitle("Agents");
  const [search, setSearch] = useSearchParams();
  const name = search.get("name") ?? "";
  const isLibrary = search.get("source") === "library";
  const filter = {
    ...(name.trim() === "" ? {} : { name }),
    ...(isLibrary ? ({ source: "library" } as const) : {}),
  };
  const agents = usePaged<Agent>(
    async (after, options) => {
      const page = await service.listAgents({ limit: PAGE_AGENTS, ...filter, ...after }, options);
      // What the organization has not installed is in the library only.
      const shown = page.agents.filter(
        (agent) => isLibrary || agent.install_state === "installed" || agent.source === "private",
      );
      return { items: shown, next: page.next_cursor };
    },
    ({ id }) => id,
    [name, isLibrary],
  );
  const find = (text: string): void =>
    setSearch(
      (last) => {
        const next = new URLSearchParams(last);
        next.set("name", text);
        if (text === "") next.delete("name");
        return next;
      },
      { replace: true },
    );
  return (
    <>
      <h1>Agents</h1>
      <p class="actions">
        <Link href="/agents/new">New agent</Link>
        <CopyAsCurl path={`/api/agents?${new URLSearchParams({ limit: String(PAGE_AGENTS), ...filter }).toString()}`} />
      </p>
      <ViewChoice label="Which agents" parameter="source" views={AGENT_VIEWS} />
      <label class="search">
        Name
        <input type="search" value={name} onInput={({ currentTarget }) => find(currentTarget.value)} />
      </label>
      <ItemPages of={agents} empty={<NoAgents isFiltered={isLibrary || name !== ""} />}>
        {(shown) => (
          <ul class="rows" aria-label="Agents">
            {shown.map((agent) => (
              <AgentRow key={agent.id} agent={agent} changed={agents.reload} />
            ))}
          </ul>
        )}
      </ItemPages>
    </>
  );
}

function AgentRow({ agent, changed }: { readonly agent: Agent; readonly changed: () => void }) {
  const { id, name, role, description, model, source, install_state, updated_at, allowed_actions } = agent;
  const install = async (): Promise<void> => {
    await service.setAgentInstallState(id, { action: "install" });
    changed();
  };
  return (
    <li>
      <Link href={`/agents/${id}`}>{name}</Link>
      {source === "library" ? <span class="badge">library: {install_state}</span> : null}
      <span class="quiet">
        {[role, model].filter((one) => one !== "" && one !== null).join(" · ")}
        {updated_at === null ? null : (
          <>
            {" "}
            · <Time at={updated_at} />
          </>
        )}
      </span>
      {description === null ? null : <p class="quiet preview">{description}</p>}
      {source === "library" && install_state !== "installed" ? (
        <ActionButton
          class="quiet"
          act={install}
          whyNot={allowed_actions.includes("install") ? null : "You may not install agents: it needs agents:write"}
        >
          Install {name}
        </ActionButton>
      ) : null}
    </li>
  );
}

function NoAgents({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <p class="quiet">No agent is like this.</p>;
  return (
    <>
      <p>
        There is no agent yet. An agent is a model with instructions and tools. <Link href="/agents/new">Make one</Link>
        , <Link href="/agents?source=library">take one of the library</Link>, or use a shell:
      </p>
      <Command text={curlOf({ method: "POST", path: "/api/agents", body: FIRST_AGENT })} />
    </>
  );
}
