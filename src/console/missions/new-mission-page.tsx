/** A new mission: the same fields as those of a saved one. */
import { useLocation } from "wouter-preact";
import { ActionButton } from "../action-button.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { useDraft } from "../pieces/draft.ts";
import { Form, useRefusals } from "../pieces/form.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { type MissionDraft, NEW_MISSION } from "./mission-draft.ts";
import { MissionForecast } from "./mission-forecast.tsx";
import { MissionForm } from "./mission-form.tsx";

export function NewMissionPage() {
  const [, navigate] = useLocation();
  const draft = useDraft<MissionDraft>("new mission", NEW_MISSION);
  const refusals = useRefusals();
  const { workspace_id, ...rest } = draft.value;
  // Without a workspace it is the default one.
  const body = { ...rest, ...(workspace_id === "" ? {} : { workspace_id }) };
  const create = (): Promise<void> =>
    refusals.during(async () => {
      const { id } = await service.createMission(body);
      draft.discard();
      navigate(`/missions/${id}`, { replace: true });
    });
  const missing =
    rest.title.trim() === ""
      ? "a title"
      : rest.goal.trim() === ""
        ? "a goal"
        : rest.agent_id === ""
          ? "an agent"
          : null;
  return (
    <TitledPage title="New mission">
      <div class="beside">
        <Form label="New mission" refusals={refusals}>
          {(unreadable) => (
            <>
              <MissionForm draft={draft} />
              <p class="actions save-bar">
                <ActionButton
                  act={create}
                  whyNot={unreadable ?? (missing === null ? null : `Give it ${missing} first`)}
                >
                  Create
                </ActionButton>
                <CopyAsCurl method="POST" path="/api/missions" body={body} />
              </p>
            </>
          )}
        </Form>
        <MissionForecast mission={null} schedule={draft.value.schedule} isChanged />
      </div>
    </TitledPage>
  );
}
