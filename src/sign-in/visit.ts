/**
 * A request for a page: who sends it, its form, and checks against forgery. A form is accepted only from one of our own
 * pages (AUTH-15), even without a session: a forged sign-in would put a person into another person's account.
 */
import type { Server } from "bun";
import type { Principal } from "../../actors/organization/principal.ts";
import type { Authentication } from "../http/admission/authentication.ts";
import type { RateLimits } from "../http/admission/rate-limits.ts";
import { isSafe, isSameOrigin } from "../http/admission/same-origin.ts";
import { sessionIn } from "../http/admission/session-cookie.ts";
import { retryAfter } from "../http/answer/dialect.ts";
import { waitingTime } from "../http/document/refusal-page.ts";
import type { Accounts, SignInSender } from "./accounts.ts";
import { type Caller, localCaller, requestIdOf } from "../http/request/caller.ts";
import { browserName } from "./browser-name.ts";
import { html } from "./html.ts";
import { renderPage } from "./layout.ts";

export interface VisitParts {
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly limits: RateLimits;
  readonly appUrl: () => string;
  readonly server: () => Server<unknown> | null;
}

export interface Visit {
  readonly request: Request;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly sender: SignInSender;
  /** The signed-in person; null for nobody. */
  readonly principal: Principal | null;
  /** Whether the browser has a session cookie, valid or not. */
  readonly hasCookie: boolean;
}

/** A visit of a signed-in person. */
export type OwnVisit = Visit & { readonly principal: Principal };

/**
 * The person as the caller of an operation. What pages change goes through operations, so that it is checked, recorded
 * and sent to webhooks as over the API.
 */
export const callerOf = ({ request, principal, sender: { address } }: OwnVisit): Caller => ({
  ...localCaller(principal, { requestId: requestIdOf(request) }),
  address,
});

/** The checks of a page's session. */
const SESSION = { isCounted: true, takesSessions: true, resource: null } as const;

/** The visit, or a refusal. */
export async function visitOf(parts: VisitParts, request: Request): Promise<Visit | Response> {
  const server = parts.server();
  const appUrl = parts.appUrl();
  if (!isSafe(request.method) && !isSameOrigin(request, appUrl)) return FOREIGN();
  const hasCookie = sessionIn(request.headers.get("cookie"), appUrl) !== null;
  const verified = hasCookie ? await parts.authentication.verifySession({ request, server }, SESSION) : null;
  const isKnown = verified?.ok === true;
  const rate = isKnown ? verified.value.rate : await parts.limits.ofStranger(request, server);
  const limited = rate === null ? null : parts.limits.refusalOf(rate);
  if (limited !== null) return waitPage(limited.kind === "rate_limited" ? limited.retryAfterMs : 1_000);
  const form = isSafe(request.method) ? new URLSearchParams() : await formOf(request);
  if (form === null) return BAD_FORM();
  return {
    request,
    form,
    query: new URL(request.url).searchParams,
    sender: {
      address: parts.limits.addressOf(request, server),
      browser: browserName(request.headers.get("user-agent")),
    },
    principal: isKnown ? verified.value.principal : null,
    hasCookie,
  };
}

/** The fields of a form; null if the body is not a form, or too long, or has NUL, which PostgreSQL cannot store. */
async function formOf(request: Request): Promise<URLSearchParams | null> {
  const text = await boundedText(request, FORM_TYPE);
  const form = text === null ? null : new URLSearchParams(text);
  return form?.toString().includes("%00") === true ? null : form;
}

const FOREIGN = (): Response =>
  renderPage({
    title: "This form came from another site",
    status: 403,
    content: html`<section>
      <p>Your browser did not confirm that this form was sent from a page of this service, so nothing was done.</p>
      <p><a href="/account">Go to your account</a> and try again there.</p>
    </section>`,
  });

const BAD_FORM = (): Response =>
  renderPage({
    title: "This form cannot be read",
    status: 400,
    content: html`<section><p>Nothing was done.</p></section>`,
  });

/** The answer after too many requests or attempts. */
export function waitPage(retryAfterMs: number): Response {
  return renderPage({
    title: "Please wait",
    status: 429,
    headers: retryAfter(retryAfterMs),
    content: html`<section><p>There were too many attempts. Try again in ${waitingTime(retryAfterMs)}.</p></section>`,
  });
}

/** Bytes of a form: the longest field is a URL of another site. */
const FORM_BYTES = 32 * 1_024;
export const FORM_TYPE = "application/x-www-form-urlencoded";

/** The body as text; null if it has another type, is too long, or its client leaves before its end. */
export async function boundedText(request: Request, type: string): Promise<string | null> {
  const given = request.headers.get("content-type") ?? "";
  if (given.split(";")[0]?.trim().toLowerCase() !== type) return null;
  if (Number(request.headers.get("content-length") ?? "0") > FORM_BYTES) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > FORM_BYTES) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString("utf8");
}
