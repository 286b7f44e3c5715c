/**
 * The page for one approval (REACH-6), behind the link of a mail or of a messenger. It works without a script. Opening
 * it decides nothing, because programs that look for malware open links too; its form does, from this page only.
 *
 *   GET  link ─▶ sign in, unless the agent lets anybody with the link decide ─▶ the call, and two buttons
 *   POST form ─▶ approveJob, as the person who is signed in or as the holder of the link ─▶ the page again
 */
import { cutText, isLonger } from "../../actors/cut-text.ts";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import { legibleJson, visibleText } from "../../actors/visible-text.ts";
import { type Caller, localCaller, requestIdOf } from "../http/request/caller.ts";
import { approvalLink, approvalPath, CONSOLE_PATH } from "../http/contract/paths.ts";
import type { Invoke } from "../http/request/operations.ts";
import {
  type ApprovalLinkParts,
  approvalLinkIn,
  holderOf,
  isUnknown,
  type OpenedLink,
  openApprovalLink,
} from "./approval-link.ts";
import { type Html, html } from "./html.ts";
import { redirectTo, renderPage } from "./layout.ts";
import { faultPage, redirectToSignIn } from "./sign-in-page.ts";
import { callerOf, type Visit } from "./visit.ts";

export type ApprovalPageParts = ApprovalLinkParts & { readonly invoke: Invoke };

/** Characters of arguments that the page shows. Nobody approves longer ones here, because nobody would see them all. */
const PAGE_ARGUMENTS = 60_000;
const REASON_CHARACTERS = 1_000;

export async function showApproval(parts: ApprovalPageParts, visit: Visit): Promise<Response> {
  const opened = await openApprovalLink(parts, approvalLinkIn(visit));
  if (!opened.ok) return isUnknown(opened.fault) ? unknownLink() : faultPage(opened.fault);
  if (needsSignIn(opened.value, visit)) return redirectToSignIn(visit);
  const caller = await deciderOf(parts, visit, opened.value);
  if (!caller.ok) return faultPage(caller.fault);
  return approvalPage(opened.value, { isSignedIn: visit.principal !== null });
}

export async function decideApproval(parts: ApprovalPageParts, visit: Visit): Promise<Response> {
  const opened = await openApprovalLink(parts, approvalLinkIn(visit));
  if (!opened.ok) return isUnknown(opened.fault) ? unknownLink() : faultPage(opened.fault);
  const { link, job, state, terms } = opened.value;
  const isSignedIn = visit.principal !== null;
  // The form was sent by a page that had a session, which has ended since.
  if (needsSignIn(opened.value, visit)) return redirectTo(`/sign-in?next=${encodeURIComponent(approvalLink(link))}`);
  const caller = await deciderOf(parts, visit, opened.value);
  if (!caller.ok) return faultPage(caller.fault);
  const decision = visit.form.get("decision") ?? "";
  if (state !== "open") return approvalPage(opened.value, { isSignedIn, status: 409 });
  if (visit.form.get("terms") !== terms)
    return approvalPage({ ...opened.value, state: "changed" }, { isSignedIn, status: 409 });
  if (decision !== "approve" && decision !== "deny") return approvalPage(opened.value, { isSignedIn, status: 400 });
  if (decision === "approve" && isTooLong(opened.value)) return approvalPage(opened.value, { isSignedIn, status: 400 });
  const reason = cutText((visit.form.get("comment") ?? "").trim(), REASON_CHARACTERS);
  const decided = await parts.invoke("approveJob", caller.value, {
    params: { id: job.id },
    body: { approval_id: link.approvalId, decision, ...(reason === "" ? {} : { comment: reason }) },
  });
  if (decided.ok) return redirectTo(approvalLink(link));
  if (decided.fault.kind !== "invalid_state") return faultPage(decided.fault);
  // Somebody else was faster: the page says who.
  const again = await openApprovalLink(parts, link);
  if (!again.ok || again.value.state === "open") return faultPage(again.ok ? decided.fault : again.fault);
  return approvalPage(again.value, { isSignedIn, status: 409 });
}

/** A link that was passed on gives nobody a right: whoever signs in decides with their own. */
const needsSignIn = ({ question: { links } }: OpenedLink, { principal }: Visit): boolean =>
  links === "signed_in" && principal === null;

/** For whom the decision is made; refused if the person may not know of the job. */
async function deciderOf(parts: ApprovalPageParts, visit: Visit, opened: OpenedLink): Promise<Outcome<Caller>> {
  const { principal } = visit;
  const isMember = principal !== null && principal.organizationId === opened.link.organizationId;
  if (!isMember && opened.question.links === "signed_in")
    return refuse({
      kind: "forbidden",
      message:
        "This approval belongs to another organization. If you are a member of it, choose it on your account page.",
    });
  const caller = isMember ? ok(callerOf({ ...visit, principal })) : await callerByLink(parts, visit, opened);
  if (!caller.ok) return caller;
  const seen = await parts.invoke("getJob", caller.value, { params: { id: opened.job.id } });
  return seen.ok ? caller : refuse(seen.fault);
}

