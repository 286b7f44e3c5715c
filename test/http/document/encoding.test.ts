import { expect, test } from "bun:test";
import { compressText, encodingFor } from "../../../src/http/document/encoding.ts";
import { sceneOfFile } from "../../support/scene.ts";
import { createAgent } from "../../support/v1.ts";

const { service, owner } = sceneOfFile();

const get = (path: string, encoding: string) =>
  fetch(service.url + path, {
    headers: { "accept-encoding": encoding, authorization: `Bearer ${owner.token}` },
    decompress: false,
  });
const decoded = async (response: Response): Promise<string> => {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const encoding = response.headers.get("content-encoding");
  const plain =
    encoding === "zstd" ? Bun.zstdDecompressSync(bytes) : encoding === "gzip" ? Bun.gunzipSync(bytes) : bytes;
  return new TextDecoder().decode(plain);
};

test.each([
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip", "gzip"],
  ["*", "zstd"],
  ["zstd;q=0.1, gzip", "gzip"],
  ["gzip;q=0", null],
  ["gzip;q=0, *", "zstd"],
  ["identity, gzip;q=0.1", null],
  ["br", null],
  ["", null],
  ["garbage;;;", null],
] as const)("[GEN-14] %p chooses %p", (header, encoding) => expect(encodingFor(header)).toBe(encoding));

test("[GEN-14] no header chooses no coding", () => expect(encodingFor(null)).toBeNull());

test("[GEN-14] documents and long JSON are compressed as the client accepts it, and say so to caches", async () => {
  const big = await createAgent(service, owner, { systemPrompt: "Be brief. ".repeat(500) });
  for (const path of ["/api/openapi.json", "/api/sdk/python", `/api/agents/${big}`, `/api/v1/agents/${big}`]) {
    const plain = await get(path, "identity");
    const text = await decoded(plain);
    expect([path, plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([
      path,
      null,
      "accept-encoding",
    ]);
    for (const encoding of ["gzip", "zstd"]) {
      const answer = await get(path, encoding);
      expect([path, answer.headers.get("content-encoding")]).toEqual([path, encoding]);
      expect(answer.headers.get("vary")).toBe("accept-encoding");
      expect(await decoded(answer)).toBe(text);
    }
  }
});

test("[GEN-14] a compressed document has a weak tag, which is known when it returns", async () => {
  const tag = (await get("/api/openapi.json", "gzip")).headers.get("etag") ?? "";
  expect(tag).toStartWith('W/"');
  const again = await fetch(`${service.url}/api/openapi.json`, { headers: { "if-none-match": tag } });
  expect([again.status, again.headers.get("vary")]).toEqual([304, "accept-encoding"]);
});

test("[GEN-14] short answers and event streams are not compressed", async () => {
  for (const path of ["/api/version", "/api/models"]) {
    const answer = await get(path, "gzip, zstd");
    const text = await decoded(answer);
    expect([path, text.length > 1_024, answer.headers.get("content-encoding")]).toEqual([path, false, null]);
  }
  const agent = await createAgent(service, owner);
  const chat = await service.call(owner, "POST", "/api/chats", { agent_id: agent, workspace_id: owner.workspaceId });
  const { id } = (await chat.json()) as { id: string };
  const stream = await get(`/api/chats/${id}/events?wait=end`, "gzip, zstd");
  expect([stream.headers.get("content-encoding"), stream.headers.get("vary")]).toEqual([null, null]);
  expect(await stream.text()).toStartWith(": connected\n");
});

test.each(["gzip", "zstd"] as const)(
  "[GEN-14] bodies too long to be compressed at once arrive completely: %s",
  async (encoding) => {
    const text = "many words ".repeat(50_000);
    expect(
      await decoded(new Response(compressText(text, encoding), { headers: { "content-encoding": encoding } })),
    ).toBe(text);
  },
);

test("[DOC-7] the bytes of a document are created once for each coding, and shared by all answers", async () => {
  const scalarPath = /\/api\/reference\/scalar-[0-9a-f]+\.js/.exec(await (await get("/api/reference", "")).text())?.[0];
  for (const path of ["/api/openapi.json", scalarPath ?? ""])
    for (const encoding of ["identity", "gzip"]) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => get(path, encoding)));
      const [first, ...others] = await Promise.all(answers.map((answer) => answer.bytes()));
      expect(first!.length).toBeGreaterThan(100_000);
      for (const bytes of others) expect(Buffer.compare(bytes, first!)).toBe(0);
      const coding = encoding === "identity" ? null : encoding;
      expect(answers.map(({ headers }) => headers.get("content-encoding"))).toEqual([coding, coding, coding, coding]);
    }
});
