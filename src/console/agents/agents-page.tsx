/** The agents that the person may use, and those of the library. */
import { Link } from "wouter-preact";
import type { Agent } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { KnownTime } from "../format/time.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { ItemRows, usePaged } from "../pieces/paged.tsx";
import { useSearchState } from "../pieces/search-state.ts";
import { ViewChoice } from "../pieces/view-choice.tsx";
import { ListAndOne } from "../routes.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { FIRST_AGENT } from "../chat/start-chat.ts";
import { AgentPage } from "./agent-page.tsx";
import { SearchField } from "../pieces/filter.tsx";

export const AgentPages = () => <ListAndOne path="/agents" list={AgentsPage} one={AgentPage} />;

const AGENT_VIEWS = [
  ["", "In use"],
  ["library", "Library"],
] as const;

function AgentsPage() {
  const [{ name, source }, change] = useSearchState({ name: "", source: "" });
  const isLibrary = source === "library";
  const filter = {
    ...(name.trim() === "" ? {} : { name }),
    ...(isLibrary ? ({ source: "library" } as const) : {}),
  };
  // What the organization has not installed is in the library only.
  const isShown = (agent: Agent): boolean =>
    isLibrary || agent.install_state === "installed" || agent.source === "private";
  const agents = usePaged(
    async (query, options) => {
      const page = await service.listAgents({ ...filter, ...query }, options);
      return { ...page, agents: page.agents.filter(isShown) };
    },
    (page) => page.agents,
    [name, isLibrary],
  );
  return (
    <TitledPage title="Agents">
      <p class="actions">
        <Link href="/agents/new">New agent</Link>
        <CopyAsCurl path="/api/agents" query={filter} />
      </p>
      <ViewChoice label="Which agents" parameter="source" views={AGENT_VIEWS} />
      <SearchField label="Name" value={name} change={(words) => change({ name: words }, true)} />
      <ItemRows label="Agents" of={agents} empty={<NoAgents isFiltered={isLibrary || name !== ""} />}>
        {(agent) => <AgentRow key={agent.id} agent={agent} changed={agents.reload} />}
      </ItemRows>
    </TitledPage>
  );
}

function AgentRow({ agent, changed }: { readonly agent: Agent; readonly changed: () => void }) {
  const { id, name, role, description, model, source, install_state, updated_at, allowed_actions } = agent;
  return (
    <li>
      <Link href={`/agents/${id}`}>{name}</Link>
      {source === "library" ? <span class="badge">library: {install_state}</span> : null}
      <span class="quiet">
        {[role, model].filter((one) => one !== "" && one !== null).join(" · ")}
        <KnownTime words=" ·" at={updated_at} />
      </span>
      {description === null ? null : <p class="quiet preview">{description}</p>}
      {source === "library" && install_state !== "installed" ? (
        <ActionButton
          class="quiet"
          act={() => service.setAgentInstallState(id, { action: "install" })}
          after={changed}
          whyNot={allowed_actions.includes("install") ? null : "You may not install agents: this needs agents:write"}
        >
          Install {name}
        </ActionButton>
      ) : null}
    </li>
  );
}

function NoAgents({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <p class="quiet">No agent matches these filters.</p>;
  return (
    <NothingYet request={{ method: "POST", path: "/api/agents", body: FIRST_AGENT }}>
      There is no agent yet. An agent is a model with instructions and tools. <Link href="/agents/new">Make one</Link>,{" "}
      <Link href="/agents?source=library">take one of the library</Link>, or use a shell:
    </NothingYet>
  );
}
