/**
 * The registry of tools: what an agent may call, and the only way to make a call. Guarantees of `Toolbox.call`: it
 * never rejects; a tool runs only if the agent may use it and the input fits its schema; the result is displayable text
 * of bounded size (RUN-3, GUARD-7); a tool's exception reaches the log but not the model.
 */
import { inSchemaOrder } from "../../actors/canonical-json.ts";
import { characterStart, cutText } from "../../actors/cut-text.ts";
import type { Toolbox, RunToolCall, ToolPort, ToolResult } from "../../actors/job/ports.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import { namesTool } from "../../actors/job/terms.ts";
import { DEFAULT_RESULT_BYTES } from "../../actors/job/limits.ts";
import type { BackoffParts } from "../../actors/runtime/backoff.ts";
import { visibleText } from "../../actors/visible-text.ts";
import { CpuBudget, STEP_CPU_MS } from "../sandbox/sandbox.ts";
import type { RunnerLog } from "../log/port.ts";
import { cleanText } from "../../actors/clean-text.ts";
import { isUnparsed, whyUnparsed } from "./tool-input.ts";
import { createTask, listAgentsTool, listTasks } from "./tools/task-tools.ts";
import { currentTime } from "./tools/current-time.ts";
import { delegateTool, type DelegationService } from "./tools/delegate.ts";
import type { TaskService } from "./tools/service.ts";
import { failure, type FoundTools, type Tool, type RunningTool, type ToolSource } from "./tools/tool.ts";

/** The parts of the service that tools use. */
export interface BuiltinServices {
  readonly tasks: TaskService;
  readonly delegations: DelegationService;
}

/** The built-in tools. */
export const builtinTools = (
  { tasks, delegations }: BuiltinServices,
  now: () => number = Date.now,
): readonly Tool[] => [
  currentTime(now),
  listTasks(tasks),
  listAgentsTool(tasks),
  createTask(tasks),
  delegateTool(delegations),
];

/**
 * A foreign agent follows instructions from outside the organization, so it gets tools that read the organization only
 * from the chat (RUN-10).
 */
const isAllowed = ({ name, access, reads = "organization" }: Tool, agent: AgentSnapshot): boolean => {
  const { allowedTools, lentTools, hasNoTools = false, tools: own = [] } = agent;
  if (hasNoTools) return own.some((tool) => tool.name === name);
  if (access === "granted") return namesTool(allowedTools, name);
  return lentTools === undefined || reads === "own_work" || namesTool(lentTools, name);
};

export interface RegistryOptions {
  /** The pauses of calls before they ask the service again. */
  readonly pauses: BackoffParts;
  /** Sources of tools that differ from run to run. */
  readonly sources?: readonly ToolSource[];
  readonly resultBytes?: number;
  /** CPU time in the sandbox for all calls of a step, in ms. */
  readonly stepCpuMs?: number;
  readonly log?: RunnerLog;
}

/** The port over these tools and those of the sources; of two tools with the same name the first wins. */
export function createTools(
  tools: readonly Tool[],
  { pauses, sources = [], resultBytes = DEFAULT_RESULT_BYTES, stepCpuMs = STEP_CPU_MS, log }: RegistryOptions,
): ToolPort {
  return {
    async open(agent, context, signal) {
      const found = await Promise.all(sources.map((source) => source.find(agent, context, signal)));
      const all = [...tools, ...found.flatMap((more) => more.tools)];
      return toolbox(all, agent, { found, pauses, resultBytes, stepCpuMs, log });
    },
  };
}

