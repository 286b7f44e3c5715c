/**
 * Chooses the tables that the statement of a batch names. PostgreSQL parses and plans each different text once for each
 * connection, which takes ten times as long as running it and delays every commit. Batches touch any mixture of a dozen
 * tables, so one text for each mixture would mean hundreds. Instead:
 *
 *   the touched tables ─ with the other half of each pair ─▶ a shape that was sent before ──────▶ that one
 *                                                           ├ one with a few more tables ──────▶ that one
 *                                                           ├ fewer than `SHAPES` ─────────────▶ a new one
 *                                                           └ otherwise ───────────────────────▶ the one of all tables
 *
 * A table in the shape that the batch does not touch gets no rows, which costs some microseconds.
 */

/** Shapes besides the one of all tables. Each costs about 100 KiB in the server's connections. */
export const SHAPES = 32;
/** Tables without rows that a statement may have, to reuse a text. */
export const SPARE_TABLES = 4;

/** One batch creates such a row, and another one removes it: batches contain them in every mixture. */
const CREATED_AND_REMOVED: readonly (readonly [string, string])[] = [
  ["actor_message", "consumed"],
  ["effect", "settled"],
  ["alarm", "cleared"],
];

export class FlushShapes {
  private readonly sent = new Map<string, ReadonlySet<string>>();
  /** All tables named so far, for the statement that is sent if there are too many shapes. */
  private readonly all = new Set<string>();

  /** How many texts there are. */
  get size(): number {
    return this.sent.size;
  }

  /** The tables in the statement of a batch that touches these. */
  covering(touched: ReadonlySet<string>): ReadonlySet<string> {
    const wanted = withPairs(touched);
    for (const name of wanted) this.all.add(name);
    const key = shapeKey(wanted);
    const same = this.sent.get(key);
    if (same !== undefined) return same;
    const wider = this.least(wanted);
    if (wider !== null) return wider;
    if (this.sent.size < SHAPES) return this.note(key, wanted);
    return this.note(shapeKey(this.all), new Set(this.all));
  }

  private note(key: string, shape: ReadonlySet<string>): ReadonlySet<string> {
    this.sent.set(key, shape);
    return shape;
  }

  /** The shape with the fewest tables that contains all of these; null if it has too many others. */
  private least(wanted: ReadonlySet<string>): ReadonlySet<string> | null {
    const most = this.sent.size < SHAPES ? wanted.size + SPARE_TABLES : Number.POSITIVE_INFINITY;
    let least: ReadonlySet<string> | null = null;
    for (const shape of this.sent.values())
      if (shape.size <= Math.min(most, (least?.size ?? Number.POSITIVE_INFINITY) - 1) && wanted.isSubsetOf(shape))
        least = shape;
    return least;
  }
}

function withPairs(touched: ReadonlySet<string>): ReadonlySet<string> {
  const both = new Set(touched);
  for (const pair of CREATED_AND_REMOVED)
    if (pair.some((name) => touched.has(name))) for (const name of pair) both.add(name);
  return both;
}

const shapeKey = (names: ReadonlySet<string>): string => [...names].sort().join(" ");
