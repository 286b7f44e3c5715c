/**
 * The port on which replicas reach each other, for forwarded requests of clients and for the replicas' own calls. A
 * call without a valid seal is refused without an explanation.
 */
import type { Server } from "bun";
import type { Clock } from "../../actors/runtime/ports.ts";
import { type MaybePromise, whenReady } from "../../actors/maybe-promise.ts";
import { rawPath } from "../http/request/exchange.ts";
import { READS_CONTENT_HEADER, withoutContent } from "./content-answer.ts";
import { targetOf, forwardedUrl } from "./forwarding.ts";
import { HandedOnRequest } from "./handed-on-request.ts";
import { type LinkEnd, LinkServer } from "./link-server.ts";
import { LINK_PATH } from "./peer-link.ts";
import { ALIVE_PATH, ASK_PATH, INVOKE_PATH, LOOK_PATH, MISDIRECTED, READ_PATH, TAKE_PATH } from "./peer-client.ts";
import {
  CLIENT_HEADER,
  bodySeal,
  IN_PIECES,
  SEALED_WITHOUT_BODY,
  type OpenedSeal,
  type PeerCall,
  type PeerKey,
  SEAL_HEADER,
} from "./peer-key.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import type { PeerQuestions } from "./peer-questions.ts";
import type { PeersLog } from "../log/port.ts";
import type { PlainAnswer } from "./plain-answer.ts";
import { STREAM_HEADER } from "./relay.ts";
import { openedPieces } from "./sealed-body.ts";

/** The pipeline of the service. */
export type Pipeline = (request: Request) => MaybePromise<Response>;

export interface PeerServerParts {
  readonly self: string;
  readonly key: PeerKey;
  readonly hostname: string;
  readonly port: number;
  readonly maxRequestBodyBytes: number;
  readonly questions: () => PeerQuestions;
  /** Shards are free, or a replica has joined: check the placement. */
  readonly onLook: () => Promise<void>;
  /** A new owner serves shards: read the placement again. */
  readonly onRead: () => Promise<void>;
  /** The pipeline of the service; null before it is ready. */
  readonly serve: () => Pipeline | null;
  readonly clock: Pick<Clock, "after">;
  readonly log: PeersLog;
  /** Where spans go. Omitted: nothing is traced. */
  readonly tracing?: Tracing | null;
}

export interface PeerServer {
  readonly port: number;
  /** Answers the received calls, for a limited time, and closes the port. */
  stop(): Promise<void>;
}

/** How long `stop` waits for unanswered calls: by then, a call that waits for an owner has found the next one. */
export const ANSWERS_MS = 1_500;
/** Between two checks for unanswered calls. */
const UNANSWERED_POLL_MS = 5;

/** Opens the port. Throws if that fails. */
export function openPeerServer(parts: PeerServerParts): PeerServer {
  let unanswered = 0;
  const links = new LinkServer({
    ...parts,
    handedOn: (request, client) => handedOverLink(request, client, parts),
  });
  const server = Bun.serve<LinkEnd>({
    hostname: parts.hostname,
    port: parts.port,
    // Streams can be quiet for long, and only replicas connect here.
    idleTimeout: 0,
    maxRequestBodySize: parts.maxRequestBodyBytes,
    development: false,
    async fetch(request, listening) {
      unanswered++;
      try {
        return await answerPeer(request, { ...parts, links, listening });
      } finally {
        unanswered--;
      }
    },
    websocket: links.websocket,
    error(err) {
      parts.log.error({ err }, "a call of another replica failed");
      return new Response(null, { status: 500 });
    },
  });
  return {
    port: server.port ?? parts.port,
    async stop() {
      const until = performance.now() + ANSWERS_MS;
      links.leave();
      // A call that is cut off has an unknown outcome.
      while (!(unanswered === 0 && links.isQuiet) && performance.now() < until) await Bun.sleep(UNANSWERED_POLL_MS);
      // The last answer leaves in the next turn of the event loop.
      await Bun.sleep(0);
      await server.stop(true);
    },
  };
}

/** What an answer needs. */
interface Answering extends PeerServerParts {
  readonly links: LinkServer;
  readonly listening: Server<LinkEnd>;
}

