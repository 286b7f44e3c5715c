/** What an organization uses of the process, for its owners. */
import { expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { Client } from "../support/current.ts";
import { serviceOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

const service = serviceOfFile();

interface ShownLoad {
  readonly event_loop: {
    readonly recent_ms: number;
    readonly throttled: boolean;
    readonly work: readonly { readonly kind: string; readonly total_ms: number }[];
  };
  readonly streams: { readonly open: number; readonly limit: number | null; readonly behind: number };
}

test("[OPS-22] an owner reads the load of their own organization, and of no other one", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const chat = await client.chat(await createAgent(service, owner), owner.workspaceId);
  const ended = new AbortController();
  const stream = await fetch(`${service.url}/api/chats/${chat}/events`, {
    headers: { authorization: `Bearer ${owner.token}` },
    signal: ended.signal,
  });
  const load = await client.get<ShownLoad & { [key: string]: never }>("/api/load");
  expect(load.streams).toMatchObject({ open: 1, behind: 0 });
  expect(load.event_loop.throttled).toBe(false);
  const requests = load.event_loop.work.find(({ kind }) => kind === "requests");
  expect(requests?.total_ms).toBeGreaterThan(0);
  const other = new Client(service, await service.found("Stranger"));
  expect((await other.get<ShownLoad & { [key: string]: never }>("/api/load")).streams.open).toBe(0);
  ended.abort();
  await stream.body?.cancel().catch(() => undefined);
  await until("the stream is closed", async () => {
    const after = await client.get<ShownLoad & { [key: string]: never }>("/api/load");
    return after.streams.open === 0;
  });
});
