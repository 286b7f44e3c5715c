/**
 * What clients of ledgers were told, and whether what is stored agrees with it. Every write has a key
 * of its own, which is the amount that it adds (`by`); so the stored events name the writes, and the
 * reply to a write, the count, says which writes came before it.
 *
 * `judge` finds: acknowledged writes that are not stored (lost), writes that are stored twice, writes
 * that were certainly refused and are stored all the same, atomic ones that are stored in part,
 * gaps in `seq`, records that disagree with their events, replies and reads that show what is not
 * stored, and events that an older epoch has stored after a newer one.
 */

/** What an effect adds when it is done; keys begin far above it. */
export const EFFECT_DONE = 1;
export const FIRST_KEY = 1_000;

export type Answer = "pending" | "acknowledged" | "refused" | "unknown";

/** One write, from its request to its answer. */
export interface Write {
  readonly key: number;
  /** The ledgers that must have it, all of them or none; the first is the one asked. */
  readonly ledgers: readonly string[];
  /** It begins an effect, which adds to the first ledger when it is done. */
  readonly hasEffect: boolean;
  answer: Answer;
  /** What the reply said each ledger counts; null where it says nothing. */
  counts: readonly (number | null)[];
}

/** What a reader was shown. `floor` is the highest count that had been acknowledged when it asked. */
export interface Seen {
  readonly ledger: string;
  readonly lastSeq: number;
  readonly count: number;
  readonly floor: number;
}

export interface StoredLedger {
  readonly id: string;
  readonly count: number;
  readonly lastSeq: number;
  /** By seq. */
  readonly events: readonly { readonly seq: number; readonly by: number }[];
}

export interface Stored {
  readonly ledgers: readonly StoredLedger[];
  /** Messages, effects and alarms that nobody has taken. */
  readonly undone: number;
  /** The epochs under which an event was sent, by `stream/seq/by`. */
  readonly sent: ReadonlyMap<string, readonly number[]>;
}

export class History {
  readonly writes: Write[] = [];
  readonly seen: Seen[] = [];
  private readonly floors = new Map<string, number>();
  private lastKey = FIRST_KEY;
  acknowledged = 0;

  begin(ledgers: readonly string[], hasEffect = false): Write {
    const write: Write = { key: ++this.lastKey, ledgers, hasEffect, answer: "pending", counts: [] };
    this.writes.push(write);
    return write;
  }

  acknowledge(write: Write, counts: readonly (number | null)[]): void {
    write.answer = "acknowledged";
    write.counts = counts;
    this.acknowledged++;
    write.ledgers.forEach((ledger, i) => this.floors.set(ledger, Math.max(this.floor(ledger), counts[i] ?? 0)));
  }

  /** The highest acknowledged count. */
  floor(ledger: string): number {
    return this.floors.get(ledger) ?? 0;
  }
}

/** Every list must be empty; each entry says what is wrong in words. */
export interface Verdict {
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly wrong: readonly string[];
}

export function judge(history: History, stored: Stored): Verdict {
  const verdict: Record<keyof Verdict, string[]> = { lost: [], twice: [], wrong: [] };
  const ledgers = new Map(stored.ledgers.map((ledger) => [ledger.id, new Account(ledger)]));
  for (const account of ledgers.values()) account.audit(verdict, stored.sent);
  for (const write of history.writes) judgeWrite(write, ledgers, verdict);
  for (const seen of history.seen) judgeSeen(seen, ledgers, verdict);
  judgeEffects(history, ledgers, verdict);
  judgeStrangers(history, ledgers, verdict);
  if (stored.undone > 0) verdict.wrong.push(`${stored.undone} messages, effects or alarms were never taken`);
  return verdict;
}

/** A stored ledger with its sums: `sums[i]` is the count after event i. */
class Account {
  readonly ledger: StoredLedger;
  readonly sums: number[] = [];
  /** Where each key stands. */
  readonly places = new Map<number, number>();
  effectsDone = 0;

  constructor(ledger: StoredLedger) {
    this.ledger = ledger;
  }

