/** The ledger of deliveries and the feed of events (HOOK-9, HOOK-10). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
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

describe("the ledger and the feed", () => {
  test("[HOOK-9] rows are filtered, paged, and hold nothing of the answer", async () => {
    await configure({ event_types: ["agent.*"] });
    for (const name of ["a", "b", "c"]) await newAgent(name);
    await ended("success", 3);
    const rows = await ledger();
    expect(rows.length).toBe(3);
    expect(rows[0]).toMatchObject({
      event_type: "agent.created",
      source: "api_mutation",
      attempt: 1,
      http_status: 200,
      error: null,
      duration_ms: expect.any(Number) as number,
      destination_host: "h***s.test",
      trigger: "automatic",
      next_attempt_at: null,
    });
    expect(JSON.stringify(rows)).not.toContain("taken");
    expect((await ledger(`&event_id=${rows[0]!.event_id}`)).length).toBe(1);
    expect((await ledger("&event_type=agent.deleted")).length).toBe(0);
    expect((await ledger(`&since=${new Date(Date.now() + 60_000).toISOString()}`)).length).toBe(0);
    const first = await client.get<{ deliveries: Row[]; next_cursor: string }>(`${PATH}/deliveries?limit=2`);
    const second = await client.get<{ deliveries: Row[]; next_cursor?: string }>(
      `${PATH}/deliveries?limit=2&cursor=${first.next_cursor}`,
    );
    expect([...first.deliveries, ...second.deliveries].map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(second.next_cursor).toBeUndefined();
    await refused(client.call("GET", `${PATH}/deliveries?cursor=x`), 400, "invalid_cursor");
    const details = await refused(client.call("GET", `${PATH}/deliveries?event_type=a.b`), 400, "invalid_event_type");
    const message = expect.stringMatching(
      /^Unknown event type or family `a\.b`; the families are `agent\.\*`, .*`webhook\.\*`$/,
    ) as unknown;
    expect(details).toEqual({ unknown: ["a.b"], errors: [{ path: "/event_type", message }] });
    const family = client.call("GET", `${PATH}/deliveries?event_type=agent.*`);
    expect(await refused(family, 400, "invalid_event_type")).toMatchObject({
      errors: [{ message: "`agent.*` is a family; only an exact type is possible here, such as `agent.created`" }],
    });
    await refused(client.call("GET", `${PATH}/deliveries?status=lost`), 400, "invalid_request");
    await refused(client.call("GET", `${PATH}/deliveries?since=today`), 400, "invalid_request");
  });

  test("[HOOK-10] redelivery sends the same event under another key, and the whole range at once", async () => {
    await configure({ event_types: ["agent.created"] });
    await newAgent();
    const first = await arrived("agent.created");
    await ended("success");
    const [row] = await ledger();
    const { delivery } = await answered<{ delivery: Row }>(
      client.call("POST", `${PATH}/deliveries/${row!.id}/redeliver`),
      202,
    );
    expect(delivery).toMatchObject({ event_id: row!.event_id, trigger: "redelivery", status: "pending", attempt: 1 });
    const again = await arrived("agent.created", 2);
    expect(again.body).toBe(first.body);
    expect(again.headers["idempotency-key"]).not.toBe(first.headers["idempotency-key"]!);
    await refused(client.call("POST", `${PATH}/deliveries/dlv_${"a".repeat(21)}/redeliver`), 404, "not_found");

    const body = { since_sequence: 1, until_sequence: 1_000, event_types: ["agent.*", "webhook.configured"] };
    const { redelivery } = await answered<{ redelivery: Json }>(client.call("POST", `${PATH}/redeliver`, body), 202);
    expect(redelivery).toEqual({ ...body, until_sequence: 3 });
    await arrived("agent.created", 3);
    await arrived("webhook.configured");
    await refused(
      client.call("POST", `${PATH}/redeliver`, { since_sequence: 3, until_sequence: 2 }),
      400,
      "invalid_request",
    );
  });

  test("[HOOK-3] events are kept while delivery is off, and can be sent later", async () => {
    await newAgent("before");
    await configure({ enabled: false });
    await newAgent("off");
    await configure({ event_types: ["agent.created"] });
    await answered(
      client.call("POST", `${PATH}/redeliver`, { since_sequence: 1, until_sequence: 99, event_types: ["agent.*"] }),
      202,
    );
    await arrived("agent.created", 2);
    expect(
      receiver
        .ofType("agent.created")
        .map(({ event }) => event.sequence)
        .toSorted((a, b) => a - b),
    ).toEqual([1, 3]);
  });

  test("[HOOK-10] a test is sent whatever is subscribed to", async () => {
    await refused(client.call("POST", `${PATH}/test`), 404, "not_found");
    await configure({ event_types: ["job.failed"] });
    const { delivery } = await answered<{ delivery: Row }>(client.call("POST", `${PATH}/test`), 202);
    expect(delivery).toMatchObject({ event_type: "webhook.test", source: "test", trigger: "test" });
    expect((await arrived("webhook.test")).event).toMatchObject({ source: "test", sequence: 2 });
  });

  test("[GEN-5] while delivery is off, what would send is 409 with the verbs that are left to the caller", async () => {
    await configure();
    await ended("success");
    const [row] = await ledger();
    await configure({ enabled: false });
    const off = { status: "disabled", allowed_actions: ["configure", "rotate_secret"] };
    const range = { since_sequence: 1, until_sequence: 2 };
    for (const refusal of [
      client.call("POST", `${PATH}/test`),
      client.call("POST", `${PATH}/deliveries/${row!.id}/redeliver`),
      client.call("POST", `${PATH}/redeliver`, range),
    ])
      expect(await refused(refusal, 409, "invalid_state")).toEqual(off);
  });

  test("[GEN-7] an unknown delivery is 404, whether delivery is on, off or not configured", async () => {
    const unknown = () => client.call("POST", `${PATH}/deliveries/dlv_${"a".repeat(21)}/redeliver`);
    await refused(unknown(), 404, "not_found");
    for (const enabled of [true, false]) {
      await configure({ enabled });
      await refused(unknown(), 404, "not_found");
    }
  });

  test("[AUTH-5] tests and the ledger are for owners; members are offered no verb", async () => {
    await configure();
    const member = new Client(service, await service.join(owner.organizationId));
    await refused(member.call("POST", `${PATH}/test`), 403, "owner_required");
    await refused(member.call("GET", `${PATH}/deliveries`), 403, "owner_required");
    expect((await member.get(PATH))["allowed_actions"]).toEqual([]);
    expect((await client.get(PATH))["allowed_actions"]).toEqual(["configure", "rotate_secret", "test"]);
  });

  test("[HOOK-10] the feed tells the same by number, page by page", async () => {
    for (const name of ["a", "b", "c"]) await newAgent(name);
    const page = await client.get<Json>("/api/events?limit=2");
    expect(page).toMatchObject({ last_sequence: 2, has_more: true });
    const next = await client.get<{ events: Json[] }>(`/api/events?cursor=${String(page["next_cursor"])}`);
    expect(next.events.map(({ sequence }) => sequence)).toEqual([3]);
    expect(next).not.toHaveProperty("next_cursor");
    await refused(client.call("GET", "/api/events?cursor=nonsense"), 400, "invalid_cursor");
    const other = Buffer.from('["agents",2]').toString("base64url");
    await refused(client.call("GET", `/api/events?cursor=${other}`), 400, "invalid_cursor");
    const rest = await client.get<{ events: Json[] }>("/api/events?after=2");
    expect(rest).toMatchObject({ last_sequence: 3, has_more: false });
    expect(rest.events[0]).toMatchObject({ sequence: 3, data: { name: "c" } });
    expect(await client.get("/api/events?after=3")).toEqual({ events: [], last_sequence: 3, has_more: false });
    await refused(client.call("GET", "/api/events?after=-1"), 400, "invalid_request");
    await refused(client.call("GET", "/api/events?after=x"), 400, "invalid_request");
    await service.database
      .read`delete from webhook_event where organization_id = ${owner.organizationId} and sequence < 3`;
    expect(await refused(client.call("GET", "/api/events?after=1"), 410, "event_not_retained")).toEqual({
      oldest_sequence: 3,
    });
    expect(await client.get("/api/events")).toMatchObject({ last_sequence: 3 });
  });

  test("[HOOK-10] the debugger says exactly why a signature does not verify", async () => {
    const secret = await configure();
    const { body, headers } = await arrived("webhook.configured");
    const verdict = (given: Json): Promise<Json> =>
      client.get(PATH).then(() => answered(client.call("POST", `${PATH}/verify`, given)));
    expect(await verdict({ headers, body })).toMatchObject({ valid: true, reason: "valid" });
    expect(await verdict({ headers, body, secret })).toMatchObject({ valid: true });
    expect(await verdict({ headers: {}, body })).toMatchObject({ valid: false, reason: "missing_signature" });
    expect(await verdict({ headers: { "Service-Signature": "v1=x" }, body })).toMatchObject({
      reason: "malformed_signature",
    });
    expect(await verdict({ headers, body: `${body}\n` })).toMatchObject({ reason: "body_changed" });
    expect(await verdict({ headers, body: JSON.stringify(JSON.parse(body), null, 2) })).toMatchObject({
      reason: "body_changed",
    });
    expect(await verdict({ headers, body, secret: `whsec_${"A".repeat(43)}=` })).toMatchObject({
      reason: "signature_mismatch",
    });
    const standard = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("webhook-")));
    expect(await verdict({ headers: standard, body })).toMatchObject({ valid: true });
    const late = { ...standard, "webhook-timestamp": "1000000000" };
    expect(await verdict({ headers: late, body })).toMatchObject({ reason: "signature_mismatch" });
  });
});
