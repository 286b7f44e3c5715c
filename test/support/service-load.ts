/**
 * Callers of the service over HTTP who write and execute as fast as they are answered, wherever it is
 * reached at the moment, and note what they are told.
 */
import { until } from "./condition.ts";
import { messageFor, type Request, type ServiceHistory } from "./service-history.ts";

const WRITERS = 32;
const EXECUTORS = 8;
/** How long a caller who was not answered stays away: the shape of the load, not a wait for anything. */
const AWAY_MS = 20;

export interface ServiceAddress {
  readonly url: string;
  readonly token: string;
  readonly agentId: string;
}

export class ServiceLoad {
  private readonly history: ServiceHistory;
  private address: ServiceAddress;
  private readonly callers: Promise<void>[];
  private isOver = false;

  constructor(history: ServiceHistory, address: ServiceAddress) {
    this.history = history;
    this.address = address;
    const writers = Array.from({ length: WRITERS }, () => this.call("task"));
    const executors = Array.from({ length: EXECUTORS }, () => this.call("execution"));
    this.callers = [...writers, ...executors];
  }

  /** Where the service is from now on. */
  turnTo(url: string): void {
    this.address = { ...this.address, url };
  }

  async more(count: number): Promise<void> {
    const goal = this.history.acknowledged + count;
    await until(`${count} more acknowledgements`, async () => {
      await Bun.sleep(1);
      return this.history.acknowledged >= goal;
    });
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.callers);
  }

  private async call(way: Request["way"]): Promise<void> {
    while (!this.isOver) {
      const request = this.history.begin(way);
      const answer = await answerTo(this.address, request);
      this.history.settle(request, answer);
      if (answer !== "acknowledged") await Bun.sleep(AWAY_MS);
    }
  }
}

/** Sends one request and says what its answer means. */
async function answerTo({ url, token, agentId }: ServiceAddress, { key, way }: Request): Promise<Request["answer"]> {
  const path = way === "task" ? "/api/v1/tasks" : `/api/v1/agents/${agentId}/execute`;
  const body = way === "task" ? { title: key } : { message: messageFor(key) };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  try {
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as { success?: boolean; message?: string };
    if (response.status === 200) return answer.success === true ? "acknowledged" : "unknown";
    // An execution goes on whatever its caller is told after it has begun.
    if (way === "execution" || answer.message?.startsWith("The outcome of the request is not known")) return "unknown";
    return "refused";
  } catch {
    return "unknown";
  }
}
