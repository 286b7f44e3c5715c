/** The check of answers finds what no operation has described. */
import { expect, test } from "bun:test";
import { exampleOf } from "../../src/contract/example.ts";
import { SecretView } from "../../src/current/secrets/operations.ts";
import { undocumented } from "./documented.ts";

const json = (body: unknown, status = 200) => Response.json(body, { status });
const secret = exampleOf(SecretView) as object;
const PATH = "/api/secrets/GITHUB_TOKEN?x=1";

test("[DOC-1] an answer that is described passes, and so does what is at no path of the contract", async () => {
  expect(await undocumented("PUT", PATH, json(secret))).toBeNull();
  expect(await undocumented("PUT", PATH, json(secret, 201))).toBeNull();
  expect(await undocumented("PUT", PATH, json({ code: "owner_required" }, 403))).toBeNull();
  expect(await undocumented("GET", "/api/nothing", json({}, 404))).toBeNull();
});

test("[DOC-1] a field too many, one too few, another status, another code and another type are found", async () => {
  const found = async (answer: Response) => (await undocumented("PUT", PATH, answer)) ?? "";
  expect(await found(json({ ...secret, value: "shown" }))).toContain("/value");
  expect(await found(json({ ...secret, name: undefined }))).toContain("/name");
  expect(await found(json({ ...secret, created_at: "yesterday" }))).toContain("/created_at");
  expect(await found(json(secret, 202))).toContain("a status");
  expect(await found(json({ code: "forbidden" }, 403))).toContain("forbidden");
  expect(await found(json({ code: "chat_busy" }, 418))).toContain("a status");
  expect(await found(new Response("text", { headers: { "content-type": "text/plain" } }))).toContain("text/plain");
});
