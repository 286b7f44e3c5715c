/** What of the usage a chart shows. */
import type { UsageRow } from "../../../sdk/typescript/troupe.ts";
import { costWords, msWords, percent } from "../format/amount.tsx";

interface UsageMeasure {
  readonly name: string;
  readonly value: (row: UsageRow) => number;
  readonly words: (row: UsageRow, currency: string | null) => string;
}

export const MEASURES = {
  cost: {
    name: "Cost",
    value: ({ cost }) => Number(cost ?? 0),
    words: ({ cost }, currency) => costWords(cost, currency),
  },
  tokens: {
    name: "Tokens",
    value: (row) => row.input_tokens + row.output_tokens,
    words: (row) => `${(row.input_tokens + row.output_tokens).toLocaleString()} tokens`,
  },
  cached: {
    name: "Cached part of the input",
    value: (row) => (row.input_tokens === 0 ? 0 : row.cached_input_tokens / row.input_tokens),
    words: (row) => percent(row.cached_input_tokens, row.input_tokens),
  },
  first_token: {
    name: "Time to the first token",
    value: (row) => row.time_to_first_token_ms ?? 0,
    words: (row) => msWords(row.time_to_first_token_ms),
  },
  jobs: { name: "Jobs", value: ({ jobs }) => jobs, words: ({ jobs }) => `${jobs.toLocaleString()} jobs` },
} satisfies Readonly<Record<string, UsageMeasure>>;

export type MeasureName = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[];

/** Cost, if anything has a price. */
export const measureOf = (name: string, hasCost: boolean): MeasureName =>
  MEASURE_NAMES.find((one) => one === name) ?? (hasCost ? "cost" : "tokens");
