/**
 * Serves the files of apps to anybody (WSP-14). Their code is always cross-origin to the API: an app without its own
 * origin is sandboxed into an opaque one, and every app can load and call only its own files.
 */
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import { parsePath } from "../../../actors/workspace/path.ts";
import { type App, workspaceRef } from "../../../actors/workspace/schema.ts";
import { lookUp } from "../../log/look-up.ts";
import { type AppTarget, NO_SLASH } from "../../operations/app-places.ts";
import type { Services } from "../../operations/services.ts";
import { fileResponse } from "./file-response.ts";

const INDEX = "index.html";

/** The browser permissions of a page. `at` is the address of the app, with a trailing slash. */
function policyOf(
  at: string,
  { hasOrigin, embedder }: { readonly hasOrigin: boolean; readonly embedder: string },
): string {
  return [
    `sandbox allow-scripts allow-popups allow-downloads${hasOrigin ? " allow-same-origin allow-modals" : ""}`,
    "default-src 'none'",
    `script-src ${at} 'unsafe-inline'`,
    `style-src ${at} 'unsafe-inline'`,
    `img-src ${at} data: blob:`,
    `font-src ${at} data:`,
    `media-src ${at} data: blob:`,
    `connect-src ${at}`,
    `worker-src ${at} blob:`,
    `frame-src ${at}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${embedder} ${new URL(at).origin}`,
  ].join("; ");
}

/** The answer to a GET or HEAD of an app's file. */
export async function appPage(services: Services, target: AppTarget, request: Request): Promise<Outcome<Response>> {
  const { system, files, log, appPlaces, appUrl } = services;
  const at = appPlaces.urlOf(target.label);
  if (target.path === NO_SLASH) return ok(redirectPermanently(at));
  const found = await lookUp(log, files.findApp(target.label));
  if (!found.ok) return found;
  if (found.value === null) return notFound("app");
  const { organizationId, workspaceId } = found.value;
  const ref = workspaceRef(organizationId, workspaceId);
  const app = await system.dispatch(ref, { kind: "open_app", label: target.label });
  if (!app.ok) return app.fault.kind === "not_found" ? notFound("app") : app;
  const text = appFilePath(app.value, target.path);
  const path = text === null ? null : parsePath(text);
  if (path?.ok !== true) return notFound("file");
  const file = await system.dispatch(ref, { kind: "read_place", path: path.value });
  if (!file.ok) return file.fault.kind === "not_found" ? notFound("file") : file;
  const { node, name } = file.value.place;
  // Without the trailing slash, relative links of its index would resolve beside it.
  if (node.kind === "directory") return ok(redirectPermanently(`${at}${target.path}/`));
  const headers = {
    "content-security-policy": policyOf(at, { hasOrigin: appPlaces.areApart, embedder: new URL(appUrl()).origin }),
    // Pages with an opaque origin load their own scripts and fonts cross-origin; the files are public.
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "public, no-cache",
  };
  const asked = {
    "if-none-match": request.headers.get("if-none-match") ?? undefined,
    // Of GET alone (RFC 9110, 14.2).
    range: request.method === "HEAD" ? undefined : (request.headers.get("range") ?? undefined),
    "if-range": request.headers.get("if-range") ?? undefined,
  };
  return fileResponse(services, { ...node, organizationId, name }, asked, { isShown: true, headers });
}

const redirectPermanently = (location: string): Response =>
  new Response(null, { status: 308, headers: { location, "cache-control": "no-cache" } });

/** The path in the workspace; null if the path in the URL is invalid. */
function appFilePath({ path: directory, entry }: App, sent: string): string | null {
  let below: string;
  try {
    below = sent.split("/").map(decodeURIComponent).join("/");
  } catch {
    return null;
  }
  // An encoded slash is not part of any name.
  if (below.split("/").length !== sent.split("/").length) return null;
  const file = below === "" ? entry : below.endsWith("/") ? `${below}${INDEX}` : below;
  // The URL parser would resolve these differently than browsers do.
  if (file.split("/").some((name) => name === "" || name === "." || name === "..")) return null;
  return directory === "" ? file : `${directory}/${file}`;
}
