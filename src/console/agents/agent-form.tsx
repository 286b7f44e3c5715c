/** The fields of an agent. */
import type { PromptCache, Visibility } from "../../../sdk/typescript/troupe.ts";
import type { FormDraft } from "../pieces/draft.ts";
import { AreaField, ChoiceField, NumberField, TextField } from "../pieces/fields.tsx";
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

interface AgentFormProps {
  readonly draft: FormDraft<AgentDraft>;
  readonly agentId: string | null;
  readonly version: number;
}

export function AgentForm({ draft, agentId, version }: AgentFormProps) {
  const { value, set } = draft;
  return (
    <>
      <div class="columns">
        <TextField label="Name" path="/name" value={value.name} change={(name) => set("name", name)} />
        <TextField label="Role" path="/role" value={value.role} change={(role) => set("role", role)} />
      </div>
      <TextField
        label="What it is for"
        path="/description"
        value={value.description ?? ""}
        change={(text) => set("description", text === "" ? null : text)}
      />
      <AreaField
        label="Instructions"
        path="/system_prompt"
        hint="They begin every call of the model"
        rows={8}
        value={value.system_prompt}
        change={(text) => set("system_prompt", text)}
      />
      <ModelFields draft={draft} />
      <ToolPicker draft={draft} agentId={agentId} version={version} />
      <ChoiceField
        label="Who may use it"
        path="/visibility"
        value={value.visibility}
        change={(visibility) => set("visibility", visibility)}
        choices={VISIBILITY_CHOICES}
      />
      <details class="more">
        <summary>HTTP tools and MCP servers</summary>
        <OwnToolFields tools={value.tools} change={(tools) => set("tools", tools)} />
        <McpServerFields servers={value.mcp_servers} change={(servers) => set("mcp_servers", servers)} />
      </details>
      <details class="more">
        <summary>Limits, approvals and answers</summary>
        <div class="columns">
          <NumberField
            label="Most calls of the model for a job"
            path="/max_steps"
            hint="Empty: the limit of the service"
            min={1}
            value={value.max_steps}
            change={(steps) => set("max_steps", steps)}
          />
          <ChoiceField
            label="Cache of the provider"
            path="/cache"
            value={value.cache}
            change={(cache) => set("cache", cache)}
            choices={CACHE_CHOICES}
          />
        </div>
        <ApprovalFields draft={draft} agentId={agentId} />
        <ListField
          label="Tags"
          path="/tags"
          hint="Separated by commas"
          value={value.tags}
          change={(tags) => set("tags", tags)}
        />
        <JsonField
          label="Schema of answers"
          path="/output_schema"
          hint="JSON Schema that each answer must match; null for text"
          value={value.output_schema}
          change={(schema) => set("output_schema", schema)}
        />
      </details>
    </>
  );
}
