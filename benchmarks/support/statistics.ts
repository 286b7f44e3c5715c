/** Statistics of a run: percentiles, and their format. */

/** The value below which `fraction` of `sorted` lie; NaN of nothing. */
export function percentile(sorted: ArrayLike<number>, fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

/** Samples in order of arrival; memory is allocated in advance, so that it costs nothing during the measurement. */
export class Samples {
  private readonly values: Float64Array;
  private count = 0;

  constructor(limit = 2_000_000) {
    this.values = new Float64Array(limit);
  }

  add(value: number): void {
    if (this.count < this.values.length) this.values[this.count++] = value;
  }

  /** The median and the 99th percentile. */
  summary(): { readonly p50: number; readonly p99: number; readonly count: number } {
    const sorted = this.values.subarray(0, this.count).sort();
    return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), count: this.count };
  }
}

/** `1,234`, `56.7`, `0.123`: such a measurement is exact to about three digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1_000)
    return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 0 });
  return Number(value.toPrecision(3)).toString();
}

export const times = (ratio: number): string => `${figure(ratio)}×`;

/** The list in an order that chance chooses. */
export function shuffled<T>(list: readonly T[]): T[] {
  const mixed = [...list];
  for (let i = mixed.length - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [mixed[i], mixed[other]] = [mixed[other]!, mixed[i]!];
  }
  return mixed;
}
