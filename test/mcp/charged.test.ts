/** The work for MCP messages is charged to their organization, also after it has waited (FAIR-1). */
import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { afterEach, expect, spyOn, test } from "bun:test";
import { WordedServer } from "../../src/mcp/worded-server.ts";
import { legacyClient, modernClient, postMcp, rpc } from "../support/mcp-clients.ts";
import { sceneOfFile } from "../support/scene.ts";

const stops: (() => void)[] = [];

const { service, owner } = sceneOfFile();
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const CALL = { name: "list_agents", arguments: {} };

/** Each way in which a client may call a tool. */
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "alone, in an older revision": async () =>
    (await postMcp(service, owner.token, rpc("tools/call", CALL), { "mcp-protocol-version": "2025-11-25" })).json(),
  "in a session": async () => (await legacyClient(service, owner)).callTool(CALL),
  "in the newest revision": async () => (await modernClient(service, owner)).callTool(CALL),
  "in a batch": async () => (await postMcp(service, owner.token, [rpc("tools/call", CALL)])).json(),
};

/** Who was charged while the answer of a tool was written as text; null: nobody. */
function payersOfAnswers(): readonly (string | null)[] {
  const { loopTime } = service.system;
  const [begin, end] = [loopTime.begin.bind(loopTime), loopTime.end.bind(loopTime)];
  let payer: string | null = null;
  const ending = spyOn(loopTime, "end").mockImplementation((from, organizationId, work) => {
    if (from >= 0) payer = null;
    return end(from, organizationId, work);
  });
  const beginning = spyOn(loopTime, "begin").mockImplementation((work, organizationId, subject) => {
    const from = begin(work, organizationId, subject);
    if (from >= 0) payer = organizationId;
    return from;
  });
  const payers: (string | null)[] = [];
  const { stringify } = JSON;
  const writing = spyOn(JSON, "stringify").mockImplementation(((value: unknown, ...more: []) => {
    if (typeof value === "object" && value !== null && "agents" in value) payers.push(payer);
    return stringify(value, ...more);
  }) as typeof JSON.stringify);
  for (const spy of [beginning, ending, writing]) stops.push(() => spy.mockRestore());
  return payers;
}

test.each(Object.keys(WAYS))(
  "[FAIR-1] a tool that is called %s is on the account of its caller until its answer is written",
  async (way) => {
    const payers = payersOfAnswers();
    const answer = await WAYS[way]!();
    expect(JSON.stringify(answer)).toContain("structuredContent");
    expect(payers).toEqual([owner.organizationId]);
  },
);

test("[FAIR-1] the SDK takes a message, has it handled and sends its answer on the account of its organization", async () => {
  let isCharged = false;
  const seen: [part: string, isCharged: boolean][] = [];
  const server = new WordedServer({ name: "test", version: "1" }, { capabilities: { tools: {} } }, (work) => {
    isCharged = true;
    try {
      return work();
    } finally {
      isCharged = false;
    }
  });
  server.setRequestHandler("tools/list", () => {
    seen.push(["handle", isCharged]);
    return { tools: [] };
  });
  const [own, client] = InMemoryTransport.createLinkedPair();
  own.onmessage = () => void seen.push(["take", isCharged]);
  const answered = Promise.withResolvers<JSONRPCMessage>();
  client.onmessage = (message) => {
    seen.push(["send", isCharged]);
    answered.resolve(message);
  };
  await server.connect(own);
  await client.start();
  await client.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  expect(await answered.promise).toMatchObject({ id: 1, result: { tools: [] } });
  expect(seen).toEqual([
    ["take", true],
    ["handle", true],
    ["send", true],
  ]);
});
