/** One mission: its fields, what comes next, the ledger of its runs, and what may be done with it. */
import { Link, useLocation } from "wouter-preact";
import type { Mission } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { KnownTime } from "../format/time.tsx";
import { WhenLoaded, useLoaded, useRepeat } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { type EditedRecord, SaveBar, useEditedRecord } from "../pieces/edited-record.tsx";
import { Form } from "../pieces/form.tsx";
import { isolated, service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { type MissionDraft, missionDraftOf } from "./mission-draft.ts";
import { MissionForecast } from "./mission-forecast.tsx";
import { MissionForm } from "./mission-form.tsx";
import { MissionRuns } from "./mission-runs.tsx";
import { NewMissionPage } from "./new-mission-page.tsx";

export function MissionPage({ id }: { readonly id: string }) {
  return id === "new" ? <NewMissionPage /> : <SavedMissionPage missionId={id} />;
}

function SavedMissionPage({ missionId }: { readonly missionId: string }) {
  const found = useLoaded((signal) => service.getMission(missionId, { signal }), [missionId]);
  useRepeat(found.reload, REFRESH_SECONDS_OF_MISSION);
  return <WhenLoaded of={found}>{(mission) => <MissionEditor now={mission} />}</WhenLoaded>;
}

const REFRESH_SECONDS_OF_MISSION = 5;

function MissionEditor({ now }: { readonly now: Mission }) {
  const edited = useEditedRecord<Mission, MissionDraft>({
    now,
    draftOf: missionDraftOf,
    read: () => service.getMission(now.id),
    write: (changes, version) => service.updateMission(now.id, changes, { ifMatch: version }),
  });
  // The fields stay at the version that the person edits; state and times are those of the newest one.
  const { record, draft, refusals } = edited;
  const mission = now.version > record.version ? now : record;
  const whyNot = mission.allowed_actions.includes("update")
    ? null
    : "You may not change this mission: only the person who made it and owners of the organization may";
  return (
    <TitledPage title={mission.title}>
      <p>
        <span class={`badge ${mission.status}`}>{mission.status}</span>
        {mission.paused_reason === null ? null : <span class="quiet"> {mission.paused_reason}</span>}
        {mission.failed_reason === null ? null : (
          <span class="bad"> {String(mission.failed_reason).replaceAll("_", " ")}</span>
        )}
        <span class="quiet">
          <KnownTime words=" next run" at={mission.schedule.next_run_at} />
        </span>
      </p>
      <MissionActions mission={mission} take={edited.take} />
      {whyNot === null ? null : <p>{whyNot}.</p>}
      <div class="beside">
        <Form label={`Mission ${mission.title}`} isReadOnly={whyNot !== null} refusals={refusals}>
          {(unreadable) => (
            <>
              <MissionForm draft={draft} />
              <SaveBar edited={edited} whyNot={whyNot ?? unreadable} />
            </>
          )}
        </Form>
        <MissionForecast
          mission={mission}
          schedule={draft.value.schedule}
          isChanged={draft.changes.schedule !== undefined}
        />
      </div>
      <MissionRuns missionId={mission.id} version={mission.version} />
    </TitledPage>
  );
}

interface MissionActionsProps {
  readonly mission: Mission;
  readonly take: EditedRecord<Mission, MissionDraft>["take"];
}

function MissionActions({ mission, take }: MissionActionsProps) {
  const [, navigate] = useLocation();
  const { id, title, status, allowed_actions } = mission;
  const whyNot = (action: string): string | null => {
    if (allowed_actions.includes(action)) return null;
    return allowed_actions.includes("update")
      ? `The mission is ${status}`
      : "Only the person who made this mission and owners of the organization may do this";
  };
  return (
    <p class="actions">
      <ActionButton act={async () => take((await service.runMission(id)).mission)} whyNot={whyNot("run")}>
        Run now
      </ActionButton>
      {status === "paused" || !allowed_actions.includes("pause") ? (
        <ActionButton
          class="quiet"
          act={async () => take(await service.updateMission(id, { status: "pending" }))}
          whyNot={whyNot("resume")}
        >
          Resume
        </ActionButton>
      ) : (
        <ActionButton class="quiet" act={async () => take(await service.updateMission(id, { status: "paused" }))}>
          Pause
        </ActionButton>
      )}
      <ActionButton
        class="quiet"
        act={() => service.deleteMission(id)}
        after={() => navigate("/missions")}
        whyNot={whyNot("delete")}
        question={`Delete the mission ${isolated(title)}? Its running jobs are cancelled, and it does not run again. This cannot be undone.`}
      >
        Delete
      </ActionButton>
      <Link href={`/jobs?mission_id=${id}`}>Its jobs</Link>
      <CopyAsCurl path={`/api/missions/${id}`} />
    </p>
  );
}
