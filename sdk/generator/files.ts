/** The files that the generator makes. The same contract and the same runtime make the same bytes. */
import { type Contract, contractOf, type OpenApi } from "./contract.ts";
import { compiled } from "./javascript.ts";
import { pythonSdk } from "./python.ts";
import { typescriptSdk } from "./typescript.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string): Promise<string> => Bun.file(new URL(path, ROOT)).text();

async function typescript(contract: Contract): Promise<string> {
  return typescriptSdk(contract, {
    preamble: (await read("sdk/runtime/typescript/preamble.txt")).trim(),
    modules: await Promise.all(MODULES.map((name) => read(`sdk/runtime/typescript/${name}.ts`))),
  });
}

async function javascript(contract: Contract, file: string): Promise<string> {
  const files = await compiled({
    "troupe.ts": await typescript(contract),
    "conversation.ts": await read("sdk/typescript/conversation.ts"),
    "webhook.ts": await read("sdk/typescript/webhook.ts"),
    "client-tool.ts": await read("sdk/typescript/client-tool.ts"),
    "http-tool.ts": await read("sdk/typescript/http-tool.ts"),
    "attachments.ts": await read("sdk/typescript/attachments.ts"),
    "ag-ui.ts": await read("sdk/typescript/ag-ui.ts"),
  });
  return files.get(file) ?? "";
}

/** A file, and how it is made. */
const MAKERS: Readonly<Record<string, (contract: Contract) => Promise<string>>> = {
  "sdk/python/troupe.py": async (contract) => pythonSdk(contract, await read("sdk/runtime/python/runtime.py")),
  "sdk/typescript/troupe.ts": typescript,
  "sdk/javascript/troupe.mjs": (contract) => javascript(contract, "troupe.mjs"),
  "sdk/javascript/troupe.d.mts": (contract) => javascript(contract, "troupe.d.mts"),
  "sdk/javascript/conversation.mjs": (contract) => javascript(contract, "conversation.mjs"),
  "sdk/javascript/webhook.mjs": (contract) => javascript(contract, "webhook.mjs"),
  "sdk/javascript/client-tool.mjs": (contract) => javascript(contract, "client-tool.mjs"),
  "sdk/javascript/http-tool.mjs": (contract) => javascript(contract, "http-tool.mjs"),
  "sdk/javascript/attachments.mjs": (contract) => javascript(contract, "attachments.mjs"),
  "sdk/javascript/ag-ui.mjs": (contract) => javascript(contract, "ag-ui.mjs"),
  "sdk/javascript/ag-ui.d.mts": (contract) => javascript(contract, "ag-ui.d.mts"),
};

/** The modules of the runtime, in the order in which they go into the file. */
const MODULES = ["errors", "transport", "event-stream", "live-text", "client-tools", "tool-programs", "webhook"];

export const FILES: readonly string[] = Object.keys(MAKERS);

/** What the file must be. */
export async function generated(path: string): Promise<string> {
  const make = MAKERS[path];
  if (make === undefined) throw new Error(`The generator makes no ${path}`);
  return make(contractOf(JSON.parse(await read("docs/openapi.json")) as OpenApi));
}
