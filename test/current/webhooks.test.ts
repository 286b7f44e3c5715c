/** Webhooks over HTTP: the configuration, the deliveries as a receiver gets them, the ledger and the feed. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { until } from "../support/condition.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { startReceiver } from "../support/webhook-receiver.ts";
import { CONFIGURATION, WebhookScene } from "../support/webhook-scene.ts";

let scene: WebhookScene;

beforeAll(async () => void (scene = await WebhookScene.start()));
afterAll(() => scene.end());
beforeEach(() => scene.reset());
afterEach(() => scene.receiver.stop());

describe("the configuration", () => {
  test("[HOOK-1] only the first PUT shows the secret, and GET reports that it is set", async () => {
    await refused(scene.client.call("GET", CONFIGURATION), 404, "not_found");
    const first = await answered(
      scene.client.call("PUT", CONFIGURATION, { url: scene.receiver.url, event_types: ["job.*"] }),
      201,
    );
    expect(first).toMatchObject({
      provider: "webhook",
      url: scene.receiver.url,
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
    const body = {
      provider: "webhook",
      name: "Ops",
      url: scene.receiver.url,
      enabled: false,
      retry_profile: "durable",
    };
    const second = await answered(scene.client.call("PUT", CONFIGURATION, body), 200);
    expect(second).not.toHaveProperty("secret");
    expect(second).toMatchObject({ name: "Ops", enabled: false, event_types: [], retry_profile: "durable" });
    expect(await scene.client.get(CONFIGURATION)).toMatchObject({
      name: "Ops",
      secret_last4: secret.slice(-4),
      version: 2,
    });
  });

  test("[HOOK-1] a secret is stored encrypted: no table has its text", async () => {
    const secret = await scene.configure();
    for (const table of ["webhook_destination", "webhook_event", "idempotency_key", "actor_message"]) {
      const rows = await scene.service.database
        .read`select to_jsonb(t)::text as text from ${scene.service.database.read(table)} t`;
      for (const row of rows) expect(String(row["text"])).not.toContain(secret.slice(6));
    }
  });

  test("[GEN-8] [HOOK-12] a PUT without changes keeps the version and the time, and emits nothing", async () => {
    const events = () => scene.client.get<{ events: readonly Json[] }>("/api/events?after=0");
    const fields = { name: "Mine", event_types: ["job.*", "!test"], retry_profile: "durable" };
    await scene.configure(fields);
    const [before, emitted] = [await scene.client.get(CONFIGURATION), (await events()).events.length];
    await scene.configure(fields);
    expect(await scene.client.get(CONFIGURATION)).toEqual(before);
    expect((await events()).events.length).toBe(emitted);
    await scene.configure({ ...fields, event_types: ["job.*"] });
    expect((await scene.client.get<{ version: number }>(CONFIGURATION)).version).toBe(
      (before["version"] as number) + 1,
    );
    expect((await events()).events.length).toBe(emitted + 1);
  });

  test("[HOOK-5] an unknown type or family is named", async () => {
    for (const unknown of ["agent.exploded", "weather.*", "job", "*", "job.*.x", "!weather", "!", "!job.*"]) {
      const what = unknown.startsWith("!") ? "source" : "event type or family";
      const details = await refused(
        scene.client.call("PUT", CONFIGURATION, { url: scene.receiver.url, event_types: ["job.*", unknown] }),
        400,
        "invalid_event_type",
      );
      const message = expect.stringContaining(`Unknown ${what} \`${unknown}\``) as unknown;
      expect(details).toEqual({ unknown: [unknown], errors: [{ path: "/event_types/1", message }] });
    }
    const excluding = { url: scene.receiver.url, event_types: ["!weather", "!job_lifecycel"] };
    const ofSources = await refused(scene.client.call("PUT", CONFIGURATION, excluding), 400, "invalid_event_type");
    expect(ofSources["errors"]).toEqual([
      {
        path: "/event_types/0",
        message: "Unknown source `!weather`; there are `!job_lifecycle`, `!api_mutation`, `!test`",
      },
      { path: "/event_types/1", message: "Unknown source `!job_lifecycel`; did you mean `!job_lifecycle`?" },
    ]);
    const misspelt = { url: scene.receiver.url, event_types: ["chat.sended"] };
    const { errors } = await refused(scene.client.call("PUT", CONFIGURATION, misspelt), 400, "invalid_event_type");
    const types = "`chat.created`, `chat.updated`, `chat.deleted`, `chat.message_sent`";
    const message = `Unknown event type or family \`chat.sended\`; there are ${types}`;
    expect(errors).toEqual([{ path: "/event_types/0", message }]);
  });

  test("[HOOK-11] a URL that is not allowed is refused", async () => {
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
      expect(await refused(scene.client.call("PUT", CONFIGURATION, { url }), 400, "invalid_url")).toMatchObject({
        errors: [{ path: "/url" }],
      });
    for (const url of ["http://example.com/x", "ftp://hooks.test/x", "javascript:alert(1)"])
      expect(await refused(scene.client.call("PUT", CONFIGURATION, { url }), 400, "invalid_url")).toMatchObject({
        errors: [{ message: expect.stringMatching(/^The URL must begin with https:\/\/; .*EGRESS_ALLOW$/) }],
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
      await refused(
        scene.client.call("PUT", CONFIGURATION, { url: scene.receiver.url, ...fields }),
        400,
        "invalid_request",
      );
    await refused(scene.client.call("PUT", CONFIGURATION, {}), 400, "invalid_request");
  });

  test("[AUTH-5] only owners configure, rotate and redeliver; members see only a redacted destination", async () => {
    await scene.configure();
    const member = new Client(scene.service, await scene.service.join(scene.owner.organizationId));
    await refused(member.call("PUT", CONFIGURATION, { url: scene.receiver.url }), 403, "owner_required");
    await refused(member.call("POST", `${CONFIGURATION}/signing-secret/rotate`), 403, "owner_required");
    await refused(
      member.call("POST", `${CONFIGURATION}/deliveries/dlv_${"a".repeat(21)}/redeliver`),
      403,
      "owner_required",
    );
    await refused(
      member.call("POST", `${CONFIGURATION}/redeliver`, { since_sequence: 1, until_sequence: 2 }),
      403,
      "owner_required",
    );
    expect(await member.get(CONFIGURATION)).toMatchObject({ url: "https://h***s.test", allowed_actions: [] });
    expect(await scene.client.get(CONFIGURATION)).toMatchObject({ url: scene.receiver.url });
  });
});

describe("a delivery", () => {
  test("[HOOK-2] has the event as its body", async () => {
    await scene.configure();
    const agent = await scene.newAgent();
    const { event, body } = await scene.arrived("agent.created");
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/) as string,
      type: "agent.created",
      api_version: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
      created_at: expect.stringMatching(/Z$/) as string,
      timestamp: Math.floor(Date.parse(event["created_at"] as string) / 1_000),
      organization_id: scene.owner.organizationId,
      sequence: 2,
      source: "api_mutation",
      actor: { type: "user", id: scene.owner.userId },
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
    await answered(scene.client.call("PATCH", `/api/agents/${agent["id"] as string}`, { name: "Eve" }));
    expect((await scene.arrived("agent.updated")).event).toMatchObject({ changes: ["name"], resource: { version: 2 } });
  });

  test("[HOOK-2] data over 20 KiB is cut to ids and status", async () => {
    await scene.configure({ event_types: ["agent.created"] });
    const prompt = "p".repeat(30_000);
    const agent = await answered(
      scene.client.call("POST", "/api/agents", { name: "Long", system_prompt: prompt }),
      201,
    );
    const { event } = await scene.arrived("agent.created");
    expect(event["truncated"]).toBe(true);
    expect(event["data"]).toMatchObject({ id: agent["id"] });
    expect(JSON.stringify(event["data"]).length).toBeLessThan(600);
  });

  test("[HOOK-7] has the headers of the interface and those of Standard Webhooks", async () => {
    await scene.configure({ event_types: ["agent.created"] });
    scene.receiver.respond = (_, count) => new Response("", { status: count === 1 ? 500 : 200 });
    await scene.newAgent();
    const first = await scene.arrived("agent.created", 1);
    const second = await scene.arrived("agent.created", 2);
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
    const secret = await scene.configure();
    const { body, headers } = await scene.arrived("webhook.configured");
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

  test("[HOOK-8] after a rotation with grace both secrets verify it, without grace only the new one", async () => {
    const old = await scene.configure();
    const { secret } = await answered<{ secret: string }>(
      scene.client.call("POST", `${CONFIGURATION}/signing-secret/rotate`, { grace_seconds: 600 }),
    );
    const stripe = new Stripe("sk_test_x").webhooks;
    const { body, headers } = await scene.arrived("webhook.secret_rotated");
    for (const key of [secret, old]) {
      await stripe.constructEventAsync(body, headers["service-signature"]!, key);
      new StandardWebhook(key).verify(body, headers as Record<string, string>);
    }
    expect(headers["service-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(body).not.toContain(secret);
    const { secret: third } = await answered<{ secret: string }>(
      scene.client.call("POST", `${CONFIGURATION}/signing-secret/rotate`),
    );
    const last = await scene.arrived("webhook.secret_rotated", 2);
    await stripe.constructEventAsync(last.body, last.headers["service-signature"]!, third);
    await expect(stripe.constructEventAsync(last.body, last.headers["service-signature"]!, secret)).rejects.toThrow();
    await refused(
      scene.client.call("POST", `${CONFIGURATION}/signing-secret/rotate`, { grace_seconds: 604_801 }),
      400,
      "invalid_request",
    );
  });

  test("[HOOK-6] a redirect is not followed, and is not a success", async () => {
    await scene.configure({ event_types: ["agent.created"] });
    scene.receiver.respond = () => Response.redirect(scene.receiver.url, 302);
    await scene.newAgent();
    await scene.ended("failed");
    expect(scene.receiver.deliveries.length).toBe(1);
    expect((await scene.ledger("&status=failed"))[0]).toMatchObject({
      http_status: 302,
      error: "http_error",
      attempt: 1,
    });
    expect(await scene.client.get(CONFIGURATION)).toMatchObject({
      last_success_at: null,
      last_failure_at: expect.any(String) as string,
    });
  });

  test("[HOOK-6] Retry-After of a 429 extends the wait", async () => {
    await scene.configure({ event_types: ["agent.created"] });
    scene.receiver.respond = (_, count) =>
      count === 1 ? new Response("", { status: 429, headers: { "retry-after": "3" } }) : new Response();
    await scene.newAgent();
    await scene.ended("retrying");
    const [row] = await scene.ledger("&status=retrying");
    const wait = Date.parse(row!["next_attempt_at"] as string) - Date.parse(row!["updated_at"] as string);
    expect(wait).toBe(3_000);
    await scene.arrived("agent.created", 2);
  });

  test("[HOOK-6] 410 switches delivery off", async () => {
    await scene.configure({ event_types: ["agent.created"] });
    scene.receiver.respond = () => new Response("", { status: 410 });
    await scene.newAgent();
    await until("delivery is off", async () => (await scene.client.get(CONFIGURATION))["enabled"] === false);
    expect(await scene.client.get(CONFIGURATION)).toMatchObject({ disabled_reason: "gone" });
    await scene.newAgent("Eve");
    const { events } = await scene.client.get<{ events: Json[] }>("/api/events?after=2");
    expect(events.map(({ type }) => type)).toEqual(["webhook.disabled", "agent.created"]);
    expect(scene.receiver.deliveries.length).toBe(1);
  });

  test("[HOOK-9] failures of the connection have their names in the ledger", async () => {
    const cases: readonly (readonly [string, string])[] = [
      ["https://nowhere.invalid/x", "dns_error"],
      ["https://closed.test:1/x", "connection_refused"],
      [scene.receiver.url.replace("hooks.test", "other.test"), "tls_error"],
    ];
    for (const [url, error] of cases) {
      await scene.configure({ url, event_types: ["agent.created"] });
      const { id } = await scene.newAgent(error);
      await until(`${error} is in the ledger`, async () => (await scene.ledger()).some((row) => row.error === error));
      expect(id).toBeString();
    }
    expect((await scene.ledger()).find((row) => row.error === "tls_error")).toMatchObject({
      destination_host: "o***r.test",
      http_status: null,
      status: "retrying",
    });
  });
});

test("[HOOK-6] a receiver that never answers does not delay another organization's", async () => {
  await scene.configure({ event_types: ["agent.created"] });
  const release = Promise.withResolvers<void>();
  scene.receiver.respond = () => release.promise.then(() => new Response());
  for (let i = 0; i < 30; i++) await scene.newAgent();
  await until("8 hang", () => scene.receiver.deliveries.length === 8);
  const other = startReceiver(scene.world, "other");
  scene.client = new Client(scene.service, await scene.service.found("Other"));
  await scene.configure({ url: other.url, event_types: ["agent.created"] });
  for (let i = 0; i < 30; i++) await scene.newAgent();
  await until("all of the other's have arrived", () => other.deliveries.length === 30);
  expect(scene.receiver.deliveries.length).toBe(8);
  expect(other.deliveries.map(({ event }) => event.sequence)).toEqual(Array.from({ length: 30 }, (_, i) => i + 2));
  release.resolve();
  await until("the first one's arrive when it answers", () => scene.receiver.deliveries.length === 30);
  expect(scene.receiver.most).toBe(8);
  other.stop();
});
