/** Requests to a server that takes OAuth: each has the access token, which is masked in whatever the server says (ACC-10). */
import { type McpServer, oauthNeedOf } from "../../../actors/job/connections.ts";
import type { ConnectionNeed } from "../../../actors/job/terms.ts";
import type { AccessedRequests } from "../../connections/accessed-requests.ts";
import type { Egress, EgressRequest } from "../../egress/egress.ts";
import { egressFailed } from "../../egress/failure.ts";
import { ConnectionLacking, McpFailure } from "./failure.ts";
import type { HeaderSecrets } from "./header-secrets.ts";

/** The access of one run to one server. */
export interface ServerAccess {
  readonly connections: ToolAccess;
  readonly organizationId: string;
  readonly need: ConnectionNeed;
}

/** What the runner needs of connections. */
export type ToolAccess = Pick<AccessedRequests, "needOf" | "withAccess">;

/** The access that the server asks for; null if it asks for none. */
export function accessOf(
  connections: ToolAccess | undefined,
  by: { readonly organizationId: string; readonly userId: string },
  { name, url: resource, auth }: McpServer,
): ServerAccess | null {
  const need = oauthNeedOf(auth);
  if (need === null || connections === undefined) return null;
  const { organizationId } = by;
  return { connections, organizationId, need: connections.needOf({ name, resource, ...need }, by) };
}

/** `open` throws `ConnectionLacking`; `request` does not reject. */
export function accessedEgress(
  egress: Pick<Egress, "open" | "request">,
  { connections, organizationId, need }: ServerAccess,
  secrets: Pick<HeaderSecrets, "note">,
): Pick<Egress, "open" | "request"> {
  const withToken = (request: EgressRequest, token: string): EgressRequest => {
    secrets.note(token);
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
  };
  const asking = { organizationId, need };
  return {
    async open(request) {
      const send = (token: string) => egress.open(withToken(request, token));
      const sent = await connections.withAccess(asking, send, request.signal);
      if (sent.kind === "lacking") throw new ConnectionLacking(sent.need);
      if (sent.kind === "unavailable")
        throw new McpFailure("its authorization server could not renew the access now. Try again later");
      return sent.answer;
    },
    async request(request) {
      const send = (token: string) => egress.request(withToken(request, token));
      const sent = await connections.withAccess(asking, send, request.signal);
      return sent.kind === "answered" ? sent.answer : egressFailed("aborted");
    },
  };
}
