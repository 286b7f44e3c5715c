/**
 * This process as one of several replicas: its peer port, what it knows of the others, and how it leaves.
 *
 *   port open, lock held ─▶ joined (the runtime's placement) ─▶ serving ─▶ held, handed over ─▶ left
 */
import { assert } from "../../actors/assert.ts";
import type { Outcome } from "../../actors/fault.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { within } from "../../actors/runtime/placement/hand-over.ts";
import type { GroupMember } from "../../actors/runtime/turns/members.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import { type Peers, SHARD_COUNT } from "../../actors/runtime/placement/placement.ts";
import type { OpenStreams } from "../http/stream/open-streams.ts";
import type { Forwarding } from "../http/request/forwarding.ts";
import type { Invoke } from "../http/request/operations.ts";
import { RequestForwarding } from "./forwarding.ts";
import { Liveness } from "./liveness.ts";
import { LOOK_PATH, PeerClient, READ_PATH } from "./peer-client.ts";
import { PeerLinks } from "./peer-link.ts";
import { PeerKey } from "./peer-key.ts";
import { type AskedSystem, PeerQuestions } from "./peer-questions.ts";
import { openPeerServer, type PeerServer, type Pipeline } from "./peer-server.ts";
import type { PeersLog } from "../log/port.ts";
import { type Owner, type PlacementReader, PlacementTable } from "./placement-table.ts";
import { RelayedStreams } from "./relayed-stream.ts";
import { Routing } from "./routing.ts";

export interface ReplicaGroupParts {
  readonly id: string;
  /** Where this replica listens for the others. */
  readonly hostname: string;
  readonly port: number;
  /** Where the others reach this replica, given the port that it got. */
  readonly urlOf: (port: number) => string;
  /** 32 bytes that only replicas of the service can derive. */
  readonly keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly reader: PlacementReader;
  readonly bury: (id: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly maxRequestBodyBytes: number;
  /** Content of files, in storage that all replicas share. */
  readonly contents: Pick<FileContents, "read">;
  readonly log: PeersLog;
  /** Where spans go. Omitted: nothing is traced. */
  readonly tracing?: Tracing | null;
}

type AttachedSystem = AskedSystem & { lookAtPlacement(): void };

/** A replica that is no longer live, and stays silent for this long, will not answer its calls. */
const SILENT_MS = 1_000;
/** A replica that still answers has left cleanly: it answers earlier calls within this time, including its drain. */
export const LEAVING_MS = 5_000;

/** How long a leaving replica tries to notify the others; after that they find out by themselves. */
export const TOLD_MS = 1_000;

const ALL_SHARDS: ReadonlySet<number> = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard));

export class ReplicaGroup implements Peers {
  readonly url: string;
  readonly forwarding: Forwarding;
  private readonly server: PeerServer;
  private readonly table: PlacementTable;
  private readonly client: PeerClient;
  private readonly liveness: Liveness;
  private readonly routing: Routing;
  private readonly questions: PeerQuestions;
  private readonly streams: RelayedStreams;
  private readonly parts: ReplicaGroupParts;
  /** A notification that this replica serves shards is scheduled. */
  private isTelling = false;
  private pipeline: Pipeline | null = null;
  private invoke: Invoke | null = null;
  private system: AttachedSystem | null = null;

  /** Opens the peer port. Throws if that fails. */
  constructor(parts: ReplicaGroupParts) {
    this.parts = parts;
    const { id, clock, log } = parts;
    const system = (): AttachedSystem => this.attached();
    const key = new PeerKey(parts.keys, id, () => clock.now());
    this.client = new PeerClient(key, parts.tracing ?? null, new PeerLinks(key, clock));
    this.table = new PlacementTable(parts.reader, clock, (gone) => void this.parted(gone));
    this.server = openPeerServer({
      ...parts,
      self: id,
      key,
      questions: () => this.questions,
      onLook: () => this.look(),
      onRead: () => this.read(),
      serve: () => this.pipeline,
    });
    this.url = parts.urlOf(this.server.port);
    const self = { id, url: this.url };
    const shared = { self, clock, client: this.client, table: this.table, contents: parts.contents };
    const serves = (organizationId: string): boolean => system().serves(organizationId);
    this.routing = new Routing({ ...shared, self: id, serves });
    const onDeath = (): void => {
      void this.look();
      this.announce();
    };
    this.liveness = new Liveness({ ...shared, self: id, bury: parts.bury, onDeath, log });
    const { routing, liveness } = this;
    this.questions = new PeerQuestions({ ...shared, routing, liveness, system, invoke: () => this.invoke });
    this.streams = new RelayedStreams(log);
    const { questions, streams } = this;
    this.forwarding = new RequestForwarding({ ...shared, routing, liveness, streams, questions });
  }

