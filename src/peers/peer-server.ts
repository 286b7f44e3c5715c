/**
 * The port on which replicas reach each other: requests of clients that another one hands on, and the replicas'
 * own calls. Whatever carries no valid seal is refused without a word.
 */
import { forwardedFor, noteForwarded } from "../http/request/forwarding.ts";
import { pathOf } from "../http/request/exchange.ts";
import { targetOf } from "./forwarding.ts";
import { ALIVE_PATH, ASK_PATH, LOOK_PATH, MISDIRECTED } from "./peer-client.ts";
import { CLIENT_HEADER, type PeerKey, SEAL_HEADER } from "./peer-key.ts";
import type { PeerQuestions } from "./peer-questions.ts";
import type { PeersLog } from "./peers-log.ts";

export interface PeerServerParts {
  readonly self: string;
  readonly key: PeerKey;
  readonly hostname: string;
  readonly port: number;
  readonly maxRequestBodyBytes: number;
  readonly questions: () => PeerQuestions;
  readonly onLook: () => void;
  /** The pipeline of the service; null while there is none. */
  readonly serve: () => ((request: Request) => Promise<Response>) | null;
  readonly log: PeersLog;
}

export interface PeerServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Opens the port. Throws when it cannot be had. */
export function openPeerServer(parts: PeerServerParts): PeerServer {
  const server = Bun.serve({
    hostname: parts.hostname,
    port: parts.port,
    // Streams are quiet for long, and only replicas come here.
    idleTimeout: 0,
    maxRequestBodySize: parts.maxRequestBodyBytes,
    development: false,
    fetch: (request) => answer(request, parts),
    error(err) {
      parts.log.error({ err }, "a call of another replica failed");
      return new Response(null, { status: 500 });
    },
  });
  return { port: server.port ?? parts.port, stop: () => server.stop(true) };
}

async function answer(request: Request, parts: PeerServerParts): Promise<Response> {
  const { headers, method, url } = request;
  const client = headers.get(CLIENT_HEADER) ?? "";
  const call = { to: parts.self, method, target: targetOf(url), client };
  if (!parts.key.isOurs(call, headers.get(SEAL_HEADER))) return new Response(null, { status: 403 });
  if (client !== "") return handedOn(request, client, parts);
  switch (pathOf(url)) {
    case ALIVE_PATH:
      return new Response(null, { status: 204 });
    case LOOK_PATH:
      parts.onLook();
      return new Response(null, { status: 204 });
    case ASK_PATH: {
      const outcome = parts.questions().answer(await request.text());
      return outcome === null ? new Response(null, { status: MISDIRECTED }) : Response.json(await outcome);
    }
    default:
      return new Response(null, { status: 404 });
  }
}

/** A client's request, as if the client had sent it here. */
function handedOn(request: Request, client: string, { serve }: PeerServerParts): Response | Promise<Response> {
  const pipeline = serve();
  if (pipeline === null) return new Response(null, { status: MISDIRECTED });
  if (forwardedFor(request) === null) noteForwarded(request, client);
  return pipeline(request);
}
