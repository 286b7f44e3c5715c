/**
 * One replica's view of the others in the simulation: the service's own table of owners, routing, questions and
 * witnesses of a death, over lines between processes on which calls wait, get lost, or find nobody.
 */
import { type Outcome, refuse } from "../../actors/fault.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { GroupMember, MemberStep } from "../../actors/runtime/turns/members.ts";
import { type Peers, SHARD_COUNT } from "../../actors/runtime/placement/placement.ts";
import { SHARD_UNAVAILABLE } from "../../actors/runtime/placement/shards.ts";
import { Liveness } from "../../src/peers/liveness.ts";
import { NotReached } from "../../src/peers/peer-client.ts";
import { type AskedSystem, PeerQuestions } from "../../src/peers/peer-questions.ts";
import { type Owner, type PlacementRows, PlacementTable } from "../../src/peers/placement-table.ts";
import { Routing } from "../../src/peers/routing.ts";
import type { MemoryDatabase } from "../support/memory-database.ts";
import { call, type Wiring } from "./simulated-wiring.ts";

const ALL: ReadonlySet<number> = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard));

export interface GroupParts {
  readonly wiring: Wiring;
  readonly clock: Clock;
  readonly database: MemoryDatabase;
  /** All groups that live, by the name of their replica. */
  readonly world: Map<string, SimulatedGroup>;
  readonly system: () => AskedSystem & {
    lookAtPlacement(): void;
    dispatchGroup(steps: readonly MemberStep[]): Promise<Outcome<readonly unknown[]>>;
  };
  /** Whether this process has a way to the database: without one it loses its lock. */
  readonly hasDatabase: () => boolean;
}

/** A call that is under way to somebody. */
interface Call {
  readonly to: string;
  readonly breakOff: (cause: Error) => void;
}

export class SimulatedGroup implements Peers {
  private readonly parts: GroupParts;
  private readonly name: string;
  private readonly table: PlacementTable;
  private readonly routing: Routing;
  private readonly liveness: Liveness;
  private readonly questions: PeerQuestions;
  private readonly calls = new Set<Call>();

  constructor(parts: GroupParts) {
    this.parts = parts;
    const { clock, system } = parts;
    const self = (this.name = parts.wiring.line.name);
    const client = {
      ask: (owner: Owner, _path: string, text: string) => this.over(owner.id, (other) => other.answer(text)),
      isNobodyThere: (owner: Owner) => this.isNobodyAt(owner.id),
    };
    this.table = new PlacementTable({ read: () => this.read() }, clock, ({ id }) =>
      this.breakOff(id, "the replica has lost its lease"),
    );
    const { table } = this;
    const serves = (organizationId: string): boolean => system().serves(organizationId);
    this.routing = new Routing({ self, table, clock, serves });
    const onDeath = (): void => {
      this.look();
      this.announce();
    };
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    this.liveness = new Liveness({ self, table, client, clock, bury: (id) => this.bury(id), onDeath, log });
    const { routing, liveness } = this;
    const place = { id: self, url: self };
    this.questions = new PeerQuestions({ self: place, routing, client, liveness, clock, system, invoke: () => null });
    parts.world.set(self, this);
  }

  /** The process serves: the others hand over what is its part. */
  async joined(): Promise<void> {
    await this.table.refresh().catch(() => {});
    this.announce();
    this.liveness.start();
  }

  /** The process has ended: nobody is at its address, and what was asked of it breaks off. */
  ended(): void {
    this.parts.world.delete(this.name);
    for (const other of this.parts.world.values()) other.breakOff(this.name, "the connection was reset");
  }

  /** A client's request: at its owner it counts as under way, elsewhere it is asked of the owner. */
  async request(organizationId: string, steps: readonly MemberStep[]): Promise<Outcome<readonly unknown[]>> {
    const place = await this.routing.placeOf(organizationId);
    if (place === null) return refuse(SHARD_UNAVAILABLE);
    const members = steps.filter((step): step is GroupMember => typeof step !== "function");
    if (place.kind === "there")
      return members.length < steps.length ? refuse(SHARD_UNAVAILABLE) : this.questions.ask(organizationId, members);
    const done = this.routing.begin(organizationId);
    return this.parts.system().dispatchGroup(steps).finally(done);
  }

