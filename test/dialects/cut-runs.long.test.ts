/**
 * The end of a process in the middle of answers, for each foreign protocol with a client of its own: kill -9 of the
 * only one, and of the owner of two replicas.
 */
import { expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { type ClientPlace, CUT_CLIENTS, type CutClient } from "../support/cut-clients.ts";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { ReplicaProcesses } from "../support/replica-processes.ts";
import { startTroupe } from "../support/troupe-process.ts";

/** The demo model takes some seconds for it, and says the same each time. Each client asks something else. */
const WORDS = Array.from({ length: 120 }, (_, at) => `word${at}`).join(" ");

interface AskedClient {
  readonly client: CutClient;
  readonly answer: string;
  readonly asked: Promise<unknown>;
}
type Asked = ReadonlyMap<string, AskedClient>;

/** All clients ask here; resolves once each has a part of its answer. */
async function askAll(places: Readonly<Record<string, ClientPlace>>): Promise<Asked> {
  const asked = new Map<string, AskedClient>();
  for (const [where, at] of Object.entries(places))
    for (const [protocol, open] of Object.entries(CUT_CLIENTS)) {
      const name = `${protocol} ${where}`;
      const answer = `${name}: ${WORDS}`;
      const client = open(`/slow 50\n/say ${answer}`);
      asked.set(name, {
        client,
        answer,
        asked: client.ask(at).then(
          () => "ended",
          () => "cut",
        ),
      });
    }
  await until("every client has a part", () =>
    [...asked.values()].every(({ client }) => client.shown().includes("word7")),
  );
  return asked;
}

/** Each resumes; a protocol that cannot has asked the same again. No client has a word twice, and none another run. */
async function resumeAll(asked: Asked, at: ClientPlace): Promise<void> {
  const all = [...asked].map(([name, one]) => {
    const goesOn = one.client.outlivesOwner === true && name.endsWith("at the other");
    return { ...one, goesOn };
  });
  const cut = all.filter(({ goesOn }) => !goesOn);
  for (const one of cut) await one.asked;
  for (const { client, answer } of cut) expect(client.shown().length).toBeLessThan(answer.length);
  await Promise.all(all.map(({ client, goesOn, asked: own }) => (goesOn ? own : client.resume(at))));
  const shown = [...asked].map(([name, { client }]) => [name, client.shown()]);
  expect(shown).toEqual([...asked].map(([name, { answer }]) => [name, answer]));
  const jobs = await fetch(`${at.url}/api/jobs?limit=100`, { headers: { authorization: `Bearer ${at.token}` } });
  expect(((await jobs.json()) as { jobs: unknown[] }).jobs.length).toBe(asked.size);
}

test("[DIA-2] [DIA-10] after kill -9 each protocol resumes as far as it can, shows no text twice, and begins no other run", async () => {
  const folder = guardedFolder();
  try {
    const { personal: token, agentId: agent } = await copyFirstRun(folder);
    const service = await startTroupe(folder);
    const asked = await askAll({ alone: { url: service.url, token, agent } });
    await service.end("SIGKILL");
    const { url } = await startTroupe(folder);
    await resumeAll(asked, { url, token, agent });
  } finally {
    await folder.remove();
  }
});

test("[DIA-7] [DIA-13] [DIA-16] [DIA-23] after the owner of two replicas is killed, each protocol resumes at the other one", async () => {
  const replicas = await ReplicaProcesses.start(2);
  try {
    const { owner, other } = await replicas.sides();
    const { token, agentId: agent } = replicas;
    const at = ({ url }: { readonly url: string }): ClientPlace => ({ url, token, agent });
    const asked = await askAll({ "at the owner": at(owner), "at the other": at(other) });
    await owner.end("SIGKILL");
    await until("the other replica has taken over", async () => (await replicas.call(other, "GET", "/api/jobs")).ok);
    await resumeAll(asked, at(other));
  } finally {
    await replicas.stop();
  }
});
