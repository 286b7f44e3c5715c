/**
 * The list of agents (GEN-8): first the organization's, by pages, newest first; after the last of them the library
 * entries that are not installed, in the library's order. Those have no time of creation, so a cursor within them
 * has a time before all others.
 */
import type { Page, PageCursor, PageRequest } from "../../../actors/page.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { AgentFilter, LibraryAgent } from "../../../actors/organization/directory.ts";
import type { LibraryDefinition } from "../../../actors/organization/protocol.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { pageView } from "../paging.ts";
import type { Services } from "../../operations/services.ts";
import { type AgentList, type AgentView, agentView, availableView } from "./view.ts";

const BEFORE_ALL = "0000-01-01T00:00:00.000Z";
/** The position between the last agent and the first entry. */
const BEFORE_THE_LIBRARY: PageCursor = { createdAt: BEFORE_ALL, id: "-" };

/** A page of the list. */
export async function listAgents(
  services: Services,
  by: Principal,
  filter: AgentFilter,
  { limit, after }: PageRequest,
): Promise<Outcome<Shown<typeof AgentList>>> {
  const settled = await services.system.settled(by.organizationId);
  if (!settled.ok) return settled;
  const page = await lookUp(services.log, services.directory.pageAgents(by, filter, { limit, after }));
  if (!page.ok) return page;
  const own = page.value.records.map((agent) => agentView(agent, by));
  const view = (records: typeof own, next: PageCursor | null) => pageView("agents", { records, next }, (one) => one);
  if (page.value.next !== null) return ok(view(own, page.value.next));
  const library = services.library.of(by.organizationId).filter(({ definition }) => fits(definition, filter));
  const ids = library.map(({ id }) => id);
  const known = await lookUp(services.log, services.directory.agentsNamed(by.organizationId, ids));
  if (!known.ok) return known;
  const rest = libraryPage(library, known.value, {
    after,
    room: limit - own.length,
  });
  const entries = rest.records.map(({ entry, record }) => libraryView(entry, record, by));
  return ok(view([...own, ...entries], rest.next));
}

/** A library entry as this organization sees it. */
export const libraryView = (entry: LibraryAgent, record: Agent | null, by: Principal): Shown<typeof AgentView> =>
  record === null ? availableView(entry, by) : agentView(record, by);

/** Whether a library entry passes the filter. Entries are few, and are not in a table. */
function fits({ name, tags = [] }: LibraryDefinition, { tag, source, visibility, ...filter }: AgentFilter): boolean {
  const wanted = filter.name === undefined ? null : wordsOf(filter.name);
  const words = wordsOf(name);
  return (
    (wanted === null || (wanted.length > 0 && wanted.every((word) => words.some((one) => one.startsWith(word))))) &&
    (tag === undefined || tags.includes(tag)) &&
    (source ?? "library") === "library" &&
    (visibility ?? ["organization"]).includes("organization")
  );
}
const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

interface Entry {
  readonly entry: LibraryAgent;
  readonly record: Agent | null;
}

function libraryPage(
  library: readonly LibraryAgent[],
  known: readonly Agent[],
  { after, room }: { readonly after: PageCursor | null; readonly room: number },
): Page<Entry> {
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
