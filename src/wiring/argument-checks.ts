/**
 * Checks arguments of tool calls, and schemas, in the sandbox (port: `ArgumentChecks`), because schemas of MCP servers
 * are untrusted.
 */
import type { InputError } from "../../actors/fault.ts";
import type { ArgumentChecks } from "../operations/argument-checks.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

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
