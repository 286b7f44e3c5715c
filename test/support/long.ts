/**
 * How long the long tests are. Files named `*.long.test.ts` are of the long run only: it sets
 * TROUPE_TEST_LONG=1, and may set the sizes below; everywhere else their tests are skipped.
 */

export interface LongScale {
  /** Wall-clock seconds that one storm may last at most. */
  readonly seconds: number;
  /** Faults that all storms together must have met. */
  readonly faults: number;
  /** Acknowledgements that all storms together must have got. */
  readonly acknowledgements: number;
}

export const isLong = (): boolean => process.env["TROUPE_TEST_LONG"] === "1";

/** The size of the long run, by TROUPE_TEST_SECONDS, TROUPE_TEST_FAULTS and TROUPE_TEST_ACKNOWLEDGEMENTS. */
export function longScale(): LongScale {
  return {
    seconds: size("TROUPE_TEST_SECONDS", 240),
    faults: size("TROUPE_TEST_FAULTS", 40),
    acknowledgements: size("TROUPE_TEST_ACKNOWLEDGEMENTS", 200_000),
  };
}

function size(name: string, otherwise: number): number {
  const text = process.env[name] ?? "";
  if (text === "") return otherwise;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`${name} is ${JSON.stringify(text)}; it must be a whole number from 1`);
  return value;
}
