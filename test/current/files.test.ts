/** Files of a workspace over HTTP: bytes in and out, lists, versions, moves. */
import { beforeEach, expect, test } from "bun:test";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serviceSweeps } from "../../src/service/sweeper.ts";
import { until } from "../support/condition.ts";
import { HeldRequest } from "../support/held-request.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";

const MIB = 1024 * 1024;
let workspace: string;

const FILE_BYTES = 200_000;

const { service, owner, client } = sceneOfFile({
  settings: { fileMib: FILE_BYTES / MIB, workspaceMib: 1_000_000 / MIB },
});
beforeEach(async () => {
  const made = await answered<Json>(client.call("POST", "/api/workspaces", { name: "Files" }), 201);
  workspace = `/api/workspaces/${made["id"] as string}`;
});

interface Upload {
  readonly headers?: Readonly<Record<string, string>>;
  readonly by?: Caller;
  readonly method?: string;
}

type Bytes = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;

/** A request with bytes and headers of its own. */
const send = (path: string, body: Bytes, { headers = {}, by = owner, method = "PUT" }: Upload = {}) =>
  fetch(`${service.url}${path}`, { method, headers: { authorization: `Bearer ${by.token}`, ...headers }, body });
const at = (path: string): string => `${workspace}/files/content?path=${encodeURIComponent(path)}`;
const put = async (path: string, body: Bytes, options: Upload = {}, status = 201): Promise<Json> =>
  answered<Json>(send(at(path), body, options), status);
const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  send(at(path), null, { method: "GET", headers });
const paths = ({ files }: { readonly files?: unknown }): readonly string[] =>
  (files as { readonly path: string }[]).map(({ path }) => path);

test("[WSP-2] an uploaded file is downloaded byte for byte, with headers that prevent scripts", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(150_000));
  const file = await put("pictures/{b}é.html", bytes, { headers: { "content-type": "text/html; charset=utf-8" } });
  expect(file).toMatchObject({
    path: "pictures/{b}é.html",
    change: "created",
    kind: "file",
    size: 150_000,
    mime: "text/html",
    number: 1,
    modified_by: { type: "user", id: owner.userId },
  });
  const answer = await get("pictures/{b}é.html");
  expect(await answer.bytes()).toEqual(bytes);
  expect(answer.headers.get("etag")).toBe(file["etag"] as string);
  expect(answer.headers.get("content-type")).toBe("text/html");
  expect(answer.headers.get("content-security-policy")).toContain("sandbox");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.headers.get("content-disposition")).toBe(
    "attachment; filename=\"{b}_.html\"; filename*=UTF-8''%7Bb%7D%C3%A9.html",
  );
  expect(answer.headers.get("x-request-id")).not.toBeNull();
});

test("[WSP-2] without a given type the name determines it", async () => {
  expect((await put("a.csv", "a,b"))["mime"]).toBe("text/csv");
  expect((await put("b", "x"))["mime"]).toBe("application/octet-stream");
});

test("[WSP-9] a write and a download can be conditional on the caller's version", async () => {
  const { etag } = (await put("f.txt", "one")) as { etag: string };
  expect((await get("f.txt", { "if-none-match": etag })).status).toBe(304);
  await refused(send(at("f.txt"), "two", { headers: { "if-none-match": "*" } }), 409, "path_exists");
  const both = send(at("f.txt"), "two", { headers: { "if-none-match": "*", "if-match": etag } });
  expect(await refused(both, 400, "invalid_request")).toMatchObject({ errors: [{ path: "/if-none-match" }] });
  await put("f.txt", "two", { headers: { "if-match": etag } }, 200);
  expect(await refused(send(at("f.txt"), "three", { headers: { "if-match": etag } }), 409, "version_conflict")).toEqual(
    {
      version: 2,
    },
  );
  const gone = send(at("f.txt"), null, { method: "DELETE", headers: { "if-match": etag } });
  await refused(gone, 409, "version_conflict");
  expect(await (await get("f.txt", { "if-none-match": etag })).text()).toBe("two");
});

