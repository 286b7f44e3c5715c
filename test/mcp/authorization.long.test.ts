/**
 * The scenarios of the official conformance suite of MCP for authorization servers (MCP-2), against the service as it
 * is. A person without scripts signs in, and lets the suite's program in. The scenarios called `auth/…` try clients:
 * `test/connections/conformance.long.test.ts`.
 */
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import { sceneOfFile } from "../support/scene.ts";
import { CLONE } from "../support/service-process.ts";
import { browserOf, emailOf, PASSWORD, signedIn } from "../support/signed-in.ts";

const CLI = join(CLONE, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const SCENARIOS = ["authorization-server-metadata-endpoint", "authorization-code-grant"];
const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

// The suite asks at the address that the metadata names.
const { service, owner } = sceneOfFile({ settings: { appUrl: undefined } });
beforeAll(async () => {
  await signedIn(service, owner, PASSWORD, service.url);
});

const spawn = (args: readonly string[]) =>
  Bun.spawn([process.execPath, CLI, ...args], { stdout: "pipe", stderr: "inherit" });

/** Registers the program of the suite, which comes back at this port. */
async function register(port: number): Promise<string> {
  const answer = await fetch(`${service.url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Conformance", redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
  });
  return ((await answer.json()) as { readonly client_id: string }).client_id;
}

/** What a person does with the address that the suite shows; the browser ends at the suite's callback. */
async function letIn(browser: PlainBrowser, address: string): Promise<void> {
  const { pathname, search } = new URL(address);
  const signIn = await browser.get(pathname + search);
  const consent = await browser.submit(signIn, "/sign-in", {
    email: await emailOf(service, owner),
    password: PASSWORD,
  });
  const scopes = [...consent.html.matchAll(/name="grant" value="([^"]+)"/g)].map(([, scope = ""]) => scope);
  const back = await browser.submit(consent, "/oauth/authorize", { decision: "allow", grant: scopes });
  expect((await fetch(back.at)).status).toBe(200);
}

test("[MCP-2] every scenario of the suite for authorization servers is run", async () => {
  const child = spawn(["list", "--authorization"]);
  const [, listed = ""] = (await child.stdout.text()).split("Authorization server scenarios");
  expect([...listed.matchAll(/^\s*- ([\w/-]+)/gm)].map(([, name = ""]) => name)).toEqual(SCENARIOS);
});

for (const revision of REVISIONS)
  test(`[MCP-2] ${revision}: the suite finds the server, and gets a token for MCP from a person`, async () => {
    const port = freePort();
    const clientId = await register(port);
    const given = { url: service.url, "client-id": clientId, port: String(port), resource: `${service.url}/mcp` };
    const options = Object.entries({ ...given, "spec-version": revision });
    const child = spawn(["authorization", ...options.flatMap(([name, value]) => [`--${name}`, value])]);
    let out = "";
    let hasAsked = false;
    const decoder = new TextDecoder();
    for await (const piece of child.stdout) {
      out += decoder.decode(piece, { stream: true });
      const [address] = /^http:\/\/\S+\/oauth\/authorize\?\S+(?=\n)/m.exec(out) ?? [];
      if (address === undefined || hasAsked) continue;
      hasAsked = true;
      await letIn(browserOf(service, service.url), address);
    }
    expect({ code: await child.exited, out }).toEqual({ code: 0, out });
    for (const scenario of SCENARIOS) expect(out).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
    expect(out).not.toMatch(/SKIPPED|WARNING/);
  });
