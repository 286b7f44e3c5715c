/** The rows of a result: as many as are wanted, and the formats that they are answered in. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type Format = "json" | "csv" | "arrow";

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Takes rows until there are enough, by their number or by their size as JSON. */
export class RowTaker {
  readonly rows: (readonly Json[])[] = [];
  /** Whether there was one row more. */
  isFull = false;
  private left: number;
  private readonly most: number;

  constructor(most: number, maxBytes: number) {
    this.most = most;
    this.left = maxBytes;
  }

  /** False when no more are wanted. */
  take(row: readonly Json[]): boolean {
    const bytes = Buffer.byteLength(JSON.stringify(row)) + 1;
    this.isFull = this.rows.length >= this.most || bytes > this.left;
    if (this.isFull) return false;
    this.left -= bytes;
    this.rows.push(row);
    return true;
  }
}

/** JSON: an array of arrays. CSV: with the names in the first line (RFC 4180). Arrow: a stream of one batch. */
export async function asFormat(
  format: Format,
  columns: readonly Column[],
  rows: readonly (readonly Json[])[],
): Promise<Uint8Array> {
  if (format === "json") return Buffer.from(JSON.stringify(rows));
  if (format === "csv")
    return Buffer.from(
      [columns.map(({ name }) => name), ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join(""),
    );
  // Loaded when it is first asked for.
  return (await import("./arrow.ts")).arrowStream(columns, rows);
}

function cell(value: Json): string {
  if (value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
