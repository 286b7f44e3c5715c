/** Guessing passwords and accounts (AUTH-14). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { accountRef, attemptsRef } from "../../actors/account/schema.ts";
import { FORGET_ATTEMPTS_MS, LONGEST_WAIT_MS } from "../../actors/account/actor.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import { Accounts } from "../../src/sign-in/accounts.ts";
import { Passwords } from "../../src/sign-in/passwords.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { browserOf, emailOf, PASSWORD, signedIn } from "../support/signed-in.ts";

/** Its wall time stands still, so that a slow machine waits for nothing. */
const clock = new ShiftedClock();
let service: Service;
let owner: Founded;

beforeAll(async () => {
  clock.hold();
  service = await startService({ clock });
  owner = await service.found();
});
afterAll(() => service.stop());

const guess = (email: string, password = "wrong wrong wrong") =>
  browserOf(service).post("/sign-in", { email, password });

test("[AUTH-14] a wrong password and an unknown address get the same answer", async () => {
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

test("[AUTH-14] the same work is done whether somebody has the address, a password, or neither", async () => {
  const person = await service.join(owner.organizationId);
  await signedIn(service, person);
  // The service of the tests has hashes that cost nothing.
  const passwordHash = await new Passwords().hash(PASSWORD);
  if (!passwordHash.ok) throw new Error(passwordHash.fault.kind);
  const command = { kind: "set_password", passwordHash: passwordHash.value, linkHash: null, keptId: null } as const;
  expect(await service.system.dispatch(accountRef(person.userId), command)).toMatchObject({ ok: true });
  const emails = [
    await emailOf(service, person),
    await emailOf(service, await service.join(owner.organizationId)),
    `nobody-${person.userId}@example.com`,
  ];
  let steps: string[] = [];
  const passwords = new Passwords({
    hash: (password, options) => Bun.password.hash(password, options),
    verify(password, hash, algorithm) {
      // Its parameters are what a check costs.
      steps.push(hash.toString().split("$").slice(0, 4).join("$"));
      return Bun.password.verify(password, hash, algorithm);
    },
  });
  const dispatch = ((ref, command) => {
    // To tell the owners is what no answer waits for.
    if (command.kind !== "note") steps.push(command.kind);
    return service.system.dispatch(ref, command);
  }) as typeof service.system.dispatch;
  const findMembers: Directory["findMembers"] = (email) => {
    steps.push("findMembers");
    return service.directory.findMembers(email);
  };
  const note = (): void => {};
  const accounts = new Accounts({
    system: { dispatch } as typeof service.system,
    directory: { findMembers } as Directory,
    passwords,
    clock: systemClock,
    log: { info: note, warn: note, error: note },
    onRevoked: note,
  });
  for (const email of emails) {
    steps = [];
    const answer = await accounts.signIn(email, "wrong wrong wrong", { address: "192.0.2.1", browser: "a test" });
    expect(answer).toMatchObject({ ok: false, fault: { kind: "unauthenticated" } });
    expect(steps).toEqual([
      "admit_attempt",
      "admit_attempt",
      "findMembers",
      "read_credentials",
      "$argon2id$v=19$m=47104,t=1,p=1",
    ]);
  }
});

test("[WSP-2] a password that was hashed before passwords were composed still opens its share", async () => {
  const decomposed = "passwo\u0308rter";
  const former = await Bun.password.hash(decomposed, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
  const passwords = new Passwords();
  expect(await passwords.verify(decomposed, former)).toEqual({ ok: true, value: true });
  expect(await passwords.verify(`${decomposed}!`, former)).toEqual({ ok: true, value: false });
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

test("[AUTH-14] a successful sign-in forgets the failed ones before it", async () => {
  const person = await service.join(owner.organizationId);
  await signedIn(service, person);
  const email = await emailOf(service, person);
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 9; i++) expect((await guess(email)).status).toBe(403);
    expect((await guess(email, PASSWORD)).at).toBe("/app");
  }
});

test("[AUTH-14] waits double up to a quarter of an hour, and are forgotten after an hour", async () => {
  const ref = attemptsRef("adr_test");
  const attempt = () => service.system.dispatch(ref, { kind: "admit_attempt", free: 2 });
  const waitMs = async (): Promise<number> => {
    const answer = await attempt();
    return !answer.ok && answer.fault.kind === "rate_limited" ? answer.fault.retryAfterMs : 0;
  };
  expect([await waitMs(), await waitMs()]).toEqual([0, 0]);
  const waits: number[] = [];
  for (let i = 0; i < 11; i++) {
    const wait = await waitMs();
    waits.push(wait);
    await clock.shift(wait);
    expect(await waitMs()).toBe(0);
  }
  expect(waits.slice(0, 4)).toEqual([2_000, 4_000, 8_000, 16_000]);
  expect(waits.at(-1)).toBe(LONGEST_WAIT_MS);
  await clock.shift(FORGET_ATTEMPTS_MS);
  expect([await waitMs(), await waitMs()]).toEqual([0, 0]);
});

test("[AUTH-14] attempts with a clock that was a day ahead lock nobody out once the clock is corrected", async () => {
  const ref = attemptsRef("adr_of_tomorrow");
  const isRefused = async (): Promise<boolean> =>
    !(await service.system.dispatch(ref, { kind: "admit_attempt", free: 2 })).ok;
  await clock.shift(86_400_000);
  expect([await isRefused(), await isRefused(), await isRefused()]).toEqual([false, false, true]);
  await clock.shift(-86_400_000);
  // The count stays, and so does the next wait.
  expect([await isRefused(), await isRefused()]).toEqual([false, true]);
});

test("[AUTH-14] an address that tries many accounts must wait too, whichever accounts it tries", async () => {
  // What the tests before have tried from here is forgotten.
  await clock.shift(FORGET_ATTEMPTS_MS);
  const ofAddress = attemptsRef(`adr_${Bun.SHA256.hash("127.0.0.1", "hex").slice(0, 32)}`);
  expect((await guess("0@example.com")).status).toBe(403);
  for (let i = 1; i < 49; i++) await service.system.dispatch(ofAddress, { kind: "admit_attempt", free: 50 });
  const person = await service.join(owner.organizationId);
  await signedIn(service, person);
  const statuses = [(await guess("49@example.com")).status, (await guess("50@example.com")).status];
  expect(statuses).toEqual([403, 429]);
  expect((await guess(await emailOf(service, person), PASSWORD)).status).toBe(429);
  // Passkeys and links are not guessed, and go on.
  expect((await browserOf(service).get("/sign-in")).status).toBe(200);
});
