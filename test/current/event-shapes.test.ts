/**
 * Every event of the two tables, as its readers get it: under its own name, with the keys that
 * `event-samples.ts` has (SSE-7, SSE-8); and the names of the tables held against the rules.
 */
import { beforeAll, expect, test } from "bun:test";
import { CHAT_EVENTS } from "../../actors/chat/events.ts";
import { chatRef } from "../../actors/chat/schema.ts";
import { JOB_EVENTS } from "../../actors/job/events.ts";
import { jobRef } from "../../actors/job/schema.ts";
import type { ActorRef } from "../../actors/runtime/actor.ts";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { StreamReader } from "../support/event-streams.ts";
import { gate } from "../support/fake-model.ts";
import { sceneOfFile } from "../support/scene.ts";
import { specText } from "../support/spec.ts";
import { createAgent } from "../support/v1.ts";
import { AT, CHAT_SAMPLES, JOB_SAMPLES, type Shapes } from "./event-samples.ts";

let agent: string;
const { service, owner, client } = sceneOfFile();
beforeAll(async () => void (agent = await createAgent(service, owner)));

/** Publishes all of a table on a stream that somebody reads, and holds what comes against it. */
async function streamed(
  ref: ActorRef,
  path: string,
  { head, shapes }: { readonly head: number; readonly shapes: Readonly<Record<string, Shapes<JsonObject>>> },
): Promise<void> {
  const reader = await StreamReader.open(`${service.url}${path}?after=${head}`, {
    authorization: `Bearer ${owner.token}`,
  });
  const replay = service.system.actors.stream(ref, shardOf(owner.organizationId));
  const said = Object.entries(shapes).flatMap(([type, of]) => of.map(([data, shown]) => ({ type, data, shown })));
  for (const [i, { type, data }] of said.entries()) replay.publish({ seq: head + 1 + i, type, at: AT, data });
  replay.wake();
  await reader.saw(said.at(-1)!.type, ({ id }) => id === String(head + said.length));
  const events = reader.frames.filter(({ id }) => id !== null && !id.includes("."));
  expect(events).toEqual(
    said.map(({ type, shown }, i) => {
      const seq = head + 1 + i;
      return { event: type, id: String(seq), data: { seq, type, at: AT, ...shown } };
    }),
  );
  await reader.leave();
}

/** The names that a rule has in backticks, one or many in each pair; what is in braces is not a name. */
function namesIn(rule: string): Set<string> {
  const text =
    specText()
      .split("\n")
      .find((line) => line.startsWith(`- **${rule}** `)) ?? "";
  const [now = ""] = text.split("Still to come");
  const quoted = [...now.matchAll(/`([^`]*)`/g)].map(([, words = ""]) => words.replace(/\{.*\}/, ""));
  return new Set(quoted.flatMap((words) => words.split(" ")));
}

const NOTES = ["snapshot", "reset", "stream.closing", "stream.end"];

test("[SSE-7] every event of a chat is streamed under its own name, with its data in snake_case; the rule names them all", async () => {
  const chat = await client.chat(agent, owner.workspaceId);
  const head = (await client.readChat(chat))["last_seq"] as number;
  await streamed(chatRef(owner.organizationId, chat), `/api/chats/${chat}/events`, { head, shapes: CHAT_SAMPLES });
  expect([...namesIn("SSE-7")].toSorted()).toEqual([...Object.keys(CHAT_EVENTS), "message.delta", ...NOTES].toSorted());
});

test("[SSE-8] every event of a job is streamed under its own name, with its data in snake_case; the rule names them all", async () => {
  const hold = gate();
  service.model.script = () => [{ say: "x" }, hold];
  const chat = await client.chat(agent, owner.workspaceId);
  const { job } = await client.send(chat, "hello");
  const reader = await StreamReader.open(`${service.url}/api/jobs/${job.id}/events?replay=0`, {
    authorization: `Bearer ${owner.token}`,
  });
  await reader.saw("transcript.delta");
  await reader.leave();
  const ref = jobRef(owner.organizationId, job.id);
  const head = service.system.actors.stream(ref, shardOf(owner.organizationId)).head!;
  await streamed(ref, `/api/jobs/${job.id}/events`, { head, shapes: JOB_SAMPLES });
  expect([...namesIn("SSE-8")].toSorted()).toEqual(
    [...Object.keys(JOB_EVENTS), "transcript.delta", ...NOTES].toSorted(),
  );
});
