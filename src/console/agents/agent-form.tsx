/** The fields of an agent. */
import type { PromptCache, Visibility } from "../../../sdk/typescript/troupe.ts";
import type { FormDraft } from "../pieces/draft.ts";
import { AreaField, ChoiceField, NumberField, TextField, textOr } from "../pieces/fields.tsx";
import { JsonField, ListField } from "../pieces/written-fields.tsx";
import type { AgentDraft } from "./agent-draft.ts";
import { ApprovalFields } from "./approval-fields.tsx";
import { McpServerFields } from "./mcp-server-fields.tsx";
import { ModelFields } from "./model-fields.tsx";
import { OwnToolFields } from "./own-tool-fields.tsx";
import { ToolPicker } from "./tool-picker.tsx";

const VISIBILITY_CHOICES: readonly (readonly [Visibility, string])[] = [
  ["private", "only me"],
  ["organization", "every member of the organization"],
  ["unlisted", "everyone who knows its id"],
  ["public", "everyone"],
];
const CACHE_CHOICES: readonly (readonly [PromptCache, string])[] = [
  ["auto", "as the service chooses"],
  ["5m", "for 5 minutes"],
  ["1h", "for an hour"],
  ["off", "off"],
];

export interface AgentFormProps {
  readonly draft: FormDraft<AgentDraft>;
  readonly agentId: string | null;
  readonly version: number;
}

export function AgentForm({ draft, agentId, version }: AgentFormProps) {
  const { value, set, field } = draft;
  return (
    <>
      <div class="columns">
        <TextField label="Name" {...field("name")} />
        <TextField label="Role" {...field("role")} />
      </div>
      <TextField label="What it is for" {...textOr(null, field("description"))} />
      <AreaField label="Instructions" hint="They begin every call of the model" rows={8} {...field("system_prompt")} />
      <ModelFields draft={draft} />
      <ToolPicker draft={draft} agentId={agentId} version={version} />
      <ChoiceField label="Who may use it" choices={VISIBILITY_CHOICES} {...field("visibility")} />
      <details class="more">
        <summary>HTTP tools and MCP servers</summary>
        <OwnToolFields tools={value.tools} change={(tools) => set("tools", tools)} />
        <McpServerFields servers={value.mcp_servers} change={(servers) => set("mcp_servers", servers)} />
      </details>
      <details class="more">
        <summary>Limits, approvals and answers</summary>
        <div class="columns">
          <NumberField
            label="Maximum model calls per job"
            hint="Empty: the limit of the service"
            min={1}
            {...field("max_steps")}
          />
          <ChoiceField label="Cache of the provider" choices={CACHE_CHOICES} {...field("cache")} />
        </div>
        <ApprovalFields draft={draft} agentId={agentId} />
        <ListField label="Tags" hint="Separated by commas" {...field("tags")} />
        <JsonField
          label="Schema of answers"
          hint="JSON Schema that each answer must match; null for text"
          {...field("output_schema")}
        />
      </details>
    </>
  );
}
