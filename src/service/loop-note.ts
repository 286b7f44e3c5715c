/**
 * Records what the event loop works on, in memory that the watchdog's thread reads: when the loop hangs, nothing else
 * can report it. Each section of `LoopTime` is recorded at its beginning and end, with a few stores and no copy of
 * unchanged values: about 15 ns for the same organization again, and less than 50 ns for another one.
 */
import { LOOP_WORK, type LoopWork, type SectionNote } from "../../actors/runtime/fairness/loop-time.ts";

/** Layout: the first byte is 1 within a section, the second is the kind of work, from 1; then two texts. */
const IS_OPEN = 0;
const WORK = 1;
const NOTED_TEXTS = 2;
/** Bytes of an organization's id, and of an operation's id or a kind of actor: longer ones are cut. */
const TEXT_BYTES = 63;
const ORGANIZATION_AT = NOTED_TEXTS;
const SUBJECT_AT = ORGANIZATION_AT + TEXT_BYTES + 1;
const NOTE_BYTES = SUBJECT_AT + TEXT_BYTES + 1;

/** The section that the loop is in, or its last one. */
export interface NotedSection {
  readonly isOpen: boolean;
  readonly work: LoopWork;
  /** Null: several organizations, or not known yet. */
  readonly organization: string | null;
  /** The operation of a request, or the kind of actor whose turn it is. */
  readonly subject: string | null;
}

export class LoopNote implements SectionNote {
  readonly memory: Uint8Array<SharedArrayBuffer>;
  private organization = "";
  private subject = "";

  constructor(memory = new Uint8Array(new SharedArrayBuffer(NOTE_BYTES))) {
    this.memory = memory;
  }

  begin(work: LoopWork, organizationId: string | null, subject: string | null): void {
    const { memory } = this;
    const whose = organizationId ?? "";
    const about = subject ?? "";
    if (whose !== this.organization) writeNoted(memory, ORGANIZATION_AT, (this.organization = whose));
    if (about !== this.subject) writeNoted(memory, SUBJECT_AT, (this.subject = about));
    memory[WORK] = NUMBERS[work];
    memory[IS_OPEN] = 1;
  }

  end(): void {
    this.memory[IS_OPEN] = 0;
  }
}

/** Numbers of the kinds of work, from 1: 0 is unwritten memory. */
const NUMBERS = Object.fromEntries(LOOP_WORK.map((work, i) => [work, i + 1])) as Record<LoopWork, number>;

/** Reads the note from any thread. Null before the first section. */
export function readLoopNote(memory: Uint8Array<SharedArrayBuffer>): NotedSection | null {
  const work = LOOP_WORK[(memory[WORK] ?? 0) - 1];
  if (work === undefined) return null;
  return {
    isOpen: memory[IS_OPEN] === 1,
    work,
    organization: readNoted(memory, ORGANIZATION_AT),
    subject: readNoted(memory, SUBJECT_AT),
  };
}

/** Writes the length and the characters: ids are ASCII. */
function writeNoted(memory: Uint8Array, at: number, text: string): void {
  const length = Math.min(text.length, TEXT_BYTES);
  memory[at] = length;
  for (let i = 0; i < length; i++) memory[at + 1 + i] = text.charCodeAt(i);
}

function readNoted(memory: Uint8Array, at: number): string | null {
  const length = memory[at] ?? 0;
  return length === 0 ? null : String.fromCharCode(...memory.subarray(at + 1, at + 1 + length));
}
