/** The memory of a soak over time, as SVG. */
import type { SoakReading } from "./soak.ts";

const WIDTH = 720;
const HEIGHT = 300;
const LEFT = 56;
const BOTTOM = 40;
const TOP = 24;
const MIB = 1_048_576;
const LINES = [
  { name: "all memory of the process", color: "#1f6feb", of: (reading: SoakReading) => reading.pssBytes / MIB },
  { name: "of it, its data", color: "#1a7f37", of: (reading: SoakReading) => reading.dataBytes / MIB },
  { name: "heap", color: "#bf5700", of: (reading: SoakReading) => reading.heapBytes / MIB },
] as const;

export function graphOf(readings: readonly SoakReading[]): string {
  const longest = Math.max(...readings.map(({ seconds }) => seconds));
  const step = 50;
  const most = Math.ceil(Math.max(...readings.map((reading) => LINES[0].of(reading))) / step) * step;
  const x = (seconds: number): string => (LEFT + (seconds / longest) * (WIDTH - LEFT - 16)).toFixed(1);
  const y = (mib: number): string => (HEIGHT - BOTTOM - (mib / most) * (HEIGHT - BOTTOM - TOP)).toFixed(1);
  const marks = Array.from({ length: most / step + 1 }, (_, i) => i * step).flatMap((mib) => [
    `<line x1="${LEFT}" x2="${WIDTH - 16}" y1="${y(mib)}" y2="${y(mib)}" stroke="#d0d7de"/>`,
    `<text x="${LEFT - 6}" y="${y(mib)}" dy="4" text-anchor="end">${mib} MiB</text>`,
  ]);
  const times = [0, 0.25, 0.5, 0.75, 1].map(
    (part) =>
      `<text x="${x(part * longest)}" y="${HEIGHT - 22}" text-anchor="middle">${Math.round(part * longest)} s</text>`,
  );
  const drawn = LINES.flatMap(({ name, color, of }, i) => [
    `<polyline fill="none" stroke="${color}" stroke-width="2" points="${readings.map((r) => `${x(r.seconds)},${y(of(r))}`).join(" ")}"/>`,
    `<text x="${LEFT + i * 220}" y="${HEIGHT - 5}" fill="${color}">${name}</text>`,
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...marks,
    ...times,
    ...drawn,
    "</svg>\n",
  ].join("\n");
}
