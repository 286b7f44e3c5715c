import { expect, test } from "bun:test";
import { bearerOf } from "../../../src/http/admission/authentication.ts";
import { checkToken, hashToFind, isToken, makeToken } from "../../../src/http/admission/token.ts";

test("[AUTH-1] a token has a prefix, 43 base64url characters and 6 of a checksum; its hash is SHA-256", () => {
  const personal = makeToken("personal");
  const service = makeToken("service");
  expect(personal.secret).toMatch(/^pat_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/);
  expect(service.secret).toMatch(/^svc_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/);
  expect(personal.hash).toBe(new Bun.CryptoHasher("sha256").update(personal.secret).digest("hex"));
  expect(checkToken(personal.secret)).toBe(personal.hash);
  expect(personal.hint).toBe(personal.secret.slice(-4));
  expect(makeToken("personal").secret).not.toBe(personal.secret);
});

test("[AUTH-1] a typo in any place of a token is refused by its checksum", () => {
  const { secret } = makeToken("personal");
  for (let i = 0; i < secret.length; i++) {
    const typo = secret.slice(0, i) + (secret[i] === "a" ? "b" : "a") + secret.slice(i + 1);
    expect(checkToken(typo)).toBeNull();
  }
});

test("[AUTH-1] a token is remembered by its whole hash: no typo of it is accepted", () => {
  const { secret, hash } = makeToken("personal");
  expect([hashToFind(secret), isToken(secret)]).toEqual([hash, true]);
  const typo = secret.slice(0, -1) + (secret.endsWith("a") ? "b" : "a");
  expect(hashToFind(typo)).not.toBe(hash);
  expect(isToken(typo)).toBe(false);
  expect(hashToFind(`${secret}a`)).toBeNull();
});

test.each([
  "",
  "pat_",
  "abc",
  `pat_${"a".repeat(49)}`,
  `xxx_${"a".repeat(49)}`,
  "é".repeat(53),
  `pat_${"a".repeat(500)}`,
])("[AUTH-1] %p is not a token", (text) => expect(checkToken(text)).toBeNull());

test.each([
  [null, null],
  ["", null],
  ["abc", null],
  ["Bearer", null],
  ["Bearer ", ""],
  ["Bearer abc", "abc"],
  ["bearer abc", "abc"],
  ["BEARER   abc ", "abc"],
  ["Bearer a b", null],
  ["Basic abc", null],
  ["Bearer a, Bearer b", null],
])("[AUTH-1] the bearer of the header %p is %p", (header, bearer) => expect(bearerOf(header)).toBe(bearer));
