/** The file of MODEL_PROVIDERS, and what the settings make of it (RUN-29). */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProviderFileContent } from "../../src/settings/model-providers.ts";
import { createModels } from "../../src/runner/models.ts";
import { modelErrors, modelSettings } from "../../src/service/model-choice.ts";
import { describeConfig, readConfig } from "../../src/settings/config.ts";
import { priceErrors, pricesOf } from "../../src/settings/prices.ts";
import { parseModelProviders } from "../../src/settings/model-providers.ts";

const providersFolder = mkdtempSync(join(tmpdir(), "troupe-providers-"));
afterAll(() => rmSync(providersFolder, { recursive: true, force: true }));

const GROQ = {
  format: "chat-completions",
  base_url: "https://api.groq.com/openai/v1",
  key_env: "GROQ_API_KEY",
  headers: { "X-Title": "Troupe", "cf-access": { env: "ACCESS" } },
  concurrency: 4,
  stalled_after_seconds: 300,
  caching: "none",
  models: {
    "llama-3.3:70b": { window: 131_072, inputs: ["text", "image"], thinking: "off", tools: false },
    own: { own_key: true },
  },
};
const VARIABLES = { GROQ_API_KEY: "gsk-0123456789", ACCESS: "access-0123456789" };

const parsed = (providers: object): ProviderFileContent | readonly string[] =>
  parseModelProviders(JSON.stringify({ providers }, null, 2), VARIABLES);

test("[RUN-29] a file gives providers with their addresses, keys and limits, and the models that it allows", () => {
  expect(parsed({ groq: GROQ, local: { format: "messages", base_url: "http://127.0.0.1:8080/v1" } })).toEqual({
    providers: [
      {
        name: "groq",
        format: "chat-completions",
        baseUrl: "https://api.groq.com/openai/v1",
        apiKey: "gsk-0123456789",
        headers: { "x-title": "Troupe", "cf-access": "access-0123456789" },
        concurrency: 4,
        stalledStreamMs: 300_000,
        caching: "none",
      },
      { name: "local", format: "messages", baseUrl: "http://127.0.0.1:8080/v1", apiKey: null },
    ],
    models: [
      {
        model: "groq:llama-3.3:70b",
        window: 131_072,
        inputs: ["text", "image"],
        thinking: "off",
        takesTools: false,
      },
      { model: "groq:own", isOwnKeyOnly: true },
    ],
    prices: null,
  });
});

test("[RUN-29] all errors of a file are reported at once, each with its line and its path, without keys", () => {
  const text = `{
  // what is wrong here:
  "providers": {
    "Groq": { "format": "chat_completions", "base_url": "ftp://x", "key": "a secret", "key_env": "NONE" },
    "demo": { "base_ur": "https://x.test" },
    "a": {
      "format": "messages", "base_url": "https://user:pass@x.test", "concurrency": 0, "stalled_after_seconds": 1.5,
      "headers": { "host": "x", "x-a": { "enw": "ACCESS" }, "x-b": 7 }, "key_header": "a b",
      "models": { "m 1": {}, "m": { "window": 12, "inputs": ["image"], "thinking": "on", "tools": 1, "tols": true } },
    },
    "a": [],
  },
  "provider": {},
}`;
  expect(parseModelProviders(text, VARIABLES)).toEqual([
    "has at line 13: the unknown field `provider`; did you mean `providers`?",
    "has at line 11, providers: `a` twice",
    "has at line 4, providers.Groq: a name that cannot be used; it must have 1 to 40 small letters, digits and `-`, begin with a letter, and not be demo, ai-sdk or auto",
    'has at line 4, providers.Groq.format: "chat_completions"; it must be one of messages, responses, chat-completions',
    "has at line 4, providers.Groq.base_url: a value that is not valid; it must be an http or https URL without credentials and fragment, such as https://api.openai.com/v1",
    "has at line 4, providers.Groq: both `key` and `key_env`; one of them is enough",
    "has at line 4, providers.Groq.key: a value that is not valid; it must be a key without spaces",
    "has at line 4, providers.Groq.key_env: the variable NONE, which is not set",
    "has at line 5, providers.demo: a name that cannot be used; it must have 1 to 40 small letters, digits and `-`, begin with a letter, and not be demo, ai-sdk or auto",
    "has at line 5, providers.demo: the unknown field `base_ur`; did you mean `base_url`?",
    "has at line 5, providers.demo: no `format`",
    "has at line 5, providers.demo: no `base_url`",
    "has at line 11, providers.a: a value that is not an object",
    "has at line 11, providers.a: no `format`",
    "has at line 11, providers.a: no `base_url`",
  ]);
  const once = parseModelProviders(text.replace('    "a": [],\n', ""), VARIABLES) as readonly string[];
  expect(once.filter((line) => line.includes("providers.a"))).toEqual([
    "has at line 7, providers.a.base_url: a value that is not valid; it must be an http or https URL without credentials and fragment, such as https://api.openai.com/v1",
    'has at line 8, providers.a.key_header: "a b"; it must be the name of a header that requests may set',
    "has at line 8, providers.a.headers.host: a header that cannot be set; it must be the name of a header that requests may set",
    "has at line 8, providers.a.headers.x-a: the unknown field `enw`; did you mean `env`?",
    "has at line 8, providers.a.headers.x-a: no `env`",
    'has at line 8, providers.a.headers.x-b: a value that is not valid; it must be a text of ASCII characters, or an object such as { "env": "NAME" } for the value of a variable',
    "has at line 7, providers.a.concurrency: 0; it must be a whole number from 1 to 10000",
    "has at line 7, providers.a.stalled_after_seconds: 1.5; it must be a whole number from 1 to 3600",
    'has at line 9, providers.a.models: the model "m 1"; a name has no spaces',
    "has at line 9, providers.a.models.m: the unknown field `tols`; did you mean `tools`?",
    "has at line 9, providers.a.models.m.window: 12; it must be a whole number from 1024 to 100000000",
    'has at line 9, providers.a.models.m.inputs: ["image"]; it must be a list with "text", and "image" or "file" if the model reads them',
    'has at line 9, providers.a.models.m.thinking: "on"; it must be one of tags, open, off',
    "has at line 9, providers.a.models.m.tools: 1; it must be true or false",
  ]);
  expect(parseModelProviders('{\n  "providers": {\n    "a": x\n}}', {})).toEqual([
    "is not JSON: at line 3, invalid symbol",
  ]);
  expect(parseModelProviders("", {})).toEqual(["is not JSON: at line 1, value expected"]);
  expect(parseModelProviders("[]", {})).toEqual([
    "has at line 1: a value that is not an object",
    "has at line 1: no `providers`",
  ]);
});

