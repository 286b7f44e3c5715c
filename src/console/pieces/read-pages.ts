/** All items of a list, up to a bound: for choices, and for what no filter of the API finds. */
import type { Agent, Workspace } from "../../../sdk/typescript/troupe.ts";
import { service } from "../service.ts";
import { type ListPage, pagesOf, readPages } from "./item-pages.ts";

const READ_PAGE = 100;
const MOST_PAGES = 10;
/** Said at a choice that does not list them all. */
export const NOT_ALL_LISTED = `Only the first ${READ_PAGE * MOST_PAGES} are listed`;

interface ReadItems<T> {
  readonly items: readonly T[];
  /** Whether the list has no more than these. */
  readonly isWhole: boolean;
}

export async function readItems<P, T>(list: ListPage<P>, itemsOf: (page: P) => readonly T[]): Promise<ReadItems<T>> {
  const { items, next } = await readPages(pagesOf(READ_PAGE, list, itemsOf), MOST_PAGES);
  return { items, isWhole: next === undefined };
}

export const readAgents = (signal: AbortSignal): Promise<ReadItems<Agent>> =>
  readItems(
    (query) => service.listAgents(query, { signal }),
    ({ agents }) => agents,
  );

export const readWorkspaces = (signal: AbortSignal): Promise<ReadItems<Workspace>> =>
  readItems(
    (query) => service.listWorkspaces(query, { signal }),
    ({ workspaces }) => workspaces,
  );
