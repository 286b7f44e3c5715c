/**
 * The interface between an actor's kind and the runtime. An actor has a kind, an id and an organization; its durable
 * state is a set of records (rows of tables). Its behaviour is one handler for each command. A handler is a turn:
 * synchronous, without I/O, clock or randomness of its own. It reads and writes everything through `tx`, and its
 * outputs leave only after the commit.
 */
import type { Outcome } from "../fault.ts";
import type { IdPrefix, RandomText } from "../ids.ts";
import type { JsonObject } from "../schema.ts";
import type { MailboxBounds } from "./turns/mailbox.ts";
import type { VolatileState, VolatileTable } from "./turns/volatile-state.ts";

/** Names one actor. All actors of an organization live on its shard. */
export interface ActorRef<K extends string = string> {
  readonly kind: K;
  readonly organizationId: string;
  readonly id: string;
}

/** References to actors of this kind, by the organization and the actor's id. */
export const refTo =
  <K extends string>(kind: K) =>
  (organizationId: string, id: string): ActorRef<K> => ({ kind, organizationId, id });

/** References to the only actor of this kind that an organization has; its id is the kind. */
export const soleRefTo =
  <K extends string>(kind: K) =>
  (organizationId: string): ActorRef<K> => ({ kind, organizationId, id: kind });

/** Includes the organization: an id from a caller of another organization must never match this one's actor. */
export const refKey = (ref: ActorRef): string => `${ref.organizationId}/${ref.kind}/${ref.id}`;

/** The commands of a kind, and the reply to each, by the command's `kind`. */
export interface Protocol {
  readonly command: { readonly kind: string };
  readonly replies: object;
}
export type Protocols = { readonly [kind: string]: Protocol };
export type CommandOf<P extends Protocol> = P["command"];
export type ReplyOf<P extends Protocol, C extends CommandOf<P>> = C["kind"] extends keyof P["replies"]
  ? P["replies"][C["kind"]]
  : never;

/** The fields of every record; `tx` stamps the version and both times. */
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

/** The fields of a new record that a turn gives: the runtime adds the others. */
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

/** A record, and whether it is stored in this state. */
export interface Peeked<T> {
  readonly record: T | null;
  readonly isStored: boolean;
}

/** The operations of a turn. Nothing of it is visible outside before the commit. */
export interface Tx {
  readonly self: ActorRef;
  /** Wall clock in ms, the same for the whole turn group. */
  readonly now: number;
  readonly random: RandomText;
  /**
   * The carrier of the group's trace, for records that begin work later; null without a trace. Messages and effects
   * carry it anyway.
   */
  readonly carrier: string | null;
  id(prefix: IdPrefix): string;
  /**
   * The record as this group sees it, or null if there is none. A missing record is loaded, and the turn runs again.
   */
  read<T extends RecordFields>(table: Table<T>, id: string): T | null;
  /**
   * Like `read`, without waiting for the record's commit. What the turn does and answers must depend only on the stored
   * state, so use it only for a bound that earlier commits have fixed.
   */
  peek<T extends RecordFields>(table: Table<T>, id: string): Peeked<T>;
  /** The version that this group's commit gives to a record that it changes: one more than before the group. */
  versionAfter(table: Table<RecordFields>, id: string): number;
  /** Creates a record. Its id was drawn in this turn, or is known to be unused. */
  create<T extends RecordFields>(table: Table<T>, record: NewRecord<T>): T;
  /** Replaces a record that this turn has read; `version` rises by one for each group. */
  update<T extends RecordFields>(table: Table<T>, record: T): T;
  /**
   * Creates another actor of this organization: its record (with the actor's id) and the first events of its stream,
   * from seq 1; `lastSeq` must count them. The id must be unused: only an actor's own turns change a live actor's
   * state.
   */
  birth<T extends RecordFields>(ref: ActorRef, table: Table<T>, record: NewRecord<T>, events?: readonly NewEvent[]): T;
  /** This actor's volatile value of the key, as this group sees it; null if it was lost or never set. */
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
  /** The seq of the newest event of this actor's stream, including those of this turn. */
  head(): number;
  /**
   * Begins the live text of a message. `text` is its committed text, and `known` is how much of it a reader of all
   * events already has (SSE-3). Continues if the same attempt of the message has already begun.
   */
  beginText(messageId: string, attempt: number, text: string, known?: number): void;
  /** Adds to the live text. Never stored; readers see it after this actor's last pending commit. */
  addText(messageId: string, text: string): void;
  /** The message is complete: after the events of this turn, no reader gets its live text any more. */
  endText(messageId: string): void;
  /** A message to another actor: a row of this commit, delivered once after it. */
  send(to: ActorRef, command: { readonly kind: string }): void;
  /** I/O to start after the commit. The row stays until a turn settles it. */
  effect(of: ActorRef, kind: string, intent: JsonObject): string;
  /** Ends an effect: its row is deleted in this commit, and a running handler is aborted after it. */
  settle(effectId: string): void;
  /** Aborts a running handler of the effect after the commit; its row stays until a turn settles it. */
  interrupt(effectId: string): void;
  /** Dispatches `command` to this actor at `dueAtMs`; replaces the alarm with that name. */
  setAlarm(name: string, dueAtMs: number, command: { readonly kind: string }): void;
  clearAlarm(name: string): void;
  /**
   * Declares that a turn with the same command gives the same reply until `atMs`, while no record that this turn has
   * read changes. The reply to a frequent question is then kept (`kept-reply.ts`). Only for turns that read records and
   * do nothing else.
   */
  holdsUntil(atMs: number): void;
  /**
   * Declares that nobody waits for this turn's writes: its commit may wait a moment for the next one. This counts only
   * for a message that was just sent, because a caller waits for its reply, and a take-up for its deliveries.
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
  /**
   * The records that a command will read, so that they are loaded before its turn. A hint: others are loaded on demand.
   */
  needs(ref: ActorRef, command: CommandOf<P>): readonly RecordKey[];
  readonly handlers: Handlers<P>;
  /**
   * The last command of an actor before its eviction, so that its volatile state is not lost; null if nothing would be
   * lost. `now` is wall clock in ms.
   */
  beforeEviction?(state: VolatileState, now: number): CommandOf<P> | null;
  /** Where `lastSeq` is kept; the record's id is the actor's id. */
  readonly stream?: Table<StreamRecord>;
  /** Bounds of the commands that wait at one actor. Omitted: the default. */
  readonly mailbox?: MailboxBounds;
  /** How many records one actor keeps in memory. Omitted: the default. */
  readonly workingSet?: number;
  /** Its commits continue while the storage is full: they are small and bounded, and reads depend on them. */
  readonly writesWhenFull?: true;
  /**
   * Its commands do not depend on each other's order, so a command that waits for a record delays no later one. For
   * actors that every request uses. Omitted: turns run in the order of their dispatch.
   */
  readonly isUnordered?: true;
}

/** A definition whose protocol is not known statically, as the system keeps it. */
export type AnyDefinition = Omit<ActorDefinition<Protocol>, "handlers"> & {
  readonly handlers: Readonly<Record<string, (tx: Tx, command: never) => Outcome<unknown>>>;
};
