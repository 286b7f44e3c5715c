/**
 * Renders the JSON of a list in slices (`actors/runtime/fairness/bulk-work.ts`): a page of a megabyte takes milliseconds, in
 * which nobody else would be served. The text equals that of `JSON.stringify`.
 */
import type { Bulk } from "../../../actors/runtime/fairness/bulk-work.ts";

/** Shorter lists are rendered together with the rest of the answer. */
const LEAST_RECORDS = 4;

/** An answer that is already JSON. */
export class Rendered {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

const isList = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.length >= LEAST_RECORDS && typeof value[0] === "object";

/** Whether a field of the answer is a list of records. */
export function isLongList(body: object): boolean {
  if (Object.getPrototypeOf(body) !== Object.prototype) return false;
  for (const name in body) if (isList(body[name as keyof typeof body])) return true;
  return false;
}

/** Renders the answer, with each record of its lists as a separate piece of work. */
export async function renderList(bulk: Bulk, organizationId: string, body: object): Promise<Rendered> {
  const pieces: string[] = ["{"];
  let characters = 0;
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    pieces.push(pieces.length === 1 ? "" : ",", JSON.stringify(name), ":");
    if (isList(value)) characters += await addList(bulk, organizationId, { records: value, pieces });
    else pieces.push(JSON.stringify(value));
  }
  pieces.push("}");
  // They are joined once, because each copy of a megabyte costs as much as a small request. The answer leaves in the
  // same turn of the loop, so that turn has no other slice.
  return new Rendered(await bulk.whole(organizationId, characters, () => pieces.join("")));
}

/** Returns the number of characters added. */
async function addList(
  bulk: Bulk,
  organizationId: string,
  { records, pieces }: { readonly records: readonly object[]; readonly pieces: string[] },
): Promise<number> {
  let separator = "[";
  let characters = 0;
  await bulk.each(organizationId, records, (record) => {
    const json = JSON.stringify(record);
    pieces.push(separator, json);
    separator = ",";
    characters += json.length;
    return json.length;
  });
  pieces.push("]");
  return characters;
}
