/**
 * Webhooks of the whole service under a receiver that behaves badly, and under kill -9; then calm, and
 * the judgement: every event has its number, is delivered or accounted for as failed, every request that
 * arrived is a row of the ledger, and every signature is right.
 */
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import postgres from "postgres";
import type { Attempt, WebhookEvent } from "../../actors/webhook/schema.ts";
import { createAuthority } from "./certificates.ts";
import { seededChance } from "./fake-clock.ts";
import { type GuardedFolder, guardedFolder } from "./guarded-folder.ts";
import { embeddedUrl } from "./service-tables.ts";
import { startTroupe, type TroupeProcess } from "./troupe-process.ts";

export interface StormPlan {
  readonly seed: number;
  readonly events: number;
  readonly kills: number;
  /** Of all answers: those that are 500, that break off, and that never come. */
  readonly failing: number;
  readonly breaking: number;
  readonly hanging: number;
}

export interface StormReport {
  /** What is wrong, in words; empty where nothing is. */
  readonly wrong: readonly string[];
  readonly events: number;
  readonly arrived: number;
  readonly delivered: number;
  readonly failed: number;
  readonly most: number;
  readonly seconds: number;
}

/** One request as the receiver has seen it. */
interface Arrival {
  readonly key: string;
  readonly attempt: number;
  readonly eventId: string;
  readonly isTaken: boolean;
  readonly isSigned: boolean;
}

/** Requests of the load at once. */
const CALLERS = 16;
/** Longer than an exchange and the longest wait for a retry. */
const STUCK_MS = 120_000;
const LOOK_MS = 20;

export async function webhookStorm(plan: StormPlan): Promise<StormReport> {
  const from = performance.now();
  const folder = guardedFolder();
  const receiver = await StormReceiver.open(plan);
  try {
    const storm = await Storm.open(folder, receiver);
    await storm.load(plan);
    await storm.calm();
    const report = await storm.judge();
    return { ...report, seconds: Math.round((performance.now() - from) / 1_000) };
  } finally {
    receiver.stop();
    await folder.remove();
  }
}

class StormReceiver {
  readonly authority = createAuthority();
  readonly arrivals: Arrival[] = [];
  most = 0;
  secret = "";
  private underWay = 0;
  private readonly server: Server;

