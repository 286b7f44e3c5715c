/** Files through both SDKs and the real service: as bytes, and as streams of any size. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { StreamCutError, Troupe } from "../../sdk/typescript/troupe.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { hasPython, python } from "../support/python.ts";
import { sceneOfFile } from "../support/scene.ts";

const PIECE = 256 * 1024;
const PIECES = 96;

let proxy: FaultyProxy;
let troupe: Troupe;

const { service, owner } = sceneOfFile();
beforeAll(async () => {
  proxy = await FaultyProxy.open(service.url);
  troupe = new Troupe({ baseUrl: service.url, token: owner.token });
});
afterAll(() => proxy.stop());

const pieceAt = (i: number): Uint8Array => new Uint8Array(PIECE).fill(i);
const digestOf = (...pieces: readonly Uint8Array[]): string => {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
};
const LARGE = digestOf(...Array.from({ length: PIECES }, (_, i) => pieceAt(i)));

test("[DOC-3] TypeScript: bytes, text and a blob are uploaded, and read back", async () => {
  const text = new TextEncoder().encode("Hello, files.");
  const file = await troupe.writeFile(owner.workspaceId, text, { path: "notes/hello.txt" });
  expect(file).toMatchObject({ path: "notes/hello.txt", size: text.length });
  expect(await troupe.readFile(owner.workspaceId, { path: "notes/hello.txt" })).toEqual(text);
  await troupe.writeFile(owner.workspaceId, "naïve – 日本", { path: "text.md" });
  expect(new TextDecoder().decode(await troupe.readFile(owner.workspaceId, { path: "text.md" }))).toBe("naïve – 日本");
  const blob = new Blob(["# Title"], { type: "text/markdown" });
  expect(await troupe.writeFile(owner.workspaceId, blob, { path: "title.md" })).toMatchObject({
    mime: expect.stringContaining("text/markdown"),
  });
});

test("[DOC-3] TypeScript: a stream goes up and comes down in pieces, without being held as a whole", async () => {
  let sent = 0;
  const upload = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent < PIECES) controller.enqueue(pieceAt(sent++));
      else controller.close();
    },
  });
  const file = await troupe.writeFile(owner.workspaceId, upload, { path: "large.bin" });
  expect(file).toMatchObject({ size: PIECE * PIECES });
  const hash = createHash("sha256");
  let pieces = 0;
  let longest = 0;
  for await (const piece of troupe.readFileStream(owner.workspaceId, { path: "large.bin" })) {
    hash.update(piece);
    pieces++;
    longest = Math.max(longest, piece.byteLength);
  }
  expect(hash.digest("hex")).toBe(LARGE);
  expect(pieces).toBeGreaterThan(8);
  expect(longest).toBeLessThan((PIECE * PIECES) / 8);
});

test("[DOC-3] TypeScript: a stream is sent once, and a download that is cut says so", async () => {
  const through = new Troupe({ baseUrl: proxy.url, token: owner.token });
  proxy.reset({ kind: "answer", status: 503, body: {}, headers: { "retry-after": "0" } });
  const once = through.writeFile(owner.workspaceId, new Blob(["x"]).stream(), { path: "once.txt" });
  await expect(once).rejects.toMatchObject({ status: 503 });
  // A blob can be sent again.
  proxy.reset({ kind: "answer", status: 503, body: {}, headers: { "retry-after": "0" } });
  expect(await through.writeFile(owner.workspaceId, new Blob(["x"]), { path: "twice.txt" })).toMatchObject({ size: 1 });
  await troupe.writeFile(owner.workspaceId, new Uint8Array(4 * PIECE), { path: "cut.bin" });
  proxy.reset({ kind: "close", after: PIECE });
  const read = async (): Promise<void> => {
    for await (const _ of through.readFileStream(owner.workspaceId, { path: "cut.bin" })) void _;
  };
  await expect(read()).rejects.toBeInstanceOf(StreamCutError);
});

test("[DOC-3] TypeScript: a caller that stops reading ends the download", async () => {
  for await (const piece of troupe.readFileStream(owner.workspaceId, { path: "large.bin" })) {
    expect(piece.byteLength).toBeGreaterThan(0);
    break;
  }
  expect(await troupe.readFile(owner.workspaceId, { path: "notes/hello.txt" })).toHaveLength(13);
});

test("[DOC-3] TypeScript: the rows of a query come as a record, or as bytes in another format", async () => {
  const query = "SELECT 1 AS a, 'x' AS b";
  expect((await troupe.queryData(owner.workspaceId, { query })).rows).toEqual([[1, "x"]]);
  const csv = await troupe.queryDataBytes(owner.workspaceId, { query, format: "csv" });
  expect(new TextDecoder().decode(csv).trim().split(/\r?\n/)).toEqual(["a,b", "1,x"]);
});

test.skipIf(!hasPython)("[DOC-3] Python: bytes, a file and pieces go up, and come down in pieces", async () => {
  const program = `
import hashlib, json, os, tempfile
from troupe import Troupe

client = Troupe(os.environ["TROUPE_URL"], os.environ["TROUPE_TOKEN"])
workspace = os.environ["TROUPE_WORKSPACE"]
small = client.write_file(workspace, b"Hello from Python.", path="python.txt")
back = client.read_file(workspace, path="python.txt")

def pieces():
    for number in range(${PIECES}):
        yield bytes([number]) * ${PIECE}

large = client.write_file(workspace, pieces(), path="python-pieces.bin")
with tempfile.TemporaryFile() as file:
    for piece in pieces():
        file.write(piece)
    file.seek(0)
    copied = client.write_file(workspace, file, path="python-file.bin")
digests = []
longest = 0
for path in ("python-pieces.bin", "python-file.bin"):
    digest = hashlib.sha256()
    for piece in client.read_file_stream(workspace, path=path):
        digest.update(piece)
        longest = max(longest, len(piece))
    digests.append(digest.hexdigest())
rows = client.query_data_bytes(workspace, {"query": "SELECT 1 AS a", "format": "csv"}).decode().split()
print(json.dumps([small["size"], back.decode(), large["size"], copied["size"], rows, digests, longest]))
`;
  const env = { TROUPE_URL: service.url, TROUPE_TOKEN: owner.token, TROUPE_WORKSPACE: owner.workspaceId };
  const [small, back, large, copied, rows, digests, longest] = JSON.parse(await python(program, { env })) as unknown[];
  expect([small, back, large, copied, rows, digests]).toEqual([
    18,
    "Hello from Python.",
    PIECE * PIECES,
    PIECE * PIECES,
    ["a", "1"],
    [LARGE, LARGE],
  ]);
  expect(longest).toBeLessThanOrEqual(PIECE);
});

test.skipIf(!hasPython)(
  "[DOC-3] Python: text goes up as UTF-8, again after a failure, and a text file is refused",
  async () => {
    proxy.reset({ kind: "answer", status: 503, body: {}, headers: { "retry-after": "0" } });
    const program = `
import json, os, tempfile
from troupe import Troupe, TroupeError

client = Troupe(os.environ["TROUPE_URL"], os.environ["TROUPE_TOKEN"])
workspace = os.environ["TROUPE_WORKSPACE"]
client.write_file(workspace, "naïve – 日本", path="text.md")
back = client.read_file(workspace, path="text.md").decode()
with tempfile.TemporaryFile("w+") as file:
    try:
        client.write_file(workspace, file, path="file.md")
    except TroupeError as error:
        refusal = str(error)
print(json.dumps([back, refusal]))
`;
    const env = { TROUPE_URL: proxy.url, TROUPE_TOKEN: owner.token, TROUPE_WORKSPACE: owner.workspaceId };
    expect(JSON.parse(await python(program, { env }))).toEqual([
      "naïve – 日本",
      'Open the file in binary mode: open(path, "rb")',
    ]);
  },
);
