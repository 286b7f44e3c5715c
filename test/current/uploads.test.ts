/** Uploads in parts over HTTP, and what a sweep may take of them. */
import { beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_UPLOADS, PartialUploads, PERSON_UPLOADS, PARTIAL_UPLOAD_MS } from "../../src/files/partial-uploads.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { serviceOfFile } from "../support/scene.ts";
import { type Founded, startService } from "../support/service.ts";
import { settle } from "../support/fake-clock.ts";
import { digestOf, type SentContent, sendPartOf } from "../support/sent-part.ts";

const MIB = 1024 * 1024;
let owner: Founded;
let client: Client;
let workspace: string;

const FILE_BYTES = 2_000_000;
const BYTES = crypto.getRandomValues(new Uint8Array(60_000));

const service = serviceOfFile({ settings: { fileMib: FILE_BYTES / MIB, workspaceMib: 100_000_000 / MIB } });
beforeEach(async () => {
  owner = await service.found();
  client = new Client(service, owner);
  workspace = await newWorkspace(client);
});

async function newWorkspace(by: Client): Promise<string> {
  const made = await answered<Json>(by.call("POST", "/api/workspaces", { name: "Uploads" }), 201);
  return `/api/workspaces/${made["id"] as string}`;
}

/** Sends the bytes from `first` up to and without `end` of a content. */
const sendPart = (of: Partial<SentContent>, range: readonly [number, number], headers = {}): Promise<Response> =>
  sendPartOf({ url: service.url, workspace, path: "big.bin", token: owner.token, whole: BYTES, ...of }, range, headers);
const NAME = {
  organizationId: "org_1",
  userId: "usr_1",
  workspaceId: "wsp_1",
  path: "f",
  pathKey: "f",
  sha256: "0".repeat(64),
  size: 10,
};
const content = async (path = "big.bin"): Promise<Uint8Array> =>
  (
    await fetch(`${service.url}${workspace}/files/content?path=${path}`, {
      headers: { authorization: `Bearer ${owner.token}` },
    })
  ).bytes();
const changes = async (): Promise<readonly Json[]> => {
  const { events } = await client.get<{ events: Json[] }>("/api/events");
  return events.filter(({ type }) => type === "workspace_file.changed");
};

test("[WSP-13] content is sent in parts, and becomes one change when the last part has arrived", async () => {
  const first = await answered<Json>(sendPart({}, [0, 20_000]), 202);
  expect(first).toEqual({
    workspace_id: workspace.split("/")[3]!,
    path: "big.bin",
    offset: 20_000,
    size: BYTES.length,
    sha256: new Bun.CryptoHasher("sha256").update(BYTES).digest("hex"),
    expires_at: expect.any(String) as unknown,
  });
  await refused(client.call("GET", `${workspace}/files/content?path=big.bin`), 404, "not_found");
  expect(await refused(sendPart({}, [30_000, 40_000]), 409, "upload_offset_mismatch")).toEqual({ offset: 20_000 });
  expect(await answered<Json>(sendPart({}, [0, 0]), 202)).toMatchObject({ offset: 20_000 });
  // Another spelling is the same file.
  expect(await answered<Json>(sendPart({ path: "BIG.bin" }, [20_000, 40_000]), 202)).toMatchObject({ offset: 40_000 });
  const made = await answered<Json>(sendPart({}, [40_000, BYTES.length], { "if-none-match": "*" }), 201);
  expect(made).toMatchObject({ path: "big.bin", change: "created", size: BYTES.length, number: 1 });
  expect(await content()).toEqual(BYTES);
  // An answer that was lost is asked for again.
  expect(await answered<Json>(sendPart({}, [0, 0]))).toMatchObject({ path: "big.bin", number: 1 });
  expect(await changes()).toHaveLength(1);
});

