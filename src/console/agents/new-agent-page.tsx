/** A new agent: the same fields as those of a saved one. */
import { useLocation } from "wouter-preact";
import { ActionButton } from "../action-button.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { useDraft } from "../pieces/draft.ts";
import { Form, useRefusals } from "../pieces/form.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { type AgentDraft, NEW_AGENT } from "./agent-draft.ts";
import { AgentFields } from "./agent-fields.tsx";

export function NewAgentPage() {
  const [, navigate] = useLocation();
  const draft = useDraft<AgentDraft>("new agent", NEW_AGENT);
  const refusals = useRefusals();
  const { name, system_prompt } = draft.value;
  const body = { ...draft.changes, name, system_prompt };
  const create = (): Promise<void> =>
    refusals.during(async () => {
      const { id } = await service.createAgent(body);
      draft.discard();
      navigate(`/agents/${id}`, { replace: true });
    });
  return (
    <TitledPage title="New agent">
      <Form label="New agent" refusals={refusals}>
        {(unreadable) => (
          <>
            <AgentFields draft={draft} agentId={null} version={0} />
            <p class="actions save-bar">
              <ActionButton act={create} whyNot={unreadable ?? (name.trim() === "" ? "Give it a name first" : null)}>
                Create
              </ActionButton>
              <CopyAsCurl method="POST" path="/api/agents" body={body} />
            </p>
          </>
        )}
      </Form>
    </TitledPage>
  );
}