test("[RUN-29] the variable of a header may have a scheme before its key, and that of a key may not", () => {
  const read = (provider: object, AUTH: string) => {
    const base = { format: "messages", base_url: "https://x.test/v1", ...provider };
    const file = parseModelProviders(JSON.stringify({ providers: { a: base } }), { AUTH });
    return "providers" in file ? file.providers[0] : file;
  };
  const header = { headers: { "x-auth": { env: "AUTH" } } };
  expect(read(header, "Basic a2V5")).toMatchObject({ headers: { "x-auth": "Basic a2V5" } });
  expect(read(header, "k\u00e9y")).toEqual([expect.stringContaining("a character that no header has")]);
  expect(read({ key_env: "AUTH" }, "Basic a2V5")).toEqual([expect.stringContaining("a space or a character that no")]);
});

function settingsOf(providers: object, env: Readonly<Record<string, string>> = {}, currency?: string) {
  const path = join(providersFolder, "providers.json");
  writeFileSync(path, JSON.stringify({ providers, currency }));
  return readConfig({ ...VARIABLES, MODEL_PROVIDERS: path, ...env }, [modelErrors, priceErrors]);
}

test("[RUN-29] the first model of the file is the default, settings say more of its models, and others can be named", () => {
  const read = settingsOf(
    { groq: GROQ },
    { MODELS: "groq:other", MODEL_FALLBACKS: "groq:spare", MODEL_WINDOWS: "groq:llama-3.3:70b=8192" },
  );
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const models = createModels(modelSettings(read.config, []));
  expect(models.allowed().map(({ name, isDefault, isOwnKeyOnly }) => [name, isDefault, isOwnKeyOnly === true])).toEqual(
    [
      ["llama-3.3:70b", true, false],
      ["other", false, false],
      ["spare", false, false],
      ["own", false, true],
      ["echo", false, false],
    ],
  );
  expect(models.windowOf("groq:llama-3.3:70b").contextTokens).toBe(8_192);
  expect(models.inputOf("groq:llama-3.3:70b")).toEqual(["text", "image"]);
  expect(models.takesTools?.("groq:llama-3.3:70b")).toBe(false);
  expect(models.callsAtOnce?.("groq:other")).toBe(4);
  expect(models.keyedProviders?.()).toEqual(["anthropic", "openai", "openai-compatible", "groq"]);
  expect(settingsOf({ groq: GROQ }, { MODEL: "grok:x" })).toMatchObject({
    errors: [{ variable: "MODEL", message: expect.stringContaining("did you mean `groq`?") }],
  });
});

test("[RUN-29] a provider of the file replaces the one that a single key configures", () => {
  const anthropic = { format: "chat-completions", base_url: "http://127.0.0.1:9/v1", models: { m: {} } };
  const read = settingsOf({ anthropic }, { ANTHROPIC_API_KEY: "k", MODELS: "openai:x", OPENAI_API_KEY: "k" });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const settings = modelSettings(read.config, []);
  expect(
    createModels(settings)
      .allowed()
      .map(({ provider, name }) => `${provider}:${name}`),
  ).toEqual(["anthropic:m", "openai:x", "demo:echo"]);
  expect(createModels(settings).windowOf("anthropic:m").contextTokens).toBe(32_768);
});

