/** Files as answers, on an operation of this test's own: whole, in part, and not at all. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import fc from "fast-check";
import { Type } from "../../../actors/schema.ts";
import { type ByteRange, fileAnswer, type FileSource, rangeOf } from "../../../src/http/document/file-answer.ts";
import { media, operationGroup, operationsOver } from "../../../src/http/contract/operation.ts";
import { FILE_HEADERS } from "../../../src/http/contract/request-headers.ts";
import { operationRoutes } from "../../../src/http/request/routes.ts";
import { refused } from "../../support/current.ts";
import { type Founded, type Service, startService } from "../../support/service.ts";
import { testSurface } from "../../support/surface.ts";

const TEXT = "0123456789abcdefghij";
const ETAG = '"v1"';

const file: FileSource = {
  bytes: TEXT.length,
  tag: "v1",
  contentType: "text/plain; charset=utf-8",
  open: (range) => new Blob([range === null ? TEXT : TEXT.slice(range.first, range.last + 1)]).stream(),
};

const operation = operationsOver<FileSource>();
const group = operationGroup("Test", "Operations of this test", {
  download: operation(
    {
      method: "GET",
      path: "/api/test/file",
      scope: "tasks:read",
      summary: "Download",
      headers: FILE_HEADERS,
      answers: { 200: media({ "text/plain": Type.String() }), 206: media({ "text/plain": Type.String() }), 304: null },
    },
    (source, _, { headers }) => fileAnswer(source, headers, { "cache-control": "private, no-cache" }),
  ),
});

let service: Service;
let owner: Founded;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  service = await startService();
  owner = await service.found();
  const app = new Elysia().use(operationRoutes(testSurface(service), [group], file));
  app.listen({ port: 0, hostname: "127.0.0.1" });
  url = `http://127.0.0.1:${app.server?.port}/api/test/file`;
  close = async () => void (await app.stop(true));
});
afterAll(async () => {
  await close();
  await service.stop();
});

const get = (headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  fetch(url, { method, headers: { authorization: `Bearer ${owner.token}`, ...headers } });

test("[GEN-12] without a range the whole file is sent, with its tag and its length", async () => {
  const answer = await get();
  expect([answer.status, await answer.text()]).toEqual([200, TEXT]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    etag: ETAG,
    "accept-ranges": "bytes",
    "content-length": "20",
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "private, no-cache",
    "x-request-id": expect.stringMatching(/^req_/) as string,
  });
});

test.each([
  ["bytes=0-3", "0123", "bytes 0-3/20"],
  ["bytes=16-", "ghij", "bytes 16-19/20"],
  ["bytes=-2", "ij", "bytes 18-19/20"],
  ["bytes=-99", TEXT, "bytes 0-19/20"],
  ["bytes=18-99", "ij", "bytes 18-19/20"],
])("[GEN-12] %s is 206 with these bytes", async (range, text, contentRange) => {
  const answer = await get({ range });
  expect([answer.status, await answer.text(), answer.headers.get("content-range")]).toEqual([206, text, contentRange]);
  expect(answer.headers.get("content-length")).toBe(String(text.length));
});

test.each(["bytes=20-", "bytes=99-100", "bytes=-0"])("[GEN-12] %s is 416 with the size", async (range) => {
  const answer = await get({ range });
  expect(answer.headers.get("content-range")).toBe("bytes */20");
  expect(await refused(answer, 416, "range_not_satisfiable")).toEqual({ bytes: 20 });
});

test.each(["bytes=5-2", "bytes=0-1,4-5", "lines=1-2", "bytes=a-b", "bytes=-", "bytes"])(
  "[GEN-12] %s is ignored: the whole file is sent",
  async (range) => {
    const answer = await get({ range });
    expect([answer.status, await answer.text()]).toEqual([200, TEXT]);
  },
);

test("[GEN-12] a part is sent only if the caller has the other part of the same file", async () => {
  const parts = await Promise.all(
    [ETAG, '"v0"', 'W/"v1"'].map(async (tag) => (await get({ range: "bytes=0-3", "if-range": tag })).status),
  );
  expect(parts).toEqual([206, 200, 200]);
});

test("[GEN-12] a caller who has the file gets 304, also for a range", async () => {
  for (const tag of [ETAG, 'W/"v1"', '"v0", "v1"', "*"]) {
    const answer = await get({ "if-none-match": tag, range: "bytes=0-3" });
    expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", ETAG]);
  }
});

test("[GEN-12] any range that is served lies within the file and begins where it was requested", () => {
  const number = fc.nat({ max: 40 });
  fc.assert(
    fc.property(fc.option(number), fc.option(number), fc.integer({ min: 0, max: 30 }), (from, to, bytes) => {
      const range = rangeOf(`bytes=${from ?? ""}-${to ?? ""}`, bytes);
      if (range === null || range === "unsatisfiable") return;
      const { first, last }: ByteRange = range;
      expect(first).toBeLessThanOrEqual(last);
      expect(last).toBeLessThan(bytes);
      if (from !== null) expect(first).toBe(from);
    }),
  );
});
