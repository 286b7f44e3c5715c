/** Limits the rows of a result, and encodes them in the formats of the answer. */
import type { ArrowJson } from "./arrow.ts";

export type Format = "json" | "csv" | "arrow";

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Takes rows up to a limit of their number or of their size as JSON. */
export class RowTaker {
  readonly rows: (readonly ArrowJson[])[] = [];
  /** Whether a further row was offered. */
  isFull = false;
  private left: number;
  private readonly most: number;

  constructor(most: number, maxBytes: number) {
    this.most = most;
    this.left = maxBytes;
  }

  /** False if the limit is reached. */
  take(row: readonly ArrowJson[]): boolean {
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
  rows: readonly (readonly ArrowJson[])[],
): Promise<Uint8Array> {
  if (format === "json") return Buffer.from(JSON.stringify(rows));
  if (format === "csv")
    return Buffer.from(
      [columns.map(({ name }) => name), ...rows].map((row) => `${row.map(queryCell).join(",")}\r\n`).join(""),
    );
  // Loaded on first use.
  return (await import("./arrow.ts")).arrowStream(columns, rows);
}

function queryCell(value: ArrowJson): string {
  if (value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
