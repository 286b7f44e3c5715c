/** Every operation of every foreign protocol: without a token, without its scope, and with input that makes no sense. */
import { beforeAll, expect, spyOn, test } from "bun:test";
import { refuse } from "../../actors/fault.ts";
import { PROTOCOLS } from "../../src/dialects/protocols.ts";
import { sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";

let powerless: Caller;
const { service, owner } = sceneOfFile();
beforeAll(async () => void (powerless = await service.tokenFor(owner, { scopes: ["usage:read"] })));

const OPERATIONS_OF_PROTOCOLS = PROTOCOLS.flatMap(({ groups }) =>
  groups.flatMap(({ operations }) => Object.entries(operations).map(([id, { contract }]) => ({ id, ...contract }))),
);
const pathOf = (path: string): string => path.replaceAll(/\{\w+\}/g, "nothing");
const send = (
  caller: Caller | null,
  { method, path }: { readonly method: string; readonly path: string },
  body?: string,
) =>
  fetch(`${service.url}${pathOf(path)}`, {
    method,
    headers: {
      "content-type": "application/json",
      ...(caller === null ? {} : { authorization: `Bearer ${caller.token}` }),
    },
    ...(body === undefined || method === "GET" ? {} : { body }),
  });

test("[DIA-1] every operation of a foreign protocol needs a token with its scope", async () => {
  for (const operation of OPERATIONS_OF_PROTOCOLS) {
    if (operation.scope === null) continue;
    const statuses = [await send(null, operation, "{}"), await send(powerless, operation, "{}")].map(
      ({ status }) => status,
    );
    expect([operation.id, ...statuses]).toEqual([operation.id, 401, 403]);
  }
});

const SENSELESS = [
  "",
  "{",
  "[]",
  "null",
  '"x"',
  "{}",
  '{"model":1,"messages":{},"input":{},"id":[],"message":7}',
  '{"model":"nobody","messages":[null,{"role":7},{"role":"user","content":[{"type":"image_url"}]}],"input":[{"type":"x"},3]}',
  `{"model":"nobody","messages":${"[".repeat(500)}${"]".repeat(500)}}`,
];

test("[DIA-1] input that makes no sense is refused as the caller's mistake, and begins nothing", async () => {
  for (const operation of OPERATIONS_OF_PROTOCOLS) {
    for (const body of SENSELESS) {
      const answer = await send(owner, operation, body);
      await answer.body?.cancel();
      expect([operation.id, body, answer.status < 500]).toEqual([operation.id, body, true]);
    }
  }
  const jobs = await service.call(owner, "GET", "/api/jobs");
  expect(await jobs.json()).toMatchObject({ jobs: [] });
});

test("[SSE-14] a stream of a protocol is refused where the organization has no room for it", async () => {
  const { id } = (await (
    await service.call(owner, "POST", "/api/agents", { name: "Ada", system_prompt: "Be brief." })
  ).json()) as { id: string };
  const message = { id: "m1", role: "user", content: "hi", parts: [{ type: "text", text: "hi" }] };
  const ui = { id: "c1", messages: [message] };
  const agUi = { threadId: "t1", runId: "r1", messages: [message] };
  const asked = [
    ["POST", `/ai-sdk/agents/${id}/chat`, ui],
    ["GET", `/ai-sdk/agents/${id}/chat/c1/stream?ended=replay`, undefined],
    ["POST", `/ag-ui/agents/${id}`, agUi],
    ["POST", `/ag-ui/agents/${id}/connect`, agUi],
  ] as const;
  const statuses = async () => {
    const found: number[] = [];
    for (const [method, path, body] of asked) {
      const answer = await service.call(owner, method, path, body);
      await answer.text();
      found.push(answer.status);
    }
    return found;
  };
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  const room = spyOn(service.app.streams, "room").mockReturnValue(refuse({ kind: "overloaded", retryAfterMs: 1_000 }));
  expect(await statuses()).toEqual([503, 503, 503, 503]);
  room.mockRestore();
});
