/** Imports of OpenAPI documents (port: `ToolImports`), with the guarded client and the sandbox. */
import { cleanJson } from "../../actors/clean-text.ts";
import { invalid, ok, refuse } from "../../actors/fault.ts";
import { type JsonObject, isJsonObject } from "../../actors/schema.ts";
import { visibleText } from "../../actors/visible-text.ts";
import type { Egress } from "../egress/egress.ts";
import type { EgressError } from "../egress/failure.ts";
import type { ReadDocument, ToolImports } from "../operations/tool-imports.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** Bytes of a document: the largest published ones have some 5 MB; only chosen operations become tools. */
export const OPENAPI_DOCUMENT_BYTES = 6 * 1024 * 1024;
const IMPORT_LIMITS = { timeoutMs: 30_000, maxResponseBytes: OPENAPI_DOCUMENT_BYTES, maxRedirects: 3 };
const IMPORT_ACCEPT = "application/json, application/yaml;q=0.9, text/yaml;q=0.9, */*;q=0.5";

/** Failures of the sandbox that the document did not cause. */
const MAY_PASS: ReadonlySet<string> = new Set(["busy", "unavailable", "aborted"]);
const IMPORT_RETRY_MS = 1_000;

const IMPORT_ERROR_WORDS: Partial<Record<EgressError, string>> = {
  https_required:
    "The URL must begin with https://; an operator can open plain http to a service of their own by its origin in EGRESS_ALLOW",
  blocked_address: "The URL leads to an address that is not public; an operator can open it with EGRESS_ALLOW",
  timeout: "The host did not send the document in time",
};

export const toolImports = (egress: Pick<Egress, "request">, sandbox: Pick<Sandbox, "run">): ToolImports => ({
  async fetched(url, signal) {
    const answer = await egress.request({
      url,
      method: "GET",
      headers: { accept: IMPORT_ACCEPT },
      limits: IMPORT_LIMITS,
      signal,
    });
    if (answer.kind === "failed")
      return invalid("/url", IMPORT_ERROR_WORDS[answer.error] ?? "The document cannot be fetched");
    const { status, headers, truncated, body } = answer;
    if (status !== 200) return invalid("/url", `The host answered ${status} instead of the document`);
    if (truncated) return invalid("/url", `The document has more than ${OPENAPI_DOCUMENT_BYTES} bytes`);
    if ((headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity")
      return invalid("/url", "The host sends the document compressed, although the request did not allow it");
    return ok(new TextDecoder().decode(body));
  },

  async read(organizationId, text, choice) {
    const content = new TextEncoder().encode(text);
    const options = { ...choice, operations: [...choice.operations], headers: [...choice.headers] };
    const result = await sandbox.run({ job: "openapi", lane: organizationId, options, content });
    if (!result.ok)
      return MAY_PASS.has(result.error)
        ? refuse({ kind: "overloaded", retryAfterMs: IMPORT_RETRY_MS })
        : invalid("/document", "The document cannot be read");
    const value = cleanJson(result.value);
    if (isJsonObject(value) && value["kind"] === "refused")
      return invalid("/document", visibleText(String(value["message"])));
    const read = documentIn(value);
    return read === null ? invalid("/document", "The document cannot be read") : ok(read);
  },
});

/** Validates the answer of a child, which may be compromised; null if it has another shape. */
function documentIn(value: unknown): ReadDocument | null {
  if (!isJsonObject(value)) return null;
  const { title, total, operations, tools, notes, errors } = value;
  const lists = [operations, tools, notes, errors];
  if (typeof title !== "string" || typeof total !== "number" || !lists.every(Array.isArray)) return null;
  const text = (one: unknown, key: string): string =>
    isJsonObject(one) && typeof one[key] === "string" ? visibleText(one[key]) : "";
  return {
    title: visibleText(title),
    total,
    operations: (operations as JsonObject[]).map((one) => ({
      operation_id: text(one, "operation_id"),
      method: text(one, "method"),
      path: text(one, "path"),
      summary: text(one, "summary"),
    })),
    tools: (tools as JsonObject[]).map((one) => ({ ...one, description: text(one, "description") })),
    notes: (notes as JsonObject[]).map((one) => ({
      operation_id: text(one, "operation_id"),
      message: text(one, "message"),
    })),
    errors: (errors as JsonObject[]).map((one) => ({ at: Number(one["at"]), message: text(one, "message") })),
  };
}
