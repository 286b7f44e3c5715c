/**
 * An operation that carries another protocol, as the contract shows it: its refusals are in the words of that
 * protocol.
 */
import { headerReferences, STANDING } from "./headers.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type DocumentParts, operationObject, type Placed } from "./operation-object.ts";

/** Refusals by MCP itself, as JSON-RPC errors: the status, and the methods that have it. */
const REFUSED_BY_MCP = [
  {
    status: "400",
    methods: ["POST", "GET", "DELETE"],
    description: "The message, its session or its headers are invalid (a JSON-RPC error), or an error of the service",
  },
  {
    status: "404",
    methods: ["POST", "GET", "DELETE"],
    description: "Session not found (a JSON-RPC error): start a new one with `initialize`",
  },
  {
    status: "406",
    methods: ["POST"],
    description: "`Accept` must include both `application/json` and `text/event-stream` (a JSON-RPC error)",
  },
  { status: "406", methods: ["GET"], description: "`Accept` must include `text/event-stream` (a JSON-RPC error)" },
  { status: "409", methods: ["GET"], description: "The session already has an open stream (a JSON-RPC error)" },
] as const;

export function protocolObject(parts: DocumentParts, placed: Placed): JsonSchema {
  const operation = operationObject(parts, placed);
  const bodies = ["McpMessage", "Error"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const ofMethod = REFUSED_BY_MCP.filter(({ methods }) => methods.some((one) => one === placed.operation.method));
  const refused = ofMethod.map(({ status, description }) => [
    status,
    {
      description,
      headers: headerReferences(STANDING[placed.surface]),
      content: { "application/json": { schema: { anyOf: bodies } } },
    },
  ]);
  return { ...operation, responses: { ...(operation["responses"] as object), ...Object.fromEntries(refused) } };
}
