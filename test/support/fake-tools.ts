/** Tools that do what their test says, and note each call (port: `ToolPort` of the job). */
import type { OutputPort, Toolbox, RunToolCall, ToolHost, ToolPort, ToolResult } from "../../actors/job/ports.ts";
import type { DelegationService } from "../../src/runner/tools/delegate.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";

/** When a call was made that no job has. */
export const OPENED_AT = "2026-11-01T12:00:00.000Z";
/** For tools whose words nobody hears. */
export const DEAF_HOST: ToolHost = { progress: () => {}, log: () => {}, waits: () => {}, admitFile: () => true };

/** Takes each answer that is JSON, whatever its schema says. */
export const parsedOutputs: OutputPort = {
  async check({ text }) {
    try {
      return { kind: "valid", value: JSON.parse(text) as JsonObject };
    } catch {
      return { kind: "invalid", errors: [{ path: "", message: "The answer is not JSON" }] };
    }
  },
};

/** For tests in which nothing is delegated. */
export const NO_DELEGATIONS: DelegationService = {
  delegate: () => Promise.reject(new Error("nothing is delegated here")),
};

export type ToolScript = (call: RunToolCall, signal: AbortSignal) => ToolResult | Promise<ToolResult>;

const inputSchemaOf = (inputSchema: JsonObject | undefined) => (inputSchema === undefined ? {} : { inputSchema });

export class FakeTools implements ToolPort {
  /** Every call, in the order in which they began. */
  readonly calls: RunToolCall[] = [];
  /** For whom tools were opened: one entry for each run. */
  readonly opened: AgentSnapshot[] = [];
  /** Names of tools that may not simply be called again. */
  readonly unsafe = new Set<string>();
  /** Names of tools that the client runs. */
  readonly clients = new Set<string>();
  /** Schemas that a person's arguments are checked against, by the names of tools. */
  readonly schemas = new Map<string, JsonObject>();
  /** What the next openings miss. */
  missing: Toolbox["missing"] = { required: [], optional: [] };
  /** What the model is told besides. */
  notes: readonly string[] = [];
  script: ToolScript = ({ name }) => ({ content: `${name} done`, isError: false });

  async open(agent: AgentSnapshot): Promise<Toolbox> {
    this.opened.push(agent);
    const { allowedTools, approvalTools } = agent;
    return {
      tools: allowedTools.map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
      missing: this.missing,
      notes: this.notes,
      rulesOf: (name) => ({
        safe: !this.unsafe.has(name),
        needsApproval: approvalTools.includes(name),
        ...(this.clients.has(name) ? { isClient: true } : {}),
        ...inputSchemaOf(this.schemas.get(name)),
      }),
      misfits: () => Promise.resolve(new Map()),
      call: (call, signal) => this.call(call, signal),
    };
  }

  private async call(call: RunToolCall, signal: AbortSignal): Promise<ToolResult> {
    this.calls.push(call);
    return this.script(call, signal);
  }

  keys(): string[] {
    return this.calls.map((call) => call.idempotencyKey);
  }
}
