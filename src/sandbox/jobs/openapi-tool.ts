/** The tool that calls one operation of an OpenAPI document: its name, its arguments, and where they go in the request. */
import { cutText } from "../../../actors/cut-text.ts";
import { isArgumentHeader, isCredentialHeader } from "../../../actors/header-name.ts";
import { type Json, type JsonObject, isJsonObject, textOrEmpty } from "../../../actors/schema.ts";
import { type OpenApiDocument, OpenApiFlaw, listIn } from "./openapi-document.ts";
import { ToolSchemas } from "./openapi-schema.ts";
import { serverAddress } from "./openapi-server.ts";

/** Characters of a name that every model provider accepts. */
const TOOL_NAME_CHARACTERS = 64;
const TOOL_DESCRIPTION_CHARACTERS = 1_000;
const TOOL_PARAMETERS = 64;
/** Headers that OpenAPI does not treat as parameters, and the one that each call has anyway. */
const NOT_PARAMETERS = /^(?:accept|content-type|authorization|idempotency-key)$/i;

export interface ImportedTool {
  readonly kind: "http";
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  readonly method: string;
  readonly url: string;
  readonly arguments: readonly { readonly name: string; readonly place: string; readonly as?: string }[];
}

interface Chosen {
  readonly operation_id: string;
  readonly method: string;
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

/** A tool under construction. */
interface ToolDraft {
  readonly schemas: ToolSchemas;
  readonly properties: Map<string, Json>;
  readonly required: string[];
  readonly places: { name: string; place: string; as?: string }[];
  /** What the tool leaves out, in words for people. */
  readonly left: string[];
}

interface Where {
  readonly prefix: string;
  readonly serverUrl: string | null;
  readonly documentUrl: string | null;
  /** Headers that the tool sends anyway. */
  readonly headers: readonly string[];
}

/** The tool, and what it leaves out. Throws `OpenApiFlaw` for an operation that no tool can call. */
export function importedTool(
  document: OpenApiDocument,
  chosen: Chosen,
  where: Where,
): { readonly tool: ImportedTool; readonly left: readonly string[] } {
  const { operation, method, path, operation_id: id } = chosen;
  const draft: ToolDraft = {
    schemas: new ToolSchemas(document),
    properties: new Map(),
    required: [],
    places: [],
    left: [],
  };
  const isSent = (name: string): boolean =>
    NOT_PARAMETERS.test(name) || where.headers.some((header) => header.toLowerCase() === name.toLowerCase());
  for (const parameter of operationParameters(document, chosen))
    if (parameter["in"] !== "header" || !isSent(textOrEmpty(parameter["name"])))
      addParameter(document, draft, parameter);
  addBody(document, draft, chosen);
  const { properties, required, places, schemas, left } = draft;
  const defs = schemas.defs;
  const tool: ImportedTool = {
    kind: "http",
    name: importedName(where.prefix + id),
    description: importedDescription(operation) || `${method} ${path}`,
    input_schema: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required }),
      ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
    },
    method,
    url: serverAddress(document, chosen, where) + path,
    arguments: places,
  };
  return { tool, left };
}

const importedName = (id: string): string =>
  id
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/_{2,}/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, TOOL_NAME_CHARACTERS) || "operation";

function importedDescription(operation: JsonObject): string {
  const [summary, description] = [
    textOrEmpty(operation["summary"]).trim(),
    textOrEmpty(operation["description"]).trim(),
  ];
  const both = [summary, description === summary ? "" : description].filter((text) => text !== "").join("\n");
  return cutText(operation["deprecated"] === true ? `Deprecated. ${both}` : both, TOOL_DESCRIPTION_CHARACTERS);
}

/** The parameters: those of the operation override those of its path with the same name and place. */
function operationParameters(document: OpenApiDocument, { item, operation }: Chosen): JsonObject[] {
  const all = new Map<string, JsonObject>();
  for (const given of [...listIn(item["parameters"]), ...listIn(operation["parameters"])]) {
    const parameter = document.resolved(given);
    if (parameter !== undefined)
      all.set(`${textOrEmpty(parameter["in"])} ${textOrEmpty(parameter["name"])}`, parameter);
  }
  if (all.size > TOOL_PARAMETERS) throw new OpenApiFlaw(`It has more than ${TOOL_PARAMETERS} parameters`);
  return [...all.values()];
}