test("[WSP-2] a range of a file is answered as requested", async () => {
  const { etag } = (await put("f.txt", "0123456789")) as { etag: string };
  for (const [range, part, where] of [
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=8-100", "89", "bytes 8-9/10"],
    ["bytes=0-0", "0", "bytes 0-0/10"],
  ]) {
    const answer = await get("f.txt", { range: range! });
    expect([range, answer.status, await answer.text(), answer.headers.get("content-range")]).toEqual([
      range,
      206,
      part,
      where,
    ]);
  }
  for (const range of ["bytes=10-", "bytes=-0"])
    expect(await refused(get("f.txt", { range }), 416, "range_not_satisfiable")).toEqual({ bytes: 10 });
  for (const range of ["bytes=5-2", "bytes=1-2,4-5", "lines=1-2"]) {
    const answer = await get("f.txt", { range });
    expect([range, answer.status, await answer.text()]).toEqual([range, 200, "0123456789"]);
  }
  expect((await get("f.txt", { range: "bytes=1-2", "if-range": etag })).status).toBe(206);
  expect((await get("f.txt", { range: "bytes=1-2", "if-range": '"other"' })).status).toBe(200);
});

test("[WSP-3] [WSP-11] a search and a pattern find a name in any Unicode composition", async () => {
  await put("caf\u00e9.md", "x");
  for (const name of ["caf\u00e9", "cafe\u0301"].map(encodeURIComponent)) {
    expect(paths(await client.get<Json>(`${workspace}/files/search?q=${name}`))).toEqual(["caf\u00e9.md"]);
    expect(paths(await client.get<Json>(`${workspace}/files?glob=${name}*`))).toEqual(["caf\u00e9.md"]);
  }
});

test("[WSP-3] [WSP-8] no move creates a path that cannot be addressed", async () => {
  const way = (letter: string, names: number): string => Array.from({ length: names }, () => letter).join("/");
  const move = (from: string, to: string) => client.call("POST", `${workspace}/files/move`, { from, to });
  await put(`a/${way("a", 11)}/f.txt`, "deep");
  await put(`b/${way("b", 11)}/f.txt`, "deep");
  const fault = await refused(move("a", `b/${way("b", 11)}/a`), 400, "invalid_path");
  expect(fault).toMatchObject({ errors: [{ path: "/to", message: expect.stringContaining(`${way("a", 11)}/f.txt`) }] });
  // One name less, and all of it is there.
  await answered(move("a", `b/${way("b", 10)}/a`));
  expect(await (await get(`b/${way("b", 10)}/a/${way("a", 11)}/f.txt`)).text()).toBe("deep");
  await put(`c/${"c".repeat(200)}/f.txt`, "long");
  await refused(move("c", ["d", "e", "f", "g"].map((name) => name.repeat(225)).join("/")), 400, "invalid_path");
  await answered(move("c", "d".repeat(225)));
});

test("[WSP-2] [GEN-12] HEAD describes the whole file, whatever range it names", async () => {
  await put("f.txt", "0123456789");
  for (const range of ["bytes=2-4", "bytes=10-"]) {
    const head = await send(at("f.txt"), null, { method: "HEAD", headers: { range } });
    expect([head.status, head.headers.get("content-length"), head.headers.get("content-range")]).toEqual([
      200,
      "10",
      null,
    ]);
  }
});

test("[GEN-12] the last bytes of an empty file are the whole of it", async () => {
  await put("empty.txt", "");
  const answer = await get("empty.txt", { range: "bytes=-3" });
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
  for (const range of ["bytes=0-", "bytes=-0"])
    expect(await refused(get("empty.txt", { range }), 416, "range_not_satisfiable")).toEqual({ bytes: 0 });
});

test("[WSP-9] a write has only one condition, because two contradict each other", async () => {
  const { etag } = (await put("f.txt", "one")) as { etag: string };
  const both = { headers: { "if-match": etag, "if-none-match": "*" } };
  const { errors } = (await refused(send(at("f.txt"), "two", both), 400, "invalid_request")) as { errors: Json[] };
  expect(errors).toEqual([{ path: "/if-none-match", message: expect.stringContaining("If-Match") }]);
  expect(await (await get("f.txt")).text()).toBe("one");
});

test("[FAIR-5] an upload that is refused before its body is read counts no longer", async () => {
  const elsewhere = "/api/workspaces/wsp_aaaaaaaaaaaaaaaaaaaaa/files/content?path=f.txt";
  const both = { headers: { "if-match": "*", "if-none-match": "*" } };
  await refused(send(at("../f.txt"), "text"), 400, "invalid_path");
  await refused(send(elsewhere, "text"), 404, "not_found");
  await refused(send(at("f.txt"), "text", both), 400, "invalid_request");
  await refused(
    send(at("f.txt"), "text", { headers: { "idempotency-key": "\u00e9" } }),
    400,
    "invalid_idempotency_key",
  );
  expect(service.app.bodies.usage).toEqual({ count: 0, bytes: 0 });
});

