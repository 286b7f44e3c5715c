/** The members of an organization, for its owners: list, invitations, roles, removal (AUTH-18). */
import { type Fault, notFound, type Outcome, refuse } from "../../actors/fault.ts";
import { isIdOf } from "../../actors/ids.ts";
import { type Invitation, type Member, organizationRef, type Role } from "../../actors/organization/schema.ts";
import { PAGE_LIMIT } from "../../actors/page.ts";
import { isoTime } from "../../actors/schema.ts";
import { lookUp } from "../log/look-up.ts";
import type { LocalInput } from "../http/input/local-input.ts";
import type { AccountPageParts } from "./account-page.ts";
import { copyableText } from "./copy.ts";
import { type Html, html } from "./html.ts";
import type { InvitationPageParts } from "./invitation-page.ts";
import { renderPage, redirectTo } from "./layout.ts";
import { type PageQuestion, questionLink, questionPage } from "./question.ts";
import { faultPage } from "./sign-in-page.ts";
import { callerOf, type OwnVisit } from "./visit.ts";

export const MEMBERS_PATH = "/members";
const OWNERS_ONLY: Fault = { kind: "owner_required" };

type MembersPageParts = AccountPageParts & InvitationPageParts;

const nounOf = (role: Role): string => (role === "owner" ? "an owner" : "a member");
const givenRole = (text: string | null): Role => (text === "owner" ? "owner" : "member");

export async function showMembers(
  parts: MembersPageParts,
  visit: OwnVisit,
  notice: Html | null = null,
  status = 200,
): Promise<Response> {
  const { principal } = visit;
  if (principal.role !== "owner") return faultPage(OWNERS_ONLY);
  const { organizationId } = principal;
  const settled = await parts.system.settled(organizationId);
  if (!settled.ok) return faultPage(settled.fault);
  const members = await lookUp(parts.log, parts.directory.listMembers(organizationId));
  const now = isoTime(parts.clock.now());
  const invitations = await lookUp(parts.log, parts.directory.listInvitations(organizationId, now, PAGE_LIMIT));
  if (!members.ok) return faultPage(members.fault);
  if (!invitations.ok) return faultPage(invitations.fault);
  const people = members.value.filter((each) => each.status === "active");
  const hasOtherOwner = people.some(({ id, role }) => role === "owner" && id !== principal.userId);
  return renderPage({
    title: "Members",
    status,
    isSignedIn: true,
    hasCopies: notice !== null,
    content: html`${notice}
      <section aria-labelledby="people">
        <h2 id="people">People</h2>
        <ul class="rows">
          ${people.map((each) => memberRow(each, { isOwn: each.id === principal.userId, hasOtherOwner }))}
        </ul>
      </section>
      ${pendingInvitations(invitations.value)}
      <section aria-labelledby="invite">
        <h2 id="invite">Invite somebody</h2>
        <p class="note">You get a link to pass on. It works once, for a week.</p>
        <form method="post" action="${MEMBERS_PATH}/invite">
          <label for="email">E-mail address</label
          ><input id="email" name="email" type="email" required maxlength="254" /> <label for="role">Role</label
          ><select id="role" name="role">
            <option value="member">Member</option>
            <option value="owner">Owner</option>
          </select>
          <button>Make the link</button>
        </form>
      </section>`,
  });
}

export async function inviteMember(parts: MembersPageParts, visit: OwnVisit): Promise<Response> {
  const email = (visit.form.get("email") ?? "").trim();
  const body = { email, role: givenRole(visit.form.get("role")) };
  const made = await parts.invoke("createInvitation", callerOf(visit), { body });
  if (!made.ok) {
    const { kind } = made.fault;
    if (kind === "invalid_request") return membersComplaint(parts, visit, "That is not an e-mail address.", 400);
    if (kind === "invalid_state") return membersComplaint(parts, visit, `${email} is a member already.`, 409);
    return faultPage(made.fault);
  }
  return showMembers(
    parts,
    visit,
    html`<section aria-labelledby="link">
      <h2 id="link">The link for ${email}</h2>
      <p>Copy it now: it is never shown again.</p>
      ${copyableText((made.value as { readonly url: string }).url, "link")}
    </section>`,
  );
}

const membersComplaint = (parts: MembersPageParts, visit: OwnVisit, words: string, status: number): Promise<Response> =>
  showMembers(parts, visit, html`<p class="bad" role="alert">${words}</p>`, status);

/** The questions of this page, each about one of its rows; a row that is gone needs no question. */
export async function askToRemove(parts: MembersPageParts, visit: OwnVisit): Promise<Response> {
  const member = await findGivenMember(parts, visit);
  if (!member.ok) return faultPage(member.fault);
  const { id, name, email } = member.value;
  return askOnPage({
    title: `Remove ${name}?`,
    words: `${email} loses access to the organization at once, with all sessions, tokens and programs that were let in. What this person has made stays.`,
    path: `${MEMBERS_PATH}/remove`,
    fields: { id },
    yes: `Remove ${name}`,
  });
}

