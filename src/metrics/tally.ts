/**
 * Counters that the service updates while it works: plain numbers that cost some nanoseconds each. They take
 * Prometheus' form only on a scrape (`exposition.ts`).
 */
import { amountOf, moneyUnits } from "../../actors/money.ts";

/** Separates label values in a key; no label contains it. */
const LABEL_SEPARATOR = "\t";

/** One count per combination of label values. */
export class LabelledCounts {
  readonly labels: readonly string[];
  private readonly counts = new Map<string, number>();

  constructor(...labels: string[]) {
    this.labels = labels;
  }

  /** `values` are the label values, in the order of the labels. */
  add(amount: number, ...values: readonly string[]): void {
    const key = values.length === 1 ? values[0]! : values.join(LABEL_SEPARATOR);
    this.counts.set(key, (this.counts.get(key) ?? 0) + amount);
  }

  *entries(): Generator<readonly [labels: Readonly<Record<string, string>>, count: number]> {
    for (const [key, count] of this.counts) yield [withLabels(this.labels, key.split(LABEL_SEPARATOR)), count];
  }
}

/** Costs per model, summed exactly: floating point would lose the last digits of a long sum. */
export class Amounts {
  private readonly units = new Map<string, bigint>();

  /** `amount` is decimal text, in the format of `actors/money.ts`. */
  add(amount: string, model: string): void {
    this.units.set(model, (this.units.get(model) ?? 0n) + moneyUnits(amount));
  }

  *entries(): Generator<readonly [model: string, amount: number]> {
    for (const [model, units] of this.units) yield [model, Number(amountOf(units))];
  }
}

/** A histogram: counts per bucket, and the sum of the values. */
export class Distribution {
  /** Ascending; a value counts in the first bucket whose bound it does not exceed, else in the last one. */
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let place = 0;
    while (place < bounds.length && value > bounds[place]!) place++;
    counts[place]!++;
    this.sum += value;
  }
}

/** A distribution for each value of one label. */
export class Distributions {
  readonly label: string;
  private readonly bounds: readonly number[];
  private readonly of = new Map<string, Distribution>();

  constructor(label: string, bounds: readonly number[]) {
    this.label = label;
    this.bounds = bounds;
  }

  observe(value: string, observed: number): void {
    let distribution = this.of.get(value);
    if (distribution === undefined) this.of.set(value, (distribution = new Distribution(this.bounds)));
    distribution.observe(observed);
  }

  *entries(): Generator<readonly [labels: Readonly<Record<string, string>>, distribution: Distribution]> {
    for (const [value, distribution] of this.of) yield [{ [this.label]: value }, distribution];
  }
}

const withLabels = (labels: readonly string[], values: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(labels.map((label, i) => [label, values[i] ?? ""]));
