/** One agent: its fields as a form or as JSON, what may be done with it, and a try-out beside them. */
import { Link, useLocation } from "wouter-preact";
import type { Agent } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { KnownTime } from "../format/time.tsx";
import { WhenLoaded, useLoaded } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { type EditedRecord, SaveBar, useEditedRecord } from "../pieces/edited-record.tsx";
import { Form } from "../pieces/form.tsx";
import { isolated, service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { type AgentDraft, agentDraftOf } from "./agent-draft.ts";
import { AgentFields } from "./agent-fields.tsx";
import { NewAgentPage } from "./new-agent-page.tsx";
import { TryOut } from "./try-out.tsx";

export function AgentPage({ id }: { readonly id: string }) {
  return id === "new" ? <NewAgentPage /> : <SavedAgentPage agentId={id} />;
}

function SavedAgentPage({ agentId }: { readonly agentId: string }) {
  const found = useLoaded((signal) => service.getAgent(agentId, { signal }), [agentId]);
  return <WhenLoaded of={found}>{(agent) => <AgentEditor now={agent} />}</WhenLoaded>;
}

function AgentEditor({ now }: { readonly now: Agent }) {
  const edited = useEditedRecord<Agent, AgentDraft>({
    now,
    draftOf: agentDraftOf,
    read: () => service.getAgent(now.id),
    write: (changes, version) => service.updateAgent(now.id, changes, { ifMatch: version }),
  });
  const { record: agent, draft, refusals } = edited;
  const whyNot = agent.allowed_actions.includes("update") ? null : whyNotToChange(agent);
  return (
    <TitledPage title={agent.name}>
      <p class="quiet">
        <code>{agent.id}</code>
        <KnownTime words={` · version ${agent.version}, changed`} at={agent.updated_at} />
      </p>
      <AgentActions edited={edited} />
      {whyNot === null ? null : <p>{whyNot}.</p>}
      <div class="beside">
        <Form label={`Agent ${agent.name}`} isReadOnly={whyNot !== null} refusals={refusals}>
          {(unreadable) => (
            <>
              <AgentFields draft={draft} agentId={agent.id} version={agent.version} />
              <SaveBar edited={edited} whyNot={whyNot ?? unreadable} />
            </>
          )}
        </Form>
        <TryOut agent={agent} isChanged={draft.isChanged} />
      </div>
    </TitledPage>
  );
}

function whyNotToChange({ source, install_state, status, allowed_actions }: Agent): string {
  if (source === "library" && install_state !== "installed") return "Install this agent to use and to change it";
  if (status === "archived") return "This agent was deleted";
  return allowed_actions.includes("delete") || source === "library"
    ? "You may not change this agent: it names secrets, and only owners may use these"
    : "You may not change this agent: it belongs to somebody else";
}

/** What may be done with the whole agent, besides changing its fields. */
function AgentActions({ edited: { record: agent, take } }: { readonly edited: EditedRecord<Agent, AgentDraft> }) {
  const [, navigate] = useLocation();
  const { id, name, source, allowed_actions } = agent;
  const setInstalled = async (action: "install" | "uninstall" | "restore"): Promise<void> =>
    take(await service.setAgentInstallState(id, { action }));
  const may = (action: string): boolean => allowed_actions.includes(action);
  return (
    <p class="actions">
      {may("install") ? <ActionButton act={() => setInstalled("install")}>Install</ActionButton> : null}
      {may("restore") ? (
        <ActionButton class="quiet" act={() => setInstalled("restore")}>
          Restore with its former settings
        </ActionButton>
      ) : null}
      {may("uninstall") ? (
        <ActionButton class="quiet" act={() => setInstalled("uninstall")}>
          Uninstall
        </ActionButton>
      ) : null}
      {source === "library" ? null : (
        <ActionButton
          class="quiet"
          act={() => service.deleteAgent(id)}
          after={() => navigate("/agents")}
          whyNot={may("delete") ? null : "You may not delete this agent"}
          question={`Delete the agent ${isolated(name)}? Its chats stay, and nobody can use it any more. This cannot be undone.`}
        >
          Delete
        </ActionButton>
      )}
      <Link href={`/jobs?agent_id=${id}`}>Its jobs</Link>
      <Link href={`/usage?agent_id=${id}`}>Its usage</Link>
      <CopyAsCurl path={`/api/agents/${id}`} />
    </p>
  );
}
