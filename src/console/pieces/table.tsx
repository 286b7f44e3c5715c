/** A table, which scrolls by itself where the window is narrow. */
import type { ComponentChildren } from "preact";

interface ScrolledTableProps {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly caption?: string;
  readonly columns: readonly string[];
  /** Its rows. */
  readonly children: ComponentChildren;
  /** Rows that sum the others up. */
  readonly foot?: ComponentChildren;
}

export function ScrolledTable({ label, caption, columns, children, foot }: ScrolledTableProps) {
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label={label}>
      <table>
        {caption === undefined ? null : <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
        {foot === undefined ? null : <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}
