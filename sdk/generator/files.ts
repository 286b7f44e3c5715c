/** The files that the generator makes. The same contract and the same runtime make the same bytes. */
import { type Contract, contractOf, type OpenApi } from "./contract.ts";
import { pythonSdk } from "./python.ts";
import { typescriptSdk } from "./typescript.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string): Promise<string> => Bun.file(new URL(path, ROOT)).text();

/** A file, and how it is made. */
const MAKERS: Readonly<Record<string, (contract: Contract) => Promise<string>>> = {
  "sdk/python/troupe.py": async (contract) =>
    pythonSdk(contract, {
      runtime: await read("sdk/runtime/python/runtime.py"),
      webhookEvent: hasWebhookEvent(contract) ? null : await read("sdk/runtime/python/webhook-event.py"),
    }),
  "sdk/typescript/troupe.ts": async (contract) =>
    typescriptSdk(contract, {
      preamble: (await read("sdk/runtime/typescript/preamble.ts")).trim(),
      modules: await Promise.all(modulesFor(contract).map((name) => read(`sdk/runtime/typescript/${name}.ts`))),
    }),
};

/** What the contract describes itself is left to it. */
const hasWebhookEvent = ({ nouns }: Contract): boolean => nouns.some(({ name }) => name === "WebhookEvent");

/** The modules of the runtime. */
const modulesFor = (contract: Contract): readonly string[] => [
  "errors",
  "transport",
  "event-stream",
  "live-text",
  "webhook",
  ...(hasWebhookEvent(contract) ? [] : ["webhook-event"]),
];

export const FILES: readonly { readonly path: string }[] = Object.keys(MAKERS).map((path) => ({ path }));

/** What the file must be. */
export async function generated(path: string): Promise<string> {
  const make = MAKERS[path];
  if (make === undefined) throw new Error(`The generator makes no ${path}`);
  return make(contractOf(JSON.parse(await read("docs/openapi.json")) as OpenApi));
}
