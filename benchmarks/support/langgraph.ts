/**
 * The LangGraph dev server as a peer: installed from the npm registry into a temporary folder, with one agent that
 * calls the same fake model. It keeps threads and runs in memory and writes them to a file three seconds after the last
 * change, and at a clean exit.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Lifetime } from "./lifetime.ts";
import { installPeer, PeerProcess } from "./npm-peer.ts";
import { freePort } from "../../test/support/free-port.ts";

export const LANGGRAPH_PACKAGES = [
  "@langchain/langgraph-api@1.5.1",
  "@langchain/langgraph-cli@1.5.1",
  "@langchain/langgraph@1.4.5",
  "@langchain/langgraph-checkpoint@1.1.5",
  "@langchain/langgraph-sdk@1.9.24",
  "@langchain/core@^1.1.48",
  "typescript@5",
  "zod",
];

/** More than the most streams of a benchmark. */
const RUNS_AT_ONCE = 512;

/** Its URL, the folder of its packages, and how to crash it; or why it is missing. */
export type LangGraph =
  | { readonly kind: "there"; readonly url: string; readonly folder: string; readonly process: PeerProcess }
  | { readonly kind: "not"; readonly why: string };

export async function startLangGraph(lifetime: Lifetime, providerUrl: string): Promise<LangGraph> {
  const folder = lifetime.folder();
  if (!(await installPeer(folder, LANGGRAPH_PACKAGES)))
    return { kind: "not", why: "its packages could not be installed" };
  return writeLangGraph(lifetime, folder, providerUrl);
}

/** Starts it in a folder that has its packages. */
export async function writeLangGraph(lifetime: Lifetime, folder: string, providerUrl: string): Promise<LangGraph> {
  await Bun.write(
    join(folder, "langgraph.json"),
    JSON.stringify({ node_version: "20", graphs: { agent: "./graph.mjs:graph" }, env: {}, dependencies: ["."] }),
  );
  copyFileSync(join(import.meta.dir, "langgraph-graph.mjs"), join(folder, "graph.mjs"));
  const url = `http://127.0.0.1:${freePort()}`;
  const process = await PeerProcess.start(lifetime, {
    cmd: [
      join(folder, "node_modules/.bin/langgraphjs"),
      "dev",
      "--no-browser",
      "--port",
      new URL(url).port,
      // By default ten runs go on at once, and the others wait.
      "--n-jobs-per-worker",
      String(RUNS_AT_ONCE),
    ],
    folder,
    env: { PROVIDER_URL: providerUrl, LANGSMITH_TRACING: "false" },
    probe: `${url}/ok`,
  });
  return process === null ? { kind: "not", why: "it did not start" } : { kind: "there", url, folder, process };
}
