/** Where repositories are mounted in the tree, and who may change files below them. */
import { ok, type Outcome, refuse } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { type FilePath, isPathWithin, parsePath } from "./path.ts";
import type { Cause } from "./protocol.ts";
import { type Repository, workspaceTable } from "./schema.ts";

export const repositoriesOf = (tx: Tx): readonly Repository[] => tx.read(workspaceTable, tx.self.id)?.repos ?? [];

/** Whether this mount's path is `path`, an ancestor of it or a descendant. */
export function overlaps({ path: text }: Pick<Repository, "path">, path: FilePath): boolean {
  const mount = parsePath(text);
  return mount.ok && (isPathWithin(mount.value, path) || isPathWithin(path, mount.value));
}

/** Refuses changes to a path in a read-only mount, except by the mount's own clone. */
export function unlessReadOnly(tx: Tx, path: FilePath, { by }: Pick<Cause, "by">): Outcome<null> {
  for (const { id, mode, path: text, url } of repositoriesOf(tx)) {
    const mount = parsePath(text);
    if (mode === "write" || !mount.ok || (by.type === "repository" && by.id === id)) continue;
    if (isPathWithin(path, mount.value))
      return refuse({ kind: "forbidden", message: `\`${text}\` is a read-only mount of ${url}` });
  }
  return ok(null);
}

/** Like `unlessReadOnly`, and also refuses to remove the place of a mount. */
export function unlessMounted(tx: Tx, path: FilePath, cause: Pick<Cause, "by">): Outcome<null> {
  for (const { path: text, url } of repositoriesOf(tx)) {
    const mount = parsePath(text);
    if (mount.ok && isPathWithin(mount.value, path))
      return refuse({ kind: "forbidden", message: `\`${text}\` is a mount of ${url}; remove the mount first` });
  }
  return unlessReadOnly(tx, path, cause);
}
