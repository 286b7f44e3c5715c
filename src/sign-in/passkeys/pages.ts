/**
 * Signing in with a passkey, and managing passkeys (AUTH-22). Each takes two requests: one for the challenge, which is
 * bound to the browser and valid once (`../flow.ts`), and the form with the authenticator's answer.
 */
import { isLonger } from "../../../actors/cut-text.ts";
import { accountRef } from "../../../actors/account/schema.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import type { HttpLog } from "../../log/port.ts";
import { type AccountPageParts, accountComplaint, showAccount, toAccount } from "../account-page.ts";
import {
  beginFlow,
  deriveKey,
  FLOW_MINUTES,
  flowKeyIn,
  type FlowParts,
  nextPath,
  noFlowCookie,
  takeFlow,
} from "../flow.ts";
import { jsonOf } from "../layout.ts";
import { enter, faultPage, type PageParts, signInForm } from "../sign-in-page.ts";
import type { OwnVisit, Visit } from "../visit.ts";
import { PASSKEY_NAME_CHARACTERS } from "./forms.ts";
import { claimIn, creationOptions, madePasskey, partyAt, provenCounter, requestOptions } from "./passkeys.ts";

export type PasskeyPageParts = FlowParts & PageParts & AccountPageParts & { readonly log: HttpLog };

/**
 * A challenge has one purpose: one for signing in cannot create a passkey, and another person's challenge is not valid
 * for this one.
 */
const signInPurpose = (key: string): string => deriveKey(key, "passkey");
const toAdd = (key: string, userId: string): string => deriveKey(key, `new passkey of ${userId}`);

export async function askToSignIn(parts: PasskeyPageParts): Promise<Response> {
  const party = partyAt(parts.appUrl());
  if (party === null) return faultPage(NOT_HERE);
  const flow = await beginFlow(parts, null);
  if (!flow.ok) return faultPage(flow.fault);
  const { key, cookie } = flow.value;
  return jsonOf(await requestOptions(party, signInPurpose(key)), { "set-cookie": cookie });
}

export async function signInByPasskey(parts: PasskeyPageParts, visit: Visit): Promise<Response> {
  const { form, request } = visit;
  const { system, accounts, log } = parts;
  const next = nextPath(form.get("next"));
  const party = partyAt(parts.appUrl());
  if (party === null) return faultPage(NOT_HERE);
  const key = await takenKey(parts, request);
  if (key === null) return refusePasskey(parts, next, STALE_PASSKEY, 400);
  const claim = claimIn(form.get("credential") ?? "");
  if (claim === null) return refusePasskey(parts, next, UNKNOWN_PASSKEY, 403);
  const account = accountRef(claim.userId);
  const ways = await system.dispatch(account, { kind: "read_ways_in" });
  if (!ways.ok) return faultPage(ways.fault);
  const passkey = ways.value.passkeys.find(({ id }) => id === claim.passkeyId);
  if (passkey === undefined) return refusePasskey(parts, next, UNKNOWN_PASSKEY, 403);
  const counter = await provenCounter(party, claim, { passkey, challenge: signInPurpose(key) }, log);
  const used =
    counter === null ? null : await system.dispatch(account, { kind: "use_passkey", id: passkey.id, counter });
  if (used !== null && !used.ok && used.fault.kind !== "not_found") return faultPage(used.fault);
  if (used?.ok !== true) {
    const memberships = await accounts.memberships(claim.userId);
    if (memberships.ok) accounts.noteRefusal(memberships.value, visit.sender);
    return refusePasskey(parts, next, UNKNOWN_PASSKEY, 403);
  }
  const credentials = await system.dispatch(account, { kind: "read_credentials" });
  if (!credentials.ok) return faultPage(credentials.fault);
  const sender = { ...visit.sender, browser: `${visit.sender.browser}, by passkey` };
  const started = await accounts.start(claim.userId, sender, credentials.value.chosenOrganizationId);
  // The person is no longer a member of any organization.
  if (!started.ok && started.fault.kind === "unauthenticated") return refusePasskey(parts, next, UNKNOWN_PASSKEY, 403);
  if (!started.ok) return faultPage(started.fault);
  const entered = await enter(parts, visit, { started: started.value, next });
  entered.headers.append("set-cookie", noFlowCookie(parts.appUrl()));
  return entered;
}

