/** Assertions about what cannot happen. A failed one is a bug, and a bug is an exception. */

export class AssertionFailed extends Error {
  override readonly name = "AssertionFailed";
}

/** Throws `AssertionFailed` unless `condition` holds. `what` says what should have been true. */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new AssertionFailed(what);
}
