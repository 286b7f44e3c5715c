/** The steps of `docs/operations.md` by which the key of the service is changed, at two replicas that are in use all the time. */
import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { REPLICA_SECRET, ReplicaProcesses } from "../support/replica-processes.ts";
import { eventually, type TroupeProcess } from "../support/troupe-process.ts";

const PRESENT = Buffer.alloc(32, 8).toString("base64");
const AGAIN_MS = 50;
/** No request is without an answer for so long, however slow the machine. */
const GIVE_UP_MS = 90_000;

test("[OPS-7] the key is changed replica by replica while clients are served, and nothing that was sealed is lost", async () => {
  const arrived: { readonly body: string; readonly headers: Record<string, string> }[] = [];
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      arrived.push({ body: await request.text(), headers: Object.fromEntries(request.headers) });
      return new Response(null, { status: 204 });
    },
  });
  const settings = { EGRESS_ALLOW: "127.0.0.1", RATE_BUDGETS: "*=1000000" };
  const replicas = await ReplicaProcesses.start(2, () => settings);
  let isOver = false;
  try {
    /** Those that requests go to. */
    const serving = [...replicas.all] as [TroupeProcess, TroupeProcess];

    /** At one replica after the other until one has done it, as a client behind a balancer. */
    const done = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const key = { "idempotency-key": crypto.randomUUID() };
      const giveUpAt = performance.now() + GIVE_UP_MS;
      for (let turn = 0; ; turn++) {
        const at = serving[turn % serving.length]!;
        const answer = await replicas.call(at, method, path, body, key).catch(() => null);
        if (answer?.ok === true) return (await answer.json()) as Record<string, unknown>;
        if (answer !== null && answer.status < 500)
          throw new Error(`${path} is ${answer.status}: ${await answer.text()}`);
        if (performance.now() > giveUpAt) throw new Error(`${method} ${path} was never answered`);
        await Bun.sleep(AGAIN_MS);
      }
    };
    const titles: string[] = [];
    const client = async (): Promise<void> => {
      while (!isOver) {
        const title = `task ${titles.length}`;
        await done("POST", "/api/tasks", { title });
        titles.push(title);
      }
    };
    const restarted = async (env: Readonly<Record<string, string>>): Promise<void> => {
      for (const index of [0, 1] as const) {
        expect(await serving[index].end()).toBe(0);
        serving[index] = await replicas.join({ ...settings, ...env });
        await replicas.even();
      }
    };
    const rotate = () => replicas.admin(serving[0], ["secrets", "rotate-key", "--json"]);

    const url = `http://127.0.0.1:${receiver.port}/hooks`;
    const set = await done("PUT", "/api/messaging-integration", { name: "receiver", url, enabled: true });
    const signing = new Webhook(String(set["secret"]));
    await done("PUT", "/api/secrets/BEFORE", { value: "a secret of before" });
    await done("POST", "/api/messengers", { name: "Ops", format: "slack", url });
    /** What arrives next is signed with the secret that was sealed at the beginning. */
    const signs = async (): Promise<void> => {
      const from = arrived.length;
      await done("POST", "/api/messaging-integration/test");
      const isTest = ({ headers }: (typeof arrived)[number]): boolean =>
        headers["service-event-type"] === "webhook.test";
      await eventually("the test event arrives", () => arrived.slice(from).some(isTest));
      const { body, headers } = arrived.slice(from).find(isTest)!;
      signing.verify(body, headers);
    };
    await signs();
    const clients = [client(), client()];

    // 2. All can read what the new key encrypts, and none encrypts with it.
    await restarted({ TROUPE_OTHER_SECRETS: PRESENT });
    await signs();
    // 3. The new key encrypts. While one still does not, nothing is encrypted anew.
    const first = serving[0];
    expect(await first.end()).toBe(0);
    serving[0] = await replicas.join({ ...settings, TROUPE_SECRET: PRESENT, TROUPE_OTHER_SECRETS: REPLICA_SECRET });
    const early = await rotate();
    expect([early.code, JSON.parse(early.err)]).toEqual([
      1,
      { error: expect.stringContaining("still seals under another key") },
    ]);
    await signs();
    expect(await serving[1].end()).toBe(0);
    serving[1] = await replicas.join({ ...settings, TROUPE_SECRET: PRESENT, TROUPE_OTHER_SECRETS: REPLICA_SECRET });
    await replicas.even();
    await done("PUT", "/api/secrets/BETWEEN", { value: "a secret of between" });
    // 4. The rest is encrypted anew.
    const rotated = await rotate();
    expect([rotated.code, JSON.parse(rotated.out)]).toEqual([
      0,
      { organizations: 1, secrets: 1, signing: 1, messengers: 1, connections: 0, key_check: expect.any(String) },
    ]);
    // 5. The former key is forgotten.
    await restarted({ TROUPE_SECRET: PRESENT });
    await signs();

    isOver = true;
    await Promise.all(clients);
    const [row] = await replicas.sql<{ n: number }[]>`select count(*)::int as n from task`;
    expect(titles.length).toBeGreaterThan(10);
    expect(row!.n).toBe(titles.length);
    for (const { log } of replicas.all) expect(log.filter(({ msg }) => msg.endsWith("a bug"))).toEqual([]);
  } finally {
    isOver = true;
    await receiver.stop(true);
    await replicas.stop();
  }
}, 300_000);
