/** The log line of a model's failure named neither the job nor the request that had begun it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { answered, Client, type Sent } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let service: Service;
let owner: Founded;
let agent: string;

beforeAll(async () => {
  service = await startService();
  owner = await service.found();
  agent = await createAgent(service, owner);
});
afterAll(() => service.stop());

const post = (path: string, requestId: string, body: object): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${owner.token}`,
      "content-type": "application/json",
      "x-request-id": requestId,
    },
    body: JSON.stringify(body),
  });

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
