/**
 * The pages of a connection (ACC-8): what is asked for, the way to the authorization server, and the return from it.
 * The person must be signed in all the way, and a consent belongs to the person who began it, so neither a link nor the
 * return of another person's consent connects anything.
 *
 *   /connections/{id} ─ button ─▶ the server is found ─ link ─▶ authorization server ─▶ /connections/callback
 */
import type { Connection } from "../../../actors/connection/schema.ts";
import { connectionRef, OF_ORGANIZATION } from "../../../actors/connection/schema.ts";
import { isIdOf } from "../../../actors/ids.ts";
import type { ConnectionCaller, Connections } from "../../connections/connections.ts";
import { CONNECTIONS_PATH, CONSOLE_PATH } from "../../http/contract/paths.ts";
import { originOf } from "../../http/request/caller.ts";
import { type Html, html } from "../html.ts";
import { renderPage } from "../layout.ts";
import { faultPage } from "../sign-in-page.ts";
import { callerOf, type OwnVisit, type Visit } from "../visit.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";

export interface ConnectionPageParts {
  readonly system: TroupeSystem;
  readonly access: Pick<Connections, "begin" | "finish" | "deny">;
}

export async function showConnection(parts: ConnectionPageParts, visit: OwnVisit): Promise<Response> {
  const found = await connectionOf(parts, visit);
  return found.ok ? askForConsent(found.value, null) : faultPage(found.fault);
}

/** Finds the authorization server, and shows who gets what before the person leaves. */
export async function beginConnection(parts: ConnectionPageParts, visit: OwnVisit): Promise<Response> {
  const found = await connectionOf(parts, visit);
  if (!found.ok) return faultPage(found.fault);
  const begun = await parts.access.begin(callerIn(visit), found.value.id);
  if (!begun.ok) return faultPage(begun.fault);
  if (begun.value.kind === "failed") return askForConsent(found.value, begun.value.message);
  const { url, issuer } = begun.value;
  const server = new URL(found.value.resource).host;
  const authority = new URL(issuer).host;
  return connectionPage(
    `Connect ${server}`,
    html`<p><strong>${authority}</strong> asks you to sign in and to agree.</p>
      <p>Then <strong>${server}</strong> gets requests with that access from this service.</p>
      ${
        server === authority
          ? null
          : html`<p class="note">These are two servers. Go on only if you know that they belong together.</p>`
      }
      <p><a class="button" href="${url}" rel="noreferrer">Continue at ${authority}</a></p>`,
  );
}

export async function denyConnection(parts: ConnectionPageParts, visit: OwnVisit): Promise<Response> {
  const denied = await parts.access.deny(callerIn(visit), idIn(visit));
  if (!denied.ok) return faultPage(denied.fault);
  return connectionPage("Not connected", html`<p>Jobs that waited for this connection go on without it.</p>`);
}

/** The browser is back from the authorization server. */
export async function finishConnection(parts: ConnectionPageParts, visit: OwnVisit): Promise<Response> {
  const finished = await parts.access.finish({ ...callerIn(visit), origin: originOf(callerOf(visit)) }, visit.query);
  if (!finished.ok)
    return finished.fault.kind === "not_found"
      ? connectionPage("Not connected", html`<p>${STALE_CONSENT}</p>`, 403)
      : faultPage(finished.fault);
  if (finished.value.kind === "failed")
    return connectionPage("Not connected", html`<p>${finished.value.message}</p>`, 409);
  const { resource } = finished.value.connection;
  return connectionPage(
    "Connected",
    html`<p>Your agents can use <strong>${new URL(resource).host}</strong> now. Jobs that waited for it go on.</p>`,
  );
}

const STALE_CONSENT =
  "This page belongs to a connection that another person has begun, or that was not finished in time. Nothing was connected. Open the link of the connection again.";

const connectionPage = (title: string, content: Html, status = 200): Response =>
  renderPage({
    title,
    status,
    isSignedIn: true,
    content: html`<section>
      ${content}
      <p><a href="${CONSOLE_PATH}">Go to the console</a></p>
    </section>`,
  });

function askForConsent({ id, ownerId, resource, status, askedScopes, end }: Connection, complaint: string | null) {
  const { host } = new URL(resource);
  const whose = ownerId === OF_ORGANIZATION ? "the agents of your organization" : "your agents";
  return connectionPage(
    `Connect ${host}?`,
    html`${complaint === null ? null : html`<p class="bad" role="alert">${complaint}</p>`}
      <p>With your consent, ${whose} can use <strong>${host}</strong> with your account there.</p>
      <p class="note">${resource}</p>
      ${askedScopes.length === 0 ? null : html`<p>It is asked for: ${askedScopes.join(", ")}</p>`}
      ${status === "connected" ? html`<p class="note">It is connected already; you can consent again.</p>` : null}
      ${end === null ? null : html`<p class="note">${end.message}</p>`}
      <form method="post" action="${CONNECTIONS_PATH}/${id}">
        <div class="actions">
          <button>Connect</button>
          <button class="quiet" formaction="${CONNECTIONS_PATH}/${id}/deny">Do not connect</button>
        </div>
      </form>`,
    complaint === null ? 200 : 409,
  );
}

/** The last part of the path that is an id; empty if there is none. */
const idIn = ({ request }: Pick<Visit, "request">): string =>
  new URL(request.url).pathname.split("/").find((part) => isIdOf("con", part)) ?? "";

const callerIn = ({ principal: { organizationId, userId, role } }: OwnVisit): ConnectionCaller => ({
  organizationId,
  userId,
  isOwner: role === "owner",
});

const connectionOf = ({ system }: ConnectionPageParts, visit: OwnVisit) => {
  const { organizationId, userId, isOwner } = callerIn(visit);
  return system.dispatch(connectionRef(organizationId, idIn(visit)), {
    kind: "read_connection",
    by: { userId, isOwner },
  });
};
