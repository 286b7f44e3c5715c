/**
 * The part of the service that delivers webhooks, put together as `main.ts` does it: the actors over PostgreSQL,
 * the guarded client, the signatures. Organizations are only ids here, and events are enqueued as by a request: a
 * message to the webhook actor, in a commit.
 *
 *   bun webhook-worker.ts <url of the database> <port of the receiver>      BENCH_CA: its authority, in PEM
 */
import { newId } from "../../actors/ids.ts";
import type { GroupMember } from "../../actors/runtime/turns/members.ts";
import { isoTime } from "../../actors/schema.ts";
import { type NewsEvent, takeEvent, webhookRef } from "../../actors/webhook/events.ts";
import type { WebhookCommand } from "../../actors/webhook/protocol.ts";
import { signingContext } from "../../actors/webhook/schema.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { newSigningSecret, signatureHeaders, Signer } from "../../src/egress/webhook-signature.ts";
import { createSealing } from "../../src/service/service-key.ts";
import { createLogger } from "../../src/log/log.ts";
import { openAssembled } from "../../test/support/assembled.ts";
import { FakeModel } from "../../test/support/fake-model.ts";
import { configOf } from "../../test/support/settings.ts";
import { callInLoops } from "./callers.ts";
import { wallMs } from "./wall-clock.ts";
import { serveWorker } from "./worker.ts";

export type WebhookQuestion =
  | { readonly kind: "configure"; readonly organizations: readonly string[]; readonly path: string }
  /** Events in a closed loop: each organization has a fixed number of undelivered ones. */
  | {
      readonly kind: "deliver";
      readonly organizations: readonly string[];
      readonly outstanding: number;
      readonly seconds: number;
    }
  /** Only the same signed requests, from a number of callers. */
  | { readonly kind: "fetch" | "guarded_fetch"; readonly callers: number; readonly seconds: number }
  /**
   * A number of events of each organization, one every `everyMs`; ends when those of the first organization are
   * delivered.
   */
  | {
      readonly kind: "pace";
      readonly organizations: readonly string[];
      readonly count: number;
      readonly everyMs: number;
    }
  /** A number of events of each organization at once; ends with their commits. */
  | { readonly kind: "leave"; readonly organizations: readonly string[]; readonly count: number }
  /** Makes these organizations check for due deliveries, as their alarm does. */
  | { readonly kind: "look"; readonly organizations: readonly string[] }
  /** Resolves when these organizations have nothing in flight. */
  | { readonly kind: "calm"; readonly organizations: readonly string[] }
  /** Frees unused memory, so that the rest can be measured. */
  | { readonly kind: "tidy" }
  | { readonly kind: "count" };

export interface WebhookAnswer {
  /** Deliveries per second, with their ends committed to the ledger; or answered requests. */
  readonly perSecond: number;
  /** CPU of this process, in µs for each. */
  readonly cpuUs: number;
  /** Commit times of the first organization's events, by mark. */
  readonly commits: readonly (readonly [mark: number, at: number])[];
  /** Attempts that have ended since the start. */
  readonly ended: number;
}

const NOTHING: WebhookAnswer = { perSecond: 0, cpuUs: 0, commits: [], ended: 0 };
/** The warm-up, as a part of the measured time. */
const WARM_UP = 0.25;
const HOST = "hooks.test";
const ADDRESS = "127.0.0.1";
const LOOK_MS = 5;

const [databaseUrl = "", receiverPort = ""] = process.argv.slice(2);
const ca = process.env["BENCH_CA"] ?? "";
const receiver = `https://${HOST}:${receiverPort}`;

const sealing = createSealing(new Uint8Array(32));
const resolve = (): Promise<readonly string[]> => Promise.resolve([ADDRESS]);
const egress = createEgress({ allow: [ADDRESS], production: true, ca, resolve });

/** The progress of an organization's events. */
interface Tally {
  left: number;
  ended: number;
  /** Callbacks that wait for the next end. */
  readonly waiting: (() => void)[];
}
const tallies = new Map<string, Tally>();
let allEnded = 0;