  private constructor(plan: StormPlan) {
    const chance = seededChance(plan.seed);
    this.server = createServer(this.authority.issue(["127.0.0.1"]), (request, response) => {
      this.most = Math.max(this.most, ++this.underWay);
      response.on("close", () => this.underWay--);
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        this.answer({ body, headers: request.headers, response }, chance.fraction(), plan);
      });
    });
  }

  static async open(plan: StormPlan): Promise<StormReceiver> {
    const receiver = new StormReceiver(plan);
    await new Promise<void>((resolve) => receiver.server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** A taken one, a 500, one that breaks off in its middle, or none at all. */
  private answer({ body, headers, response }: Exchange, fate: number, plan: StormPlan): void {
    const header = (name: string): string => String(headers[name] ?? "");
    const seconds = header("service-timestamp");
    const hex = createHmac("sha256", this.secret).update(`${seconds}.${body}`).digest("hex");
    const failing = plan.failing;
    const breaking = failing + plan.breaking;
    // A receiver that says 200 has the event, also where the rest of its answer breaks off.
    const isBroken = fate >= failing && fate < breaking;
    const isTaken = isBroken || fate >= breaking + plan.hanging;
    this.arrivals.push({
      key: header("idempotency-key"),
      attempt: Number(header("service-delivery-attempt")),
      eventId: header("service-event-id"),
      isTaken,
      isSigned: header("service-signature") === `t=${seconds},v1=${hex}`,
    });
    if (isBroken) {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half", () => response.destroy());
    } else if (isTaken) response.end("taken");
    else if (fate < failing) response.writeHead(500).end("no");
  }
}

interface Exchange {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
}

class Storm {
  private acknowledged = 0;
  private readonly folder: GuardedFolder;
  private readonly receiver: StormReceiver;
  private service: TroupeProcess;
  private readonly env: Readonly<Record<string, string>>;
  private readonly token: string;

  private constructor(
    folder: GuardedFolder,
    receiver: StormReceiver,
    service: TroupeProcess,
    env: Record<string, string>,
  ) {
    this.folder = folder;
    this.receiver = receiver;
    this.service = service;
    this.env = env;
    this.token = service.firstRun().personal;
  }

  static async open(folder: GuardedFolder, receiver: StormReceiver): Promise<Storm> {
    const ca = join(folder.path, "ca.pem");
    writeFileSync(ca, receiver.authority.cert);
    const env = { EGRESS_ALLOW: "127.0.0.1", NODE_EXTRA_CA_CERTS: ca, RATE_BUDGETS: "*=10000000" };
    const storm = new Storm(folder, receiver, await startTroupe(folder, { env }), env);
    const answer = await storm.ask("PUT", "/api/messaging-integration", { url: receiver.url });
    receiver.secret = ((await answer.json()) as { secret: string }).secret;
    return storm;
  }

  /** Makes the events, and kills the service now and then. */
  async load({ events, kills }: StormPlan): Promise<void> {
    for (let round = 0; round <= kills; round++) {
      const goal = Math.ceil((events * (round + 1)) / (kills + 1));
      await Promise.all(Array.from({ length: CALLERS }, () => this.caller(goal)));
      if (round === kills) break;
      await this.service.end("SIGKILL");
      this.service = await startTroupe(this.folder, { env: this.env });
    }
  }

  /** Nothing waits any more. */
  async calm(): Promise<void> {
    const sql = postgres(embeddedUrl(this.service.dataDir), { max: 1, onnotice: () => {} });
    try {
      for (let before = "", changedAt = performance.now(); ;) {
        const [row] = await sql<{ waiting: number; ended: number }[]>`
          select (select count(*) from webhook_attempt where status <> 'pending')::int as ended,
            ((select count(*) from webhook_attempt where status = 'pending')
            + (select count(*) from actor_message) + (select count(*) from effect))::int as waiting`;
        if (row?.waiting === 0) return;
        const now = JSON.stringify(row);
        if (now !== before) [before, changedAt] = [now, performance.now()];
        if (performance.now() - changedAt > STUCK_MS) throw new Error(`nothing goes on: ${now}`);
        await Bun.sleep(LOOK_MS);
      }
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  async judge(): Promise<Omit<StormReport, "seconds">> {
    const sql = postgres(embeddedUrl(this.service.dataDir), { max: 1, onnotice: () => {} });
    const events = (await sql<{ body: WebhookEvent }[]>`select body from webhook_event order by sequence`).map(
      (row) => row.body,
    );
    const attempts = (await sql<{ body: Attempt }[]>`select body from webhook_attempt`).map((row) => row.body);
    await sql.end({ timeout: 1 });
    const bugs = this.service.log.filter(({ level }) => level >= 50).map(({ msg }) => `logged: ${msg}`);
    const end = await this.service.end();
    const { arrivals, most } = this.receiver;
    const wrong = [
      ...judged(events, attempts, arrivals),
      ...bugs,
      ...(end === 0 ? [] : [`the service ended with ${end}`]),
    ];
    // The first one is the configuration.
    if (events.length < this.acknowledged + 1) wrong.push(`${this.acknowledged} were acknowledged`);
    const count = (status: Attempt["status"]): number => attempts.filter((attempt) => attempt.status === status).length;
    return {
      wrong,
      events: events.length,
      arrived: arrivals.length,
      delivered: count("success"),
      failed: count("failed"),
      most,
    };
  }

  private async caller(goal: number): Promise<void> {
    while (this.acknowledged < goal) {
      this.acknowledged++;
      const answer = await this.ask("PUT", "/api/secrets/KEY", { value: `a value ${this.acknowledged}` });
      await answer.text();
      if (!answer.ok) throw new Error(`a request was answered with ${answer.status}`);
    }
  }

  private ask(method: string, path: string, body: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
    return fetch(`${this.service.url}${path}`, { method, headers, body: JSON.stringify(body) });
  }
}

/** Where the feed, the ledger and what arrived disagree. */
export function judged(
  events: readonly WebhookEvent[],
  attempts: readonly Attempt[],
  arrivals: readonly Arrival[],
): string[] {
  const wrong: string[] = [];
  events.forEach(({ sequence }, i) => {
    if (sequence !== i + 1) wrong.push(`event ${i + 1} has the number ${sequence}`);
  });
  const rows = new Map(attempts.map((attempt) => [`${attempt.deliveryKey}/${attempt.attempt}`, attempt]));
  if (rows.size !== attempts.length) wrong.push("an attempt is in the ledger twice");
  const seen = new Map<string, number>();
  for (const { key, attempt, eventId, isTaken, isSigned } of arrivals) {
    const id = `${key}/${attempt}`;
    const row = rows.get(id);
    seen.set(id, (seen.get(id) ?? 0) + 1);
    if (!isSigned) wrong.push(`${id} is not signed rightly`);
    if (row === undefined || row.eventId !== eventId) wrong.push(`${id} arrived and is not in the ledger`);
    else if (!isTaken && row.status === "success") wrong.push(`${id} was not taken and counts as delivered`);
  }
  for (const [id, count] of seen) if (count > 1) wrong.push(`${id} arrived ${count} times`);
  const taken = new Set(arrivals.filter((arrival) => arrival.isTaken).map(({ key, attempt }) => `${key}/${attempt}`));
  for (const [id, { status }] of rows)
    if (status === "success" && !taken.has(id)) wrong.push(`${id} counts as delivered and was not taken`);
  const settled = new Set(
    attempts.filter(({ status }) => status === "success" || status === "failed").map(({ eventId }) => eventId),
  );
  for (const { id, sequence } of events)
    if (!settled.has(id)) wrong.push(`event ${sequence} is neither delivered nor failed`);
  return wrong;
}

export const stormSummary = (name: string, report: StormReport): string =>
  `${name}: ${report.events} events, ${report.arrived} requests arrived, ${report.delivered} delivered, ` +
  `${report.failed} given up, at most ${report.most} at once, ${report.wrong.length} wrong, ${report.seconds} s`;
