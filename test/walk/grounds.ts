/** Where the walks go: the whole service as operators start it, once for each environment (DOC-6). */
import type { GuardedFolder } from "../support/guarded-folder.ts";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { startTroupe, type TroupeProcess } from "../support/troupe-process.ts";
import type { ContractDocument, Operation } from "./document.ts";
import { Expectation } from "./expectation.ts";
import { happyAsks } from "./happy.ts";
import { type Hostile, HostileRequests } from "./hostile.ts";
import type { Judge } from "./judge.ts";
import { type Ask, type Heard, Walker } from "./walker.ts";
import { World } from "./world.ts";
import fc from "fast-check";

/** By the value of NODE_ENV. In production somebody has to say that the demo model will do. */
export const ENVIRONMENTS = {
  unset: {},
  production: { NODE_ENV: "production", ALLOW_DEMO_MODEL: "1" },
} as const;

/** More requests of a minute than a walk makes. */
const RATE_BUDGETS = "*=100000000";
/** Operations that are walked side by side. */
const LANES = 6;

export class Grounds {
  readonly walker: Walker;
  readonly world: World;
  private readonly env: Readonly<Record<string, string>>;
  private readonly service: TroupeProcess;
  private readonly folder: GuardedFolder;
  private readonly contract: ContractDocument;
  private readonly judge: Judge;
  private readonly tokens = new Map<string, string>();
  private readonly expectation: Expectation;

  private constructor(parts: {
    env: Readonly<Record<string, string>>;
    folder: GuardedFolder;
    service: TroupeProcess;
    contract: ContractDocument;
    judge: Judge;
  }) {
    const { env, folder, service, contract, judge } = parts;
    this.env = env;
    this.judge = judge;
    this.folder = folder;
    this.service = service;
    this.contract = contract;
    this.walker = new Walker(service.url, service.firstRun().personal, judge);
    this.world = new World(this.walker, contract);
    this.expectation = new Expectation(contract, judge);
  }

  static async open(env: Readonly<Record<string, string>>, contract: ContractDocument, judge: Judge): Promise<Grounds> {
    const folder = guardedFolder();
    await copyFirstRun(folder);
    const service = await startTroupe(folder, { env: { ...env, RATE_BUDGETS, EGRESS_ALLOW: "127.0.0.1" } });
    return new Grounds({ env, folder, service, contract, judge });
  }

  /**
   * These grounds, or new ones if their service is ending: where a test takes too long, Bun ends the processes that
   * were started before, and the tests after it would fail too.
   */
  async stillOpen(): Promise<Grounds> {
    // One that is ending still runs for a while, but answers nothing new.
    const answer = await fetch(`${this.service.url}/readyz`).catch(() => null);
    if (answer?.status === 200) return this;
    await this.close();
    return Grounds.open(this.env, this.contract, this.judge);
  }

  /** A token with these scopes; one for all that need the same. */
  async tokenFor(scopes: readonly string[]): Promise<string> {
    const key = scopes.join(" ");
    const token = this.tokens.get(key) ?? (await this.world.token(scopes)).token;
    this.tokens.set(key, token);
    return token;
  }

  close(): Promise<void> {
    return this.folder.remove();
  }

  /** What the service has logged of failures of its own. */
  get bugs(): readonly string[] {
    return this.service.log.filter(({ level }) => level >= 50).map((line) => JSON.stringify(line));
  }

  /**
   * Sends at least so many hostile requests, most of them where there is a body or a query to get wrong.
   * Answers what was wrong with the answers, by operation and shrunk to the least request; and how many it sent.
   */
  async harry(requests: number): Promise<{ readonly sent: number; readonly found: readonly string[] }> {
    const { operations } = this.contract;
    const weight = ({ body, parameters }: Operation): number =>
      (body === null ? 0 : 3) + (parameters.length > 1 ? 2 : 1);
    const share = requests / operations.reduce((sum, operation) => sum + weight(operation), 0);
    const found: string[] = [];
    const queue = await this.prepared();
    let sent = 0;
    const lane = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { operation, good } = next;
        const runs = Math.ceil(weight(operation) * share);
        const wrong = await this.harryOne(operation, good, runs);
        if (wrong !== null) found.push(wrong);
        sent += runs;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return { sent, found };
  }

  /** A good request for each operation, with records of its own: made before any of them is spoilt. */
  private async prepared(): Promise<{ readonly operation: Operation; readonly good: Ask }[]> {
    const prepared: { readonly operation: Operation; readonly good: Ask }[] = [];
    for (const operation of this.contract.operations) {
      const [good = {}] = await happyAsks(this.world, operation.id);
      prepared.push({ operation, good });
    }
    return prepared;
  }

  private async harryOne(operation: Operation, good: Ask, runs: number): Promise<string | null> {
    const requests = new HostileRequests(this.contract).of(operation, good);
    const property = fc.asyncProperty(requests, async (hostile) => {
      const heard = await this.walker.ask(operation, hostile.ask);
      const wrong = this.wrongsOf(operation, hostile, heard);
      if (wrong.length > 0) throw new Error(wrong.join("; "));
    });
    const result = await fc.check(property, { numRuns: runs });
    if (!result.failed) return null;
    const [hostile] = result.counterexample ?? [];
    const { message } = result.errorInstance as Error;
    return `${operation.id} (seed ${result.seed}): ${message} to ${shown(hostile?.ask)}`;
  }

  private wrongsOf(operation: Operation, hostile: Hostile, { status, complaints, text }: Heard): readonly string[] {
    const isBodyBad = this.expectation.isBodyBad(operation, hostile);
    const isQueryBad = this.expectation.isQueryBad(operation, hostile);
    const checks: readonly (readonly [boolean, string])[] = [
      [status >= 500 && !isOfHost(status, text), `${status} ${text}`],
      [isBodyBad && status < 400, `a bad body is answered with ${status}`],
      [isQueryBad && status < 400, `a bad query is answered with ${status}`],
      [isBodyBad && hostile.isElsewhereGood && status !== 400, `a bad body is ${status} and not 400: ${text}`],
    ];
    return [...complaints, ...checks.flatMap(([isWrong, complaint]) => (isWrong ? [complaint] : []))];
  }
}

/** A URL in the content may lead to a host that does not answer: that passes, as the client is told (FILE-6). */
const isOfHost = (status: number, text: string | null): boolean =>
  status === 503 &&
  text !== null &&
  /"message":"[\w.[\]]+\.source\.url (leads to a host|gave no|answered with)/.test(text);

const shown = (ask: Ask | undefined): string =>
  JSON.stringify(ask, (_, value: unknown) => (value instanceof Uint8Array ? [...value] : value)).slice(0, 1_000);
