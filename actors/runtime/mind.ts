/**
 * What a live actor has in mind: values that its turns remember and that no commit stores. They are
 * there for what would cost a commit for each turn, and may be forgotten at any time: with a crash,
 * with a turn group that was not stored, or past the bound. So what is missing must be safe.
 */
import type { Memory } from "./actor.ts";

/** Values of one memory of an actor; beyond it those that were remembered first go. */
export const MIND_VALUES = 10_000;

/** A value that a turn group has remembered and that is not in the mind yet. */
export interface Thought {
  readonly memory: Memory<unknown>;
  readonly key: string;
  readonly value: unknown;
}

export class Mind {
  // Few kinds have anything in mind.
  private memories: Map<Memory<unknown>, Map<string, unknown>> | null = null;

  get<T>(memory: Memory<T>, key: string): T | null {
    return (this.memories?.get(memory)?.get(key) as T | undefined) ?? null;
  }

  set({ memory, key, value }: Thought): void {
    this.memories ??= new Map();
    let values = this.memories.get(memory);
    if (values === undefined) this.memories.set(memory, (values = new Map()));
    values.set(key, value);
    if (values.size <= MIND_VALUES) return;
    const oldest = values.keys().next();
    if (!oldest.done) values.delete(oldest.value);
  }

  /** All of one memory, by key. */
  all<T>(memory: Memory<T>): ReadonlyMap<string, T> {
    return (this.memories?.get(memory) as Map<string, T> | undefined) ?? new Map();
  }
}
