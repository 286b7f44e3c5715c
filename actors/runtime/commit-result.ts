/** What a turn group's commit came to. */
export type CommitResult =
  /** Its writes are durable: everything of it may leave. */
  | { readonly kind: "committed" }
  /** Certainly not stored, and it alone was at fault. */
  | { readonly kind: "broken"; readonly code: string; readonly cause: unknown }
  /** Certainly not stored: its actors were evicted because it read changes of a broken group. It may run again. */
  | { readonly kind: "evicted" }
  /** Certainly not stored, and no group was at fault: the server could not do it now. */
  | { readonly kind: "unavailable" }
  /** Certainly not stored: the shard is not ours at this epoch. */
  | { readonly kind: "fenced" }
  /** Nobody knows yet. */
  | { readonly kind: "unknown" };
