/**
 * A tool of an agent that sends a request to an external server (RUN-13):
 *
 *   arguments ─▶ checked by their schema ─▶ request ─▶ guarded client ─┬─▶ answer ─▶ text, without secrets
 *                                              ▲                       └─▶ passing failure ─┐
 *                                              └──────────── pause, at most `retry.times` ◀─┘
 *
 * Each request of a call has the same `Idempotency-Key`, the key of the call (JOB-7), also after a crash. Redirects are
 * not followed: they would send the secrets in the headers elsewhere.
 */
import { identityHeader, identityOf } from "../agent-identity.ts";
import { maskSecrets } from "../mask.ts";
import { type HttpCall, oauthNeedOf, secretsOfTool } from "../../../actors/job/connections.ts";
import type { AgentIdentities, ToolResult } from "../../../actors/job/ports.ts";
import type { ConnectionNeed } from "../../../actors/job/terms.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import { Backoff } from "../../../actors/runtime/backoff.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Accessed } from "../../connections/accessed-requests.ts";
import type { Egress, EgressRequest, EgressResult } from "../../egress/egress.ts";
import { SECRET_PREFIX, signatureHeaders, Signer } from "../../egress/webhook-signature.ts";
import type { Lanes } from "../../sandbox/lanes.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { ToolAccess } from "../mcp/accessed-egress.ts";
import type { SecretReader } from "../../connections/client-secret.ts";
import { EGRESS_WORDS, MAX_TOOL_ANSWER_BYTES, mayRepeat, hostWaitMs, textOfAnswer } from "./http-answer.ts";
import { type BuiltRequest, buildRequest } from "./http-request.ts";
import { failure, type RunningTool, success, untilServiceDecides } from "./tool.ts";
import { readPage } from "./web-fetch.ts";
import { HEADER_VALUE } from "../../../actors/header-name.ts";

/** The longest pause before a retry: if a host asks for more, the model gets that answer. */
export const MAX_TOOL_WAIT_MS = 60_000;
/** Characters of a page's text: as much as a result holds. */
const PAGE_CHARS = 60_000;
const HTTP_TOOL_ACCEPT = "application/json, text/*;q=0.9, */*;q=0.5";
/** Keys that fit into a header as they are; other ones are hashed. */
const PLAIN_KEY = /^[\x21-\x7e]{1,200}$/;

export interface HttpToolParts {
  readonly egress: Egress;
  readonly sandbox: Sandbox;
  readonly secrets: SecretReader;
  /** Access by OAuth; absent: no tool has `auth`. */
  readonly connections?: ToolAccess;
  /** Signs who acts; absent: no host learns it. */
  readonly identities?: AgentIdentities;
  /** Bounds the requests in flight: each may hold an answer. */
  readonly gate: Lanes;
  readonly clock: Pick<Clock, "now">;
}

/** Makes the request of a call whose arguments have been checked. Does not reject. */
export async function callHttp(
  parts: HttpToolParts,
  { name, http, inputSchema }: { readonly name: string; readonly http: HttpCall; readonly inputSchema: JsonObject },
  { input, run }: { readonly input: JsonObject; readonly run: RunningTool },
): Promise<ToolResult> {
  const built = buildRequest(http, inputSchema, input);
  if (typeof built === "string") return failure(built);
  const secrets = await readToolSecrets(parts.secrets, http, run);
  if (typeof secrets === "string") return failure(secrets);
  const place = await parts.gate.enter(run.context.organizationId, 0, run.signal);
  if (typeof place === "string")
    return failure("This organization has too many requests in progress. Try again later.");
  using _held = place;
  const access = toolAccess(parts.connections, { name, http }, run);
  const identity = callIdentity(parts.identities, http, run);
  const result = await requestUntilFinal(parts, http, { built, secrets, access, identity, run });
  if (result.kind === "lacking") return { ...failure(LACKING_WORDS), lacks: result.need };
  if (result.kind === "unavailable") return failure(RENEWAL_WORDS);
  const shown = await shownAnswer(parts, result, run);
  const sent = [...secrets.values(), ...(access?.sent ?? []), ...(identity?.sent ?? [])];
  return { ...shown, content: maskSecrets(shown.content, sent) };
}

