/**
 * A provider that refuses, limits, resets and returns, and jobs that must survive it: the service over HTTP and
 * PostgreSQL, its model seam, and a server over real sockets. Pauses of the runs pass faster than they say.
 */
import { createModels } from "../../src/runner/models.ts";
import { until } from "./condition.ts";
import { answered, type Job, type Sent } from "./current.ts";
import { startFakeOpenAi } from "./fake-openai.ts";
import type { FakeAnswer } from "./fake-provider.ts";
import { hurriedClock } from "./hurried-clock.ts";
import { startService } from "./service.ts";

/** A pause of a second takes 20 ms. */
const HURRY = 50;
/** Requests that the provider takes in `WINDOW_MS`; the next ones are limited. */
const WINDOW_REQUESTS = 40;
const WINDOW_MS = 100;
/** Jobs that are limited once in any case. */
const LEAST_LIMITED = 5;
/** The provider is away for so long, from its first request on: 10 s as the runs count. */
const OUTAGE_MS = 200;

export interface FaultReport {
  readonly jobs: readonly Job[];
  /** Answers of the provider by what they were. */
  readonly answers: Readonly<Record<string, number>>;
}

/** Runs so many jobs at once against the provider, and answers what has become of them. */
export async function surviveFaults(count: number): Promise<FaultReport> {
  const fake = await startFakeOpenAi();
  const misbehaving = new Misbehaviour();
  fake.answerBy((body) => misbehaving.answer(lastText(body)));
  const models = createModels({
    model: "openai-compatible:fake-model",
    anthropicApiKey: null,
    openaiApiKey: null,
    openaiBaseUrl: fake.baseUrl,
    localModels: [],
    production: false,
    allowDemoModel: false,
  });
  const settings = { runningJobs: 64, runningJobsOfOrganization: 64, modelRetries: 6 };
  const service = await startService({ models, settings, overrides: { jobClock: hurriedClock(HURRY) } });
  try {
    const owner = await service.found();
    const agent = await answered<{ id: string }>(
      service.call(owner, "POST", "/api/agents", { name: "Ada", system_prompt: "Be brief." }),
      201,
    );
    const ids = await Promise.all(
      Array.from({ length: count }, async (_, nth) => {
        const body = { agent_id: agent.id, workspace_id: owner.workspaceId };
        const chat = await answered<{ id: string }>(service.call(owner, "POST", "/api/chats", body), 201);
        const path = `/api/chats/${chat.id}/messages`;
        return (await answered<Sent>(service.call(owner, "POST", path, { content: `job ${nth}` }), 202)).job.id;
      }),
    );
    const read = (id: string): Promise<Job> => answered<Job>(service.call(owner, "GET", `/api/jobs/${id}`));
    const jobs: Job[] = [];
    for (const id of ids) {
      await until(`${id} ends`, async () => ["completed", "failed"].includes((await read(id)).status));
      jobs.push(await read(id));
    }
    return { jobs, answers: misbehaving.counts };
  } finally {
    await service.stop();
    await fake.stop();
  }
}

/** What the provider does: an outage, then limits, and for each job a few faults of its own. */
class Misbehaviour {
  readonly counts: Record<string, number> = {};
  private readonly calls = new Map<string, number>();
  private outageEnds = 0;
  private windowEnds = 0;
  private inWindow = 0;
  private readonly limitedJobs = new Set<string>();

  answer(job: string): FakeAnswer {
    const [kind, answer] = this.choose(job, performance.now());
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    return answer;
  }

  private choose(job: string, now: number): readonly [string, FakeAnswer] {
    if (this.outageEnds === 0) this.outageEnds = now + OUTAGE_MS;
    if (now < this.outageEnds) return ["reset", { kind: "stream", end: "reset" }];
    if (now > this.windowEnds) [this.windowEnds, this.inWindow] = [now + WINDOW_MS, 0];
    // A slow machine sends too few requests for the window to fill.
    const isAmongFirst = this.limitedJobs.size < LEAST_LIMITED && !this.limitedJobs.has(job);
    if (isAmongFirst) this.limitedJobs.add(job);
    if (++this.inWindow > WINDOW_REQUESTS || isAmongFirst) return ["limited", LIMITED];
    const nth = (this.calls.get(job) ?? 0) + 1;
    this.calls.set(job, nth);
    // A third of the jobs each: refused, cut off after text, or served at once.
    const number = Number(job.replace(/\D/g, ""));
    if (nth === 1 && number % 3 === 0) return ["refused", { kind: "status", status: 503, body: "{}" }];
    if (nth === 1 && number % 3 === 1)
      return ["cut", { kind: "stream", text: ["half of ", "an answer"], end: "reset" }];
    return ["answered", { kind: "stream", text: [`answer to ${job}`] }];
  }
}

const LIMITED: FakeAnswer = { kind: "status", status: 429, headers: { "retry-after": "1" }, body: "{}" };

/** The text of the last message of a request. */
function lastText(body: unknown): string {
  const { messages } = body as { readonly messages: readonly { readonly content: unknown }[] };
  const content = messages.at(-1)?.content;
  return typeof content === "string" ? content : JSON.stringify(content);
}
