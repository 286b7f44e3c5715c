/** The router of requests that come over a link from another replica. */
import { expect, test } from "bun:test";
import { OPERATIONS } from "../../../src/contract/document.ts";
import { OperationDoor } from "../../../src/http/request/operation-door.ts";
import type { Stages } from "../../../src/http/request/stages.ts";

test("[REP-4] every operation is found by its path, and nothing else is", () => {
  const door = new OperationDoor();
  const stages = new Map(OPERATIONS.map(({ id }) => [id, { id } as unknown as Stages]));
  for (const { id, operation } of OPERATIONS) door.add(operation.method, operation.path, stages.get(id)!);
  for (const { id, operation } of OPERATIONS) {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const found = door.find(operation.method, operation.path.replaceAll(/\{(\w+)\}/g, "value-of-$1"));
    expect(found?.store).toBe(stages.get(id)!);
    expect(found?.params).toEqual(Object.fromEntries(names.map((name) => [name, `value-of-${name}`])));
  }
  const none = ["/", "/api", "/api/", "/api/tasks/", "//api/tasks", "/api/tasks//", "/api/tasks/a%2Fb", "/API/tasks"];
  for (const path of none) expect(door.find("GET", path)).toBeNull();
  for (const method of ["HEAD", "OPTIONS", "TRACE", "get"]) expect(door.find(method, "/api/tasks")).toBeNull();
});
