/**
 * A run of many words whose server is killed with -9 while many readers follow it: what each has in the end, compared
 * with what is stored.
 */
import { ReaderRecord, type ResumePeer } from "./resume-peer.ts";
import { percentile } from "./statistics.ts";

export const CUT_READERS = 200;
const WORDS = 400;
const EVERY_MS = 20;
/** When the kill comes in the run, for each round: always after LangGraph has written its file. */
const KILLED_AT = [0.5, 0.65, 0.8];
/** A run that is not read to its end this long after the kill counts as endless. */
const LIMIT_MS = 45_000;
const CUT_LOOK_MS = 10;

/** What a kill did to the readers of one run. */
export interface CutRun {
  readonly ended: number;
  readonly gaps: number;
  readonly repeats: number;
  readonly reused: number;
  readonly lost: number;
  /**
   * Seconds from the kill: until the server answers, until half of the readers receive anything, until the last has the
   * end.
   */
  readonly serves: number;
  readonly back: number;
  readonly end: number;
}

/** Runs it with a kill; the kill comes at another word in each round. */
export async function cutRun(peer: ResumePeer, round: number): Promise<CutRun> {
  const at = KILLED_AT[(round - 1) % KILLED_AT.length] ?? 0.5;
  const run = await peer.begin(WORDS, EVERY_MS);
  const records = Array.from({ length: CUT_READERS }, () => new ReaderRecord());
  const timeIsUp = new AbortController();
  const reading = records.map((record) => run.read(record, timeIsUp.signal).catch(() => {}));
  const isSoFar = (): boolean => records.filter(({ units }) => units.length >= WORDS * at).length >= CUT_READERS / 2;
  while (!isSoFar()) await Bun.sleep(CUT_LOOK_MS);
  const killed = performance.now();
  await run.crash();
  const serves = performance.now();
  for (const record of records) record.watch();
  const limit = setTimeout(() => timeIsUp.abort(), LIMIT_MS);
  await Promise.all(reading);
  clearTimeout(limit);
  const stored = await run.stored();
  const seconds = (time: number): number => (time - killed) / 1_000;
  const backs = records.map(({ backAt }) => seconds(backAt ?? Number.POSITIVE_INFINITY)).sort((a, b) => a - b);
  return {
    ...compared(records, stored),
    serves: seconds(serves),
    back: percentile(backs, 0.5),
    end: Math.max(...records.map(({ endedAt }) => seconds(endedAt ?? Number.POSITIVE_INFINITY))),
  };
}

function compared(records: readonly ReaderRecord[], stored: readonly string[]) {
  const truth = new Set(stored);
  const meanings = new Map<string, string>();
  const reused = new Set<string>();
  let [ended, gaps, repeats, lost] = [0, 0, 0, 0];
  for (const { units, told, endedAt } of records) {
    const own = new Set(units);
    if (endedAt !== null) ended++;
    gaps += truth.difference(own).size;
    lost += own.difference(truth).size;
    repeats += units.length - own.size;
    for (const [id, what] of told)
      if ((meanings.get(id) ?? what) !== what) reused.add(id);
      else meanings.set(id, what);
  }
  return { ended, gaps, repeats, reused: reused.size, lost };
}
