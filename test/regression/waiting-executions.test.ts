/** Executions that wait for their answer counted for no organization: one could take every place of the process, and a revoked token went on waiting. */
import { beforeAll, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered, type Json } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { keyed } from "../support/keyed.ts";
import { serviceOfFile } from "../support/scene.ts";
import type { Founded } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

const MOST = 6;
const FOR_ONE = MOST / 2;

let one: Founded;
let two: Founded;
let agents: ReadonlyMap<Founded, string>;

const service = serviceOfFile({ settings: { maxStreams: MOST } });
beforeAll(async () => {
  [one, two] = [await service.found("one"), await service.found("two")];
  agents = new Map([
    [one, await createAgent(service, one)],
    [two, await createAgent(service, two)],
  ]);
});

const execute = (of: Founded, token = of.token) =>
  service.call({ ...of, token }, "POST", `/api/v1/agents/${agents.get(of)!}/execute`, { message: "hi" });

test("[SSE-14] waiting executions count for their organization, and leave places for others", async () => {
  const held = gate();
  service.model.script = () => [{ hold: held.hold }, { say: "done" }];
  const waiting = Array.from({ length: FOR_ONE }, () => execute(one));
  await until("they wait", () => service.app.streams.count === FOR_ONE);
  expect((await execute(one)).status).toBe(503);
  const theirs = execute(two);
  await until("another organization's waits too", () => service.app.streams.count === FOR_ONE + 1);
  held.open();
  for (const answer of [...waiting, theirs]) expect(await answered(answer)).toMatchObject({ success: true });
});

test("[SSE-14] [IDEM-4] repetitions that join an execution count like others", async () => {
  const held = gate();
  service.model.script = () => [{ hold: held.hold }, { say: "done" }];
  const request = { method: "POST", path: `/api/v1/agents/${agents.get(one)!}/execute`, body: { message: "hi" } };
  const join = () => keyed(service, one, "the-same", request);
  const waiting = [join()];
  await until("the first one waits", () => service.app.streams.count === 1);
  while (waiting.length < FOR_ONE) waiting.push(join());
  await until("all of them wait", () => service.app.streams.count === FOR_ONE);
  expect((await join()).status).toBe(503);
  held.open();
  for (const answer of waiting) expect(await answer).toMatchObject({ status: 200 });
  expect(await join()).toMatchObject({ status: 200, key: "replayed" });
});

test("[AUTH-2] a revocation ends the wait for an execution, and the work continues", async () => {
  const held = gate();
  service.model.script = () => [{ hold: held.hold }, { say: "done" }];
  const other = await service.tokenFor(one, {});
  const waiting = execute(one, other.token);
  await until("it waits", () => service.app.streams.count === 1);
  await answered(service.call(one, "POST", `/api/personal-access-tokens/${other.tokenId}/revoke`));
  const { chatId } = await answered<{ chatId: string } & Json>(waiting);
  held.open();
  await until("the work is done", async () => {
    const chat = await answered<Json>(service.call(one, "GET", `/api/chats/${chatId}`));
    return chat["status"] === "done";
  });
});
