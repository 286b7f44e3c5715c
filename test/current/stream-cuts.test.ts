/** Streams that are cut anywhere and picked up again, over evictions and a restart of the service. */
import { expect, test } from "bun:test";
import { jobRef } from "../../actors/job/schema.ts";
import { until } from "../support/condition.ts";
import { Client } from "../support/current.ts";
import { type CutReader, EventSourceCutReader, RawCutReader, seeded } from "../support/cut-readers.ts";
import { FakeModel, type ModelStep } from "../support/fake-model.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { type Service, startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

const CHATS = 3;
const RAW_READERS = 44;
const PACKAGE_READERS = 6;
/** The longest life of a connection, in bytes: some a comment, some a whole turn. */
const LONGEST_CUT = 4_000;
const PIECES = ["plain ", "ünïcode ", "😀👩‍👩‍👧 ", "line\nbreak\r\n ", "\u2028sep\u0085 ", '"quoted" '];

/** Text in many pieces, with turns of the loop between them; `hold` after half of it. */
function story(random: () => number, hold: Promise<void> | null): ModelStep[] {
  return Array.from({ length: 60 }, (_, i): ModelStep[] => {
    const pause = new Promise<void>((resolve) => setTimeout(resolve, i * 3));
    const said: ModelStep[] = [{ say: PIECES[Math.floor(random() * PIECES.length)]! }, { hold: pause }];
    return hold !== null && i === 30 ? [...said, { hold }] : said;
  }).flat();
}

test("[SSE-3] streams that are cut at random bytes, over evictions and a restart: each sees each event once, in order, and the text of each message", async () => {
  const random = seeded(20_261_121);
  const testDatabase = await createTestDatabase();
  const budgets = new Map<string, number>();
  const overrides = { budgets };
  let service: Service = await startService({ testDatabase, overrides });
  const port = Number(new URL(service.url).port);
  const owner = await service.found();
  budgets.set(owner.organizationId, 1_000_000);
  const agent = await createAgent(service, owner);
  let client = new Client(service, owner);
  service.model.script = () => story(random, null);
  const chats = await Promise.all(Array.from({ length: CHATS }, () => client.chat(agent, owner.workspaceId)));
  const nextCut = (): number => 1 + Math.floor(random() ** 2 * LONGEST_CUT);
  const readers: { chat: string; reader: CutReader }[] = [];
  for (let i = 0; i < RAW_READERS + PACKAGE_READERS; i++) {
    const chat = chats[i % CHATS]!;
    const options = { url: `${service.url}/api/chats/${chat}/events?replay=all`, token: owner.token, nextCut };
    readers.push({ chat, reader: i < RAW_READERS ? new RawCutReader(options) : new EventSourceCutReader(options) });
  }
  const heads = new Map<string, number>();
  const allSaw = async (what: string): Promise<void> => {
    for (const chat of chats) heads.set(chat, (await client.readChat(chat))["last_seq"] as number);
    await until(`${what}: every reader has every event`, () =>
      readers.every(({ chat, reader }) => reader.book.seq >= (heads.get(chat) ?? 0) || reader.book.breaches.length > 0),
    );
    expect(readers.flatMap(({ reader }) => reader.book.breaches)).toEqual([]);
  };
  const idle = async (chat: string): Promise<boolean> => (await client.readChat(chat)).active_job_id === null;
  const turnsEnd = (): Promise<void> =>
    until("all turns are over", async () => (await Promise.all(chats.map(idle))).every((isIdle) => isIdle));
  try {
    for (const chat of chats) {
      await client.send(chat, "first");
      await client.send(chat, "second");
    }
    await turnsEnd();
    await allSaw("turns while they are cut");
    service.system.actors.passivate(Number.POSITIVE_INFINITY);

    // The restart strikes in the middle of a text; the new process writes it again.
    service.model.script = () => story(random, new Promise(() => {}));
    const sent = await Promise.all(chats.map((chat) => client.send(chat, "third")));
    for (const { job } of sent) {
      const subscription = service.system.subscribe(jobRef(owner.organizationId, job.id), 0);
      while (!(await subscription.next()).some((item) => item.kind === "text"));
      subscription.close();
    }
    await service.stop();
    const model = new FakeModel();
    model.script = () => story(random, null);
    service = await startService({ testDatabase, port, models: model, overrides });
    client = new Client(service, owner);
    await turnsEnd();
    await allSaw("a restart");
    for (const { reader } of readers) {
      expect(reader.connections).toBeGreaterThan(3);
      expect([reader.book.compared, reader.book.restarts]).toEqual([3, 1]);
    }
  } finally {
    await Promise.all(readers.map(({ reader }) => reader.stop()));
    await service.stop();
    await testDatabase.drop();
  }
});
