/** Files that are uploaded for messages (FILE-1 to FILE-4). */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { UPLOAD_BYTES, UNUSED_UPLOAD_MS } from "../../actors/upload/terms.ts";
import type { BlobKey } from "../../actors/workspace/ports.ts";
import { PostgresBlobClaims } from "../../db/stores/blob-claims.ts";
import { sweepOnce } from "../../db/sweeps.ts";
import { workspaceSweeps } from "../../db/workspace-sweeps.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";
import { type Caller, startService } from "../support/service.ts";
import { PNG, uploaded, type Uploaded } from "../support/uploads.ts";
import { digestOf } from "../support/workspace-files.ts";

const DAY_MS = 86_400_000;

const { service, owner, client } = sceneOfTest();

type Bytes = string | Uint8Array<ArrayBuffer>;
const send = (name: string, body: Bytes, headers: Readonly<Record<string, string>> = {}, by: Caller = owner) =>
  fetch(`${service.url}/api/files?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.token}`, ...headers },
    body,
  });
const list = async (of = client): Promise<readonly Uploaded[]> =>
  (await of.get<{ files: Uploaded[] }>("/api/files")).files;

test("[FILE-1] an uploaded file is described, listed and downloaded byte for byte", async () => {
  const file = await answered<Uploaded>(send("a pixel.png", PNG), 201);
  expect(file).toMatchObject({
    name: "a pixel.png",
    media_type: "image/png",
    size: PNG.length,
    sha256: new Bun.CryptoHasher("sha256").update(PNG).digest("hex"),
    created_by: owner.userId,
    allowed_actions: ["delete"],
  });
  expect(file.id).toStartWith("upl_");
  expect(await client.get<Uploaded>(`/api/files/${file.id}`)).toEqual(file);
  expect(await list()).toEqual([file]);
  const headers = { authorization: `Bearer ${owner.token}` };
  const content = await fetch(`${service.url}/api/files/${file.id}/content`, { headers });
  expect(content.headers.get("content-type")).toBe("image/png");
  expect(content.headers.get("content-security-policy")).toContain("sandbox");
  expect(await content.bytes()).toEqual(PNG);
});

test("[FILE-2] the first bytes determine a file's type, not its name or its sender", async () => {
  const typeOf = async (name: string, body: Bytes, declared: string) =>
    (await answered<Uploaded>(send(name, body, { "content-type": declared }), 201)).media_type;
  expect(await typeOf("a.txt", PNG, "text/plain")).toBe("image/png");
  expect(await typeOf("b.png", "%PDF-1.7\n…", "image/png")).toBe("application/pdf");
  expect(await typeOf("c.jpg", new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1]), "")).toBe("image/jpeg");
  expect(await typeOf("d", "GIF89a…", "")).toBe("image/gif");
  expect(await typeOf("e", "RIFF\x10\0\0\0WEBPVP8 ", "")).toBe("image/webp");
  expect(await typeOf("f.csv", "a,b\n1,2\n", "")).toBe("text/csv");
  expect(await typeOf("g.png", "no picture", "image/png")).toBe("text/plain");
  expect(await typeOf("h.md", `${"é".repeat(40_000)}`, "text/markdown; charset=utf-8")).toBe("text/markdown");
  for (const body of [new Uint8Array([0, 1, 2, 3]), new Uint8Array([0x50, 0x4b, 3, 4, 0xff]), "a\0b"])
    expect(await refused(send("x.png", body, { "content-type": "image/png" }), 400, "invalid_request")).toEqual({
      errors: [{ path: "/body", message: expect.stringContaining("they take PNG") as string }],
    });
});

test("[FILE-2] a file that is empty, too long, without a name or with a wrong digest is refused", async () => {
  await refused(send("empty", ""), 400, "invalid_request");
  await refused(send("", PNG), 400, "invalid_request");
  for (const blank of [" \t", "\uFEFF", "\u2003"])
    expect(await refused(send(blank, PNG), 400, "invalid_request")).toEqual({
      errors: [{ path: "/name", message: "name must not be blank" }],
    });
  await refused(send("n".repeat(256), PNG), 400, "invalid_request");
  const wrong = { "repr-digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:" };
  await refused(send("a.png", PNG, wrong), 400, "invalid_request");
  expect(await refused(send("big.txt", new Uint8Array(UPLOAD_BYTES + 1)), 413, "payload_too_large")).toEqual({
    limit_bytes: UPLOAD_BYTES,
  });
  expect(await list()).toEqual([]);
  await refused(send("a.bin", new Uint8Array([0, 1])), 400, "invalid_request");
  // Nothing of it is on the disk, not even until the next sweep.
  const { organizationId } = owner;
  for (const body of ["", PNG, new Uint8Array([0, 1])]) {
    const sha256 = new Bun.CryptoHasher("sha256").update(body).digest("hex");
    expect(await service.files.blobs.size({ organizationId, sha256 })).toBeNull();
  }
  expect(readdirSync(join(service.filesFolder, "staging"))).toEqual([]);
});

test("[FILE-2] [QUOTA-1] a file over the organization's quota is refused before it is stored", async () => {
  const small = await startService({ settings: { quotas: ["file_bytes=10"] } });
  try {
    const by = await small.found();
    const hands = new Client(small, by);
    const post = (body: string) => hands.upload("/api/files?name=a.txt", body);
    await answered(post("12345678"), 201);
    await refused(post("123"), 429, "quota_exceeded");
    const { organizationId } = by;
    expect(await small.files.blobs.size({ organizationId, sha256: digestOf("123") })).toBeNull();
    expect(await small.files.blobs.size({ organizationId, sha256: digestOf("12345678") })).toBe(8);
  } finally {
    await small.stop();
  }
});

