/** A token that may only send messages let the calls through that its owner had to be asked for. */
import { beforeAll, expect, test } from "bun:test";
import { answered, Client, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;

const { service, owner } = sceneOfFile();
beforeAll(async () => void (agent = await createAgent(service, owner)));

test("[CHAT-9] a token that may not approve cannot turn on a chat's auto_approve, but can turn it off", async () => {
  const client = new Client(service, owner);
  const chat = await client.chat(agent, owner.workspaceId, { options: { auto_approve: true } });
  const sender = new Client(service, await service.tokenFor(owner, { scopes: ["chats:write"] }));
  const fields = { agent_id: agent, workspace_id: owner.workspaceId, options: { auto_approve: true } };
  const lacks = { required_scopes: ["jobs:write"] };
  expect(await refused(sender.call("POST", "/api/chats", fields), 403, "insufficient_scope")).toEqual(lacks);
  const change = (of: Client, auto_approve: boolean) =>
    of.call("PATCH", `/api/chats/${chat}/options`, { auto_approve });
  await answered(change(sender, false));
  expect(await refused(change(sender, true), 403, "insufficient_scope")).toEqual(lacks);
  expect((await client.readChat(chat)).options).toMatchObject({ auto_approve: false });
  await answered(
    change(new Client(service, await service.tokenFor(owner, { scopes: ["chats:write", "jobs:write"] })), true),
  );
});
