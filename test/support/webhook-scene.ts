/** A service whose owner has a receiver of webhooks; both are new for each test. */
import { until } from "./condition.ts";
import { answered, Client, type Json } from "./current.ts";
import { createEgressWorld, type EgressWorld } from "./egress-world.ts";
import { type Founded, type Service, startService } from "./service.ts";
import { type Delivery, startReceiver, type WebhookReceiver } from "./webhook-receiver.ts";

/** Where the destination is set. */
export const CONFIGURATION = "/api/messaging-integration";

/** A row of the ledger. */
export interface Row extends Json {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly status: string;
  readonly delivery_key: string;
  readonly http_status: number | null;
  readonly error: string | null;
}

export class WebhookScene {
  readonly world: EgressWorld;
  readonly service: Service;
  owner!: Founded;
  client!: Client;
  receiver!: WebhookReceiver;

  private constructor(world: EgressWorld, service: Service) {
    this.world = world;
    this.service = service;
  }

  static async start(): Promise<WebhookScene> {
    const world = createEgressWorld();
    return new WebhookScene(world, await startService({ egress: world.client() }));
  }

  async end(): Promise<void> {
    await this.service.stop();
    await this.world.end();
  }

  /** Another organization and another receiver, for the next test. */
  async reset(): Promise<void> {
    this.owner = await this.service.found();
    this.client = new Client(this.service, this.owner);
    this.receiver = startReceiver(this.world);
  }

  /** Sets the destination; answers the secret of the first time. */
  async configure(fields: Json = {}): Promise<string> {
    const answer = await this.client.call("PUT", CONFIGURATION, { url: this.receiver.url, ...fields });
    return (await answered<{ secret?: string }>(answer, answer.status === 201 ? 201 : 200)).secret ?? "";
  }

  async ledger(query = ""): Promise<readonly Row[]> {
    return (await this.client.get<{ deliveries: Row[] }>(`${CONFIGURATION}/deliveries?limit=100${query}`)).deliveries;
  }

  newAgent(name = "Ada"): Promise<Json> {
    return answered(this.client.call("POST", "/api/agents", { name, system_prompt: "Be brief." }), 201);
  }

  async arrived(type: string, count = 1): Promise<Delivery> {
    await until(`${count} ${type} arrived`, () => this.receiver.ofType(type).length >= count);
    return this.receiver.ofType(type)[count - 1]!;
  }

  ended(status: string, count = 1): Promise<void> {
    return until(
      `${count} attempts are ${status}`,
      async () => (await this.ledger(`&status=${status}`)).length >= count,
    );
  }
}
