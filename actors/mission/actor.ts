/**
 * The mission's actor: recurring work for an agent. It decides when a run begins and what the run's end means. The run
 * itself is a job in its own chat (MIS-8), which the effect `mission_run` begins.
 */
import type { ActorDefinition } from "../runtime/actor.ts";
import { missionControlHandlers } from "./control.ts";
import { fireHandlers } from "./fires.ts";
import type { Calendar } from "./ports.ts";
import type { MissionProtocol } from "./protocol.ts";
import { missionTable } from "./schema.ts";
import { missionTaskHandlers } from "./tasks.ts";

/** Ledger entries that an actor keeps in memory besides its record: those of open runs, and a few more. */
const KEPT_LEDGER_ENTRIES = 64;

export const missionActor = (calendar: Calendar): ActorDefinition<MissionProtocol> => ({
  kind: "mission",
  stream: missionTable,
  workingSet: KEPT_LEDGER_ENTRIES,
  needs: (ref) => [{ table: missionTable.name, id: ref.id }],
  handlers: { ...missionControlHandlers(calendar), ...fireHandlers(calendar), ...missionTaskHandlers },
});
