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
