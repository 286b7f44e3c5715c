/** What is loaded before a start, a refusal or a command knows what to do: each module would make all of them slower. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const transpiler = new Bun.Transpiler({ loader: "ts" });

/** Files and packages that an entry loads at once, by its own imports and theirs; what is imported later does not count. */
function loadedBy(entry: string): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const path of files) {
    if (!path.endsWith(".ts")) continue;
    for (const { kind, path: name } of transpiler.scanImports(readFileSync(join(ROOT, path), "utf8"))) {
      if (kind !== "import-statement") continue;
      if (name.startsWith(".")) files.add(new URL(name, `file:///${path}`).pathname.slice(1));
      else if (!/^(?:node|bun)(?::|$)/.test(name)) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)![0]);
    }
  }
  return { files, packages };
}

test("[START-47] arguments and settings are checked before the service is loaded", () => {
  const { files, packages } = loadedBy("src/main.ts");
  expect([...files].filter((path) => path.startsWith("db/") || path === "src/service/service.ts")).toEqual([]);
  expect([...packages].toSorted()).toEqual(["@sinclair/typebox", "jsonc-parser", "nanoid"]);
  expect(files).toContain("src/settings/config.ts");
});

test("[START-66] an administration command beside a running service loads nothing of it", () => {
  const { files, packages } = loadedBy("src/admin/main.ts");
  expect([...packages].toSorted()).toEqual(["@sinclair/typebox", "jsonc-parser", "pino"]);
  expect(files.size).toBeLessThan(90);
});

test("[START-66] a start loads no package that only some requests, or some settings, need", () => {
  const packages = ["src/service/process.ts", "src/service/assembly.ts", "src/admin/commands.ts"].flatMap((entry) => [
    ...loadedBy(entry).packages,
  ]);
  expect(packages).toContain("elysia");
  const late = packages.filter((name) =>
    /^(?:@ai-sdk|@elysiajs|@modelcontextprotocol|@opentelemetry|@simplewebauthn|ai|pino-pretty|prom-client|sharp|zod)(?:\/|$)/.test(
      name,
    ),
  );
  expect(late).toEqual([]);
});

test("[START-66] the operations are loaded after the storage is open, so an earlier refusal does not load them", () => {
  const { files, packages } = loadedBy("src/service/process.ts");
  const operations = [...files].filter(
    (path) => path.endsWith("/operations.ts") || path === "src/contract/document.ts",
  );
  expect([...operations, ...[...packages].filter((name) => name === "elysia")]).toEqual([]);
  expect(files).toContain("src/service/storage.ts");
});
