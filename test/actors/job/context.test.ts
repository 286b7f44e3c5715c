/** What a model call is given of a long chat. */
import { expect, test } from "bun:test";
import { HISTORY_CHARACTERS, HISTORY_MESSAGES } from "../../../actors/job/run/reading.ts";
import { type JobReplica, startJobs } from "../../support/job-replica.ts";
import { World } from "../../support/replica.ts";

/** One turn after the other. */
async function talk(replica: JobReplica, messages: readonly string[]): Promise<void> {
  for (const message of messages) await replica.ended(await replica.send(message));
}
const told = (replica: JobReplica) => replica.model.calls.at(-1)!.entries;

test("[CHAT-8] a model call gets the newest 200 messages of its chat and its own, and begins with a user's", async () => {
  const replica = await startJobs(new World());
  const turns = HISTORY_MESSAGES / 2 + 2;
  await talk(
    replica,
    Array.from({ length: turns }, (_, i) => `message ${i}`),
  );
  const entries = told(replica);
  expect(entries.length).toBe(HISTORY_MESSAGES + 1);
  expect(entries[0]).toEqual({ role: "user", text: `message ${turns - 1 - HISTORY_MESSAGES / 2}` });
  expect(entries.at(-1)).toEqual({ role: "user", text: `message ${turns - 1}` });
});

test("[CHAT-8] of them it gets 400,000 characters: whole messages, the oldest left out", async () => {
  const replica = await startJobs(new World());
  replica.model.script = () => [{ say: "ok" }];
  // What an answer is counted as.
  const answer = JSON.stringify([{ type: "text", text: "ok" }]).length;
  const half = "x".repeat(HISTORY_CHARACTERS / 2 - answer);
  await talk(replica, ["first", half, half, "last"]);
  expect(told(replica).map((entry) => (entry.role === "user" ? entry.text.length : "answer"))).toEqual([
    half.length,
    "answer",
    half.length,
    "answer",
    4,
  ]);
  await talk(replica, ["one more"]);
  expect(told(replica)[0]).toEqual({ role: "user", text: half });
  expect(told(replica).length).toBe(5);
});
