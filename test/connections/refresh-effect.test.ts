/** The effect that renews an access, where its owner changes or something fails that never should (ACC-10, ACC-11). */
import { beforeEach, expect, test } from "bun:test";
import type { ConnectionCommand } from "../../actors/connection/protocol.ts";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { EffectContext } from "../../actors/runtime/outputs/effects.ts";
import type { EffectRow } from "../../actors/runtime/store.ts";
import { type ConnectionEffectParts, connectionEffects } from "../../src/connections/effects.ts";
import { SealedGrant } from "../../src/connections/sealed-grant.ts";
import type { EgressResult } from "../../src/egress/egress.ts";
import { createSealing } from "../../src/service/service-key.ts";

const sealing = createSealing(new Uint8Array(32).fill(3));
const grant = new SealedGrant(sealing, "org_a", "con_1");
const issuer = "https://as.test";
const RECORD = {
  tokens: { sealed: grant.seal("tokens", { accessToken: "old", refreshToken: "refresh" }), generation: 1 },
  sealedClient: grant.seal("client", {
    target: {
      resource: "https://crm.test",
      issuer,
      scopes: [],
      server: { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
    },
    client: { issuer, clientId: "troupe", authMethod: "none" },
    redirectUri: "https://troupe.test/connections/callback",
  }),
  scopes: [],
};
const EFFECT = {
  id: "eff_1",
  organizationId: "org_a",
  actorId: "con_1",
  intent: { generation: 1 },
} as unknown as EffectRow;

const NEW_TOKENS = {
  kind: "response",
  status: 200,
  headers: new Headers({ "content-type": "application/json" }),
  body: Buffer.from(JSON.stringify({ access_token: "new", token_type: "bearer", expires_in: 60 })),
  truncated: false,
} as unknown as EgressResult;

/** Requests to the authorization server. */
let requests: number;
/** Outcomes that the actor was told. */
let told: string[];
let onRead: () => void;
/** Ends that are refused because the storage is full, each for longer than an answer is offered elsewhere. */
let refusals: number;
let effects: ReturnType<typeof connectionEffects>;

beforeEach(() => {
  [requests, told, onRead, refusals] = [0, [], () => {}, 0];
  let monotonicMs = 0;
  const after = (_: number, run: () => void) => {
    queueMicrotask(run);
    return () => {};
  };
  const clock = { now: () => Date.now(), monotonic: () => monotonicMs, after };
  const dispatch = async (_: unknown, command: ConnectionCommand): Promise<Outcome<unknown>> => {
    if (command.kind === "read_sealed_connection") {
      onRead();
      return ok(RECORD);
    }
    if (refusals > 0) {
      refusals--;
      monotonicMs += 60 * 60_000;
      return refuse({ kind: "storage_full", retryAfterMs: 1 });
    }
    told.push(command.kind === "end_refresh" ? command.outcome.kind : command.kind);
    return ok({ ended: null });
  };
  effects = connectionEffects({
    system: { dispatch, dispatchGroup: dispatch },
    sealing,
    egress: { request: async () => (requests++, NEW_TOKENS), resolve: async () => ({ kind: "failed" }) },
    secrets: { read: async () => ok("") },
    clock,
    pauses: { clock, chance: { fraction: () => 1 } },
    log: { warn: () => {} },
  } as unknown as ConnectionEffectParts);
});

const contextOf = (mayAct: () => boolean): EffectContext => ({
  signal: new AbortController().signal,
  epoch: 1,
  mayAct,
  isHandedOver: () => false,
  isOver: () => !mayAct(),
});

test("[ACC-11] a replica that loses the connection while it reads it sends no refresh token", async () => {
  let isOwner = true;
  onRead = () => (isOwner = false);
  await effects.refresh_connection.run(
    EFFECT,
    contextOf(() => isOwner),
  );
  expect({ requests, told }).toEqual({ requests: 0, told: [] });
  // The next owner sends it.
  onRead = () => {};
  await effects.refresh_connection.run(
    EFFECT,
    contextOf(() => true),
  );
  expect({ requests, told }).toEqual({ requests: 1, told: ["refreshed"] });
});

test("[ACC-10] a renewal that fails by a bug is made again", async () => {
  onRead = () => {
    throw new Error("a bug");
  };
  const context = contextOf(() => true);
  const failed = await effects.refresh_connection.run(EFFECT, context).catch((cause: unknown) => cause);
  expect(failed).toBeInstanceOf(Error);
  onRead = () => {};
  await effects.refresh_connection.run(EFFECT, context);
  expect({ requests, told }).toEqual({ requests: 1, told: ["refreshed"] });
});

test("[ACC-11] the end of an effect that cannot be stored for hours is offered until it can", async () => {
  const context = contextOf(() => true);
  refusals = 3;
  await effects.refresh_connection.run(EFFECT, context);
  expect({ requests, told }).toEqual({ requests: 1, told: ["refreshed"] });
  refusals = 3;
  const intent = { sealed: RECORD.tokens.sealed, sealedClient: RECORD.sealedClient, attempt: 1 };
  await effects.revoke_connection.run({ ...EFFECT, intent }, context);
  expect(told).toEqual(["refreshed", "end_revocation"]);
});
