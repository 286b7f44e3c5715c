/**
 * What a tool is. Each has a file of its own that calls `defineTool`; its schema is at once what the
 * model is told, what is checked, and the type of `run`'s input.
 */
import { Kind, TypeRegistry } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import type { Outcome } from "../../../actors/fault.ts";
import type { Toolbox, ToolContext, ToolHost, ToolResult } from "../../../actors/job/ports.ts";
import type { AgentSnapshot } from "../../../actors/job/schema.ts";
import type { BackoffParts } from "../../../actors/runtime/backoff.ts";
import { type JsonObject, type Static, type TSchema, Type } from "../../../actors/schema.ts";
import type { CpuBudget } from "../../sandbox/cpu-budget.ts";
import { faultWords } from "./fault-words.ts";

/** Who it acts for, the key of this call and its time, whom it may tell how far it is, and when to stop. */
export interface ToolRun {
  readonly context: ToolContext;
  readonly idempotencyKey: string;
  readonly openedAt: string;
  readonly host: ToolHost;
  readonly signal: AbortSignal;
  /** What a call waits with before it asks the service again. */
  readonly pauses: BackoffParts;
  /** The CPU time that all calls of this step have in the sandbox. */
  readonly budget: CpuBudget;
}

export interface ToolDefinition<S extends TSchema> {
  /** Letters, digits, `_` and `-`: what every provider takes. */
  readonly name: string;
  /** For the model: what it does and when to use it. */
  readonly description: string;
  /** A `Type.Object`. */
  readonly input: S;
  /** `safe` is on for every agent; `granted` needs an entry in its `allowedTools` (RUN-2). */
  readonly access: "safe" | "granted";
  /** What a safe tool reads: `own_work` is nothing but the work that it was given; `organization` unless said. */
  readonly reads?: "own_work" | "organization";
  /** Whether a call whose result was lost may be made again with the same key. */
  readonly safeToRepeat: boolean;
  /** It changes nothing; absent: it may. */
  readonly readOnly?: true;
  /** The client runs it (JOB-17): `run` is never called. */
  readonly isClient?: true;
  /** Refusals are results; an exception is a bug, and the model hears only that it failed. */
  run(input: Static<S>, run: ToolRun): Promise<ToolResult>;
}

/** A tool as the registry sees it: its input is not checked yet. */
export interface Tool extends Omit<ToolDefinition<TSchema>, "input" | "run"> {
  readonly inputSchema: JsonObject;
  /** What is wrong with these arguments, in words for the model; null: nothing. Of tools whose calls are looked at before they are made. */
  readonly faultOf?: (input: JsonObject, by: ArgumentsOf) => Promise<string | null>;
  /** Checks the input, then runs; a bad input is an error result that names the field. */
  call(input: JsonObject, run: ToolRun): Promise<ToolResult>;
}

/** Whose arguments are checked, and until when. */
export interface ArgumentsOf {
  readonly organizationId: string;
  readonly signal: AbortSignal;
  readonly budget?: CpuBudget;
}

/** Where tools come from that are not the same for each run, such as MCP servers. */
export interface ToolSource {
  /** Never rejects. What it opens for the tools is closed when `signal` aborts. */
  find(agent: AgentSnapshot, context: ToolContext, signal: AbortSignal): Promise<FoundTools>;
}

export interface FoundTools {
  /** Under names that the agent's lists of tools can hold; the rules of the registry count for them. */
  readonly tools: readonly Tool[];
  /** Why servers cannot be used, for people: those that the agent needs, and those that are optional. */
  readonly missing: Toolbox["missing"];
  /** For the model. */
  readonly notes: readonly string[];
  /** Why a tool of this name is not there, for the model; null where the source has nothing to do with it. */
  whyMissing(name: string): string | null;
}

export function defineTool<S extends TSchema>({ input: schema, run, ...rest }: ToolDefinition<S>): Tool {
  // Compiled at the first call: most tools of a process are never called.
  let check: TypeCheck<S> | undefined;
  return {
    ...rest,
    // Without the symbols of TypeBox.
    inputSchema: JSON.parse(JSON.stringify(schema)),
    async call(input, toolRun) {
      check ??= TypeCompiler.Compile(schema);
      if (check.Check(input)) return await run(input, toolRun);
      const error = check.Errors(input).First();
      return failure(`The arguments are not valid: ${fieldOf(error?.path ?? "")}: ${wordsOf(error)}.`);
    },
  };
}

/** What is wrong, so that a model can mend it. */
function wordsOf(error: ValueError | undefined): string {
  if (error?.schema[Kind] === CHOICE) return `Expected one of ${(error.schema["enum"] as string[]).join(", ")}`;
  return error?.message ?? "not as described";
}

/** A JSON pointer as a model knows it: `/a/b` is `a.b`. */
const fieldOf = (path: string): string => (path === "" ? "the object" : path.slice(1).replaceAll("/", "."));

const CHOICE = "ToolChoice";
if (!TypeRegistry.Has(CHOICE)) {
  TypeRegistry.Set<{ enum: readonly string[] }>(
    CHOICE,
    (schema, value) => typeof value === "string" && schema.enum.includes(value),
  );
}

/** A string that is one of `values`, as the `enum` that every provider understands. */
export const Choice = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({ [Kind]: CHOICE, type: "string", enum: [...values], description });

export const success = (value: unknown): ToolResult => ({
  content: typeof value === "string" ? value : JSON.stringify(value),
  isError: false,
});
export const failure = (content: string): ToolResult => ({ content, isError: true });

/** The result of an outcome: `show` of its value, or the fault in words. */
export function resultOf<T>(outcome: Outcome<T>, show: (value: T) => unknown): ToolResult {
  return outcome.ok ? success(show(outcome.value)) : failure(faultWords(outcome.fault));
}
