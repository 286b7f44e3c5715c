/**
 * The pages for people, mounted: signing in and out, passwords, the account. They need no script (except for passkeys)
 * and no internet.
 */
import { Elysia } from "elysia";
import type { HttpLog } from "../log/port.ts";
import { APPROVALS_PATH, CONNECTION_CALLBACK_PATH, CONNECTIONS_PATH, INVITATION_PATH } from "../http/contract/paths.ts";
import { hostFault } from "../http/request/request-target.ts";
import { underPrefix } from "../http/request/path-prefix.ts";
import type { Surface } from "../http/request/surface.ts";
import {
  type AccountPageParts,
  changePassword,
  chooseMails,
  chooseOrganization,
  createOwnToken,
  DISCONNECT_PATH,
  endGrant,
  endSession,
  revokeOwnToken,
  showAccount,
} from "./account-page.ts";
import { type ApprovalPageParts, decideApproval, showApproval } from "./approval-page.ts";
import { acceptInvitation, showInvitation } from "./invitation-page.ts";
import {
  askToDisconnect,
  askToEndGrant,
  askToEndSession,
  askToRemovePasskey,
  askToRevokeToken,
} from "./account-questions.ts";
import {
  beginConnection,
  type ConnectionPageParts,
  denyConnection,
  finishConnection,
  showConnection,
} from "./connections/pages.ts";
import { PASSKEYS_PATH, SIGN_IN_PASSKEY_PATH } from "./passkeys/forms.ts";
import { addPasskey, askToAdd, askToSignIn, removePasskey, signInByPasskey } from "./passkeys/pages.ts";
import { setPassword, showSetPassword } from "./password-page.ts";
import { PASSWORD_PATH } from "./password-link.ts";
import {
  comeFromProvider,
  disconnect,
  goToProvider,
  PROVIDER_CALLBACK_PATH,
  type ProviderPageParts,
} from "./openid/pages.ts";
import { goSignOut, PROVIDER_SIGN_OUT_PATH, showSignedOut, SIGNED_OUT_PATH, signOutOfBoth } from "./openid/sign-out.ts";
import { ACCOUNT_PATH, PROVIDER_PATH, showSignIn, SIGN_IN_PATH, signIn, redirectToSignIn } from "./sign-in-page.ts";
import { type OwnVisit, type Visit, visitOf, type VisitParts } from "./visit.ts";

export type SignInParts = VisitParts &
  ConnectionPageParts &
  AccountPageParts &
  ApprovalPageParts &
  ProviderPageParts & { readonly log: HttpLog; readonly surface: Surface };

type PageAnswer = (parts: SignInParts, visit: Visit) => Response | Promise<Response>;
type OwnAnswer = (parts: SignInParts, visit: OwnVisit) => Promise<Response>;

/** A page for signed-in people; others are redirected to the sign-in page. */
const ownPage =
  (answer: OwnAnswer): PageAnswer =>
  (parts, visit) =>
    visit.principal === null ? redirectToSignIn(visit) : answer(parts, { ...visit, principal: visit.principal });

const PEOPLE_PAGES: readonly (readonly ["GET" | "POST", string, PageAnswer])[] = [
  ["GET", SIGN_IN_PATH, (parts, visit) => showSignIn(parts, visit)],
  ["POST", SIGN_IN_PATH, signIn],
  ["POST", "/sign-out", signOutOfBoth],
  ["GET", PROVIDER_SIGN_OUT_PATH, goSignOut],
  ["GET", SIGNED_OUT_PATH, showSignedOut],
  ["GET", PROVIDER_PATH, goToProvider],
  ["GET", PROVIDER_CALLBACK_PATH, comeFromProvider],
  ["GET", DISCONNECT_PATH, ownPage(askToDisconnect)],
  ["POST", DISCONNECT_PATH, ownPage(disconnect)],
  ["POST", `${SIGN_IN_PASSKEY_PATH}/options`, askToSignIn],
  ["POST", SIGN_IN_PASSKEY_PATH, signInByPasskey],
  ["POST", `${PASSKEYS_PATH}/options`, ownPage(askToAdd)],
  ["POST", PASSKEYS_PATH, ownPage(addPasskey)],
  ["GET", `${PASSKEYS_PATH}/remove`, ownPage(askToRemovePasskey)],
  ["POST", `${PASSKEYS_PATH}/remove`, ownPage(removePasskey)],
  ["GET", PASSWORD_PATH, showSetPassword],
  ["POST", PASSWORD_PATH, setPassword],
  ["GET", INVITATION_PATH, showInvitation],
  ["POST", INVITATION_PATH, acceptInvitation],
  ["GET", `${APPROVALS_PATH}/:id`, showApproval],
  ["POST", `${APPROVALS_PATH}/:id`, decideApproval],
  ["GET", CONNECTION_CALLBACK_PATH, ownPage(finishConnection)],
  ["GET", `${CONNECTIONS_PATH}/:id`, ownPage(showConnection)],
  ["POST", `${CONNECTIONS_PATH}/:id`, ownPage(beginConnection)],
  ["POST", `${CONNECTIONS_PATH}/:id/deny`, ownPage(denyConnection)],
  ["GET", ACCOUNT_PATH, ownPage((parts, visit) => showAccount(parts, visit))],
  ["POST", `${ACCOUNT_PATH}/approval-mails`, ownPage(chooseMails)],
  ["POST", `${ACCOUNT_PATH}/password`, ownPage(changePassword)],
  ["GET", `${ACCOUNT_PATH}/sessions/end`, ownPage(askToEndSession)],
  ["POST", `${ACCOUNT_PATH}/sessions/end`, ownPage(endSession)],
  ["POST", `${ACCOUNT_PATH}/tokens`, ownPage(createOwnToken)],
  ["GET", `${ACCOUNT_PATH}/tokens/revoke`, ownPage(askToRevokeToken)],
  ["POST", `${ACCOUNT_PATH}/tokens/revoke`, ownPage(revokeOwnToken)],
  ["GET", `${ACCOUNT_PATH}/programs/end`, ownPage(askToEndGrant)],
  ["POST", `${ACCOUNT_PATH}/programs/end`, ownPage(endGrant)],
  ["POST", `${ACCOUNT_PATH}/organization`, ownPage(chooseOrganization)],
];

export function signInRoutes(parts: SignInParts) {
  const routes = new Elysia({ name: "sign-in" });
  for (const [method, path, answer] of PEOPLE_PAGES) {
    routes.route(
      method,
      path,
      async ({ request }) => {
        const fault = hostFault(request);
        if (fault !== null) return parts.surface.refuse(request, fault);
        return parts.surface.by((asked) => answerPage(parts, asked, answer), request);
      },
      { parse: "none" },
    );
  }
  return routes;
}

async function answerPage(parts: SignInParts, request: Request, answer: PageAnswer): Promise<Response> {
  const visit = await visitOf(parts, request);
  return underPrefix(visit instanceof Response ? visit : await answer(parts, visit), parts.appUrl());
}