function toolbox(
  tools: readonly Tool[],
  agent: AgentSnapshot,
  {
    found,
    pauses,
    resultBytes,
    stepCpuMs,
    log,
  }: {
    readonly found: readonly FoundTools[];
    readonly pauses: BackoffParts;
    readonly resultBytes: number;
    readonly stepCpuMs: number;
    readonly log: RunnerLog | undefined;
  },
): Toolbox {
  const byName = new Map([...tools].reverse().map((tool) => [tool.name, tool]));
  const inOrder = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const budgetOf = stepBudgets(stepCpuMs);
  const missing = (name: string): ToolResult => {
    const why = found.map((more) => more.whyMissing(name)).find((words) => words !== null);
    return failure(why ?? `There is no tool with the name ${cleanText(cutText(name, 64))}.`);
  };
  return {
    tools: inOrder
      .filter((tool) => isAllowed(tool, agent))
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema: inSchemaOrder(inputSchema) })),
    missing: {
      required: found.flatMap(({ missing }) => missing.required),
      optional: found.flatMap(({ missing }) => missing.optional),
    },
    lacking: found.flatMap(({ lacking = [] }) => lacking),
    notes: found.flatMap((more) => more.notes),

    rulesOf(name, input = {}) {
      const tool = byName.get(name);
      const needsApproval = namesTool(agent.approvalTools, name);
      return {
        // A tool that no longer exists may have run before.
        safe: tool?.safeToRepeat ?? false,
        needsApproval,
        ...(needsApproval && tool !== undefined ? { inputSchema: tool.inputSchema } : {}),
        // The service answers invalid calls itself, with the error.
        ...(tool?.isClient === true && isAllowed(tool, agent) && !isUnparsed(input) ? { isClient: true } : {}),
      };
    },

    async misfits(calls, { organizationId }, signal) {
      const faults = await Promise.all(
        calls.map(async ({ name, input }) => byName.get(name)?.faultOf?.(input, { organizationId, signal }) ?? null),
      );
      return new Map(calls.flatMap(({ id }, i) => (typeof faults[i] === "string" ? [[id, faults[i]] as const] : [])));
    },

    async call(call, signal) {
      const tool = byName.get(call.name);
      if (tool === undefined) return missing(call.name);
      // A model can call a tool that it was never offered.
      if (!isAllowed(tool, agent)) return failure(`This agent is not allowed to use ${tool.name}.`);
      if (isUnparsed(call.input)) return failure(whyUnparsed(call.input));
      const result = await runTool(tool, call, { signal, pauses, budget: budgetOf(call.idempotencyKey) }, log);
      return { ...result, content: cutContent(visibleText(cleanText(result.content)), resultBytes) };
    },
  };
}

/** The tool's result, or a note that it was stopped, whichever is first. */
async function runTool(
  tool: Tool,
  { input, context, idempotencyKey, openedAt, host }: RunToolCall,
  { signal, pauses, budget }: Pick<RunningTool, "signal" | "pauses" | "budget">,
  log: RunnerLog | undefined,
): Promise<ToolResult> {
  const stopped = Promise.withResolvers<ToolResult>();
  const stop = (): void => stopped.resolve(failure("The call was stopped before it had a result."));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([
      stopped.promise,
      ...(signal.aborted
        ? []
        : [tool.call(input, { context, idempotencyKey, openedAt, host, signal, pauses, budget })]),
    ]);
  } catch (err) {
    log?.error({ err, tool: tool.name, jobId: context.jobId }, "A tool failed");
    return failure("The tool failed. This is a fault of the service and not of the arguments.");
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** One budget for all calls of a step: a run has only one step in flight. */
function stepBudgets(cpuMs: number): (idempotencyKey: string) => CpuBudget {
  let step = "";
  let budget = new CpuBudget(cpuMs);
  return (idempotencyKey) => {
    // `<job>:<step>:<call>`; a call's id may contain colons.
    const of = idempotencyKey.split(":", 2).join(":");
    if (of !== step) budget = new CpuBudget(cpuMs);
    step = of;
    return budget;
  };
}

const resultEncoder = new TextEncoder();

/** Cuts at a character boundary, and adds a note about the cut. */
function cutContent(content: string, most: number): string {
  const size = Buffer.byteLength(content);
  if (size <= most) return content;
  const note = `\n[Cut: the result has ${size} bytes, the limit is ${most}.]`;
  const { read } = resultEncoder.encodeInto(content, new Uint8Array(most - note.length));
  return content.slice(0, characterStart(content, read)) + note;
}
