/** The contract against the whole service, as operators start it: what the document says is what is answered. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { hasScope, SCOPES } from "../../actors/organization/principal.ts";
import { type Operation, readContract, successesOf } from "./document.ts";
import { ENVIRONMENTS, Grounds } from "./grounds.ts";
import { HAPPY, happyAsks } from "./happy.ts";
import { Judge } from "./judge.ts";
import { liveEvents } from "./live-events.ts";

/** Hostile requests in each of the two environments. */
const HOSTILE = 250;

const contract = readContract();
const judge = new Judge(contract);
const guarded = contract.operations.filter(({ scopes }) => scopes !== null);

/** Statuses that say who asks is not let in. */
const KEPT_OUT = [401, 403];
const isV1 = ({ path }: Operation): boolean => path.startsWith("/api/v1/");

/** Operations by what they are of, where there are many. */
const NOUNS = ["agents", "chats", "jobs", "missions", "workspaces"];
const areaOf = ({ path }: Operation): string =>
  NOUNS.find((noun) => path.startsWith(`/api/${noun}`)) ?? "everything else";
const AREAS = [...Map.groupBy(contract.operations, areaOf)];

/** What happens in the chats and jobs that are watched. */
const EVENTS = (
  "approval.requested approval.resolved chat.updated error job.approved job.blocked job.cancelled job.cancelling " +
  "job.completed job.created job.failed job.iteration_requested job.linked job.resumed job.review_requested " +
  "job.started job.updated message.completed message.created message.delta message.queued message.started reset " +
  "review.updated runner.status snapshot stream.end transcript.delta transcript.event usage.updated"
).split(" ");

const NAMES = ["unset", "production"] as const;
const opened = new Map<string, Grounds>();

beforeAll(async () => {
  const open = async (name: (typeof NAMES)[number]) =>
    opened.set(name, await Grounds.open(ENVIRONMENTS[name], contract, judge));
  await Promise.all(NAMES.map(open));
});
afterAll(() => Promise.all([...opened.values()].map((grounds) => grounds.close())));

test("[DOC-6] each operation has a call that succeeds", () => {
  expect(Object.keys(HAPPY).toSorted()).toEqual(contract.operations.map(({ id }) => id).toSorted());
});

describe.each(NAMES)("with NODE_ENV %s", (name) => {
  const grounds = (): Grounds => opened.get(name)!;
  beforeEach(async () => void opened.set(name, await grounds().stillOpen()));

  test("[DOC-6] without a token every operation that asks for one is 401", async () => {
    for (const operation of guarded) {
      for (const token of [null, "pat_none"]) {
        const { status, complaints } = await grounds().walker.ask(operation, { token });
        expect([operation.id, status, ...complaints]).toEqual([operation.id, 401]);
      }
    }
  });

  test("[DOC-6] without the scope every operation is 403, on v1 401", async () => {
    for (const operation of guarded) {
      const needed = operation.scopes ?? [];
      const others = SCOPES.filter((scope) => !needed.some((one) => hasScope([scope], one)));
      const token = await grounds().tokenFor(others);
      const { status, complaints } = await grounds().walker.ask(operation, { token });
      expect([operation.id, status, ...complaints]).toEqual([operation.id, isV1(operation) ? 401 : 403]);
    }
  });

  test("[DOC-6] each scope that the document names is enough", async () => {
    for (const operation of guarded) {
      for (const scope of operation.scopes ?? []) {
        const token = await grounds().tokenFor([scope]);
        const { status, complaints } = await grounds().walker.ask(operation, { token });
        expect([operation.id, KEPT_OUT.includes(status), ...complaints]).toEqual([operation.id, false]);
      }
    }
  });

  // Each area is a test, because all of them together take longer than one may on a busy machine.
  test.each(AREAS)("[DOC-6] every operation of %s succeeds as the document says", async (_, operations) => {
    const found: string[] = [];
    for (const operation of operations) {
      const [only] = successesOf(operation);
      for (const ask of await happyAsks(grounds().world, operation.id)) {
        const { status, complaints, text } = await grounds().walker.ask(operation, ask);
        if (status !== (ask.status ?? only)) found.push(`${operation.id}: ${status} ${text}`);
        found.push(...complaints.map((complaint) => `${operation.id}: ${complaint}`));
      }
    }
    expect(found).toEqual([]);
    const promised = operations.flatMap((one) => successesOf(one).map((status) => `${one.id} ${status}`));
    expect(promised.filter((one) => !grounds().walker.reached.has(one))).toEqual([]);
  });

  test("[DOC-6] the events of chats and jobs, live and replayed, are those of the document", async () => {
    const { found, seen } = await liveEvents(grounds().world);
    expect(found).toEqual([]);
    expect(EVENTS.filter((event) => !seen.has(event))).toEqual([]);
  });

  test("[DOC-6] hostile requests are refused as the document says, and none is answered with 5xx", async () => {
    const { sent, found } = await grounds().harry(HOSTILE);
    expect(found).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(HOSTILE);
    expect(grounds().bugs).toEqual([]);
  });
});