test("[WSP-12] an upload whose client disconnects is discarded, and is not logged as a failure of the service", async () => {
  const before = service.log.length;
  const authorization = `Bearer ${owner.token}`;
  const request = new HeldRequest(`${service.url}${at("left.txt")}`, {
    method: "PUT",
    headers: { authorization, "content-length": "100", "idempotency-key": "left" },
    body: "abc",
  });
  await until("some of it has arrived", () => service.app.bodies.usage.count > 0);
  request.leave();
  const isAnswer = ({ message, fields }: (typeof service.log)[number]) =>
    message === "request" && fields["method"] === "PUT";
  await until("it is answered", () => service.log.slice(before).some(isAnswer));
  const lines = service.log.slice(before);
  expect(lines.find(isAnswer)?.fields["status"]).toBe(400);
  expect(lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  // Under its key it can be sent again.
  await put("left.txt", "all of it", { headers: { "idempotency-key": "left" } });
});

test("[WSP-6] a file at the limit is accepted; one more byte is refused, with a declared length or without", async () => {
  await put("fits", new Uint8Array(FILE_BYTES));
  const more = new Uint8Array(FILE_BYTES + 1);
  await refused(send(at("more"), more), 413, "payload_too_large");
  const chunked = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(more);
      controller.close();
    },
  });
  await refused(send(at("more"), chunked), 413, "payload_too_large");
  expect(paths(await client.get<Json>(`${workspace}/files`))).toEqual(["fits"]);
});

test("[WSP-3] a bad path is refused by every operation", async () => {
  await put("f", "x");
  const bad = "../etc/passwd";
  await refused(send(at(bad), "x"), 400, "invalid_path");
  await refused(get(bad), 400, "invalid_path");
  await refused(send(at(bad), null, { method: "DELETE" }), 400, "invalid_path");
  await refused(client.call("GET", `${workspace}/files?path=${bad}`), 400, "invalid_path");
  await refused(client.call("GET", `${workspace}/files/versions?path=${bad}`), 400, "invalid_path");
  await refused(client.call("POST", `${workspace}/files/directory`, { path: bad }), 400, "invalid_path");
  await refused(client.call("POST", `${workspace}/files/preview`, { path: bad }), 400, "invalid_path");
  await refused(client.call("POST", `${workspace}/files/share`, { path: bad }), 400, "invalid_path");
  const details = await refused(
    client.call("POST", `${workspace}/files/move`, { from: "f", to: "a\u0001" }),
    400,
    "invalid_path",
  );
  expect(details).toEqual({
    errors: [{ path: "/to", message: expect.stringContaining("control character") as unknown }],
  });
  await refused(client.call("GET", `${workspace}/files/content`), 400, "invalid_request");
});

test("[WSP-11] lists have pages and patterns", async () => {
  for (let i = 0; i < 5; i++) await put(`docs/${i}.md`, `${i}`);
  await put("docs/image.png", "x");
  expect(paths(await client.get<Json>(`${workspace}/files`))).toEqual(["docs"]);
  const glob = encodeURIComponent("**/*.md");
  const first = await client.get<Json>(`${workspace}/files?recursive=true&glob=${glob}&limit=3`);
  expect(paths(first)).toEqual(["docs/0.md", "docs/1.md", "docs/2.md"]);
  const cursor = first["next_cursor"] as string;
  const second = await client.get<Json>(`${workspace}/files?recursive=true&glob=${glob}&limit=3&cursor=${cursor}`);
  expect(paths(second)).toEqual(["docs/3.md", "docs/4.md"]);
  expect(second["next_cursor"]).toBeUndefined();
  const withNul = Buffer.from(JSON.stringify(["files", "a\0b"])).toString("base64url");
  for (const wrong of ["x", withNul])
    await refused(client.call("GET", `${workspace}/files?cursor=${wrong}`), 400, "invalid_cursor");
  await refused(client.call("GET", `${workspace}/files?path=docs/0.md`), 400, "invalid_request");
  await refused(client.call("GET", `${workspace}/files?path=nowhere`), 404, "not_found");
});

test("[WSP-11] a search over HTTP finds names and words", async () => {
  await put("plan.md", "We sail at dawn.");
  await put("sail.txt", "-");
  const { files } = await client.get<{ files: Json[] }>(`${workspace}/files/search?q=sail`);
  expect(files.map((file) => [file["path"], file["excerpt"] === null])).toEqual([
    ["sail.txt", true],
    ["plan.md", false],
  ]);
  await refused(client.call("GET", `${workspace}/files/search`), 400, "invalid_request");
});