export async function askToAdd(parts: PasskeyPageParts, { principal }: OwnVisit): Promise<Response> {
  const { system } = parts;
  const { organizationId, userId } = principal;
  const party = partyAt(parts.appUrl());
  if (party === null) return faultPage(NOT_HERE);
  const member = await system.dispatch(organizationRef(organizationId), { kind: "read_member", userId });
  if (!member.ok) return faultPage(member.fault);
  const ways = await system.dispatch(accountRef(userId), { kind: "read_ways_in" });
  if (!ways.ok) return faultPage(ways.fault);
  const flow = await beginFlow(parts, null);
  if (!flow.ok) return faultPage(flow.fault);
  const { key, cookie } = flow.value;
  const holder = { userId, email: member.value.email, name: member.value.name, passkeys: ways.value.passkeys };
  return jsonOf(await creationOptions(party, holder, toAdd(key, userId)), { "set-cookie": cookie });
}

export async function addPasskey(parts: PasskeyPageParts, visit: OwnVisit): Promise<Response> {
  const { form, principal, request, sender } = visit;
  const { userId, tokenId } = principal;
  const party = partyAt(parts.appUrl());
  if (party === null) return faultPage(NOT_HERE);
  const name = (form.get("name") ?? "").trim();
  if (name === "" || isLonger(name, PASSKEY_NAME_CHARACTERS) || /\p{Cc}/u.test(name))
    return showAccount(
      parts,
      visit,
      accountComplaint(`A passkey has a name of 1 to ${PASSKEY_NAME_CHARACTERS} characters.`),
    );
  const key = await takenKey(parts, request);
  if (key === null) return showAccount(parts, visit, accountComplaint(STALE_PASSKEY));
  const made = await madePasskey(party, form.get("credential") ?? "", toAdd(key, userId), parts.log);
  if (made === null)
    return showAccount(parts, visit, accountComplaint("The browser's answer is not a passkey for this account."));
  const command = { kind: "add_passkey", passkey: { ...made, name } } as const;
  const added = await parts.system.dispatch(accountRef(userId), command);
  if (!added.ok) return faultPage(added.fault);
  const entry = { action: "passkey.added", subjectId: userId, detail: name } as const;
  const noted = await parts.accounts.noteEverywhere(entry, { userId, tokenId, address: sender.address }, userId);
  return noted.ok ? toAccount("passkey-added") : faultPage(noted.fault);
}

export async function removePasskey(parts: PasskeyPageParts, visit: OwnVisit): Promise<Response> {
  const { form, principal, sender } = visit;
  const { userId, tokenId } = principal;
  const command = { kind: "remove_passkey", id: form.get("id") ?? "" } as const;
  const removed = await parts.system.dispatch(accountRef(userId), command);
  if (!removed.ok) return faultPage(removed.fault);
  const entry = { action: "passkey.removed", subjectId: userId, detail: removed.value } as const;
  const noted = await parts.accounts.noteEverywhere(entry, { userId, tokenId, address: sender.address }, userId);
  return noted.ok ? toAccount("passkey-removed") : faultPage(noted.fault);
}

/** Takes the key of the browser's flow, which ends the flow. */
async function takenKey(parts: PasskeyPageParts, request: Request): Promise<string | null> {
  const key = flowKeyIn(request, parts.appUrl());
  if (key === null) return null;
  return (await takeFlow(parts, key)).ok ? key : null;
}

const STALE_PASSKEY = `This was begun in another browser, has ended already, or took longer than ${FLOW_MINUTES} minutes. Try again.`;
const UNKNOWN_PASSKEY = "This passkey does not open an account here.";
const NOT_HERE = {
  kind: "forbidden",
  message: "Passkeys need an https address with a name (APP_URL).",
} as const;

const refusePasskey = (parts: PageParts, next: string | null, wrong: string, status: number): Response =>
  signInForm(parts, { next, wrong, status, headers: { "set-cookie": noFlowCookie(parts.appUrl()) } });
