/** A service with one agent, and readers of the streams of its chats and jobs. */
import { Client } from "./current.ts";
import { type Frame, StreamReader } from "./event-streams.ts";
import { type Caller, type Founded, type Service, startService } from "./service.ts";
import { createAgent } from "./v1.ts";

export class StreamScene {
  readonly service: Service;
  readonly owner: Founded;
  readonly client: Client;
  readonly agent: string;

  private constructor(parts: Pick<StreamScene, "service" | "owner" | "client" | "agent">) {
    this.service = parts.service;
    this.owner = parts.owner;
    this.client = parts.client;
    this.agent = parts.agent;
  }

  static async start(): Promise<StreamScene> {
    const service = await startService();
    const owner = await service.found();
    return new StreamScene({
      service,
      owner,
      client: new Client(service, owner),
      agent: await createAgent(service, owner),
    });
  }

  /** The model as it is before each test. */
  reset(): void {
    this.service.model.script = () => [{ say: "one " }, { say: "two" }];
  }

  readonly newChat = (): Promise<string> => this.client.chat(this.agent, this.owner.workspaceId);

  readonly open = (
    path: string,
    headers: Record<string, string> = {},
    by: Caller = this.owner,
  ): Promise<StreamReader> =>
    StreamReader.open(`${this.service.url}${path}`, { authorization: `Bearer ${by.token}`, ...headers });

  readonly chatEvents = (id: string, query = "", headers: Record<string, string> = {}): Promise<StreamReader> =>
    this.open(`/api/chats/${id}/events${query}`, headers);

  readonly jobEvents = (id: string, query = "", headers: Record<string, string> = {}): Promise<StreamReader> =>
    this.open(`/api/jobs/${id}/events${query}`, headers);

  /** Lets the memory go of what nobody uses. */
  readonly forget = (): void => {
    this.service.system.actors.passivate(Number.POSITIVE_INFINITY);
  };

  /** A chat with a finished turn. */
  readonly finished = async (): Promise<{ chat: string; job: string; head: number }> => {
    const chat = await this.newChat();
    const { job } = await this.client.send(chat, "hello");
    await this.client.reached(job.id, "completed");
    return { chat, job: job.id, head: (await this.client.readChat(chat))["last_seq"] as number };
  };
}

/** All of a stream that ends by itself. */
export async function whole(reader: Promise<StreamReader>): Promise<readonly Frame[]> {
  const { ended, frames } = await reader;
  await ended;
  return frames;
}

/** The ids of the events that are stored. */
export const durable = (frames: readonly Frame[]): number[] =>
  frames.filter((frame) => frame.id !== null && !frame.id.includes(".")).map((frame) => Number(frame.id));

export const textIn = (frames: readonly Frame[]): string =>
  frames
    .filter(({ event }) => event === "message.delta" || event === "transcript.delta")
    .map(({ data }) => String(data["text"]))
    .join("");

export const upTo = (last: number, from = 1): number[] => Array.from({ length: last - from + 1 }, (_, i) => from + i);
