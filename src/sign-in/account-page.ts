/** A person's account page: sessions, tokens, password, and the organizations to work in (AUTH-13). */
import type { WaysIn } from "../../actors/account/protocol.ts";
import { accountRef } from "../../actors/account/schema.ts";
import { type Principal, SCOPES } from "../../actors/organization/principal.ts";
import {
  type Grant,
  type Member,
  type Organization,
  organizationRef,
  type Token,
} from "../../actors/organization/schema.ts";
import { TOKEN_DAYS } from "../../actors/organization/tokens.ts";
import { ok, type Outcome } from "../../actors/fault.ts";
import { PAGE_LIMIT } from "../../actors/page.ts";
import { isoTime } from "../../actors/schema.ts";
import type { Invoke } from "../http/request/operations.ts";
import { CONSOLE_PATH } from "../http/contract/paths.ts";
import { activeSessions } from "../http/admission/active-sessions.ts";
import { sessionCookie } from "../http/admission/session-cookie.ts";
import { lookUp } from "../log/look-up.ts";
import { type AccountParts, SESSION_MS } from "./accounts.ts";
import { copyableText } from "./copy.ts";
import { type Html, html } from "./html.ts";
import { renderPage, redirectTo } from "./layout.ts";
import { complaintOfToken, newTokenSection } from "./new-token-form.ts";
import { passkeySection } from "./passkeys/forms.ts";
import { partyAt } from "./passkeys/passkeys.ts";
import { newPasswordFields } from "./password-page.ts";
import { complaintOf } from "./passwords.ts";
import { consentWords } from "./scope-words.ts";
import { ACCOUNT_PATH, faultPage, type PageParts, PROVIDER_PATH } from "./sign-in-page.ts";
import { questionLink } from "./question.ts";
import { callerOf, type OwnVisit, type Visit } from "./visit.ts";

export type AccountPageParts = PageParts &
  Pick<AccountParts, "system" | "directory" | "clock" | "log"> & { readonly invoke: Invoke };

export const DISCONNECT_PATH = `${ACCOUNT_PATH}/provider/disconnect`;

/** The query parameter with which a signed-in person goes to the provider. */
export const CONNECT = "connect";

/** Results of forms, shown once on the next page. */
const NOTICES: Readonly<Record<string, string>> = {
  "password-changed": "Your password is changed. Your other sessions have ended.",
  "session-ended": "The session has ended.",
  "program-ended": "The program no longer has access.",
  "token-revoked": "The token is revoked.",
  "passkey-added": "The passkey is added.",
  "passkey-removed": "The passkey is removed. Remove it from your device too: the service cannot do that.",
  connected: "Your account is connected. You can sign in with it from now on.",
  "mails-chosen": "Your choice is saved.",
  disconnected: "Your account is no longer connected. The next sign-in connects it again.",
};
export const toAccount = (notice: keyof typeof NOTICES): Response => redirectTo(`${ACCOUNT_PATH}?notice=${notice}`);

export interface OwnAccount {
  readonly member: Member;
  readonly organization: Organization;
  readonly others: readonly { readonly member: Member; readonly name: string }[];
  readonly sessions: readonly Token[];
  readonly tokens: readonly Token[];
  readonly grants: readonly Grant[];
  readonly ways: WaysIn;
}

/** OwnAccount above the sections: a new token, or an error of a form. */
interface Above {
  readonly status?: number;
  readonly notice?: Html | null;
  readonly hasCopies?: boolean;
  /** The token form as it was sent, so that nobody has to fill it in again. */
  readonly draft?: Visit["form"];
}

