/** One bar for each day. The table beside it says the same in words, so a screen reader gets only a summary here. */
import type { UsageRow } from "../../../sdk/typescript/troupe.ts";
import { MEASURES, type MeasureName } from "./measures.ts";

const BAR_WIDTH = 10;
const BAR_GAP = 2;
const CHART_HEIGHT = 100;
/** A day with little use is still seen. */
const LEAST_BAR = 1;
const MOST_BARS = 400;
const DAY_MS_OF_CHARTS = 86_400_000;

interface DayChartProps {
  readonly rows: readonly UsageRow[];
  readonly since: string;
  readonly until: string;
  readonly currency: string | null;
  readonly measure: MeasureName;
  readonly chosen: string;
  readonly choose: (day: string) => void;
}

/** All days of the range, also those without usage; the newest if there are very many. */
function daysBetween(since: string, until: string): readonly string[] {
  const last = Date.parse(until);
  const first = Math.max(Date.parse(since), last - (MOST_BARS - 1) * DAY_MS_OF_CHARTS);
  const count = Math.max(1, Math.round((last - first) / DAY_MS_OF_CHARTS) + 1);
  return Array.from({ length: count }, (_, i) => new Date(first + i * DAY_MS_OF_CHARTS).toISOString().slice(0, 10));
}

export function DayChart({ rows, since, until, currency, measure, chosen, choose }: DayChartProps) {
  const { name, value, words } = MEASURES[measure];
  const days = daysBetween(since, until);
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const highest = rows.reduce<UsageRow | null>(
    (best, row) => (best === null || value(row) > value(best) ? row : best),
    null,
  );
  const most = highest === null ? 0 : value(highest);
  const summary =
    highest === null || most === 0
      ? `${name} by day: nothing`
      : `${name} by day, most on ${highest.day}: ${words(highest, currency)}`;
  return (
    <figure class="chart">
      <figcaption>{summary}</figcaption>
      <svg
        viewBox={`0 0 ${days.length * BAR_WIDTH} ${CHART_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {days.map((day, i) => {
          const row = byDay.get(day);
          const part = row === undefined || most === 0 ? 0 : value(row) / most;
          const height = part === 0 ? 0 : Math.max(LEAST_BAR, part * CHART_HEIGHT);
          return (
            <g key={day} class={day === chosen ? "chosen" : undefined} onClick={() => choose(day)}>
              <title>{row === undefined ? `${day}: nothing` : `${day}: ${words(row, currency)}`}</title>
              <rect class="field" x={i * BAR_WIDTH} y={0} width={BAR_WIDTH} height={CHART_HEIGHT} />
              <rect
                class="bar"
                x={i * BAR_WIDTH + BAR_GAP / 2}
                y={CHART_HEIGHT - height}
                width={BAR_WIDTH - BAR_GAP}
                height={height}
              />
            </g>
          );
        })}
      </svg>
      <p class="axis quiet" aria-hidden="true">
        <span>{days[0]}</span>
        <span>{days.at(-1)}</span>
      </p>
    </figure>
  );
}
