/** Apps on the current surface (WSP-14). `app-pages.ts` serves them. */
import { ok } from "../../../actors/fault.ts";
import { newId, randomText } from "../../../actors/ids.ts";
import { isoTime } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { parseDirectory, parsePath } from "../../../actors/workspace/path.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import { created, done } from "../../http/commit/commit.ts";
import type { Services } from "../../operations/services.ts";
import type { appOperations } from "./app-operations.ts";
import { appView } from "./app-schema.ts";

/** Characters allowed in host names, in one case. With the slug, a label stays under 63 characters. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
/** 62 bits: nobody finds an app by guessing. */
const SECRET_CHARACTERS = 12;

export const appHandlers: Handlers<typeof appOperations.operations, Services> = {
  async listApps({ system, appPlaces }, { principal }, { params: { id } }) {
    const workspace = await system.dispatch(workspaceRef(principal.organizationId, id), { kind: "read_workspace" });
    if (!workspace.ok) return workspace;
    return ok({ apps: (workspace.value.apps ?? []).map((app) => appView(app, appPlaces.urlOf(app.label))) });
  },

  async createApp({ clock, appPlaces }, change, { params: { id }, body }) {
    const { organizationId, userId } = change.principal;
    const { name, slug, entry = "index.html" } = body;
    const path = parseDirectory(body.path ?? slug);
    if (!path.ok) return path;
    // In the form in which it is served: relative, without empty parts and `.`.
    const first = parsePath(entry, "entry");
    if (!first.ok) return first;
    const app = {
      id: newId("app"),
      name,
      slug,
      label: `${slug}-${randomText(SECRET_CHARACTERS, ALPHABET)}`,
      path: path.value.text,
      entry: first.value.text,
      createdBy: userId,
      createdAt: isoTime(clock.now()),
    };
    const directoryField = body.path === undefined ? "slug" : "path";
    const command = { kind: "create_app", app, directoryField } as const;
    return change.commit([ask(workspaceRef(organizationId, id), command)], (made) =>
      created(appView(made, appPlaces.urlOf(made.label))),
    );
  },

  deleteApp({ appPlaces }, change, { params: { id, app_id: appId } }) {
    const ref = workspaceRef(change.principal.organizationId, id);
    return change.commit([ask(ref, { kind: "delete_app", appId })], (gone) =>
      done(appView(gone, appPlaces.urlOf(gone.label))),
    );
  },
};
