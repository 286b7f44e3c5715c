/** What waits for the person, with the forms to decide it. What is decided elsewhere disappears. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Mission, MissionFailedReason } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Decisions } from "../chat/decisions.tsx";
import { Markdown } from "../format/markdown.tsx";
import { Time } from "../format/time.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { readDecided, waitingError, waitingWork } from "./waiting.ts";
import { ErrorLine } from "../loading.tsx";

const WAITING_PATH = "/api/jobs?status=blocked,needs_review";

export function InboxPage() {
  const found = waitingWork.value;
  return (
    <TitledPage title="Inbox">
      <Notifications />
      <ErrorLine error={waitingError.value} />
      {found === null ? <p class="quiet">Loading …</p> : null}
      {found !== null && found.jobs.length + found.missions.length === 0 && !found.hasMore ? (
        <NothingYet request={{ method: "PATCH", path: "/api/agents/agt_…", body: { approval_tools: ["create_task"] } }}>
          Nothing waits for you. Approvals, reviews, questions to your programs, stopped jobs and failed missions appear
          here. An agent asks first if its tools are listed for that:
        </NothingYet>
      ) : null}
      {found?.hasMore ? (
        <p>
          This page does not show everything. See all <Link href="/jobs?status=blocked">blocked jobs</Link> and{" "}
          <Link href="/missions">missions</Link>.
        </p>
      ) : null}
      {found?.jobs.map((job) => (
        <section key={job.id} class="waiting" aria-label={job.title}>
          <h2>
            <Link href={`/chats/${job.chat_id}`}>{job.title}</Link>
          </h2>
          <p class="quiet">
            {job.blocked_reason?.replaceAll("_", " ") ?? "review"} · <Time at={job.updated_at} /> ·{" "}
            <Link href={`/jobs/${job.id}`}>Open its job</Link>
          </p>
          {job.status === "needs_review" && job.result !== null ? <Markdown text={job.result} /> : null}
          <Decisions job={job} decided={readDecided} />
        </section>
      ))}
      {found?.missions.map((mission) => (
        <FailedMission key={mission.id} mission={mission} />
      ))}
      <p class="actions">
        <CopyAsCurl path={WAITING_PATH} />
      </p>
    </TitledPage>
  );
}

const MISSION_FAILURE_WORDS: Readonly<Record<MissionFailedReason, string>> = {
  consecutive_failures: "it has failed too often in a row",
  run_failed: "its only run has failed",
  agent_unavailable: "its agent is gone",
  workspace_deleted: "its workspace was deleted",
  creator_removed: "the person who made it is no longer a member",
};

function FailedMission({ mission }: { readonly mission: Mission }) {
  const { id, title, failed_reason: reason, last_run: run, allowed_actions: allowed } = mission;
  const { error = null, job_id: jobId = null, chat_id: chatId = null } = run ?? {};
  return (
    <section class="waiting" aria-label={title}>
      <h2>
        <Link href={`/missions/${id}`}>{title}</Link>
      </h2>
      <p class="bad">
        {reason === null
          ? "The last run of this mission failed"
          : `This mission has failed: ${MISSION_FAILURE_WORDS[reason]}`}
        {error === null ? "." : `. ${error.message}`}
      </p>
      <p class="actions">
        {allowed.includes("resume") ? (
          <ActionButton act={() => service.updateMission(id, { status: "pending" })} after={readDecided}>
            Resume
          </ActionButton>
        ) : (
          <ActionButton
            act={() => service.runMission(id)}
            after={readDecided}
            whyNot={
              allowed.includes("run")
                ? null
                : "Only the person who made this mission and owners of the organization may run it"
            }
          >
            Run it again
          </ActionButton>
        )}
        {run === null ? null : <Time at={run.ended_at ?? run.fired_at} />}
        {jobId === null ? null : <Link href={`/jobs/${jobId}`}>Open its job</Link>}
        {chatId === null ? null : <Link href={`/chats/${chatId}`}>Open its chat</Link>}
      </p>
    </section>
  );
}

/** Asks for notifications, if the browser has them and has not been asked. */
function Notifications() {
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : "denied"));
  if (permission !== "default") return null;
  return (
    <p>
      <button class="quiet" onClick={() => void Notification.requestPermission().then(setPermission)}>
        Notify me when something waits
      </button>
    </p>
  );
}
