/** What a token has open ends with it: revoked over HTTP at once, however else within a look of the watch (AUTH-2). */
import { beforeEach, expect, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { CONFIRM_MS } from "../../src/http/stream/token-watch.ts";
import { runCommand } from "../support/admin.ts";
import { until } from "../support/condition.ts";
import { answered, Client } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { gate } from "../support/fake-model.ts";
import { serviceOfFile } from "../support/scene.ts";
import type { Caller, Founded } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { createAgent } from "../support/v1.ts";

const DAY_MS = 86_400_000;
/** Instead of `CONFIRM_MS`. */
const LOOK_MS = 10;

let owner: Founded;
let chat: string;
const clock = Object.assign(new ShiftedClock(), {
  after: (delayMs: number, run: () => void): (() => void) => {
    if (delayMs !== CONFIRM_MS) return systemClock.after(delayMs, run);
    const look = (): void => void (isWatching ? run() : systemClock.after(LOOK_MS, look));
    return systemClock.after(LOOK_MS, look);
  },
});
let isWatching = false;

const service = serviceOfFile({ clock });
beforeEach(async () => {
  isWatching = false;
  await clock.skip(0);
  owner = await service.found();
  chat = await new Client(service, owner).chat(await createAgent(service, owner), owner.workspaceId);
});

async function open(by: Caller, path = `/api/chats/${chat}/events`): Promise<StreamReader> {
  const reader = await StreamReader.open(`${service.url}${path}`, { authorization: `Bearer ${by.token}` });
  expect(reader.response.status).toBe(200);
  await reader.saw("snapshot");
  return reader;
}

/** Ended in good order, with the reason and the place to go on from. */
async function closed(reader: StreamReader, reason: string): Promise<void> {
  await reader.ended;
  expect(reader.frames.at(-1)).toMatchObject({ event: "stream.closing", data: { reason } });
}

test("[AUTH-2] a revocation ends the token's streams and waits at once, and nobody else's", async () => {
  const caller = await service.tokenFor(owner, {});
  const [first, second, other] = [await open(caller), await open(caller), await open(owner)];
  const { version } = await new Client(service, owner).readChat(chat);
  const waiting = service.call(caller, "GET", `/api/chats/${chat}?since_version=${version}&wait=30`);
  await until("the long poll waits", () => service.app.streams.count === 4);
  await answered(service.call(owner, "POST", `/api/personal-access-tokens/${caller.tokenId}/revoke`));
  await closed(first, "revoked");
  await closed(second, "revoked");
  expect((await waiting).status).toBe(304);
  expect(service.app.streams.count).toBe(1);
  await other.leave();
});

test("[AUTH-2] a token that revokes itself gets its answer and loses its streams", async () => {
  const caller = await service.tokenFor(owner, { kind: "service" });
  const reader = await open(caller);
  await answered(service.call(caller, "POST", `/api/service-tokens/${caller.tokenId}/revoke`));
  await closed(reader, "revoked");
});

test("[AUTH-2] a revocation ends the stream of an execution on v1; the execution continues", async () => {
  const caller = await service.tokenFor(owner, {});
  const agent = await createAgent(service, owner);
  const held = gate();
  service.model.script = () => [{ hold: held.hold }, { say: "done" }];
  const answer = await service.call(caller, "POST", `/api/v1/agents/${agent}/execute`, { message: "hi", stream: true });
  expect(answer.status).toBe(200);
  await until("the stream is open", () => service.app.streams.count === 1);
  await answered(service.call(owner, "POST", `/api/personal-access-tokens/${caller.tokenId}/revoke`));
  expect(await answer.text()).toContain("event: error");
  expect(service.app.streams.count).toBe(0);
  held.open();
  const client = new Client(service, owner);
  await until("the job has completed", async () => {
    const { jobs } = await client.get<{ jobs: { status: string }[] }>("/api/jobs");
    return jobs[0]?.status === "completed";
  });
});

test("[AUTH-2] a token that the operator revokes loses its streams at once, and so does a removed person", async () => {
  const member = await service.join(owner.organizationId);
  const [token, second] = [await service.tokenFor(member, {}), await service.tokenFor(member, {})];
  const [first, other] = [await open(token), await open(second)];
  const org = { org: owner.organizationId };
  await runCommand(service, "token revoke", { ...org, id: token.tokenId });
  await closed(first, "revoked");
  const { email } = (await service.directory.listMembers(owner.organizationId)).find(({ id }) => id === member.userId)!;
  await runCommand(service, "user remove", { ...org, email });
  await closed(other, "revoked");
});

test("[AUTH-2] the streams of an expired token end with the next check, and no others", async () => {
  const caller = await service.tokenFor(owner, { expiresAt: new Date(systemClock.now() + 7 * DAY_MS).toISOString() });
  const [reader, other] = [await open(caller), await open(owner)];
  await clock.skip(8 * DAY_MS);
  isWatching = true;
  await closed(reader, "expired");
  expect(service.app.streams.count).toBe(1);
  await other.leave();
});

test("[AUTH-2] a token that is revoked without a notification loses its streams with the next check", async () => {
  const caller = await service.tokenFor(owner, {});
  const reader = await open(caller);
  isWatching = true;
  const command = { kind: "revoke_token", tokenId: caller.tokenId, of: null, by: null } as const;
  expect((await service.system.dispatch(organizationRef(owner.organizationId), command)).ok).toBe(true);
  await closed(reader, "revoked");
});
