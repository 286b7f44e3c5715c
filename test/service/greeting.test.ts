import { expect, test } from "bun:test";
import { ok, refuse } from "../../actors/fault.ts";
import { type Greeting, greeting, tokenLines, tryLines } from "../../src/service/greeting.ts";

const DEMO = ok({ provider: "demo", name: "echo", demo: true });
const of = (changes: Partial<Greeting>): string =>
  greeting({
    version: "1.2.3",
    appUrl: "http://127.0.0.1:3000",
    listens: "http://127.0.0.1:3000",
    dataDir: "/srv/troupe",
    model: DEMO,
    localModels: [],
    tookMs: 2_149,
    ...changes,
  });

test("[START-26] a start reports where it serves, where its data is, its model, and how long it took", () => {
  const text = of({ model: ok({ provider: "openai", name: "gpt-5-mini", demo: false }) });
  expect(text.split("\n").filter((line) => line !== "")).toEqual([
    "  Troupe 1.2.3 serves http://127.0.0.1:3000",
    "  Console http://127.0.0.1:3000/app",
    "  API     http://127.0.0.1:3000/api/reference",
    "  Data    /srv/troupe",
    "  Model   openai:gpt-5-mini  (another one: MODEL=provider:name)",
    "  Start   took 2.1 s",
  ]);
});

test("[START-26] a start shows where it listens, if APP_URL is another address", () => {
  const text = of({ appUrl: "https://troupe.example", listens: "http://[::]:3000" });
  expect(text).toContain("  Troupe 1.2.3 serves https://troupe.example\n");
  expect(text).toContain("  Listens http://[::]:3000\n");
});

test("[RUN-1] the demo says that it is not a language model, and how to choose another", () => {
  expect(of({})).toContain("demo:echo, a built-in demo, not a language model. For a real one set ANTHROPIC_API_KEY or");
});

test("[START-26] a model that cannot be used is reported with its reason", () => {
  const fault = { kind: "provider_error", message: "ANTHROPIC_API_KEY is missing" } as const;
  expect(of({ model: refuse(fault) })).toContain("Model   none: ANTHROPIC_API_KEY is missing");
});

test("[START-26] models of this machine are offered where there are no others", () => {
  const localModels = [{ server: "ollama", model: "llama3.2", baseUrl: "http://127.0.0.1:11434/v1" }];
  expect(of({ localModels })).toContain("On this machine there is: llama3.2 (ollama). Use it with MODEL=auto.");
  expect(of({ localModels, model: ok({ provider: "openai", name: "x", demo: false }) })).not.toContain("llama3.2");
});

test("[START-26] the tokens are printed with their expiry, and a command that can be pasted", () => {
  const run = {
    organizationId: "org_1",
    agentId: "agt_1",
    personalToken: "pat_1",
    serviceToken: "svc_1",
    expiresAt: "2026-04-01T00:00:00.000Z",
    passwordPath: "/set-password?user=usr_1&key=k",
  };
  expect(tokenLines(run)).toMatch(
    /pat_1\n.*svc_1\n.*expire on 2026-04-01\.\n.*bun run admin token create --email owner@localhost\n$/,
  );
  const command = tryLines("http://h:1", run);
  expect(command).toContain("curl -N http://h:1/api/v1/agents/agt_1/execute \\\n");
  expect(command).toContain("'Authorization: Bearer pat_1'");
  expect(command).not.toContain("svc_1");
  expect(command).toContain("  http://h:1/set-password?user=usr_1&key=k\n");
  expect(tryLines("http://h:1", { ...run, passwordPath: null })).toContain(
    "bun run admin user link --email owner@localhost",
  );
});
