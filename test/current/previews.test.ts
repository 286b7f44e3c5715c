/** What previews show of files, made by parsers in real children of the sandbox (WSP-2). */
import { beforeAll, describe, expect, test } from "bun:test";
import sharp from "sharp";
import { answered, type Json } from "../support/current.ts";
import { pdfOf } from "../support/pdf.ts";
import { sceneOfFile } from "../support/scene.ts";

let workspace: string;

const { owner, client } = sceneOfFile();
beforeAll(() => void (workspace = `/api/workspaces/${owner.workspaceId}`));

async function preview(path: string, body: string | Uint8Array): Promise<Json> {
  const bytes = typeof body === "string" ? body : Uint8Array.from(body);
  const put = await client.putFile(owner.workspaceId, path, bytes);
  if (!put.ok) throw new Error(await put.text());
  return answered<Json>(client.call("POST", `${workspace}/files/preview`, { path }));
}

/** The bytes of a `data:` address. */
const bytesOf = (image: unknown): Buffer => {
  const { url } = image as { url: string };
  expect(url).toStartWith("data:image/webp;base64,");
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
};

describe("texts", () => {
  test("[WSP-2] Markdown is rendered, with code that is highlighted", async () => {
    const text = "# Title\n\n- [x] *done*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```\n";
    const shown = await preview("a.md", text);
    expect(shown).toMatchObject({ kind: "markdown", content: text, truncated: false });
    const html = String(shown["html"]);
    for (const part of [
      "<h1>Title</h1>",
      "<em>done</em>",
      "<table>",
      '<code class="language-ts"><span class="hljs-keyword">const</span>',
    ])
      expect(html).toContain(part);
  });

  test("[WSP-2] nothing in Markdown runs, loads or submits anything", async () => {
    const html = String((await preview("evil.md", EVIL.join("\n\n")))["html"]);
    expect(html).toContain("still here");
    expect(html).not.toMatch(
      /<(?!\/?(?:h\d|p|br|hr|ul|ol|li|blockquote|pre|code|span|em|strong|del|a|table|thead|tbody|tr|th|td|input)\b)/i,
    );
    expect(html).not.toMatch(/<[^>]*\s(?:on\w+|style|src|srcset|id|action|formaction|xlink:href)\s*=/i);
    expect(html).not.toMatch(/<[^>]*(?:javascript|data|vbscript|file):/i);
    expect(html).not.toMatch(/<input(?![^>]*type="checkbox")/);
    for (const [link] of html.matchAll(/<a [^>]*href[^>]*>/g)) expect(link).toContain("noopener");
  });

  test("[WSP-2] code is highlighted by its file name, and other text is unchanged", async () => {
    const code = await preview("a.py", "def f(x):\n    return '<b>' + x  # <script>\n");
    expect(code["kind"]).toBe("text");
    expect(code["html"]).toContain('<span class="hljs-keyword">def</span>');
    expect(code["html"]).not.toContain("<script>");
    expect(code["html"]).not.toContain("<b>");
    expect(await preview("a.txt", "plain <b>")).toEqual({
      path: "a.txt",
      kind: "text",
      mime: "text/plain",
      size: 9,
      etag: expect.any(String),
      content: "plain <b>",
      truncated: false,
    });
  });

  test("[WSP-2] a text that a parser cannot handle is shown without HTML, in time", async () => {
    for (const text of ["[".repeat(60_000), "*_".repeat(30_000)])
      expect(await preview("bomb.md", text)).toMatchObject({ kind: "markdown", content: text });
  });
});

describe("pictures", () => {
  test("[WSP-2] an image is scaled down, without its metadata", async () => {
    const image = sharp({ create: { width: 3_000, height: 1_500, channels: 3, background: "teal" } });
    const jpeg = await image
      .withExif({ IFD0: { Copyright: "somebody" } })
      .jpeg()
      .toBuffer();
    const shown = await preview("photo.jpg", jpeg);
    expect(shown).toMatchObject({ kind: "image", mime: "image/jpeg", truncated: false });
    expect(shown["url"]).toContain("/files/content?path=photo.jpg");
    expect(shown["image"]).toMatchObject({ width: 1_024, height: 512 });
    const made = bytesOf(shown["image"]);
    expect(await sharp(made).metadata()).toMatchObject({ format: "webp", width: 1_024, height: 512 });
    expect((await sharp(made).metadata()).exif).toBeUndefined();
    expect(made.includes("somebody")).toBe(false);
  });

  test("[WSP-2] a small image keeps its size, and a broken one has no picture", async () => {
    const png = await sharp({ create: { width: 3, height: 5, channels: 4, background: "red" } })
      .png()
      .toBuffer();
    expect(await preview("dot.png", png)).toMatchObject({ image: { width: 3, height: 5 } });
    const broken = await preview("broken.png", "not a picture");
    expect(broken).toMatchObject({ kind: "image" });
    expect(broken).not.toHaveProperty("image");
  });

  test("[WSP-2] an image that claims to be enormous costs nothing", async () => {
    const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    // Width and height of the first chunk, which has a checksum.
    png.writeUInt32BE(60_000, 16);
    png.writeUInt32BE(60_000, 20);
    png.writeUInt32BE(Bun.hash.crc32(png.subarray(12, 29)), 29);
    expect(await preview("bomb.png", png)).not.toHaveProperty("image");
    expect(await preview("after.md", "# fine")).toMatchObject({ html: "<h1>fine</h1>\n" });
  });
});

