/** Bodies that are no JSON, on operations of this test's own: read whole, or streamed to the handler. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { ok, refuse } from "../../../actors/fault.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { Type } from "../../../actors/schema.ts";
import { ask, type TroupeSystem } from "../../../actors/troupe.ts";
import { binary, streamedBody } from "../../../src/http/contract/body-schema.ts";
import { operationGroup, operationsOver } from "../../../src/http/contract/operation.ts";
import { created } from "../../../src/http/commit/commit.ts";
import { operationRoutes } from "../../../src/http/request/routes.ts";
import { refused } from "../../support/current.ts";
import { sceneOfFile } from "../../support/scene.ts";
import { testSurface } from "../../support/surface.ts";

const KIB = 1024;
const Upload = Type.Object({ id: Type.String(), bytes: Type.Integer(), sha256: Type.String() });

const operation = operationsOver<TroupeSystem>();
const group = operationGroup("Test", "Operations of this test", {
  weigh: operation(
    {
      method: "POST",
      path: "/api/test/weigh",
      scope: "tasks:read",
      isRead: true,
      summary: "Weigh",
      body: binary(KIB, ["application/octet-stream", "image/png"]),
      answers: { 200: Type.Object({ bytes: Type.Integer(), type: Type.String(), sha256: Type.String() }) },
    },
    (_, _caller, { body: { bytes, contentType: type, sha256 } }) => ok({ bytes: bytes.length, type, sha256 }),
  ),
  upload: operation(
    {
      method: "PUT",
      path: "/api/test/uploads/{name}",
      scope: "tasks:write",
      summary: "Upload",
      params: { name: Type.String() },
      body: streamedBody(64 * KIB),
      answers: { 201: Upload },
    },
    async (_, change, { params: { name }, body }) => {
      if (name === "refused") return refuse({ kind: "not_found", noun: "task" });
      let bytes = 0;
      for await (const chunk of body.stream) bytes += chunk.length;
      reads++;
      const { organizationId, userId } = change.principal;
      const input = { title: name, description: null, priority: "low", assignedTo: null, workspaceId: null } as const;
      const command = { kind: "create_task", createdBy: userId, input } as const;
      return change.commit([ask(organizationRef(organizationId), command)], ({ id }) =>
        created({ id, bytes, sha256: body.sha256 }),
      );
    },
  ),
});

/** How often the stream of an upload was read to its end. */
let reads = 0;

let url: string;
let close: () => Promise<void>;

const { service, owner } = sceneOfFile();
beforeAll(async () => {
  const app = new Elysia().use(operationRoutes(testSurface(service), [group], service.system));
  app.listen({ port: 0, hostname: "127.0.0.1" });
  url = `http://127.0.0.1:${app.server?.port}`;
  close = async () => void (await app.stop(true));
});
afterAll(() => close());

const bytesOf = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(length).fill(7);
const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const send = (
  method: string,
  path: string,
  body: RequestInit["body"],
  headers: Readonly<Record<string, string>> = {},
) => fetch(`${url}${path}`, { method, body, headers: { authorization: `Bearer ${owner.token}`, ...headers } });
/** A body without a length. */
const chunked = (bytes: Uint8Array): ReadableStream => new Blob([new Uint8Array(bytes)]).stream();
const OCTETS = { "content-type": "application/octet-stream" };

test("[GEN-10] a binary body is received completely, with its type and its digest", async () => {
  const answer = await send("POST", "/api/test/weigh", bytesOf(KIB), OCTETS);
  expect(await answer.json()).toEqual({
    bytes: KIB,
    type: "application/octet-stream",
    sha256: sha256(bytesOf(KIB)),
  });
});

test("[GEN-10] one byte past the limit is 413, with a length and without one", async () => {
  for (const body of [bytesOf(KIB + 1), chunked(bytesOf(KIB + 1))])
    expect(await refused(send("POST", "/api/test/weigh", body, OCTETS), 413, "payload_too_large")).toEqual({
      limit_bytes: KIB,
    });
  const large = bytesOf(64 * KIB + 1);
  for (const body of [large, chunked(large)])
    await refused(send("PUT", "/api/test/uploads/large", body), 413, "payload_too_large");
});

test("[GEN-10] another content type, or a coding, is 415", async () => {
  const sent = [{ "content-type": "text/plain" }, { ...OCTETS, "content-encoding": "gzip" }];
  for (const headers of sent)
    await refused(send("POST", "/api/test/weigh", bytesOf(1), headers), 415, "unsupported_media_type");
});

test("[GEN-10] [IDEM-1] a streamed request is executed once with its key, and its bytes are part of the fingerprint", async () => {
  const key = { "idempotency-key": "upload" };
  const body = bytesOf(48 * KIB);
  const first = await send("PUT", "/api/test/uploads/a", chunked(body), key);
  expect([first.status, first.headers.get("idempotency-status")]).toEqual([201, "created"]);
  const text = await first.text();
  expect(JSON.parse(text)).toMatchObject({ bytes: 48 * KIB, sha256: sha256(body) });
  const again = await send("PUT", "/api/test/uploads/a", chunked(body), key);
  expect([again.status, again.headers.get("idempotency-status"), await again.text()]).toEqual([201, "replayed", text]);
  const other = bytesOf(48 * KIB);
  other[40 * KIB] = 8;
  await refused(send("PUT", "/api/test/uploads/a", chunked(other), key), 409, "idempotency_conflict");
  expect(reads).toBeGreaterThanOrEqual(3);
});

test("[GEN-10] [IDEM-3] a refusal before the end of the stream is not kept under its key", async () => {
  const key = { "idempotency-key": "refused" };
  const answer = await send("PUT", "/api/test/uploads/refused", chunked(bytesOf(KIB)), key);
  expect([answer.status, answer.headers.get("idempotency-status")]).toEqual([404, null]);
});
