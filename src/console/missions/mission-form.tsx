/** The fields of a mission. */
import type { MissionVisibility, Priority } from "../../../sdk/typescript/troupe.ts";
import { useLoaded, ErrorLine } from "../loading.tsx";
import type { FormDraft } from "../pieces/draft.ts";
import { AreaField, CheckField, ChoiceField, formFields, NumberField, TextField, textOr } from "../pieces/fields.tsx";
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
  const { value, set, field } = draft;
  const found = useLoaded(
    async (signal) => ({
      agents: await readAgents(signal),
      workspaces: await readWorkspaces(signal),
    }),
    [],
  );
  const agents = (found.value?.agents.items ?? []).filter(({ allowed_actions }) => allowed_actions.includes("execute"));
  const workspaces = found.value?.workspaces.items ?? [];
  const budget = formFields("/budget", value.budget, (changes) => set("budget", { ...value.budget, ...changes }));
  return (
    <>
      <ErrorLine error={found.error} before="Agents and workspaces cannot be listed: " tryAgain={found.reload} />
      <TextField label="Title" {...field("title")} />
      <AreaField label="Goal" hint="What each run is for: the first message of its chat" {...field("goal")} />
      <div class="columns">
        <ChoiceField
          label="Agent"
          hint={found.value?.agents.isWhole === false ? NOT_ALL_LISTED : undefined}
          choices={[["", "choose one"], ...agents.map(({ id, name }) => [id, name] as const)]}
          {...field("agent_id")}
        />
        <ChoiceField
          label="Workspace"
          hint={found.value?.workspaces.isWhole === false ? NOT_ALL_LISTED : undefined}
          choices={[
            ["", "the organization's default workspace"],
            ...workspaces.map(({ id, name }) => [id, name] as const),
          ]}
          {...field("workspace_id")}
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
          <ChoiceField label="Who sees it" choices={AUDIENCE_CHOICES} {...field("visibility")} />
          <ChoiceField label="Priority of its jobs" choices={PRIORITY_CHOICES} {...field("priority")} />
          <NumberField
            label="Maximum tokens per run"
            hint="Empty: no limit of its own"
            min={1}
            {...budget("max_tokens")}
          />
          <TextField
            label="Maximum cost per run"
            hint="A decimal number; the model must have a price"
            {...textOr(null, budget("max_cost"))}
          />
          <NumberField
            label="Maximum model calls"
            hint="Empty: the limit of the service"
            min={1}
            {...budget("max_steps")}
          />
        </div>
      </details>
    </>
  );
}
