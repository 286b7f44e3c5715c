/**
 * Whom most tests of a surface call, and as whom: the service of the file, an organization with its owner, and the
 * owner's hands. They are the same objects from the first line of a file on, and hooks fill them before the tests.
 */
import { afterAll, beforeAll, beforeEach } from "bun:test";
import { Client } from "./current.ts";
import { type Caller, type Founded, type Service, type ServiceOptions, startService } from "./service.ts";

export interface Scene {
  readonly service: Service;
  readonly owner: Founded;
  readonly client: Client;
}

/** The tests of the file share one organization. */
export function sceneOfFile(options: ServiceOptions = {}): Scene {
  const service = serviceOfFile(options);
  return sceneWith(
    service,
    personOfFile(() => service.found()),
  );
}

/** The tests of the file share one service, and each has an organization of its own. */
export function sceneOfTest(options: ServiceOptions = {}): Scene {
  const service = serviceOfFile(options);
  const owner = {} as Founded;
  beforeEach(async () => void Object.assign(owner, await service.found()));
  return sceneWith(service, owner);
}

/** Starts before the tests of the file, and ends after them. */
export function serviceOfFile(options: ServiceOptions = {}): Service {
  const service = {} as Service;
  beforeAll(async () => void Object.assign(service, await startService(options)));
  afterAll(() => service.stop());
  return service;
}

/** Somebody else, for all tests of the file. */
export function personOfFile<T extends Caller>(make: () => Promise<T>): T {
  const person = {} as T;
  beforeAll(async () => void Object.assign(person, await make()));
  return person;
}

const sceneWith = (service: Service, owner: Founded): Scene => ({
  service,
  owner,
  client: new Client(service, owner),
});
