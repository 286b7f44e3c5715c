/**
 * Reading agents (AGT-1 to AGT-3). The list (GEN-8): first the organization's, by pages, newest first; after the last of them the library
 * entries that are not installed, in the library's order. Those have no time of creation, so a cursor within them
 * has a time before all others.
 */
import { mapOutcome, ok } from "../../../actors/fault.ts";
import { whenReady } from "../../../actors/maybe-promise.ts";
import type { AgentFilter, LibraryAgent } from "../../../actors/organization/directory.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { LibraryDefinition } from "../../../actors/organization/protocol.ts";
import { type Agent, organizationRef, VISIBILITIES } from "../../../actors/organization/schema.ts";
import type { Page, PageCursor } from "../../../actors/page.ts";
import { OneOf } from "../../../actors/schema.ts";
import { searchField, someOf } from "../../http/contract/field.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import { pageOf, pageQuery, pageView } from "../paging.ts";
import { AgentId } from "../path-ids.ts";
import { AgentList, AgentView, agentView, availableView } from "./view.ts";

const BEFORE_ALL = "0000-01-01T00:00:00.000Z";
/** The position between the last agent and the first entry. */
const BEFORE_THE_LIBRARY: PageCursor = { createdAt: BEFORE_ALL, id: "-" };

export const agentReading = {
  listAgents: operation(
    {
      method: "GET",
      path: "/api/agents",
      scope: "agents:read",
      summary: "List agents",
      description:
        "The organization's agents and the caller's own private ones, newest first. Library entries that are not installed follow at the end. Filters are combined with AND.",
      query: {
        name: searchField("Agents whose name has a word that starts with this text"),
        tag: searchField("Agents with this tag"),
        source: OneOf(["private", "library"] as const, {
          description: "Agents of this source: made in the organization (`private`), or from the library",
        }),
        visibility: someOf(VISIBILITIES, { description: "Agents with one of these visibilities" }),
        ...pageQuery("agents"),
      },
      answers: { 200: AgentList },
    },
    async (services, { principal: by }, { query }) => {
      const { limit, after } = pageOf(query);
      const page = await services.readCommitted(by.organizationId, () =>
        services.directory.pageAgents(by, query, { limit, after }),
      );
      if (!page.ok) return page;
      const own = page.value.records.map((agent) => agentView(agent, by));
      const view = (records: typeof own, next: PageCursor | null) =>
        pageView("agents", { records, next }, (one) => one);
      if (page.value.next !== null) return ok(view(own, page.value.next));
      const library = services.library.of(by.organizationId).filter(({ definition }) => fits(definition, query));
      const ids = library.map(({ id }) => id);
      const known = await lookUp(services.log, services.directory.agentsNamed(by.organizationId, ids));
      if (!known.ok) return known;
      const rest = libraryPage(library, known.value, {
        after,
        room: limit - own.length,
      });
      const entries = rest.records.map(({ entry, record }) => libraryView(entry, record, by));
      return ok(view([...own, ...entries], rest.next));
    },
  ),

  getAgent: operation(
    {
      method: "GET",
      path: "/api/agents/{id}",
      scope: "agents:read",
      summary: "Read an agent",
      params: { id: AgentId },
      answers: { 200: AgentView },
    },
    ({ system, agents, library }, { principal: by }, { params: { id } }) => {
      const entry = library.find(by.organizationId, id);
      if (entry === null)
        return whenReady(agents.find(by, id), (found) => mapOutcome(found, (agent) => agentView(agent, by)));
      const read = system.dispatch(organizationRef(by.organizationId), { kind: "read_library_agent", agentId: id });
      return whenReady(read, (record) => mapOutcome(record, (agent) => libraryView(entry, agent, by)));
    },
  ),
};

/** A library entry as this organization sees it. */
const libraryView = (entry: LibraryAgent, record: Agent | null, by: Principal): Shown<typeof AgentView> =>
  record === null ? availableView(entry, by) : agentView(record, by);

/** Whether a library entry passes the filter. Entries are few, and are not in a table. */
function fits({ name, tags = [] }: LibraryDefinition, { tag, source, visibility, ...filter }: AgentFilter): boolean {
  const wanted = filter.name === undefined ? null : libraryWords(filter.name);
  const words = libraryWords(name);
  return (
    (wanted === null || (wanted.length > 0 && wanted.every((word) => words.some((one) => one.startsWith(word))))) &&
    (tag === undefined || tags.includes(tag)) &&
    (source ?? "library") === "library" &&
    (visibility ?? ["organization"]).includes("organization")
  );
}
const libraryWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

interface ListedLibraryAgent {
  readonly entry: LibraryAgent;
  readonly record: Agent | null;
}

function libraryPage(
  library: readonly LibraryAgent[],
  known: readonly Agent[],
  { after, room }: { readonly after: PageCursor | null; readonly room: number },
): Page<ListedLibraryAgent> {
  const last = after?.createdAt === BEFORE_ALL ? library.findIndex(({ id }) => id === after.id) : -1;
  const rest = library
    .slice(last + 1)
    .map((entry) => ({ entry, record: known.find(({ id }) => id === entry.id) ?? null }))
    .filter(({ record }) => record?.installState !== "installed");
  const records = rest.slice(0, room);
  const shown = records.at(-1);
  if (records.length === rest.length) return { records, next: null };
  return { records, next: shown === undefined ? BEFORE_THE_LIBRARY : { createdAt: BEFORE_ALL, id: shown.entry.id } };
}
