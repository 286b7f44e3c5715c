/** The ledger of deliveries and the feed of events (HOOK-9, HOOK-10). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { CONFIGURATION, type Row, WebhookScene } from "../support/webhook-scene.ts";

let scene: WebhookScene;

beforeAll(async () => void (scene = await WebhookScene.start()));
afterAll(() => scene.end());
beforeEach(() => scene.reset());
afterEach(() => scene.receiver.stop());

describe("the ledger and the feed", () => {
  test("[HOOK-9] rows are filtered and paged, and contain nothing of the receiver's answer", async () => {
    await scene.configure({ event_types: ["agent.*"] });
    for (const name of ["a", "b", "c"]) await scene.newAgent(name);
    await scene.ended("success", 3);
    const rows = await scene.ledger();
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
    expect((await scene.ledger(`&event_id=${rows[0]!.event_id}`)).length).toBe(1);
    expect((await scene.ledger("&event_type=agent.deleted")).length).toBe(0);
    expect((await scene.ledger(`&since=${new Date(Date.now() + 60_000).toISOString()}`)).length).toBe(0);
    const first = await scene.client.get<{ deliveries: Row[]; next_cursor: string }>(
      `${CONFIGURATION}/deliveries?limit=2`,
    );
    const second = await scene.client.get<{ deliveries: Row[]; next_cursor?: string }>(
      `${CONFIGURATION}/deliveries?limit=2&cursor=${first.next_cursor}`,
    );
    expect([...first.deliveries, ...second.deliveries].map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(second.next_cursor).toBeUndefined();
    await refused(scene.client.call("GET", `${CONFIGURATION}/deliveries?cursor=x`), 400, "invalid_cursor");
    const details = await refused(
      scene.client.call("GET", `${CONFIGURATION}/deliveries?event_type=a.b`),
      400,
      "invalid_event_type",
    );
    const message = expect.stringMatching(
      /^Unknown event type or family `a\.b`; the families are `agent\.\*`, .*`webhook\.\*`$/,
    ) as unknown;
    expect(details).toEqual({ unknown: ["a.b"], errors: [{ path: "/event_type", message }] });
    const family = scene.client.call("GET", `${CONFIGURATION}/deliveries?event_type=agent.*`);
    expect(await refused(family, 400, "invalid_event_type")).toMatchObject({
      errors: [{ message: "`agent.*` is a family; only an exact type is possible here, such as `agent.created`" }],
    });
    await refused(scene.client.call("GET", `${CONFIGURATION}/deliveries?status=lost`), 400, "invalid_request");
    await refused(scene.client.call("GET", `${CONFIGURATION}/deliveries?since=today`), 400, "invalid_request");
  });

  test("[HOOK-10] redelivery sends the same event with a new key, one event or a whole range", async () => {
    await scene.configure({ event_types: ["agent.created"] });
    await scene.newAgent();
    const first = await scene.arrived("agent.created");
    await scene.ended("success");
    const [row] = await scene.ledger();
    const { delivery } = await answered<{ delivery: Row }>(
      scene.client.call("POST", `${CONFIGURATION}/deliveries/${row!.id}/redeliver`),
      202,
    );
    expect(delivery).toMatchObject({ event_id: row!.event_id, trigger: "redelivery", status: "pending", attempt: 1 });
    const again = await scene.arrived("agent.created", 2);
    expect(again.body).toBe(first.body);
    expect(again.headers["idempotency-key"]).not.toBe(first.headers["idempotency-key"]!);
    await refused(
      scene.client.call("POST", `${CONFIGURATION}/deliveries/dlv_${"a".repeat(21)}/redeliver`),
      404,
      "not_found",
    );

    const body = { since_sequence: 1, until_sequence: 1_000, event_types: ["agent.*", "webhook.configured"] };
    const { redelivery } = await answered<{ redelivery: Json }>(
      scene.client.call("POST", `${CONFIGURATION}/redeliver`, body),
      202,
    );
    expect(redelivery).toEqual({ ...body, until_sequence: 3 });
    await scene.arrived("agent.created", 3);
    await scene.arrived("webhook.configured");
    for (const range of [
      { since_sequence: 3, until_sequence: 2 },
      { since_sequence: 99, until_sequence: 100 },
    ])
      await refused(scene.client.call("POST", `${CONFIGURATION}/redeliver`, range), 400, "invalid_request");
  });

  test("[HOOK-3] events are kept while delivery is off, and can be sent later", async () => {
    await scene.newAgent("before");
    await scene.configure({ enabled: false });
    await scene.newAgent("off");
    await scene.configure({ event_types: ["agent.created"] });
    await answered(
      scene.client.call("POST", `${CONFIGURATION}/redeliver`, {
        since_sequence: 1,
        until_sequence: 99,
        event_types: ["agent.*"],
      }),
      202,
    );
    await scene.arrived("agent.created", 2);
    expect(
      scene.receiver
        .ofType("agent.created")
        .map(({ event }) => event.sequence)
        .toSorted((a, b) => a - b),
    ).toEqual([1, 3]);
  });

  test("[HOOK-10] a test is sent whatever the subscriptions are", async () => {
    await refused(scene.client.call("POST", `${CONFIGURATION}/test`), 404, "not_found");
    await scene.configure({ event_types: ["job.failed"] });
    const { delivery } = await answered<{ delivery: Row }>(scene.client.call("POST", `${CONFIGURATION}/test`), 202);
    expect(delivery).toMatchObject({ event_type: "webhook.test", source: "test", trigger: "test" });
    expect((await scene.arrived("webhook.test")).event).toMatchObject({ source: "test", sequence: 2 });
  });

  test("[GEN-5] while delivery is off, operations that send are 409 with the caller's remaining actions", async () => {
    await scene.configure();
    await scene.ended("success");
    const [row] = await scene.ledger();
    await scene.configure({ enabled: false });
    const off = { status: "disabled", allowed_actions: ["configure", "rotate_secret"] };
    const range = { since_sequence: 1, until_sequence: 2 };
    for (const refusal of [
      scene.client.call("POST", `${CONFIGURATION}/test`),
      scene.client.call("POST", `${CONFIGURATION}/deliveries/${row!.id}/redeliver`),
      scene.client.call("POST", `${CONFIGURATION}/redeliver`, range),
    ])
      expect(await refused(refusal, 409, "invalid_state")).toEqual(off);
  });

  test("[GEN-7] an unknown delivery is 404, whether delivery is on, off or not configured", async () => {
    const unknown = () => scene.client.call("POST", `${CONFIGURATION}/deliveries/dlv_${"a".repeat(21)}/redeliver`);
    await refused(unknown(), 404, "not_found");
    for (const enabled of [true, false]) {
      await scene.configure({ enabled });
      await refused(unknown(), 404, "not_found");
    }
  });

  test("[AUTH-5] tests and the ledger are for owners; members are offered no action", async () => {
    await scene.configure();
    const member = new Client(scene.service, await scene.service.join(scene.owner.organizationId));
    await refused(member.call("POST", `${CONFIGURATION}/test`), 403, "owner_required");
    await refused(member.call("GET", `${CONFIGURATION}/deliveries`), 403, "owner_required");
    expect((await member.get(CONFIGURATION))["allowed_actions"]).toEqual([]);
    expect((await scene.client.get(CONFIGURATION))["allowed_actions"]).toEqual(["configure", "rotate_secret", "test"]);
  });

  test("[HOOK-10] the feed reports the same by number, page by page", async () => {
    for (const name of ["a", "b", "c"]) await scene.newAgent(name);
    const page = await scene.client.get<Json>("/api/events?limit=2");
    expect(page).toMatchObject({ last_sequence: 2, has_more: true });
    const next = await scene.client.get<{ events: Json[] }>(`/api/events?cursor=${String(page["next_cursor"])}`);
    expect(next.events.map(({ sequence }) => sequence)).toEqual([3]);
    expect(next).not.toHaveProperty("next_cursor");
    await refused(scene.client.call("GET", "/api/events?cursor=nonsense"), 400, "invalid_cursor");
    const other = Buffer.from('["agents",2]').toString("base64url");
    await refused(scene.client.call("GET", `/api/events?cursor=${other}`), 400, "invalid_cursor");
    const rest = await scene.client.get<{ events: Json[] }>("/api/events?after=2");
    expect(rest).toMatchObject({ last_sequence: 3, has_more: false });
    expect(rest.events[0]).toMatchObject({ sequence: 3, data: { name: "c" } });
    expect(await scene.client.get("/api/events?after=3")).toEqual({ events: [], last_sequence: 3, has_more: false });
    await refused(scene.client.call("GET", "/api/events?after=-1"), 400, "invalid_request");
    await refused(scene.client.call("GET", "/api/events?after=x"), 400, "invalid_request");
    await scene.service.database
      .read`delete from webhook_event where organization_id = ${scene.owner.organizationId} and sequence < 3`;
    expect(await refused(scene.client.call("GET", "/api/events?after=1"), 410, "event_not_retained")).toEqual({
      oldest_sequence: 3,
    });
    expect(await scene.client.get("/api/events")).toMatchObject({ last_sequence: 3 });
  });

  test("[HOOK-10] the debugger says exactly why a signature does not verify", async () => {
    const secret = await scene.configure();
    const { body, headers } = await scene.arrived("webhook.configured");
    const verdict = (given: Json): Promise<Json> =>
      scene.client.get(CONFIGURATION).then(() => answered(scene.client.call("POST", `${CONFIGURATION}/verify`, given)));
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
