/** The files that the generator makes. The same contract and the same runtime make the same bytes. */
import { type Contract, contractOf, type OpenApi } from "./contract.ts";
import { pythonSdk } from "./python.ts";
import { typescriptSdk } from "./typescript.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string): Promise<string> => Bun.file(new URL(path, ROOT)).text();

/** A file, and how it is made. */
const MAKERS: Readonly<Record<string, (contract: Contract) => Promise<string>>> = {
  "sdk/python/troupe.py": async (contract) => pythonSdk(contract, await read("sdk/runtime/python/runtime.py")),
  "sdk/typescript/troupe.ts": async (contract) =>
    typescriptSdk(contract, {
      preamble: (await read("sdk/runtime/typescript/preamble.txt")).trim(),
      modules: await Promise.all(MODULES.map((name) => read(`sdk/runtime/typescript/${name}.ts`))),
    }),
};

/** The modules of the runtime, in the order in which they go into the file. */
const MODULES = ["errors", "transport", "event-stream", "live-text", "webhook"];

export const FILES: readonly string[] = Object.keys(MAKERS);

/** What the file must be. */
export async function generated(path: string): Promise<string> {
  const make = MAKERS[path];
  if (make === undefined) throw new Error(`The generator makes no ${path}`);
  return make(contractOf(JSON.parse(await read("docs/openapi.json")) as OpenApi));
}
