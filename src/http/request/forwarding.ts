/**
 * Port: the way of a request to the replica that owns its organization. Absent where one process serves: then
 * every request is served where it has come in.
 */
import type { Bearer } from "../stream/open-streams.ts";
import type { Fault } from "../../../actors/fault.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";

/** Where a request is served. */
export type Route =
  /** Here; `done` is called once, when it is answered. */
  | { readonly kind: "here"; readonly done: () => void }
  /** By its owner, whose answer this is. */
  | { readonly kind: "elsewhere"; readonly response: Response }
  /** Nobody could be found in time, or the answer was lost on its way. */
  | { readonly kind: "nowhere"; readonly fault: Fault };

/** A request that is being routed. */
export interface Routed {
  readonly request: Request;
  readonly requestId: string;
  /** The client's address. */
  readonly address: string;
  keepOpen(seconds: number): void;
}

export interface Forwarding {
  /** `bearer` is whom the request names, before anything is verified. */
  route(routed: Routed, bearer: Bearer): MaybePromise<Route>;
}

/** The clients of requests that another replica has handed on. */
const clients = new WeakMap<Request, string>();

/** Notes that another replica has handed the request on, and for whom. */
export const noteForwarded = (request: Request, address: string): void => void clients.set(request, address);

/** The address of the client for whom another replica has handed the request on; null where it came by itself. */
export const forwardedFor = (request: Request): string | null => clients.get(request) ?? null;

/** Names of the streams that answer requests which another replica has handed on. */
const streams = new WeakMap<Request, string>();

/** Notes what the stream is called that answers the request, where another replica has handed it on; null for one of its own. */
export function noteStream(request: Request, name: string | null): void {
  if (clients.has(request)) streams.set(request, name ?? UNNAMED_STREAM);
}

/** What the event stream is called that answers the request; null where it is none of a record. */
export const streamOf = (request: Request): string | null => streams.get(request) ?? null;
export const UNNAMED_STREAM = "-";

/** Content of a file: these bytes of it, from `start` up to and without `end`. */
export interface ServedContent {
  readonly organizationId: string;
  readonly sha256: string;
  readonly start: number;
  readonly end: number;
}

/** Responses whose bodies are content from the place that all replicas share. */
const served = new WeakMap<Response, ServedContent>();
/** The same by the requests that another replica has handed on. */
const contents = new WeakMap<Request, ServedContent>();

/** Notes which content the body is: the replica that has handed the request on can read it itself. */
export function noteContent(response: Response, content: ServedContent): Response {
  served.set(response, content);
  return response;
}

/** The response answers the request. */
export function noteAnswer(request: Request, response: Response): void {
  const content = clients.has(request) ? served.get(response) : undefined;
  if (content !== undefined) contents.set(request, content);
}

/** The content that answers the request; null where something else does. */
export const contentOf = (request: Request): ServedContent | null => contents.get(request) ?? null;
