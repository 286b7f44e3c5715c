/** Whether a turn group needs room in the storage, and its refusal when the storage is nearly full (RT-17). */
import type { Fault } from "../fault.ts";
import type { Draft } from "./draft.ts";

/** The disk is checked every second, and room is not freed much faster. */
export const STORAGE_FULL: Fault = { kind: "storage_full", retryAfterMs: 10_000 };

/** Whether a group stores records or events of an actor that does not write while the storage is full. */
export const needsRoom = (draft: Draft): boolean =>
  draft.actors.some(
    ({ actor, overlay, head }) => actor.definition.writesWhenFull !== true && (overlay.size > 0 || head !== null),
  );