test("[RUN-29] a file without models needs MODEL, and an unusable file is an error at the start", () => {
  const bare = { format: "messages", base_url: "http://127.0.0.1:9/v1" };
  const read = settingsOf({ acme: bare });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  expect(createModels(modelSettings(read.config, [])).describe(null)).toMatchObject({
    ok: false,
    fault: { message: "MODEL_PROVIDERS is set and names no model: add `models` to a provider, or set MODEL." },
  });
  const wrong = settingsOf({ acme: { ...bare, formt: "x" } });
  expect(wrong).toMatchObject({
    ok: false,
    errors: [
      {
        variable: "MODEL_PROVIDERS",
        message: expect.stringMatching(
          /^names \/\S+providers\.json, which has at line 1, providers\.acme: the unknown/,
        ),
      },
    ],
  });
  expect(readConfig({ MODEL_PROVIDERS: "/nowhere/x.json" })).toMatchObject({
    errors: [{ variable: "MODEL_PROVIDERS", message: expect.stringContaining("cannot be read") }],
  });
});

test("[RUN-29] [OPS-8] models may have prices in the file, and those of MODEL_PRICES take precedence", () => {
  const models = {
    flat: { prices: { input: "0.59", output: "0.79", cached_input: "0.1" } },
    newer: {
      prices: [
        { input: "1", output: "2" },
        { from: "2026-06-01", input: "3", output: "4" },
      ],
    },
    both: { prices: { input: "9", output: "9" } },
  };
  const prices = join(providersFolder, "prices.json");
  const other = [{ model: "groq:both", from: "2026-01-01", input: "1", output: "1" }];
  writeFileSync(prices, JSON.stringify({ currency: "USD", prices: other }));
  const env = { MODEL_PRICES: prices, MONTHLY_COST_BUDGET: "10" };
  const read = settingsOf({ groq: { ...GROQ, models } }, env, "USD");
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const table = pricesOf(read.config)!;
  const used = { inputTokens: 1_000_000, outputTokens: 1_000_000, cachedInputTokens: 500_000 };
  const cost = (model: string, day: string): string | null => table.cost(model, day, used);
  expect([
    cost("groq:flat", "2020-01-01"),
    cost("groq:newer", "2026-05-31"),
    cost("groq:newer", "2026-06-01"),
    cost("groq:both", "2026-06-01"),
    cost("groq:none", "2026-06-01"),
  ]).toEqual(["1.135", "3", "7", "2", null]);
  expect(settingsOf({ groq: { ...GROQ, models } }, env, "EUR")).toMatchObject({
    errors: [
      { variable: "MODEL_PRICES", message: expect.stringContaining("has prices in USD, and MODEL_PROVIDERS in EUR") },
    ],
  });
  expect(settingsOf({ groq: { ...GROQ, models } }, { MONTHLY_COST_BUDGET: "10" }, "EUR").ok).toBe(true);
  const wrong = parsed({
    groq: {
      ...GROQ,
      models: {
        a: {
          prices: [
            { input: "1", output: "2" },
            { input: "1", output: "2" },
          ],
        },
        b: { prices: { input: 1, output: "2" } },
        c: { prices: { inptu: "1", output: "2" } },
      },
    },
  }) as readonly string[];
  expect(wrong.map((line) => line.replace(/line \d+/, "line …"))).toEqual([
    "has at line …, providers.groq.models.a.prices[1]: two prices from 1970-01-01",
    'has at line …, providers.groq.models.b.prices: input 1; it must be the price of a million tokens as text, such as "3.00", with at most 6 decimals',
    "has at line …, providers.groq.models.c.prices: the unknown field `inptu`; did you mean `input`?",
    'has at line …, providers.groq.models.c.prices: input missing; it must be the price of a million tokens as text, such as "3.00", with at most 6 decimals',
    "has at line …: prices and no `currency`",
  ]);
});

test("[RUN-29] the printed settings have the providers without their keys and the values of their headers", () => {
  const read = settingsOf({ groq: { ...GROQ, base_url: `${GROQ.base_url}?code=hush&api-version=2024-10-21` } });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const printed = describeConfig(read.config);
  expect(printed).toContain(
    "#   groq: chat-completions at https://api.groq.com/openai/v1?code=redacted&api-version=2024-10-21, key [redacted], x-title [redacted], cf-access [redacted]; models: groq:llama-3.3:70b, groq:own",
  );
  for (const secret of [...Object.values(VARIABLES), "hush"]) expect(printed).not.toContain(secret);
});