describe("PDF", () => {
  test("[WSP-2] a document is shown as its text and its first page", async () => {
    const shown = await preview("a.pdf", pdfOf(["Hello from page one", "And page two"]));
    expect(shown).toMatchObject({
      kind: "pdf",
      pages: 2,
      content: "Hello from page one\n\nAnd page two",
      truncated: false,
    });
    const { width, height } = shown["image"] as { width: number; height: number };
    expect(height).toBe(1_024);
    expect(width).toBeGreaterThan(700);
    const { data, info } = await sharp(bytesOf(shown["image"])).greyscale().raw().toBuffer({ resolveWithObject: true });
    expect(info.width).toBe(width);
    // White paper, and something dark on it.
    expect([data[0], data.some((grey) => grey < 100)]).toEqual([255, true]);
  });

  test("[WSP-2] a broken file has only its address", async () => {
    for (const [path, body] of [
      ["broken.pdf", "%PDF-1.4 and nothing more"],
      ["empty.pdf", ""],
    ] as const) {
      const shown = await preview(path, body);
      expect(shown).toMatchObject({ kind: "pdf", url: expect.any(String) });
      expect(shown).not.toHaveProperty("image");
    }
  });
});

describe("tables", () => {
  test("[WSP-2] CSV, JSON and Parquet show their first rows", async () => {
    const csv = `id,name\n${Array.from({ length: 150 }, (_, i) => `${i},n${i}`).join("\n")}\n`;
    const shown = await preview("t.csv", csv);
    expect(shown).toMatchObject({ kind: "table", content: csv, truncated: false });
    const { columns, rows, truncated } = shown["table"] as { columns: Json[]; rows: unknown[][]; truncated: boolean };
    expect(columns).toEqual([
      { name: "id", type: "BIGINT" },
      { name: "name", type: "VARCHAR" },
    ]);
    expect([rows.length, rows[99], truncated]).toEqual([100, [99, "n99"], true]);
    expect(await preview("t.tsv", "a\tb\n1\t2\n")).toMatchObject({ table: { rows: [[1, 2]] } });
    expect(await preview("t.json", '[{"a":1},{"a":2}]')).toMatchObject({ kind: "table", table: { rows: [[1], [2]] } });
    expect(await preview("t.jsonl", '{"a":[1]}\n{"a":[2]}\n')).toMatchObject({
      kind: "table",
      table: { rows: [[[1]], [[2]]] },
    });
    expect(await preview("one.json", '{"a":1}')).toMatchObject({ kind: "text", content: '{"a":1}' });
    const parquet = Buffer.from(PARQUET, "base64");
    expect(await preview("t.parquet", parquet)).toMatchObject({ kind: "table", table: { rows: [[7, "seven"]] } });
  });

  test("[WSP-2] an unreadable table is shown as text, or reported as not displayable", async () => {
    const broken = await preview("broken.json", '[{"a":1},{"a":');
    expect(broken).toMatchObject({ kind: "text", content: '[{"a":1},{"a":' });
    expect(await preview("broken.parquet", new Uint8Array([0x50, 0x41, 0x52, 0x31, 0xff]))).toMatchObject({
      kind: "binary",
    });
  });
});

const EVIL = [
  "still here",
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "![tracker](https://evil.test/x.png)",
  "[click](javascript:alert(1))",
  "[click](JaVaScRiPt&colon;alert(1))",
  "[click](data:text/html,<script>alert(1)</script>)",
  "[click](vbscript:x)",
  "[fine](https://fine.test)",
  "<a href='java\nscript:alert(1)'>x</a>",
  "<svg><script>alert(1)</script></svg>",
  "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
  "<iframe src=https://evil.test></iframe>",
  "<form action=https://evil.test><input type=text name=q><button>go</button></form>",
  "<p style='position:fixed' onclick=alert(1) id=x>styled</p>",
  "<object data=x></object><embed src=x><link rel=stylesheet href=x><meta http-equiv=refresh content='0;url=//x'>",
  "<base href='https://evil.test/'>",
  "<details open ontoggle=alert(1)>x</details>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
  "<table background='https://evil.test/x.png'><tr><td>x</td></tr></table>",
  '```html"><script>alert(1)</script>\n<script>alert(1)</script>\n```',
];

/** `SELECT 7 AS n, 'seven' AS word`, as DuckDB writes it. */
const PARQUET =
  "UEFSMRUAFRQVGCwVAhUAFQYVBgAACiQCAAAAAgEHAAAAFQAVHhUiLBUCFQAVBhUGAAAPOAIAAAACAQUAAABzZXZlbhUCGTw1ABgNZHVja2RiX3NjaGVtYRUEABUCJQIYAW4lIgAVDCUCGAR3b3JkJQAAFgIZHBksJgAcFQIZFQAZGAFuFQIWAhY2FjomCDwYBAcAAAAYBAcAAAAWACgEBwAAABgEBwAAABERAAAAJgAcFQwZFQAZGAR3b3JkFQIWAhZAFkQmQjwYBXNldmVuGAVzZXZlbhYAKAVzZXZlbhgFc2V2ZW4REQAAABZ2FgImCBZ+ACgoRHVja0RCIHZlcnNpb24gdjEuNS41IChidWlsZCBkOGNkYWEzM2ZkKRksHAAAHAAAAOQAAABQQVIx";
