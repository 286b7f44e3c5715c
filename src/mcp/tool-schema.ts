/** Tools as clients see them: derived from the operations' tables, so that both agree (MCP-3). */
import { assert } from "../../actors/assert.ts";
import { type TSchema, Type } from "../../actors/schema.ts";
import { type FieldSchemas, type OperationContract, isJsonBody, isRead } from "../http/contract/operation.ts";
import { JOB_VIEW_URI } from "./job-view.ts";
import {
  type Describe,
  describedField,
  type ToolSchemaObject,
  plainSchema,
  shortAnswer,
  shortInput,
} from "./json-schema.ts";
import { READ_BYTES, type ToolSpec, WAIT_SECONDS } from "./tools.ts";

/** The place of an argument in the operation's input. */
export interface ArgumentPlaceOf {
  readonly place: "params" | "query" | "body" | "if-match" | "idempotency-key" | "tool";
  /** The argument's name there. */
  readonly field: string;
  readonly schema: ToolSchemaObject;
  readonly isRequired: boolean;
}

/** A tool and its operation. */
export interface BoundTool {
  readonly spec: ToolSpec;
  readonly operation: OperationContract;
  /** The scopes that the token needs, besides `mcp`. */
  readonly scopes: readonly string[];
  readonly arguments: ReadonlyMap<string, ArgumentPlaceOf>;
  /** As listed by `tools/list`. */
  readonly shown: ShownTool;
}

export interface ShownTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ToolSchemaObject & { readonly type: "object" };
  readonly outputSchema: ToolSchemaObject & { readonly type: "object" };
  readonly annotations: Readonly<Record<string, string | boolean>>;
  readonly _meta?: { readonly ui: { readonly resourceUri: string } };
}

type OperationsById = Readonly<Record<string, OperationContract>>;

/** Combines a tool with its operation. */
export function boundTool(spec: ToolSpec, operations: OperationsById, describe: Describe): BoundTool {
  const operation = operations[spec.operation];
  const answering = operations[spec.answersAs ?? spec.operation];
  assert(operation !== undefined && answering !== undefined, `the tool ${spec.name} has an operation`);
  const found = new Map<string, ArgumentPlaceOf>();
  for (const argument of argumentsOf(spec, operation, describe)) {
    const name = spec.renamed?.[argument.field] ?? argument.field;
    assert(!found.has(name), `the tool ${spec.name} has one argument ${name}`);
    found.set(name, argument);
  }
  const scopes = new Set([operation, answering].flatMap(({ scope }) => (scope === null ? [] : [scope])));
  const shown = shownTool(spec, { operation, answering, found });
  return { spec, operation, scopes: [...scopes], arguments: found, shown };
}

function* argumentsOf(spec: ToolSpec, operation: OperationContract, describe: Describe): Generator<ArgumentPlaceOf> {
  const { params = {}, query = {}, headers = {}, body } = operation;
  const component = `${spec.operation.charAt(0).toUpperCase()}${spec.operation.slice(1)}Request`;
  const shown = (name: string, schema: TSchema): ToolSchemaObject => describedField(name, schema, describe, component);
  const isOffered = (name: string): boolean => spec.left?.includes(name) !== true;
  const defaulted = (name: string): boolean =>
    spec.selectsWorkspace === true && renamedField(spec, name) === "workspace_id";
  for (const [field, schema] of Object.entries(params))
    yield {
      place: "params",
      field,
      schema: defaulted(field) ? SELECTED : shown(field, schema),
      isRequired: !defaulted(field),
    };
  for (const [field, schema] of Object.entries(query))
    if (isOffered(field))
      yield { place: "query", field, schema: shown(field, schema), isRequired: NEEDED.has(field) && isOfFile(spec) };
  if (body !== undefined && isJsonBody(body))
    for (const [field, schema] of Object.entries(body.properties))
      if (isOffered(field))
        yield {
          place: "body",
          field,
          schema: defaulted(field) ? SELECTED : shown(field, schema),
          isRequired: body.required?.includes(field) === true && !defaulted(field),
        };
  for (const [field, schema] of Object.entries(OF_TOOLS[spec.runs ?? "plain"]))
    yield { place: "tool", field, schema: plainSchema(schema, null, ""), isRequired: false };
  if ("if-match" in headers && spec.runs !== "write_file")
    yield { place: "if-match", field: "if_match", schema: IF_MATCH_ARGUMENT, isRequired: false };
  if (!isRead(operation))
    yield { place: "idempotency-key", field: "idempotency_key", schema: IDEMPOTENCY_KEY, isRequired: false };
}

