/** Guessing passwords and accounts (AUTH-14). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { attemptsRef } from "../../actors/account/schema.ts";
import { FORGET_ATTEMPTS_MS, LONGEST_WAIT_MS } from "../../actors/account/actor.ts";
import { Passwords } from "../../src/sign-in/passwords.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { browserOf, emailOf, PASSWORD, signedIn } from "../support/signed-in.ts";

let service: Service;
let owner: Founded;

beforeAll(async () => {
  service = await startService();
  owner = await service.found();
});
afterAll(() => service.stop());

const guess = (email: string, password = "wrong wrong wrong") =>
  browserOf(service).post("/sign-in", { email, password });

test("[AUTH-14] a wrong password and an address that nobody has are answered alike", async () => {
  const person = await service.join(owner.organizationId);
  await signedIn(service, person);
  const withoutPassword = await service.join(owner.organizationId);
  const removed = `nobody-${person.userId}@example.com`;
  const answers = [];
  for (const email of [await emailOf(service, person), await emailOf(service, withoutPassword), removed]) {
    const answer = await guess(email);
    answers.push({ status: answer.status, html: answer.html.replaceAll(Bun.escapeHTML(email), "…") });
  }
  expect(answers[0]?.status).toBe(403);
  expect(answers[1]).toEqual(answers[0]!);
  expect(answers[2]).toEqual(answers[0]!);
});

test("[AUTH-14] a password is checked for as long where there is none", async () => {
  const passwords = new Passwords();
  const hash = await passwords.hash(PASSWORD);
  const best = async (given: string | null): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const startedAt = performance.now();
      expect(await passwords.verify("wrong", given)).toEqual({ ok: true, value: false });
      times.push(performance.now() - startedAt);
    }
    return Math.min(...times);
  };
  const withHash = await best(hash.ok ? hash.value : null);
  const without = await best(null);
  expect(without / withHash).toBeGreaterThan(0.5);
  expect(without / withHash).toBeLessThan(2);
});

test("[AUTH-14] after ten wrong passwords an account waits, whether it exists or not", async () => {
  const person = await service.join(owner.organizationId);
  await signedIn(service, person);
  for (const email of [await emailOf(service, person), "nobody-at-all@example.com"]) {
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await guess(email)).status);
    expect([email, ...statuses]).toEqual([email, ...Array<number>(10).fill(403), 429]);
    const right = await guess(email, PASSWORD);
    expect(right.status).toBe(429);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

test("[AUTH-14] a good sign-in forgets the wrong ones before it", async () => {
  const person = await service.join(owner.organizationId);
  await signedIn(service, person);
  const email = await emailOf(service, person);
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 9; i++) expect((await guess(email)).status).toBe(403);
    expect((await guess(email, PASSWORD)).at).toBe("/account");
  }
});

test("[AUTH-14] waits double up to a quarter of an hour, and an hour forgets them", async () => {
  const clock = new ShiftedClock();
  const other = await startService({ clock });
  const ref = attemptsRef("adr_test");
  const attempt = () => other.system.dispatch(ref, { kind: "admit_attempt", free: 2 });
  const waitMs = async (): Promise<number> => {
    const answer = await attempt();
    return !answer.ok && answer.fault.kind === "rate_limited" ? answer.fault.retryAfterMs : 0;
  };
  expect([await waitMs(), await waitMs()]).toEqual([0, 0]);
  const waits: number[] = [];
  for (let i = 0; i < 11; i++) {
    const wait = await waitMs();
    waits.push(wait);
    clock.shift(wait);
    expect(await waitMs()).toBe(0);
  }
  // The clock goes on while the test runs: seconds, rounded up.
  const seconds = waits.map((ms) => Math.ceil(ms / 1_000));
  expect(seconds.slice(0, 4)).toEqual([2, 4, 8, 16]);
  expect(seconds.at(-1)).toBe(LONGEST_WAIT_MS / 1_000);
  clock.shift(FORGET_ATTEMPTS_MS);
  expect([await waitMs(), await waitMs()]).toEqual([0, 0]);
  await other.stop();
});

test("[AUTH-14] an address that tries many accounts waits too", async () => {
  const other = await startService();
  const browser = browserOf(other);
  const statuses: number[] = [];
  for (let i = 0; i < 51; i++)
    statuses.push((await browser.post("/sign-in", { email: `${i}@example.com`, password: "wrong" })).status);
  expect(statuses.slice(0, 50).every((status) => status === 403)).toBe(true);
  expect(statuses[50]).toBe(429);
  await other.stop();
});