async function callerByLink(
  parts: ApprovalPageParts,
  { request, sender }: Visit,
  opened: OpenedLink,
): Promise<Outcome<Caller>> {
  const holder = await holderOf(parts, opened);
  if (!holder.ok) return holder;
  return ok({ ...localCaller(holder.value, { requestId: requestIdOf(request) }), address: sender.address });
}

const unknownLink = (): Response =>
  renderPage({
    title: "This link does not open any more",
    status: 404,
    content: html`<section>
      <p>It is not complete, or it is too old. Your open approvals are in the <a href="${CONSOLE_PATH}">console</a>.</p>
    </section>`,
  });

const isTooLong = ({ approval }: OpenedLink): boolean => isLonger(legibleJson(approval.arguments), PAGE_ARGUMENTS);

function approvalPage(
  opened: OpenedLink,
  { isSignedIn, status = 200 }: { readonly isSignedIn: boolean; readonly status?: number },
): Response {
  const { approval, job, begunBy } = opened;
  const json = legibleJson(approval.arguments);
  const tooLong = isTooLong(opened);
  const inConsole = html`<a href="${CONSOLE_PATH}/jobs/${job.id}">the job in the console</a>`;
  return renderPage({
    title: opened.state === "open" ? "May this call be made?" : STATE_TITLES[opened.state],
    status,
    isSignedIn,
    content: html`<section>
        ${stateWords(opened)}
        <p>
          The agent <strong><bdi>${visibleText(job.agent.name)}</bdi></strong> asks to use
          <code><bdi>${visibleText(approval.toolName)}</bdi></code
          >.
        </p>
        ${begunBy === null ? null : html`<p class="note">Begun by <bdi>${visibleText(begunBy)}</bdi>.</p>`}
        <h2>Arguments</h2>
        <pre tabindex="0" dir="ltr"><code>${cutText(json, PAGE_ARGUMENTS)}</code></pre>
        ${tooLong ? html`<p class="bad">The rest is too long for this page. To approve the call, open ${inConsole}.</p>` : null}
      </section>
      ${opened.state === "open" ? decisionForm(opened, tooLong) : null}
      ${isSignedIn ? html`<p class="note">Open ${inConsole}.</p>` : null}`,
  });
}

const STATE_TITLES = {
  decided: "This call was decided",
  expired: "The time for this decision is over",
  changed: "This link is over",
} as const;

function stateWords({ state, approval, decidedBy }: OpenedLink): Html | null {
  switch (state) {
    case "open":
      return html`<p class="note">
        Decide by ${approval.expiresAt.slice(0, 16).replace("T", " ")} UTC. ${votesSoFar(approval)}
      </p>`;
    case "expired":
      return html`<p class="bad" role="status">Nobody decided in time.</p>`;
    case "changed":
      return html`<p class="bad" role="status">
        The call, or what the agent may do without asking, has changed since you were asked. Decide in the console.
      </p>`;
    case "decided": {
      const { decision, decidedAt = null } = approval;
      const at = decidedAt === null ? "" : ` at ${decidedAt.slice(0, 16).replace("T", " ")} UTC`;
      if (decision === "expired")
        return html`<p class="bad" role="status">Nobody decided in time, or the job ended first${at}.</p>`;
      return html`<p class="${decision === "approve" ? "good" : "bad"}" role="status">
        ${decision === "approve" ? "Approved" : "Denied"} by <bdi>${visibleText(decidedBy ?? "somebody")}</bdi>${at}.
      </p>`;
    }
  }
}

/** How many have approved a call that needs several people. */
const votesSoFar = ({ policy, votes = [] }: OpenedLink["approval"]): string | null =>
  policy === undefined || policy.count < 2 ? null : `${votes.length} of ${policy.count} people have approved.`;

const decisionForm = ({ link, terms }: OpenedLink, tooLong: boolean): Html =>
  html`<section>
    <form method="post" action="${approvalPath(link.approvalId)}">
      <input type="hidden" name="organization" value="${link.organizationId}" />
      <input type="hidden" name="notice" value="${link.noticeId}" />
      <input type="hidden" name="key" value="${link.key}" />
      <input type="hidden" name="terms" value="${terms}" />
      <label for="comment">Reason, for the agent (optional)</label>
      <input id="comment" name="comment" maxlength="${REASON_CHARACTERS}" autocomplete="off" />
      <div class="actions">
        ${tooLong ? null : html`<button name="decision" value="approve">Approve</button>`}<button
          class="danger"
          name="decision"
          value="deny"
        >
          Deny
        </button>
      </div>
    </form>
  </section>`;
