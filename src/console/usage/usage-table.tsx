/** The usage of each day, agent or model, as a table. */
import type { ComponentChildren } from "preact";
import type { UsageReport, UsageRow } from "../../../sdk/typescript/troupe.ts";
import { CostAmount, msWords, percent } from "../format/amount.tsx";
import { MEASURES, type MeasureName } from "./measures.ts";
import { ScrolledTable } from "../pieces/table.tsx";

interface UsageTableProps {
  readonly report: UsageReport;
  readonly measure: MeasureName;
  readonly nameOf: (row: UsageRow) => ComponentChildren;
  readonly isChosen: (row: UsageRow) => boolean;
}

const GROUP_NAMES: Readonly<Record<UsageReport["group_by"], string>> = { day: "Day", agent: "Agent", model: "Model" };

export function UsageTable({ report, measure, nameOf, isChosen }: UsageTableProps) {
  const { usage, totals, currency, group_by: group, truncated } = report;
  const { value } = MEASURES[measure];
  const most = Math.max(...usage.map(value), 0);
  const cells = (row: UsageReport["totals"]) => (
    <>
      <td>
        <CostAmount amount={row.cost} currency={currency} />
      </td>
      <td>{row.input_tokens.toLocaleString()}</td>
      <td>{percent(row.cached_input_tokens, row.input_tokens)}</td>
      <td>{row.output_tokens.toLocaleString()}</td>
      <td>{msWords(row.time_to_first_token_ms)}</td>
      <td>{row.jobs.toLocaleString()}</td>
    </>
  );
  return (
    <>
      <ScrolledTable
        label={`Usage by ${group}`}
        columns={[GROUP_NAMES[group], "Cost", "Tokens in", "Cached", "Tokens out", "First token", "Jobs"]}
        foot={
          <tr>
            <th scope="row">All</th>
            {cells(totals)}
          </tr>
        }
      >
        {usage.map((row) => (
          <tr key={row.day ?? row.model ?? row.agent_id ?? ""} aria-current={isChosen(row) ? "true" : undefined}>
            <th scope="row">
              {nameOf(row)}
              <progress class="part" value={value(row)} max={most || 1} aria-hidden="true" />
            </th>
            {cells(row)}
          </tr>
        ))}
      </ScrolledTable>
      {truncated ? <p class="quiet">Only the first {usage.length.toLocaleString()} are shown.</p> : null}
    </>
  );
}
