/** The tools that only this agent has: HTTP requests that the service makes, and functions of a client's program. */
import type { AgentToolInput, HttpMethod, ToolHeaderInput } from "../../../sdk/typescript/troupe.ts";
import { AreaField, CheckField, ChoiceField, formFields, NumberField, TextField, textOr } from "../pieces/fields.tsx";
import { ItemFields } from "../pieces/item-fields.tsx";
import { AccessFields } from "./access-fields.tsx";
import { JSON_OBJECT, JsonField } from "../pieces/written-fields.tsx";

interface OwnToolFieldsProps {
  readonly tools: readonly AgentToolInput[];
  readonly change: (tools: AgentToolInput[]) => void;
}

const KIND_CHOICES = [
  ["http", "an HTTP request of the service"],
  ["client", "a function of your program"],
] as const;
const METHOD_CHOICES = (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).map(
  (method): readonly [HttpMethod, string] => [method, method],
);
const MS_OF_TOOL_SECOND = 1_000;

const newTool = (): AgentToolInput => ({
  name: "",
  description: "",
  kind: "http",
  method: "GET",
  url: "https://",
  input_schema: { type: "object", properties: {} },
});

/** A client's function has no fields of an HTTP request. */
const asKind = (kind: AgentToolInput["kind"], tool: AgentToolInput): AllFields =>
  kind === "http"
    ? { kind, method: tool.method ?? "GET", url: tool.url ?? "https://" }
    : {
        kind,
        method: undefined,
        url: undefined,
        headers: undefined,
        auth: undefined,
        arguments: undefined,
        retry: undefined,
        timeout_ms: undefined,
        repeatable: undefined,
        signing_secret: undefined,
      };

/** Changes of a tool: what is undefined is removed. */
type AllFields = { readonly [K in keyof AgentToolInput]?: AgentToolInput[K] | undefined };

export function OwnToolFields({ tools, change }: OwnToolFieldsProps) {
  return (
    <ItemFields
      label="HTTP and client tools"
      one="tool"
      items={tools}
      change={change}
      empty={newTool}
      wordsOf={({ name }) => name}
    >
      {(tool, setPart, index) => {
        const set = (changes: AllFields): void => setPart(changes as Partial<AgentToolInput>);
        const path = `/tools/${index}`;
        const field = formFields(path, tool, setPart);
        return (
          <>
            <div class="columns">
              <TextField label="Tool name" {...field("name")} />
              <ChoiceField
                label="What it is"
                path={`${path}/kind`}
                value={tool.kind}
                change={(kind) => set(asKind(kind, tool))}
                choices={KIND_CHOICES}
              />
            </div>
            <AreaField label="What it does" hint="The model reads this" rows={2} {...field("description")} />
            {tool.kind === "http" ? <HttpRequestFields tool={tool} path={path} set={set} /> : null}
            <JsonField
              label={`Schema of the arguments of ${tool.name === "" ? "the new tool" : tool.name}`}
              hint="A JSON Schema of an object"
              kind={JSON_OBJECT}
              {...field("input_schema")}
            />
          </>
        );
      }}
    </ItemFields>
  );
}

interface HttpRequestFieldsProps {
  readonly tool: AgentToolInput;
  readonly path: string;
  readonly set: (changes: AllFields) => void;
}

function HttpRequestFields({ tool, path, set }: HttpRequestFieldsProps) {
  const field = formFields<AllFields>(path, tool, set);
  return (
    <>
      <div class="columns">
        <ChoiceField
          label="Method"
          path={`${path}/method`}
          value={tool.method ?? "GET"}
          change={(method) => set({ method })}
          choices={METHOD_CHOICES}
        />
        <TextField
          label="Address"
          path={`${path}/url`}
          hint="{argument} in its path is the value of an argument; others go into the query or the JSON body"
          value={tool.url ?? ""}
          change={(url) => set({ url })}
        />
      </div>
      <AccessFields auth={tool.auth} path={`${path}/auth`} change={(auth) => set({ auth })} />
      <ItemFields<ToolHeaderInput>
        label="Headers of each request"
        one="header"
        items={tool.headers ?? []}
        change={(headers) => set({ headers: headers.length === 0 ? undefined : headers })}
        empty={() => ({ name: "" })}
        wordsOf={({ name }) => name}
      >
        {(header, change, at) => (
          <HeaderFields header={header} path={`${path}/headers/${at}`} hasValue change={change} />
        )}
      </ItemFields>
      <details class="more">
        <summary>Time, retries and signature</summary>
        <div class="columns">
          <NumberField
            label="Seconds that a request may take"
            path={`${path}/timeout_ms`}
            hint="Empty: 30"
            step="any"
            value={tool.timeout_ms === undefined ? null : tool.timeout_ms / MS_OF_TOOL_SECOND}
            change={(seconds) =>
              set({ timeout_ms: seconds === null ? undefined : Math.round(seconds * MS_OF_TOOL_SECOND) })
            }
          />
          <TextField
            label="Secret that signs each request"
            hint="The name of a secret that begins with whsec_; empty: none"
            {...textOr(undefined, field("signing_secret"))}
          />
        </div>
        <CheckField
          label="The request may be repeated if its outcome is unknown"
          value={tool.repeatable ?? (tool.method !== "POST" && tool.method !== "PATCH")}
          change={(repeatable) => set({ repeatable })}
        />
        <JsonField
          label={`Places of the arguments of ${tool.name === "" ? "the new tool" : tool.name}`}
          path={`${path}/arguments`}
          hint={'Only where the default does not fit: [{"name": "q", "place": "query", "as": "search"}]'}
          value={tool.arguments ?? []}
          change={(places) => set({ arguments: places.length === 0 ? undefined : places })}
        />
      </details>
    </>
  );
}

interface HeaderFieldsProps {
  readonly header: ToolHeaderInput;
  readonly path: string;
  /** Whether the header may have a fixed value instead of a secret. */
  readonly hasValue?: boolean;
  readonly change: (changes: Partial<ToolHeaderInput>) => void;
}

export function HeaderFields({ header, path, hasValue = false, change }: HeaderFieldsProps) {
  const field = formFields<{ readonly [K in keyof ToolHeaderInput]?: string | undefined }>(path, header, (changes) =>
    change(changes as Partial<ToolHeaderInput>),
  );
  return (
    <div class="columns">
      <TextField label="Header name" path={`${path}/name`} value={header.name} change={(name) => change({ name })} />
      <TextField
        label="Secret"
        hint="The name of a secret of the organization"
        {...textOr(undefined, field("secret"))}
      />
      <TextField
        label="Text before the secret"
        hint="Such as Bearer, with a space"
        {...textOr(undefined, field("prefix"))}
      />
      {hasValue ? (
        <TextField label="Or a fixed value" hint="Never a password or a token" {...textOr(undefined, field("value"))} />
      ) : null}
    </div>
  );
}
