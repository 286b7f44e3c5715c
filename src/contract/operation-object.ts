/** One operation as the contract shows it: parameters, body, answers, refusals, security (DOC-1). */
import { GRANTABLE_SCOPES } from "../../actors/organization/principal.ts";
import { MCP_RESOURCE } from "../http/contract/paths.ts";
import type { TSchema } from "../../actors/schema.ts";
import { assert } from "../../actors/assert.ts";
import type { RawBodyContract } from "../http/contract/body-schema.ts";
import { isJsonBody, isRead, type Media, type OperationContract } from "../http/contract/operation.ts";
import { exampleOf } from "./example.ts";
import { ENCODED } from "../http/contract/request-headers.ts";
import { headerReferences, leftOut, PARAMETERS, STANDING } from "./headers.ts";
import { closedSchema, type Components, type JsonSchema } from "./json-schema.ts";
import type { RefusalResponses } from "./refusals.ts";
import type { DocumentedSurface } from "../public/contract.ts";

/** An operation with its id and surface. */
export interface Placed {
  readonly id: string;
  readonly tag: string;
  readonly surface: DocumentedSurface;
  readonly operation: OperationContract;
}

export interface DocumentParts {
  readonly components: Components;
  readonly refusals: RefusalResponses;
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  200: "Done",
  201: "Created",
  202: "Accepted: the work continues",
  204: "The stream has ended, and the cursor is at its end",
  206: "The requested part of the file",
  304: "Not modified: there is no newer version than yours",
};
const STREAM_MEDIA_TYPE = "text/event-stream";

export function operationObject(parts: DocumentParts, placed: Placed): JsonSchema {
  const { id, tag, surface, operation } = placed;
  const { summary, description, body, emits, deprecation } = operation;
  const pages = paginationOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description ?? `${summary}.`,
    ...(deprecation === undefined ? {} : { deprecated: true }),
    security: securityOf(surface, operation),
    parameters: parametersOf(parts.components, surface, operation),
    ...(body === undefined ? {} : { requestBody: requestBody(parts.components, placed) }),
    responses: { ...answersOf(parts.components, surface, operation), ...parts.refusals.of(surface, operation) },
    ...(emits === undefined || emits === null ? {} : { "x-emits": emits }),
    ...(pages === null ? {} : { "x-pagination": pages }),
  };
}

function securityOf(
  surface: DocumentedSurface,
  { path, scope, orScope, signed }: OperationContract,
): readonly JsonSchema[] {
  if (signed !== undefined) return [{ signedAddress: [] }];
  if (scope === null) return [];
  // Either kind of token is accepted (AUTH-6); the one that the surface is made for comes first.
  const tokens = ["serviceToken", "personalAccessToken"];
  const scopes = [scope, ...(orScope === undefined ? [] : [orScope])];
  const of = (scheme: string, its: readonly string[]): JsonSchema[] => its.map((one) => ({ [scheme]: [one] }));
  // v1 takes tokens alone, and MCP no session.
  if (surface === "v1") return tokens.toReversed().flatMap((scheme) => of(scheme, scopes));
  const grantable = scopes.filter((one) => GRANTABLE_SCOPES.includes(one));
  const session = path === MCP_RESOURCE ? [] : [{ session: [] }];
  return [...tokens.flatMap((scheme) => of(scheme, scopes)), ...of("oauth", grantable), ...session];
}

function parametersOf(components: Components, surface: DocumentedSurface, operation: OperationContract): JsonSchema[] {
  const { params = {}, query = {}, headers = {} } = operation;
  const ref = (name: string): JsonSchema => ({ $ref: `#/components/parameters/${name}` });
  return [
    ...Object.entries(params).map(([name, schema]) => parameter(components, name, "path", schema)),
    ...Object.entries(query).map(([name, schema]) => parameter(components, name, "query", schema)),
    ...Object.keys(headers)
      // OpenAPI allows no parameter named Authorization: an operation that reads it says what for.
      .filter((name) => !Object.hasOwn(ENCODED, name) && !SENT_BY_EVERY_CLIENT.has(name))
      .map((name) => ref(parameterOf(name))),
    ...(isRead(operation) ? [] : [ref("IdempotencyKey")]),
    ...(surface === "current" ? [ref("ApiVersion")] : []),
  ];
}

/** Headers that are not listed as parameters, because OpenAPI or HTTP itself defines them. */
const SENT_BY_EVERY_CLIENT: ReadonlySet<string> = new Set(["authorization", "accept", "host", "origin"]);

