/** The cursor of one chat's messages was taken by another chat: a client that mixed them up read a page from nowhere. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { answered, Client, type MessagePage, refused } from "../support/current.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test("[GEN-3] the cursor of one chat's messages is none of another's", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const made = client.call("POST", "/api/agents", { name: "Ada", system_prompt: "Be brief." });
  const agent = (await answered<{ id: string }>(made, 201)).id;
  const [one, two] = [await client.chat(agent, owner.workspaceId), await client.chat(agent, owner.workspaceId)];
  for (const chat of [one, two]) await client.reached((await client.send(chat, "Hello")).job.id, "completed");
  const { next_cursor: cursor } = await client.get<MessagePage>(`/api/chats/${one}/messages?limit=1`);
  const page = await client.get<MessagePage>(`/api/chats/${one}/messages?cursor=${cursor}`);
  expect(page.messages.map(({ content }) => content)).toEqual(["Hello"]);
  await refused(client.call("GET", `/api/chats/${two}/messages?cursor=${cursor}`), 400, "invalid_cursor");
});
