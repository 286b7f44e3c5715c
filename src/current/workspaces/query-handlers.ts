/** Queries on the current surface (WSP-4). The client gets the rows as the child has written them. */
import { ok } from "../../../actors/fault.ts";
import { type DataResult, DEFAULT_ROWS, MAX_RESULT_BYTES } from "../../../actors/workspace/data-queries.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import type { queryOperations } from "./query-operations.ts";

/** A query may wait for other queries of its organization, and for idle time of the machine. */
const QUIET_SECONDS = 150;

const MEDIA = {
  json: "application/json",
  csv: "text/csv; charset=utf-8; header=present",
  arrow: "application/vnd.apache.arrow.stream",
} as const;

export const queryHandlers: Handlers<typeof queryOperations.operations, Services> = {
  async queryData({ queries }, caller, { params: { id }, body }) {
    const { query, params = [], database = null, format = "json", limit = DEFAULT_ROWS } = body;
    const { organizationId } = caller.principal;
    caller.keepOpen(QUIET_SECONDS);
    const asked = { organizationId, workspaceId: id, query, params, database, format, limit };
    const result = await queries.run({ ...asked, maxBytes: MAX_RESULT_BYTES, signal: caller.signal });
    if (!result.ok) return result;
    const { rowCount, truncated, bytes } = result.value;
    const headers = {
      "content-type": MEDIA[format],
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-row-count": String(rowCount),
      "x-truncated": String(truncated),
    };
    return ok(new Response(format === "json" ? withRows(result.value) : bodyOf(bytes), { headers }));
  },
};

/**
 * Writes a `QueryResult` around rows that are JSON already: parsing and serializing them again would block
 * everybody.
 */
function withRows({ columns, rowCount, truncated, durationMs, bytes }: DataResult): Blob {
  const head = `{"columns":${JSON.stringify(columns)},"rows":`;
  const tail = `,"row_count":${rowCount},"truncated":${truncated},"duration_ms":${durationMs}}`;
  return new Blob([head, bodyOf(bytes), tail]);
}

/** A child's answer never comes in a shared buffer, which a body could not hold. */
const bodyOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => bytes as Uint8Array<ArrayBuffer>;