function addParameter(document: OpenApiDocument, draft: ToolDraft, parameter: JsonObject): void {
  const [name, place] = [textOrEmpty(parameter["name"]), textOrEmpty(parameter["in"])];
  if (name === "") return;
  const isRequired = place === "path" || parameter["required"] === true;
  const why = unsupportedParameter(document, parameter, { name, place });
  if (why !== null) {
    if (isRequired) throw new OpenApiFlaw(`Its parameter ${name} ${why}`);
    draft.left.push(`The parameter ${name} is left out: it ${why}`);
    return;
  }
  const argument = freeName(draft, name, place);
  const schema = draft.schemas.schema(parameter["schema"]);
  const description = cutText(textOrEmpty(parameter["description"]).trim(), TOOL_DESCRIPTION_CHARACTERS);
  draft.properties.set(argument, isJsonObject(schema) && description !== "" ? { ...schema, description } : schema);
  draft.places.push({ name: argument, place, ...(argument === name ? {} : { as: name }) });
  if (isRequired) draft.required.push(argument);
}

/** Why a parameter cannot be sent, or null. */
function unsupportedParameter(
  document: OpenApiDocument,
  { style, explode, content, schema: given }: JsonObject,
  { name, place }: { readonly name: string; readonly place: string },
): string | null {
  if (place === "cookie") return "is a cookie";
  if (place !== "path" && place !== "query" && place !== "header") return "is in an unknown place";
  if (content !== undefined) return "has a content type of its own";
  if (!/^\S{1,128}$/.test(name)) return "has a name that cannot be sent";
  if (place === "header" && isCredentialHeader(name)) return "is a header with credentials: give it in `headers`";
  if (place === "header" && !isArgumentHeader(name)) return "is a header that an argument cannot set";
  const usual = place === "query" ? "form" : "simple";
  if (style !== undefined && style !== usual)
    return `has the style ${cutText(textOrEmpty(style), TOOL_NAME_CHARACTERS)}`;
  const type = document.resolved(given)?.["type"];
  if (place === "query" && type === "array" && explode === false) return "is a list with `explode: false`";
  if (type === "object") return "is an object";
  if (place === "path" && type === "array") return "is a list in the path";
  return null;
}

/** A name that is unique among the arguments and valid for every provider. */
function freeName({ properties }: ToolDraft, name: string, place: string): string {
  const plain = name.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, TOOL_NAME_CHARACTERS - 10);
  let free = properties.has(plain) ? `${place}_${plain}` : plain;
  while (properties.has(free)) free += "_";
  return free;
}

function addBody(document: OpenApiDocument, draft: ToolDraft, { method, operation }: Chosen): void {
  const body = document.resolved(operation["requestBody"]);
  if (body === undefined) return;
  const isRequired = body["required"] === true;
  const given = jsonBodySchema(document, body["content"]);
  const why = method === "GET" ? "a GET request has no body" : given === null ? "it is not JSON" : null;
  if (why !== null || given === null) {
    if (isRequired) throw new OpenApiFlaw(`Its body cannot be sent: ${why}`);
    draft.left.push(`The body is left out: ${why}`);
    return;
  }
  const schema = document.resolved(given) ?? {};
  const fields = method === "DELETE" ? null : fieldsOf(draft, schema);
  const { properties, required, schemas, places } = draft;
  if (fields === null) {
    const name = freeName(draft, "body", "request");
    properties.set(name, schemas.schema(given));
    places.push({ name, place: "body" });
    if (isRequired) required.push(name);
    return;
  }
  const whole = schemas.schema(schema);
  const inner = isJsonObject(whole) ? whole : {};
  for (const [name, one] of Object.entries((inner["properties"] ?? {}) as JsonObject))
    properties.set(name, one as Json);
  if (isRequired)
    required.push(
      ...listIn(inner["required"])
        .map(String)
        .filter((name) => properties.has(name)),
    );
}

/** The fields of a body that become arguments of their own; null if the body must be a single argument. */
function fieldsOf({ properties: taken }: ToolDraft, schema: JsonObject): readonly string[] | null {
  const { properties } = schema;
  if (!isJsonObject(properties) || ["allOf", "anyOf", "oneOf", "not"].some((word) => schema[word] !== undefined))
    return null;
  if (schema["nullable"] === true || isJsonObject(schema["additionalProperties"])) return null;
  const names = Object.keys(properties);
  const fit = names.every((name) => /^[A-Za-z0-9_.-]{1,64}$/.test(name) && !taken.has(name) && name !== "__proto__");
  return fit && names.length > 0 ? names : null;
}

/** The schema of the JSON body; null if the operation accepts none. */
function jsonBodySchema(document: OpenApiDocument, content: unknown): Json | null {
  if (!isJsonObject(content)) return null;
  const types = Object.keys(content);
  const type =
    types.find((one) => /^application\/json\b/i.test(one)) ??
    types.find((one) => /\+json\b|^\*\/\*$|^application\/\*$/i.test(one));
  const media = type === undefined ? undefined : document.resolved(content[type]);
  return media === undefined ? null : (media["schema"] ?? {});
}
