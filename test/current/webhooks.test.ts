/** Webhooks over HTTP: the configuration, the deliveries as a receiver gets them, the ledger and the feed. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { until } from "../support/condition.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { createEgressWorld, type EgressWorld } from "../support/egress-world.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { type Delivery, startReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const PATH = "/api/messaging-integration";

interface Row extends Json {
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

let world: EgressWorld;
let service: Service;
let owner: Founded;
let client: Client;
let receiver: WebhookReceiver;

beforeAll(async () => {
  world = createEgressWorld();
  service = await startService({ egress: world.client() });
});
afterAll(async () => {
  await service.stop();
  await world.end();
});
beforeEach(async () => {
  owner = await service.found();
  client = new Client(service, owner);
  receiver = startReceiver(world);
});
afterEach(() => receiver.stop());

/** Sets the destination; answers the secret of the first time. */
async function configure(fields: Json = {}): Promise<string> {
  const answer = await client.call("PUT", PATH, { url: receiver.url, ...fields });
  return (await answered<{ secret?: string }>(answer, answer.status === 201 ? 201 : 200)).secret ?? "";
}

const ledger = async (query = ""): Promise<readonly Row[]> =>
  (await client.get<{ deliveries: Row[] }>(`${PATH}/deliveries?limit=100${query}`)).deliveries;
const newAgent = (name = "Ada"): Promise<Json> =>
  answered(client.call("POST", "/api/agents", { name, system_prompt: "Be brief." }), 201);
const arrived = async (type: string, count = 1): Promise<Delivery> => {
  await until(`${count} ${type} arrived`, () => receiver.ofType(type).length >= count);
  return receiver.ofType(type)[count - 1]!;
};
const ended = (status: string, count = 1): Promise<void> =>
  until(`${count} attempts are ${status}`, async () => (await ledger(`&status=${status}`)).length >= count);