export async function showAccount(parts: AccountPageParts, visit: OwnVisit, above: Above = {}): Promise<Response> {
  const shown = await readAccount(parts, visit.principal);
  if (!shown.ok) return faultPage(shown.fault);
  const words = NOTICES[visit.query.get("notice") ?? ""];
  const notice = above.notice ?? (words === undefined ? null : html`<p class="good" role="status">${words}</p>`);
  const { member, organization, ways } = shown.value;
  const isOffered = partyAt(parts.appUrl()) !== null;
  return renderPage({
    title: "Your account",
    status: above.status ?? 200,
    isWide: true,
    isSignedIn: true,
    hasPasskeys: isOffered,
    hasCopies: above.hasCopies ?? false,
    content: html`${notice}
      <section aria-labelledby="who">
        <h2 id="who">${member.name}</h2>
        <p>${member.email}, ${member.role === "owner" ? "an owner" : "a member"} of ${organization.name}.</p>
        ${member.role === "owner" ? html`<p><a href="${CONSOLE_PATH}/people">Members and invitations</a></p>` : null}
        ${organizationForm(shown.value)} ${mailForm(member)}
      </section>
      ${sessionSection(shown.value, visit.principal)} ${tokenSection(shown.value, isoTime(parts.clock.now()))}
      ${newTokenSection(above.draft)} ${grantSection(shown.value)} ${providerSection(parts, shown.value)}
      ${passkeySection({ passkeys: ways.passkeys, isOffered, name: visit.sender.browser })}
      ${passwordSection(shown.value)}`,
  });
}

export async function changePassword(parts: AccountPageParts, visit: OwnVisit): Promise<Response> {
  const { form, principal, sender } = visit;
  const member = await parts.system.dispatch(organizationRef(principal.organizationId), {
    kind: "read_member",
    userId: principal.userId,
  });
  if (!member.ok) return faultPage(member.fault);
  const next = form.get("password") ?? "";
  const complaint = complaintOf(next, member.value.email);
  const wrong = complaint ?? (next === form.get("again") ? null : "The two new passwords differ.");
  if (wrong !== null) return showAccount(parts, visit, accountComplaint(wrong));
  const changed = await parts.accounts.changePassword(principal, { present: form.get("present") ?? "", next }, sender);
  if (changed.ok) return toAccount("password-changed");
  if (changed.fault.kind !== "unauthenticated") return faultPage(changed.fault);
  return showAccount(parts, visit, accountComplaint("That is not your current password."));
}

export const endSession = (parts: AccountPageParts, visit: OwnVisit): Promise<Response> =>
  endByOperation(parts, visit, "revokeSession", "session-ended");

export const revokeOwnToken = (parts: AccountPageParts, visit: OwnVisit): Promise<Response> =>
  endByOperation(parts, visit, "revokePersonalAccessToken", "token-revoked");

/** Ends the grant of a program. */
export const endGrant = (parts: AccountPageParts, visit: OwnVisit): Promise<Response> =>
  endByOperation(parts, visit, "revokeOauthGrant", "program-ended");

/** Ends the record that the form names by `id`, with this operation. */
async function endByOperation(
  { invoke }: AccountPageParts,
  visit: OwnVisit,
  operation: string,
  notice: keyof typeof NOTICES,
): Promise<Response> {
  const done = await invoke(operation, callerOf(visit), { params: { id: visit.form.get("id") ?? "" } });
  return done.ok ? toAccount(notice) : faultPage(done.fault);
}

/** Whether approvals reach the person by mail (REACH-4). */
const mailForm = ({ noApprovalMails }: Member): Html =>
  html`<form method="post" action="${ACCOUNT_PATH}/approval-mails">
    <input type="hidden" name="enabled" value="${noApprovalMails === true ? "true" : "false"}" />
    <p class="note">
      ${noApprovalMails === true ? "Approvals do not reach you by mail." : "Approvals that wait for you reach you by mail, if this service sends mails."}
    </p>
    <button class="quiet">${noApprovalMails === true ? "Send me mails" : "Send me no mails"}</button>
  </form>`;

export async function chooseMails(parts: AccountPageParts, visit: OwnVisit): Promise<Response> {
  const enabled = visit.form.get("enabled") === "true";
  const chosen = await parts.invoke("setApprovalMails", callerOf(visit), { body: { enabled } });
  return chosen.ok ? toAccount("mails-chosen") : faultPage(chosen.fault);
}

