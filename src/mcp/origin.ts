/**
 * Which names the endpoint answers to, and for which pages (MCP-1). A page whose name is made to lead to this machine
 * (DNS rebinding) sends that name as `Host`; an address or `localhost` cannot be made to.
 */
import type { Fault } from "../../actors/fault.ts";

const LOCAL_NAME = /^(?:localhost|[a-z0-9-]+\.localhost)$/i;
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i;

export interface Allowed {
  /** Where clients reach the service. */
  readonly appUrl: string;
  /** Origins whose pages may use the API. */
  readonly corsOrigins: readonly string[];
}

/** Why a request with this `Host` and `Origin` is refused, or null. */
export function originFault(headers: Pick<Headers, "get">, { appUrl, corsOrigins }: Allowed): Fault | null {
  const host = headers.get("host") ?? "";
  const app = URL.canParse(appUrl) ? new URL(appUrl) : null;
  if (host !== app?.host && !isFixed(host))
    return { kind: "forbidden", message: "Host must be that of APP_URL, an address, or localhost" };
  const origin = headers.get("origin");
  if (origin === null || origin === app?.origin) return null;
  const isOwn = URL.canParse(origin) && new URL(origin).host === host;
  return isOwn || corsOrigins.includes(origin)
    ? null
    : { kind: "forbidden", message: "Pages of this origin may not use MCP; CORS_ORIGINS names those that may" };
}

/** Whether a name leads where it says, whatever a name server answers. */
function isFixed(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, "");
  return LOCAL_NAME.test(name) || ADDRESS.test(name);
}
