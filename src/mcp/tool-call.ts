/**
 * A tool call: its arguments become the input of its operation, which runs as for a REST request, and the
 * operation's answer becomes the tool's (MCP-3). A refusal is an error of the tool, with the body that REST would
 * answer.
 */
import { cutText } from "../../actors/cut-text.ts";
import { parseStored } from "../../actors/exact-json.ts";
import { type Fault, invalid, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { hasScope } from "../../actors/organization/principal.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { Json, JsonObject } from "../../actors/schema.ts";
import { type Caller, detachCaller } from "../http/request/caller.ts";
import type { LocalInput } from "../http/input/local-input.ts";
import { didYouMean } from "../../actors/near-name.ts";
import type { CallParts, ToolAnswer } from "./call-parts.ts";
import { readContent, writtenContent } from "./file-content.ts";
import { waitForJob, type JobWaiter } from "./job-wait.ts";
import type { ArgumentPlaceOf, BoundTool } from "./tool-schema.ts";
import { WAIT_SECONDS } from "./tools.ts";

/** Size limit for an operation's answer that is not an object; longer ones are refused. */
const TOOL_ANSWER_BYTES = 1024 * 1024;

type CallArguments = Readonly<Record<string, Json>>;

/** A fault for the first scope that the caller lacks for this tool; null if none is missing. */
export function scopeFault({ scopes }: BoundTool, { principal }: Caller): Fault | null {
  const lacking = scopes.filter((scope) => !hasScope(principal.scopes, scope));
  return lacking.length === 0 ? null : { kind: "insufficient_scope", required: lacking };
}

export interface ToolRun {
  readonly tool: BoundTool;
  readonly given: CallArguments;
  readonly waiting: JobWaiter;
  /** The job that an earlier part of the same call began or waited for; absent or null: none. */
  readonly begun?: string | null;
}

/** Runs the tool. `waiting` applies if it waits for a job. */
export async function callTool(
  parts: CallParts,
  caller: Caller,
  { tool, given, waiting, begun = null }: ToolRun,
): Promise<Outcome<ToolAnswer>> {
  const lacking = scopeFault(tool, caller);
  if (lacking !== null) return refuse(lacking);
  const unknown = unknownArgument(tool, given);
  if (unknown !== null) return unknown;
  const read = await inputOf(parts, caller, tool, given);
  if (!read.ok) return read;
  const { input, own } = read.value;
  const { runs, operation } = tool.spec;
  if (runs === "wait" || runs === "execute") return work(parts, caller, { tool, input, own, waiting, begun });
  if (runs === "read_file") return readContent(parts.invoke, caller, input, own);
  if (runs === "write_file") {
    const written = writtenContent(input, own);
    return written.ok ? toolAnswerOf(await parts.invoke(operation, caller, written.value)) : written;
  }
  return toolAnswerOf(await parts.invoke(operation, caller, input));
}

/** Begins the work or finds it, and waits for it. */
async function work(
  parts: CallParts,
  caller: Caller,
  { tool, input, own, waiting, begun: known }: ReadArguments & Required<Omit<ToolRun, "given">>,
): Promise<Outcome<ToolAnswer>> {
  const seconds = own["wait_seconds"] ?? WAIT_SECONDS.default;
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || seconds < 0 || seconds > WAIT_SECONDS.most)
    return invalid("/wait_seconds", `wait_seconds must be a whole number from 0 to ${WAIT_SECONDS.most}`);
  let jobId = known ?? input.params?.["id"] ?? "";
  if (tool.spec.runs === "execute" && known === null) {
    const begun = await parts.invoke(tool.spec.operation, caller, withIdempotencyKey(input, waiting.callKey ?? null));
    if (!begun.ok) return begun;
    jobId = (begun.value as { readonly job_id: string }).job_id;
  }
  const job = await waitForJob(parts, caller, { jobId, seconds, waiting });
  await cancelBegun(parts, caller, { tool, waiting, jobId });
  return job.ok ? ok({ value: job.value }) : job;
}

/**
 * Cancels the job that the call began, if the client has cancelled the call. If the token may not cancel jobs, the job
 * goes on.
 */
