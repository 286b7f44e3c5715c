/** The bodies of refusals (ERR-1, ERR-3), as components of the contract. */
import { OneOf, Type } from "../../actors/schema.ts";
import { ERROR_CODES, type ErrorCode } from "../current/error-codes.ts";
import { noun, Text } from "../http/noun.ts";

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const Code = OneOf(CODES, { description: "What is wrong, for programs" });

/** What a caller needs to act on it; which of these are there depends on the code. */
const ErrorDetails = noun(
  "ErrorDetails",
  "What a caller needs to act on a refusal; which of these are there depends on the code",
  {
    errors: Type.Optional(
      Type.Array(
        noun("InputError", "What is wrong with one place of the input", {
          path: Text("A JSON pointer", "/name"),
          message: Text("In words", "Missing required field: name"),
        }),
      ),
    ),
    required_scopes: Type.Optional(Type.Array(Type.String())),
    supported: Type.Optional(Type.Array(Type.String(), { description: "Versions of the interface" })),
    unknown: Type.Optional(Type.Array(Type.String(), { description: "Event types that there are not" })),
    oldest_sequence: Type.Optional(Type.Integer({ description: "The oldest event that is kept" })),
    limit_bytes: Type.Optional(Type.Integer()),
    status: Type.Optional(Type.String({ description: "The status that the record has now" })),
    allowed_actions: Type.Optional(Type.Array(Type.String(), { description: "What may be done with it now" })),
    job_id: Type.Optional(Type.String({ description: "The job that is in the way" })),
    version: Type.Optional(Type.Integer({ description: "The version that the record has now" })),
  },
);

export const ErrorBody = noun("Error", "Why a request was refused", {
  type: Text("A page about the code", "https://troupe.example/api/reference#error-not_found"),
  code: Code,
  error: Code,
  message: Text("In words, for people", "No such agent"),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  request_id: Text("The id of the request, by which the operator finds it", "req_V1StGXR8_Z5jdHi6B-myT"),
  details: ErrorDetails,
});

export const V1ErrorBody = noun("V1Error", "Why a request of v1 was refused", {
  error: Type.Literal(true),
  statusCode: Type.Integer({ minimum: 400, maximum: 599 }),
  statusMessage: Text("The reason phrase of the status", "Bad Request"),
  message: Text("In words", "Missing required field: name"),
});