export async function chooseOrganization(
  parts: AccountPageParts,
  { form, principal, sender }: OwnVisit,
): Promise<Response> {
  const moved = await parts.accounts.move(principal, form.get("organization") ?? "", sender);
  if (!moved.ok) return faultPage(moved.fault);
  const cookie = sessionCookie(moved.value.secret, parts.appUrl(), SESSION_MS / 1_000);
  return redirectTo(ACCOUNT_PATH, { "set-cookie": cookie });
}

export async function createOwnToken(parts: AccountPageParts, visit: OwnVisit): Promise<Response> {
  const { form } = visit;
  const name = (form.get("name") ?? "").trim();
  const scopes = SCOPES.filter((scope) => form.getAll("scope").includes(scope));
  const days = Number(form.get("days") ?? TOKEN_DAYS);
  const wrong = complaintOfToken(name, scopes, days);
  if (wrong !== null) return showAccount(parts, visit, { ...accountComplaint(wrong), draft: form });
  const body = { name, scopes, expires_in_days: days };
  const made = await parts.invoke("createPersonalAccessToken", callerOf(visit), { body });
  if (!made.ok) return faultPage(made.fault);
  const { token: secret } = made.value as { readonly token: string };
  const notice = html`<section aria-labelledby="made">
    <h2 id="made">The token “${name}”</h2>
    <p>Copy it now: it is never shown again.</p>
    ${copyableText(secret, "token")}
  </section>`;
  return showAccount(parts, visit, { notice, hasCopies: true });
}

export const accountComplaint = (words: string): Above => ({
  status: 400,
  notice: html`<p class="bad" role="alert">${words}</p>`,
});

export async function readAccount(parts: AccountPageParts, principal: Principal): Promise<Outcome<OwnAccount>> {
  const { system, directory, log, accounts } = parts;
  const { organizationId, userId } = principal;
  const ref = organizationRef(organizationId);
  const member = await system.dispatch(ref, { kind: "read_member", userId });
  const organization = await system.dispatch(ref, { kind: "read_organization" });
  const sessions = await activeSessions(parts, organizationId, userId);
  const memberships = await accounts.memberships(userId);
  const filter = { kind: "personal", userId } as const;
  const tokens = await lookUp(log, directory.pageTokens(organizationId, filter, { limit: PAGE_LIMIT, after: null }));
  if (!member.ok) return member;
  if (!organization.ok) return organization;
  if (!sessions.ok) return sessions;
  if (!memberships.ok) return memberships;
  if (!tokens.ok) return tokens;
  const grants = await lookUp(log, directory.listGrants(organizationId, userId, PAGE_LIMIT));
  if (!grants.ok) return grants;
  const ways = await system.dispatch(accountRef(userId), { kind: "read_ways_in" });
  if (!ways.ok) return ways;
  const others: OwnAccount["others"][number][] = [];
  for (const other of memberships.value.filter((of) => of.organizationId !== organizationId)) {
    const named = await system.dispatch(organizationRef(other.organizationId), { kind: "read_organization" });
    if (named.ok) others.push({ member: other, name: named.value.name });
  }
  return ok({
    member: member.value,
    organization: organization.value,
    others,
    sessions: sessions.value,
    tokens: tokens.value.records,
    grants: grants.value,
    ways: ways.value,
  });
}

function organizationForm({ others }: OwnAccount): Html | null {
  if (others.length === 0) return null;
  const options = others.map(({ member, name }) => html`<option value="${member.organizationId}">${name}</option>`);
  return html`<form method="post" action="${ACCOUNT_PATH}/organization">
    <label for="organization">Work in another organization</label>
    <select id="organization" name="organization">
      ${options}</select
    ><button class="quiet">Go there</button>
  </form>`;
}

const sessionSection = ({ sessions }: OwnAccount, principal: Principal): Html =>
  html`<section aria-labelledby="sessions">
    <h2 id="sessions">Sessions</h2>
    <ul class="rows">
      ${sessions.map((session) => {
        const isOwn = session.id === principal.tokenId;
        const used = dayAndTime(session.lastUsedAt ?? session.createdAt);
        const from = session.lastAddress ?? null;
        return html`<li>
          <div class="about">
            <p><strong>${session.name}</strong>${isOwn ? " (this one)" : null}</p>
            <p class="note">
              Since ${dayAndTime(session.createdAt)}, last used ${used}${from === null ? null : ` from ${from}`}
            </p>
          </div>
          ${isOwn ? null : questionLink(`${ACCOUNT_PATH}/sessions/end`, { id: session.id }, "End", `End the session ${session.name}`)}
        </li>`;
      })}
    </ul>
  </section>`;

