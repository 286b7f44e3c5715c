/**
 * What a tool is. Each tool has its own file, which calls `defineTool`. Its schema serves as the description for the
 * model, the check of the input, and the type of `run`'s input.
 */
import { Kind } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueError, ValueErrorType } from "@sinclair/typebox/compiler";
import { isLonger } from "../../../actors/cut-text.ts";
import type { Toolbox, ToolContext, ToolHost, ToolResult } from "../../../actors/job/ports.ts";
import type { AgentSnapshot } from "../../../actors/job/schema.ts";
import { type JsonObject, ONE_OF, type Static, type TSchema } from "../../../actors/schema.ts";
import type { CpuBudget } from "../../sandbox/sandbox.ts";
import { faultWords } from "./fault-words.ts";
import type { Outcome } from "../../../actors/fault.ts";
import { type BackoffParts, type RetryPatience, untilDecided } from "../../../actors/runtime/backoff.ts";

/** For whom the tool acts, the key of this call and its time, where it reports progress, and when to stop. */
export interface RunningTool {
  readonly context: ToolContext;
  readonly idempotencyKey: string;
  readonly openedAt: string;
  readonly host: ToolHost;
  readonly signal: AbortSignal;
  /** The pauses before a call asks the service again. */
  readonly pauses: BackoffParts;
  /** The CPU time in the sandbox for all calls of this step. */
  readonly budget: CpuBudget;
}

export interface ToolDefinition<S extends TSchema> {
  /** Letters, digits, `_` and `-`: every provider accepts these. */
  readonly name: string;
  /** For the model: what it does and when to use it. */
  readonly description: string;
  /** A `Type.Object`. */
  readonly input: S;
  /** `safe` is on for every agent; `granted` needs an entry in its `allowedTools` (RUN-2). */
  readonly access: "safe" | "granted";
  /** What a safe tool reads: `own_work` is only the work of its own job. Default `organization`. */
  readonly reads?: "own_work" | "organization";
  /** Whether a call whose result was lost may be repeated with the same key. */
  readonly safeToRepeat: boolean;
  /** The tool changes nothing; absent: it may. */
  readonly readOnly?: true;
  /** The client runs it (JOB-17): `run` is never called. */
  readonly isClient?: true;
  /** Refusals are results. An exception is a bug; the model learns only that the tool failed. */
  run(input: Static<S>, run: RunningTool): Promise<ToolResult>;
}

/** A tool as the registry sees it, with unchecked input. */
export interface Tool extends Omit<ToolDefinition<TSchema>, "input" | "run"> {
  readonly inputSchema: JsonObject;
  /**
   * Errors in these arguments, in words for the model, or null. Only for tools whose calls are checked before they are
   * made.
   */
  readonly faultOf?: (input: JsonObject, by: ArgumentsOf) => Promise<string | null>;
  /** Checks the input, then runs; a bad input is an error result that names the field. */
  call(input: JsonObject, run: RunningTool): Promise<ToolResult>;
}

/** Whose arguments are checked, and the signal that ends the check. */
export interface ArgumentsOf {
  readonly organizationId: string;
  readonly signal: AbortSignal;
  readonly budget?: CpuBudget;
}

/** A source of tools that differ from run to run, such as MCP servers. */
export interface ToolSource {
  /** Finds the tools. Never rejects. Its connections close when `signal` aborts. */
  find(agent: AgentSnapshot, context: ToolContext, signal: AbortSignal): Promise<FoundTools>;
}

export interface FoundTools {
  /** The tools, under names that an agent's tool lists can contain. The rules of the registry apply to them. */
  readonly tools: readonly Tool[];
  /** Why servers cannot be used, for people: required servers and optional ones. */
  readonly missing: Toolbox["missing"];
  /** Connections that required servers lack; absent: none. */
  readonly lacking?: Toolbox["lacking"];
  /** Notes for the model. */
  readonly notes: readonly string[];
  /** Why a tool of this name is missing, for the model; null if the name is not from this source. */
  whyMissing(name: string): string | null;
}

export function defineTool<S extends TSchema>({ input: schema, run, ...rest }: ToolDefinition<S>): Tool {
  // Compiled at the first call: most tools of a process are never called.
  let check: TypeCheck<S> | undefined;
  return {
    ...rest,
    // Drops the symbols of TypeBox.
    inputSchema: JSON.parse(JSON.stringify(schema)),
    async call(input, toolRun) {
      check ??= TypeCompiler.Compile(schema);
      if (check.Check(input)) return await run(input, toolRun);
      const error = [...check.Errors(input)].find((one) => !fitsInCodePoints(one));
      if (error === undefined) return await run(input, toolRun);
      return failure(`The arguments are not valid: ${fieldForModel(error.path)}: ${inputErrorWords(error)}.`);
    },
  };
}

/** TypeBox counts UTF-16 units, and a schema means code points: whether a text that it refuses as too long fits. */
function fitsInCodePoints({ type, schema, value }: ValueError): boolean {
  if (typeof value !== "string") return false;
  const fits = ({ maxLength }: TSchema): boolean => typeof maxLength === "number" && !isLonger(value, maxLength);
  if (type === ValueErrorType.StringMaxLength) return fits(schema);
  return type === ValueErrorType.Union && (schema["anyOf"] as TSchema[]).some(fits);
}

/** The error, so that a model can fix it. */
function inputErrorWords(error: ValueError): string {
  const { maxLength } = error.schema;
  if (error.type === ValueErrorType.StringMaxLength) return `Expected at most ${maxLength} characters`;
  if (error.schema[Kind] === ONE_OF) return `Expected one of ${(error.schema["enum"] as string[]).join(", ")}`;
  return error.message;
}

/** A JSON pointer in a form for models: `/a/b` is `a.b`. */
const fieldForModel = (path: string): string => (path === "" ? "the object" : path.slice(1).replaceAll("/", "."));

export const success = (value: unknown): ToolResult => ({
  content: typeof value === "string" ? value : JSON.stringify(value),
  isError: false,
});
export const failure = (content: string): ToolResult => ({ content, isError: true });

/** The result of an outcome: `show` of its value, or the fault in words. */
export function outcomeResult<T>(outcome: Outcome<T>, show: (value: T) => unknown): ToolResult {
  return outcome.ok ? success(show(outcome.value)) : failure(faultWords(outcome.fault));
}

/** After `limitMs` the model gets the refusal and can try again later; a restart or a take-over ends sooner. */
const TOOL_PATIENCE: RetryPatience = { firstMs: 100, lastMs: 500, limitMs: 30_000 };

/** The pauses of a tool's call, and the signal that ends it. */
export interface WaitingTool {
  readonly pauses: BackoffParts;
  readonly signal: AbortSignal;
}

/** Retries until the service decides, so that a restart is no error of a tool; only for repeatable calls. */
export const untilServiceDecides = <T>(
  { pauses, signal }: WaitingTool,
  ask: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> => untilDecided(pauses, TOOL_PATIENCE, signal, ask);

/** The result of what the service decides in the end. */
export const decidedResult = async <T>(
  waiting: WaitingTool,
  ask: () => Promise<Outcome<T>>,
  show: (value: T) => unknown,
): Promise<ToolResult> => outcomeResult(await untilServiceDecides(waiting, ask), show);
