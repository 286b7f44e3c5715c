/** The documents that anybody may read: their shapes, that they say what the service does, and how they are served. */
import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { ERROR_CODES } from "../../src/current/error-codes.ts";
import { API_VERSION } from "../../src/http/contract/deprecation.ts";
import type { OperationContract } from "../../src/http/contract/operation.ts";
import { GUIDES } from "../../src/public/guides.ts";
import { agentApiManifest, agentReadiness, llmsText } from "../../src/public/manifests.ts";
import { publicOperations } from "../../src/public/operations.ts";
import type { ServiceFacts } from "../../src/operations/service-facts.ts";
import type { Services } from "../../src/operations/services.ts";
import { deprecationPolicy } from "../../src/public/policies.ts";
import { SERVICE_VERSION } from "../../src/settings/build.ts";
import { answered, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { startService } from "../support/service.ts";

const APP_URL = "https://troupe.test";
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const OPERATIONS: Readonly<Record<string, OperationContract>> = Object.fromEntries(
  Object.entries(publicOperations.operations).map(([id, { contract }]) => [id, contract]),
);
const PATHS = Object.values(OPERATIONS).map(({ path }) => path);

const { service, owner } = sceneOfFile({
  settings: {
    buildCommit: COMMIT,
    buildTime: "2026-11-01T12:00:00.000Z",
    rateBudgets: ["*=4000"],
    rateLimitV1: true,
  },
});

const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${service.url}${path}`, init);
const read = <T>(path: string): Promise<T> => answered<T>(get(path));

/** Services of which the documents say this. */
const servicesOf = (changes: Partial<ServiceFacts> = {}): Services => {
  const facts: ServiceFacts = {
    version: "1.2.3",
    build: { commit: null, builtAt: null },
    budget: 3_000,
    countsV1: false,
    v1RequestsPerMinute: 0,
    errorCodes: ERROR_CODES,
    operations: OPERATIONS,
    hasPath: () => false,
    ...changes,
  };
  return { facts, appUrl: () => APP_URL } as Partial<Services> as Services;
};

describe("what they say", () => {
  test("[DOC-5] every document of JSON fits its schema", async () => {
    for (const [id, { path, answers }] of Object.entries(OPERATIONS)) {
      const schema = answers[200];
      if (schema === null || schema === undefined || "kind" in schema) continue;
      expect({ id, errors: [...Value.Errors(schema, await read(path))] }).toEqual({ id, errors: [] });
    }
  });

  test("[VER-2] the version reports the code, the contract and the model that answers", async () => {
    expect(await read<unknown>("/api/version")).toEqual({
      version: SERVICE_VERSION,
      api_version: API_VERSION,
      supported_versions: [API_VERSION],
      commit: COMMIT,
      built_at: "2026-11-01T12:00:00.000Z",
      runner: { model: "fake:fake", demo: false },
    });
  });

  test("[VER-2] unknown facts of the build, and a missing model, are null", async () => {
    const build = { commit: null, builtAt: null };
    const bare = await startService({ overrides: { services: ({ facts }) => ({ facts: { ...facts, build } }) } });
    try {
      bare.model.becomeUnusable("no key");
      const version = await answered(fetch(`${bare.url}/api/version`));
      expect(version).toMatchObject({ commit: null, built_at: null, runner: { model: null, demo: false } });
    } finally {
      await bare.stop();
    }
  });

  test("[DOC-5] the rate-limit policy is what the service does", async () => {
    interface Policy {
      readonly default: { readonly limit: number; readonly window_seconds: number; readonly burst: number };
      readonly headers: readonly { readonly name: string }[];
      readonly public_endpoints: { readonly limit: number };
      readonly v1: { readonly counted: boolean };
    }
    const policy = await read<Policy>("/api/rate-limits");
    expect(policy).toMatchObject({
      default: { limit: 4_000, window_seconds: 60, burst: 4_000, algorithm: "fixed-window" },
      identity_order: ["bearer_token", "session_cookie", "remote_address"],
      public_endpoints: { counted: true, limit: 3_000, identity: "remote_address" },
      v1: { counted: true, protective_limit: null },
      status: 429,
    });
    const [known, stranger, v1] = await Promise.all([
      service.call(owner, "GET", "/api/tasks"),
      get("/api/rate-limits"),
      service.call(owner, "GET", "/api/v1/tasks"),
    ]);
    const limited = [...known.headers.keys()].filter((name) => name.includes("ratelimit")).toSorted();
    expect(policy.headers.map(({ name }) => name.toLowerCase()).toSorted()).toEqual(limited);
    expect(known.headers.get("x-ratelimit-limit")).toBe(`${policy.default.limit}`);
    expect(known.headers.get("x-ratelimit-burst")).toBe(`${policy.default.burst}`);
    expect(known.headers.get("x-ratelimit-window")).toBe(`${policy.default.window_seconds}`);
    expect(stranger.headers.get("x-ratelimit-limit")).toBe(`${policy.public_endpoints.limit}`);
    expect(v1.headers.has("x-ratelimit-limit")).toBe(policy.v1.counted);
  });

  test("[DOC-5] the deprecation policy has the promised times, and lists what is to go", async () => {
    expect(await read<unknown>("/api/deprecation-policy")).toMatchObject({
      versioning: { scheme: "date", current: API_VERSION, supported: [API_VERSION] },
      compatibility_months: 12,
      deprecation_notice_days: 180,
      sunset_notice_days: 365,
      deprecations: [],
    });
    const { getVersion: old } = OPERATIONS;
    const deprecation = { announcedAt: "2026-11-01T00:00:00.000Z", deprecatedAt: "2027-06-01T00:00:00.000Z" };
    const operations = { ...OPERATIONS, oldOne: { ...old!, deprecation: { ...deprecation, successor: "/api/new" } } };
    expect(deprecationPolicy(servicesOf({ operations })).deprecations).toEqual([
      {
        operation: "oldOne",
        method: "GET",
        path: "/api/version",
        announced_at: deprecation.announcedAt,
        deprecated_at: deprecation.deprecatedAt,
        sunset_at: null,
        successor: "/api/new",
        guide: null,
      },
    ]);
  });
});

describe("where they lead", () => {
  const addresses = (text: string): string[] => [...new Set(text.match(/https:\/\/troupe\.test[^\s"#)]*/g))];

  test("[DOC-4] every address in the manifests is answered", async () => {
    const texts = await Promise.all(
      ["/api/agent-readiness", "/.well-known/teamday-agent-api", "/llms.txt"].map(async (path) =>
        (await get(path)).text(),
      ),
    );
    const paths = addresses(texts.join("\n")).map((address) => address.slice(APP_URL.length));
    expect(paths.length).toBeGreaterThan(6);
    for (const path of paths.filter((one) => one !== "")) {
      // What is not configured yet is 404 as well, in other words.
      const text = await (await service.call(owner, "GET", path)).text();
      expect([path, text]).not.toEqual([path, expect.stringContaining("Unknown path")]);
    }
  });

  test("[DOC-4] the manifests name exactly what the service has", () => {
    const without = JSON.stringify([
      agentReadiness(servicesOf()),
      agentApiManifest(servicesOf()),
      llmsText(servicesOf()),
    ]);
    for (const path of [/\/mcp(?!-)/, /\/api\/sdk\//, /\/api\/messaging-integration/, /oauth/])
      expect(without).not.toMatch(path);
    const parts = servicesOf({ hasPath: () => true });
    expect(agentReadiness(parts)).toMatchObject({
      mcp: { url: `${APP_URL}/mcp` },
      sdks: ["typescript", "javascript", "python"].map((language) => ({ source: `${APP_URL}/api/sdk/${language}` })),
      webhooks: { configuration: `${APP_URL}/api/messaging-integration` },
    });
    expect(agentApiManifest(parts).sdks).toHaveLength(3);
    expect(llmsText(parts)).toContain(`(${APP_URL}/mcp)`);
  });

  test("[DOC-4] llms.txt has the form that language models expect", async () => {
    const text = await (await get("/llms.txt")).text();
    expect(text).toStartWith("# Troupe\n\n> ");
    for (const line of text.split("\n").filter((one) => one.startsWith("- ")))
      expect(line).toMatch(/^- \[[^\]]+\]\(https:\/\/troupe\.test\/[^)]+\): \S/);
  });

  test("[DOC-4] readiness explains every code that the service can refuse with", async () => {
    const { errors } = await read<{ errors: { codes: { code: string; status: number }[] } }>("/api/agent-readiness");
    expect(errors.codes.map(({ code, status }) => [code, status])).toEqual(
      Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]),
    );
  });
});

describe("how they are served", () => {
  test("[DOC-7] to anybody, with the headers of the current surface", async () => {
    for (const path of PATHS) {
      const answers = [await get(path), await get(path, { headers: { authorization: "Bearer pat_wrong" } })];
      for (const answer of answers) {
        expect({ path, status: answer.status }).toEqual({ path, status: 200 });
        expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
        expect(answer.headers.get("api-version")).toBe(API_VERSION);
        expect(answer.headers.get("x-ratelimit-limit")).toBe("3000");
        expect(answer.headers.get("ratelimit-policy")).toBe("3000;w=60");
      }
    }
  });

  test("[DOC-1] [DOC-7] the contract names the headers for caches that every good answer has", async () => {
    interface Contract {
      readonly paths: Readonly<Record<string, { readonly get?: { readonly responses: Responses } } | undefined>>;
    }
    type Responses = Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;
    const { paths } = (await (await get("/api/openapi.json")).json()) as Contract;
    for (const path of PATHS) {
      const responses = paths[path.split("?")[0]!]?.get?.responses;
      if (responses === undefined) continue;
      for (const status of ["200", "304"])
        expect([path, status, Object.keys(responses[status]?.headers ?? {})]).toEqual([
          path,
          status,
          expect.arrayContaining(["ETag", "Cache-Control"]) as string[],
        ]);
    }
  });

  test("[DOC-7] with an entity tag: a client that has it gets 304", async () => {
    for (const path of PATHS) {
      const first = await get(path);
      const etag = first.headers.get("etag") ?? "";
      expect({ path, etag, cache: first.headers.get("cache-control") }).toEqual({
        path,
        etag: expect.stringMatching(/^(?:W\/)?"[\w-]{22}"$/) as string,
        cache: expect.stringMatching(/^(?:no-cache|public, max-age=300)$/) as string,
      });
      for (const known of [etag, `W/${etag.replace("W/", "")}`, `"other", ${etag}`, "*"]) {
        const again = await get(path, { headers: { "if-none-match": known } });
        expect([path, again.status, await again.text()]).toEqual([path, 304, ""]);
        expect(again.headers.get("etag")).toBe(etag);
        expect(again.headers.get("x-ratelimit-limit")).toBe("3000");
      }
      expect((await get(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
    }
  });

  test("[DOC-7] HEAD reports the same without the body, and another method is 405", async () => {
    for (const path of PATHS) {
      const whole = await get(path);
      const head = await get(path, { method: "HEAD" });
      expect([path, head.status, await head.text()]).toEqual([path, 200, ""]);
      for (const name of ["etag", "content-type", "cache-control", "api-version"])
        expect(head.headers.get(name)).toBe(whole.headers.get(name));
      const post = await get(path, { method: "POST" });
      expect(post.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
      await refused(post, 405, "method_not_allowed");
    }
  });

  test("[VER-1] a version that does not exist is refused on them too", async () => {
    for (const path of PATHS)
      await refused(get(path, { headers: { "api-version": "2020-01-01" } }), 400, "unsupported_api_version");
  });
});

test("[DOC-4] the guides are served, and those that the contract and llms.txt name are there", async () => {
  const contract = JSON.stringify(await read("/api/openapi.json"));
  const llms = await (await get("/llms.txt")).text();
  const named = [...`${contract}${llms}`.matchAll(/\/guides\/[\w.-]+\.md/g)].map(([path]) => path);
  expect(new Set(named)).toEqual(new Set([...GUIDES.keys()].map((name) => `/guides/${name}`)));
  for (const path of new Set(named)) {
    const answer = await get(path);
    expect({ path, status: answer.status, type: answer.headers.get("content-type") }).toEqual({
      path,
      status: 200,
      type: "text/markdown; charset=utf-8",
    });
    const text = await answer.text();
    expect(text).toStartWith("# ");
    expect(text).not.toContain("](../");
    const etag = answer.headers.get("etag") ?? "";
    expect((await get(path, { headers: { "if-none-match": etag } })).status).toBe(304);
    for (const [, link = ""] of text.matchAll(/\]\(([\w-]+\.md)/g)) expect([...GUIDES.keys()]).toContain(link);
  }
  expect((await get("/guides/nothing.md")).status).toBe(404);
  expect((await get("/guides")).url).toEndWith("/guides/README.md");
  for (const title of GUIDES.values()) expect(title).not.toBe("");
});

test("[DOC-4] a browser gets each guide as a page whose links lead somewhere", async () => {
  const open = (path: string): Promise<Response> =>
    get(path, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
  const pages = new Map<string, string>();
  for (const name of GUIDES.keys()) {
    const answer = await open(`/guides/${name}`);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("vary")).toBe("accept, accept-encoding");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const etag = answer.headers.get("etag") ?? "";
    const text = await answer.text();
    expect(text).toContain("<h1 id=");
    pages.set(name, text);
    expect(etag.replace("W/", "")).not.toBe((await get(`/guides/${name}`)).headers.get("etag")?.replace("W/", ""));
  }
  for (const [from, text] of pages)
    for (const [, href = ""] of text.matchAll(/<a href="([^"]*)"/g)) {
      if (/^https?:/.test(href) || href.startsWith("../")) continue;
      const [name = "", anchor] = href.split("#");
      const to = pages.get(name === "" ? from : name) ?? "";
      expect({ from, href, isThere: anchor === undefined ? to !== "" : to.includes(` id="${anchor}"`) }).toEqual({
        from,
        href,
        isThere: true,
      });
    }
});

test("[DOC-4] the first page leads to the account, the guides and the reference, in the colours of the browser", async () => {
  const text = await (await get("/")).text();
  for (const href of ["/account", "/guides/README.md", "/api/reference", "/api/openapi.json", "/llms.txt"])
    expect(text).toContain(`href="${href}"`);
  expect(text).toContain("color-scheme:light dark");
});

test("[DOC-10] a browser gets a refusal as a page where people go, and a program as it is", async () => {
  const asked = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
  const pages = [
    ["/nothing/here", 404, "Nothing is here"],
    ["/guides/nothing.md", 404, "Nothing is here"],
    ["/apps/nothing/", 404, "Nothing is here"],
    ["/share/nothing", 404, "Nothing is shared here"],
    ["/sign-out", 405, "Nothing to see here"],
  ] as const;
  for (const [path, status, title] of pages) {
    const page = await get(path, asked);
    expect([path, page.status, page.headers.get("content-type")]).toEqual([path, status, "text/html; charset=utf-8"]);
    expect(page.headers.get("vary")).toContain("accept");
    expect(await page.text()).toContain(`<h1>${title}</h1>`);
    expect((await get(path)).headers.get("content-type")).not.toContain("html");
  }
  expect((await get("/sign-out", asked)).headers.get("allow")).toBe("POST, OPTIONS");
  for (const path of ["/api/nothing", "/api/agents", "/mcp", "/oauth/token", "/.well-known/nothing"])
    expect((await get(path, asked)).headers.get("content-type")).not.toContain("html");
});

test("[DOC-10] all pages have one style sheet, and the header of a share leads nowhere", async () => {
  const asked = { headers: { accept: "text/html" } };
  const styles = new Set<string>();
  for (const path of ["/", "/guides/README.md", "/sign-in", "/nothing/here", "/share/nothing", "/set-password"]) {
    const text = await (await get(path, asked)).text();
    styles.add(/<style>([^]*?)<\/style>/.exec(text)?.[1] ?? "");
    expect([path, text.includes("<nav")]).toEqual([path, !["/nothing/here", "/share/nothing"].includes(path)]);
  }
  expect(styles.size).toBe(1);
});

test("[DOC-4] [HOOK-7] the manifest for agents says that the key of signatures is the whole secret", async () => {
  const { webhooks } = await read<{ webhooks: { verification: string } }>("/api/agent-readiness");
  expect(webhooks.verification).toContain("the whole `whsec_…` string");
});
