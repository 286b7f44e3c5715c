/** The apps of a workspace (WSP-14): directories of static files that anybody with their address may open. */
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { MAX_APPS } from "./limits.ts";
import { parseDirectory, parsePath } from "./path.ts";
import type { WorkspaceProtocol } from "./protocol.ts";
import { type App, type Workspace, workspaceTable } from "./schema.ts";
import { isDirectory, isFile, placeAt } from "./tree.ts";

export const appCommandHandlers = {
  create_app(tx, { app, directoryField }) {
    const apps = appsOf(tx);
    if (apps.length >= MAX_APPS) return invalid("/slug", `A workspace has at most ${MAX_APPS} apps`);
    if (apps.some(({ slug }) => slug === app.slug))
      return refuse({ kind: "path_exists", path: app.slug, message: `There is an app with the slug \`${app.slug}\`` });
    const entry = checkAppEntry(tx, app, directoryField);
    if (!entry.ok) return entry;
    keepApps(tx, [...apps, app]);
    return ok(app);
  },

  delete_app(tx, { appId }) {
    const app = appsOf(tx).find(({ id }) => id === appId);
    if (app === undefined) return notFound("app");
    keepApps(
      tx,
      appsOf(tx).filter((one) => one !== app),
    );
    return ok(app);
  },

  open_app(tx, { label }) {
    const app = appsOf(tx).find((one) => one.label === label);
    return app === undefined ? notFound("app") : ok(app);
  },
} satisfies Partial<Handlers<WorkspaceProtocol>>;

const appsOf = (tx: Tx): readonly App[] => tx.read(workspaceTable, tx.self.id)?.apps ?? [];

/** The entry of an app must be an existing file. */
function checkAppEntry(tx: Tx, { path, entry }: App, field: "path" | "slug"): Outcome<null> {
  const directory = parseDirectory(path);
  if (!directory.ok) return directory;
  const place = placeAt(tx, directory.value);
  if (!place.ok || !isDirectory(place.value.place))
    return invalid(
      `/${field}`,
      `There is no directory \`${path}\` in the workspace; the app's directory is \`path\`, or \`slug\` without it`,
    );
  const file = parsePath(path === "" ? entry : `${path}/${entry}`, "entry");
  if (!file.ok) return file;
  const found = placeAt(tx, file.value);
  if (found.ok && isFile(found.value.place)) return ok(null);
  return invalid("/entry", `There is no file \`${file.value.text}\` in the workspace`);
}

function keepApps(tx: Tx, apps: readonly App[]): void {
  // Handlers run only in an existing workspace.
  const workspace = tx.read(workspaceTable, tx.self.id) as Workspace;
  tx.update(workspaceTable, { ...workspace, apps: [...apps] });
}
