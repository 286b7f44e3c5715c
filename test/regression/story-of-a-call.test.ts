/** The log line of a model's failure named neither the job nor the request that had begun it. */
import { beforeAll, expect, test } from "bun:test";
import { answered, Client, type Sent } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;

const { service, owner } = sceneOfFile();
beforeAll(async () => void (agent = await createAgent(service, owner)));

const post = (path: string, requestId: string, body: object): Promise<Response> =>
  service.call(owner, "POST", `${path}`, body, { "x-request-id": requestId });

test("[ERR-4] a model call gets the ids of its request, job and organization, on both surfaces", async () => {
  const { organizationId } = owner;
  await answered(post(`/api/v1/agents/${agent}/execute`, "request-of-v1", { message: "hi" }));
  const chat = await new Client(service, owner).chat(agent, owner.workspaceId);
  const sent = await answered<Sent>(post(`/api/chats/${chat}/messages`, "request-of-chat", { content: "hi" }), 202);
  await service.model.called(2);
  expect(service.model.calls.map(({ origin }) => origin)).toEqual([
    { organizationId, jobId: expect.stringMatching(/^job_/) as string, requestId: "request-of-v1" },
    { organizationId, jobId: sent.job.id, requestId: "request-of-chat" },
  ]);
});
