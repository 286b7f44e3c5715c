/** What waits for the person, with the forms to decide it. What is decided elsewhere disappears. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Decisions } from "../chat/decisions.tsx";
import { Markdown } from "../format/markdown.tsx";
import { Time } from "../format/time.tsx";
import { useTitle } from "../title.ts";
import { readDecided, waitingError, waitingWork } from "./waiting.ts";

export function InboxPage() {
  useTitle("Inbox");
  const found = waitingWork.value;
  return (
    <>
      <h1>Inbox</h1>
      <Notifications />
      {waitingError.value === null ? null : (
        <p class="bad" role="alert">
          {waitingError.value}
        </p>
      )}
      {found === null ? <p class="quiet">Loading …</p> : null}
      {found !== null && found.jobs.length + found.missions.length === 0 && !found.hasMore ? (
        <p>Nothing waits for you. Approvals, reviews and failed missions appear here.</p>
      ) : null}
      {found?.hasMore ? (
        <p>
          There is more than this page looks at. See all <Link href="/jobs?status=blocked">blocked jobs</Link> and{" "}
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
        <section key={mission.id} class="waiting" aria-label={mission.title}>
          <h2>{mission.title}</h2>
          <p class="bad">The last run of this mission failed.</p>
          <LinkToChat chatId={mission.last_run?.chat_id ?? null} />
        </section>
      ))}
    </>
  );
}

const LinkToChat = ({ chatId }: { readonly chatId: string | null }) =>
  chatId === null ? null : <Link href={`/chats/${chatId}`}>Open its chat</Link>;

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
