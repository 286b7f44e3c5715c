/** A person who has joined by a link, with a browser, and has let a program in. */
import { PlainBrowser } from "../support/plain-browser.ts";

export interface Person {
  readonly userId: string;
  /** A personal access token for everything. */
  readonly token: string;
  readonly sessionId: string;
  readonly grantId: string;
}

const PASSWORD = "four unrelated words";
const REDIRECT = "http://127.0.0.1:8976/callback";

/** Opens the link of an invitation and does all of it; `url` is where the service listens. */
export async function joined(url: string, link: string): Promise<Person> {
  const browser = new PlainBrowser({ url, origin: new URL(link).origin });
  const { pathname, search } = new URL(link);
  const page = await browser.get(pathname + search);
  await browser.submit(page, "/invitation", { name: "Ada", password: PASSWORD, again: PASSWORD });
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { ...browser.own(), "content-type": "application/json" };
    const answer = await browser.ask(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const { client_id: client } = await ask<{ client_id: string }>("POST", "/oauth/register", {
    redirect_uris: [REDIRECT],
  });
  const asked = new URLSearchParams({
    response_type: "code",
    client_id: client,
    redirect_uri: REDIRECT,
    scope: "agents:read",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
  });
  const consent = await browser.get(`/oauth/authorize?${asked.toString()}`);
  await browser.submit(consent, "/oauth/authorize", { decision: "allow", grant: ["agents:read"] });
  const wanted = { name: "All", scopes: ["*"] };
  const made = await ask<{ token: string; user_id: string }>("POST", "/api/personal-access-tokens", wanted);
  const { sessions } = await ask<{ sessions: { id: string }[] }>("GET", "/api/sessions");
  const { oauth_grants: grants } = await ask<{ oauth_grants: { id: string }[] }>("GET", "/api/oauth-grants");
  return { userId: made.user_id, token: made.token, sessionId: sessions[0]!.id, grantId: grants[0]!.id };
}
