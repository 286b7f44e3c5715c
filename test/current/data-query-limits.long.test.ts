/** Queries that compute for ever, in more ways than `data-query-limits.test.ts` has time for (WSP-4). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

let service: Service;
let owner: Founded;
let client: Client;

beforeAll(async () => {
  service = await startService();
  owner = await service.found();
  client = new Client(service, owner);
});
afterAll(() => service.stop());

for (const [what, query] of [
  ["a slow expression", "SELECT count(*) FROM range(1000000000) t(i) WHERE sha256(i::VARCHAR) = 'x'"],
  ["a product of ranges", "SELECT count(*) FROM range(1000000) a, range(100000000) b"],
] as const)
  test(`[WSP-4] ${what} ends after its time, and the next query is answered`, async () => {
    const send = (body: object) => client.call("POST", `/api/workspaces/${owner.workspaceId}/data-blocks/query`, body);
    await refused(send({ query }), 504, "timeout");
    expect((await answered<Json>(send({ query: "SELECT 1" })))["rows"]).toEqual([[1]]);
  });
