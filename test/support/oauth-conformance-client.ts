/**
 * The program that the conformance suite of MCP runs as a client: the MCP client of our runner, which lists the tools of
 * the server in its last argument and calls each of them.
 */
import { createEgress } from "../../src/egress/egress.ts";
import { HeldBytes } from "../../src/runner/held-bytes.ts";
import { McpConnection } from "../../src/runner/mcp/connection.ts";
import { HeaderSecrets } from "../../src/runner/mcp/header-secrets.ts";
import { ResultBytes } from "../../src/runner/mcp/result-bytes.ts";
import { CpuBudget } from "../../src/sandbox/sandbox.ts";
import { OAuthEgress } from "./oauth-egress.ts";
import { testSandbox } from "./sandbox.ts";

const CLIENT_METADATA = "https://conformance-test.local/client-metadata.json";
const url = process.argv.at(-1) ?? "";
const { client_id: clientId, client_secret: clientSecret } = JSON.parse(
  process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}",
) as { readonly client_id?: string; readonly client_secret?: string };
const egress = new OAuthEgress(createEgress({ allow: ["localhost", "127.0.0.1"], production: false }), {
  ...(clientId === undefined || clientSecret === undefined ? {} : { known: { clientId, clientSecret } }),
  clientMetadataUrl: CLIENT_METADATA,
});
const server = { name: "conformance", url };
const leaving = new AbortController();
const held = new HeldBytes();
const secrets = new HeaderSecrets({ read: () => Promise.reject(new Error("it has no secrets")) }, "o", server as never);
const reading = {
  sandbox: testSandbox,
  held,
  results: new ResultBytes(held, "o", leaving.signal),
  organizationId: "o",
  budget: new CpuBudget(),
};
const times = { listMs: 15_000, callMs: 15_000 };
let code = 0;
try {
  const way = { egress, secrets, access: null, times, keeper: null, reading };
  const { connection, tools } = await McpConnection.open(server as never, way, leaving.signal);
  for (const { name } of tools) {
    const run = { signal: leaving.signal, budget: new CpuBudget() };
    const result = await connection.call(name, {}, run as never);
    console.log(name, result.content);
  }
} catch (error) {
  console.error(error);
  code = 1;
}
for (const problem of egress.problems) console.error(problem);
leaving.abort();
await Bun.sleep(50);
process.exit(egress.problems.length > 0 ? 1 : code);
