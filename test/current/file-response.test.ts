/** Files as answers: whole, in part, and not at all. */
import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type Json, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";

const TEXT = "0123456789abcdefghij";
const ETAG = `"${new Bun.CryptoHasher("sha256").update(TEXT).digest("hex")}"`;

let url: string;

const { service, owner } = sceneOfFile();
beforeAll(async () => {
  const headers = { authorization: `Bearer ${owner.token}` };
  const sent = await fetch(`${service.url}/api/files?name=a.txt`, { method: "POST", headers, body: TEXT });
  expect(sent.status).toBe(201);
  url = `${service.url}/api/files/${((await sent.json()) as Json)["id"] as string}/content`;
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
    "content-type": "text/plain",
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
    [ETAG, '"v0"', `W/${ETAG}`].map(async (tag) => (await get({ range: "bytes=0-3", "if-range": tag })).status),
  );
  expect(parts).toEqual([206, 200, 200]);
});

test("[GEN-12] a caller who has the file gets 304, also for a range", async () => {
  for (const tag of [ETAG, `W/${ETAG}`, `"v0", ${ETAG}`, "*"]) {
    const answer = await get({ "if-none-match": tag, range: "bytes=0-3" });
    expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", ETAG]);
  }
});

test("[GEN-12] any range that is served lies within the file and begins where it was requested", async () => {
  const number = fc.option(fc.nat({ max: 40 }));
  await fc.assert(
    fc.asyncProperty(number, number, async (from, to) => {
      const answer = await get({ range: `bytes=${from ?? ""}-${to ?? ""}` });
      const text = await answer.text();
      if (answer.status !== 206) return;
      const [, first = NaN, last = NaN] =
        /^bytes (\d+)-(\d+)\/20$/.exec(answer.headers.get("content-range")!)?.map(Number) ?? [];
      expect(text).toBe(TEXT.slice(first, last + 1));
      expect(text).not.toBe("");
      if (from !== null) expect(first).toBe(from);
    }),
  );
});
