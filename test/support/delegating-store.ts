/** A store that passes each call on to another one, except those that a test replaces. */
import type { ActorStore } from "../../actors/runtime/store.ts";

export const delegatingStore = (store: ActorStore, replaced: Partial<ActorStore>): ActorStore => ({
  read: (...of) => store.read(...of),
  flush: (...of) => store.flush(...of),
  events: (...of) => store.events(...of),
  erased: (...of) => store.erased(...of),
  undoneShards: (...of) => store.undoneShards(...of),
  undoneMessages: (...of) => store.undoneMessages(...of),
  undoneEffects: (...of) => store.undoneEffects(...of),
  alarms: (...of) => store.alarms(...of),
  ...replaced,
});
