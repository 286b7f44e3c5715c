/**
 * Serves apps of workspaces (WSP-14). These requests are not operations: any path below an app's address belongs to the
 * app.
 */
import { notFound, refuse } from "../../actors/fault.ts";
import { appPage } from "../current/workspaces/app-pages.ts";
import { rawPath } from "../http/request/exchange.ts";
import type { Surface } from "../http/request/surface.ts";
import type { Services } from "../operations/services.ts";

export const hostOf = (request: Request): string => request.headers.get("host") ?? "";

/** The page of an app, or a refusal. */
export function servedApp(surface: Surface, services: Services, request: Request): Promise<Response> {
  return surface.servePublic(request, async () => {
    if (request.method !== "GET" && request.method !== "HEAD")
      return refuse({ kind: "method_not_allowed", allow: ["GET", "HEAD"] });
    const target = services.appPlaces.targetOf(hostOf(request), rawPath(request.url));
    return target === null ? notFound("app") : appPage(services, target, request);
  });
}
