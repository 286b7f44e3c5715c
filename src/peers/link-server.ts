/**
 * The other end of a link (`peer-link.ts`): requests from the link run as if their clients had sent them here. A small,
 * complete answer goes over the link. A stream or a long answer is kept briefly under a ticket, with which the asking
 * replica fetches it over HTTP.
 */
import type { Server, ServerWebSocket, WebSocketHandler } from "bun";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import { CONTENT_HEADER } from "./content-answer.ts";
import { forwardedUrl } from "./forwarding.ts";
import {
  ANSWER_FRAME,
  ASK,
  CANCEL,
  FAILED,
  type Frame,
  readFrames,
  KEPT,
  LEAVE,
  linkKey,
  LinkSeals,
  LinkWriter,
  MOST_MESSAGE_BYTES,
  PING,
  PONG,
  type ReadFrame,
  TEXT,
} from "./link-frames.ts";
import { SentHeaders } from "./link-heads.ts";
import { LinkedCall, linkedRequest } from "./linked-request.ts";
import type { AnswerHead, AskHead } from "./peer-link.ts";
import type { OpenedSeal, PeerKey } from "./peer-key.ts";
import { PlainAnswer, plainResponse } from "./plain-answer.ts";
import type { PeersLog } from "../log/port.ts";

/** Longer answers are fetched over HTTP. */
export const MOST_ANSWER_BYTES = 64 * 1024;
/** An answer that is not fetched within this time is dropped. */
const KEPT_MS = 10_000;
/** A link without traffic closes after this. */
const LINK_IDLE_SECONDS = 120;
const UNSENT_BYTES = 256 * 1024 * 1024;
const EMPTY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304, 421]);

export interface LinkServerParts {
  readonly clock: Pick<Clock, "after">;
  /** A client's request, as if the client had sent it here. */
  readonly handedOn: (request: Request, client: string) => MaybePromise<Response | PlainAnswer>;
  readonly key: Pick<PeerKey, "now" | "sealAnswer">;
  readonly log: PeersLog;
}

/** What belongs to one link. */
export interface LinkEnd {
  readonly seal: OpenedSeal;
  writer: LinkWriter | null;
  seals: LinkSeals | null;
  readonly sent: SentHeaders;
  readonly underWay: Map<number, LinkedCall>;
}

/** A received request. */
interface LinkRequest {
  readonly head: AskHead;
  readonly body: Buffer | null;
  readonly call: LinkedCall;
}

interface KeptAnswer {
  readonly response: Response;
  readonly call: LinkedCall;
  readonly forget: () => void;
}

export class LinkServer {
  private readonly parts: LinkServerParts;
  private readonly links = new Set<ServerWebSocket<LinkEnd>>();
  private readonly kept = new Map<string, KeptAnswer>();
  private unanswered = 0;
  private isLeaving = false;

  constructor(parts: LinkServerParts) {
    this.parts = parts;
  }

  /** Whether no request is in flight here. */
  get isQuiet(): boolean {
    return this.links.size === 0 && this.unanswered === 0 && this.kept.size === 0;
  }

  /** Upgrades the sealed call to a link; false if that fails. */
  accept(request: Request, server: Pick<Server<LinkEnd>, "upgrade">, seal: OpenedSeal): boolean {
    const data: LinkEnd = { seal, writer: null, seals: null, sent: new SentHeaders(), underWay: new Map() };
    return !this.isLeaving && server.upgrade(request, { data });
  }

  /** Asks the other sides to send no new requests. */
  leave(): void {
    this.isLeaving = true;
    for (const { data } of this.links) data.writer?.add({ kind: LEAVE, id: 0, head: "", body: null });
  }

  /**
   * The answer that is kept under this ticket; null if it is gone. `signal` aborts when the fetching replica leaves.
   */
  take(ticket: string, signal: AbortSignal): Response | null {
    const kept = this.kept.get(ticket);
    if (kept === undefined) return null;
    kept.forget();
    signal.addEventListener("abort", () => kept.call.abort(), { once: true });
    return kept.response;
  }

