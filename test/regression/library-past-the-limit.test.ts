/** The last page of agents had the whole library besides, so a list with `limit=1` answered seven records. */
import { expect, test } from "bun:test";
import { library } from "../../src/wiring/library.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { serviceOfFile } from "../support/scene.ts";

const service = serviceOfFile();

interface Agents {
  readonly agents: readonly (Json & { readonly id: string })[];
  readonly next_cursor?: string;
}

test("[GEN-3] no page of agents is longer than its limit, wherever the library begins, and pages have no gaps", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const entries = library.of(owner.organizationId).map(({ id }) => id);
  const installed = entries[2]!;
  await answered(client.call("PATCH", `/api/agents/${installed}/install-state`, { action: "install" }));
  const own = await client.agent();
  const all = [own, installed, ...entries.filter((id) => id !== installed)];
  for (const limit of [1, 2, 3, all.length - 1, all.length]) {
    const pages: string[][] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const page: Agents = await client.get(`/api/agents?limit=${limit}&cursor=${cursor}`);
      pages.push(page.agents.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(pages.flat()).toEqual(all);
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    expect(pages.length).toBe(Math.ceil(all.length / limit));
  }
});