test("[FILE-1] the same key uploads once", async () => {
  const key = { "idempotency-key": crypto.randomUUID() };
  const first = await answered<Uploaded>(send("a.png", PNG, key), 201);
  expect(await answered<Uploaded>(send("a.png", PNG, key), 201)).toEqual(first);
  expect(await list()).toHaveLength(1);
});

test("[FILE-3] only its sender finds a file, and each use needs its scope", async () => {
  const file = await uploaded(client, "a.png", PNG);
  const colleague = new Client(service, await service.join(owner.organizationId));
  const stranger = new Client(service, await service.found());
  for (const other of [colleague, stranger]) {
    expect(await list(other)).toEqual([]);
    for (const path of [`/api/files/${file.id}`, `/api/files/${file.id}/content`])
      await refused(other.call("GET", path), 404, "not_found");
    await refused(other.call("DELETE", `/api/files/${file.id}`), 404, "not_found");
  }
  const reader = new Client(service, await service.tokenFor(owner, { scopes: ["chats:read"] }));
  expect(await list(reader)).toMatchObject([{ id: file.id, allowed_actions: [] }]);
  await refused(reader.call("DELETE", `/api/files/${file.id}`), 403, "insufficient_scope");
  const elsewhere = new Client(service, await service.tokenFor(owner, { scopes: ["workspaces:write"] }));
  await refused(elsewhere.call("GET", "/api/files"), 403, "insufficient_scope");
});

test("[FILE-4] a deleted file is gone", async () => {
  const file = await uploaded(client, "a.png", PNG);
  await answered<Json>(client.call("DELETE", `/api/files/${file.id}`));
  await refused(client.call("GET", `/api/files/${file.id}`), 404, "not_found");
  await refused(client.call("DELETE", `/api/files/${file.id}`), 404, "not_found");
  expect(await list()).toEqual([]);
});

/** Sweeps as if so much time had passed; the digests of the contents that it removes. */
async function sweep(afterMs: number): Promise<readonly string[]> {
  const removed: string[] = [];
  const blobs = {
    async remove({ organizationId, sha256 }: BlobKey) {
      if (organizationId === owner.organizationId) removed.push(sha256);
    },
  };
  for (const one of workspaceSweeps(blobs)) {
    let isDone = false;
    while (!isDone) ({ isDone } = await sweepOnce(service.database, one, { now: Date.now() + afterMs, limit: 10 }));
  }
  return removed;
}

test("[FILE-4] an unused file is removed with its content after its time, and not before", async () => {
  const { id, sha256, expires_at: expiresAt } = await uploaded(client, "a.txt", "kept for a time");
  expect(sha256).toBe(digestOf("kept for a time"));
  expect(Date.parse(expiresAt ?? "") - Date.now()).toBeWithin(UNUSED_UPLOAD_MS - DAY_MS, UNUSED_UPLOAD_MS + DAY_MS);
  // Deleted at once, its content goes when its claim is old.
  const gone = await uploaded(client, "b.txt", "deleted");
  await answered(client.call("DELETE", `/api/files/${gone.id}`));
  const claims = new PostgresBlobClaims(service.database);
  expect(await sweep(2 * DAY_MS)).toEqual([gone.sha256]);
  await client.get(`/api/files/${id}`);
  expect(await sweep(UNUSED_UPLOAD_MS + DAY_MS)).toEqual([sha256]);
  expect(await claims.stands({ organizationId: owner.organizationId, sha256 })).toBe(false);
});

test("[FILE-4] [QUOTA-1] uploads count as bytes of files until they are deleted", async () => {
  const used = async (): Promise<number> => {
    const { quotas } = await client.get<{ quotas: Json[] }>("/api/usage");
    return quotas.find(({ quota }) => quota === "file_bytes")?.["used"] as number;
  };
  const file = await uploaded(client, "a.txt", "12345");
  await uploaded(client, "again.txt", "12345");
  await uploaded(client, "b.txt", "1234567");
  expect([12, 17]).toContain(await used());
  expect(file.size).toBe(5);
});

test("[FILE-4] the unused files of a removed person are deleted an hour later; files in messages, and those of others, stay", async () => {
  const person = await service.join(owner.organizationId);
  const member = new Client(service, person);
  const own = await uploaded(client, "own.txt", "the owner's");
  const unused = [await uploaded(member, "a.txt", "unused"), await uploaded(member, "b.txt", "unused, too")];
  const used = await uploaded(member, "c.txt", "sent");
  const ada = await answered<{ id: string }>(
    member.call("POST", "/api/agents", { name: "Ada", system_prompt: "x" }),
    201,
  );
  const chat = await member.chat(ada.id, owner.workspaceId);
  const content = [{ type: "file", source: { kind: "upload", file_id: used.id } }];
  await answered(member.call("POST", `/api/chats/${chat}/messages`, { content }), 202);
  await answered(client.call("DELETE", `/api/members/${person.userId}`));
  const HOUR_MS = 3_600_000;
  expect(await sweep(HOUR_MS / 2)).toEqual([]);
  expect((await sweep(HOUR_MS + 60_000)).toSorted()).toEqual(unused.map(({ sha256 }) => sha256).toSorted());
  expect(await list()).toEqual([own]);
});
