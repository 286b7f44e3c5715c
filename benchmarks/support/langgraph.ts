/**
 * The LangGraph dev server as a peer: installed from the npm registry into a temporary folder, with one
 * agent that calls the same fake model. It keeps threads and runs in memory and writes them to a file
 * when it ends: a crash loses them.
 */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guard, type Lifetime } from "./lifetime.ts";
import { freePort } from "./redis.ts";

const PACKAGES = [
  "@langchain/langgraph-api@1.5.1",
  "@langchain/langgraph-cli@1.5.1",
  "@langchain/langgraph@1.4.5",
  "@langchain/langgraph-checkpoint@1.1.5",
  "@langchain/langgraph-sdk@1.9.24",
  "@langchain/core@^1.1.48",
  "typescript@5",
  "zod",
];
const INSTALL_LIMIT_MS = 90_000;
const START_LIMIT_MS = 30_000;

/** Its url; or why it is not there. */
export type LangGraph =
  | { readonly kind: "there"; readonly url: string }
  | { readonly kind: "not"; readonly why: string };

export async function startLangGraph(lifetime: Lifetime, providerUrl: string): Promise<LangGraph> {
  const [npm, node] = [Bun.which("npm"), Bun.which("node")];
  if (npm === null || node === null) return { kind: "not", why: "npm and Node are not installed" };
  const folder = lifetime.folder();
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}');
  writeFileSync(
    join(folder, "langgraph.json"),
    JSON.stringify({ node_version: "20", graphs: { agent: "./graph.mjs:graph" }, env: {}, dependencies: ["."] }),
  );
  copyFileSync(join(import.meta.dir, "langgraph-graph.mjs"), join(folder, "graph.mjs"));
  const install = Bun.spawn({
    cmd: [npm, "install", "--legacy-peer-deps", "--no-audit", "--no-fund", ...PACKAGES],
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
    timeout: INSTALL_LIMIT_MS,
  });
  if ((await install.exited) !== 0) return { kind: "not", why: "its packages could not be installed" };
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = Bun.spawn({
    cmd: [join(folder, "node_modules/.bin/langgraphjs"), "dev", "--no-browser", "--port", new URL(url).port],
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, PROVIDER_URL: providerUrl, LANGSMITH_TRACING: "false" },
    // A group of its own: it starts several processes, and all of them end with it.
    detached: true,
  });
  const release = guard(child.pid);
  lifetime.add(async () => {
    process.kill(-child.pid, "SIGKILL");
    await child.exited;
    release();
  });
  for (const until = performance.now() + START_LIMIT_MS; performance.now() < until; await Bun.sleep(100)) {
    if ((await fetch(`${url}/ok`).catch(() => null))?.ok === true) return { kind: "there", url };
    if (child.exitCode !== null) break;
  }
  return { kind: "not", why: "it did not start" };
}
