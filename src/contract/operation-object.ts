/** One operation as the contract shows it: parameters, body, answers, refusals, security (DOC-1). */
import type { TSchema } from "../../actors/schema.ts";
import { isRead, type Media, type OperationContract } from "../http/operation.ts";
import { exampleOf } from "./example.ts";
import { headersOf, STANDING } from "./headers.ts";
import type { Components, JsonSchema } from "./json-schema.ts";
import type { RefusalResponses, SurfaceName } from "./refusals.ts";

/** An operation and where it stands. */
export interface Placed {
  readonly id: string;
  readonly tag: string;
  readonly surface: SurfaceName;
  readonly operation: OperationContract;
}

export interface DocumentParts {
  readonly components: Components;
  readonly refusals: RefusalResponses;
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  200: "Done",
  201: "Created",
  202: "Accepted: the work goes on",
  304: "Nothing is newer than what the caller has",
};
const STREAM = "text/event-stream";

export function operationObject(parts: DocumentParts, { id, tag, surface, operation }: Placed): JsonSchema {
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
    ...(body === undefined ? {} : { requestBody: requestBody(parts.components, id, operation) }),
    responses: { ...answersOf(parts.components, surface, operation), ...parts.refusals.of(surface, operation) },
    ...(emits === undefined || emits === null ? {} : { "x-emits": emits }),
    ...(pages === null ? {} : { "x-pagination": pages }),
  };
}

function securityOf(surface: SurfaceName, { scope, orScope, signed }: OperationContract): readonly JsonSchema[] {
  if (signed !== undefined) return [{ signedAddress: [] }];
  if (scope === null) return [];
  // Either kind of token will do (AUTH-6); that which the surface is made for stands first.
  const schemes = ["serviceToken", "personalAccessToken"];
  const scopes = [scope, ...(orScope === undefined ? [] : [orScope])];
  return (surface === "v1" ? schemes.toReversed() : schemes).flatMap((scheme) =>
    scopes.map((one) => ({ [scheme]: [one] })),
  );
}

function parametersOf(components: Components, surface: SurfaceName, operation: OperationContract): JsonSchema[] {
  const { params = {}, query = {}, isVersioned, signed, answers } = operation;
  const ref = (name: string): JsonSchema => ({ $ref: `#/components/parameters/${name}` });
  const isStream = isMedia(answers[200]) && STREAM in answers[200].types && isRead(operation);
  return [
    ...Object.entries(params).map(([name, schema]) => parameter(components, name, "path", schema)),
    ...Object.entries(query).map(([name, schema]) => parameter(components, name, "query", schema)),
    ...(isStream ? [ref("LastEventId")] : []),
    ...(isVersioned === true ? [ref("IfMatch")] : []),
    ...(isDocument(operation) ? [ref("IfNoneMatch")] : []),
    ...(isRead(operation) ? [] : [ref("IdempotencyKey")]),
    ...(surface === "current" && signed === undefined ? [ref("ApiVersion")] : []),
  ];
}

function parameter(components: Components, name: string, place: "path" | "query", from: TSchema): JsonSchema {
  const { description, ...schema } = components.schema(from);
  return {
    name,
    in: place,
    required: place === "path",
    ...(description === undefined ? {} : { description }),
    schema,
  };
}

function requestBody(components: Components, id: string, { body, isBodyOptional }: OperationContract): JsonSchema {
  if (body === undefined) return {};
  const schema = components.named(`${id.charAt(0).toUpperCase()}${id.slice(1)}Request`, body);
  return {
    required: isBodyOptional !== true,
    content: { "application/json": { schema, example: exampleOf(body) } },
  };
}

function answersOf(components: Components, surface: SurfaceName, operation: OperationContract): JsonSchema {
  const { answers, signed, deprecation } = operation;
  const names = [
    ...STANDING[signed === undefined ? surface : "signed"],
    ...(isDocument(operation) ? ["ETag"] : []),
    ...(isRead(operation) ? [] : ["Idempotency-Status"]),
    ...(deprecation === undefined ? [] : ["Deprecation", "Link"]),
    ...(deprecation?.sunsetAt === undefined ? [] : ["Sunset"]),
  ];
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      {
        description: STATUS_WORDS[status],
        headers: headersOf(names),
        ...(answer === null || answer === undefined ? {} : { content: contentOf(components, answer) }),
      },
    ]),
  );
}

/** The schema of an event stream is that of one event: its name, its id and its data as JSON. */
function contentOf(components: Components, answer: TSchema | Media): JsonSchema {
  const types = isMedia(answer) ? answer.types : { "application/json": answer };
  return Object.fromEntries(
    Object.entries(types).map(([type, schema]) => [
      type,
      { schema: components.schema(schema), ...(type === STREAM ? {} : { example: exampleOf(schema) }) },
    ]),
  );
}

/** The same for everybody until the service changes (`http/document.ts`). */
const isDocument = ({ scope, answers }: OperationContract): boolean => scope === null && answers[304] === null;

const isMedia = (answer: TSchema | Media | null | undefined): answer is Media =>
  answer !== null && answer !== undefined && (answer as { readonly kind?: unknown }).kind === "media";

/** How a list goes on: the parameter that takes what the answer says, and where its records are. */
function paginationOf({ query = {}, answers }: OperationContract): JsonSchema | null {
  const answer = answers[200];
  if (answer === null || answer === undefined || isMedia(answer)) return null;
  const properties = (answer["properties"] ?? {}) as Readonly<Record<string, TSchema>>;
  if (properties["next_cursor"] === undefined) return null;
  const items = Object.keys(properties).find((name) => properties[name]?.["type"] === "array");
  return { parameter: "cursor" in query ? "cursor" : "after", next: "next_cursor", items };
}
