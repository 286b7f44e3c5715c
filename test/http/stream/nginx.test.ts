/** `docs/nginx.conf` before the service: nothing is held back, and what the service says comes through as it is. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { answered, Client, refused } from "../../support/current.ts";
import { StreamReader } from "../../support/event-streams.ts";
import { gate } from "../../support/fake-model.ts";
import { freePort } from "../../support/free-port.ts";
import { type Nginx, NGINX, startNginx } from "../../support/nginx.ts";
import { type Founded, type Service, startService } from "../../support/service.ts";

const withNginx = test.skipIf(NGINX === null);

let service: Service;
let owner: Founded;
let client: Client;
let chat: string;
let nginx: Nginx | undefined;
let url: string;

beforeAll(async () => {
  if (NGINX === null) return;
  service = await startService();
  owner = await service.found();
  client = new Client(service, owner);
  const made = client.call("POST", "/api/agents", { name: "Ada", system_prompt: "Be brief." });
  chat = await client.chat((await answered<{ id: string }>(made, 201)).id, owner.workspaceId);
  const port = freePort();
  url = `http://127.0.0.1:${port}`;
  nginx = await startNginx([{ file: "nginx.conf", port, service: service.url }]);
});
afterAll(async () => {
  await nginx?.stop();
  await service?.stop();
});

const call = (method: string, path: string, body: object): Promise<Response> =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

withNginx(
  "[SSE-1] [SSE-3] events come through nginx as they are said, and continue where their reader left",
  async () => {
    const held = gate();
    service.model.script = () => [{ say: "Hello " }, { hold: held.hold }, { say: "there" }];
    const { job } = await client.send(chat, "Hi");
    const path = `${url}/api/chats/${chat}/events?wait=end`;
    const authorization = `Bearer ${owner.token}`;
    const first = await StreamReader.open(path, { authorization });
    // The model holds: what nginx kept back would not come before the end.
    const { id } = await first.saw("message.delta");
    await first.leave();
    const second = await StreamReader.open(path, { authorization, "last-event-id": id! });
    held.open();
    const rest = await second.saw("message.delta");
    expect(rest.data).toMatchObject({ position: "Hello there".length, text: "there" });
    await second.ended;
    expect(second.said.at(-1)).toBe("stream.end");
    await client.reached(job.id, "completed");
  },
);

withNginx("[V1-3] an execution's stream begins before the model has answered", async () => {
  const held = gate();
  service.model.script = () => [{ hold: held.hold }, { say: "Done." }];
  const agent = (await client.readChat(chat))["agent_id"] as string;
  const response = await call("POST", `/api/v1/agents/${agent}/execute`, { message: "Hi", stream: true });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("event: meta")) text += (await reader.read()).value ?? "";
  held.open();
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  expect(text).toContain("event: result");
});

withNginx("[ERR-5] a body that is too long is refused by the service, in its words", async () => {
  const body = { name: "Ada", system_prompt: "x".repeat(1024 * 1024) };
  await refused(call("POST", "/api/agents", body), 413, "payload_too_large");
});

withNginx("[WSP-6] a file of many megabytes is uploaded through nginx", async () => {
  const path = `/api/workspaces/${owner.workspaceId}/files/content?path=large.bin`;
  const bytes = new Uint8Array(5 * 1_024 * 1_024).fill(7);
  const response = await fetch(url + path, {
    method: "PUT",
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/octet-stream" },
    body: bytes,
  });
  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ size: bytes.length });
});
