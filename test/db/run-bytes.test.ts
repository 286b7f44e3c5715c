/** What the commits of a short run send to the database. */
import { expect, test } from "bun:test";
import type { ShardWrites } from "../../actors/runtime/store.ts";
import { flushStatement } from "../../db/flush.ts";
import { ORG, startJobs } from "../support/job-replica.ts";
import { World } from "../support/replica.ts";

/** Bytes of a short run whose text has `LONG` characters: more means that a commit carries something again. */
const SENT_BYTES = 13_500;
const LONG = 10_000;
/**
 * How often the text of a message, and that of the answer to it, are sent. The message: its event and its record. The
 * answer: its event in the streams of job and chat, its record, and the result of the job.
 */
const COPIES = { message: 2, answer: 4 };

/** The rows of these statements by table. */
function sentRows(batches: readonly (readonly ShardWrites[])[]): (readonly [table: string, rows: string])[] {
  return batches.flatMap((batch) => {
    const { text, parameters } = flushStatement(batch);
    const tables = [...text.matchAll(/ w_(\w+) as \(/g)].map(([, table]) => table!);
    return tables.map((table, index) => [table, parameters[index + 2] as string] as const);
  });
}

/** A run in a new chat, in an organization that has had one already. */
async function sentByRun(message: string, answer: string): Promise<ReturnType<typeof sentRows>> {
  const replica = await startJobs(new World());
  replica.model.script = () => [{ say: answer }];
  await replica.ended(await replica.send("first", "cht_first"));
  await replica.system.settled(ORG);
  const before = replica.store.flushed.length;
  await replica.ended(await replica.send(message));
  await replica.system.settled(ORG);
  await replica.system.stop();
  return sentRows(replica.store.flushed.slice(before));
}

test("[RT-4] a short run sends few bytes, and of its organization's totals only changed fields", async () => {
  const sent = await sentByRun("Hello, what can you do?", "Little.");
  const bytes = sent.reduce((sum, [, rows]) => sum + Buffer.byteLength(rows), 0);
  expect(bytes).toBeLessThan(SENT_BYTES);
  for (const [table, rows] of sent)
    if (/usage|feed/.test(table)) expect([table, rows.includes("createdAt")]).toEqual([table, false]);
});

test("[RT-4] a long text is sent once for each thing that has it", async () => {
  const [message, answer] = ["m".repeat(LONG), "a".repeat(LONG)];
  const sent = await sentByRun(message, answer);
  const count = (text: string) => sent.reduce((sum, [, rows]) => sum + rows.split(text).length - 1, 0);
  expect({ message: count(message), answer: count(answer) }).toEqual(COPIES);
});
