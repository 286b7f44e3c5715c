/** Records side by side: as the rows of a table, or one as a list of its facts. */
import type { ComponentChildren } from "preact";

interface ScrolledTableProps {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly caption?: string;
  readonly class?: string;
  readonly columns: readonly string[];
  /** Its rows. */
  readonly children: ComponentChildren;
  /** Rows that sum the others up. */
  readonly foot?: ComponentChildren;
}

/** It scrolls by itself where the window is narrow. */
export function ScrolledTable({ label, caption, class: style = "", columns, children, foot }: ScrolledTableProps) {
  return (
    <div class={`scrolls ${style}`} tabIndex={0} role="region" aria-label={label}>
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

/** Names with their values. */
export type FactList = readonly (readonly [name: string, value: ComponentChildren])[];

export const ShownFacts = ({ facts }: { readonly facts: FactList }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