  async holdAll(): Promise<void> {
    await this.routing.hold(ALL);
  }

  holdClients(shards: ReadonlySet<number>): Promise<() => void> {
    return this.routing.hold(shards);
  }

  announce(): void {
    const { scheduler, faults } = this.parts.wiring;
    for (const other of this.parts.world.values()) {
      // A hint, which may be lost.
      if (other === this || (faults.isOn && scheduler.happens(faults.call))) continue;
      scheduler.hold(other.parts.wiring.line, `is told by ${this.name} to look`, () => other.look());
    }
  }

  opened(): void {
    this.routing.wake();
  }

  ask(organizationId: string, members: readonly GroupMember[]): Promise<Outcome<readonly unknown[]>> {
    return this.questions.ask(organizationId, members);
  }

  settled(organizationId: string): Promise<Outcome<null>> {
    return this.questions.settled(organizationId);
  }

  private answer(text: string): Promise<unknown> {
    const answer = this.questions.answer(text);
    // As JSON, as it travels.
    return answer === null ? Promise.resolve(null) : answer.then((outcome) => JSON.parse(JSON.stringify(outcome)));
  }

  private look(): void {
    this.parts.system().lookAtPlacement();
    void this.table.refresh().catch(() => {});
  }

  /** A call to another process: it waits on its way, there, and on its way back, and is lost on either way now and then. */
  private async over<T>(to: string, ask: (other: SimulatedGroup) => Promise<T>): Promise<T> {
    const { scheduler, line, faults } = this.parts.wiring;
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => {});
    const under: Call = { to, breakOff: broken.reject };
    this.calls.add(under);
    const mayBeLost = (way: string): void => {
      if (!faults.isOn || !scheduler.happens(faults.call)) return;
      faults.struck++;
      scheduler.note(`${line.name}: the ${way} of a call to ${to} is lost`);
      throw new Error(`the ${way} is lost`);
    };
    try {
      await Promise.race([scheduler.pass(line, `calls ${to}`), broken.promise]);
      mayBeLost("question");
      const other = this.parts.world.get(to);
      if (other === undefined) throw new NotReached(to);
      const there = scheduler.pass(other.parts.wiring.line, `is called by ${line.name}`);
      await Promise.race([there, broken.promise]);
      const answer = await Promise.race([ask(other), broken.promise]);
      await Promise.race([scheduler.pass(line, `${to} has answered`), broken.promise]);
      mayBeLost("answer");
      return answer;
    } finally {
      this.calls.delete(under);
    }
  }

  private breakOff(to: string, why: string): void {
    for (const under of this.calls) if (under.to === to) under.breakOff(new Error(why));
  }

  private async isNobodyAt(id: string): Promise<boolean> {
    try {
      await this.over(id, () => Promise.resolve());
      return false;
    } catch (cause) {
      return cause instanceof NotReached;
    }
  }

  private read(): Promise<PlacementRows> {
    return call(this.parts.wiring, "read the placement", () => {
      const { replicas, shards } = this.parts.database;
      const isAlive = (id: string | null): id is string => id !== null && replicas.get(id)?.dead === false;
      const living = [...replicas.keys()].filter(isAlive).map((id) => ({ id, url: id }));
      const owned = shards.flatMap(({ owner }, shard) => (isAlive(owner) ? [[shard, owner] as const] : []));
      return Promise.resolve({ replicas: living, owners: new Map(owned) });
    });
  }

  /** Its lock is free where its process has ended, or has lost its way to the database. */
  private bury(id: string): Promise<boolean> {
    return call(this.parts.wiring, `bury ${id}`, () => {
      const row = this.parts.database.replicas.get(id);
      const holdsLock = this.parts.world.get(id)?.parts.hasDatabase() === true;
      const isBuried = row?.dead === false && !holdsLock;
      if (isBuried) row.dead = true;
      return Promise.resolve(isBuried);
    });
  }
}
