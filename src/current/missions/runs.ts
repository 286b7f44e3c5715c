/** The runs of a mission: begin one, and the ledger (MIS-5). */
import { mapOutcome } from "../../../actors/fault.ts";
import { missionRef, RUN_OUTCOMES } from "../../../actors/mission/schema.ts";
import { followedBy } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import { accepted } from "../../http/commit/commit.ts";
import { someOf } from "../../http/contract/field.ts";
import { operation } from "../../operations/operation.ts";
import { runJob } from "../../work/missions.ts";
import { jobView } from "../jobs/view.ts";
import { pageIn, pageQuery, pageView } from "../paging.ts";
import { missionParams } from "../path-ids.ts";
import { newIds, prepareRun, readMission } from "./starting.ts";
import { askerOf, MissionRunList, missionRunView, missionView, RunStartedView } from "./view.ts";

export const runOperations = {
  runMission: operation(
    {
      method: "POST",
      path: "/api/missions/{id}/run",
      scope: "missions:write",
      summary: "Run a mission now",
      description:
        "While another run is open, the mission's overlap policy decides. If it makes the new run wait, the answer has no `run` and no `job` yet.",
      params: missionParams,
      answers: { 202: RunStartedView },
      errors: ["forbidden", "invalid_state", "budget_exceeded", "provider_error"],
      emits: "mission.started",
    },
    async (services, change, { params }) => {
      const { principal, requestId } = change;
      const mission = await readMission(services, principal, params.id);
      if (!mission.ok) return mission;
      const work = await prepareRun(services, principal, {
        mission: mission.value,
        agent: mission.value.agentId,
        action: "run",
      });
      if (!work.ok) return work;
      const ids = newIds();
      const ref = missionRef(principal.organizationId, params.id);
      return change.commit(
        followedBy(ask(ref, { kind: "run_now", by: askerOf(principal), ids }), ({ brief }) =>
          brief === null ? null : runJob(work.value, ids, brief, requestId),
        ),
        ({ mission: after, brief }, [, job]) =>
          accepted({
            mission: missionView(after, principal, services.calendar),
            run: brief === null ? null : missionRunView(brief.run),
            job: job === undefined || job === null ? null : jobView(job, principal),
          }),
      );
    },
  ),

  listMissionRuns: operation(
    {
      method: "GET",
      path: "/api/missions/{id}/runs",
      scope: "missions:read",
      summary: "List the runs of a mission",
      description: "The ledger: every scheduled time with its outcome, and every manual run.",
      params: missionParams,
      query: {
        outcome: someOf(RUN_OUTCOMES, { description: "Entries with one of these outcomes" }),
        ...pageQuery("mission_runs"),
      },
      answers: { 200: MissionRunList },
    },
    async (services, { principal }, { params, query }) => {
      const mission = await readMission(services, principal, params.id);
      if (!mission.ok) return mission;
      const { missions, readCommitted } = services;
      const { organizationId } = principal;
      const page = pageIn(query, params.id);
      if (!page.ok) return page;
      const of = { missionId: params.id, outcome: query.outcome };
      const found = await readCommitted(organizationId, () => missions.listRuns(organizationId, of, page.value));
      return mapOutcome(found, ({ records, next }) => {
        const { mission_runs: runs, ...more } = pageView("mission_runs", { records, next }, missionRunView, params.id);
        return { runs, ...more };
      });
    },
  ),
};