describe("the configuration", () => {
  test("[HOOK-1] the first PUT shows the secret, no later one does, and GET says what is set", async () => {
    await refused(client.call("GET", PATH), 404, "not_found");
    const first = await answered(client.call("PUT", PATH, { url: receiver.url, event_types: ["job.*"] }), 201);
    expect(first).toMatchObject({
      provider: "webhook",
      url: receiver.url,
      enabled: true,
      event_types: ["job.*"],
      retry_profile: "standard",
      secret_set: true,
      disabled_reason: null,
      last_success_at: null,
      last_failure_at: null,
    });
    const secret = first["secret"] as string;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(first["secret_last4"]).toBe(secret.slice(-4));
    const body = { provider: "webhook", name: "Ops", url: receiver.url, enabled: false, retry_profile: "durable" };
    const second = await answered(client.call("PUT", PATH, body), 200);
    expect(second).not.toHaveProperty("secret");
    expect(second).toMatchObject({ name: "Ops", enabled: false, event_types: [], retry_profile: "durable" });
    expect(await client.get(PATH)).toMatchObject({ name: "Ops", secret_last4: secret.slice(-4), version: 2 });
  });

  test("[HOOK-1] a secret is stored sealed: no table has it", async () => {
    const secret = await configure();
    for (const table of ["webhook_destination", "webhook_event", "idempotency_key", "actor_message"]) {
      const rows = await service.database.read`select to_jsonb(t)::text as text from ${service.database.read(table)} t`;
      for (const row of rows) expect(String(row["text"])).not.toContain(secret.slice(6));
    }
  });

  test("[GEN-8] [HOOK-12] a PUT of what is set already changes no version and no time, and emits nothing", async () => {
    const events = () => client.get<{ events: readonly Json[] }>("/api/events?after=0");
    const fields = { name: "Mine", event_types: ["job.*", "!test"], retry_profile: "durable" };
    await configure(fields);
    const [before, emitted] = [await client.get(PATH), (await events()).events.length];
    await configure(fields);
    expect(await client.get(PATH)).toEqual(before);
    expect((await events()).events.length).toBe(emitted);
    await configure({ ...fields, event_types: ["job.*"] });
    expect((await client.get<{ version: number }>(PATH)).version).toBe((before["version"] as number) + 1);
    expect((await events()).events.length).toBe(emitted + 1);
  });

  test("[HOOK-5] an unknown type or family is named", async () => {
    for (const unknown of ["agent.exploded", "weather.*", "job", "*", "job.*.x", "!weather", "!", "!job.*"]) {
      const what = unknown.startsWith("!") ? "source" : "event type or family";
      const details = await refused(
        client.call("PUT", PATH, { url: receiver.url, event_types: ["job.*", unknown] }),
        400,
        "invalid_event_type",
      );
      const message = expect.stringContaining(`Unknown ${what} \`${unknown}\``) as unknown;
      expect(details).toEqual({ unknown: [unknown], errors: [{ path: "/event_types/1", message }] });
    }
    const excluding = { url: receiver.url, event_types: ["!weather", "!job_lifecycel"] };
    const ofSources = await refused(client.call("PUT", PATH, excluding), 400, "invalid_event_type");
    expect(ofSources["errors"]).toEqual([
      {
        path: "/event_types/0",
        message: "Unknown source `!weather`; there are `!job_lifecycle`, `!api_mutation`, `!test`",
      },
      { path: "/event_types/1", message: "Unknown source `!job_lifecycel`; did you mean `!job_lifecycle`?" },
    ]);
    const misspelt = { url: receiver.url, event_types: ["chat.sended"] };
    const { errors } = await refused(client.call("PUT", PATH, misspelt), 400, "invalid_event_type");
    const types = "`chat.created`, `chat.updated`, `chat.deleted`, `chat.message_sent`";
    const message = `Unknown event type or family \`chat.sended\`; there are ${types}`;
    expect(errors).toEqual([{ path: "/event_types/0", message }]);
  });

  test("[HOOK-11] a URL to which nothing is sent is refused", async () => {
    const urls = [
      "http://example.com/x",
      "https://user:word@hooks.test/x",
      "https://10.0.0.1/x",
      "https://[::1]/x",
      "https://169.254.169.254/latest",
      "https://0x7f000002/x",
      "ftp://hooks.test/x",
      "hooks.test",
      "",
    ];
    for (const url of urls)
      expect(await refused(client.call("PUT", PATH, { url }), 400, "invalid_url")).toMatchObject({
        errors: [{ path: "/url" }],
      });
    for (const url of ["http://example.com/x", "ftp://hooks.test/x", "javascript:alert(1)"])
      expect(await refused(client.call("PUT", PATH, { url }), 400, "invalid_url")).toMatchObject({
        errors: [{ message: "The URL must begin with https://" }],
      });
  });

  test("[HOOK-1] names and lists that are too long, and wrong types, are refused", async () => {
    const bad: Json[] = [
      { name: "x".repeat(121) },
      { name: "a\nb" },
      { event_types: Array.from({ length: 65 }, () => "job.*") },
      { retry_profile: "eager" },
      { provider: "pigeon" },
      { enabled: "yes" },
      { url: `https://hooks.test/${"x".repeat(2_048)}` },
    ];
    for (const fields of bad)
      await refused(client.call("PUT", PATH, { url: receiver.url, ...fields }), 400, "invalid_request");
    await refused(client.call("PUT", PATH, {}), 400, "invalid_request");
  });

  test("[AUTH-5] only owners configure, rotate and redeliver; members read, but not where exactly it goes", async () => {
    await configure();
    const member = new Client(service, await service.join(owner.organizationId));
    await refused(member.call("PUT", PATH, { url: receiver.url }), 403, "owner_required");
    await refused(member.call("POST", `${PATH}/signing-secret/rotate`), 403, "owner_required");
    await refused(member.call("POST", `${PATH}/deliveries/dlv_${"a".repeat(21)}/redeliver`), 403, "owner_required");
    await refused(
      member.call("POST", `${PATH}/redeliver`, { since_sequence: 1, until_sequence: 2 }),
      403,
      "owner_required",
    );
    expect(await member.get(PATH)).toMatchObject({ url: "https://h***s.test", allowed_actions: [] });
    expect(await client.get(PATH)).toMatchObject({ url: receiver.url });
  });
});