/** The secrets by name, or why they are missing, in words for the model. */
async function readToolSecrets(
  reader: SecretReader,
  http: HttpCall,
  { context, pauses, signal }: RunningTool,
): Promise<ReadonlyMap<string, string> | string> {
  const values = new Map<string, string>();
  for (const name of secretsOfTool({ http })) {
    const value = await untilServiceDecides({ pauses, signal }, () => reader.read(context.organizationId, name));
    if (!value.ok)
      return value.fault.kind === "not_found"
        ? `The secret ${name}, which this tool needs, does not exist.`
        : `The secret ${name}, which this tool needs, cannot be read now.`;
    if (!HEADER_VALUE.test(value.value)) return `The secret ${name} cannot be sent in a header.`;
    if (name === http.signingSecret && !value.value.startsWith(SECRET_PREFIX))
      return `The secret ${name} cannot sign requests: a signing secret begins with ${SECRET_PREFIX}.`;
    values.set(name, value.value);
  }
  return values;
}

interface ToolRequest {
  readonly built: BuiltRequest;
  readonly secrets: ReadonlyMap<string, string>;
  readonly access: CallAccess | null;
  readonly identity: CallIdentity | null;
  readonly run: RunningTool;
}

const LACKING_WORDS = "This tool needs a connection.";
const RENEWAL_WORDS = "The authorization server of this tool could not renew the access now. Try again later.";

/** The access of one call, and the tokens that it has sent. */
interface CallAccess {
  readonly connections: ToolAccess;
  readonly need: ConnectionNeed;
  readonly sent: Set<string>;
}

function toolAccess(
  connections: ToolAccess | undefined,
  { name, http: { auth } }: { readonly name: string; readonly http: HttpCall },
  { context }: RunningTool,
): CallAccess | null {
  const need = oauthNeedOf(auth);
  if (need === null || connections === undefined) return null;
  return {
    connections,
    need: connections.needOf({ name, resource: auth?.resource ?? "", ...need }, context),
    sent: new Set(),
  };
}

/** The tokens of one call that say who acts. */
interface CallIdentity {
  token(): string;
  readonly sent: Set<string>;
}

/** For the host, which no argument can change. */
function callIdentity(
  identities: AgentIdentities | undefined,
  { url, auth }: HttpCall,
  { context }: RunningTool,
): CallIdentity | null {
  const [address = ""] = url.split("{");
  const make = identityOf(
    identities,
    { url: URL.parse(address)?.origin ?? "", ...(auth === undefined ? {} : { auth }) },
    context,
  );
  if (make === null) return null;
  const sent = new Set<string>();
  return {
    sent,
    token() {
      const token = make();
      sent.add(token);
      return token;
    },
  };
}

