/** The words of both surfaces, over the whole contract: the case of names, and the statuses of success. */
import { expect, test } from "bun:test";
import document from "../../docs/openapi.json";
import { ERROR_CODES } from "../../src/current/error-codes.ts";
import { specText } from "../support/spec.ts";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [key: string]: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: unknown;
  readonly parameters?: unknown;
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Operation>).flatMap(([method, operation]) =>
    typeof operation === "object" && "operationId" in operation ? [{ path, method, operation }] : [],
  ),
);
const isV1 = ({ path }: { readonly path: string }): boolean => path.startsWith("/api/v1/");

/** Names of properties below a part of the document, references followed. */
function namesIn(part: unknown, names = new Set<string>(), seen = new Set<unknown>()): Set<string> {
  if (typeof part !== "object" || part === null || seen.has(part)) return names;
  seen.add(part);
  const schema = part as Schema;
  if (typeof schema.$ref === "string") return namesIn(referred(schema.$ref), names, seen);
  const properties = schema["type"] === "object" ? (schema.properties ?? {}) : {};
  for (const name of Object.keys(properties)) names.add(name);
  for (const [key, value] of Object.entries(part)) if (!/^examples?$/.test(key)) namesIn(value, names, seen);
  return names;
}
const referred = (ref: string): unknown =>
  ref
    .split("/")
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document);

test("[GEN-1] names are snake_case on the current surface, and camelCase on v1", () => {
  const ofCurrent = new Set(operations.filter((o) => !isV1(o)).flatMap(({ operation }) => [...namesIn(operation)]));
  expect(ofCurrent.size).toBeGreaterThan(100);
  expect([...ofCurrent].filter((name) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))).toEqual([]);
  const bodies = operations.filter(isV1).flatMap(({ operation }) => [
    ...namesIn(operation.requestBody),
    ...Object.entries(operation.responses).flatMap(([status, response]) =>
      // The events of a stream are the interface's own, and some of its names are not.
      operation.operationId === "v1ExecuteAgent" && status === "200" ? [] : [...namesIn(response)],
    ),
  ]);
  expect(bodies).toContain("systemPrompt");
  expect(bodies.filter((name) => !/^[a-z][a-zA-Z0-9]*$/.test(name))).toEqual([]);
});

const STREAMS: ReadonlySet<string> = new Set(["streamChatEvents", "streamJobEvents", "streamSignedJobEvents"]);

test("[GEN-4] v1 succeeds with 200, the current surface also with 201 and 202, and a read with neither", () => {
  const successes = (o: (typeof operations)[number]): string[] =>
    // A part of an answer is no other answer.
    Object.keys(o.operation.responses).filter((status) => status.startsWith("2") && status !== "206");
  for (const operation of operations) {
    const name = operation.operation.operationId;
    // 204 ends a browser's EventSource (SSE-6), and is on streams only.
    if (STREAMS.has(name)) expect([name, ...successes(operation)]).toEqual([name, "200", "204"]);
    else if (isV1(operation) || operation.method === "get")
      expect([name, ...successes(operation)]).toEqual([name, "200"]);
    else expect(["200", "201", "202"]).toEqual(expect.arrayContaining(successes(operation)));
  }
  const created = operations.filter((o) => successes(o).includes("201")).map((o) => o.operation.operationId);
  expect(created.toSorted()).toEqual(
    (
      "addMissionTask addRepository createAgent createApp createChat createConnection createDirectory createInvitation createMessenger createMission " +
      "createPersonalAccessToken createServiceToken createTask createUpload createWorkspace forkChat putGroup putMessagingIntegration putProviderKey putSecret shareFile writeFile"
    ).split(" "),
  );
});

test("[ERR-2] the table of the specification has every code, beside its status", async () => {
  const spec = specText();
  const table = spec.slice(spec.indexOf("- **ERR-2**"), spec.indexOf("- **ERR-3**"));
  const told = [...table.matchAll(/\| (\d{3}) \| (.*) \|/g)].flatMap(([, status, codes = ""]) =>
    [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code]) => `${status} ${code}`),
  );
  const kept = Object.entries(ERROR_CODES).map(([code, { status }]) => `${status} ${code}`);
  expect(new Set(told)).toEqual(new Set(kept));
});
