/**
 * The service below a path of its host (START-64): `APP_URL` is `https://example.com/troupe`, and the proxy takes
 * `/troupe` away before it passes a request on. Requests come without the prefix; what people and programs are told
 * has it.
 */

/** `/troupe` of `https://example.com/troupe`; empty where the service has a host of its own. */
export const pathPrefixOf = (appUrl: string): string =>
  URL.canParse(appUrl) ? new URL(appUrl).pathname.replace(/\/$/, "") : "";

/** Attributes of a page that lead somewhere. */
const LINKS = ["href", "action", "src"] as const;
const LINKING = LINKS.map((name) => `[${name}^="/"]`).join(",");

/** An answer for a browser whose redirect, links and forms name paths of the service, as it is seen from outside. */
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
