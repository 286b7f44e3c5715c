/**
 * Shares on the current surface, and their public side (WSP-2). The token is 32 random bytes; only its digest is
 * stored. Checking a password first uses up one of the share's few attempts, so that guessing threatens neither this
 * process nor the share.
 */
import { notFound, ok, refuse } from "../../../actors/fault.ts";
import { isoTime } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { parsePath } from "../../../actors/workspace/path.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import { created } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { pageIn, pageView } from "../paging.ts";
import { doneIf } from "../updating.ts";
import type { fileOperations, shareOperations } from "./file-operations.ts";
import { prefersPage } from "../../http/document/page.ts";
import { fileResponse, isUnsent } from "./file-response.ts";
import { previewOf } from "./preview.ts";
import { sharedFilePage } from "./shared-file-page.ts";
import { shareView } from "./file-schema.ts";

type ShareOperation = "shareFile" | "listShares" | "revokeShare";
type FileHandlers = Handlers<typeof fileOperations.operations, Services>;

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Makes browsers ask for the password. */
const NEEDS_PASSWORD = refuse({
  kind: "unauthenticated",
  reason: "no password of the share",
  challenge: 'Basic realm="share", charset="UTF-8"',
});

const hashOf = (token: string): string => new Bun.CryptoHasher("sha256").update(token).digest("hex");

export const shareHandlers: Pick<FileHandlers, ShareOperation> = {
  async shareFile({ clock, appUrl, passwords }, change, { params: { id }, body }) {
    const path = parsePath(body.path);
    if (!path.ok) return path;
    const { organizationId, userId } = change.principal;
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString("base64url");
    const { password, expires_in_seconds: seconds, max_downloads: maxDownloads = null } = body;
    const passwordHash = password === undefined ? ok(null) : await passwords.hash(password);
    if (!passwordHash.ok) return passwordHash;
    const share = {
      path: path.value,
      hash: hashOf(token),
      passwordHash: passwordHash.value,
      expiresAt: seconds === undefined ? null : isoTime(clock.now() + seconds * 1_000),
      maxDownloads,
      createdBy: userId,
    };
    const url = `${appUrl()}/share/${token}`;
    return change.commit([ask(workspaceRef(organizationId, id), { kind: "create_share", share })], (made) => ({
      ...created({ ...shareView(made), url, token }),
      told: shareView(made),
    }));
  },

  async listShares({ system, files, log }, { principal }, { params: { id }, query }) {
    const { organizationId } = principal;
    const workspace = await system.dispatch(workspaceRef(organizationId, id), { kind: "read_workspace" });
    if (!workspace.ok) return workspace;
    const page = pageIn(query, id);
    if (!page.ok) return page;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const shares = await lookUp(log, files.pageShares({ organizationId, workspaceId: id }, page.value));
    return shares.ok ? ok(pageView("shares", shares.value, shareView, id)) : shares;
  },

  revokeShare(_, change, { params: { id, share_id: shareId } }) {
    const { organizationId } = change.principal;
    return change.commit(
      [ask(workspaceRef(organizationId, id), { kind: "revoke_share", shareId })],
      ({ share, isUnchanged }) => doneIf(!isUnchanged, shareView(share)),
    );
  },
};

export const openShareHandlers: Handlers<typeof shareOperations.operations, Services> = {
  async openShare(services, { wantsHeadOnly = false }, { params: { token }, query, headers }) {
    const { files, system, log } = services;
    if (!TOKEN.test(token)) return notFound("share");
    const found = await lookUp(log, files.findShare(hashOf(token)));
    if (!found.ok) return found;
    if (found.value === null) return notFound("share");
    const { organizationId, workspaceId, shareId } = found.value;
    const ref = workspaceRef(organizationId, workspaceId);
    const share = await system.dispatch(ref, { kind: "read_share", shareId });
    if (!share.ok) return share;
    const { passwordHash, path: text } = share.value;
    if (passwordHash !== null) {
      const given = passwordOf(headers.authorization);
      if (given === null) return NEEDS_PASSWORD;
      const attempt = await system.dispatch(ref, { kind: "try_password", shareId });
      if (!attempt.ok) return attempt;
      const isGood = await services.passwords.verify(given, passwordHash);
      if (!isGood.ok) return isGood;
      if (!isGood.value) return NEEDS_PASSWORD;
    }
    const path = parsePath(text);
    if (!path.ok) return path;
    const seen = await system.dispatch(ref, { kind: "read_place", path: path.value });
    if (!seen.ok) return seen;
    const { node: file } = seen.value.place;
    const isPage = query.download === undefined && headers.range === undefined && prefersPage(headers.accept ?? null);
    const isCounted = !isPage && !wantsHeadOnly && !(file.kind === "file" && isUnsent(file, headers));
    const unsent = file.kind === "file" && !isCounted ? file.sha256 : null;
    const opened = await system.dispatch(ref, { kind: "open_share", shareId, unsent });
    if (!opened.ok) return opened;
    const { place } = opened.value;
    const { name, node } = place;
    if (isPage) {
      const isShown = share.value.maxDownloads === null;
      const preview = isShown ? await previewOf(services, { path: text, place, workspaceRef: ref }) : null;
      if (preview !== null && !preview.ok) return preview;
      return ok(sharedFilePage({ name, size: node.size, mime: node.mime }, preview?.value ?? null));
    }
    return fileResponse(services, { ...node, organizationId, name }, headers);
  },
};

/** The password of HTTP Basic authentication; null if absent. */
function passwordOf(authorization: string | undefined): string | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]{1,2000})$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon === -1 || colon === pair.length - 1 ? null : pair.slice(colon + 1);
}
