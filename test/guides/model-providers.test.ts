/** Each block of the page about providers of models runs: a streamed chat with a tool call, as that provider answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModels } from "../../src/runner/models.ts";
import { modelErrors, modelSettings } from "../../src/service/model-choice.ts";
import { readConfig } from "../../src/settings/config.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { PROVIDER_WIRES, SAID, startProviders } from "../support/provider-wire.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { createAgent, execute, StreamReader } from "../support/v1.ts";

interface Block {
  readonly base_url: string;
  readonly key_env?: string;
  readonly models: Readonly<Record<string, object>>;
}

const CLONE = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/guides/model-providers.md", CLONE), "utf8");
const operations = readFileSync(new URL("docs/operations.md", CLONE), "utf8");
const blocksOf = (text: string): readonly string[] =>
  [...text.matchAll(/^```json\n([^]*?)^```$/gm)].flatMap(([, body = ""]) =>
    body.includes('"providers"') ? [body] : [],
  );
const BLOCKS = blocksOf(page).flatMap((text) =>
  Object.entries((JSON.parse(text) as { providers: Readonly<Record<string, Block>> }).providers),
);

const folder = mkdtempSync(join(tmpdir(), "troupe-guide-"));
const settingsPath = join(folder, "providers.json");
const providers = startProviders();
let service: Service;
let owner: Founded;
let client: Client;

/** The key that the fake of a provider wants; two providers may read the same variable. */
const keysOf = (blocks: readonly (readonly [string, Block])[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    blocks
      .toReversed()
      .flatMap(([name, { key_env: variable }]) => (variable === undefined ? [] : [[variable, `key-of-${name}`]])),
  );

beforeAll(async () => {
  // Only the host is another one: the path, the query and all else are those of the page.
  const here = BLOCKS.map(([name, block]) => {
    const { pathname, search } = new URL(block.base_url);
    return [name, { ...block, base_url: `${providers.origin}/${name}${pathname}${search}` }] as const;
  });
  writeFileSync(settingsPath, JSON.stringify({ providers: Object.fromEntries(here) }));
  const read = readConfig({ ...keysOf(BLOCKS), MODEL_PROVIDERS: settingsPath }, [modelErrors]);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  service = await startService({ models: createModels(modelSettings(read.config, [])) });
  owner = await service.found();
  client = new Client(service, owner);
});
afterAll(async () => {
  await service.stop();
  await providers.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("[DOC-9] the page has a block for each provider whose frames are known, and each block is valid alone", () => {
  expect(BLOCKS.map(([name]) => name).toSorted()).toEqual(Object.keys(PROVIDER_WIRES).toSorted());
  for (const text of [...blocksOf(page), ...blocksOf(operations)]) {
    writeFileSync(join(folder, "one.json"), text);
    const read = readConfig({ ...keysOf(BLOCKS), MODEL_PROVIDERS: join(folder, "one.json") }, [modelErrors]);
    expect(read).toMatchObject({ ok: true });
  }
});

describe("[DOC-9] the settings of the page", () => {
  test.each(BLOCKS)("[DOC-9] work for %s: a streamed chat with a tool call goes through", async (name, { models }) => {
    const wire = PROVIDER_WIRES[name]!;
    const agent = await createAgent(service, owner);
    await answered(client.call("PATCH", `/api/agents/${agent}`, { model: `${name}:${Object.keys(models)[0]}` }));
    const response = await execute(service, owner, agent, { message: "What time is it?", stream: true });
    const reader = new StreamReader(response);
    await reader.until(SAID.begin);
    providers.wasRead();
    const streamed = await reader.rest();
    expect(streamed).not.toMatch(/A clock|reasoning>|think>/);
    const asked = providers.requests.filter(({ provider }) => provider === name);
    const jobs = await client.get<{ jobs: Json[] }>("/api/jobs?limit=1");
    expect(jobs.jobs[0]).toMatchObject({
      status: "completed",
      result: SAID.begin + SAID.end,
      runner: { model: `${name}:${Object.keys(models)[0]}` },
      metrics: { tool_calls: 1, output_tokens: 2 * wire.counts[1], estimated_tokens: 0 },
      warnings: [],
    });
    const last = asked.at(-1)!;
    expect(JSON.stringify(last.body)).toContain("utc");
    if (wire.returned !== undefined) expect(wire.returned(last.body)).toBe(true);
  });
});

test("[RUN-29] one chat continues over all providers, and each gets back what it requires, also for the calls of others", async () => {
  const agent = await createAgent(service, owner);
  const chat = await client.chat(agent, owner.workspaceId);
  for (const [name, { models }] of BLOCKS) {
    await answered(client.call("PATCH", `/api/agents/${agent}`, { model: `${name}:${Object.keys(models)[0]}` }));
    const { job } = await client.send(chat, `What time is it, ${name}?`);
    providers.wasRead();
    await until(`${name} has answered`, async () => {
      providers.wasRead();
      const { status, error } = await client.get<Json>(`/api/jobs/${job.id}`);
      if (status === "failed") throw new Error(`${name}: ${JSON.stringify(error)}`);
      return status === "completed";
    });
  }
});
