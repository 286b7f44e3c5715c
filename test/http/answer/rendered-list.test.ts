/** Lists that are rendered record by record. */
import { expect, test } from "bun:test";
import { AT_ONCE, type Bulk } from "../../../actors/runtime/fairness/bulk-work.ts";
import { isLongList, renderList } from "../../../src/http/answer/rendered-list.ts";

const RECORD = {
  id: 'a "b" \\ é \u2028 \ud83d',
  gone: undefined,
  none: null,
  deep: { list: [1, undefined, -0] },
  at: 0.1,
};
const records = (count: number): object[] => Array.from({ length: count }, (_, i) => ({ ...RECORD, number: i }));

test.each([
  { tasks: records(4) },
  { success: true, tasks: records(7), total: 7 },
  { a: undefined, tasks: records(5), next_cursor: "é", nothing: undefined },
  { 'odd " name': records(4), others: records(6), few: records(2), words: ["a", "b", "c", "d"] },
])("[FAIR-7] the text of a list is that of its JSON %#", async (body) => {
  expect(isLongList(body)).toBe(true);
  expect((await renderList(AT_ONCE, "org", body)).json).toBe(JSON.stringify(body));
});

test("[FAIR-7] each record is a piece of its organization's work, and so is joining them", async () => {
  const asked: [string, number][] = [];
  const joined: [string, number][] = [];
  const bulk: Bulk = {
    async each(organizationId, items, work) {
      asked.push([organizationId, items.length]);
      await AT_ONCE.each(organizationId, items, work);
      expect(work(items[0]!)).toBe(JSON.stringify(RECORD).length);
    },
    whole(organizationId, bytes, work) {
      joined.push([organizationId, bytes]);
      return AT_ONCE.whole(organizationId, bytes, work);
    },
  };
  await renderList(bulk, "org", { tasks: Array(5).fill(RECORD) });
  expect(asked).toEqual([["org", 5]]);
  // This bulk has worked on the first one twice.
  expect(joined).toEqual([["org", 6 * JSON.stringify(RECORD).length]]);
});

test("[FAIR-7] an answer without a long list of records is rendered as a whole", () => {
  for (const body of [{}, { tasks: records(3) }, { scopes: ["a", "b", "c", "d", "e"] }, records(9), new Map()])
    expect(isLongList(body)).toBe(false);
});
