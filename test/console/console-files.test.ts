/** What the service serves under `/app`, without a browser. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole, writeConsole } from "../../src/public/console-files.ts";
import { serviceOfFile } from "../support/scene.ts";

const service = serviceOfFile({ settings: { appUrl: "https://example.com/troupe" } });

const FIRST_PAGE_BYTES = 60_000;
const ALL_BYTES = 200_000;

test("[CON-7] the first page has at most 60 KB, all pages 200 KB, and a page is loaded when it is opened", async () => {
  const { files, program, needed, style } = await buildConsole();
  const size = (names: readonly string[]): number =>
    files.reduce((sum, { name, bytes }) => sum + (names.includes(name) ? Bun.gzipSync(bytes).length : 0), 0);
  const first = [program, style, ...needed];
  expect(size(first)).toBeWithin(10_000, FIRST_PAGE_BYTES);
  expect(size(files.map(({ name }) => name))).toBeLessThanOrEqual(ALL_BYTES);
  expect(files.length).toBeGreaterThan(first.length);
});

test("[CON-1] [CON-7] every path serves the page, below the path of the service, and its files are cached for ever", async () => {
  const shown = await Promise.all(
    ["/app", "/app/chats/cht_1", "/app/nothing"].map((path) => fetch(service.url + path)),
  );
  const texts = await Promise.all(shown.map((answer) => answer.text()));
  expect(new Set(texts).size).toBe(1);
  const [page] = shown;
  expect(page?.headers.get("cache-control")).toBe("no-cache");
  expect(page?.headers.get("content-security-policy")).toContain("script-src 'self';");
  const addresses = [...(texts[0] ?? "").matchAll(/(?:src|href)="(\/troupe\/app\/files\/[^"]+)"/g)].map(
    ([, path]) => path ?? "",
  );
  expect(addresses.length).toBe(2 + (await buildConsole()).needed.length);
  for (const address of addresses) {
    const file = await fetch(service.url + address.replace("/troupe", ""), { headers: { "accept-encoding": "gzip" } });
    expect([file.status, file.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    expect((await file.text()).length).toBeGreaterThan(1_000);
  }
  // A page of a former release is gone: that answer is not for ever.
  const gone = await fetch(`${service.url}/app/files/chunk-nothing.js`);
  expect([gone.status, gone.headers.get("cache-control")]).toEqual([404, "no-store"]);
});

test("[CON-1] a release has the built files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-console-"));
  try {
    await writeConsole(folder);
    const index = (await Bun.file(join(folder, "index.json")).json()) as { program: string; style: string };
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([index.program, index.style]));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