  readonly websocket: WebSocketHandler<LinkEnd> = {
    perMessageDeflate: false,
    maxPayloadLength: MOST_MESSAGE_BYTES,
    backpressureLimit: UNSENT_BYTES,
    closeOnBackpressureLimit: true,
    idleTimeout: LINK_IDLE_SECONDS,
    open: (link) => {
      const { data } = link;
      const { key: peers } = this.parts;
      const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
      const key = linkKey(data.seal.key, data.seal.mac, nonce);
      data.seals = new LinkSeals(key, "asks", peers.now);
      data.writer = new LinkWriter(new LinkSeals(key, "answers", peers.now), (message) => link.sendBinary(message));
      link.sendText(`${nonce} ${peers.sealAnswer(data.seal)}`);
      this.links.add(link);
    },
    message: (link, message) => {
      try {
        const { seals, writer } = link.data;
        if (typeof message === "string" || seals === null) return link.terminate();
        const frames = readFrames(message, seals);
        // Answers from memory leave together, as one message.
        writer?.joining(() => {
          for (const frame of frames) this.took(link.data, frame);
        });
      } catch (err) {
        this.parts.log.warn({ err }, "a link of another replica is broken");
        link.terminate();
      }
    },
    close: (link) => {
      this.links.delete(link);
      link.data.writer = null;
      for (const call of link.data.underWay.values()) call.abort();
    },
  };

  private took(end: LinkEnd, { kind, id, head, body }: ReadFrame): void {
    if (kind === PING) end.writer?.add({ kind: PONG, id, head: "", body: null });
    else if (kind === CANCEL) end.underWay.get(id)?.abort();
    else if (kind === ASK) {
      const call = new LinkedCall();
      const answer = this.answered(end, id, { head: JSON.parse(head) as AskHead, body, call });
      if (!(answer instanceof Promise)) {
        end.writer?.add(answer);
        return;
      }
      this.unanswered++;
      end.underWay.set(id, call);
      void answer.then((frame) => {
        end.underWay.delete(id);
        end.writer?.add(frame);
        this.unanswered--;
      });
    }
  }

  /** The frame with the answer: without a promise if the pipeline does not have to wait. */
  private answered(end: LinkEnd, id: number, asked: LinkRequest): MaybePromise<Frame> {
    const failed = (err: unknown): Frame => {
      this.parts.log.error({ err }, "a call of another replica failed");
      return { kind: FAILED, id, head: "", body: null };
    };
    try {
      const [, , client] = asked.head;
      const request = requestFromLink(asked);
      const frameOf = (answer: Response | PlainAnswer): Frame => this.frameOf(end, id, { answer, call: asked.call });
      const answer = this.parts.handedOn(request, client);
      return answer instanceof Promise ? answer.then(frameOf).catch(failed) : frameOf(answer);
    } catch (cause) {
      return failed(cause);
    }
  }

  private frameOf(
    { sent }: LinkEnd,
    id: number,
    { answer, call }: { readonly answer: Response | PlainAnswer; readonly call: LinkedCall },
  ): Frame {
    const isPlain = answer instanceof PlainAnswer;
    if (isPlain && typeof answer.body === "string" && answer.body.length <= MOST_ANSWER_BYTES)
      return { kind: TEXT, id, head: sent.headOf(answer), body: answer.body };
    const response = isPlain ? plainResponse(answer) : answer;
    const isEmpty = EMPTY_STATUSES.has(response.status) || response.headers.has(CONTENT_HEADER);
    const whole = isEmpty ? "" : isPlain ? answer.body : null;
    if (whole === null || whole.length > MOST_ANSWER_BYTES) return this.keep(id, response, call);
    return { kind: ANSWER_FRAME, id, head: answerHead(response), body: whole };
  }

  private keep(id: number, response: Response, call: LinkedCall): Frame {
    const ticket = crypto.randomUUID();
    const drop = (): void => {
      forget();
      call.abort();
      void response.body?.cancel().catch(() => {});
    };
    const cancel = this.parts.clock.after(KEPT_MS, drop);
    const forget = (): void => {
      cancel();
      call.signal.removeEventListener("abort", drop);
      this.kept.delete(ticket);
    };
    call.signal.addEventListener("abort", drop, { once: true });
    this.kept.set(ticket, { response, call, forget });
    if (call.signal.aborted) drop();
    return { kind: KEPT, id, head: ticket, body: null };
  }
}

/** The asked request. One with a body becomes a real `Request`, because its body is read as a stream. */
function requestFromLink({ head: [method, target, , headers], body, call }: LinkRequest): Request {
  const url = forwardedUrl(headers["host"] ?? null, target);
  if (body === null) return linkedRequest({ method, url, headers }, call);
  return new Request(url, { method, headers, signal: call.signal, body: body as Uint8Array<ArrayBuffer> });
}

const answerHead = ({ status, headers }: Response): string => JSON.stringify([status, headers.toJSON()] as AnswerHead);
