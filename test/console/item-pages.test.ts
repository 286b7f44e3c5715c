/** A list in pages that is read again while records come, go and change. */
import { expect, test } from "bun:test";
import {
  appendPage,
  type LoadedPage,
  type LoadPage,
  mergePages,
  readPages,
} from "../../src/console/pieces/item-pages.ts";

const PAGE = 2;

/** A list of the service, newest first: a cursor is the last id of its page. */
const listOf =
  (ids: readonly number[]): LoadPage<number> =>
  ({ cursor }) => {
    const below = cursor === undefined ? ids : ids.filter((id) => id < Number(cursor));
    const items = below.slice(0, PAGE);
    return Promise.resolve({ items, next: below.length > PAGE ? String(items.at(-1)) : undefined });
  };

const idOf = String;
const reread = async (shown: LoadedPage<number>, now: LoadPage<number>, pages: number): Promise<LoadedPage<number>> =>
  mergePages(shown, await readPages(now, pages), idOf);

test("[CON-21] a list that is read again has no hole, however many records came, and goes on at its end", async () => {
  const ids = [8, 7, 6, 5, 4, 3, 2, 1];
  const shown = await readPages(listOf(ids), 3);
  expect(shown).toEqual({ items: [8, 7, 6, 5, 4, 3], next: "3" });
  for (let newest = 8; newest <= 16; newest++)
    for (const pages of [1, 2, 3]) {
      const all = [...Array.from({ length: newest - 8 }, (_, index) => newest - index), ...ids];
      const now = listOf(all);
      const read = await reread(shown, now, pages);
      expect(read.items).toEqual(all.slice(0, read.items.length));
      expect(read.items.length).toBeGreaterThanOrEqual(PAGE * pages);
      const rest = await readPages(({ cursor = read.next }) => now(cursor === undefined ? {} : { cursor }), 99);
      expect(appendPage(read, rest, idOf).items).toEqual(all);
    }
});

test("[CON-21] records that are gone disappear from the pages that are read again", async () => {
  const shown = await readPages(listOf([6, 5, 4, 3, 2, 1]), 2);
  expect(await reread(shown, listOf([6, 4, 3, 2, 1]), 2)).toEqual({ items: [6, 4, 3, 2], next: "2" });
  expect((await reread(shown, listOf([6, 5, 4, 2, 1]), 1)).items).toEqual([6, 5, 4, 3]);
  expect(await reread(shown, listOf([6]), 2)).toEqual({ items: [6], next: undefined });
});

test("[CON-21] an empty page that has a cursor does not end a list, and no record comes twice", async () => {
  const pages: readonly LoadedPage<number>[] = [
    { items: [], next: "1" },
    { items: [9, 8], next: "2" },
    { items: [8, 7], next: undefined },
  ];
  const load = ({ cursor = "0" }): Promise<LoadedPage<number>> =>
    Promise.resolve(pages[Number(cursor)] ?? { items: [], next: undefined });
  const first = mergePages(null, await readPages(load, 1), idOf);
  expect(first).toEqual({ items: [], next: "1" });
  const second = appendPage(first, await load({ cursor: "1" }), idOf);
  expect(mergePages(second, await readPages(load, 2), idOf)).toEqual({ items: [9, 8], next: "2" });
  expect(appendPage(second, await load({ cursor: "2" }), idOf)).toEqual({ items: [9, 8, 7], next: undefined });
  expect(mergePages(second, await readPages(load, 1), idOf)).toEqual(first);
});
