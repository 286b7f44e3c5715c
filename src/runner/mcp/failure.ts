/**
 * Why a request to an MCP server failed, described for the model. Error messages of the system or the library never
 * leave this file, because they contain addresses and paths.
 */
import { cutText } from "../../../actors/cut-text.ts";
import type { ConnectionNeed } from "../../../actors/job/terms.ts";
import { type EgressError, EgressInterrupted } from "../../egress/failure.ts";
import type { SandboxResult } from "../../sandbox/sandbox.ts";

/** The message completes "The MCP server x cannot be used: …". */
export class McpFailure extends Error {
  override readonly name = "McpFailure";
}

/** The server does not know the session any more, for example after a restart, so it has done nothing. */
export class SessionEnded extends McpFailure {
  constructor(status: number) {
    super(`it ended the session (HTTP status ${status})`);
  }
}

/** The server requires a connection that does not exist, and has done nothing (ACC-9). */
export class ConnectionLacking extends McpFailure {
  readonly need: ConnectionNeed;

  constructor(need: ConnectionNeed) {
    super(`it needs a connection: ${need.link}`);
    this.need = need;
  }
}

const SERVER_NOT_PUBLIC = "its address is not on the public internet, and the operator has not allowed it";

const SERVER_ERROR_WORDS: Readonly<Record<EgressError, string>> = {
  invalid_url: "its URL cannot be requested",
  https_required: "its URL must begin with https, unless the operator has allowed its origin (EGRESS_ALLOW)",
  invalid_header: "a header cannot be sent",
  blocked_address: SERVER_NOT_PUBLIC,
  // A model must not learn which names resolve on the internal network.
  dns_error: SERVER_NOT_PUBLIC,
  connection_refused: "it does not accept connections",
  connection_reset: "it closed the connection before its answer was complete",
  tls_error: "it has no valid certificate for its name",
  invalid_response: "its answer is not valid HTTP",
  too_large: "its answer is too large",
  too_many_redirects: "it redirects, which is not followed",
  timeout: "it did not answer in time",
  aborted: "the call was stopped",
};

const INVALID_MCP = "its answer is not valid MCP";

export const egressFailure = (error: EgressError): McpFailure => new McpFailure(SERVER_ERROR_WORDS[error]);

export type SandboxRefusal = Exclude<SandboxResult, { readonly ok: true }>["error"];

const SANDBOX_WORDS: Readonly<Record<Exclude<SandboxRefusal, "failed">, string>> = {
  too_large: SERVER_ERROR_WORDS.too_large,
  deadline: "its answer takes too long to read",
  crashed: "its answer takes too much memory to read",
  invalid: "its answer cannot be read",
  unavailable: "its answer could not be read now. Try again",
  over_budget: "the calls of this step have used up their computing time. Make fewer calls at a time",
  busy: "too many answers are waiting to be read. Make fewer calls at a time",
  aborted: SERVER_ERROR_WORDS.aborted,
};

/** The messages that our sandbox job uses. A compromised child may send others. */
const OF_A_JOB = /^(?:its answer|it sends) [\w ]{1,100}$/;

export const sandboxFailure = (error: SandboxRefusal, words: string): McpFailure =>
  new McpFailure(error === "failed" ? (OF_A_JOB.test(words) ? words : INVALID_MCP) : SANDBOX_WORDS[error]);

/** The code of an error whose message is the text of an `McpFailure`. */
export const MCP_REFUSED_CODE = -32_051;

/** The code of an error that stands for an answer which was interrupted; its message is the `EgressError`. */
export const INTERRUPTED = -32_050;

/** An error from the library: of any kind, some with codes from the server's answer. */
interface ClientError extends Error {
  /** The HTTP status. */
  readonly statusCode?: unknown;
  /** The JSON-RPC error code. */
  readonly code?: unknown;
}

/** The failure behind `cause`; `mask` takes secrets out of the server's own words. */
export function failureOf(cause: unknown, mask: (text: string) => string): McpFailure {
  for (let error: unknown = cause; error instanceof Error; error = error.cause) {
    if (error instanceof McpFailure) return error;
    if (error instanceof EgressInterrupted) return egressFailure(error.error);
    const { statusCode, code, message }: ClientError = error;
    if (code === MCP_REFUSED_CODE) return new McpFailure(mask(message));
    if (code === INTERRUPTED && Object.hasOwn(SERVER_ERROR_WORDS, message))
      return egressFailure(message as EgressError);
    if (typeof statusCode === "number" && statusCode >= 300)
      return new McpFailure(`it answered with HTTP status ${statusCode}`);
    // A model can act on the server's words about the arguments.
    if (typeof code === "number") return new McpFailure(`it refused: ${cutText(mask(message), MAX_REFUSAL)}`);
    if (message.includes("timed out")) return egressFailure("timeout");
  }
  return new McpFailure(INVALID_MCP);
}

/** Characters of a server's refusal. */
const MAX_REFUSAL = 2_000;