  /** Takes the system that answers the questions of the others. Call before joining. */
  attach(system: AttachedSystem): void {
    this.system = system;
  }

  private attached(): AttachedSystem {
    assert(this.system !== null, "a replica has its system before it is asked");
    return this.system;
  }

  /** Whether another live replica is known. */
  get hasOthers(): boolean {
    return this.others.length > 0;
  }

  /** The runtime has joined: the others hand over this replica's part, and liveness checks begin. */
  async joined(): Promise<void> {
    await this.table.refresh();
    this.announce();
    this.liveness.start();
  }

  /** Starts to serve requests that others forward, and operations that they call. */
  serve(pipeline: Pipeline, streams: OpenStreams, invoke: Invoke): void {
    this.pipeline = pipeline;
    this.invoke = invoke;
    this.streams.serve(streams);
  }

  /** Stops serving new requests here: they wait, and go to the next owners. */
  async holdAll(): Promise<void> {
    await this.routing.hold(ALL_SHARDS);
  }

  holdClients(shards: ReadonlySet<number>): Promise<() => void> {
    return this.routing.hold(shards);
  }

  announce(): void {
    void this.announced();
  }

  /** This replica owns nothing any more. Resolves when the others that answer know it and send nothing more. */
  left(): Promise<void> {
    return within(this.parts.clock, TOLD_MS, this.announced());
  }

  private async announced(): Promise<void> {
    const known = this.others;
    const notified = this.tell(LOOK_PATH, known);
    await this.read();
    // The table may name replicas that were unknown here. They are told too.
    const met = this.others.filter(({ id }) => !known.some((one) => one.id === id));
    await Promise.all([notified, this.tell(LOOK_PATH, met)]);
  }

  opened(): void {
    this.routing.wake();
    if (this.isTelling) return;
    this.isTelling = true;
    // Many shards open in one turn of the event loop.
    this.parts.clock.after(0, () => {
      this.isTelling = false;
      void this.tell(READ_PATH, this.others);
    });
  }

  private get others(): readonly Owner[] {
    return this.table.living.filter(({ id }) => id !== this.parts.id);
  }

  private async tell(path: Parameters<PeerClient["tell"]>[1], others: readonly Owner[]): Promise<void> {
    await Promise.all(others.map((other) => this.client.tell(other, path)));
  }

  ask(organizationId: string, members: readonly GroupMember[]): Promise<Outcome<readonly unknown[]>> {
    return this.questions.ask(organizationId, members);
  }

  settled(organizationId: string): Promise<Outcome<null>> {
    return this.questions.settled(organizationId);
  }

  /** Closes the port. */
  async stop(): Promise<void> {
    this.liveness.stop();
    await this.server.stop();
    this.client.close();
  }

  /**
   * A replica is no longer live. Repeatable calls go to the next owner. A replica that has left cleanly still answers
   * the others, and aborting them would leave their outcome unknown.
   */
  private async parted(owner: Owner): Promise<void> {
    const { clock } = this.parts;
    this.client.giveUp(owner.id, "repeatable");
    const silence = new AbortController();
    const cancel = clock.after(SILENT_MS, () => silence.abort());
    const isLeaving = await this.client.isAnswering(owner, silence.signal);
    cancel();
    if (isLeaving) clock.after(LEAVING_MS, () => this.client.giveUp(owner.id));
    else this.client.giveUp(owner.id);
  }

  private look(): Promise<void> {
    this.attached().lookAtPlacement();
    return this.read();
  }

  private async read(): Promise<void> {
    await this.table.refresh().catch(() => {});
    this.routing.wake();
  }
}