  audit({ twice, wrong }: Record<keyof Verdict, string[]>, sent: Stored["sent"]): void {
    const { id, events, count, lastSeq } = this.ledger;
    let sum = 0;
    let newest = 0;
    events.forEach(({ seq, by }, i) => {
      if (seq !== i + 1) wrong.push(`${id}: seq ${seq} stands at place ${i + 1}`);
      this.sums.push((sum += by));
      if (by === EFFECT_DONE) this.effectsDone++;
      else if (this.places.has(by)) twice.push(`${by} is twice in ${id}`);
      else this.places.set(by, i);
      const epochs = sent.get(`${id}/${seq}/${by}`) ?? [];
      if (epochs.length > 0 && Math.max(...epochs) < newest)
        wrong.push(`${id}: seq ${seq} is of an older epoch than the one before it`);
      newest = Math.max(newest, epochs.length === 0 ? 0 : Math.min(...epochs));
    });
    if (lastSeq !== events.length) wrong.push(`${id}: lastSeq is ${lastSeq} with ${events.length} events`);
    if (count !== sum) wrong.push(`${id}: the record counts ${count}, its events ${sum}`);
  }
}

type Accounts = ReadonlyMap<string, Account>;

function judgeWrite(
  { key, ledgers, answer, counts }: Write,
  accounts: Accounts,
  verdict: Record<keyof Verdict, string[]>,
): void {
  const places = ledgers.map((ledger) => accounts.get(ledger)?.places.get(key));
  const stored = places.filter((place) => place !== undefined).length;
  if (answer === "acknowledged" && stored < ledgers.length)
    verdict.lost.push(`${key} was acknowledged and is in ${stored} of ${ledgers.join(", ")}`);
  else if (stored > 0 && stored < ledgers.length)
    verdict.wrong.push(`${key} is stored in part: in ${stored} of ${ledgers.join(", ")}`);
  if (answer === "refused" && stored > 0) verdict.wrong.push(`${key} was refused and is stored`);
  if (answer === "pending") verdict.wrong.push(`${key} was never answered`);
  counts.forEach((count, i) => {
    const place = places[i];
    const account = accounts.get(ledgers[i]!);
    if (count === null || place === undefined || account === undefined) return;
    if (account.sums[place] !== count)
      verdict.wrong.push(`${key}: the reply counted ${count}, stored is ${account.sums[place]}`);
  });
}

function judgeSeen(
  { ledger, lastSeq, count, floor }: Seen,
  accounts: Accounts,
  { wrong }: Record<keyof Verdict, string[]>,
): void {
  const sum = lastSeq === 0 ? 0 : accounts.get(ledger)?.sums[lastSeq - 1];
  if (sum !== count) wrong.push(`${ledger}: a reader saw ${count} at seq ${lastSeq}, stored is ${sum}`);
  if (count < floor) wrong.push(`${ledger}: a reader saw ${count} after ${floor} had been acknowledged`);
}

function judgeEffects(history: History, accounts: Accounts, { lost, twice }: Record<keyof Verdict, string[]>): void {
  const expected = new Map<string, number>();
  for (const { key, ledgers, hasEffect } of history.writes) {
    const [id = ""] = ledgers;
    if (hasEffect && accounts.get(id)?.places.has(key)) expected.set(id, (expected.get(id) ?? 0) + 1);
  }
  for (const [id, { effectsDone }] of accounts) {
    const wanted = expected.get(id) ?? 0;
    if (effectsDone < wanted) lost.push(`${id}: ${wanted - effectsDone} effects were never done`);
    if (effectsDone > wanted) twice.push(`${id}: ${effectsDone - wanted} effects were done twice`);
  }
}

function judgeStrangers(history: History, accounts: Accounts, { wrong }: Record<keyof Verdict, string[]>): void {
  const known = new Map(history.writes.map((write) => [write.key, write.ledgers]));
  for (const [id, { places }] of accounts) {
    for (const key of places.keys()) if (!known.get(key)?.includes(id)) wrong.push(`${id}: nobody wrote ${key} there`);
  }
}
