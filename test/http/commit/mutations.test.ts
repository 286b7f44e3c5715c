/** What the surfaces mount: every operation of the contract has its route, and its id is no other's. */
import { expect, test } from "bun:test";
import { OPERATIONS } from "../../../src/contract/document.ts";
import { CURRENT_OPERATIONS } from "../../../src/current/operations.ts";
import { isRead } from "../../../src/http/contract/operation.ts";
import { operationRoutes } from "../../../src/http/request/routes.ts";
import { Surface } from "../../../src/http/request/surface.ts";
import type { SurfaceParts } from "../../../src/http/request/surface-parts.ts";
import type { Services } from "../../../src/operations/services.ts";
import { publicOperations } from "../../../src/public/operations.ts";
import { SCALAR_PATH, scalarOperations } from "../../../src/public/scalar.ts";
import { v1Dialect } from "../../../src/v1/dialect.ts";
import { V1_OPERATIONS } from "../../../src/v1/operations.ts";

/** Requests with a body that change nothing. */
const READS: readonly string[] = [
  "POST /api/agents/{id}/approval-rules/dry-run",
  "POST /api/connections/{id}/try",
  "POST /api/messaging-integration/verify",
  "POST /api/missions/forecast",
  "POST /api/workspaces/{id}/data-blocks/query",
  "POST /api/workspaces/{id}/files/preview",
];

const [surface, services] = [new Surface(v1Dialect, {} as SurfaceParts), {} as Services];
const groups = [...CURRENT_OPERATIONS, ...V1_OPERATIONS, publicOperations, scalarOperations];
const routes = operationRoutes(surface, groups, services).routes.map(({ method, path }) => `${method} ${path}`);

test("[IDEM-1] every operation that is not a GET commits, and no GET does", () => {
  expect(OPERATIONS.length).toBeGreaterThan(30);
  for (const { operation } of OPERATIONS) {
    const name = `${operation.method} ${operation.path}`;
    expect({ name, isRead: isRead(operation) }).toEqual({
      name,
      isRead: operation.method === "GET" || READS.includes(name),
    });
  }
});

test("[DOC-1] every route of the surfaces is an operation of the contract, and every operation has its route", () => {
  const mounted = new Set(routes);
  expect(mounted.size).toBe(routes.length);
  // The program of the reference is a part of its page.
  mounted.delete(`GET ${SCALAR_PATH}`);
  const told = OPERATIONS.map(({ operation: { method, path } }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`);
  expect([...mounted].toSorted()).toEqual(told.toSorted());
});