test("[WSP-13] [IDEM-2] a part that is sent again with its key gets its first answer, the last part too", async () => {
  const keyed = async (range: readonly [number, number], key: string) => {
    const answer = await sendPart({}, range, { "idempotency-key": key });
    return [answer.status, answer.headers.get("idempotency-status"), (await answer.json()) as Json] as const;
  };
  for (const [range, key, status, field] of [
    [[0, 20_000], "one", 202, { offset: 20_000 }],
    [[20_000, 40_000], "two", 202, { offset: 40_000 }],
    [[40_000, BYTES.length], "three", 201, { change: "created", number: 1 }],
  ] as const) {
    const first = await keyed(range, key);
    expect(first).toMatchObject([status, "created", field]);
    expect(await keyed(range, key)).toEqual([status, "replayed", first[2]]);
  }
  expect(await keyed([20_000, 40_000], "three")).toMatchObject([409, null, { code: "idempotency_conflict" }]);
  expect(await changes()).toHaveLength(1);
});

test("[WSP-13] [IDEM-1] another part with the same bytes under one key is a conflict, not the answer of the first", async () => {
  const whole = new Uint8Array(30_000).fill(7);
  const keyed = (range: readonly [number, number], key: string) =>
    sendPart({ whole }, range, { "idempotency-key": key });
  expect(await answered<Json>(keyed([0, 10_000], "part"), 202)).toMatchObject({ offset: 10_000 });
  await refused(keyed([10_000, 20_000], "part"), 409, "idempotency_conflict");
  expect(await answered<Json>(keyed([0, 10_000], "part"), 202)).toMatchObject({ offset: 10_000 });
  const { offset } = await answered<{ offset: number }>(sendPart({ whole }, [0, 0]), 202);
  await answered(keyed([offset, 30_000], "rest"), 201);
  expect(await content()).toEqual(whole);
});

test("[WSP-13] [IDEM-3] a part that comes too early is accepted later with the same key", async () => {
  const second = () => sendPart({}, [20_000, BYTES.length], { "idempotency-key": "second" });
  expect(await refused(second(), 409, "upload_offset_mismatch")).toEqual({ offset: 0 });
  await answered(sendPart({}, [0, 20_000]), 202);
  await answered(second(), 201);
});

test("[WSP-13] a part with another total size than the first is refused with both sizes, and a part from byte 0 corrects it", async () => {
  const claim = (range: string) => ({ "content-range": range, "repr-digest": digestOf(BYTES) });
  await answered<Json>(sendPart({}, [0, 20_000], claim("bytes 0-19999/70000")), 202);
  for (const range of [`bytes 20000-29999/${BYTES.length}`, `bytes */${BYTES.length}`]) {
    const end = range.includes("*") ? 20_000 : 30_000;
    const details = await refused(sendPart({}, [20_000, end], claim(range)), 400, "invalid_request");
    expect(details["errors"]).toEqual([
      { path: "/content-range", message: expect.stringMatching(/70000 .* 60000/) as unknown },
    ]);
  }
  expect(await answered<Json>(sendPart({}, [0, 30_000]), 202)).toMatchObject({ offset: 30_000, size: BYTES.length });
  await answered<Json>(sendPart({}, [30_000, BYTES.length]), 201);
  expect(await content()).toEqual(BYTES);
});

