/**
 * Public shares of files (WSP-2). Anybody with the address and the password gets the current file at the path. Each
 * download is counted before its first byte leaves, so no more leave than were allowed. Responses without content
 * (HEAD, 304, 416) are not downloads.
 */
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { PASSWORD_ATTEMPTS, PASSWORD_WINDOW_MS } from "./limits.ts";
import { parsePath, joinedPath } from "./path.ts";
import type { WorkspaceProtocol } from "./protocol.ts";
import { type FilePlace, type Share, shareTable } from "./schema.ts";
import { isFile, placeAt } from "./tree.ts";

export const shareCommandHandlers = {
  create_share(tx, { share: { path, ...share } }) {
    const found = placeAt(tx, path);
    if (!found.ok) return found;
    if (!isFile(found.value.place)) return invalid("/path", "Only a file can be shared");
    const attempts = { windowAt: isoTime(tx.now), count: 0 };
    const text = joinedPath(found.value.way.names).text;
    const workspaceId = tx.self.id;
    return ok(
      tx.create(shareTable, {
        ...share,
        id: tx.id("shr"),
        workspaceId,
        path: text,
        downloads: 0,
        revokedAt: null,
        attempts,
      }),
    );
  },

  revoke_share(tx, { shareId }) {
    const share = ownShare(tx, shareId);
    if (share === null) return notFound("share");
    if (share.revokedAt !== null) return ok({ share, isUnchanged: true });
    return ok({ share: tx.update(shareTable, { ...share, revokedAt: isoTime(tx.now) }), isUnchanged: false });
  },

  read_share(tx, { shareId }) {
    return openShare(tx, shareId);
  },

  try_password(tx, { shareId }) {
    const open = openShare(tx, shareId);
    if (!open.ok) return open;
    const { attempts } = open.value;
    const windowAtMs = Date.parse(attempts.windowAt);
    const windowEndMs = windowAtMs + PASSWORD_WINDOW_MS;
    // A window in the future was begun by a wrong clock.
    const isOver = tx.now >= windowEndMs || tx.now < windowAtMs;
    if (!isOver && attempts.count >= PASSWORD_ATTEMPTS)
      return refuse({ kind: "rate_limited", retryAfterMs: windowEndMs - tx.now });
    const next = isOver ? { windowAt: isoTime(tx.now), count: 1 } : { ...attempts, count: attempts.count + 1 };
    tx.update(shareTable, { ...open.value, attempts: next });
    return ok(null);
  },

  open_share(tx, { shareId, unsent }) {
    const open = openShare(tx, shareId);
    if (!open.ok) return open;
    const path = parsePath(open.value.path);
    if (!path.ok) return path;
    const found = placeAt(tx, path.value);
    if (!found.ok) return found;
    const { place } = found.value;
    if (!isFile(place)) return notFound("file");
    const downloads = open.value.downloads + (place.node.sha256 === unsent ? 0 : 1);
    // The password was right, so earlier attempts were typing errors.
    const attempts = { ...open.value.attempts, count: 0 };
    if (downloads !== open.value.downloads || open.value.attempts.count > 0)
      tx.update(shareTable, { ...open.value, attempts, downloads });
    const file: FilePlace = place;
    return ok({ path: open.value.path, place: file });
  },
} satisfies Partial<Handlers<WorkspaceProtocol>>;

/** The share, while it is open. */
function openShare(tx: Tx, shareId: string): Outcome<Share> {
  const share = ownShare(tx, shareId);
  if (share === null) return notFound("share");
  const { revokedAt, expiresAt, maxDownloads, downloads } = share;
  const isOver = expiresAt !== null && tx.now >= Date.parse(expiresAt);
  const isUsedUp = maxDownloads !== null && downloads >= maxDownloads;
  return revokedAt !== null || isOver || isUsedUp ? refuse({ kind: "share_expired" }) : ok(share);
}

const ownShare = (tx: Tx, shareId: string): Share | null => {
  const share = tx.read(shareTable, shareId);
  return share?.workspaceId === tx.self.id ? share : null;
};
