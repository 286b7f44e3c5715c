/**
 * The tools of agents' MCP servers (port: `McpCatalogue`). Concurrent callers share one request to a server, and its
 * answer is cached for a while:
 *
 *   asked ─▶ cached, and not expired? ── yes ─▶ the cached list
 *                      └─ no ─▶ being asked now? ── yes ─▶ its answer
 *                                       └─ no ─▶ room for one more? ─▶ ask, keep ─▶ its answer
 *
 * A cached list belongs to one organization and one configuration of the server: another URL or header is another
 * entry. With a person's own connection it belongs to that person.
 */
import type { McpServer } from "../../actors/job/connections.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { CatalogueReader, McpCatalogue, ServerTools } from "../operations/tool-catalogue.ts";
import { type FoundServer, serverTools } from "../runner/mcp/server-tools.ts";
import type { McpToolParts } from "../runner/mcp/mcp-tools.ts";

/** How long a list is valid; and how long a failure is, so that a repaired server is noticed soon. */
export const LIST_AGE_MS = 5 * 60_000;
export const PROBLEM_AGE_MS = 15_000;
/** Bytes of all cached lists as JSON: the oldest is evicted first. */
export const KEPT_LISTS_BYTES = 16 * 1024 * 1024;
/** Servers that are asked at once, of one organization and of all. */
export const ASKED_AT_ONCE = { ofOrganization: 8, ofAll: 64 };

type CataloguePerson = CatalogueReader & { readonly userId: string };

interface KeptList {
  readonly found: ServerTools;
  readonly names: readonly string[];
  readonly bytes: number;
}

export type CatalogueParts = Omit<McpToolParts, "log"> & { readonly clock: Pick<Clock, "now"> };

export class CachedMcpCatalogue implements McpCatalogue {
  private readonly parts: CatalogueParts;
  /** The oldest first. */
  private readonly kept = new Map<string, KeptList>();
  private keptBytes = 0;
  private readonly asking = new Map<
    string,
    { readonly organizationId: string; readonly found: Promise<ServerTools> }
  >();

  constructor(parts: CatalogueParts) {
    this.parts = parts;
  }

  toolsOf(by: CataloguePerson, servers: readonly McpServer[]): Promise<readonly ServerTools[]> {
    return Promise.all(servers.map((server) => this.toolsOfServer(by, server)));
  }

  namesOf(by: CatalogueReader, server: McpServer): readonly string[] | null {
    const kept = this.fresh(serverKey(by, server));
    return kept === null || kept.found.problem !== null || kept.found.leftOut > 0 ? null : kept.names;
  }

  private async toolsOfServer(by: CataloguePerson, server: McpServer): Promise<ServerTools> {
    const { organizationId } = by;
    const key = serverKey(by, server);
    const kept = this.fresh(key);
    if (kept !== null) return kept.found;
    const asked = this.asking.get(key);
    if (asked !== undefined) return asked.found;
    const ofOrganization = [...this.asking.values()].filter((one) => one.organizationId === organizationId).length;
    if (this.asking.size >= ASKED_AT_ONCE.ofAll || ofOrganization >= ASKED_AT_ONCE.ofOrganization) {
      const problem = `The MCP server ${server.name} was not asked: too many servers are being asked at once.`;
      return this.shown(server, { tools: [], leftOut: 0, problem });
    }
    const found = this.ask(by, server, key).finally(() => this.asking.delete(key));
    this.asking.set(key, { organizationId, found });
    return found;
  }

  private async ask(by: CataloguePerson, server: McpServer, key: string): Promise<ServerTools> {
    const found = this.shown(server, await serverTools(this.parts, by, server));
    this.keep(key, found);
    return found;
  }

  private shown({ name: server }: McpServer, { tools, leftOut, problem }: FoundServer): ServerTools {
    return {
      server,
      tools: tools.map(({ isReadOnly, name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
        availability: "granted",
        isReadOnly,
      })),
      leftOut,
      problem,
      askedAt: this.parts.clock.now(),
    };
  }

  private fresh(key: string): KeptList | null {
    const kept = this.kept.get(key);
    if (kept === undefined) return null;
    const age = this.parts.clock.now() - kept.found.askedAt;
    // A list from the future was stamped by a wrong clock.
    return age >= 0 && age < (kept.found.problem === null ? LIST_AGE_MS : PROBLEM_AGE_MS) ? kept : null;
  }

  private keep(key: string, found: ServerTools): void {
    this.forget(key);
    const kept = { found, names: found.tools.map(({ name }) => name), bytes: JSON.stringify(found).length };
    this.kept.set(key, kept);
    this.keptBytes += kept.bytes;
    for (const oldest of this.kept.keys()) {
      if (this.keptBytes <= KEPT_LISTS_BYTES) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.keptBytes -= this.kept.get(key)?.bytes ?? 0;
    this.kept.delete(key);
  }
}

const serverKey = (by: CatalogueReader, { name, url, headers = [], auth }: McpServer): string =>
  JSON.stringify([
    by.organizationId,
    name,
    url,
    headers.map((header) => [header.name, header.secret, header.prefix ?? ""]),
    // A server may show each person other tools.
    auth === undefined ? null : [auth, ...readersOf(auth, by)],
  ]);

/** Whose list it is. */
function readersOf(auth: NonNullable<McpServer["auth"]>, { userId, agentId }: CatalogueReader) {
  if (auth.type === "identity") return [userId, agentId ?? null];
  return [auth.owner === "person" ? userId : null];
}
