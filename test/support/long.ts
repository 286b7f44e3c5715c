/**
 * How long the long tests are. Files named `*.long.test.ts` belong to `bun run test:long` only, which
 * may get the sizes below from the environment.
 */

export interface LongScale {
  /** Faults that all storms together must have met. */
  readonly faults: number;
  /** Acknowledgements that all storms together must have got. */
  readonly acknowledgements: number;
  /** Streams that are cut again and again. */
  readonly streams: number;
  /** Hostile requests that are sent in all. */
  readonly requests: number;
  /** For how long strangers answer badly. */
  readonly fuzzSeconds: number;
  /** Of every quarter of an hour, in each zone. The fast tests look at three years, less densely. */
  readonly calendarYears: number;
  /** Of mixed load and cuts, while memory is read. An hour is 3,600. */
  readonly soakSeconds: number;
}

/** The size of the long run, by TROUPE_TEST_FAULTS, TROUPE_TEST_ACKNOWLEDGEMENTS, TROUPE_TEST_STREAMS, TROUPE_TEST_REQUESTS,
 * TROUPE_TEST_FUZZ_SECONDS, TROUPE_TEST_CALENDAR_YEARS and TROUPE_TEST_SOAK_SECONDS. */
export function longScale(): LongScale {
  return {
    faults: size("TROUPE_TEST_FAULTS", 44),
    acknowledgements: size("TROUPE_TEST_ACKNOWLEDGEMENTS", 210_000),
    streams: size("TROUPE_TEST_STREAMS", 500),
    requests: size("TROUPE_TEST_REQUESTS", 20_000),
    fuzzSeconds: size("TROUPE_TEST_FUZZ_SECONDS", 180),
    calendarYears: size("TROUPE_TEST_CALENDAR_YEARS", 2),
    soakSeconds: size("TROUPE_TEST_SOAK_SECONDS", 60),
  };
}

/** Whether this is the long run: tests that are fast with a sample of their cases then look at all of them. */
export const IS_LONG: boolean = process.env["TROUPE_TEST_LONG"] === "1";

/** In the long run all cases, else every so-manieth, beginning where the seed says. */
export const sampleOf = <T>(all: readonly T[], every: number, seed = 0): readonly T[] =>
  IS_LONG ? all : all.filter((_, i) => i % every === seed % every);

/** From so long on, a soak is held to the rule of OPS-21; a shorter one finds only a plain leak. */
export const LONG_SOAK_SECONDS = 600;

/** Where the soak draws its graph, by TROUPE_TEST_SOAK_GRAPH; null: nowhere. */
export const soakGraph = (): string | null => process.env["TROUPE_TEST_SOAK_GRAPH"] ?? null;

function size(name: string, otherwise: number): number {
  const text = process.env[name] ?? "";
  if (text === "") return otherwise;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`${name} is ${JSON.stringify(text)}; it must be a whole number from 1`);
  return value;
}

/** The chaos run of replicas, by TROUPE_TEST_CHAOS_SECONDS, TROUPE_TEST_CHAOS_SEED and TROUPE_TEST_CHAOS_FAULTS (names, with commas; all unless set). */
export function chaosScale(): {
  readonly seconds: number;
  readonly seed: number;
  readonly faults: readonly string[] | null;
} {
  const names = process.env["TROUPE_TEST_CHAOS_FAULTS"] ?? "";
  return {
    seconds: size("TROUPE_TEST_CHAOS_SECONDS", 90),
    seed: size("TROUPE_TEST_CHAOS_SEED", 1),
    faults: names === "" ? null : names.split(","),
  };
}

/** How often the failover test kills the primary, by TROUPE_TEST_FAILOVERS. */
export const failovers = (): number => size("TROUPE_TEST_FAILOVERS", 3);
