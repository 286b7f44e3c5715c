/**
 * Queries over the files of a workspace (port: `actors/workspace/data-queries.ts`), in the children of the sandbox. A
 * query is parsed first, so that a child gets only the files that it names:
 *
 *   text ─query-plan─▶ paths ─workspace─▶ content ─placed in the child's folder─▶ query ─▶ rows
 */
import { type Fault, invalid, notFound, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { DataQueries, DataQuery, DataResult } from "../../actors/workspace/data-queries.ts";
import { parsePath } from "../../actors/workspace/path.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import { workspaceRef } from "../../actors/workspace/schema.ts";
import type { SandboxFile } from "../sandbox/child-folder.ts";
import { SQLITE_NAME } from "../sandbox/protocol.ts";
import type { QueryDone, QueryPlan, QueryRefusal } from "../sandbox/jobs/query-answer.ts";
import { FILE_MISSING, type Sandbox, type SandboxJob, type SandboxResult } from "../sandbox/sandbox.ts";

/** From a query to its answer, with the wait for earlier queries of its organization. */
const QUERY_WALL_MS = 30_000;
/** CPU time of a query over SQLite, which cannot end itself as DuckDB does. */
const SQLITE_LIMITS = { cpuMs: 5_000, wallMs: 60_000 };
/** Bytes of all files of one query: remote ones are fetched to this machine. */
const QUERIED_FILES_BYTES = 2 * 1024 * 1024 * 1024;
const QUERY_RETRY_MS = 1_000;

interface DataQueryParts {
  readonly sandbox: Sandbox;
  readonly system: TroupeSystem;
  readonly contents: FileContents;
}

export function dataQueries(parts: DataQueryParts, wallMs = QUERY_WALL_MS): DataQueries {
  return {
    async run(asked) {
      const deadline = AbortSignal.timeout(wallMs);
      const signal = asked.signal === undefined ? deadline : AbortSignal.any([asked.signal, deadline]);
      const outcome = await runDataQuery(parts, { ...asked, signal });
      const isLate = !outcome.ok && deadline.aborted && asked.signal?.aborted !== true;
      return isLate ? refuse({ kind: "timeout", message: lateWords(wallMs) }) : outcome;
    },
  };
}

const lateWords = (wallMs: number): string =>
  `The query was not answered within ${wallMs / 1_000} s: the machine is busy, or earlier queries of this organization are slow`;

async function runDataQuery(parts: DataQueryParts, asked: DataQuery): Promise<Outcome<DataResult>> {
  const from = performance.now();
  const { organizationId, workspaceId } = asked;
  const workspace = await parts.system.dispatch(workspaceRef(organizationId, workspaceId), {
    kind: "read_workspace",
  });
  if (!workspace.ok) return workspace;
  const found =
    asked.database === null ? await namedFiles(parts, asked) : await databaseFile(parts, asked, asked.database);
  if (!found.ok) return found;
  const { files, query } = found.value;
  const job = asked.database === null ? "query" : "sqlite-query";
  const limits = asked.database === null ? {} : { limits: SQLITE_LIMITS };
  const { format, limit, maxBytes } = asked;
  const options = { lane: organizationId, format, limit, maxBytes };
  const answer = await parts.sandbox.run({
    ...jobOf({ ...asked, query }, job),
    ...limits,
    options,
    files,
  });
  const done = queryAnswer<QueryDone>(answer);
  if (!done.ok) return done;
  const { columns, rowCount, truncated } = done.value;
  const bytes = answer.ok ? (answer.bytes ?? new Uint8Array()) : new Uint8Array();
  return ok({
    columns,
    rowCount,
    truncated,
    durationMs: Math.round(performance.now() - from),
    bytes,
  } satisfies DataResult);
}

function jobOf({ organizationId, query, params, budget, signal }: DataQuery, job: string): SandboxJob {
  return {
    job,
    lane: organizationId,
    options: { lane: organizationId },
    content: Buffer.from(JSON.stringify({ query, params })),
    ...(budget === undefined ? {} : { budget }),
    ...(signal === undefined ? {} : { signal }),
    isSuspect,
  };
}

/** The files that the query names, under these names, and the text to run. */
async function namedFiles(
  parts: DataQueryParts,
  asked: DataQuery,
): Promise<Outcome<{ readonly files: readonly SandboxFile[]; readonly query: string }>> {
  const plan = queryAnswer<QueryPlan>(await parts.sandbox.run(jobOf(asked, "query-plan")));
  if (!plan.ok) return plan;
  const files: SandboxFile[] = [];
  let bytes = 0;
  for (const path of plan.value.files) {
    const file = await queriedFile(parts, asked, path);
    if (!file.ok) return file;
    bytes += file.value.size;
    if (bytes > QUERIED_FILES_BYTES)
      return invalid("/query", `The files have more than ${QUERIED_FILES_BYTES} bytes together`);
    if (!files.some(({ name }) => name === file.value.name)) files.push(file.value);
  }
  return ok({ files, query: plan.value.text ?? asked.query });
}

async function databaseFile(parts: DataQueryParts, asked: DataQuery, path: string): ReturnType<typeof namedFiles> {
  const file = await queriedFile(parts, asked, path, "database");
  return file.ok ? ok({ files: [{ ...file.value, name: SQLITE_NAME }], query: asked.query }) : file;
}

async function queriedFile(
  { system, contents }: DataQueryParts,
  { organizationId, workspaceId }: DataQuery,
  text: string,
  field = "query",
): Promise<Outcome<SandboxFile & { readonly size: number }>> {
  const violation = (message: string): Outcome<never> => refuse({ kind: "read_only_violation", message });
  const path = parsePath(text, field);
  if (!path.ok)
    return field === "database" ? path : violation(`\`${text}\` is not the path of a file in the workspace`);
  const found = await system.dispatch(workspaceRef(organizationId, workspaceId), {
    kind: "read_place",
    path: path.value,
  });
  const node = found.ok ? found.value.place.node : null;
  if (!found.ok && found.fault.kind !== "not_found") return found;
  if (node?.kind !== "file" && /^(?:~|[a-z][a-z0-9+.-]*:)/i.test(text))
    return violation(`\`${text}\` is an address: a query reads files of the workspace`);
  if (node?.kind !== "file" && field === "query" && /[*?[\]{}]/.test(text))
    return violation(`\`${text}\` is a pattern, and no file has this name: name each file`);
  if (node?.kind !== "file") return invalid(`/${field}`, `There is no file \`${text}\` in this workspace`);
  const { sha256, size } = node;
  // Use the query's spelling, because DuckDB opens that.
  const name = text
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  return ok({ name, size, place: (target) => contents.place({ organizationId, sha256 }, target) });
}

/** For a query: it refuses errors in its own text, so anything else is a failure of the child. */
export const isSuspect: NonNullable<SandboxJob["isSuspect"]> = (answer) =>
  answer.ok ? (answer.value as Partial<QueryRefusal> | null)?.reason === "memory" : answer.error === "failed";

/** The child's answer, or the fault for its failure. */
function queryAnswer<T extends { readonly kind: string }>(result: SandboxResult): Outcome<T> {
  // The file was deleted between the plan and the job, and its content swept.
  if (!result.ok && result.words === FILE_MISSING) return notFound("file");
  if (!result.ok) return refuse(FAULTS[result.error]);
  // The value is bounded and comes from our program; a compromised child could falsify results in any case.
  const value = result.value as T | QueryRefusal;
  return value.kind === "refused" ? refuse(faultOf(value as QueryRefusal)) : ok(value as T);
}

/** The field of the request that a refusal is about, unless it is the query. */
const REFUSED_FIELDS: Partial<Record<QueryRefusal["reason"], string>> = { params: "/params", database: "/database" };

function faultOf({ reason, message }: QueryRefusal): Fault {
  if (reason === "violation") return { kind: "read_only_violation", message };
  if (reason === "timeout") return { kind: "timeout", message };
  return { kind: "invalid_request", errors: [{ path: REFUSED_FIELDS[reason] ?? "/query", message }] };
}

const QUERY_TOO_LARGE: Fault = {
  kind: "invalid_request",
  errors: [{ path: "/query", message: "The query needs more than 512 MiB of memory" }],
};

const FAULTS: Readonly<Record<Exclude<SandboxResult, { ok: true }>["error"], Fault>> = {
  crashed: QUERY_TOO_LARGE,
  deadline: { kind: "timeout", message: "The query used more than 5 s of CPU time" },
  over_budget: { kind: "timeout", message: "The calls of this step have used their CPU time" },
  too_large: { kind: "invalid_request", errors: [{ path: "/query", message: "The query is too long" }] },
  busy: { kind: "overloaded", retryAfterMs: QUERY_RETRY_MS },
  aborted: { kind: "unavailable", retryAfterMs: QUERY_RETRY_MS },
  unavailable: { kind: "unavailable", retryAfterMs: QUERY_RETRY_MS },
  failed: { kind: "unavailable", retryAfterMs: QUERY_RETRY_MS },
  invalid: { kind: "unavailable", retryAfterMs: QUERY_RETRY_MS },
};
