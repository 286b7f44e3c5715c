/**
 * Shares on the current surface, and their public side (WSP-2). The token is 32 random bytes; only its digest is
 * stored. Checking a password first uses up one of the share's few attempts, so that guessing threatens neither this
 * process nor the share.
 */
import { type Fault, notFound, ok, refuse } from "../../../actors/fault.ts";
import { isoTime, OneOf, Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { parsePath } from "../../../actors/workspace/path.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { created } from "../../http/commit/commit.ts";
import { FILE_HEADERS } from "../../http/contract/request-headers.ts";
import { prefersPage } from "../../http/document/page.ts";
import { type FaultWords, waitingTime, wordsPage } from "../../http/document/refusal-page.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import { pageIn, pageQuery, pageView } from "../paging.ts";
import { ShareId, WorkspaceId, workspaceParams } from "../path-ids.ts";
import { doneIf } from "../updating.ts";
import { fileResponse, isUnsent } from "./file-response.ts";
import { FILE_BYTES, NewShareView, ShareBody, ShareList, ShareView, shareView } from "./file-schema.ts";
import { previewOf } from "./preview.ts";
import { sharedFilePage } from "./shared-file-page.ts";

export const shareOperations = {
  shareFile: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/files/share",
      scope: "workspaces:write",
      summary: "Create a public file share",
      description: "The URL serves the file that is at the path at the time of the download.",
      params: workspaceParams,
      body: ShareBody,
      answers: { 201: NewShareView },
      errors: ["invalid_path"],
      emits: "resource.created",
      hasOneTimeSecret: true,
    },
    async ({ clock, appUrl, passwords }, change, { params: { id }, body }) => {
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
        eventData: shareView(made),
      }));
    },
  ),

  listShares: operation(
    {
      method: "GET",
      path: "/api/workspaces/{id}/shares",
      scope: "workspaces:read",
      summary: "List the shares of a workspace",
      params: workspaceParams,
      query: pageQuery("shares"),
      answers: { 200: ShareList },
    },
    async ({ system, files, readCommitted }, { principal }, { params: { id }, query }) => {
      const { organizationId } = principal;
      const workspace = await system.dispatch(workspaceRef(organizationId, id), { kind: "read_workspace" });
      if (!workspace.ok) return workspace;
      const page = pageIn(query, id);
      if (!page.ok) return page;
      const shares = await readCommitted(organizationId, () =>
        files.pageShares({ organizationId, workspaceId: id }, page.value),
      );
      return shares.ok ? ok(pageView("shares", shares.value, shareView, id)) : shares;
    },
  ),

  revokeShare: operation(
    {
      method: "DELETE",
      path: "/api/workspaces/{id}/shares/{share_id}",
      scope: "workspaces:write",
      summary: "Revoke a share",
      params: { id: WorkspaceId, share_id: ShareId },
      answers: { 200: ShareView },
      emits: "resource.deleted",
    },
    (_, change, { params: { id, share_id: shareId } }) => {
      const { organizationId } = change.principal;
      return change.commit(
        [ask(workspaceRef(organizationId, id), { kind: "revoke_share", shareId })],
        ({ share, isUnchanged }) => doneIf(!isUnchanged, shareView(share)),
      );
    },
  ),
};

/** The public side of shares: no token, but a password if the share has one. */
export const openShareOperations = {
  openShare: operation(
    {
      method: "GET",
      path: "/share/{token}",
      scope: null,
      summary: "Download a shared file",
      description:
        "Send the password of a share by HTTP Basic authentication, with any user name. Each response with content counts as a download; HEAD, 304 and 416 do not count. Browsers (`Accept: text/html`) get a page with a preview and a download link, and errors as pages; the page does not count as a download, and has no preview if `max_downloads` is set.",
      params: { token: Type.String({ description: "Last part of the share's URL", maxLength: 64 }) },
      query: { download: OneOf(["1"] as const, { description: "`1` sends browsers the file instead of the page" }) },
      headers: { ...FILE_HEADERS, accept: Type.String(), authorization: Type.String() },
      answers: { 200: FILE_BYTES, 206: FILE_BYTES, 304: null },
      errors: ["not_found", "share_expired", "unauthenticated"],
      refusalPage: sharePage,
    },
    async (services, { wantsHeadOnly = false }, { params: { token }, query, headers }) => {
      const { files, system, log } = services;
      if (!SHARE_TOKEN.test(token)) return notFound("share");
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
  ),
};

const TOKEN_BYTES = 32;

const SHARE_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Makes browsers ask for the password. */
const NEEDS_PASSWORD = refuse({
  kind: "unauthenticated",
  reason: "no password of the share",
  challenge: 'Basic realm="share", charset="UTF-8"',
});

const hashOf = (token: string): string => new Bun.CryptoHasher("sha256").update(token).digest("hex");

/** The password of HTTP Basic authentication; null if absent. */
function passwordOf(authorization: string | undefined): string | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]{1,2000})$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon === -1 || colon === pair.length - 1 ? null : pair.slice(colon + 1);
}

const NOTHING_SHARED: FaultWords = {
  title: "Nothing is shared here",
  text: "The link is incomplete, or the file was deleted. Check the link, or ask the person who sent it to you.",
};

function shareFaultWords(fault: Fault): FaultWords {
  switch (fault.kind) {
    case "unauthenticated":
      return {
        title: "This file needs a password",
        text: "The password is missing or wrong. Reload the page to enter it; the user name can be anything. The person who sent you the link knows the password.",
      };
    case "share_expired":
      return {
        title: "This link no longer works",
        text: "It has expired, was withdrawn, or the file was downloaded as often as allowed. Ask the person who sent it to you for a new one.",
      };
    case "rate_limited":
      return { title: "Too many attempts", text: `Reload the page in ${waitingTime(fault.retryAfterMs)}.` };
    case "not_found":
    case "invalid_request":
      return NOTHING_SHARED;
    default:
      return { title: "The file cannot be downloaded now", text: "Reload the page in a minute." };
  }
}

/** The page for a person who opens the URL of a share in a browser and does not get the file. */
function sharePage(fault: Fault): string {
  return wordsPage(shareFaultWords(fault));
}
