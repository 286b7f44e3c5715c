/** Messengers, the ledger of what was sent about approvals, and a person's wish for mails (REACH-4, REACH-5, REACH-8). */
import { invalid, mapOutcome, refuse } from "../../../actors/fault.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { messengerContext, reachRef } from "../../../actors/reach/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { redactedHost } from "../../../actors/webhook/schema.ts";
import { created, done } from "../../http/commit/commit.ts";
import { operation } from "../../operations/operation.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { MessengerId } from "../path-ids.ts";
import { doneIf } from "../updating.ts";
import {
  ApprovalMailsBody,
  ApprovalMailsView,
  CreateMessengerBody,
  MessengerList,
  messengerView,
  MessengerView,
  NOTICES_QUERY,
  NoticesList,
  noticesView,
} from "./schema.ts";

export const messengerOperations = {
  listMessengers: operation(
    {
      method: "GET",
      path: "/api/messengers",
      scope: "webhooks:read",
      isForOwners: true,
      summary: "List the messengers",
      description: "For owners.",
      answers: { 200: MessengerList },
    },
    async ({ system }, { principal }) => {
      const found = await system.dispatch(reachRef(principal.organizationId), { kind: "list_messengers" });
      return mapOutcome(found, (messengers) => ({ messengers: messengers.map(messengerView) }));
    },
  ),

  createMessenger: operation(
    {
      method: "POST",
      path: "/api/messengers",
      scope: "webhooks:write",
      isForOwners: true,
      summary: "Add a messenger",
      description:
        "For owners. Approvals reach it from now on, beside the program's webhook; calls of private agents do not. To change one, delete it and add another.",
      body: CreateMessengerBody,
      answers: { 201: MessengerView },
      errors: ["invalid_url", "invalid_state"],
      emits: "resource.created",
    },
    async ({ webhookTools, sealing }, change, { body: { name, format, url } }) => {
      const message = await webhookTools.refusalOf(url);
      if (message !== null) return refuse({ kind: "invalid_url", message });
      if (format === "ntfy" && !TOPIC.test(new URL(url).pathname))
        return invalid("/url", "Field url must end with the name of a topic, such as https://ntfy.example/refunds");
      const { organizationId, userId } = change.principal;
      const sealedUrl = sealing.seal("webhook", url, messengerContext(organizationId));
      const input = { name, format, sealedUrl, host: redactedHost(url) };
      const command = { kind: "add_messenger", by: userId, input } as const;
      return change.commit([ask(reachRef(organizationId), command)], (messenger) => created(messengerView(messenger)));
    },
  ),

  deleteMessenger: operation(
    {
      method: "DELETE",
      path: "/api/messengers/{id}",
      scope: "webhooks:write",
      isForOwners: true,
      summary: "Delete a messenger",
      description: "For owners. Nothing more is sent to it. The links in messages that it already has still work.",
      params: { id: MessengerId },
      answers: { 200: MessengerView },
      emits: "resource.deleted",
    },
    async (_, change, { params: { id: messengerId } }) => {
      const command = { kind: "remove_messenger", messengerId } as const;
      return change.commit([ask(reachRef(change.principal.organizationId), command)], (messenger) =>
        done(messengerView(messenger)),
      );
    },
  ),

  listApprovalNotices: operation(
    {
      method: "GET",
      path: "/api/approval-notices",
      scope: "webhooks:read",
      isForOwners: true,
      summary: "List what was sent about approvals",
      description: "For owners. Newest first: for each approval its mails and messages, kept for 90 days.",
      query: { ...NOTICES_QUERY, ...pageQuery("approval_notices") },
      answers: { 200: NoticesList },
    },
    async ({ reach, readCommitted }, { principal: { organizationId } }, { query }) => {
      const read = () => reach.pageQuestions(organizationId, { jobId: query.job_id }, pageOf(query));
      return shownPage("approval_notices", readCommitted(organizationId, read), noticesView);
    },
  ),

  getApprovalMails: operation(
    {
      method: "GET",
      path: "/api/approval-mails",
      scope: "jobs:read",
      summary: "Read whether approvals reach you by mail",
      description: "The caller's own choice.",
      answers: { 200: ApprovalMailsView },
    },
    async ({ system }, { principal: { organizationId, userId } }) => {
      const member = await system.dispatch(organizationRef(organizationId), { kind: "read_member", userId });
      return mapOutcome(member, ({ noApprovalMails }) => ({ enabled: noApprovalMails !== true }));
    },
  ),

  setApprovalMails: operation(
    {
      method: "PUT",
      path: "/api/approval-mails",
      scope: "jobs:write",
      summary: "Choose whether approvals reach you by mail",
      description: "The caller's own choice. Mails are sent only if the operator has set a mail server.",
      body: ApprovalMailsBody,
      answers: { 200: ApprovalMailsView },
      emits: "resource.updated",
    },
    async (_, change, { body: { enabled } }) => {
      const { organizationId, userId } = change.principal;
      const command = { kind: "set_approval_mails", userId, isWanted: enabled } as const;
      return change.commit([ask(organizationRef(organizationId), command)], ({ isUnchanged }) =>
        doneIf(!isUnchanged, { enabled }),
      );
    },
  ),
};

/** The path of a topic of ntfy. */
const TOPIC = /\/[-_A-Za-z0-9]{1,64}$/;
