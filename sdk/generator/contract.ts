/**
 * What the SDKs need of the OpenAPI document: nouns, operations, codes of errors. Everything in it is in
 * the order of the document, so that the same document makes the same files.
 */
import { aboutOf, type Field, type JsonSchema, type Shape, shapeOf, UNKNOWN } from "./shape.ts";

export interface Contract {
  readonly version: string;
  readonly tags: readonly { readonly name: string; readonly about: string }[];
  readonly nouns: readonly Noun[];
  readonly operations: readonly Operation[];
  readonly errors: readonly ErrorCode[];
  /** What the body of a webhook is. */
  readonly webhook: Shape;
}

export interface Noun {
  readonly name: string;
  readonly about: string;
  readonly shape: Shape;
}

export interface ErrorCode {
  readonly code: string;
  readonly about: string;
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly method: string;
  readonly path: string;
  /** What varies in the path, in its order. */
  readonly params: readonly Field[];
  readonly query: readonly Field[];
  readonly body: Body | null;
  /** By content type. */
  readonly answers: ReadonlyMap<string, Shape>;
  readonly scopes: readonly string[];
  readonly isKeyed: boolean;
  readonly isVersioned: boolean;
  readonly isPublic: boolean;
  /** It can wait until the record has changed, and answers 304 where it has not. */
  readonly isPolled: boolean;
  readonly emits: string | null;
  readonly isDeprecated: boolean;
  /** Codes of errors that it can be refused with. */
  readonly codes: readonly string[];
}

export interface Body {
  readonly contentType: string;
  readonly isRequired: boolean;
  readonly shape: Shape;
}

export interface OpenApi {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Pick<OperationObject, "requestBody">>>>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  readonly deprecated?: boolean;
  readonly "x-emits"?: string | null;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}
interface ResponseObject {
  readonly description: string;
  readonly content?: Content;
}
interface Reference {
  readonly $ref: string;
}
interface MediaType {
  readonly schema?: JsonSchema;
  /** Of an event stream: each event. */
  readonly "x-itemSchema"?: JsonSchema;
}
type Content = Readonly<Record<string, MediaType>>;

/** The bodies of errors become classes. */
const ERROR_NOUNS: ReadonlySet<string> = new Set(["Error", "V1Error"]);
const PROTOCOL_NOUNS: ReadonlySet<string> = new Set(["McpMessage"]);
/** The tag of what clients of another protocol call: no methods are made of it. */
const PROTOCOL = "MCP";
const METHODS: ReadonlySet<string> = new Set(["get", "post", "put", "patch", "delete"]);

export function contractOf(document: OpenApi): Contract {
  const schemas = Object.entries(document.components.schemas);
  return {
    version: document.info.version,
    tags: document.tags
      .filter(({ name }) => name !== PROTOCOL)
      .map(({ name, description }) => ({ name, about: description ?? "" })),
    nouns: withCursors(
      schemas
        .filter(([name]) => !ERROR_NOUNS.has(name) && !PROTOCOL_NOUNS.has(name))
        .map(([name, schema]) => ({ name, about: aboutOf(schema), shape: shapeOf(schema) })),
    ),
    operations: Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method, { tags }]) => METHODS.has(method) && !tags.includes(PROTOCOL))
        .map(([method, operation]) => operationOf(document, { method: method.toUpperCase(), path, operation })),
    ),
    errors: errorsOf(document),
    webhook: bodyOf(document.webhooks["event"]?.["post"] ?? {})?.shape ?? UNKNOWN,
  };
}

/** Gives each event of a resumable stream the field `id`: programs read it before they know which event they have. */
function withCursors(nouns: readonly Noun[]): readonly Noun[] {
  const withField = (name: string): ReadonlySet<string> =>
    new Set(
      nouns.flatMap((noun) =>
        noun.shape.kind === "record" && noun.shape.fields.some((field) => field.name === name) ? [noun.name] : [],
      ),
    );
  const [events, resumable] = [withField("event"), withField("id")];
  const streams = nouns
    .map(({ shape }) =>
      shape.kind === "union" ? shape.variants.map((one) => (one.kind === "noun" ? one.name : "")) : [],
    )
    .filter((names) => names.every((name) => events.has(name)) && names.some((name) => resumable.has(name)));
  const lacking = new Set(streams.flat().filter((name) => !resumable.has(name)));
  return nouns.map((noun) =>
    noun.shape.kind === "record" && lacking.has(noun.name)
      ? { ...noun, shape: { ...noun.shape, fields: [...noun.shape.fields, NO_CURSOR] } }
      : noun,
  );
}
const NO_CURSOR: Field = {
  name: "id",
  about: "Absent: this event does not move the cursor",
  isRequired: false,
  shape: { kind: "absent" },
};