const renamedField = (spec: ToolSpec, field: string): string => spec.renamed?.[field] ?? field;

/** Query parameters that file tools require, although the operation's table makes all query fields optional. */
const NEEDED: ReadonlySet<string> = new Set(["path"]);
const isOfFile = ({ runs }: ToolSpec): boolean => runs === "read_file" || runs === "write_file";

const SELECTED = { type: "string", description: "The workspace; by default the one that you selected" };
const IF_MATCH_ARGUMENT = {
  type: "string",
  description: "The version that you read; a newer one conflicts",
};
const IDEMPOTENCY_KEY = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  description: "A repeated call with its key runs once",
};

const WaitSeconds = Type.Integer({
  minimum: 0,
  maximum: WAIT_SECONDS.most,
  default: WAIT_SECONDS.default,
  description: "Seconds to wait; the work goes on afterwards",
});

/** Arguments that a tool takes in addition to those of its operation. */
const OF_TOOLS: Readonly<Record<NonNullable<ToolSpec["runs"]> | "plain", FieldSchemas>> = {
  plain: {},
  wait: { wait_seconds: WaitSeconds },
  execute: { wait_seconds: WaitSeconds },
  read_file: {
    offset: Type.Integer({ minimum: 0, default: 0, description: "The first byte to read" }),
    length: Type.Integer({
      minimum: 1,
      maximum: READ_BYTES.most,
      default: READ_BYTES.default,
      description: "Bytes to read at most",
    }),
  },
  write_file: {
    text: Type.String({ description: "The content, as text. Give either text or base64" }),
    base64: Type.String({ description: "The content, as Base64" }),
    mime: Type.String({ description: "The media type; guessed from the path by default" }),
  },
};

const FileContent = Type.Object({
  path: Type.String(),
  mime: Type.String(),
  size: Type.Integer({ description: "Bytes of the whole file" }),
  text: Type.Optional(Type.String({ description: "The bytes read, where they are text in UTF-8" })),
  base64: Type.Optional(Type.String({ description: "The bytes read, where they are no text" })),
  next_offset: Type.Union([Type.Integer(), Type.Null()], { description: "Where to go on; null at the end" }),
});

interface ToolSchemaParts {
  readonly operation: OperationContract;
  readonly answering: OperationContract;
  readonly found: ReadonlyMap<string, ArgumentPlaceOf>;
}

function shownTool(spec: ToolSpec, { operation, answering, found }: ToolSchemaParts): ShownTool {
  const { name, title, description, isDestructive, isIdempotent, isOpenWorld } = spec;
  const isReading = isRead(operation);
  const required = [...found].flatMap(([field, { isRequired }]) => (isRequired ? [field] : []));
  return {
    name,
    title,
    description,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries([...found].map(([field, { schema }]) => [field, shortInput(schema)])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    outputSchema: shortAnswer(answerSchema(spec, answering)),
    annotations: {
      readOnlyHint: isReading,
      // Both are only of tools that change something; that a repetition changes more is the default.
      ...(isReading
        ? {}
        : { destructiveHint: isDestructive === true, ...(isIdempotent === true ? { idempotentHint: true } : {}) }),
      openWorldHint: isOpenWorld === true,
    },
    ...(spec.showsJob === true ? { _meta: { ui: { resourceUri: JOB_VIEW_URI } } } : {}),
  };
}

/** The schema of the tool's answer: the operation's own noun. */
function answerSchema({ runs, name }: ToolSpec, { answers }: OperationContract): TSchema {
  if (runs === "read_file") return FileContent;
  const answer = answers[200] ?? answers[201] ?? answers[202];
  const schema =
    answer !== undefined && answer !== null && (answer as { readonly kind?: unknown }).kind === "media"
      ? (answer as { readonly types: FieldSchemas }).types["application/json"]
      : (answer as TSchema | undefined);
  assert(schema !== undefined, `the tool ${name} answers JSON`);
  return schema;
}