const tokenSection = ({ tokens }: OwnAccount, now: string): Html => {
  const rows = tokens
    .filter(({ revokedAt }) => revokedAt === null)
    .map(
      (token) =>
        html`<li>
          <div class="about">
            <p><strong>${token.name}</strong> <code>…${token.hint}</code></p>
            <p class="note">
              It may ${token.scopes.map(consentWords).join(", ")}. ${token.expiresAt <= now ? "Expired" : "Expires"}
              ${token.expiresAt.slice(0, 10)}${token.lastUsedAt === null ? ", never used" : `, last used ${dayAndTime(token.lastUsedAt)}`}
            </p>
          </div>
          ${questionLink(`${ACCOUNT_PATH}/tokens/revoke`, { id: token.id }, "Revoke", `Revoke the token ${token.name}`)}
        </li>`,
    );
  return html`<section aria-labelledby="tokens">
    <h2 id="tokens">Personal access tokens</h2>
    ${
      rows.length === 0
        ? html`<p class="note">None yet.</p>`
        : html`<ul class="rows">
            ${rows}
          </ul>`
    }
  </section>`;
};

const grantSection = ({ grants }: OwnAccount): Html | null => {
  if (grants.length === 0) return null;
  const rows = grants.map(
    (grant) =>
      html`<li>
        <div class="about">
          <p><strong>${grant.clientName}</strong></p>
          <p class="note">Since ${dayAndTime(grant.createdAt)}. It may ${grant.scopes.map(consentWords).join(", ")}.</p>
        </div>
        ${questionLink(`${ACCOUNT_PATH}/programs/end`, { id: grant.id }, "End", `End the access of ${grant.clientName}`)}
      </li>`,
  );
  return html`<section aria-labelledby="programs">
    <h2 id="programs">Programs that you have let in</h2>
    <ul class="rows">
      ${rows}
    </ul>
  </section>`;
};

const providerSection = ({ provider }: PageParts, { ways }: OwnAccount): Html | null => {
  const identity = ways.identities.find(({ issuer }) => issuer === provider?.issuer);
  if (provider === null) return null;
  if (identity === undefined)
    return html`<section aria-labelledby="provider">
      <h2 id="provider">${provider.name}</h2>
      <p class="note">
        Connect your account of ${provider.name} and sign in with it, whatever your e-mail address is there. Your other
        ways to sign in stay.
      </p>
      <p><a class="button" href="${PROVIDER_PATH}?${CONNECT}=yes">Connect ${provider.name}</a></p>
    </section>`;
  return html`<section aria-labelledby="provider">
    <h2 id="provider">${provider.name}</h2>
    <p>You sign in with ${provider.name} since ${dayAndTime(identity.linkedAt)}.</p>
    <p class="note">If you are somebody else there now, disconnect, and sign in anew.</p>
    <p>${questionLink(DISCONNECT_PATH, {}, "Disconnect", `Disconnect ${provider.name}`)}</p>
  </section>`;
};

const passwordSection = ({ member: { email }, ways }: OwnAccount): Html =>
  ways.hasPassword
    ? html`<section aria-labelledby="change-password">
        <h2 id="change-password">Change your password</h2>
        <form method="post" action="${ACCOUNT_PATH}/password">
          <input type="hidden" autocomplete="username" value="${email}" /> <label for="present">Present password</label
          ><input id="present" name="present" type="password" autocomplete="current-password" required />
          ${newPasswordFields()}<button>Change the password</button>
        </form>
      </section>`
    : html`<section aria-labelledby="change-password">
        <h2 id="change-password">No password</h2>
        <p>You sign in without one. To set one, ask the person who runs this service for a link.</p>
      </section>`;

const dayAndTime = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
