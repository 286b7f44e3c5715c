/** An operation that carries another protocol, as the contract shows it: what the protocol refuses is in its words. */
import { headersOf, STANDING } from "./headers.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type DocumentParts, operationObject, type Placed } from "./operation-object.ts";

/** By status: what MCP refuses itself. */
const REFUSED_BY_MCP: Readonly<Record<string, string>> = {
  400: "The message, its session or its headers do not fit, as a JSON-RPC error; or an error of the service",
  404: "The session is not found, as a JSON-RPC error: begin a new one with `initialize`",
};

export function protocolObject(parts: DocumentParts, placed: Placed): JsonSchema {
  const operation = operationObject(parts, placed);
  const bodies = ["McpMessage", "Error"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const refused = Object.entries(REFUSED_BY_MCP).map(([status, description]) => [
    status,
    {
      description,
      headers: headersOf(STANDING[placed.surface]),
      content: { "application/json": { schema: { anyOf: bodies } } },
    },
  ]);
  return { ...operation, responses: { ...(operation["responses"] as object), ...Object.fromEntries(refused) } };
}
