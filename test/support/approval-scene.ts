/** A service with one agent that has two tools: `look`, and `send`, whose calls wait for approval. */
import { Client, type Job, type Json, type Sent } from "./current.ts";
import { FakeTools } from "./fake-tools.ts";
import { type Founded, type Service, startService } from "./service.ts";

export class ApprovalScene {
  readonly service: Service;
  readonly owner: Founded;
  readonly client: Client;
  readonly agent: string;
  readonly tools: FakeTools;

  private constructor(parts: Pick<ApprovalScene, "service" | "owner" | "client" | "agent" | "tools">) {
    this.service = parts.service;
    this.owner = parts.owner;
    this.client = parts.client;
    this.agent = parts.agent;
    this.tools = parts.tools;
  }

  static async start(): Promise<ApprovalScene> {
    const tools = new FakeTools();
    const service = await startService({ tools });
    const owner = await service.found();
    const client = new Client(service, owner);
    const id = await client.agent({ allowed_tools: ["look", "send"], approval_tools: ["send"] });
    return new ApprovalScene({ service, owner, client, agent: id, tools });
  }

  /** Model and tools as they are before each test. */
  reset(): void {
    this.service.model.script = () => [{ say: "done" }];
    this.service.model.calls.length = 0;
    this.tools.calls.length = 0;
    this.tools.script = ({ name }) => ({ content: `${name} done`, isError: false });
  }

  readonly chat = (fields: Json = {}): Promise<string> => this.client.chat(this.agent, this.owner.workspaceId, fields);

  /** The model makes a step with these calls, then ends. */
  readonly calling = (...calls: [string, string][]): void => {
    this.service.model.script = (call) =>
      call.entries.length === 1
        ? [{ say: "Let me. " }, ...calls.map(([id, name]) => use(id, name))]
        : [{ say: "Done." }];
  };

  readonly begin = async (fields: Json = {}, chatFields: Json = {}): Promise<Sent> =>
    this.client.send(await this.chat(chatFields), "go", fields);

  readonly blocked = async (): Promise<Job> => this.client.reached((await this.begin()).job.id, "blocked");
}

/** A call of a tool, as the model makes it. */
export const use = (id: string, name: string) => ({ use: { type: "tool_use" as const, id, name, input: { to: id } } });
