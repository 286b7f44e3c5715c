/** A client that makes missions over HTTP and waits for what becomes of them. */
import { until } from "./condition.ts";
import { answered, Client, type Json } from "./current.ts";
import type { Founded, Service } from "./service.ts";
import { createAgent } from "./v1.ts";

export interface Task extends Json {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly allowed_actions: readonly string[];
}
export interface Mission extends Json {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly schedule: Json & { readonly run_count: number; readonly next_run_at: string | null };
  readonly tasks: readonly Task[];
  readonly last_run: Json | null;
  readonly allowed_actions: readonly string[];
}
export interface Run extends Json {
  readonly id: string;
  readonly outcome: string;
  readonly job_id: string;
}

export class MissionClient {
  readonly client: Client;
  /** The agent of missions that name none. */
  readonly agent: string;

  constructor(client: Client, agent: string) {
    this.client = client;
    this.agent = agent;
  }

  static async of(service: Service, founded: Founded): Promise<MissionClient> {
    return new MissionClient(new Client(service, founded), await createAgent(service, founded));
  }

  create(fields: Json = {}): Promise<Mission> {
    const body = { title: "Report", goal: "Write it", agent_id: this.agent, ...fields };
    return answered<Mission>(this.client.call("POST", "/api/missions", body), 201);
  }

  read(id: string): Promise<Mission> {
    return this.client.get<Mission>(`/api/missions/${id}`);
  }

  patch(id: string, body: Json): Promise<Response> {
    return this.client.call("PATCH", `/api/missions/${id}`, body);
  }

  async runs(id: string): Promise<readonly Run[]> {
    return (await this.client.get<{ runs: Run[] }>(`/api/missions/${id}/runs`)).runs;
  }

  addTask(id: string, body: Json): Promise<Task> {
    return answered<Task>(this.client.call("POST", `/api/missions/${id}/tasks`, body), 201);
  }

  /** The mission once it is as asked. */
  async becomes(id: string, isIt: (mission: Mission) => boolean): Promise<Mission> {
    let mission = await this.read(id);
    await until(`mission ${id}: ${JSON.stringify(mission.last_run)}`, async () =>
      isIt((mission = await this.read(id))),
    );
    return mission;
  }
}
