/** The SDKs are what their generator makes of the contract, and what the service serves. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contractOf, type OpenApi } from "../../sdk/generator/contract.ts";
import { FILES, generated } from "../../sdk/generator/files.ts";
import { methodsOf } from "../../sdk/generator/methods.ts";
import { snakeCase } from "../../sdk/generator/python.ts";
import { Troupe } from "../../sdk/typescript/troupe.ts";
import document from "../../docs/openapi.json" with { type: "json" };
import { answered } from "../support/current.ts";
import { serviceOfFile } from "../support/scene.ts";

const ROOT = new URL("../../", import.meta.url);
const committed = (path: string): Promise<string> => Bun.file(new URL(path, ROOT)).text();
const METHODS = methodsOf(contractOf(document as unknown as OpenApi));

/** Reads what a union of events, a table and a new secret have, without asking for more than the types say. */
const PROGRAM = `
import { type DataColumn, type FilePreview, LiveText, Troupe } from "${ROOT.pathname}sdk/typescript/troupe.ts";

const troupe = new Troupe({ baseUrl: "http://127.0.0.1:3000" });
const live = new LiveText();
export async function lastCursor(chatId: string, jobId: string): Promise<string | undefined> {
  let cursor: string | undefined;
  for await (const event of troupe.streamChatEvents(chatId)) {
    cursor = event.id ?? cursor;
    if (event.event === "message.delta") cursor = event.id satisfies string;
    const text: string | undefined = live.apply(event);
    if (text !== undefined) console.log(text);
  }
  for await (const event of troupe.streamJobEvents(jobId)) cursor = event.id ?? cursor;
  return cursor;
}
const titled = (columns: DataColumn[]): string => columns.map(({ name, type }) => name + " " + type).join(", ");
export async function tables(workspaceId: string, preview: FilePreview): Promise<string[]> {
  const { columns } = await troupe.queryData(workspaceId, { query: "SELECT 1" });
  return [titled(columns), titled(preview.table?.columns ?? [])];
}
export async function rotated(workspaceId: string): Promise<string> {
  await troupe.writeFile(workspaceId, "# Title", { path: "title.md" });
  const { secret } = await troupe.rotateSigningSecret();
  return secret satisfies string;
}
`;

const service = serviceOfFile();

describe("the files", () => {
  test("[DOC-3] the committed SDKs are what the generator makes of the contract", async () => {
    expect(FILES).toEqual([
      "sdk/python/troupe.py",
      "sdk/typescript/troupe.ts",
      "sdk/javascript/troupe.mjs",
      "sdk/javascript/troupe.d.mts",
      "sdk/javascript/conversation.mjs",
      "sdk/javascript/webhook.mjs",
      "sdk/javascript/client-tool.mjs",
      "sdk/javascript/http-tool.mjs",
      "sdk/javascript/attachments.mjs",
      "sdk/javascript/ag-ui.mjs",
      "sdk/javascript/ag-ui.d.mts",
    ]);
    for (const path of FILES)
      expect(
        `${path}: ${(await committed(path)) === (await generated(path)) ? "fresh" : "stale: bun run contract"}`,
      ).toBe(`${path}: fresh`);
  });

  test("[DOC-3] they are one file each that imports nothing but the standard library", async () => {
    expect(await committed("sdk/typescript/troupe.ts")).not.toMatch(/^import\b|\bfrom "|\bimport\(|\brequire\(/m);
    const modules = [...(await committed("sdk/python/troupe.py")).matchAll(/^(?:import|from) (\w+)/gm)];
    const standard =
      "__future__ base64 binascii codecs collections concurrent dataclasses hashlib hmac http io json random re threading time typing urllib uuid";
    expect(new Set(modules.map((match) => match[1] ?? ""))).toEqual(new Set(standard.split(" ")));
  });

  test("[DOC-3] every operation of the contract has its method in both", async () => {
    // Clients of MCP speak to `/mcp`.
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.values(item as Record<string, { operationId: string }>).flatMap(({ operationId }) =>
        path === "/mcp" ? [] : [operationId],
      ),
    );
    expect(operations.length).toBeGreaterThan(60);
    const python = await committed("sdk/python/troupe.py");
    for (const id of operations) {
      const names = METHODS.filter(({ operation }) => operation.id === id).map(({ name }) => name);
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) {
        expect(Object.getOwnPropertyNames(Troupe.prototype)).toContain(name);
        expect(python).toContain(`    def ${snakeCase(name)}(`);
      }
    }
  });

  test("[DOC-3] the TypeScript SDK is clean by itself under the strictest settings, and types what programs write", async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-types-"));
    const program = join(folder, "program.ts");
    await Bun.write(program, PROGRAM);
    const flags = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--erasableSyntaxOnly"];
    const where = ["--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--types", ""];
    const tsc = Bun.spawn(
      [
        "bun",
        "--bun",
        "node_modules/.bin/tsc",
        "--noEmit",
        "--ignoreConfig",
        ...flags,
        ...where,
        "--lib",
        "es2022,dom",
        "--allowImportingTsExtensions",
        FILES[1] ?? "",
        program,
      ],
      { cwd: ROOT.pathname, stdout: "pipe", stderr: "pipe" },
    );
    expect(await new Response(tsc.stdout).text()).toBe("");
    expect(await tsc.exited).toBe(0);
    rmSync(folder, { recursive: true });
  });
});