test("[WSP-10] a version that was overwritten or deleted is listed and read back", async () => {
  await put("f.txt", "one");
  await put("f.txt", "two", {}, 200);
  await answered(send(at("f.txt"), null, { method: "DELETE" }));
  await refused(get("f.txt"), 404, "not_found");
  const { versions } = await client.get<{ versions: Json[] }>(`${workspace}/files/versions?path=f.txt`);
  expect(versions.map(({ number, kept_until: until }) => [number, typeof until])).toEqual([
    [2, "string"],
    [1, "string"],
  ]);
  expect(await (await send(`${at("f.txt")}&number=1`, null, { method: "GET" })).text()).toBe("one");
  await refused(send(`${at("f.txt")}&number=3`, null, { method: "GET" }), 404, "not_found");
});

test("[WSP-2] directories are created and moved, and a preview shows the beginning of a text", async () => {
  const made = await answered<Json>(client.call("POST", `${workspace}/files/directory`, { path: "a/b" }), 201);
  expect(made).toEqual({ path: "a/b", created: true });
  const again = await answered<Json>(client.call("POST", `${workspace}/files/directory`, { path: "A/B" }), 200);
  expect(again).toEqual({ path: "a/b", created: false });
  await put("a/b/f.md", "# Title");
  const moved = await answered<Json>(client.call("POST", `${workspace}/files/move`, { from: "a", to: "c" }));
  expect(moved).toMatchObject({ path: "c", kind: "directory", change: "moved", size: 7 });
  const preview = await answered<Json>(client.call("POST", `${workspace}/files/preview`, { path: "c/b/f.md" }));
  expect(preview).toMatchObject({ kind: "markdown", content: "# Title", truncated: false, size: 7 });
  await put("c/long.txt", "é".repeat(50_000));
  const long = await answered<Json>(client.call("POST", `${workspace}/files/preview`, { path: "c/long.txt" }));
  expect([long["truncated"], (long["content"] as string).length]).toEqual([true, 32_768]);
  await put("c/fake.txt", new Uint8Array([0xff, 0xfe, 0]));
  expect(await answered<Json>(client.call("POST", `${workspace}/files/preview`, { path: "c/fake.txt" }))).toMatchObject(
    {
      kind: "binary",
    },
  );
});

test("[WSP-2] [WSP-6] another organization sees none of it, and a token without the scope may not write", async () => {
  await put("f", "x");
  const stranger = await service.found("Stranger");
  await refused(send(at("f"), null, { method: "GET", by: stranger }), 404, "not_found");
  await refused(send(at("f"), "y", { by: stranger }), 404, "not_found");
  const reader = await service.tokenFor(owner, { scopes: ["workspaces:read"] });
  expect((await send(at("f"), null, { method: "GET", by: reader })).status).toBe(200);
  await refused(send(at("f"), "y", { by: reader }), 403, "insufficient_scope");
});

test("[IDEM-1] [WSP-9] an upload that is repeated with its key is done once, and another body is refused", async () => {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const first = await put("f", "one", { headers });
  await put("f", "between", {}, 200);
  expect(await put("f", "one", { headers })).toEqual(first);
  expect(await (await get("f")).text()).toBe("between");
  await refused(send(at("f"), "other", { headers }), 409, "idempotency_conflict");
});

test("[WSP-6] nothing is received for a workspace that does not exist", async () => {
  await refused(send("/api/workspaces/wsp_none/files/content?path=f", "x"), 404, "not_found");
});

test("[WSP-3] nothing is created with a name that Windows cannot store", async () => {
  await put("from.txt", "text");
  for (const bad of ["a:b", "a?b", "a|b", "dir<x/file", 'say "hi".md', "what*"]) {
    const path = bad;
    await refused(send(at(bad), "x"), 400, "invalid_path");
    await refused(client.call("POST", `${workspace}/files/directory`, { path }), 400, "invalid_path");
    await refused(client.call("POST", `${workspace}/files/move`, { from: "from.txt", to: bad }), 400, "invalid_path");
    await refused(get(bad), 404, "not_found");
  }
  expect(paths(await client.get<Json>(`${workspace}/files`))).toEqual(["from.txt"]);
});

test("[WSP-12] the sweep removes orphaned files on the disk", async () => {
  const left = join(service.filesFolder, "staging", "left");
  writeFileSync(left, "x");
  utimesSync(left, 1_000, 1_000);
  const sweeps = serviceSweeps({ database: service.database, files: service.files }, { eventDays: 30 });
  for (const { take } of sweeps) await take({ now: Date.now(), limit: 100 });
  expect(existsSync(left)).toBe(false);
});
