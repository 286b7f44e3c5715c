/**
 * Checks structured answers (port: `OutputPort`). The text is parsed here and checked in the sandbox, because the
 * schema is untrusted and its patterns may never end. A check for which the sandbox has no room is retried; one that
 * takes too long makes the answer invalid.
 */
import { cleanJson, MAX_JSON_DEPTH } from "../../actors/clean-text.ts";
import { NumberLimitError, parseExact } from "../../actors/exact-json.ts";
import type { CheckedOutput, OutputPort } from "../../actors/job/ports.ts";
import type { RuleChecks } from "../../actors/job/rules/judging.ts";
import type { OutputError } from "../../actors/job/terms.ts";
import type { Json, JsonObject } from "../../actors/schema.ts";
import type { Sandbox, SandboxJob, SandboxResult } from "../sandbox/sandbox.ts";
import type { InputError } from "../../actors/fault.ts";
import type { ArgumentChecks } from "../operations/services.ts";

/** Bytes of a value as JSON: the job's record holds it. */
export const JOB_OUTPUT_BYTES = 256 * 1024;
/** The pause before retrying a check for which there was no room. */
const PAUSE_MS = 250;
/** Attempts of a check that found no child. */
const TRIES = 20;
/** ```` ```json … ``` ````: models wrap JSON although the prompt forbids it. */
const FENCED = /^```[A-Za-z]*\s*\n(?<inside>[\s\S]*?)\n\s*```$/;

export const outputChecks = (sandbox: Pick<Sandbox, "run">): OutputPort => ({
  async check({ organizationId, schema, text }, signal) {
    const given = valueIn(text);
    if (typeof given === "string") return invalidOutput(given);
    const content = new TextEncoder().encode(JSON.stringify({ schema, given: given.value }));
    const job = { job: "arguments", lane: organizationId, options: { what: "output" }, content, signal };
    const checked = await checkedInTime(sandbox, job);
    if (signal.aborted) return null;
    if (!checked.ok) return invalidOutput("The answer could not be checked by the schema in time");
    const errors = checked.value as readonly OutputError[];
    return errors.length === 0 ? { kind: "valid", value: given.value as JsonObject } : { kind: "invalid", errors };
  },
});

/** Retries a check for which there was no room. */
async function checkedInTime(sandbox: Pick<Sandbox, "run">, job: SandboxJob): Promise<SandboxResult> {
  for (let tries = 1; ; tries++) {
    const checked = await sandbox.run(job);
    const mayPass = !checked.ok && ["busy", "unavailable", "aborted"].includes(checked.error);
    if (!mayPass || job.signal?.aborted === true || tries >= TRIES) return checked;
    await Bun.sleep(PAUSE_MS);
  }
}

const invalidOutput = (message: string): CheckedOutput => ({ kind: "invalid", errors: [{ path: "", message }] });

/** The JSON value of the text, or an error. */
function valueIn(text: string): { readonly value: Json } | string {
  const trimmed = text.trim();
  const json = FENCED.exec(trimmed)?.groups?.["inside"] ?? trimmed;
  if (json === "") return "The answer is empty; it must be one JSON value";
  const size = Buffer.byteLength(json);
  if (size > JOB_OUTPUT_BYTES) return `The answer has ${size} bytes; at most ${JOB_OUTPUT_BYTES} are allowed`;
  let parsed: unknown;
  try {
    parsed = parseExact(json);
  } catch (cause) {
    if (cause instanceof NumberLimitError) return cause.message;
    return "The answer is not JSON: it must be one JSON value and nothing else";
  }
  const value = cleanJson(parsed);
  return value === undefined ? `The answer is nested deeper than ${MAX_JSON_DEPTH} levels` : { value };
}

/** Checks conditions of approval rules (port: `RuleChecks`), with the same limits for each call. */
export const ruleChecks = (sandbox: Pick<Sandbox, "run">): RuleChecks => ({
  async check(organizationId, schemas, given, signal) {
    const content = new TextEncoder().encode(JSON.stringify({ schemas, given }));
    const job = { job: "rule-conditions", lane: organizationId, options: {}, content };
    const checked = await checkedInTime(sandbox, signal === undefined ? job : { ...job, signal });
    return checked.ok ? (checked.value as readonly (readonly string[] | null)[]) : schemas.map(() => null);
  },
});

/** Checks arguments of tool calls, and schemas (port: `ArgumentChecks`): schemas of MCP servers are untrusted too. */
export const argumentChecks = (sandbox: Pick<Sandbox, "run">): ArgumentChecks => ({
  async errorsOf(organizationId, schema, given) {
    const content = new TextEncoder().encode(JSON.stringify({ schema, given }));
    const checked = await sandbox.run({ job: "arguments", lane: organizationId, options: {}, content });
    // If this check cannot run, the tool still checks its arguments.
    return checked.ok ? (checked.value as readonly InputError[]) : [];
  },

  async flawsOf(organizationId, schema) {
    const content = new TextEncoder().encode(JSON.stringify(schema));
    const checked = await sandbox.run({ job: "schema-flaws", lane: organizationId, options: {}, content });
    if (checked.ok) return checked.value as readonly InputError[];
    const isSlow = checked.error === "deadline" || checked.error === "crashed";
    return isSlow ? [{ path: "", message: "takes too long to be read" }] : [];
  },
});
