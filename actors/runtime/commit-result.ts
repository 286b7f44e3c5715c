/** The result of a turn group's commit. */
export type CommitResult =
  /** Its writes are durable: all of its outputs may leave. */
  | { readonly kind: "committed" }
  /** Certainly not stored, and only this group was at fault. */
  | { readonly kind: "broken"; readonly code: string; readonly cause: unknown }
  /** Certainly not stored: its actors were evicted because it read changes of a broken group. It may run again. */
  | { readonly kind: "evicted" }
  /** Certainly not stored, and no group was at fault: the server could not do it now. */
  | { readonly kind: "unavailable" }
  /** Certainly not stored: this replica does not own the shard at this epoch. */
  | { readonly kind: "fenced" }
  /** Not known yet. */
  | { readonly kind: "unknown" };