export async function askToChangeRole(parts: MembersPageParts, visit: OwnVisit): Promise<Response> {
  const member = await findGivenMember(parts, visit);
  if (!member.ok) return faultPage(member.fault);
  const { id, name } = member.value;
  const role = givenRole(visit.query.get("role"));
  return askOnPage({
    title: `Make ${name} ${nounOf(role)}?`,
    words:
      role === "owner"
        ? "An owner may do everything in the organization, and remove other owners."
        : "A member manages neither people, service tokens nor webhooks.",
    path: `${MEMBERS_PATH}/role`,
    fields: { id, role },
    yes: `Make ${nounOf(role)}`,
  });
}

export async function askToWithdraw(parts: MembersPageParts, visit: OwnVisit): Promise<Response> {
  const { organizationId, role } = visit.principal;
  if (role !== "owner") return faultPage(OWNERS_ONLY);
  const now = isoTime(parts.clock.now());
  const open = await lookUp(parts.log, parts.directory.listInvitations(organizationId, now, PAGE_LIMIT));
  if (!open.ok) return faultPage(open.fault);
  const found = open.value.find(({ id }) => id === visit.query.get("id"));
  if (found === undefined) return redirectTo(MEMBERS_PATH);
  return askOnPage({
    title: "Withdraw the invitation?",
    words: `The link for ${found.email} no longer works.`,
    path: `${MEMBERS_PATH}/invitations/revoke`,
    fields: { id: found.id },
    yes: "Withdraw it",
  });
}

const askOnPage = (question: Omit<PageQuestion, "no" | "back">): Response =>
  questionPage({ ...question, no: "Cancel", back: MEMBERS_PATH });

function findGivenMember(parts: MembersPageParts, { principal, query }: OwnVisit): Promise<Outcome<Member>> {
  if (principal.role !== "owner") return Promise.resolve(refuse(OWNERS_ONLY));
  const userId = query.get("id") ?? "";
  if (!isIdOf("usr", userId)) return Promise.resolve(notFound("user"));
  return parts.system.dispatch(organizationRef(principal.organizationId), { kind: "read_member", userId });
}

export const revokeInvitation = (parts: MembersPageParts, visit: OwnVisit): Promise<Response> =>
  changeMember(parts, visit, "revokeInvitation");

export const changeRole = (parts: MembersPageParts, visit: OwnVisit): Promise<Response> =>
  changeMember(parts, visit, "updateMember", { body: { role: givenRole(visit.form.get("role")) } });

export const removeMember = (parts: MembersPageParts, visit: OwnVisit): Promise<Response> =>
  changeMember(parts, visit, "removeMember");

/** Changes the record that the form names by `id`, with this operation. */
async function changeMember(
  parts: MembersPageParts,
  visit: OwnVisit,
  operation: string,
  input: LocalInput = {},
): Promise<Response> {
  const params = { id: visit.form.get("id") ?? "" };
  const done = await parts.invoke(operation, callerOf(visit), { ...input, params });
  return done.ok ? redirectTo(MEMBERS_PATH) : faultPage(done.fault);
}

/** The only owner stays one, and is offered nothing else. */
const memberRow = (
  { id, name, email, role }: Member,
  { isOwn, hasOtherOwner }: { readonly isOwn: boolean; readonly hasOtherOwner: boolean },
): Html => {
  const other = role === "owner" ? "member" : "owner";
  return html`<li>
    <div class="about">
      <p><strong>${name}</strong>${isOwn ? " (you)" : null}</p>
      <p class="note">${email}, ${role}</p>
    </div>
    ${isOwn && !hasOtherOwner ? null : questionLink(`${MEMBERS_PATH}/role`, { id, role: other }, `Make ${other}`, `Make ${name} ${nounOf(other)}`)}
    ${isOwn ? null : questionLink(`${MEMBERS_PATH}/remove`, { id }, "Remove", `Remove ${name}`)}
  </li>`;
};

const pendingInvitations = (invitations: readonly Invitation[]): Html | null =>
  invitations.length === 0
    ? null
    : html`<section aria-labelledby="pending">
        <h2 id="pending">Open invitations</h2>
        <ul class="rows">
          ${invitations.map(
            ({ id, email, role, expiresAt }) =>
              html`<li>
                <div class="about">
                  <p><strong>${email}</strong></p>
                  <p class="note">${role}, until ${expiresAt.slice(0, 10)}</p>
                </div>
                ${questionLink(`${MEMBERS_PATH}/invitations/revoke`, { id }, "Withdraw", `Withdraw the invitation of ${email}`)}
              </li>`,
          )}
        </ul>
      </section>`;
