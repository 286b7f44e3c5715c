/** The bodies of refusals (ERR-1, ERR-3), as components of the contract. */
import { OneOf, Type } from "../../actors/schema.ts";
import { ERROR_CODES, type ErrorCode } from "../current/error-codes.ts";
import { errorUrl } from "../http/contract/paths.ts";
import { noun, Text } from "../http/contract/noun.ts";

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const Code = OneOf(CODES, { description: "The error code" });

const Named = noun("NamedRecord", "A record by its id and its name", {
  id: Text("The record's id", "agt_V1StGXR8_Z5jdHi6B-myT"),
  name: Text("The record's name", "Ada"),
});

/** What a caller needs to act on the error; the code decides which fields are present. */
const ErrorDetails = noun("ErrorDetails", "Details to act on; which fields are present depends on the code", {
  errors: Type.Optional(
    Type.Array(
      noun("InputError", "One error of the input", {
        path: Text("JSON pointer to the field", "/name"),
        message: Text("In words", "Missing required field: name"),
      }),
    ),
  ),
  required_scopes: Type.Optional(Type.Array(Type.String())),
  supported: Type.Optional(Type.Array(Type.String(), { description: "Supported API versions" })),
  unknown: Type.Optional(Type.Array(Type.String(), { description: "Unknown event types" })),
  oldest_sequence: Type.Optional(Type.Integer({ description: "The oldest event that is kept" })),
  quota: Type.Optional(Type.String({ description: "Quota that was reached" })),
  limit: Type.Optional(Type.Integer({ description: "What the quota allows" })),
  used: Type.Optional(Type.Integer({ description: "Current usage" })),
  limit_bytes: Type.Optional(Type.Integer()),
  bytes: Type.Optional(Type.Integer({ description: "The size of the file" })),
  offset: Type.Optional(Type.Integer({ description: "The first byte of the next part of the upload" })),
  status: Type.Optional(Type.String({ description: "The current status of the record" })),
  allowed_actions: Type.Optional(Type.Array(Type.String(), { description: "The actions that are allowed now" })),
  job_id: Type.Optional(Type.String({ description: "The job that blocks the request" })),
  version: Type.Optional(Type.Integer({ description: "The current version of the record" })),
  path: Type.Optional(Type.String({ description: "The existing file or directory" })),
  agents: Type.Optional(Type.Array(Named, { description: "Agents that use the secret and that you may see" })),
  workspaces: Type.Optional(Type.Array(Named, { description: "Workspaces with repositories that use the secret" })),
  providers: Type.Optional(
    Type.Array(Type.String(), { description: "Providers of models that are called with the secret" }),
  ),
  others: Type.Optional(Type.Integer({ description: "Number of agents that use the secret and that you may not see" })),
});

export const ErrorBody = noun("Error", "An error", {
  type: Text("URL of a page about the code", errorUrl("https://troupe.example", "not_found")),
  code: Code,
  error: Code,
  message: Text("Human-readable message", "No such agent"),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  request_id: Text("Request id; the operator finds it in the log", "req_V1StGXR8_Z5jdHi6B-myT"),
  details: ErrorDetails,
});

export const V1ErrorBody = noun("V1Error", "An error of v1", {
  error: Type.Literal(true),
  statusCode: Type.Integer({ minimum: 400, maximum: 599 }),
  statusMessage: Text("The reason phrase of the status", "Bad Request"),
  message: Text("In words", "Missing required field: name"),
});
