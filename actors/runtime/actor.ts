/**
 * What an actor is, seen from its kind. An actor has a kind, an id and an organization; its durable
 * state is a set of records (rows of tables). Its behaviour is one handler for each command. A
 * handler is a turn: synchronous, without I/O, clock or randomness of its own. Everything that it
 * reads and everything that it wants done goes through `tx`, and leaves only after the commit.
 */
import type { Outcome } from "../fault.ts";
import type { IdPrefix, RandomText } from "../ids.ts";
import type { JsonObject } from "../schema.ts";
import type { MailboxBounds } from "./mailbox.ts";
import type { VolatileState, VolatileTable } from "./volatile-state.ts";

/** Names one actor. All actors of an organization live on its shard. */
export interface ActorRef<K extends string = string> {
  readonly kind: K;
  readonly organizationId: string;
  readonly id: string;
}

/** With the organization: an id that a caller of another one has given must never meet this one's actor. */
export const refKey = (ref: ActorRef): string => `${ref.organizationId}/${ref.kind}/${ref.id}`;

/** What a kind can be asked, and what it answers to each command by the command's `kind`. */
export interface Protocol {
  readonly command: { readonly kind: string };
  readonly replies: object;
}
export type Protocols = { readonly [kind: string]: Protocol };
export type CommandOf<P extends Protocol> = P["command"];
export type ReplyOf<P extends Protocol, C extends CommandOf<P>> = C["kind"] extends keyof P["replies"]
  ? P["replies"][C["kind"]]
  : never;