describe("a delivery", () => {
  test("[HOOK-2] has the event as its body", async () => {
    await configure();
    const agent = await newAgent();
    const { event, body } = await arrived("agent.created");
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/) as string,
      type: "agent.created",
      api_version: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
      created_at: expect.stringMatching(/Z$/) as string,
      timestamp: Math.floor(Date.parse(event["created_at"] as string) / 1_000),
      organization_id: owner.organizationId,
      sequence: 2,
      source: "api_mutation",
      actor: { type: "user", id: owner.userId },
      request_id: expect.stringMatching(/^req_/) as string,
      resource: {
        type: "agent",
        id: agent["id"],
        url: `https://troupe.test/api/agents/${agent["id"] as string}`,
        version: 1,
      },
      data: expect.objectContaining({ id: agent["id"], name: "Ada" }) as object,
      changes: [],
    });
    expect(body).not.toContain("allowed_actions");
    await answered(client.call("PATCH", `/api/agents/${agent["id"] as string}`, { name: "Eve" }));
    expect((await arrived("agent.updated")).event).toMatchObject({ changes: ["name"], resource: { version: 2 } });
  });

  test("[HOOK-2] data over 20 KiB is cut to ids and status", async () => {
    await configure({ event_types: ["agent.created"] });
    const prompt = "p".repeat(30_000);
    const agent = await answered(client.call("POST", "/api/agents", { name: "Long", system_prompt: prompt }), 201);
    const { event } = await arrived("agent.created");
    expect(event["truncated"]).toBe(true);
    expect(event["data"]).toMatchObject({ id: agent["id"] });
    expect(JSON.stringify(event["data"]).length).toBeLessThan(600);
  });

  test("[HOOK-7] has the headers of the interface and those of Standard Webhooks", async () => {
    await configure({ event_types: ["agent.created"] });
    receiver.respond = (_, count) => new Response("", { status: count === 1 ? 500 : 200 });
    await newAgent();
    const first = await arrived("agent.created", 1);
    const second = await arrived("agent.created", 2);
    for (const [i, { headers, event }] of [first, second].entries()) {
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "service-event-id": event.id,
        "service-event-type": "agent.created",
        "service-delivery-attempt": String(i + 1),
        "webhook-id": event.id,
        "webhook-timestamp": headers["service-timestamp"],
      });
      expect(Math.abs(Number(headers["service-timestamp"]) - Date.now() / 1_000)).toBeLessThan(30);
    }
    expect(second.headers["idempotency-key"]).toBe(first.headers["idempotency-key"]!);
    expect(second.body).toBe(first.body);
    expect(second.headers["service-event-id"]).toBe(first.headers["service-event-id"]!);
  });

  test("[HOOK-13] verifies with stripe, standardwebhooks and svix", async () => {
    const secret = await configure();
    const { body, headers } = await arrived("webhook.configured");
    const stripe = new Stripe("sk_test_x").webhooks;
    expect(await stripe.constructEventAsync(body, headers["service-signature"]!, secret)).toMatchObject({
      type: "webhook.configured",
    });
    await expect(stripe.constructEventAsync(`${body} `, headers["service-signature"]!, secret)).rejects.toThrow();
    for (const Verifier of [StandardWebhook, SvixWebhook]) {
      const verified = async (text: string): Promise<string> => {
        await new Verifier(secret).verify(text, headers as Record<string, string>);
        return text;
      };
      expect(await verified(body)).toBe(body);
      await expect(verified(`${body} `)).rejects.toThrow();
    }
  });

  test("[HOOK-8] after a rotation with grace it verifies under both secrets, without under the new one only", async () => {
    const old = await configure();
    const { secret } = await answered<{ secret: string }>(
      client.call("POST", `${PATH}/signing-secret/rotate`, { grace_seconds: 600 }),
    );
    const stripe = new Stripe("sk_test_x").webhooks;
    const { body, headers } = await arrived("webhook.secret_rotated");
    for (const key of [secret, old]) {
      await stripe.constructEventAsync(body, headers["service-signature"]!, key);
      new StandardWebhook(key).verify(body, headers as Record<string, string>);
    }
    expect(headers["service-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(body).not.toContain(secret);
    const { secret: third } = await answered<{ secret: string }>(client.call("POST", `${PATH}/signing-secret/rotate`));
    const last = await arrived("webhook.secret_rotated", 2);
    await stripe.constructEventAsync(last.body, last.headers["service-signature"]!, third);
    await expect(stripe.constructEventAsync(last.body, last.headers["service-signature"]!, secret)).rejects.toThrow();
    await refused(
      client.call("POST", `${PATH}/signing-secret/rotate`, { grace_seconds: 604_801 }),
      400,
      "invalid_request",
    );
  });

  test("[HOOK-6] a redirect is not followed, and is no success", async () => {
    await configure({ event_types: ["agent.created"] });
    receiver.respond = () => Response.redirect(receiver.url, 302);
    await newAgent();
    await ended("failed");
    expect(receiver.deliveries.length).toBe(1);
    expect((await ledger("&status=failed"))[0]).toMatchObject({ http_status: 302, error: "http_error", attempt: 1 });
    expect(await client.get(PATH)).toMatchObject({
      last_success_at: null,
      last_failure_at: expect.any(String) as string,
    });
  });

  test("[HOOK-6] Retry-After of a 429 makes the wait longer", async () => {
    await configure({ event_types: ["agent.created"] });
    receiver.respond = (_, count) =>
      count === 1 ? new Response("", { status: 429, headers: { "retry-after": "3" } }) : new Response();
    await newAgent();
    await ended("retrying");
    const [row] = await ledger("&status=retrying");
    const wait = Date.parse(row!["next_attempt_at"] as string) - Date.parse(row!["updated_at"] as string);
    expect(wait).toBe(3_000);
    await arrived("agent.created", 2);
  });

  test("[HOOK-6] 410 switches delivery off", async () => {
    await configure({ event_types: ["agent.created"] });
    receiver.respond = () => new Response("", { status: 410 });
    await newAgent();
    await until("delivery is off", async () => (await client.get(PATH))["enabled"] === false);
    expect(await client.get(PATH)).toMatchObject({ disabled_reason: "gone" });
    await newAgent("Eve");
    const { events } = await client.get<{ events: Json[] }>("/api/events?after=2");
    expect(events.map(({ type }) => type)).toEqual(["webhook.disabled", "agent.created"]);
    expect(receiver.deliveries.length).toBe(1);
  });

  test("[HOOK-9] failures of the connection have their names in the ledger", async () => {
    const cases: readonly (readonly [string, string])[] = [
      ["https://nowhere.invalid/x", "dns_error"],
      ["https://closed.test:1/x", "connection_refused"],
      [receiver.url.replace("hooks.test", "other.test"), "tls_error"],
    ];
    for (const [url, error] of cases) {
      await configure({ url, event_types: ["agent.created"] });
      const { id } = await newAgent(error);
      await until(`${error} is in the ledger`, async () => (await ledger()).some((row) => row.error === error));
      expect(id).toBeString();
    }
    expect((await ledger()).find((row) => row.error === "tls_error")).toMatchObject({
      destination_host: "o***r.test",
      http_status: null,
      status: "retrying",
    });
  });
});

test("[HOOK-6] a receiver that never answers does not delay another organization's", async () => {
  await configure({ event_types: ["agent.created"] });
  const release = Promise.withResolvers<void>();
  receiver.respond = () => release.promise.then(() => new Response());
  for (let i = 0; i < 30; i++) await newAgent();
  await until("8 hang", () => receiver.deliveries.length === 8);
  const other = startReceiver(world, "other");
  client = new Client(service, await service.found("Other"));
  await configure({ url: other.url, event_types: ["agent.created"] });
  for (let i = 0; i < 30; i++) await newAgent();
  await until("all of the other's have arrived", () => other.deliveries.length === 30);
  expect(receiver.deliveries.length).toBe(8);
  expect(other.deliveries.map(({ event }) => event.sequence)).toEqual(Array.from({ length: 30 }, (_, i) => i + 2));
  release.resolve();
  await until("the first one's arrive when it answers", () => receiver.deliveries.length === 30);
  expect(receiver.most).toBe(8);
  other.stop();
});