interface Found {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

function operationOf(document: OpenApi, { method, path, operation }: Found): Operation {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolved(document.components.parameters, parameter),
  );
  const placed = (place: string): readonly Field[] => parameters.filter((one) => one.in === place).map(fieldOf);
  const headers = new Set(parameters.filter((one) => one.in === "header").map((one) => one.name.toLowerCase()));
  const responses = Object.entries(operation.responses);
  const answers = responses.filter(([status]) => status.startsWith("2"));
  return {
    id: operation.operationId,
    tag: operation.tags[0] ?? "",
    summary: operation.summary,
    description: operation.description ?? "",
    method,
    path,
    params: placed("path"),
    query: placed("query"),
    body: bodyOf(operation),
    answers: new Map(
      answers.flatMap(([, answer]) => shapesOf(resolved(document.components.responses, answer).content)),
    ),
    // Each kind of token has the same ones.
    scopes: [...new Set(operation.security.flatMap((scheme) => Object.values(scheme).flat()))],
    isKeyed: headers.has("idempotency-key"),
    isVersioned: headers.has("if-match"),
    isPublic: operation.security.every((scheme) => !isBearer(scheme)),
    isPolled: "304" in operation.responses && placed("query").some(({ name }) => name === "since_version"),
    emits: operation["x-emits"] ?? null,
    isDeprecated: operation.deprecated === true,
    codes: responses
      .filter(([status]) => status >= "400")
      .flatMap(([, refusal]) => codesOf(resolved(document.components.responses, refusal)))
      .map(({ code }) => code),
  };
}

const isBearer = (scheme: object): boolean => Object.keys(scheme).some((name) => /token/i.test(name));

const fieldOf = ({ name, description, required, schema }: Parameter): Field => ({
  name,
  about: aboutOf({ ...schema, ...(description === undefined ? {} : { description }) }),
  isRequired: required === true,
  shape: shapeOf(schema),
});

function bodyOf({ requestBody }: Pick<OperationObject, "requestBody">): Body | null {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (first === undefined) return null;
  const [contentType, media] = first;
  return { contentType, isRequired: requestBody?.required === true, shape: mediaShape(contentType, media) };
}

const shapesOf = (content: Content = {}): [string, Shape][] =>
  Object.entries(content).map(([type, media]) => [type, mediaShape(type, media)]);

export const isJson = (contentType: string): boolean => /[/+]json\b/.test(contentType);

function mediaShape(contentType: string, { schema, "x-itemSchema": event }: MediaType): Shape {
  const described = contentType === "text/event-stream" ? event : schema;
  if (isJson(contentType) || contentType === "text/event-stream")
    return described === undefined ? UNKNOWN : shapeOf(described);
  return { kind: contentType.startsWith("text/") ? "text" : "bytes" };
}

/** The codes of a refusal with what it says of each: `<code>`: <meaning>, one a paragraph. */
const codesOf = ({ description }: ResponseObject): readonly ErrorCode[] =>
  [...description.matchAll(/^`([a-z_]+)`: (.+)$/gm)].map(([, code, about]) => ({
    code: code ?? "",
    about: about ?? "",
  }));

/** All codes, with what the document says of each. */
function errorsOf({ components }: OpenApi): readonly ErrorCode[] {
  const codes = (components.schemas["ErrorCode"]?.["enum"] ?? []) as readonly string[];
  const said = Object.values(components.responses).flatMap(codesOf);
  const meanings = new Map(said.map(({ code, about }) => [code, about]));
  return codes.map((code) => ({ code, about: meanings.get(code) ?? "" }));
}

function resolved<T extends object>(known: Readonly<Record<string, T>>, given: T | Reference): T {
  if (!("$ref" in given)) return given;
  const found = known[given.$ref.split("/").at(-1) ?? ""];
  if (found === undefined) throw new Error(`The document lacks ${given.$ref}`);
  return found;
}

export const pascalCase = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
