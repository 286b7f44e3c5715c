/** The numbers of a result as bars: one for each row, with the first text beside it. Its table has all of it. */
import type { DataColumn } from "../../../sdk/typescript/troupe.ts";

interface ResultBarsProps {
  readonly columns: readonly DataColumn[];
  readonly rows: readonly (readonly unknown[])[];
}

const MOST_RESULT_BARS = 30;
const BAR_HEIGHT = 22;
const LABEL_WIDTH = 180;
const BARS_WIDTH = 400;

/** Nothing for a result that has no number, a negative one, or too many rows. */
export function ResultBars({ columns, rows }: ResultBarsProps) {
  if (rows.length < 2 || rows.length > MOST_RESULT_BARS) return null;
  const [number] = columns.flatMap(({ name }, index) =>
    rows.every((row) => typeof row[index] === "number" && row[index] >= 0) ? [{ name, index }] : [],
  );
  const label = columns.findIndex((_, index) => rows.every((row) => typeof row[index] === "string"));
  if (number === undefined || label === -1) return null;
  const bars = rows.map((row) => ({ words: String(row[label]), size: Number(row[number.index]) }));
  const most = Math.max(...bars.map(({ size }) => size), 1e-9);
  return (
    <figure class="bars">
      <figcaption>{number.name}</figcaption>
      <svg
        role="img"
        aria-label={`${number.name} as bars; the table below has the numbers`}
        viewBox={`0 0 ${LABEL_WIDTH + BARS_WIDTH + 100} ${bars.length * BAR_HEIGHT}`}
      >
        {bars.map(({ words, size }, index) => (
          <g key={index} transform={`translate(0 ${index * BAR_HEIGHT})`}>
            <text x={LABEL_WIDTH - 8} y={15} text-anchor="end">
              {words.length > 24 ? `${words.slice(0, 23)}…` : words}
            </text>
            <rect x={LABEL_WIDTH} y={3} width={(size / most) * BARS_WIDTH} height={BAR_HEIGHT - 6} />
            <text x={LABEL_WIDTH + (size / most) * BARS_WIDTH + 6} y={15}>
              {size.toLocaleString()}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}
