/** A request that waited for a cancellation took a place that was not there: the bound of what is open held for all others. */
import { expect, test } from "bun:test";
import { answered, Client, type Receipt } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { gate } from "../support/fake-model.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { serviceOfFile } from "../support/scene.ts";
import { until } from "../support/condition.ts";

const MOST = 4;

const tools = new FakeTools();

const service = serviceOfFile({ tools, settings: { maxStreams: MOST } });

test("[SSE-14] [JOB-3] a cancel without room to wait is executed and answered at once", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const deaf = gate();
  tools.script = async () => {
    await deaf.hold;
    return { content: "late", isError: false };
  };
  service.model.script = () => [{ use: { type: "tool_use", id: "c1", name: "send", input: {} } }];
  const agent = await client.agent({ allowed_tools: ["send"] });
  const chat = await client.chat(agent, owner.workspaceId);
  const { job } = await client.send(chat, "go");
  await until("the tool is called", () => tools.calls.length === 1);
  const headers = { authorization: `Bearer ${owner.token}` };
  const readers = await Promise.all(
    Array.from({ length: MOST / 2 }, () => StreamReader.open(`${service.url}/api/chats/${chat}/events`, headers)),
  );
  // The tool does not heed its abort, so the request still waits.
  const receipt = await answered<Receipt>(client.decide(job.id, "cancel", {}, "?wait=30"));
  expect(receipt.job.status).toBe("cancelling");
  deaf.open();
  await client.reached(job.id, "cancelled");
  for (const reader of readers) await reader.leave();
});