function parameter(components: Components, name: string, place: "path" | "query", from: TSchema): JsonSchema {
  const { description, ...schema } = components.schema(from);
  return {
    name,
    in: place,
    required: place === "path",
    ...(description === undefined ? {} : { description }),
    schema,
    ...(place === "path" ? {} : leftOut(from)),
  };
}

function requestBody(components: Components, { id, surface, operation }: Placed): JsonSchema {
  const { body, isBodyOptional } = operation;
  if (body === undefined) return {};
  if (!isJsonBody(body)) return { required: true, content: rawContent(components, body) };
  // v1 ignores unknown fields.
  const taken = surface === "v1" ? body : closedSchema(body);
  const schema = components.named(`${id.charAt(0).toUpperCase()}${id.slice(1)}Request`, taken);
  return {
    required: isBodyOptional !== true,
    content: { "application/json": { schema, example: exampleOf(body) } },
  };
}

/** OpenAPI 3.1 describes bytes by their content type alone. */
const rawContent = (
  components: Components,
  { types = ["application/octet-stream"], limitBytes, shown }: RawBodyContract,
): JsonSchema => {
  const schema = shown === undefined ? {} : components.schema(shown);
  return Object.fromEntries(types.map((type) => [type, { schema: { ...schema, "x-limit-bytes": limitBytes } }]));
};

/** The component of a request header. */
function parameterOf(name: string): string {
  const found = Object.entries(PARAMETERS).find(([, parameter]) => parameter.name.toLowerCase() === name);
  assert(found !== undefined, `the header ${name} is described in headers.ts`);
  return found[0];
}

function answersOf(components: Components, surface: DocumentedSurface, operation: OperationContract): JsonSchema {
  const { answers, deprecation } = operation;
  const names = [
    ...STANDING[surface],
    ...(isTagged(operation) ? ["ETag", "Cache-Control"] : []),
    ...("range" in (operation.headers ?? {}) ? OF_FILES : []),
    ...(operation.answerHeaders ?? []),
    ...(isRead(operation) ? [] : ["Idempotency-Status"]),
    ...(deprecation === undefined ? [] : ["Deprecation", "Link"]),
    ...(deprecation?.sunsetAt === undefined ? [] : ["Sunset"]),
  ];
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      {
        description: STATUS_WORDS[status],
        headers: headerReferences(names),
        ...(answer === null || answer === undefined ? {} : { content: answerContent(components, answer) }),
      },
    ]),
  );
}

function answerContent(components: Components, answer: TSchema | Media): JsonSchema {
  const types = isMedia(answer) ? answer.types : { "application/json": answer };
  return Object.fromEntries(
    Object.entries(types).map(([type, schema]) => [
      type,
      type === STREAM_MEDIA_TYPE
        ? streamOf(components, schema)
        : { schema: components.schema(schema), example: exampleOf(schema) },
    ]),
  );
}

/**
 * The body of an event stream is text: a proxy that validates answers applies `schema` to all of it.
 * `contentSchema`, which nothing validates, describes each event: its name, its id, and its data as JSON.
 * `x-itemSchema` repeats that in the way of OpenAPI 3.2's `itemSchema`.
 */
function streamOf(components: Components, event: TSchema): JsonSchema {
  const items = components.schema(event);
  return {
    schema: {
      type: "string",
      description: "Server-sent events; `contentSchema` and `x-itemSchema` describe each of them",
      contentMediaType: STREAM_MEDIA_TYPE,
      contentSchema: { type: "array", items },
    },
    "x-itemSchema": items,
  };
}

/** Headers of an answer that is a file. */
const OF_FILES = ["Accept-Ranges", "Content-Range", "Content-Disposition"];

/** Whether the answer has an entity tag that requests can be conditional on. */
const isTagged = (operation: OperationContract): boolean =>
  isRead(operation) && ["if-none-match", "range"].some((name) => name in (operation.headers ?? {}));

const isMedia = (answer: TSchema | Media | null | undefined): answer is Media =>
  answer !== null && answer !== undefined && (answer as { readonly kind?: unknown }).kind === "media";

/** How to get the next page: the parameter that takes the cursor, and the fields with the cursor and the records. */
function paginationOf({ query = {}, answers }: OperationContract): JsonSchema | null {
  const answer = answers[200];
  if (answer === null || answer === undefined || isMedia(answer)) return null;
  const properties = (answer["properties"] ?? {}) as Readonly<Record<string, TSchema>>;
  if (properties["next_cursor"] === undefined) return null;
  const items = Object.keys(properties).find((name) => properties[name]?.["type"] === "array");
  return { parameter: "cursor" in query ? "cursor" : "after", next: "next_cursor", items };
}
