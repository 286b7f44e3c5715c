/** The page of the reference as it is served. What a browser makes of it is `reference.long.test.ts`. */
import { beforeAll, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { ERROR_CODES } from "../../src/current/error-codes.ts";
import { scalar, SCALAR_CONFIGURATION, SCALAR_PATH, SCALAR_VERSION } from "../../src/public/scalar.ts";
import { serviceOfFile } from "../support/scene.ts";

const VENDORED = new URL("../../vendor/scalar-api-reference/", import.meta.url);

let page: Response;
let html: string;

const service = serviceOfFile();
beforeAll(async () => {
  page = await fetch(`${service.url}/api/reference`);
  html = await page.text();
});

test("[DOC-2] the page names nothing outside of the service, and its policy lets nothing else in or out", () => {
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = (page.headers.get("content-security-policy") ?? "").split("; ");
  expect(policy[0]).toBe("default-src 'none'");
  // The only script in the page is blank: the element that holds the configuration.
  const [, blank = "?"] = /<script\s+id="api-reference"[^>]*>([^<]*)<\/script>/.exec(html) ?? [];
  expect(blank.trim()).toBe("");
  const sha256 = new Bun.CryptoHasher("sha256").update(blank).digest("base64");
  expect(policy).toContain(`script-src 'self' 'sha256-${sha256}'`);
  for (const directive of policy)
    expect(directive).toMatch(/^[a-z-]+(?: (?:'self'|'none'|'unsafe-inline'|'sha256-[^']+'|data:))+$/);
  const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1] ?? "");
  expect(addresses).toContain(SCALAR_PATH);
  for (const address of addresses) expect(address).toMatch(/^(?:[/#]|data:image\/svg\+xml,)/);
});

test("[DOC-2] its program is the vendored one, byte for byte, and may be kept for ever", async () => {
  const notes = await Bun.file(new URL("README.md", VENDORED)).text();
  expect(notes).toContain(`\`@scalar/api-reference\` ${SCALAR_VERSION} `);
  const bytes = gunzipSync(await Bun.file(new URL("standalone.js.gz", VENDORED)).bytes());
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  expect(sha256).toStartWith(scalar.version);
  expect(bytes.includes(`"${SCALAR_VERSION}"`) || bytes.includes(`\`${SCALAR_VERSION}\``)).toBe(true);

  for (const [encoding, expected] of [
    ["gzip, deflate, br", "gzip"],
    ["identity", null],
    ["gzip;q=0", null],
  ] as const) {
    const answer = await fetch(service.url + SCALAR_PATH, {
      headers: { "accept-encoding": encoding },
      decompress: false,
    });
    expect([encoding, answer.status, answer.headers.get("content-encoding")]).toEqual([encoding, 200, expected]);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(answer.headers.get("vary")).toBe("accept-encoding");
    expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(answer.headers.get("x-ratelimit-limit")).toBe("3000");
    const body = await answer.bytes();
    const plain = expected === "gzip" ? gunzipSync(body) : body;
    expect(new Bun.CryptoHasher("sha256").update(plain).digest("hex")).toBe(sha256);
  }
  expect((await fetch(`${service.url}/api/reference/scalar-0000000000000000.js`)).status).toBe(404);
});

test("[DOC-2] what would ask somebody else's server is switched off", () => {
  expect(SCALAR_CONFIGURATION).toMatchObject({
    url: "/api/openapi.json",
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    hideClientButton: true,
    persistAuth: false,
  });
  const [, given = ""] = /data-configuration='([^']*)'/.exec(html) ?? [];
  expect(JSON.parse(given)).toMatchObject(SCALAR_CONFIGURATION);
});

test("[DOC-8] the address in an error's type is that of its explanation", async () => {
  const answer = await fetch(`${service.url}/api/errors`);
  expect(answer.headers.get("content-security-policy")).not.toContain("script-src");
  const explained = await answer.text();
  const anchors = [...explained.matchAll(/<article id="error-([a-z_]+)">/g)].map((match) => match[1]);
  expect(anchors).toEqual(Object.keys(ERROR_CODES));
  const { type, status, code } = (await (await fetch(`${service.url}/api/agents`)).json()) as {
    readonly type: string;
    readonly status: number;
    readonly code: string;
  };
  expect(type).toBe("https://troupe.test/api/errors#error-unauthenticated");
  expect(explained).toContain(`<article id="${new URL(type).hash.slice(1)}"><h2>`);
  expect(explained).toContain(`<code>${code}</code></a> ${status}</h2>`);
});

test("[DOC-8] every code is explained, with what to do about it, in whole sentences", () => {
  for (const { status, meaning, remedy } of Object.values(ERROR_CODES)) {
    expect(status).toBeWithin(400, 600);
    for (const text of [meaning, remedy]) expect(text).toMatch(/^[A-Z`].*\.$/);
  }
});
