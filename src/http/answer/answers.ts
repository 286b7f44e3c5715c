/**
 * The last stage of a request: what it has come to, in the words of its surface, with the headers that every answer
 * has. Then the request is over: it is logged, counted, and its memory is released.
 */
import type { Fault } from "../../../actors/fault.ts";
import { PAGE_HEADERS, PAGE_TYPE, prefersPage } from "../document/page.ts";
import { isForPeople, refusalPage } from "../document/refusal-page.ts";
import type { Dialect, Refusal } from "./dialect.ts";
import { type Exchange, rawPath } from "../request/exchange.ts";
import type { StoredAnswer } from "../commit/commit.ts";
import { CommitAnswer } from "../commit/change-run.ts";
import type { OperationOutcome } from "../request/operations.ts";
import { Rendered } from "./rendered-list.ts";
import type { SurfaceParts } from "../request/surface-parts.ts";
import type { PipelineAnswer } from "./answer.ts";

type AnswersParts = Pick<SurfaceParts, "admission" | "crossOrigin" | "log" | "meter">;

export class Answers {
  private readonly dialect: Dialect;
  private readonly parts: AnswersParts;

  constructor(dialect: Dialect, parts: AnswersParts) {
    this.dialect = dialect;
    this.parts = parts;
  }

  /** Answers with what the operation has come to. */
  answer(exchange: Exchange, outcome: OperationOutcome): Response {
    if (!outcome.ok) return this.refuse(exchange, outcome.fault);
    const { value } = outcome;
    if (value instanceof CommitAnswer) return this.answerCommit(exchange, value);
    if (value instanceof Rendered) return this.finish(exchange, exchange.text(value.json));
    return this.finish(exchange, value instanceof Response ? exchange.own(value) : exchange.json(value));
  }

  private answerCommit(exchange: Exchange, { outcome, keyStatus }: CommitAnswer): Response {
    const answer = outcome.ok ? storedAnswer(exchange, outcome.value) : this.refusal(exchange, outcome.fault);
    if (keyStatus !== null) answer.headers.set("idempotency-status", keyStatus);
    return this.finish(exchange, answer);
  }

  /** Refuses the request. */
  refuse(exchange: Exchange, fault: Fault): Response {
    exchange.refusedFor(fault.kind);
    return this.finish(exchange, this.refusal(exchange, fault));
  }

  /** Answers a request whose handling threw. */
  fail(exchange: Exchange, cause: unknown): Response {
    exchange.within(() => this.parts.log.error({ err: cause, requestId: exchange.requestId }, "a request failed"));
    this.parts.admission.leaveOut(exchange);
    return this.finish(exchange, refusedIn(exchange, this.dialect.bug(exchange.requestId), bugPage));
  }

  /** The request is over with this answer. */
  finish(exchange: Exchange, answer: PipelineAnswer): Response {
    const { headers } = exchange;
    if (headers !== null) for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
    this.addCrossOrigin(exchange, answer);
    exchange.releaseBody();
    exchange.onAnswered?.();
    const durationMs = exchange.log(this.parts.log, answer.status);
    this.parts.meter?.answered(exchange.operation, answer.status, durationMs / 1_000);
    const response = exchange.responseFor(answer);
    return exchange.wantsHeadOnly ? withoutStream(response) : response;
  }

  private refusal(exchange: Exchange, fault: Fault): PipelineAnswer {
    this.parts.meter?.refused(fault.kind);
    this.parts.admission.leaveOut(exchange);
    return refusedIn(exchange, this.dialect.refusal(fault, exchange.requestId), () =>
      (exchange.refusalPage ?? refusalPage)(fault),
    );
  }

  /** Lets pages of allowed other origins read the answer. */
  private addCrossOrigin(exchange: Exchange, answer: PipelineAnswer): void {
    const { crossOrigin } = this.parts;
    const { audience } = exchange;
    if (audience === "configured_origins") {
      if (!crossOrigin.varies) return;
      answer.headers.append("vary", "origin");
    }
    const allowed = crossOrigin.headersFor(exchange.header("origin"), audience);
    if (allowed !== null) for (const [name, value] of Object.entries(allowed)) answer.headers.set(name, value);
  }
}

const storedAnswer = (exchange: Exchange, answer: StoredAnswer | Response): PipelineAnswer =>
  answer instanceof Response ? exchange.own(answer) : exchange.answer(answer);

/** The refusal; as a page where a person has opened the address in a browser (DOC-10). */
function refusedIn(exchange: Exchange, refusal: Refusal, html: () => string): PipelineAnswer {
  const { operation, refusalPage: own, request } = exchange;
  if (own === null && (operation !== null || !isForPeople(rawPath(request.url)))) return exchange.refuse(refusal);
  const answer = exchange.refuse(prefersPage(exchange.header("accept")) ? asPage(refusal, html()) : refusal);
  answer.headers.append("vary", "accept");
  return answer;
}

const bugPage = (): string => refusalPage({ kind: "unavailable", retryAfterMs: 0 });

const asPage = ({ status, headers }: Refusal, body: string): Refusal => ({
  status,
  body,
  headers: { ...headers, "content-type": PAGE_TYPE, ...PAGE_HEADERS },
});

/** Elysia's own router counts the bytes of its answers to HEAD: an event stream would never end. */
function withoutStream(response: Response): Response {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response;
  void response.body?.cancel();
  return new Response(null, response);
}
