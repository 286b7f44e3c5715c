/**
 * The service below a path of its host (START-64): `APP_URL` is `https://example.com/troupe`, and the proxy strips
 * `/troupe` before it forwards a request. Requests arrive without the prefix; links for people and programs include
 * it.
 */

/** `/troupe` for `https://example.com/troupe`; empty if the service has its own host. */
export const pathPrefixOf = (appUrl: string): string =>
  URL.canParse(appUrl) ? new URL(appUrl).pathname.replace(/\/$/, "") : "";

/** HTML attributes that contain links. */
const LINKS = ["href", "action", "src"] as const;
const LINKING = LINKS.map((name) => `[${name}^="/"]`).join(",");

/** Adds the prefix to an answer for a browser: its redirect, links and forms name paths of the service. */
export function underPrefix(response: Response, appUrl: string): Response {
  const prefix = pathPrefixOf(appUrl);
  if (prefix === "") return response;
  const location = response.headers.get("location");
  if (location?.startsWith("/") === true) response.headers.set("location", prefix + location);
  if (response.headers.get("content-type")?.startsWith("text/html") !== true) return response;
  const rewriter = new HTMLRewriter().on(LINKING, {
    element(element) {
      for (const name of LINKS) {
        const path = element.getAttribute(name);
        if (path?.startsWith("/") === true) element.setAttribute(name, prefix + path);
      }
    },
  });
  return rewriter.transform(response);
}
