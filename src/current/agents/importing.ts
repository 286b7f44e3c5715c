/** Makes tools of an agent from an OpenAPI document (RUN-14). They replace the agent's HTTP tools of the same names. */
import { type Fault, invalid, notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { AgentTool } from "../../../actors/job/connections.ts";
import { type Agent, organizationRef } from "../../../actors/organization/schema.ts";
import { type Static, Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { Change } from "../../http/commit/commit.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { Body } from "../../http/input/validation.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import type { ReadDocument } from "../../operations/tool-imports.ts";
import { agentParams } from "../path-ids.ts";
import { doneIf } from "../updating.ts";
import { usableOwnTools } from "../../operations/usable-own-tools.ts";
import { ImportToolsBody, ToolImportView } from "./import-schema.ts";
import { AgentToolBody, agentToolOf, agentToolView } from "./tool-schema.ts";
import { usableHttpTools } from "./usable-http-tools.ts";
import { ruledAfter, usableRules } from "./usable-rules.ts";

type Given = Static<typeof ImportToolsBody>;
/** Tools of one agent (RUN-12). */
const MOST_TOOLS = 32;
/** The sandbox's output from an untrusted document must pass the same validation as a caller's input. */
const MADE = new Body(Type.Object({ tools: Type.Array(AgentToolBody) }), { isStrict: true });

export const importOperations = {
  importAgentTools: operation(
    {
      method: "POST",
      path: "/api/agents/{id}/tools/import",
      scope: "agents:write",
      summary: "Make tools from an OpenAPI document",
      description:
        "Each chosen operation becomes a tool of kind `http`; its parameters and the fields of its JSON body become the tool's arguments. A tool of this kind with the same name is replaced; other tools stay. With `dry_run` nothing is stored; a dry run without `operations` lists the document's operations.",
      params: agentParams,
      headers: IF_MATCH,
      body: ImportToolsBody,
      answers: { 200: ToolImportView },
      errors: ["invalid_state", "forbidden", "owner_required"],
      emits: "agent.updated",
    },
    async (services, change, { params: { id: agentId }, headers, body }) => {
      const { principal } = change;
      const agent = await services.agents.find(principal, agentId);
      if (!agent.ok) return agent;
      if (agent.value.organizationId !== principal.organizationId) return notFound("agent");
      const read = await readDocument(services, change, body);
      if (!read.ok) return read;
      const made = madeTools(read.value, body);
      if (!made.ok) return made;
      const kept = (agent.value.tools ?? []).filter(
        ({ name, kind }) => kind !== "http" || !made.value.some((tool) => tool.name === name),
      );
      const usable = await checkImported(services, change, { kept, made: made.value });
      if (!usable.ok) return usable;
      const changes = { tools: [...kept, ...made.value] };
      const rules = await usableRules(services, principal, ruledAfter(agent.value, changes), changes);
      if (!rules.ok) return rules;
      const isDry = body.dry_run === true;
      const view = (after: Agent) => importView(after, { read: read.value, made: made.value, isDry });
      const ref = organizationRef(principal.organizationId);
      if (isDry) {
        const reading = ask(ref, { kind: "read_agent", by: principal, agentId } as const);
        return change.commit([reading], (after) => doneIf(false, view(after ?? agent.value)));
      }
      // Merged in the turn, so that tools added meanwhile are not lost.
      const command = {
        kind: "update_agent",
        by: principal,
        agentId,
        changes,
        version: headers["if-match"] ?? agent.value.version,
      } as const;
      return change.commit([ask(ref, command)], (after) => doneIf(after.version !== agent.value.version, view(after)));
    },
  ),
};

async function readDocument(
  { toolImports }: Services,
  { principal, signal }: Change,
  { document, text, url, operations, dry_run: isDry, prefix = "", server_url: serverUrl, headers = [] }: Given,
): Promise<Outcome<ReadDocument>> {
  const given = [document, text, url].filter((one) => one !== undefined);
  if (given.length !== 1) return invalid("/document", "Give one of document, text and url");
  if (operations === undefined && isDry !== true)
    return invalid("/operations", "Missing required field: operations; a dry_run without it lists what there is");
  const fetched = url === undefined ? ok(text ?? JSON.stringify(document)) : await toolImports.fetched(url, signal);
  if (!fetched.ok) return fetched;
  const choice = {
    operations: operations ?? [],
    prefix,
    serverUrl: serverUrl ?? null,
    headers: headers.map(({ name }) => name),
    documentUrl: url ?? null,
  };
  const read = await toolImports.read(principal.organizationId, fetched.value, choice);
  if (!read.ok || read.value.errors.length === 0) return read;
  const errors = read.value.errors.map(({ at, message }) => ({ path: `/operations/${at}`, message }));
  return refuse({ kind: "invalid_request", errors });
}

/** The tools, with the settings that all of their requests share. */
function madeTools({ tools }: ReadDocument, body: Given): Outcome<readonly AgentTool[]> {
  const parsed = MADE.parse({ tools });
  if (!parsed.ok) return { ok: false, fault: atOperations(parsed.fault, 0) };
  const { headers = [], timeout_ms, retry, signing_secret } = body;
  const own = new Set(headers.map(({ name }) => name.toLowerCase()));
  return ok(
    parsed.value.tools.map((tool) => {
      // A header that all requests send is not an argument of any tool.
      const hidden = (tool.arguments ?? []).filter(
        ({ place, name, as = name }) => place === "header" && own.has(as.toLowerCase()),
      );
      const shared = {
        headers,
        ...(timeout_ms === undefined ? {} : { timeout_ms }),
        ...(retry === undefined ? {} : { retry }),
        ...(signing_secret === undefined ? {} : { signing_secret }),
      };
      return agentToolOf({
        ...withoutProperties(
          tool,
          hidden.map(({ name }) => name),
        ),
        ...shared,
      });
    }),
  );
}

function withoutProperties(tool: AgentToolBody, names: readonly string[]): AgentToolBody {
  if (names.length === 0) return tool;
  const {
    properties = {},
    required = [],
    ...schema
  } = tool.input_schema as {
    properties?: Record<string, never>;
    required?: readonly string[];
  };
  const left = required.filter((name) => !names.includes(name));
  return {
    ...tool,
    arguments: (tool.arguments ?? []).filter(({ name }) => !names.includes(name)),
    input_schema: {
      ...schema,
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
      ...(left.length === 0 ? {} : { required: left }),
    },
  };
}

/** Validates the tools like a caller's; errors point at the operation, or at the setting of the import. */
async function checkImported(
  services: Services,
  { principal }: Change,
  { kept, made }: { readonly kept: readonly AgentTool[]; readonly made: readonly AgentTool[] },
): Promise<Outcome<null>> {
  if (kept.length + made.length > MOST_TOOLS)
    return invalid(
      "/operations",
      `The agent would have ${kept.length + made.length} tools of its own; at most ${MOST_TOOLS} are allowed`,
    );
  const named = await usableOwnTools(services, principal.organizationId, [...kept, ...made]);
  if (!named.ok) return { ok: false, fault: atOperations(named.fault, kept.length) };
  const asked = await usableHttpTools(services, principal, made);
  return asked.ok ? asked : { ok: false, fault: atOperations(asked.fault, 0) };
}

const OF_THE_IMPORT = /^\/(?:headers|signing_secret)\b/;

/** Maps paths of tools to paths of this request: tool number `first` comes from the first operation. */
function atOperations(fault: Fault, first: number): Fault {
  if (fault.kind !== "invalid_request") return fault;
  const errors = fault.errors.map(({ path, message }) => {
    const [, list, place = "", ...rest] = path.split("/");
    const at = Number(place) - first;
    if (list !== "tools" || place === "" || at < 0) return { path: "/operations", message };
    const inner = `/${rest.join("/")}`;
    return { path: OF_THE_IMPORT.test(inner) ? inner : `/operations/${at}`, message };
  });
  return { ...fault, errors: errors.filter(({ path }, i) => errors.findIndex((other) => other.path === path) === i) };
}

const importView = (
  { id, version }: Agent,
  { read, made, isDry }: { readonly read: ReadDocument; readonly made: readonly AgentTool[]; readonly isDry: boolean },
) => ({
  agent_id: id,
  dry_run: isDry,
  title: read.title,
  operations: read.operations,
  operations_total: read.total,
  tools: made.map(agentToolView),
  notes: read.notes,
  version,
});
