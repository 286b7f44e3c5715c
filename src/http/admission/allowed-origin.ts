/**
 * Which host names an endpoint of programs answers to, and which pages may call it (MCP-1, DIA-19). In a DNS rebinding attack, a page
 * whose name was made to resolve to this machine sends that name as `Host`; an IP address or `localhost` cannot be
 * rebound.
 */
import type { Fault } from "../../../actors/fault.ts";

const LOCAL_NAME = /^(?:localhost|[a-z0-9-]+\.localhost)$/i;
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i;

export interface AllowedOrigins {
  /** Where clients reach the service. */
  readonly appUrl: string;
  /** Origins whose pages may use the API. */
  readonly corsOrigins: readonly string[];
}

/** The refusal of a request with this `Host` and `Origin`, or null. */
export function originFault(headers: Pick<Headers, "get">, { appUrl, corsOrigins }: AllowedOrigins): Fault | null {
  const host = headers.get("host") ?? "";
  const app = URL.canParse(appUrl) ? new URL(appUrl) : null;
  if (host !== app?.host && !isFixed(host))
    return { kind: "forbidden", message: "Host must be that of APP_URL, an address, or localhost" };
  const origin = headers.get("origin");
  if (origin === null || origin === app?.origin) return null;
  const isOwn = URL.canParse(origin) && new URL(origin).host === host;
  return isOwn || corsOrigins.includes(origin)
    ? null
    : { kind: "forbidden", message: "Pages of this origin may not connect here; CORS_ORIGINS names those that may" };
}

/** Whether the host resolves the same way whatever a name server answers. */
function isFixed(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, "");
  return LOCAL_NAME.test(name) || IP_ADDRESS.test(name);
}
