/** The two views of an agent's fields: a form, and the same as JSON. Both change one draft. */
import { useSearchParams } from "wouter-preact";
import { JsonField } from "../pieces/written-fields.tsx";
import { ViewChoice } from "../pieces/view-choice.tsx";
import type { AgentDraft } from "./agent-draft.ts";
import { AgentForm, type AgentFormProps } from "./agent-form.tsx";

const VIEWS = [
  ["form", "Form"],
  ["json", "JSON"],
] as const;

export function AgentFields(props: AgentFormProps) {
  const [search] = useSearchParams();
  const { draft } = props;
  return (
    <>
      <ViewChoice label="View" parameter="view" views={VIEWS} />
      {search.get("view") === "json" ? (
        <JsonField
          label="Agent as JSON"
          path=""
          hint="The fields of PATCH /api/agents/{id}. A field that you leave out stays as it is."
          value={draft.value}
          change={(value: Partial<AgentDraft> | null) => {
            if (typeof value === "object" && value !== null) draft.replace(value);
          }}
        />
      ) : (
        <AgentForm {...props} />
      )}
    </>
  );
}