test("[WSP-13] a client that was disconnected continues after the last received byte", async () => {
  const cut = Promise.withResolvers<void>();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent > 0) await cut.promise;
      controller.enqueue(BYTES.slice(sent, (sent += 10_000)));
    },
  });
  const leaving = new AbortController();
  const lost = fetch(`${service.url}${workspace}/files/content?path=big.bin`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${owner.token}`,
      "content-range": `bytes 0-${BYTES.length - 1}/${BYTES.length}`,
      "repr-digest": digestOf(BYTES),
    },
    body,
    signal: leaving.signal,
  }).catch((cause: unknown) => cause);
  const uploads = join(service.filesFolder, "uploads", owner.organizationId);
  await until("some bytes have arrived", () =>
    (existsSync(uploads) ? readdirSync(uploads) : []).some((file) => Bun.file(join(uploads, file)).size >= 10_000),
  );
  // The service may not have noticed that the client is gone: who asks ends the former request.
  const { offset } = await answered<{ offset: number }>(sendPart({}, [0, 0]), 202);
  expect(offset).toBe(10_000);
  leaving.abort();
  cut.resolve();
  await lost;
  await answered(sendPart({}, [offset, BYTES.length]), 201);
  expect(await content()).toEqual(BYTES);
});

test("[WSP-9] [WSP-13] the caller's condition is checked when the last part arrives", async () => {
  const old = await answered<Json>(
    fetch(`${service.url}${workspace}/files/content?path=big.bin`, {
      method: "PUT",
      headers: { authorization: `Bearer ${owner.token}` },
      body: "old",
    }),
    201,
  );
  await answered(sendPart({}, [0, 10_000], { "if-none-match": "*" }), 202);
  await refused(sendPart({}, [10_000, BYTES.length], { "if-none-match": "*" }), 409, "path_exists");
  // What was refused for good leaves nothing behind.
  expect(await answered<Json>(sendPart({}, [0, 0]), 202)).toMatchObject({ offset: 0, expires_at: null });
  const seen = { "if-match": old["etag"] as string };
  await answered(sendPart({}, [0, 10_000], seen), 202);
  expect(await answered<Json>(sendPart({}, [10_000, BYTES.length], seen))).toMatchObject({ change: "updated" });
});

test("[WSP-13] content with a wrong digest is refused, in parts and as a whole", async () => {
  const other = BYTES.map((byte) => byte ^ 1);
  await answered(sendPart({}, [0, 10_000]), 202);
  const wrong = new Uint8Array(other.slice(10_000));
  await refused(sendPart({ body: wrong }, [10_000, BYTES.length]), 400, "invalid_request");
  expect(await answered<Json>(sendPart({}, [0, 0]), 202)).toMatchObject({ offset: 0 });
  const at = `${service.url}${workspace}/files/content?path=whole`;
  const headers = { authorization: `Bearer ${owner.token}`, "repr-digest": digestOf(BYTES) };
  await refused(fetch(at, { method: "PUT", headers, body: other }), 400, "invalid_request");
  await answered(fetch(at, { method: "PUT", headers, body: BYTES }), 201);
});

test("[WSP-13] a part declares its range, and has as many bytes as declared", async () => {
  await refused(sendPart({ body: "short" }, [0, 100]), 400, "invalid_request");
  expect(await answered<Json>(sendPart({}, [0, 0]), 202)).toMatchObject({ offset: 5 });
  const more = new Uint8Array(200);
  await refused(sendPart({ path: "more", body: more }, [0, 100]), 400, "invalid_request");
  expect(await answered<Json>(sendPart({ path: "more" }, [0, 0]), 202)).toMatchObject({ offset: 100 });
  for (const range of ["bytes 5-2/10", "bytes 0-10/10", "bytes 0-1/*", "lines 0-1/2", "0-1/2"])
    await refused(sendPart({ body: "x" }, [0, 1], { "content-range": range }), 400, "invalid_request");
  await refused(sendPart({}, [0, 10], { "repr-digest": "sha-512=:AAAA:" }), 400, "invalid_request");
  await refused(sendPart({ body: "x" }, [0, 0]), 400, "invalid_request");
  const huge = { "content-range": `bytes 0-9/${FILE_BYTES + 1}` };
  await refused(sendPart({}, [0, 10], huge), 413, "payload_too_large");
});

test("[WSP-13] content of zero bytes can be uploaded", async () => {
  const whole = new Uint8Array(0);
  expect(await answered<Json>(sendPart({ whole }, [0, 0]), 201)).toMatchObject({ size: 0 });
});

test("[IDEM-1] [WSP-13] parts may carry keys", async () => {
  const key = { "idempotency-key": crypto.randomUUID() };
  const first = await answered<Json>(sendPart({}, [0, 10_000], key), 202);
  expect(first).toMatchObject({ offset: 10_000 });
  await answered(sendPart({}, [0, 0], { "idempotency-key": crypto.randomUUID() }), 202);
  await answered(sendPart({}, [10_000, BYTES.length], { "idempotency-key": crypto.randomUUID() }), 201);
});

interface Unfinished {
  readonly uploads: readonly (Json & { readonly id: string; readonly path: string; readonly created_by: string })[];
}
const unfinished = (by: Client): Promise<Unfinished> => by.get<Unfinished>("/api/unfinished-uploads");

test("[WSP-18] a person can use only a part of an organization's uploads, so that others can upload", async () => {
  const member = await service.join(owner.organizationId);
  for (let i = 0; i < PERSON_UPLOADS; i++)
    await answered(sendPart({ path: `f${i}`, token: member.token }, [0, 10]), 202);
  const answer = await sendPart({ path: "more", token: member.token }, [0, 10]);
  expect(answer.headers.get("retry-after")).toBe("60");
  await refused(answer, 503, "overloaded");
  // One that is there goes on.
  await answered(sendPart({ path: "f3", token: member.token }, [10, 20]), 202);
  await answered(sendPart({ path: "own" }, [0, 10]), 202);
  await answered(sendPart({ path: "f0", token: member.token }, [10, BYTES.length]), 201);
  await answered(sendPart({ path: "more", token: member.token }, [0, 10]), 202);
  owner = await service.found("Other");
  workspace = await newWorkspace(new Client(service, owner));
  await answered(sendPart({}, [0, 10]), 202);
});

test("[WSP-18] the person who began an upload, and owners, list and end it", async () => {
  const [one, two] = [await service.join(owner.organizationId), await service.join(owner.organizationId)];
  await answered(sendPart({ path: "mine", token: one.token }, [0, 10]), 202);
  await answered(sendPart({ path: "theirs" }, [0, 10]), 202);
  const own = await unfinished(new Client(service, one));
  const workspaceId = workspace.split("/")[3]!;
  const expected = { workspace_id: workspaceId, path: "mine", offset: 10, size: BYTES.length, created_by: one.userId };
  expect(own.uploads).toMatchObject([expected]);
  expect(await unfinished(new Client(service, two))).toEqual({ uploads: [] });
  const all = await unfinished(client);
  expect(all.uploads.map(({ path }) => path).toSorted()).toEqual(["mine", "theirs"]);
  const at = (path: string): string =>
    `/api/unfinished-uploads/${all.uploads.find((upload) => upload.path === path)?.id ?? ""}`;
  await refused(new Client(service, two).call("DELETE", at("mine")), 404, "not_found");
  await refused(new Client(service, one).call("DELETE", at("theirs")), 404, "not_found");
  expect(await answered(client.call("DELETE", at("mine")))).toMatchObject(expected);
  await refused(client.call("DELETE", at("mine")), 404, "not_found");
  expect(await answered(sendPart({ path: "mine", token: one.token }, [0, 0]), 202)).toMatchObject({ offset: 0 });
  await answered(client.call("DELETE", at("theirs")));
  expect(readdirSync(join(service.filesFolder, "uploads", owner.organizationId))).toEqual([]);
});

test("[WSP-18] an upload ends when its person is removed", async () => {
  const member = await service.join(owner.organizationId);
  await answered(sendPart({ path: "left", token: member.token }, [0, 10]), 202);
  expect((await unfinished(client)).uploads).toHaveLength(1);
  await answered(client.call("DELETE", `/api/members/${member.userId}`));
  expect(await unfinished(client)).toEqual({ uploads: [] });
  expect(await answered(sendPart({ path: "left" }, [0, 0]), 202)).toMatchObject({ offset: 0 });
});

test("[WSP-18] an organization has a bounded number of uploads, those of an earlier release counting too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-uploads-"));
  const uploads = new PartialUploads(folder, () => 1_000_000);
  await uploads.prepare();
  const begin = (n: number, userId: string) =>
    uploads.take({ ...NAME, userId, pathKey: `f${n}` }, { first: 0, last: 1, body: new Blob(["ab"]).stream() }, () =>
      Promise.reject(new Error("the content is not whole")),
    );
  for (let n = 0; n < MAX_UPLOADS; n++) expect(await begin(n, `usr_${n}`)).toMatchObject({ ok: true });
  const subjects = (): string[] => readdirSync(join(folder, "org_1")).filter((file) => file.endsWith(".json"));
  rmSync(join(folder, "org_1", subjects()[0]!));
  expect(await uploads.unfinished("org_1")).toHaveLength(MAX_UPLOADS);
  expect(await begin(MAX_UPLOADS, "usr_more")).toMatchObject({ ok: false, fault: { kind: "overloaded" } });
  const [oldest] = (await uploads.unfinished("org_1")).filter(({ userId }) => userId === null);
  await uploads.end("org_1", oldest!.id);
  expect(await begin(MAX_UPLOADS, "usr_more")).toMatchObject({ ok: true });
  rmSync(folder, { recursive: true, force: true });
});

test("[WSP-13] an upload continues after a restart of the service", async () => {
  const testDatabase = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), "troupe-uploads-"));
  let other = await startService({ testDatabase, folder });
  try {
    owner = await other.found();
    workspace = `/api/workspaces/${owner.workspaceId}`;
    await answered(sendPart({ url: other.url }, [0, 10_000]), 202);
    await other.stop();
    other = await startService({ testDatabase, folder });
    expect(await answered<Json>(sendPart({ url: other.url }, [0, 0]), 202)).toMatchObject({ offset: 10_000 });
    await answered(sendPart({ url: other.url }, [10_000, BYTES.length]), 201);
  } finally {
    await other.stop();
    await testDatabase.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("[WSP-13] an upload expires after a day, and the sweep removes its remains", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-uploads-"));
  let now = 1_000_000;
  const uploads = new PartialUploads(folder, () => now);
  const name = NAME;
  const part = (first: number) => ({ first, last: first + 1, body: new Blob(["ab"]).stream() });
  const never = (): never => {
    throw new Error("the content is not whole");
  };
  expect(await uploads.take(name, part(0), never)).toMatchObject({ ok: true, value: { offset: 2 } });
  now += PARTIAL_UPLOAD_MS - 1;
  expect(await uploads.take(name, part(2), never)).toMatchObject({ ok: true, value: { offset: 4 } });
  expect(await uploads.sweep(now - PARTIAL_UPLOAD_MS)).toBe(0);
  now += 1;
  expect(await uploads.take(name, null, never)).toMatchObject({ ok: true, value: { offset: 0, expiresAt: null } });
  expect(await uploads.take(name, part(0), never)).toMatchObject({ ok: true, value: { offset: 2 } });
  expect(await uploads.sweep(now)).toBe(0);
  expect(await uploads.sweep(now + 1)).toBe(1);
  expect(await uploads.take(name, null, never)).toMatchObject({ ok: true, value: { offset: 0 } });
  rmSync(folder, { recursive: true, force: true });
});

test("[WSP-13] a newer request ends an older one that has received nothing and whose client sends nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-uploads-"));
  const uploads = new PartialUploads(folder, () => 1_000_000);
  const name = NAME;
  const part = (body: ReadableStream<Uint8Array>) =>
    uploads.take(name, { first: 0, last: 1, body }, () => Promise.reject(new Error("the content is not whole")));
  const silent = part(new ReadableStream());
  const newer = part(new Blob(["ab"]).stream());
  expect(await newer).toMatchObject({ ok: true, value: { offset: 2 } });
  expect(await silent).toMatchObject({ ok: false, fault: { kind: "upload_offset_mismatch" } });
  rmSync(folder, { recursive: true, force: true });
});

test("[WSP-12] uploads during the sweep lose nothing that was acknowledged", async () => {
  let isOver = false;
  let sweeps = 0;
  const swept = Promise.withResolvers<void>();
  // As if every file were of long ago: only what is in the hands of a request is kept.
  const sweeping = (async () => {
    while (!isOver) {
      await service.files.sweep(Date.now() + 10 * PARTIAL_UPLOAD_MS);
      if (++sweeps === 4) swept.resolve();
      await settle();
    }
  })();
  const uploads = Array.from({ length: 40 }, async (_, i) => {
    const bytes = crypto.getRandomValues(new Uint8Array(40_000));
    let at = 0;
    const slow = new ReadableStream<Uint8Array>({
      async pull(controller) {
        // In the middle of each upload the sweep has been through it several times.
        if (at > 0) await swept.promise;
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, (at += 4_000)));
      },
    });
    const path = `f${i}`;
    // A person has eight in parts.
    const inOne = i % 5 !== 0;
    const answer = inOne
      ? fetch(`${service.url}${workspace}/files/content?path=${path}`, {
          method: "PUT",
          headers: { authorization: `Bearer ${owner.token}` },
          body: slow,
        })
      : sendPart({ path, whole: bytes, body: slow }, [0, bytes.length]);
    await answered(answer, 201);
    return { path, bytes };
  });
  const stored = await Promise.all(uploads);
  isOver = true;
  await sweeping;
  for (const { path, bytes } of stored) expect(await content(path)).toEqual(bytes);
});