/** Undefined if the call has become a link. */
async function answerPeer(request: Request, parts: Answering): Promise<Response | undefined> {
  const { headers, method, url } = request;
  const call = { method, target: targetOf(url), client: headers.get(CLIENT_HEADER) ?? "" };
  const seal = parts.key.open(call, headers.get(SEAL_HEADER));
  if (seal === null) return refusePeer();
  if (seal.to === parts.self && isLink(request) && parts.links.accept(request, parts.listening, seal)) return undefined;
  const response = seal.to === parts.self ? await answerOwn(request, call, seal, parts) : refuseMisdirected();
  if (response !== null) response.headers.set(SEAL_HEADER, parts.key.sealAnswer(seal));
  return response ?? refusePeer();
}

const isLink = ({ method, url, headers }: Request): boolean =>
  method === "GET" && rawPath(url) === LINK_PATH && headers.get("upgrade") === "websocket";

const refusePeer = (): Response => new Response(null, { status: 403 });
const refuseMisdirected = (): Response => new Response(null, { status: MISDIRECTED });

/** Null if the body is not the one that was sealed. */
async function answerOwn(
  request: Request,
  { client }: PeerCall,
  seal: OpenedSeal,
  parts: Answering,
): Promise<Response | null> {
  if (seal.body.startsWith(IN_PIECES))
    return client === "" ? null : serveForwarded(inPieces(request, seal), client, parts);
  const body = request.body === null ? null : await request.arrayBuffer();
  const isWhole = bodySeal(body) === seal.body || (body?.byteLength === 0 && seal.body === SEALED_WITHOUT_BODY);
  if (!isWhole) return null;
  if (client !== "") return serveForwarded(request.body === null ? request : rebuilt(request, body), client, parts);
  switch (rawPath(request.url)) {
    case ALIVE_PATH:
      return new Response(null, { status: 204 });
    case LOOK_PATH:
      await parts.onLook();
      return new Response(null, { status: 204 });
    case READ_PATH:
      await parts.onRead();
      return new Response(null, { status: 204 });
    case TAKE_PATH:
      return parts.links.take(new URL(request.url).search.slice(1), request.signal) ?? refuseMisdirected();
    case ASK_PATH:
    case INVOKE_PATH: {
      const { tracing = null } = parts;
      const question = new TextDecoder().decode(body ?? new ArrayBuffer());
      const ask = () => parts.questions().answer(question);
      const outcome = tracing === null ? ask() : tracing.within(tracing.received(request.headers), ask);
      return outcome === null ? refuseMisdirected() : Response.json(await outcome);
    }
    default:
      return new Response(null, { status: 404 });
  }
}

/** The request with the body from the pieces, and its length. */
function inPieces(request: Request, seal: OpenedSeal): Request {
  const { body: sealedBody } = seal;
  const opened = rebuilt(request, openedPieces(request.body ?? new Response("").body!, seal));
  if (sealedBody.length > IN_PIECES.length)
    opened.headers.set("content-length", sealedBody.slice(IN_PIECES.length + 1));
  return opened;
}

/** The request with another body. */
function rebuilt(
  { url, method, headers, signal }: Request,
  body: ReadableStream<Uint8Array> | ArrayBuffer | null,
): Request {
  return new Request(forwardedUrl(headers.get("host"), targetOf(url)), { method, headers, signal, body });
}

/** Serves a client's request, forwarded over HTTP, as if the client had sent it here. */
async function serveForwarded(request: Request, client: string, { serve }: PeerServerParts): Promise<Response> {
  const pipeline = serve();
  if (pipeline === null) return refuseMisdirected();
  const readsContent = request.headers.has(READS_CONTENT_HEADER);
  if (request.headers.has(SEAL_HEADER)) request.headers.delete(SEAL_HEADER);
  if (readsContent) request.headers.delete(READS_CONTENT_HEADER);
  const by = new HandedOnRequest(request, client, { isLinked: false });
  return answerTo(by, await pipeline(request), readsContent && request.method === "GET");
}

/** Serves a request from a link, whose sender always reads content itself. */
function handedOverLink(
  request: Request,
  client: string,
  { serve }: PeerServerParts,
): MaybePromise<Response | PlainAnswer> {
  const pipeline = serve();
  if (pipeline === null) return refuseMisdirected();
  const by = new HandedOnRequest(request, client, { isLinked: true });
  return whenReady(pipeline(request), (response) => by.plain ?? answerTo(by, response, request.method === "GET"));
}

/** The answer, with headers for the forwarding replica. */
function answerTo({ stream, content }: HandedOnRequest, response: Response, readsContent: boolean): Response {
  if (stream !== null) response.headers.set(STREAM_HEADER, stream);
  return content === null || !readsContent ? response : withoutContent(response, content);
}
