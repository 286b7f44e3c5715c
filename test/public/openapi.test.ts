/** The contract as anybody reads it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Service, startService } from "../support/service.ts";

const COMMITTED = new URL("../../docs/openapi.json", import.meta.url);
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test("[DOC-1] what is served are the bytes that are committed, to anybody, with rate headers and version", async () => {
  const response = await fetch(`${service.url}/api/openapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("api-version")).toBe("2026-11-01");
  expect(response.headers.get("x-ratelimit-limit")).toBe("3000");
  expect(response.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9_-]{8,128}$/);
  expect(Buffer.from(await response.bytes()).equals(Buffer.from(await Bun.file(COMMITTED).bytes()))).toBe(true);
});