describe("what is served", () => {
  const PATHS = {
    typescript: "sdk/typescript/troupe.ts",
    javascript: "sdk/javascript/troupe.mjs",
    python: "sdk/python/troupe.py",
  } as const;

  test("[DOC-3] the sources are the committed bytes, and the manifest has their hashes", async () => {
    const manifest = await new Troupe({ baseUrl: service.url }).getSdkManifest();
    expect(manifest.packages.map(({ language }) => language)).toEqual(["typescript", "javascript", "python"]);
    expect(manifest.api_version).toBe(document.info.version);
    for (const { language, url, sha256, bytes, file } of manifest.packages) {
      expect(url).toBe(`https://troupe.test/api/sdk/${language}`);
      const answer = await fetch(`${service.url}/api/sdk/${language}`);
      expect(PATHS[language]).toEndWith(`/${file}`);
      const served = new Uint8Array(await answer.arrayBuffer());
      const own = await Bun.file(new URL(PATHS[language], ROOT)).bytes();
      expect(Buffer.from(served).equals(Buffer.from(own))).toBe(true);
      expect({ sha256, bytes }).toEqual({
        sha256: new Bun.CryptoHasher("sha256").update(own).digest("hex"),
        bytes: own.length,
      });
    }
  });

  test("[DOC-3] the types of the JavaScript SDK are served beside it, and pages may import the SDK from its address", async () => {
    const { packages } = await new Troupe({ baseUrl: service.url }).getSdkManifest();
    const types = packages.flatMap(({ language, types: one }) => (language === "javascript" && one ? [one] : []));
    const own = await Bun.file(new URL("sdk/javascript/troupe.d.mts", ROOT)).bytes();
    expect(types).toEqual([
      {
        file: "troupe.d.mts",
        url: "https://troupe.test/api/sdk/javascript/types",
        sha256: new Bun.CryptoHasher("sha256").update(own).digest("hex"),
        bytes: own.length,
      },
    ]);
    const served = await (await fetch(`${service.url}/api/sdk/javascript/types`)).bytes();
    expect(Buffer.from(served).equals(Buffer.from(own))).toBe(true);
    const headers = { origin: "https://elsewhere.example" };
    const module = await fetch(`${service.url}/api/sdk/javascript`, { headers });
    expect(module.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(module.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("[DOC-3] the manifest for agents names them", async () => {
    const { sdks } = await answered<{ sdks: unknown }>(fetch(`${service.url}/api/agent-readiness`));
    expect(sdks).toEqual([
      { language: "typescript", source: "https://troupe.test/api/sdk/typescript" },
      { language: "javascript", source: "https://troupe.test/api/sdk/javascript" },
      { language: "python", source: "https://troupe.test/api/sdk/python" },
    ]);
  });
});