/** One request, with the access token if the tool takes one. */
async function requestOnce(
  { egress }: HttpToolParts,
  { access, run }: ToolRequest,
  request: EgressRequest,
): Promise<EgressResult | Exclude<Accessed<never>, { readonly kind: "answered" }>> {
  if (access === null) return egress.request(request);
  const { connections, need, sent } = access;
  const { organizationId } = run.context;
  const accessed = await connections.withAccess(
    { organizationId, need },
    (token) => {
      sent.add(token);
      return egress.request({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
    },
    run.signal,
  );
  return accessed.kind === "answered" ? accessed.answer : accessed;
}

/** The first final result, after the tool's retries. */
async function requestUntilFinal(
  parts: HttpToolParts,
  http: HttpCall,
  asking: ToolRequest,
): Promise<Awaited<ReturnType<typeof requestOnce>>> {
  const { clock } = parts;
  const { built, run } = asking;
  const { signal, pauses } = run;
  const { times, pauseMs: firstMs } = http.retry;
  const key = toolCallKey(run.idempotencyKey);
  const backoff = new Backoff(pauses, { firstMs, lastMs: MAX_TOOL_WAIT_MS });
  for (let retries = 0; ; retries++) {
    const result = await requestOnce(parts, asking, {
      url: built.url,
      method: http.method,
      headers: toolHeaders(http, asking, key, Math.floor(clock.now() / 1_000)),
      ...(built.body === undefined ? {} : { body: built.body }),
      repeatable: http.repeatable,
      limits: { timeoutMs: http.timeoutMs, maxResponseBytes: MAX_TOOL_ANSWER_BYTES },
      signal,
      lane: run.context.organizationId,
    });
    if (result.kind === "lacking" || result.kind === "unavailable") return result;
    const afterMs = hostWaitMs(result, clock.now());
    if (retries >= times || !mayRepeat(result, http.repeatable) || afterMs > MAX_TOOL_WAIT_MS || signal.aborted)
      return result;
    await backoff.pause(signal, afterMs);
    if (signal.aborted) return { kind: "failed", error: "aborted" };
  }
}

/** Arguments come first, so that none overrides the tool's own headers. */
function toolHeaders(
  { headers, signingSecret }: HttpCall,
  { built, secrets, identity }: ToolRequest,
  key: string,
  seconds: number,
): Record<string, string> {
  const { body = "" } = built;
  const signer = signingSecret === null ? [] : [new Signer(secrets.get(signingSecret) ?? "")];
  return {
    accept: HTTP_TOOL_ACCEPT,
    ...built.headers,
    ...(built.body === undefined ? {} : { "content-type": "application/json" }),
    ...Object.fromEntries(
      headers.map(({ name, secret, prefix = "", value = "" }) => [
        name.toLowerCase(),
        secret === undefined ? value : prefix + (secrets.get(secret) ?? ""),
      ]),
    ),
    ...(identity === null ? {} : { authorization: identityHeader(identity.token()) }),
    "idempotency-key": key,
    ...(signer.length === 0 ? {} : signatureHeaders(signer, { eventId: key, seconds, body })),
  };
}

/** The key of the call, which contains an id from a model's server. */
function toolCallKey(idempotencyKey: string): string {
  if (PLAIN_KEY.test(idempotencyKey)) return idempotencyKey;
  return `sha256:${new Bun.CryptoHasher("sha256").update(idempotencyKey).digest("hex")}`;
}

async function shownAnswer({ sandbox }: HttpToolParts, result: EgressResult, run: RunningTool): Promise<ToolResult> {
  if (result.kind === "failed") return failure(EGRESS_WORDS[result.error]);
  const { status, truncated, finalUrl } = result;
  const isError = status < 200 || status >= 300;
  const about = isError ? `The host answered ${status}` : "";
  const found = textOfAnswer(result);
  if (found.kind === "none") {
    const words = `${about === "" ? `The host answered ${status}` : about}, ${found.why}.`;
    return isError ? failure(words + redirectWords(status)) : success(words);
  }
  let text = found.kind === "text" ? found.text : "";
  if (found.kind === "page") {
    const options = { contentType: found.contentType, url: finalUrl, maxChars: PAGE_CHARS };
    const read = await readPage(options, result.pieces, { sandbox, run });
    if (!read.ok || read.page === null) return failure(`The host answered ${status} with a page that cannot be read.`);
    ({ text } = read.page);
  }
  const note = truncated ? `\n[Cut: only the first ${MAX_TOOL_ANSWER_BYTES} bytes were read.]` : "";
  return isError ? failure(`${about}.${redirectWords(status)}\n\n${text}${note}`) : success(text + note);
}

const redirectWords = (status: number): string =>
  status >= 300 && status < 400 ? " It redirects to another address, which is not followed." : "";
