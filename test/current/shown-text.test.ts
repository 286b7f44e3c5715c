/** Control, ANSI and bidi characters that a model has from a page or a tool, on every way to people. */
import { expect, test } from "bun:test";
import { answered, type Job, type Json } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

const HOSTILE = "\u001b[31m\u202egnp.exe\u2069\u0007";
const MARKED = "␛[31m⟨U+202E⟩gnp.exe⟨U+2069⟩␇";
// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\u001b\u0007\u202e\u2069]|\\u001b|\\u0007/;

const { service, owner, client } = sceneOfFile();

test("[GUARD-7] tool calls, approvals, events, transcripts, tasks and their results show marks", async () => {
  const agent = await createAgent(service, owner);
  const tools = { allowed_tools: ["create_task"], approval_tools: ["create_task"] };
  await answered(client.call("PATCH", `/api/agents/${agent}`, tools));
  const chat = await client.chat(agent, owner.workspaceId);
  service.model.script = ({ entries }) =>
    !JSON.stringify(entries.at(-1)).includes("c1")
      ? [{ use: { type: "tool_use", id: "c1", name: "create_task", input: { title: HOSTILE, description: HOSTILE } } }]
      : [{ say: "Done." }];
  const { job } = await client.send(chat, "make a task");
  const blocked: Job = await client.reached(job.id, "blocked");
  expect(blocked.approvals[0]?.arguments).toEqual({ title: MARKED, description: MARKED });
  await answered(client.decide(job.id, "approve"));
  await client.reached(job.id, "completed");
  const { tasks } = await client.get<{ tasks: Json[] }>("/api/tasks");
  expect(tasks[0]).toMatchObject({ title: MARKED, description: MARKED });
  const streams = [`/api/jobs/${job.id}/events`, `/api/chats/${chat}/events?wait=end&replay=all`].map(async (path) =>
    (await client.call("GET", path)).text(),
  );
  const texts = [
    JSON.stringify(await client.get(`/api/jobs/${job.id}`)),
    JSON.stringify(await client.get(`/api/jobs/${job.id}/transcript-events`)),
    JSON.stringify(await client.get(`/api/chats/${chat}/messages`)),
    JSON.stringify(await client.get(`/api/chats/${chat}`)),
    ...(await Promise.all(streams)),
  ];
  for (const text of texts) expect(INVISIBLE.exec(text)).toBeNull();
  expect(texts.filter((text) => text.includes(MARKED)).length).toBeGreaterThanOrEqual(3);
});
