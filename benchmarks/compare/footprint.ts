/**
 * What a system takes: memory while it is idle, and for each open stream; and what it writes to disks in a conversation
 * of 20 turns. All its processes count, and its PostgreSQL, whose writes are those of its log: the data files follow
 * later, in pages that many turns share. The writes of other processes are counted by the kernel (`write_bytes`).
 */
import postgres from "postgres";
import type { Server } from "../support/postgres.ts";
import { pssOfFamily, writtenByFamily } from "../support/pss.ts";
import { figure } from "../support/statistics.ts";
import { table } from "../support/table.ts";
import type { StreamingSystem } from "./first-text.ts";
import { type ComparedPart, headline } from "./headlines.ts";

const MIB = 1024 * 1024;
const KIB = 1024;
const IDLE_WAIT_MS = 5_000;
const OPEN_STREAMS = 200;
/** Long enough that all streams are open when memory is measured. */
const LONG_PROMPT = "deltas=200 every=100";
const OPENED_MS = 8_000;
const CONVERSATION_TURNS = 20;
/** A page that was changed goes to the disk some time later. */
const SETTLING_MS = 1_000;

/** A system with processes, and what of its turns is measured. */
export interface MeasuredSystem {
  readonly name: string;
  /** The roots of its own processes at present. */
  pids(): readonly number[];
  readonly database: Server | null;
  /** One turn after the other of one conversation; null: it keeps no conversations. */
  readonly converse: (() => Promise<(turn: number) => Promise<void>>) | null;
  /** What its conversation is, if it is not a chat. */
  readonly note?: string;
  readonly stream: StreamingSystem | null;
}

interface Footprint {
  readonly name: string;
  readonly idleMib: number;
  readonly streamKib: number;
  readonly writtenKib: number;
  readonly note: string;
}

export async function footprints(
  systems: readonly MeasuredSystem[],
  say: (line: string) => void,
): Promise<ComparedPart> {
  await Bun.sleep(IDLE_WAIT_MS);
  const idle = new Map(systems.map((system) => [system.name, memoryOf(system)]));
  const all: Footprint[] = [];
  for (const system of systems) {
    const writtenKib = await writtenInConversation(system);
    const streamKib = await perStream(system);
    const { name, note = "" } = system;
    const one = { name, idleMib: (idle.get(name) ?? Number.NaN) / MIB, streamKib, writtenKib, note };
    all.push(one);
    say(
      `${name}: idle ${figure(one.idleMib)} MiB, a stream ${figure(streamKib)} KiB, 20 turns ${figure(writtenKib)} KiB`,
    );
  }
  const head = ["system", "idle MiB", "for each open stream KiB", `${CONVERSATION_TURNS} turns, KiB written`, ""];
  const rows = all.map(({ name, idleMib, streamKib, writtenKib, note }) => [
    name,
    ...[idleMib, streamKib, writtenKib].map(figure),
    note,
  ]);
  const shown = (value: number): string | null => (Number.isNaN(value) ? null : figure(value));
  return {
    text: `Memory and disk, of all processes of a system with its database:\n\n${table(head, rows)}`,
    headlines: [
      headline("memory while idle, with its database, MiB", all, ({ idleMib }) => shown(idleMib)),
      headline("memory for each open stream, KiB", all, ({ streamKib }) => shown(streamKib)),
      headline(`written to the disk in ${CONVERSATION_TURNS} turns, KiB`, all, ({ writtenKib }) => shown(writtenKib)),
    ],
  };
}

const memoryOf = ({ pids, database }: MeasuredSystem): number =>
  [...pids(), ...(database === null ? [] : [database.pid])].reduce((sum, pid) => sum + pssOfFamily(pid), 0);

async function writtenBySystem({ pids, database }: MeasuredSystem): Promise<number> {
  const own = pids().reduce((sum, pid) => sum + writtenByFamily(pid), 0);
  return own + (database === null ? 0 : await logPosition(database));
}

/** The bytes of PostgreSQL's write-ahead log so far. */
async function logPosition({ url }: Server): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const [row] = await sql<{ bytes: string }[]>`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`;
  await sql.end();
  return Number(row?.bytes);
}

async function writtenInConversation(system: MeasuredSystem): Promise<number> {
  if (system.converse === null) return Number.NaN;
  const turn = await system.converse();
  await Bun.sleep(SETTLING_MS);
  const before = await writtenBySystem(system);
  for (let at = 1; at <= CONVERSATION_TURNS; at++) await turn(at);
  await Bun.sleep(SETTLING_MS);
  return ((await writtenBySystem(system)) - before) / KIB;
}

async function perStream(system: MeasuredSystem): Promise<number> {
  const { stream } = system;
  if (stream === null) return Number.NaN;
  const before = memoryOf(system);
  const answers = await Promise.all(Array.from({ length: OPEN_STREAMS }, () => stream.send(LONG_PROMPT)));
  await Bun.sleep(OPENED_MS);
  const during = memoryOf(system);
  await Promise.all(answers.map((answer) => answer.text()));
  return (during - before) / OPEN_STREAMS / KIB;
}