function tallyOf(organizationId: string): Tally {
  const known = tallies.get(organizationId);
  if (known !== undefined) return known;
  const tally = { left: 0, ended: 0, waiting: [] };
  tallies.set(organizationId, tally);
  return tally;
}

const { actors, undo } = await openAssembled(databaseUrl, {
  config: configOf({ APP_URL: "https://troupe.example.com" }),
  log: await createLogger({ level: "error", pretty: false, sink: { write: (line) => console.error(line) } }),
  sealing,
  models: new FakeModel(),
  egress,
});
const { system } = actors;

/** Counts the attempts whose ends are committed. */
const dispatchGroup = system.dispatchGroup.bind(system);
system.dispatchGroup = async (members, options) => {
  const outcome = await dispatchGroup(members, options);
  for (const member of outcome.ok ? members : []) if (typeof member === "object") countEnds(member);
  return outcome;
};
await system.start();

function countEnds({ ref, command }: GroupMember): void {
  if (command.kind !== "attempts_ended") return;
  const { ends } = command as Extract<WebhookCommand, { readonly kind: "attempts_ended" }>;
  const tally = tallyOf(ref.organizationId);
  allEnded += ends.length;
  tally.ended += ends.length;
  for (const resolve of tally.waiting.splice(0, ends.length)) resolve();
}

async function configure(organizationId: string, path: string): Promise<void> {
  const secret = newSigningSecret();
  const fresh = { sealed: sealing.seal("webhook", secret, signingContext(organizationId)), last4: secret.slice(-4) };
  const url = `${receiver}${path}`;
  const input = { name: "bench", url, enabled: true, eventTypes: [], retryProfile: "standard" } as const;
  const outcome = await system.dispatch(webhookRef(organizationId), { kind: "configure_destination", input, fresh });
  if (!outcome.ok) throw new Error(outcome.fault.kind);
}

const INSTRUCTIONS = "Answer briefly. ".repeat(30);

/** About a kilobyte on the wire. */
const updatesOf = (mark: number): NewsEvent => ({
  type: "agent.updated",
  source: "api_mutation",
  at: isoTime(systemClock.now()),
  actor: { type: "user", id: "usr_1" },
  requestId: "req_1",
  resource: { type: "agent", id: "agt_1", path: "/api/agents/agt_1", version: 1 },
  data: { id: "agt_1", name: "An agent", instructions: INSTRUCTIONS, mark },
  isTruncated: false,
  changes: ["instructions"],
});

/** Enqueues an event; resolves at the commit. */
async function leave(organizationId: string, mark = 0): Promise<void> {
  tallyOf(organizationId).left++;
  const message = { ref: webhookRef(organizationId), command: takeEvent(updatesOf(mark)), isMessage: true } as const;
  const outcome = await system.dispatchGroup([message]);
  if (!outcome.ok) throw new Error(outcome.fault.kind);
}

async function deliver({
  organizations,
  outstanding,
  seconds,
}: Extract<WebhookQuestion, { readonly kind: "deliver" }>): Promise<WebhookAnswer> {
  let isOver = false;
  const loop = async (id: string): Promise<void> => {
    while (!isOver) {
      const end = Promise.withResolvers<void>();
      tallyOf(id).waiting.push(end.resolve);
      await leave(id);
      await end.promise;
    }
  };
  const loops = organizations.flatMap((id) => Array.from({ length: outstanding }, () => loop(id)));
  await Bun.sleep(seconds * 1_000 * WARM_UP);
  const [from, before, cpuFrom] = [performance.now(), allEnded, process.cpuUsage()];
  await Bun.sleep(seconds * 1_000);
  const [cpu, all, ms] = [process.cpuUsage(cpuFrom), allEnded - before, performance.now() - from];
  isOver = true;
  await Promise.all(loops);
  return { ...NOTHING, perSecond: (all * 1_000) / ms, cpuUs: (cpu.user + cpu.system) / all };
}

interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
const signers = [new Signer(newSigningSecret())];
const EVENT_ID = newId("evt");

/** With as many headers and bytes as a delivery. */
function signed(): Signed {
  const now = systemClock.now();
  const { requestId, ...event } = updatesOf(0);
  const more = { api_version: "2026-01-01", timestamp: Math.floor(now / 1_000), organization_id: "org_1", sequence: 1 };
  const body = JSON.stringify({ id: EVENT_ID, ...event, ...more, request_id: requestId });
  const headers = {
    "content-type": "application/json",
    "service-event-id": EVENT_ID,
    "service-event-type": event.type,
    "service-delivery-attempt": "1",
    "idempotency-key": EVENT_ID,
    ...signatureHeaders(signers, { eventId: EVENT_ID, seconds: Math.floor(now / 1_000), body }),
  };
  return { headers, body };
}

async function bareFetch(): Promise<void> {
  const { headers, body } = signed();
  const answer = await fetch(`https://${ADDRESS}:${receiverPort}/hook`, {
    method: "POST",
    headers: { host: `${HOST}:${receiverPort}`, ...headers },
    body,
    tls: { ca, serverName: HOST },
  });
  if ((await answer.text()) !== "taken") throw new Error(`the receiver answers ${answer.status}`);
}

async function guardedFetch(): Promise<void> {
  const limits = { timeoutMs: 15_000, maxResponseBytes: 16_384 };
  const answer = await egress.request({ url: `${receiver}/hook`, method: "POST", ...signed(), limits });
  if (answer.kind === "failed" || answer.status !== 200) throw new Error("the receiver does not take it");
}

let lastMark = 0;

async function pace({
  organizations,
  count,
  everyMs,
}: Extract<WebhookQuestion, { readonly kind: "pace" }>): Promise<WebhookAnswer> {
  const [first = "", ...others] = organizations;
  const commits: (readonly [number, number])[] = [];
  const under: Promise<void>[] = [];
  const from = performance.now();
  for (let i = 0; i < count; i++) {
    const mark = ++lastMark;
    under.push(leave(first, mark).then(() => void commits.push([mark, wallMs()])));
    for (const other of others) under.push(leave(other));
    await Bun.sleep(Math.max(0, from + (i + 1) * everyMs - performance.now()));
  }
  await Promise.all(under);
  await calm([first]);
  return { ...NOTHING, commits };
}

async function calm(organizations: readonly string[]): Promise<void> {
  const isCalm = (id: string): boolean => tallyOf(id).ended >= tallyOf(id).left;
  while (!organizations.every(isCalm)) await Bun.sleep(LOOK_MS);
}

async function answer(question: WebhookQuestion): Promise<WebhookAnswer> {
  switch (question.kind) {
    case "configure":
      for (const id of question.organizations) await configure(id, question.path);
      return NOTHING;
    case "deliver":
      return deliver(question);
    case "fetch":
    case "guarded_fetch": {
      const { callers, seconds } = question;
      const call = question.kind === "fetch" ? bareFetch : guardedFetch;
      return { ...NOTHING, ...(await callInLoops({ callers, keys: callers, seconds }, call)) };
    }
    case "pace":
      return pace(question);
    case "leave":
      await Promise.all(
        question.organizations.flatMap((id) => Array.from({ length: question.count }, () => leave(id))),
      );
      return NOTHING;
    case "look":
      for (const id of question.organizations) await system.dispatch(webhookRef(id), { kind: "attempts_due" });
      return NOTHING;
    case "calm":
      await calm(question.organizations);
      return NOTHING;
    case "tidy":
      Bun.gc(true);
      return NOTHING;
    case "count":
      return { ...NOTHING, ended: allEnded };
  }
}

serveWorker<WebhookQuestion, WebhookAnswer>(answer, async () => {
  await undo.run();
  egress.close();
});