export async function cancelBegun(
  { invoke }: Pick<CallParts, "invoke">,
  caller: Caller,
  { tool, waiting, jobId }: Pick<ToolRun, "tool" | "waiting"> & { readonly jobId: string },
): Promise<void> {
  if (tool.spec.runs === "execute" && waiting.isCancelled())
    await invoke("cancelJob", detachCaller(caller), { params: { id: jobId } });
}

/** A repetition with an idempotency key finds the job of the first call, so the job's id is not known before. */
const withIdempotencyKey = (input: LocalInput, key: string | null): LocalInput =>
  key === null || input.idempotencyKey !== undefined
    ? input
    : { ...input, body: { ...(input.body as JsonObject), call_key: key } };

function unknownArgument(tool: BoundTool, given: CallArguments): Outcome<never> | null {
  const names = [...tool.arguments.keys()];
  const unknown = Object.keys(given).find((name) => !tool.arguments.has(name));
  if (unknown === undefined) return null;
  const shown = cutText(unknown, 64);
  return invalid(`/${shown}`, `Unknown argument \`${shown}\`${didYouMean(shown, names)}`);
}

interface ReadArguments {
  readonly input: LocalInput;
  /** Arguments for the tool itself, not for its operation. */
  readonly own: CallArguments;
}

/** Puts each argument in its place; the operation validates the values. */
async function inputOf(
  parts: CallParts,
  caller: Caller,
  tool: BoundTool,
  given: CallArguments,
): Promise<Outcome<ReadArguments>> {
  const places: Record<ArgumentPlaceOf["place"], Record<string, Json>> = {
    params: {},
    query: {},
    body: {},
    "if-match": {},
    "idempotency-key": {},
    tool: {},
  };
  for (const [name, { place, field, isRequired }] of tool.arguments) {
    const isDefaulted = name === "workspace_id" && tool.spec.selectsWorkspace === true;
    // Some clients send null for what they leave out. In a body null has a meaning of its own.
    const value = given[name] === null && (place !== "body" || isDefaulted) ? undefined : given[name];
    if (value !== undefined) {
      const isText = place === "body" || place === "tool" || isWord(value) || (place === "query" && isWords(value));
      if (!isText) return invalid(`/${name}`, `${name} must be ${place === "query" ? QUERY_VALUE : "a string"}`);
      places[place][field] = value;
    } else if (isRequired) return invalid(`/${name}`, `${name} is required`);
    else if (isDefaulted) {
      const selected = await selectedWorkspace(parts, caller);
      if (!selected.ok) return selected;
      places[place][field] = selected.value;
    }
  }
  const { params, query, body, tool: own } = places;
  const key = places["idempotency-key"]["idempotency_key"];
  const match = places["if-match"]["if_match"];
  const hasBody = [...tool.arguments.values()].some(({ place }) => place === "body");
  return ok({
    own,
    input: {
      params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
      query: query as NonNullable<LocalInput["query"]>,
      headers: match === undefined ? {} : { "if-match": String(match) },
      ...(hasBody ? { body } : {}),
      ...(key === undefined ? {} : { idempotencyKey: String(key) }),
    },
  });
}

const QUERY_VALUE = "a string, a number, true, false or a list of these";
const isWord = (value: Json): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";
const isWords = (value: Json): boolean => Array.isArray(value) && value.every(isWord);

/** The workspace that the person has selected (WSP-1). */
export async function selectedWorkspace({ services }: CallParts, { principal }: Caller): Promise<Outcome<string>> {
  const { organizationId, userId } = principal;
  const selection = await services.system.dispatch(organizationRef(organizationId), { kind: "read_selection", userId });
  if (!selection.ok) return selection;
  return selection.value.selectedId === null
    ? refuse({ kind: "not_found", noun: "workspace" })
    : ok(selection.value.selectedId);
}

/** The operation's answer as an object. */
export async function toolAnswerOf(outcome: Outcome<object | Response>): Promise<Outcome<ToolAnswer>> {
  if (!outcome.ok) return outcome;
  const { value } = outcome;
  if (!(value instanceof Response)) return ok({ value: value as JsonObject });
  const bytes = await value.bytes();
  if (bytes.byteLength > TOOL_ANSWER_BYTES) return refuse({ kind: "payload_too_large", limitBytes: TOOL_ANSWER_BYTES });
  const text = Buffer.from(bytes).toString();
  return ok({ value: parseStored(text) as JsonObject, content: [{ type: "text", text }] });
}
