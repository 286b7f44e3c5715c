/** The confirmations of the account page, before a session, a token, a program, a passkey or a provider is removed. */
import type { OwnVisit } from "./visit.ts";
import { type AccountPageParts, DISCONNECT_PATH, type OwnAccount, readAccount } from "./account-page.ts";
import { redirectTo } from "./layout.ts";
import { PASSKEYS_PATH } from "./passkeys/forms.ts";
import { type PageQuestion, questionPage } from "./question.ts";
import { ACCOUNT_PATH, faultPage } from "./sign-in-page.ts";

type AccountQuestion = Pick<PageQuestion, "title" | "words" | "yes" | "no">;

/** Asks about the record that `id` names; a record that no longer exists needs no confirmation. */
const about =
  (path: string, ask: (account: OwnAccount, id: string) => AccountQuestion | null) =>
  async (parts: AccountPageParts, { principal, query }: OwnVisit): Promise<Response> => {
    const account = await readAccount(parts, principal);
    if (!account.ok) return faultPage(account.fault);
    const id = query.get("id") ?? "";
    const asked = ask(account.value, id);
    if (asked === null) return redirectTo(ACCOUNT_PATH);
    return questionPage({ ...asked, path, fields: { id }, back: ACCOUNT_PATH });
  };

const byId = <T extends { readonly id: string }>(list: readonly T[], id: string): T | undefined =>
  list.find((one) => one.id === id);

export const askToEndSession = about(`${ACCOUNT_PATH}/sessions/end`, ({ sessions }, id) => {
  const session = byId(sessions, id);
  if (session === undefined) return null;
  return {
    title: `End the session “${session.name}”?`,
    words: "That browser has to sign in again.",
    yes: "End the session",
    no: "Keep it",
  };
});

export const askToRevokeToken = about(`${ACCOUNT_PATH}/tokens/revoke`, ({ tokens }, id) => {
  const token = byId(tokens, id);
  if (token === undefined || token.revokedAt !== null) return null;
  return {
    title: `Revoke the token “${token.name}”?`,
    words:
      "Programs that use it are refused at once, and tokens that were made with it end too. This cannot be undone.",
    yes: "Revoke the token",
    no: "Keep it",
  };
});

export const askToEndGrant = about(`${ACCOUNT_PATH}/programs/end`, ({ grants }, id) => {
  const grant = byId(grants, id);
  if (grant === undefined) return null;
  return {
    title: `End the access of “${grant.clientName}”?`,
    words: "The program can no longer act as you. You can grant it access again later.",
    yes: "End its access",
    no: "Keep it",
  };
});

export const askToRemovePasskey = about(`${PASSKEYS_PATH}/remove`, ({ ways }, id) => {
  const passkey = byId(ways.passkeys, id);
  if (passkey === undefined) return null;
  return {
    title: `Remove the passkey “${passkey.name}”?`,
    words: "You can no longer sign in with it.",
    yes: "Remove the passkey",
    no: "Keep it",
  };
});

export async function askToDisconnect({ provider }: AccountPageParts): Promise<Response> {
  if (provider === null) return redirectTo(ACCOUNT_PATH);
  return questionPage({
    title: `Disconnect ${provider.name}?`,
    words: `Your account of ${provider.name} no longer opens this account. The next sign-in there with your e-mail address connects it again.`,
    path: DISCONNECT_PATH,
    fields: {},
    yes: "Disconnect",
    no: "Keep it",
    back: ACCOUNT_PATH,
  });
}
