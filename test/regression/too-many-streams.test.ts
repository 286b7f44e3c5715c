/** Nothing bounded how many streams one organization, or all of them, could keep open. */
import { beforeAll, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { Client, refused } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { serviceOfFile } from "../support/scene.ts";
import type { Caller, Founded } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

const MOST = 6;
const FOR_ONE = MOST / 2;

let owners: readonly { readonly by: Founded; readonly agent: string; readonly path: string }[];

const service = serviceOfFile({ settings: { maxStreams: MOST } });
beforeAll(async () => {
  owners = await Promise.all(
    ["one", "two", "three"].map(async (name) => {
      const by = await service.found(name);
      const agent = await createAgent(service, by);
      const chat = await new Client(service, by).chat(agent, by.workspaceId);
      return { by, agent, path: `/api/chats/${chat}` };
    }),
  );
});

const open = (by: Caller, path: string) =>
  StreamReader.open(`${service.url}${path}/events`, { authorization: `Bearer ${by.token}` });

test("[SSE-14] past the limits a stream is refused, and a freed place can be used again", async () => {
  const [one, two, three] = [owners[0]!, owners[1]!, owners[2]!];
  // All at once: those that are just being opened count too.
  const asked = await Promise.all(Array.from({ length: FOR_ONE + 3 }, () => open(one.by, one.path)));
  const readers = asked.filter(({ response }) => response.status === 200);
  expect(readers).toHaveLength(FOR_ONE);
  for (const { response } of asked.filter((reader) => !readers.includes(reader))) {
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("10");
  }
  const colleague = await service.join(one.by.organizationId);
  const again = () => service.call(colleague, "GET", `${one.path}/events`);
  await refused(again(), 503, "overloaded");
  await refused(service.call(one.by, "GET", `${one.path}?since_version=99&wait=5`), 503, "overloaded");
  const execution = () => service.call(one.by, "POST", `/api/v1/agents/${one.agent}/execute`, { message: "hi" });
  expect((await execution()).status).toBe(503);
  expect((await service.call(one.by, "GET", one.path)).status).toBe(200);

  // Others have their places, until the process has none.
  readers.push(...(await Promise.all(Array.from({ length: FOR_ONE }, () => open(two.by, two.path)))));
  await refused(service.call(three.by, "GET", `${three.path}/events`), 503, "overloaded");
  for (const reader of readers) {
    expect(reader.response.status).toBe(200);
    await reader.saw("snapshot");
  }

  await readers[0]!.leave();
  await until("its place is free", () => service.app.streams.count === MOST - 1);
  const next = await open(three.by, three.path);
  expect(next.response.status).toBe(200);
  for (const reader of [...readers.slice(1), next]) await reader.leave();
  await until("all have left", () => service.app.streams.count === 0);
  expect((await execution()).status).toBe(200);
});
