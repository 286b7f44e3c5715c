/** What the simulation must never see, by name: the first one ends the run. */
export const INVARIANTS = {
  stored: "what is acknowledged is stored",
  refused: "what is refused is not stored",
  once: "nothing is stored twice, and nothing that nobody wrote",
  sequence: "events are consecutive, and the record agrees with them",
  gate: "a reply shows what is stored, and everything that had been acknowledged",
  whole: "a group is stored in whole or not at all",
  fenced: "nothing of an old epoch is stored",
  message: "a message is taken exactly once",
  effect: "an effect is done exactly once",
  alarm: "an alarm takes effect exactly once, and only while it stands",
  job: "a job has one owner while it goes on, one end, and each result once",
  mission: "each time of a mission is decided about once, and each of its runs has one job",
  reader: "a reader gets each stored event once, in order",
  memory: "records in memory are the stored ones when nothing is pending",
  rate: "no window admits more than its budget, nor more than what is stored",
  owner: "two replicas never both serve an organization",
  bug: "the runtime meets no bug of its own",
  limiters: "nothing is in flight when nothing runs",
  drained: "when the faults are over, everything ends",
} as const;
export type Invariant = keyof typeof INVARIANTS;

export class Violation extends Error {
  override readonly name = "Violation";
  readonly invariant: Invariant;

  constructor(invariant: Invariant, detail: string) {
    super(`${INVARIANTS[invariant]}: ${detail}`);
    this.invariant = invariant;
  }
}

/** Fails by the invariant's name unless `holds`. */
export function must(holds: boolean, invariant: Invariant, detail: () => string): asserts holds {
  if (!holds) throw new Violation(invariant, detail());
}
