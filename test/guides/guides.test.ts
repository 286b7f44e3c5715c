/** Every command of the guides runs against a started service and prints what the page says. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AccountServer } from "../support/account-server.ts";
import { bunFolder } from "../support/bun-program.ts";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { missing, runSteps, stepsOf } from "../support/guide.ts";
import { type McpServerUnderTest, startMcpServer, textResult } from "../support/mcp-server.ts";
import { CLONE } from "../support/service-process.ts";
import { type FirstRunText, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const GUIDES = join(CLONE, "docs/guides");
const pages = readdirSync(GUIDES).filter((name) => name.endsWith(".md") && name !== "README.md");
const read = (name: string): string => readFileSync(join(GUIDES, name), "utf8");
/** The server of the page about HTTP tools, as it describes itself. */
const SHOP = {
  openapi: "3.1.0",
  paths: {
    "/articles/{article}": {
      put: {
        operationId: "setPrice",
        parameters: [{ name: "article", in: "path", required: true, schema: { type: "string" } }],
        requestBody: {
          content: { "application/json": { schema: { type: "object", properties: { price: { type: "number" } } } } },
        },
      },
    },
  },
};

const hasPrograms = ["curl", "openssl"].every((program) => Bun.which(program) !== null);

let folder: GuardedFolder;
let service: TroupeProcess;
let first: FirstRunText;
let mcp: McpServerUnderTest;
let accounts: AccountServer;
let receiver: Bun.Server<undefined>;
let shop: Bun.Server<undefined>;
/** A tool server that runs the receiver of the page about identity. */
let stock: Bun.Server<undefined>;

/** The receiver as the page has it, with the addresses of this test in place of its examples. */
async function receiverOfPage(
  audience: string,
  organizationId: string,
): Promise<(request: Request) => Promise<{ readonly person: string }>> {
  const [, code = ""] = /^```js\n([^]*?)^```$/m.exec(read("agent-identity.md")) ?? [];
  const own = code
    .replace("https://troupe.example.com", service.url)
    .replace("https://stock.example.com", audience)
    .replace("org_V1StGXR8_Z5jdHi6B-myT", organizationId);
  // Where it finds its library.
  const file = join(CLONE, ".tmp", `receiver-${process.pid}.mjs`);
  mkdirSync(join(CLONE, ".tmp"), { recursive: true });
  writeFileSync(file, own);
  const { whoActs } = (await import(file)) as { readonly whoActs: Awaited<ReturnType<typeof receiverOfPage>> };
  rmSync(file);
  return whoActs;
}

async function organizationOf(token: string): Promise<string> {
  const answer = await fetch(`${service.url}/api/workspaces`, { headers: { authorization: `Bearer ${token}` } });
  return /org_[\w-]{21}/.exec(await answer.text())?.[0] ?? "";
}

beforeAll(async () => {
  folder = guardedFolder();
  first = await copyFirstRun(folder);
  service = await startTroupe(folder, { env: { EGRESS_ALLOW: "127.0.0.1" } });
  mcp = startMcpServer([{ name: "forecast", run: ({ input }) => textResult(`Sunny in ${String(input["city"])}`) }]);
  accounts = new AccountServer();
  shop = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => (request.url.endsWith("/openapi.json") ? Response.json(SHOP) : new Response("7 EUR")),
  });
  const organizationId = await organizationOf(first.personal);
  const whoActs = Promise.withResolvers<Awaited<ReturnType<typeof receiverOfPage>>>();
  stock = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) =>
      Response.json(await (await whoActs.promise)(request).catch((error: unknown) => ({ refused: String(error) }))),
  });
  whoActs.resolve(await receiverOfPage(stock.url.origin, organizationId));
  receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 204 }) });
});
afterAll(async () => {
  await receiver.stop(true);
  await shop.stop(true);
  await stock.stop(true);
  await accounts.stop();
  await mcp.stop();
  await folder.remove();
});

describe.skipIf(!hasPrograms)("guides", () => {
  test.each(pages)("[DOC-9] the commands of %s work, and print what it says", async (name) => {
    const own = stepsOf(read(name));
    expect(own.length).toBeGreaterThan(1);
    const steps = [...stepsOf(read("README.md")), ...own];
    const home = join(folder.path, name);
    mkdirSync(home);
    const env = {
      PATH: `${bunFolder(folder.path)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: home,
      TROUPE_URL: service.url,
      TROUPE_TOKEN: first.personal,
      RECEIVER: `http://127.0.0.1:${receiver.port}/hook`,
      MCP_URL: mcp.url,
      SHOP_URL: shop.url.origin,
      STOCK_URL: stock.url.origin,
      ACCOUNT_URL: accounts.resource,
    };
    // Three pages run programs of the clone; the others write files.
    const cwd = ["acp.md", "going-to-production.md", "model-providers.md"].includes(name) ? CLONE : home;
    const { outputs, code, err } = await runSteps(steps, { env, cwd });
    for (const [i, { script, prints }] of steps.entries()) {
      const output = outputs[i];
      expect({ script, output, missing: output === undefined ? err : missing(output, prints) }).toEqual({
        script,
        output: expect.any(String) as string,
        missing: null,
      });
    }
    // `bun start` names the command that it runs.
    expect([code, err.replace(/^\$ .*\n/gm, "")]).toEqual([0, ""]);
  });
});

test("[DOC-9] a guide that prints something else, or fails, is found out", async () => {
  const page = "```sh\necho one; echo two\n```\n\n```text\none\n…o\n```\n\n```sh\nfalse\n```\n";
  const steps = stepsOf(page);
  const { outputs, code } = await runSteps(steps, { env: {}, cwd: "/" });
  expect([outputs.length, code]).toEqual([1, 1]);
  expect(missing(outputs[0] ?? "", steps[0]?.prints ?? [])).toBeNull();
  expect(missing("two\none\n", steps[0]?.prints ?? [])).toEqual(steps[0]?.prints[1] ?? null);
});
