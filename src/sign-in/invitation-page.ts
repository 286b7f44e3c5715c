/** The page behind the link of an invitation (AUTH-18). */
import { isLonger } from "../../actors/cut-text.ts";
import { type Invitation, organizationRef } from "../../actors/organization/schema.ts";
import type { Fault } from "../../actors/fault.ts";
import { INVITATION_PATH, invitationLink } from "../http/contract/paths.ts";
import { html } from "./html.ts";
import {
  type InvitationLink,
  type InvitationParts,
  join,
  invitationLinkIn,
  newPerson,
  openInvitation,
} from "./invitations.ts";
import { renderPage } from "./layout.ts";
import { newPasswordFields } from "./password-page.ts";
import { complaintOf } from "./passwords.ts";
import { enter, faultPage, type PageParts, providerLink, SIGN_IN_PATH } from "./sign-in-page.ts";
import type { Visit } from "./visit.ts";

export type InvitationPageParts = PageParts & InvitationParts;

const JOINING_NAME_CHARACTERS = 100;

export async function showInvitation(parts: InvitationPageParts, visit: Visit): Promise<Response> {
  return invitationPage(parts, visit, { link: invitationLinkIn(visit.query) });
}

export async function acceptInvitation(parts: InvitationPageParts, visit: Visit): Promise<Response> {
  const { form, sender, principal } = visit;
  const link = invitationLinkIn(form);
  const invitation = await openInvitation(parts, link);
  if (!invitation.ok) return isOver(invitation.fault);
  if (principal !== null) {
    const own = await parts.system.dispatch(organizationRef(principal.organizationId), {
      kind: "read_member",
      userId: principal.userId,
    });
    if (!own.ok) return faultPage(own.fault);
    const { id: userId, name, email } = own.value;
    const joined = await join(parts, { link, person: { userId, name, email }, address: sender.address }, null);
    if (!joined.ok) return isOver(joined.fault);
    const moved = await parts.accounts.startIn(link.organizationId, userId, sender);
    return moved.ok ? enter(parts, visit, { started: moved.value, next: null }) : faultPage(moved.fault);
  }
  const { email } = invitation.value;
  const userId = await newPerson(parts, email, link.organizationId);
  if (!userId.ok) return faultPage(userId.fault);
  if (userId.value === null) return invitationPage(parts, visit, { link });
  const name = (form.get("name") ?? "").trim();
  const password = form.get("password") ?? "";
  const wrong = wrongWith({ name, password, again: form.get("again") ?? "", email });
  if (wrong !== null) return invitationPage(parts, visit, { link, wrong });
  const person = { userId: userId.value, name, email };
  const joined = await join(parts, { link, person, address: sender.address }, password);
  if (!joined.ok) return isOver(joined.fault);
  const started = await parts.accounts.startIn(link.organizationId, userId.value, sender);
  return started.ok ? enter(parts, visit, { started: started.value, next: null }) : faultPage(started.fault);
}

function wrongWith({
  name,
  password,
  again,
  email,
}: Readonly<Record<"name" | "password" | "again" | "email", string>>): string | null {
  if (name === "" || isLonger(name, JOINING_NAME_CHARACTERS) || /\p{Cc}/u.test(name))
    return `Your name has 1 to ${JOINING_NAME_CHARACTERS} characters.`;
  return complaintOf(password, email) ?? (password === again ? null : "The two passwords differ.");
}

const isOver = (fault: Fault): Response =>
  fault.kind !== "not_found"
    ? faultPage(fault)
    : renderPage({
        title: "This invitation does not open any more",
        status: 404,
        content: html`<section>
          <p>It was accepted or withdrawn, a newer one has replaced it, or its week is over. Ask for another one.</p>
        </section>`,
      });

async function invitationPage(
  parts: InvitationPageParts,
  { principal }: Visit,
  { link, wrong }: { readonly link: InvitationLink; readonly wrong?: string },
): Promise<Response> {
  const invitation = await openInvitation(parts, link);
  if (!invitation.ok) return isOver(invitation.fault);
  const organization = await parts.system.dispatch(organizationRef(link.organizationId), { kind: "read_organization" });
  if (!organization.ok) return faultPage(organization.fault);
  const userId = await newPerson(parts, invitation.value.email, link.organizationId);
  if (!userId.ok) return faultPage(userId.fault);
  const { name } = organization.value;
  return renderPage({
    title: `Join ${name}`,
    status: wrong === undefined ? 200 : 400,
    isSignedIn: principal !== null,
    content: html`<section>
      ${wrong === undefined ? null : html`<p class="bad" role="alert">${wrong}</p>`}
      <p>
        You are invited to be ${invitation.value.role === "owner" ? "an owner" : "a member"} of
        <strong>${name}</strong>.
      </p>
      ${principal !== null ? asWhoTheyAre(link) : userId.value === null ? signInFirst(link) : html`${newAccountForm(link, invitation.value)}${providerLink(parts.provider, invitationPath(link))}`}
    </section>`,
  });
}

const carryLink = ({ organizationId, invitationId, key }: InvitationLink) =>
  html`<input type="hidden" name="organization" value="${organizationId}" /><input
      type="hidden"
      name="invitation"
      value="${invitationId}"
    /><input type="hidden" name="key" value="${key}" />`;

const asWhoTheyAre = (link: InvitationLink) =>
  html`<form method="post" action="${INVITATION_PATH}">
    ${carryLink(link)}<button>Join with this account</button>
  </form>`;

const invitationPath = ({ organizationId, invitationId, key }: InvitationLink): string =>
  invitationLink(organizationId, invitationId, key);

const signInFirst = (link: InvitationLink) =>
  html`<p>
    There is an account for this e-mail address.
    <a href="${SIGN_IN_PATH}?next=${encodeURIComponent(invitationPath(link))}">Sign in</a>, and join with it.
  </p>`;

const newAccountForm = (link: InvitationLink, { email }: Invitation) =>
  html`<form method="post" action="${INVITATION_PATH}">
    ${carryLink(link)} <label for="name">Your name</label
    ><input id="name" name="name" autocomplete="name" required maxlength="${JOINING_NAME_CHARACTERS}" />
    <label for="email">E-mail address</label
    ><input id="email" type="email" autocomplete="username" readonly value="${email}" /> ${newPasswordFields()}<button>
      Join
    </button>
  </form>`;
