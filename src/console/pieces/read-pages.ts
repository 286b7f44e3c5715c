/** All items of a list, up to a bound: for choices, and for what no filter of the API finds. */
import type { Agent, Workspace } from "../../../sdk/typescript/troupe.ts";
import { service } from "../service.ts";
import { type LoadedPage, readPages } from "./item-pages.ts";

const READ_PAGE = 100;
const MOST_PAGES = 10;
/** Said at a choice that does not list them all. */
export const NOT_ALL_LISTED = `Only the first ${READ_PAGE * MOST_PAGES} are listed`;

interface ReadItems<T> {
  readonly items: readonly T[];
  /** Whether the list has no more than these. */
  readonly isWhole: boolean;
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

export async function readItems<T>(load: (query: PageQuery) => Promise<LoadedPage<T>>): Promise<ReadItems<T>> {
  const { items, next } = await readPages((after) => load({ limit: READ_PAGE, ...after }), MOST_PAGES);
  return { items, isWhole: next === undefined };
}

export const readAgents = (signal: AbortSignal): Promise<ReadItems<Agent>> =>
  readItems(async (query) => {
    const { agents, next_cursor: next } = await service.listAgents(query, { signal });
    return { items: agents, next };
  });

export const readWorkspaces = (signal: AbortSignal): Promise<ReadItems<Workspace>> =>
  readItems(async (query) => {
    const { workspaces, next_cursor: next } = await service.listWorkspaces(query, { signal });
    return { items: workspaces, next };
  });
