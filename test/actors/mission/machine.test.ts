import { expect, test } from "bun:test";
import {
  allowedMissionActions,
  MISSION_ACTIONS,
  MISSION_MACHINE,
  MISSION_TRIGGERS,
} from "../../../actors/mission/machine.ts";
import { MISSION_STATUSES, type MissionStatus } from "../../../actors/mission/schema.ts";
import { DEFAULT_SCHEDULE } from "../../../actors/mission/schedule-input.ts";

const standing = (status: MissionStatus) => ({
  status,
  isAgentGone: false,
  isWorkspaceGone: false,
  openRuns: [],
  runCount: 0,
  buffered: null,
  schedule: DEFAULT_SCHEDULE,
});

test("[MIS-1] each trigger has a result in each status", () => {
  for (const status of MISSION_STATUSES)
    expect(Object.keys(MISSION_MACHINE[status]).toSorted()).toEqual([...MISSION_TRIGGERS].toSorted());
});

test("[MIS-1] a mission is paused from any status but completed, and pending again from paused and failed", () => {
  const from = (trigger: "pause" | "resume"): MissionStatus[] =>
    MISSION_STATUSES.filter((status) => MISSION_MACHINE[status][trigger] !== null);
  expect(from("pause")).toEqual(["pending", "running", "failed"]);
  expect(from("resume")).toEqual(["paused", "failed"]);
});

test("[MIS-1] a completed mission can only be deleted", () => {
  expect(allowedMissionActions(standing("completed"))).toEqual(["delete"]);
});

test("[MIS-1] actions that need an agent and a workspace are not allowed without one of them", () => {
  for (const status of MISSION_STATUSES) {
    for (const loss of [{ isAgentGone: true }, { isWorkspaceGone: true }]) {
      const gone = allowedMissionActions({ ...standing(status), ...loss });
      expect(gone).not.toContain("run");
      expect(gone).not.toContain("resume");
      const lost = allowedMissionActions(standing(status)).filter((action) => !gone.includes(action));
      for (const action of lost) expect(["run", "resume"]).toContain(action);
    }
  }
  expect(MISSION_ACTIONS).toContain("run");
});

test("[MIS-1] a mission that has started all of its runs does not run again while its last run is open", () => {
  const last = {
    ...standing("running"),
    openRuns: [{ id: "mrn_1", number: 2, jobId: "job_1", effectId: null }],
    runCount: 2,
    schedule: { ...DEFAULT_SCHEDULE, overlap: "allow_all" as const },
  };
  expect(allowedMissionActions(last)).toContain("run");
  expect(allowedMissionActions({ ...last, schedule: { ...last.schedule, maxRuns: 3 } })).toContain("run");
  expect(allowedMissionActions({ ...last, schedule: { ...last.schedule, maxRuns: 2 } })).not.toContain("run");
});
