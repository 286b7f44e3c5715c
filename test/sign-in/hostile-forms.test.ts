/** Forms and queries of pages and of the authorization server with texts that nobody means well with. */
import { beforeAll, expect, test } from "bun:test";
import { sampleOf } from "../support/long.ts";
import { OAuthProgram, REDIRECT } from "../support/oauth-program.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import { serviceOfFile } from "../support/scene.ts";
import type { LogLine } from "../support/service.ts";
import { signedIn } from "../support/signed-in.ts";

const HOSTILE = ["\0", "a\0b", "\u202e", "\ufffe", "__proto__", "1e999", "../..", "x".repeat(5_000), ""];

/** The fields of each form. A field whose value matters for the way of the others has one in `USUAL`. */
const FORMS: Readonly<Record<string, string>> = {
  "/sign-in": "email password next",
  "/sign-in/passkey": "credential key next",
  "/set-password": "token password again",
  "/invitation": "token name password again",
  "/account/password": "present password again",
  "/account/passkeys": "name credential key",
  "/account/passkeys/remove": "id",
  "/account/tokens": "name days scope",
  "/account/tokens/revoke": "id",
  "/account/sessions/end": "id",
  "/account/programs/end": "id",
  "/account/organization": "organization",
  "/oauth/authorize": "signature decision grant client_id scope redirect_uri",
  "/oauth/token": "grant_type code code_verifier client_id redirect_uri refresh_token resource scope",
  "/oauth/revoke": "token",
  "/oauth/introspect": "token",
};
const USUAL: Readonly<Record<string, string>> = {
  grant_type: "authorization_code",
  email: "somebody@example.test",
  name: "Somebody",
  password: "four unrelated words",
  again: "four unrelated words",
  days: "30",
  scope: "agents:read",
  redirect_uri: REDIRECT,
};
/** These pages take what is asked for from their query. */
const QUERIES = [
  "/sign-in?next=",
  "/set-password?token=",
  "/invitation?token=",
  "/account/sessions/end?id=",
  "/share/",
];

let browser: PlainBrowser;
const service = serviceOfFile();
beforeAll(async () => void (browser = await signedIn(service, await service.found())));

const failures = (): readonly LogLine[] => service.log.filter(({ level }) => level === "error");

test("[ERR-4] no form of a page or of a program fails, whatever is in it", async () => {
  // Each field of each form, and each text many times.
  let seed = 0;
  for (const [path, names] of Object.entries(FORMS)) {
    const fields = names.split(" ");
    for (const field of fields)
      for (const text of sampleOf(HOSTILE, 5, seed++)) {
        const form = new URLSearchParams(
          fields.map((name): [string, string] => [name, name === field ? text : (USUAL[name] ?? "x")]),
        );
        const { status, html } = await browser.post(path, form);
        const what = [path, field, text.slice(0, 20)];
        expect([...what, status < 500, failures()]).toEqual([...what, true, []]);
        // Every form is there.
        expect([path, html]).not.toEqual([path, "Not found\n"]);
      }
  }
});

test("[ERR-4] no address of a page and no request of a program fails, whatever is in it", async () => {
  const program = await OAuthProgram.register(service);
  const addresses = [];
  for (const text of HOSTILE) {
    for (const query of QUERIES) addresses.push(query + encodeURIComponent(text));
    for (const name of ["state", "scope", "resource", "code_challenge", "redirect_uri", "prompt", "client_id"]) {
      const { url } = await program.ask({ [name]: text });
      addresses.push(url.pathname + url.search);
    }
  }
  for (const address of sampleOf(addresses, 5, 1)) {
    const { status } = await browser.get(address);
    expect([address, status < 500, failures()]).toEqual([address, true, []]);
  }
});
