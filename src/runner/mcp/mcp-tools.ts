/**
 * The tools of an agent's MCP servers, in the registry like all others (RUN-2). Each run lists them once. None is on by
 * default: `allowedTools` names `<server>__<tool>`, or `<server>__*` for all tools of a server; a server without a
 * named tool is not asked. If a server does not answer, only its own tools are missing, and the model is notified.
 */
import { cutText } from "../../../actors/cut-text.ts";
import { parseStored } from "../../../actors/exact-json.ts";
import type { AgentIdentities, ToolContext } from "../../../actors/job/ports.ts";
import type { McpServer } from "../../../actors/job/connections.ts";
import type { AgentSnapshot } from "../../../actors/job/schema.ts";
import { namesTool } from "../../../actors/job/terms.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { visibleText } from "../../../actors/visible-text.ts";
import type { Egress } from "../../egress/egress.ts";
import { CpuBudget, type Sandbox } from "../../sandbox/sandbox.ts";
import { LEFT_OUT_KEY, REPAIRED, SCHEMA } from "../../sandbox/jobs/mcp-reduction.ts";
import type { HeldBytes } from "../held-bytes.ts";
import type { RunnerLog } from "../../log/port.ts";
import { cleanText } from "../../../actors/clean-text.ts";
import { identityOf } from "../agent-identity.ts";
import type { FoundTools, Tool, ToolSource } from "../tools/tool.ts";
import { type ListedTool, MCP_CALL_MS, MCP_LIST_MS, McpConnection, type McpTimes } from "./connection.ts";
import { accessOf, type ToolAccess } from "./accessed-egress.ts";
import { ConnectionLacking, failureOf } from "./failure.ts";
import type { FileKeeper } from "./kept-files.ts";
import { ResultBytes } from "./result-bytes.ts";
import type { SecretReader } from "../../connections/client-secret.ts";
import { HeaderSecrets } from "./header-secrets.ts";

/** Tools of one server that an agent may use: every model call carries their descriptions. */
export const MAX_SERVER_TOOLS = 64;
/** Characters of a tool's description; the rest is cut. */
const MAX_TOOL_DESCRIPTION = 2_048;
/** The longest name that every provider accepts. */
const MAX_OFFERED_NAME = 64;
const NAME_HASH_DIGITS = 8;

export interface McpToolParts {
  readonly egress: Egress;
  /** Parses the answers. */
  readonly sandbox: Sandbox;
  readonly held: HeldBytes;
  readonly secrets: SecretReader;
  /** Access by OAuth; absent: no server has `auth`. */
  readonly connections?: ToolAccess;
  /** Signs who acts; absent: no server learns it. */
  readonly identities?: AgentIdentities;
  /** Keeps images and files of results; absent where no tool is called. */
  readonly keeper?: FileKeeper;
  readonly log?: RunnerLog;
  /** Overrides the times of `connection.ts`, for tests. */
  readonly times?: Partial<McpTimes>;
}

export function mcpTools(parts: McpToolParts): ToolSource {
  return {
    async find(agent, context, signal) {
      const wanted = agent.mcpServers.filter(({ name }) => isNamed(agent, name));
      const found = await Promise.all(
        wanted.map((server) => listServerTools(parts, server, { agent, context, signal })),
      );
      return {
        tools: found.flatMap(({ tools }) => tools),
        missing: {
          required: found.flatMap(({ missing }) => missing.required),
          optional: found.flatMap(({ missing }) => missing.optional),
        },
        lacking: found.flatMap(({ lacking = [] }) => lacking),
        notes: found.flatMap(({ notes }) => notes),
        whyMissing: (name) => found.map((one) => one.whyMissing(name)).find((why) => why !== null) ?? null,
      };
    },
  };
}

const isNamed = ({ allowedTools }: AgentSnapshot, server: string): boolean =>
  allowedTools.some((entry) => entry.startsWith(`${server}__`));

interface McpRun {
  readonly agent: AgentSnapshot;
  readonly context: ToolContext;
  readonly signal: AbortSignal;
}

