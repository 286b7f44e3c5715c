/** The bodies and views of messengers, and of what was sent about approvals (REACH-5, REACH-8). */
import {
  type Messenger,
  MESSENGER_FORMATS,
  type ApprovalNotice,
  NOTICE_ERRORS,
  NOTICE_KINDS,
  NOTICE_STATUSES,
  type Question,
  SKIP_REASONS,
} from "../../../actors/reach/schema.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { idFilter } from "../../http/contract/field.ts";
import { fieldsFrom, Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { RECORD, recordView } from "../record.ts";

const MESSENGER_NAME_CHARACTERS = 60;
const MESSENGER_URL_CHARACTERS = 2_048;

/** `POST /api/messengers` */
export const CreateMessengerBody = Type.Object(
  {
    name: Type.String({
      pattern: "^(?=.*\\S)[^\\x00-\\x1f\\x7f-\\x9f]*$",
      form: "text without control characters",
      maxLength: MESSENGER_NAME_CHARACTERS,
    }),
    format: OneOf(MESSENGER_FORMATS, { description: "The format of its messages" }),
    url: Type.String({
      maxLength: MESSENGER_URL_CHARACTERS,
      description: "An incoming webhook of Slack or Teams, or the address of a topic of ntfy. It is never shown again",
    }),
  },
  { examples: [{ name: "Refunds", format: "slack", url: "https://hooks.slack.example/services/T0/B0/x" }] },
);

export const MessengerView = noun("Messenger", "A place where approvals reach people", {
  id: Id("mgr", "The messenger's id"),
  name: Text("Its name", "Refunds"),
  format: OneOf(MESSENGER_FORMATS, { description: "The format of its messages" }),
  destination_host: Text("The host of its address, redacted", "h***s.s***k.com"),
  created_by: Id("usr", "Who added it"),
  created_at: Timestamp,
  last_success_at: Nullable(Timestamp),
  last_failure_at: Nullable(Timestamp),
});
export const MessengerList = noun("MessengerList", "All messengers, oldest first", {
  messengers: Type.Array(MessengerView, { description: "At most eight" }),
});

const messengerFields = fieldsFrom(MessengerView);

export const messengerView = (messenger: Messenger): Shown<typeof MessengerView> => ({
  ...messengerFields(messenger),
  destination_host: messenger.host,
});

const NoticeView = noun("ApprovalNotice", "A mail or a message about an approval", {
  id: Id("ntc", "The notice's id"),
  kind: OneOf(NOTICE_KINDS),
  user_id: Nullable(Id("usr", "Who gets it by mail; null if a messenger gets it")),
  messenger_id: Nullable(Id("mgr", "The messenger that gets it; null for a mail")),
  status: OneOf(NOTICE_STATUSES),
  skipped: Type.Union([OneOf(SKIP_REASONS), Type.Null()], { description: "Why it was not sent" }),
  attempts: Type.Integer({ minimum: 0, description: "Attempts so far" }),
  error: Type.Union([OneOf(NOTICE_ERRORS), Type.Null()], { description: "How the newest attempt failed" }),
  http_status: Nullable(Type.Integer()),
  duration_ms: Nullable(Type.Integer()),
  next_attempt_at: Nullable(Timestamp),
  created_at: Timestamp,
});

const NoticesView = noun("ApprovalNotices", "What was sent about one approval", {
  approval_id: Id("apr", "The approval"),
  job_id: Id("job", "The job whose call it is about"),
  notices: Type.Array(NoticeView, { description: "Its mails and messages, in their order" }),
  ...RECORD,
});
export const NoticesList = listOf(
  "ApprovalNoticesList",
  "approval_notices",
  NoticesView,
  "What was sent, one entry for each approval",
);

export const NOTICES_QUERY = { job_id: idFilter(Id("job", "Only approvals of this job")) };

const noticeView: (notice: ApprovalNotice) => Shown<typeof NoticeView> = fieldsFrom(NoticeView);

export const noticesView = (question: Question): Shown<typeof NoticesView> => ({
  approval_id: question.id,
  job_id: question.jobId,
  notices: question.notices.map(noticeView),
  ...recordView(question, { job: `/api/jobs/${question.jobId}` }, []),
});

/** `PUT /api/approval-mails` */
export const ApprovalMailsBody = Type.Object(
  { enabled: Type.Boolean({ description: "Whether approvals reach the caller by mail" }) },
  { examples: [{ enabled: false }] },
);
export const ApprovalMailsView = noun("ApprovalMails", "Whether approvals reach the caller by mail", {
  enabled: Type.Boolean({ description: "Whether the caller wants the mails" }),
});
