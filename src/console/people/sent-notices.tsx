/** The ledger of mails and messages about approvals, newest approval first. */
import { Link } from "wouter-preact";
import type { ApprovalNotice, Messenger } from "../../../sdk/typescript/troupe.ts";
import { KnownTime, Time } from "../format/time.tsx";
import { useRepeat } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { ItemPages, usePaged } from "../pieces/paged.tsx";
import { ScrolledTable } from "../pieces/table.tsx";
import { service } from "../service.ts";
import { memberName } from "../session.ts";

const PAGE_NOTICES = 25;
const REFRESH_SECONDS_OF_NOTICES = 5;
const NOTICES_PATH = "/api/approval-notices";

interface SentNoticesProps {
  readonly messengers: readonly Messenger[];
}

export function SentNotices({ messengers }: SentNoticesProps) {
  const paged = usePaged(
    (query, options) => service.listApprovalNotices({ ...query, limit: PAGE_NOTICES }, options),
    ({ approval_notices: found }) => found.map((one) => ({ ...one, id: one.approval_id })),
  );
  useRepeat(paged.reload, REFRESH_SECONDS_OF_NOTICES);
  return (
    <>
      <h2>Sent notices</h2>
      <ItemPages of={paged} empty={<p class="quiet">No notice was sent yet. They are kept for 90 days.</p>}>
        {(approvals) => (
          <ScrolledTable label="Sent notices" columns={["Notice", "To", "Outcome", "Attempts", "When"]}>
            {approvals.flatMap(({ job_id: job, notices }) =>
              notices.map((notice) => (
                <tr key={notice.id}>
                  <td>
                    <Link href={`/jobs/${job}`}>{KIND_WORDS[notice.kind]}</Link>
                  </td>
                  <td>
                    <bdi>{recipientOf(notice, messengers)}</bdi>
                  </td>
                  <td>
                    <span class={`badge ${notice.status}`}>{notice.status}</span> {wordsOfNotice(notice)}
                    <KnownTime words=" next" at={notice.next_attempt_at} />
                  </td>
                  <td>{notice.attempts}</td>
                  <td>
                    <Time at={notice.created_at} />
                  </td>
                </tr>
              )),
            )}
          </ScrolledTable>
        )}
      </ItemPages>
      <CopyAsCurl path={NOTICES_PATH} />
    </>
  );
}

const KIND_WORDS: Readonly<Record<ApprovalNotice["kind"], string>> = {
  asked: "Question",
  reminder: "Reminder",
  decided: "Decision",
};
const SKIPPED_WORDS: Readonly<Record<NonNullable<ApprovalNotice["skipped"]>, string>> = {
  decided: "it was decided by then",
  no_recipient: "nobody to send it to",
  not_wanted: "the person wants no mails",
  private: "the agent is private",
  not_theirs: "the person may no longer decide it",
  too_many: "too many in this hour",
};

function recipientOf({ user_id: user, messenger_id: id }: ApprovalNotice, messengers: readonly Messenger[]): string {
  if (id !== null) return messengers.find((messenger) => messenger.id === id)?.name ?? "A deleted messenger";
  return user === null ? "–" : `Mail to ${memberName(user) ?? "a person"}`;
}

const wordsOfNotice = ({ skipped, error, http_status: code, duration_ms: ms }: ApprovalNotice): string =>
  [
    ...(skipped === null ? [] : [SKIPPED_WORDS[skipped]]),
    ...(code === null ? [] : [`HTTP ${code}`]),
    ...(error === null || code !== null ? [] : [error.replaceAll("_", " ")]),
    ...(ms === null ? [] : [`${ms.toLocaleString()} ms`]),
  ].join(", ");
