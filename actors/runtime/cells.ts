/**
 * The live actors and streams of this process, least recently used first. Passivation drops what is
 * idle; there is nothing to write, because whatever a cell holds has been committed. Only a cell
 * with something pending must stay, and one whose actor has a farewell to say goes after it.
 */
import type { ActorRef, AnyDefinition } from "./actor.ts";
import { refKey } from "./actor.ts";
import { Cell } from "./cell.ts";
import { recordKey, type Birth, CellDraft } from "./draft.ts";
import { Replay } from "./replay.ts";
import type { Place } from "./shards.ts";

/** An actor that nobody has asked for this long is dropped. */
export const IDLE_MS = 60_000;
/** Live actors in one process; beyond it the least recently used quiet ones go at once. */
export const LIVE_ACTORS = 20_000;
/** Actors that one more may look at to make room: bounds what a full process costs each newcomer. */
const EVICTION_LOOKS = 64;

/** How an actor parts from what it has in mind. */
export interface Parting {
  /** Wall clock in ms. */
  now(): number;
  /** Gives the actor its last command, and `leave`s when that is committed. */
  part(cell: Cell, farewell: { readonly kind: string }): void;
}
const NO_PARTING: Parting = { now: () => 0, part: () => {} };

export class Cells {
  private readonly live = new Map<string, Cell>();
  private readonly streams = new Map<string, { readonly shard: number; readonly replay: Replay }>();
  private readonly definitions: ReadonlyMap<string, AnyDefinition>;
  private readonly limit: number;
  private readonly parting: Parting;

  constructor(definitions: readonly AnyDefinition[], limit = LIVE_ACTORS, parting = NO_PARTING) {
    this.definitions = new Map(definitions.map((d) => [d.kind, d]));
    this.limit = limit;
    this.parting = parting;
  }

  get count(): number {
    return this.live.size;
  }

  /** The live cell of an actor at this place; an older or dead one is replaced by an empty one. */
  get(ref: ActorRef, place: Place, at: number): Cell {
    const key = refKey(ref);
    let cell = this.live.get(key);
    if (cell === undefined || cell.dead || cell.epoch !== place.epoch) {
      const definition = this.definitions.get(ref.kind);
      if (definition === undefined) throw new Error(`no actor kind ${ref.kind}`);
      cell = new Cell(ref, definition, place);
      cell.live = this.streams.get(key)?.replay.mark ?? null;
      if (this.live.size >= this.limit) this.evict();
      this.live.set(key, cell);
    } else if (at - cell.usedAt > IDLE_MS / 8) {
      // Moves to the young end; more often than this would only cost.
      this.live.delete(key);
      this.live.set(key, cell);
    }
    cell.usedAt = at;
    return cell;
  }

  /** Who is born in a group can be spoken to by the next one, which waits for the birth as for any change. */
  unborn(births: readonly Birth[], place: Place, at: number): CellDraft[] {
    return births.map(({ ref, table, record }) => {
      const draft = new CellDraft(this.get(ref, place, at));
      draft.put(recordKey(table, record.id), record);
      return draft;
    });
  }

  /** Puts a committed birth in, so that the first command and the first reader find it in memory. */
  born(birth: Birth, place: Place, at: number): void {
    const cell = this.get(birth.ref, place, at);
    cell.loaded(recordKey(birth.table, birth.record.id), birth.record);
    if (birth.events.length === 0) return;
    const replay = this.stream(birth.ref, place.shard);
    for (const event of birth.events) replay.publish(event);
    replay.wake();
  }

  stream(ref: ActorRef, shard: number): Replay {
    const key = refKey(ref);
    let entry = this.streams.get(key);
    if (entry === undefined) {
      entry = { shard, replay: new Replay() };
      this.streams.set(key, entry);
    }
    return entry.replay;
  }

  /** The stream of a cell; found by its name only the first time, because every text goes through here. */
  streamOf(cell: Cell): Replay {
    if (cell.replay === null || cell.replay.isDropped) cell.replay = this.stream(cell.ref, cell.shard);
    return cell.replay;
  }

  private dropStream(key: string): void {
    const entry = this.streams.get(key);
    if (entry !== undefined) entry.replay.isDropped = true;
    this.streams.delete(key);
  }

  /** Drops all cells of these shards and sends their readers to the database. */
  drop(shards: ReadonlySet<number>): void {
    for (const [key, cell] of this.live) {
      if (!shards.has(cell.shard)) continue;
      cell.dead = true;
      this.live.delete(key);
    }
    for (const { shard, replay } of this.streams.values()) if (shards.has(shard)) replay.invalidate();
  }

  /** Ends the readers of these shards, which have another owner: they have to go there. */
  endReaders(shards: ReadonlySet<number>): void {
    for (const [key, { shard, replay }] of this.streams) {
      if (!shards.has(shard)) continue;
      this.streams.delete(key);
      replay.lose();
    }
  }

  /** Drops what has been idle; answers how many cells went. */
  passivate(at: number): number {
    let dropped = 0;
    for (const [key, cell] of this.live) {
      if (at - cell.usedAt <= IDLE_MS) continue;
      if (this.release(key, cell) === "dropped") dropped++;
    }
    for (const [key, { replay }] of this.streams) {
      if (!this.live.has(key) && replay.readers === 0) this.dropStream(key);
    }
    return dropped;
  }

  private evict(): void {
    let looked = 0;
    let leaving = 0;
    for (const [key, cell] of this.live) {
      if (this.live.size - leaving < this.limit || ++looked > EVICTION_LOOKS) return;
      const end = this.release(key, cell);
      if (end === "dropped") continue;
      if (end === "leaving") leaving++;
      // It must stay: at the young end it is not in the way of the others.
      this.live.delete(key);
      this.live.set(key, cell);
    }
  }

  /** Drops the cell of an actor that has said its farewell, unless it is in use again. */
  leave(cell: Cell): void {
    const key = refKey(cell.ref);
    if (this.live.get(key) === cell && this.farewellOf(cell) === null) this.release(key, cell);
  }

  /** Who has something to say before the process ends. */
  farewells(): { readonly cell: Cell; readonly farewell: { readonly kind: string } }[] {
    return [...this.live.values()].flatMap((cell) => {
      const farewell = this.farewellOf(cell);
      return farewell === null ? [] : [{ cell, farewell }];
    });
  }

  private release(key: string, cell: Cell): "dropped" | "leaving" | "stays" {
    if (!cell.isQuiet) return "stays";
    const stream = this.streams.get(key);
    if (stream !== undefined && (stream.replay.readers > 0 || stream.replay.hasLiveText)) return "stays";
    const farewell = this.farewellOf(cell);
    if (farewell !== null) {
      this.parting.part(cell, farewell);
      return "leaving";
    }
    cell.dead = true;
    this.live.delete(key);
    this.dropStream(key);
    return "dropped";
  }

  private farewellOf(cell: Cell): { readonly kind: string } | null {
    return cell.dead ? null : (cell.definition.farewell?.(cell.mind, this.parting.now()) ?? null);
  }
}
