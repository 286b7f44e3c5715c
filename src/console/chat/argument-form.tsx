/** The arguments of a call as a form, by the schema of its tool; without one they are JSON. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { useLoaded } from "../loading.tsx";
import { Form, useRefusals } from "../pieces/form.tsx";
import { JSON_OBJECT, JsonField } from "../pieces/written-fields.tsx";
import { service } from "../service.ts";
import { SchemaFields, type SchemaValue } from "./schema-fields.tsx";

interface ArgumentFormProps {
  /** The agent has the tool. */
  readonly agentId: string;
  readonly tool: string;
  readonly value: SchemaValue;
  readonly change: (value: SchemaValue) => void;
  /** Called with whether the text of a field is no JSON. */
  readonly unreadable: (isUnreadable: boolean) => void;
  /** What the service has refused; null if nothing. */
  readonly refused: unknown;
  /** Whether the arguments are only shown. */
  readonly isReadOnly: boolean;
}

export function ArgumentForm(props: ArgumentFormProps) {
  const { agentId, tool, value, change, unreadable, refused, isReadOnly } = props;
  const found = useLoaded(
    async (signal) => {
      const { tools } = await service.listTools({ agent_id: agentId }, { signal });
      return { schema: tools.find(({ name }) => name === tool)?.input_schema ?? null };
    },
    [agentId, tool],
  );
  const [isJson, setJson] = useState(false);
  const refusals = useRefusals();
  useEffect(() => (refused === null ? refusals.clear() : refusals.take(refused)), [refused]);
  if (found.value === null && found.error === null) return <p class="quiet">Loading …</p>;
  const schema = found.value?.schema ?? null;
  return (
    <Form label={`Arguments of ${tool}`} refusals={refusals} isReadOnly={isReadOnly}>
      {(why) => (
        <>
          <Readability isUnreadable={why !== null} tell={unreadable} />
          {schema === null || isJson ? (
            <JsonField label="Arguments" path="/arguments" value={value} kind={JSON_OBJECT} change={change} />
          ) : (
            <SchemaFields schema={schema} path="/arguments" value={value} change={change} />
          )}
          {schema === null ? null : (
            <button
              type="button"
              class="quiet"
              aria-disabled={why !== null}
              onClick={() => (why === null ? setJson(!isJson) : undefined)}
            >
              {isReadOnly ? "Show" : "Edit"} as {isJson ? "fields" : "JSON"}
            </button>
          )}
        </>
      )}
    </Form>
  );
}

/** Tells the parent, which has the buttons, before a person can press one. */
function Readability({ isUnreadable, tell }: { readonly isUnreadable: boolean; readonly tell: (is: boolean) => void }) {
  useLayoutEffect(() => tell(isUnreadable), [isUnreadable]);
  return null;
}
