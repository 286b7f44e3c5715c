/** What the surfaces make of their routes: nothing that changes something goes past the door, and nothing past the contract. */
import { expect, test } from "bun:test";
import { OPERATIONS } from "../../src/contract/document.ts";
import { currentRoutes } from "../../src/current/index.ts";
import type { CurrentParts } from "../../src/current/parts.ts";
import type { Surface } from "../../src/http/surface.ts";
import { publicRoutes } from "../../src/public/index.ts";
import type { PublicParts } from "../../src/public/parts.ts";
import { SCALAR_PATH } from "../../src/public/scalar.ts";
import type { V1Parts } from "../../src/v1/parts.ts";
import { v1Routes } from "../../src/v1/index.ts";

/** Requests with a body that change nothing. */
const READS: readonly string[] = ["POST /api/messaging-integration/verify"];

/** A surface whose handlers say what they are. */
const recorder = {
  handler: () => Object.assign(() => new Response(), { way: "read" }),
  open: () => Object.assign(() => new Response(), { way: "read" }),
  visitors: () => Object.assign(() => new Response(), { way: "read" }),
  mutation: () => Object.assign(() => new Response(), { way: "mutation" }),
} as unknown as Surface;

const routes = [...currentRoutes(recorder, {} as CurrentParts).routes, ...v1Routes(recorder, {} as V1Parts).routes].map(
  ({ method, path, handler }) => ({ name: `${method} ${path}`, method, way: (handler as { way?: string }).way }),
);

test("[IDEM-1] every operation that is no GET is a mutation, and every GET is none", () => {
  expect(routes.length).toBeGreaterThan(30);
  for (const { name, method, way } of routes)
    expect({ name, way }).toEqual({ name, way: method === "GET" || READS.includes(name) ? "read" : "mutation" });
});

test("[DOC-1] every route of the surfaces is an operation of the contract, and every operation has its route", () => {
  const documents = publicRoutes(recorder, {} as PublicParts).routes.map(({ method, path }) => `${method} ${path}`);
  const mounted = new Set([...routes.map(({ name }) => name), ...documents]);
  // The program of the reference is a part of its page.
  mounted.delete(`GET ${SCALAR_PATH}`);
  const told = OPERATIONS.map(({ operation: { method, path } }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`);
  expect([...mounted].toSorted()).toEqual(told.toSorted());
});
