/** Rows of data with the names of their columns. */
import type { DataColumn } from "../../../sdk/typescript/troupe.ts";

interface DataTableProps {
  readonly label: string;
  readonly columns: readonly DataColumn[];
  readonly rows: readonly (readonly unknown[])[];
}

/** More rows make a page slow, and nobody reads them. */
const MOST_SHOWN_ROWS = 500;

export function DataTable({ label, columns, rows }: DataTableProps) {
  return (
    <>
      <div class="scrolls data" tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name, type }, index) => (
                <th key={index} scope="col" title={type}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_SHOWN_ROWS).map((row, index) => (
              <tr key={index}>
                {row.map((value, column) => (
                  <td key={column}>{wordsOfValue(value)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > MOST_SHOWN_ROWS ? (
        <p class="quiet">
          The first {MOST_SHOWN_ROWS} of {rows.length.toLocaleString()} rows.
        </p>
      ) : null}
    </>
  );
}

const wordsOfValue = (value: unknown): string =>
  value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value);