/** What every record has; `tx` stamps the version and both times. */
export interface RecordFields {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A table of records by name. `T` is the type of its records; `db` has the table of that name. */
export interface Table<T extends RecordFields> {
  readonly name: string;
  readonly record?: T;
}
export const table = <T extends RecordFields>(name: string): Table<T> => ({ name });

/** What a turn gives for a new record: the runtime adds the rest. */
export type NewRecord<T extends RecordFields> = Omit<T, "organizationId" | "version" | "createdAt" | "updatedAt">;

/** A durable event before it has its place in the stream. */
export interface NewEvent {
  readonly type: string;
  readonly data: JsonObject;
}

export interface RecordKey {
  readonly table: string;
  readonly id: string;
}

/** A record, and whether it is stored as it is. */
export interface Peeked<T> {
  readonly record: T | null;
  readonly isStored: boolean;
}

/** What a turn may do. Nothing of it is visible to anybody before the commit. */
export interface Tx {
  readonly self: ActorRef;
  /** Wall clock in ms, the same for the whole turn group. */
  readonly now: number;
  readonly random: RandomText;
  /** Names the trace of the group for records that begin work later; null where it belongs to none. Messages and effects have it anyway. */
  readonly carrier: string | null;
  id(prefix: IdPrefix): string;
  /** The record as this group sees it, or null where there is none. Loads it by running the turn again. */
  read<T extends RecordFields>(table: Table<T>, id: string): T | null;
  /**
   * The same without waiting for its commit. What the turn then does and answers must not depend on
   * more than what is stored, so it is for a bound that is known from before.
   */
  peek<T extends RecordFields>(table: Table<T>, id: string): Peeked<T>;
  /** The version of a record that this group changes, once it is committed: one more than before the group. */
  versionAfter(table: Table<RecordFields>, id: string): number;
  /** A record that is new: its id was drawn in this turn or is known to be unused. */
  create<T extends RecordFields>(table: Table<T>, record: NewRecord<T>): T;
  /** Replaces a record that this turn has read; `version` rises by one for each group. */
  update<T extends RecordFields>(table: Table<T>, record: T): T;
  /**
   * Brings another actor of this organization to life: its record (with the actor's id) and the
   * first events of its stream, from seq 1; `lastSeq` must count them. The id must be unused: a
   * live actor's state is changed by its own turns only.
   */
  birth<T extends RecordFields>(ref: ActorRef, table: Table<T>, record: NewRecord<T>, events?: readonly NewEvent[]): T;
  /** This actor's volatile value of the key, as this group sees it; null where it was lost or never set. */
  recall<T>(table: VolatileTable<T>, key: string): T | null;
  /** The keys that had volatile values before this group, oldest first. */
  recallKeys(table: VolatileTable<unknown>): Iterable<string>;
  /**
   * Sets an immutable volatile value. Later turns see it at once, before this group's commit; if
   * the group is not stored, the actor loses all of its volatile state.
   */
  remember<T>(table: VolatileTable<T>, key: string, value: T): void;
  /** Appends a durable event to this actor's stream and returns its `seq` (SSE-2). */
  append(type: string, data: JsonObject): number;
  /** The seq of the newest event of this actor's stream, those of this turn included. */
  head(): number;
  /**
   * Begins the live text of a message: `text` is what is committed of it already, and `told` how much
   * of that a reader of all events already has (SSE-3). The same attempt of the same message goes on.
   */
  beginText(messageId: string, attempt: number, text: string, told?: number): void;
  /** Adds to the live text. Never stored; readers see it after this actor's last pending commit. */
  addText(messageId: string, text: string): void;
  /** The message is complete: after the events of this turn, nobody gets its live text any more. */
  endText(messageId: string): void;
  /** A message to another actor: a row of this commit, delivered once after it. */
  send(to: ActorRef, command: { readonly kind: string }): void;
  /** I/O to start after the commit. The row stays until a turn settles it. */
  effect(of: ActorRef, kind: string, intent: JsonObject): string;
  /** Ends an effect: its row goes with this commit, and what still runs of it is aborted after it. */
  settle(effectId: string): void;
  /** Aborts after the commit what runs of an effect; its row stays until a turn settles it. */
  interrupt(effectId: string): void;
  /** Dispatches `command` to this actor when `dueAtMs` has come; replaces the alarm of that name. */
  setAlarm(of: ActorRef, name: string, dueAtMs: number, command: { readonly kind: string }): void;
  clearAlarm(name: string): void;
  /**
   * Says that a turn with the same command answers the same until then, while no record that this one has read
   * changes. Where the reply is asked for again and again, it is kept (`kept-reply.ts`). Only for turns that read
   * records and nothing else.
   */
  holdsUntil(atMs: number): void;
  /**
   * Says that nobody waits for what this turn writes: its commit may wait a moment for the next one. It counts for
   * a message that has just been sent: a caller waits for its answer, and a take-up for what it delivers.
   */
  mayWait(): void;
}

/** One handler for each command: total, so that a new command without one does not compile. */
export type Handlers<P extends Protocol> = {
  readonly [K in CommandOf<P>["kind"]]: (
    tx: Tx,
    command: Extract<CommandOf<P>, { readonly kind: K }>,
  ) => Outcome<K extends keyof P["replies"] ? P["replies"][K] : never>;
};

/** A record that carries the head of its actor's event stream; the runtime keeps `lastSeq`. */
export type StreamRecord = RecordFields & { readonly lastSeq: number };

export interface ActorDefinition<P extends Protocol> {
  readonly kind: string;
  /** The records that a command will read, so that they are loaded before its turn. A hint: what is missing is loaded on demand. */
  needs(ref: ActorRef, command: CommandOf<P>): readonly RecordKey[];
  readonly handlers: Handlers<P>;
  /**
   * The last command of an actor that is about to be evicted, so that its volatile state is not lost;
   * null where nothing would be lost. `now` is wall clock in ms.
   */
  beforeEviction?(state: VolatileState, now: number): CommandOf<P> | null;
  /** Where `lastSeq` is kept; the record's id is the actor's id. */
  readonly stream?: Table<StreamRecord>;
  /** What may wait at one actor. Omitted: the default. */
  readonly mailbox?: MailboxBounds;
  /** How many records one actor keeps in memory. Omitted: the default. */
  readonly workingSet?: number;
  /** Its commits go on while the storage is full: they are small, bounded, and reads depend on them. */
  readonly writesWhenFull?: true;
  /**
   * Its commands do not depend on each other's order, so one that waits for a record holds no later one up.
   * For actors that every request passes. Omitted: turns run in the order of their dispatch.
   */
  readonly isUnordered?: true;
}

/** A definition whose protocol is not known statically, as the system keeps it. */
export interface AnyDefinition {
  readonly kind: string;
  needs(ref: ActorRef, command: { readonly kind: string }): readonly RecordKey[];
  readonly handlers: Readonly<Record<string, (tx: Tx, command: never) => Outcome<unknown>>>;
  beforeEviction?(state: VolatileState, now: number): { readonly kind: string } | null;
  readonly stream?: Table<StreamRecord>;
  readonly mailbox?: MailboxBounds;
  readonly workingSet?: number;
  readonly writesWhenFull?: true;
  readonly isUnordered?: true;
}