async function listServerTools(
  parts: McpToolParts,
  server: McpServer,
  { agent, context, signal }: McpRun,
): Promise<FoundTools> {
  const { egress, sandbox, held, log, times = {} } = parts;
  const { organizationId } = context;
  const secrets = new HeaderSecrets(
    parts.secrets,
    context.organizationId,
    server,
    identityOf(parts.identities, server, context),
  );
  try {
    const { connection, tools } = await McpConnection.open(
      server,
      {
        egress,
        secrets,
        access: accessOf(parts.connections, context, server),
        times: { listMs: MCP_LIST_MS, callMs: MCP_CALL_MS, ...times },
        keeper: parts.keeper ?? null,
        reading: {
          sandbox,
          held,
          results: new ResultBytes(held, organizationId, signal),
          organizationId,
          budget: new CpuBudget(),
        },
      },
      signal,
    );
    const mask = shownBy(secrets);
    // By name, so that the same ones are left out in whatever order the server lists them.
    const allowed = tools
      .filter(({ name }) => namesTool(agent.allowedTools, mcpToolName(server.name, name)))
      .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
    const fitting = offerableTools(allowed).slice(0, MAX_SERVER_TOOLS);
    const left = allowed.length - fitting.length;
    const notes =
      left === 0
        ? []
        : [
            `${left} of the tools of the MCP server ${server.name} are left out: there are too many, or they cannot be offered.`,
          ];
    return {
      tools: fitting.map((tool) => mcpTool(connection, server.name, tool, mask)),
      missing: { required: [], optional: [...notes, ...repairsIn(fitting, server.name, mask)] },
      notes,
      whyMissing: () => null,
    };
  } catch (cause) {
    const failure = failureOf(cause, (text) => secrets.mask(text));
    const why = failure.message;
    const words = `The MCP server ${server.name} cannot be used: ${why}.`;
    if (!signal.aborted)
      log?.warn({ server: server.name, jobId: context.jobId, why }, "the tools of an MCP server could not be listed");
    // A person can give what is lacking: the run waits for it, unless it can do without the server.
    if (failure instanceof ConnectionLacking && server.optional !== true)
      return {
        tools: [],
        missing: { required: [], optional: [] },
        lacking: [failure.need],
        notes: [],
        whyMissing: () => null,
      };
    return {
      tools: [],
      missing: server.optional === true ? { required: [], optional: [words] } : { required: [words], optional: [] },
      notes: [`${words} None of its tools are available in this run.`],
      whyMissing: (name) => (name.startsWith(`${server.name}__`) ? words : null),
    };
  }
}

/** The tools that can be offered; of two with the same name the first. */
export function offerableTools(tools: readonly ListedTool[]): readonly ListedTool[] {
  const names = new Set<string>();
  return tools.filter(({ name, _meta: meta }) => {
    if (meta?.[LEFT_OUT_KEY] === true || names.has(name)) return false;
    names.add(name);
    return true;
  });
}

/** Tools that a warning names; of more it gives the number. */
const NAMED_TOOLS = 5;

/** The warning about tools whose schemas were repaired, if there are any. */
function repairsIn(tools: readonly ListedTool[], server: string, mask: (text: string) => string): readonly string[] {
  const repaired = tools.filter(({ _meta: meta }) => meta?.[REPAIRED] === true);
  if (repaired.length === 0) return [];
  const names = repaired.slice(0, NAMED_TOOLS).map(({ name }) => mask(name));
  const rest = repaired.length > NAMED_TOOLS ? ` and ${repaired.length - NAMED_TOOLS} more` : "";
  return [
    `The MCP server ${server} describes the arguments of ${names.join(", ")}${rest} with an invalid schema. The invalid parts were left out.`,
  ];
}

function mcpTool(connection: McpConnection, server: string, listed: ListedTool, mask: (text: string) => string): Tool {
  const { isReadOnly, ...described } = describedTool(server, listed, mask);
  return {
    ...described,
    access: "granted",
    safeToRepeat: isReadOnly || listed.annotations?.idempotentHint === true,
    // The server itself checks the arguments, by its own schema.
    call: (input, run) => connection.call(listed.name, input, run),
  };
}

/** Makes a server's text fit to show: without secrets that were sent, and without invisible characters. */
export const shownBy =
  (secrets: HeaderSecrets) =>
  (text: string): string =>
    visibleText(cleanText(secrets.mask(text)));

/** A tool's description for models and people. */
export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Whether its server declares that it changes nothing. */
  readonly isReadOnly: boolean;
}

export function describedTool(server: string, listed: ListedTool, mask: (text: string) => string): DescribedTool {
  const { name, description = "", inputSchema, annotations = {}, _meta: meta } = listed;
  const exact = meta?.[SCHEMA];
  const schema = parseStored(mask(typeof exact === "string" ? exact : JSON.stringify(inputSchema))) as JsonObject;
  return {
    name: mcpToolName(server, name),
    description:
      visibleText(cutText(mask(description), MAX_TOOL_DESCRIPTION)) || `The tool ${name} of the MCP server ${server}.`,
    inputSchema: { properties: {}, ...schema, type: "object" },
    isReadOnly: annotations.readOnlyHint === true,
  };
}

/** The tool's name for the model. A name that providers would refuse is changed and gets a hash at its end. */
export function mcpToolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  if (/^[A-Za-z0-9_-]+$/.test(plain) && plain.length <= MAX_OFFERED_NAME) return plain;
  const hash = new Bun.CryptoHasher("sha256").update(tool).digest("hex").slice(0, NAME_HASH_DIGITS);
  return `${plain.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_OFFERED_NAME - NAME_HASH_DIGITS - 1)}_${hash}`;
}
