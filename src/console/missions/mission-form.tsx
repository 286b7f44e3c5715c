/** The fields of a mission. */
import type { MissionVisibility, Priority } from "../../../sdk/typescript/troupe.ts";
import { useLoaded } from "../loading.tsx";
import type { FormDraft } from "../pieces/draft.ts";
import { AreaField, CheckField, ChoiceField, NumberField, TextField } from "../pieces/fields.tsx";
import { ModelSettingsFields } from "../pieces/model-settings-fields.tsx";
import { NOT_ALL_LISTED, readAgents, readWorkspaces } from "../pieces/read-pages.ts";
import type { MissionDraft } from "./mission-draft.ts";
import { ScheduleFields } from "./schedule-fields.tsx";

const PRIORITY_CHOICES = (["low", "medium", "high", "urgent"] as const).map((one): readonly [Priority, string] => [
  one,
  one,
]);
const AUDIENCE_CHOICES: readonly (readonly [MissionVisibility, string])[] = [
  ["organization", "every member of the organization"],
  ["private", "only me"],
];

export function MissionForm({ draft }: { readonly draft: FormDraft<MissionDraft> }) {
  const { value, set } = draft;
  const found = useLoaded(
    async (signal) => ({
      agents: await readAgents(signal),
      workspaces: await readWorkspaces(signal),
    }),
    [],
  );
  const agents = (found.value?.agents.items ?? []).filter(({ allowed_actions }) => allowed_actions.includes("execute"));
  const workspaces = found.value?.workspaces.items ?? [];
  const budget = (changes: Partial<MissionDraft["budget"]>): void => set("budget", { ...value.budget, ...changes });
  return (
    <>
      {found.error === null ? null : (
        <p class="bad" role="alert">
          Agents and workspaces cannot be listed: {found.error} <button onClick={found.reload}>Try again</button>
        </p>
      )}
      <TextField label="Title" path="/title" value={value.title} change={(title) => set("title", title)} />
      <AreaField
        label="Goal"
        path="/goal"
        hint="What each run is for: the first message of its chat"
        value={value.goal}
        change={(goal) => set("goal", goal)}
      />
      <div class="columns">
        <ChoiceField
          label="Agent"
          path="/agent_id"
          value={value.agent_id}
          change={(id) => set("agent_id", id)}
          hint={found.value?.agents.isWhole === false ? NOT_ALL_LISTED : undefined}
          choices={[["", "choose one"], ...agents.map(({ id, name }) => [id, name] as const)]}
        />
        <ChoiceField
          label="Workspace"
          path="/workspace_id"
          hint={found.value?.workspaces.isWhole === false ? NOT_ALL_LISTED : undefined}
          value={value.workspace_id}
          change={(id) => set("workspace_id", id)}
          choices={[
            ["", "the default one of the organization"],
            ...workspaces.map(({ id, name }) => [id, name] as const),
          ]}
        />
      </div>
      <ScheduleFields draft={draft} />
      <ModelSettingsFields value={value.model_settings} change={(settings) => set("model_settings", settings)} />
      <details class="more">
        <summary>Review, budget and who sees it</summary>
        <CheckField
          label="A person reviews each result"
          value={value.review_required}
          change={(isRequired) => set("review_required", isRequired)}
        />
        <div class="columns">
          <ChoiceField
            label="Who sees it"
            path="/visibility"
            value={value.visibility}
            change={(visibility) => set("visibility", visibility)}
            choices={AUDIENCE_CHOICES}
          />
          <ChoiceField
            label="Priority of its jobs"
            path="/priority"
            value={value.priority}
            change={(priority) => set("priority", priority)}
            choices={PRIORITY_CHOICES}
          />
          <NumberField
            label="Most tokens of a run"
            path="/budget/max_tokens"
            hint="Empty: no limit of its own"
            min={1}
            value={value.budget.max_tokens}
            change={(tokens) => budget({ max_tokens: tokens })}
          />
          <TextField
            label="Most cost of a run"
            path="/budget/max_cost"
            hint="A decimal number; the model must have a price"
            value={value.budget.max_cost ?? ""}
            change={(text) => budget({ max_cost: text === "" ? null : text })}
          />
          <NumberField
            label="Most calls of the model"
            path="/budget/max_steps"
            hint="Empty: the limit of the service"
            min={1}
            value={value.budget.max_steps}
            change={(steps) => budget({ max_steps: steps })}
          />
        </div>
      </details>
    </>
  );
}
