/** The apps of a workspace (WSP-14): a directory of static files that anybody with its address may open. */
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { MAX_APPS } from "./limits.ts";
import { parseDirectory, parsePath } from "./path.ts";
import type { WorkspaceProtocol } from "./protocol.ts";
import { type App, type Workspace, workspaceTable } from "./schema.ts";
import { isFile, placeAt } from "./tree.ts";

type AppCommand = "create_app" | "delete_app" | "open_app";

export const appHandlers: Pick<Handlers<WorkspaceProtocol>, AppCommand> = {
  create_app(tx, { app }) {
    const apps = appsOf(tx);
    if (apps.length >= MAX_APPS) return invalid("/slug", `A workspace has at most ${MAX_APPS} apps`);
    if (apps.some(({ slug }) => slug === app.slug))
      return refuse({ kind: "path_exists", path: app.slug, message: `There is an app with the slug \`${app.slug}\`` });
    const entry = entryOf(tx, app);
    if (!entry.ok) return entry;
    keep(tx, [...apps, app]);
    return ok(app);
  },

  delete_app(tx, { appId }) {
    const app = appsOf(tx).find(({ id }) => id === appId);
    if (app === undefined) return notFound("app");
    keep(
      tx,
      appsOf(tx).filter((one) => one !== app),
    );
    return ok(app);
  },

  open_app(tx, { label }) {
    const app = appsOf(tx).find((one) => one.label === label);
    return app === undefined ? notFound("app") : ok(app);
  },
};

const appsOf = (tx: Tx): readonly App[] => tx.read(workspaceTable, tx.self.id)?.apps ?? [];

/** An app begins with a file that is there. */
function entryOf(tx: Tx, { path, entry }: App): Outcome<null> {
  const directory = parseDirectory(path);
  if (!directory.ok) return directory;
  const file = parsePath(path === "" ? entry : `${path}/${entry}`, "entry");
  if (!file.ok) return file;
  const found = placeAt(tx, file.value);
  return found.ok && isFile(found.value.place) ? ok(null) : notFound("file");
}

function keep(tx: Tx, apps: readonly App[]): void {
  // Handlers run in a workspace that is there.
  const workspace = tx.read(workspaceTable, tx.self.id) as Workspace;
  tx.update(workspaceTable, { ...workspace, apps: [...apps] });
}
