/** The contract against the whole service, as operators start it: what the document says is what is answered. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hasScope, SCOPES } from "../../actors/organization/principal.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { startTroupe, type TroupeProcess } from "../support/troupe-process.ts";
import { type Operation, readContract, successesOf } from "./document.ts";
import { HAPPY, happyAsks } from "./happy.ts";
import { Judge } from "./judge.ts";
import { Walker } from "./walker.ts";
import { World } from "./world.ts";

const contract = readContract();
const judge = new Judge(contract);
const guarded = contract.operations.filter(({ scopes }) => scopes !== null);

/** Statuses that say who asks is not let in. */
const KEPT_OUT = [401, 403];
const isV1 = ({ path }: Operation): boolean => path.startsWith("/api/v1/");

test("[DOC-6] each operation has a call that succeeds, and each status of its success", () => {
  expect(Object.keys(HAPPY).toSorted()).toEqual(contract.operations.map(({ id }) => id).toSorted());
});

describe.each([
  ["unset", {}],
  ["production", { NODE_ENV: "production", ALLOW_DEMO_MODEL: "1" }],
] as const)("with NODE_ENV %s", (_, env) => {
  let folder: GuardedFolder;
  let service: TroupeProcess;
  let walker: Walker;
  let world: World;

  beforeAll(async () => {
    folder = guardedFolder();
    service = await startTroupe(folder, { env: { ...env, RATE_BUDGETS: "*=10000000" } });
    walker = new Walker(service.url, service.firstRun().personal, judge);
    world = new World(walker, contract);
  });
  afterAll(() => folder.remove());

  test("[DOC-6] without a token every operation that asks for one is 401", async () => {
    for (const operation of guarded) {
      for (const token of [null, "pat_none"]) {
        const { status, complaints } = await walker.ask(operation, { token });
        expect([operation.id, status, ...complaints]).toEqual([operation.id, 401]);
      }
    }
  });

  test("[DOC-6] without the scope every operation is 403, on v1 401", async () => {
    for (const operation of guarded) {
      const needed = operation.scopes ?? [];
      const others = SCOPES.filter((scope) => !needed.some((one) => hasScope([scope], one)));
      const { token } = await world.token(others);
      const { status, complaints } = await walker.ask(operation, { token });
      expect([operation.id, status, ...complaints]).toEqual([operation.id, isV1(operation) ? 401 : 403]);
    }
  });

  test("[DOC-6] each scope that the document names is enough", async () => {
    for (const operation of guarded) {
      for (const scope of operation.scopes ?? []) {
        const { token } = await world.token([scope]);
        const { status, complaints } = await walker.ask(operation, { token });
        expect([operation.id, KEPT_OUT.includes(status), ...complaints]).toEqual([operation.id, false]);
      }
    }
  });

  test("[DOC-6] every operation succeeds as the document says", async () => {
    const found: string[] = [];
    for (const operation of contract.operations) {
      const [only] = successesOf(operation);
      const reached = new Set<number>();
      for (const ask of await happyAsks(world, operation.id)) {
        const { status, complaints, text } = await walker.ask(operation, ask);
        reached.add(status);
        if (status !== (ask.status ?? only)) found.push(`${operation.id}: ${status} ${text}`);
        found.push(...complaints.map((complaint) => `${operation.id}: ${complaint}`));
      }
      for (const status of successesOf(operation))
        if (!reached.has(status)) found.push(`${operation.id}: no ${status}`);
    }
    expect(found).toEqual([]);
  });
});
