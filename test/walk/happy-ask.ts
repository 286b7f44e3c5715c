/** What a successful call of the walk is, and what most of them share. */
import type { Ask } from "./walker.ts";
import type { World } from "./world.ts";

export interface HappyAsk extends Ask {
  /** Where there is more than one status of success. */
  readonly status?: number;
}

export type Happy = (world: World) => Promise<HappyAsk | readonly HappyAsk[]> | HappyAsk | readonly HappyAsk[];

export const of = (id: string): Pick<Ask, "params"> => ({ params: { id } });
export const PAGE = [["limit", "2"]] as const;
