/** A process of its own that makes requests: what its environment says must not matter. Prints a JSON list of results. */
import { createEgress } from "../../src/egress/egress.ts";

const { ca, urls } = JSON.parse(process.argv[2] ?? "{}") as { readonly ca: string; readonly urls: readonly string[] };
const egress = createEgress({ allow: ["127.0.0.1"], production: false, ca, resolve: async () => ["127.0.0.1"] });
const results: string[] = [];
for (const url of urls) {
  const result = await egress.request({ url, method: "GET", limits: { timeoutMs: 60_000, maxResponseBytes: 1_000 } });
  results.push(result.kind === "failed" ? result.error : `${result.status} ${Buffer.from(result.body).toString()}`);
}
console.log(JSON.stringify(results));
egress.close();
