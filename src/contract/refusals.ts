/**
 * The refusals of an operation, as responses: its own, and those that all of its kind share. Statuses, codes
 * and examples come from the dialects, so that the contract says what the service does.
 */
import { assert } from "../../actors/assert.ts";
import type { Fault, FaultKind } from "../../actors/fault.ts";
import { currentDialect } from "../current/dialect.ts";
import { ERROR_CODES, type ErrorCode } from "../current/error-codes.ts";
import type { Refusal } from "../http/answer/dialect.ts";
import { REFUSES } from "../http/contract/field.ts";
import { isJsonBody, isRead, type OperationContract } from "../http/contract/operation.ts";
import { v1Dialect } from "../v1/dialect.ts";
import { headerReferences, STANDING } from "./headers.ts";
import type { JsonSchema } from "./json-schema.ts";
import { SAMPLE_FAULTS } from "./sample-faults.ts";
import type { DocumentedSurface } from "../public/contract.ts";

const REQUEST_ID = "req_V1StGXR8_Z5jdHi6B-myT";
const DIALECTS = { current: currentDialect(() => "https://troupe.example"), v1: v1Dialect } as const;
const PASSING_CODES: readonly ErrorCode[] = [
  "internal_error",
  "unavailable",
  "overloaded",
  "outcome_unknown",
  "shutting_down",
];

/** All codes that the operation may be refused with, in the order of the table of error codes. */
export function codesOf(surface: DocumentedSurface, operation: OperationContract): ErrorCode[] {
  const { scope, body, isForOwners, errors = [] } = operation;
  const codes = new Set<ErrorCode>([...errors, ...fieldRefusals(operation), "invalid_request", ...PASSING_CODES]);
  const add = (...more: readonly ErrorCode[]): void => more.forEach((code) => codes.add(code));
  if (surface === "current") add("unsupported_api_version");
  add("rate_limited");
  if (scope !== null) add("unauthenticated", "token_expired", "insufficient_scope", "organization_suspended");
  if (isForOwners === true) add("owner_required");
  if (!isRead(operation)) {
    add("invalid_idempotency_key", "idempotency_conflict", "idempotency_in_progress", "payload_too_large");
    add("storage_full", "quota_exceeded", "request_timeout");
  }
  if (isJsonBody(body)) add("invalid_json");
  if (body !== undefined) add("unsupported_media_type", "payload_too_large", "request_timeout");
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => codes.has(code));
}

/** What the fields of the input may be refused for: an id names nothing, a cursor is not of this list. */
export const fieldRefusals = ({ params = {}, query = {}, headers = {}, body }: OperationContract): FaultKind[] =>
  [params, query, headers, isJsonBody(body) ? body.properties : {}]
    .flatMap((fields) => Object.values(fields))
    .flatMap((schema) => (REFUSES in schema ? [schema[REFUSES] as FaultKind] : []));

/** An example of the code in the words of the surface. */
export const sampleRefusal = (surface: DocumentedSurface, code: ErrorCode): Refusal =>
  code === "internal_error"
    ? DIALECTS[surface].bug(REQUEST_ID)
    : DIALECTS[surface].refusal({ kind: code, ...SAMPLE_FAULTS[code] } as Fault, REQUEST_ID);

/** The refusing responses of one document, each combination of codes once. */
export class RefusalResponses {
  private readonly responses = new Map<string, JsonSchema>();

  /** The refusals of an operation by status, as references. */
  of(surface: DocumentedSurface, operation: OperationContract): Record<string, JsonSchema> {
    const byStatus = Map.groupBy(codesOf(surface, operation), (code) => sampleRefusal(surface, code).status);
    const statuses = [...byStatus.keys()].toSorted((a, b) => a - b);
    return Object.fromEntries(
      statuses.map((status) => [String(status), this.response(surface, operation, byStatus.get(status) ?? [])]),
    );
  }

  /** All responses by name, in alphabetical order. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.responses].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  private response(surface: DocumentedSurface, operation: OperationContract, codes: readonly ErrorCode[]): JsonSchema {
    const isChange = !isRead(operation);
    const name = `${surface === "current" ? "" : pascal(surface)}${codes.map(pascal).join("Or")}${isChange ? "OnChange" : ""}`;
    if (!this.responses.has(name)) this.responses.set(name, refusalResponse(surface, isChange, codes));
    return { $ref: `#/components/responses/${name}` };
  }
}

function refusalResponse(surface: DocumentedSurface, isChange: boolean, codes: readonly ErrorCode[]): JsonSchema {
  const refusals = codes.map((code) => sampleRefusal(surface, code));
  const more = new Set(refusals.flatMap(({ headers = {} }) => Object.keys(headers)));
  const names = [
    ...STANDING[surface],
    ...(isChange ? ["Idempotency-Status"] : []),
    ...(more.has("retry-after") ? ["Retry-After"] : []),
    ...(more.has("www-authenticate") ? ["WWW-Authenticate"] : []),
  ];
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].meaning}`).join("\n\n"),
    headers: headerReferences(names),
    content: {
      "application/json": {
        schema: surface === "v1" ? { $ref: "#/components/schemas/V1Error" } : errorWith(codes),
        examples: Object.fromEntries(codes.map((code, i) => [code, { value: refusals[i]?.body }])),
      },
    },
  };
}

/** The body of a refusal, narrowed to its codes. */
function errorWith(codes: readonly ErrorCode[]): JsonSchema {
  const [status] = codes.map((code) => ERROR_CODES[code].status);
  assert(status !== undefined, "a response has a code");
  const code = { description: "The error code", enum: codes };
  const properties = { code, error: code, status: { description: "HTTP status", const: status } };
  return { allOf: [{ $ref: "#/components/schemas/Error" }, { type: "object", properties }] };
}

const pascal = (name: string): string => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
