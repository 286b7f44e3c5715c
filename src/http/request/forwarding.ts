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

/** What is known of a request that another replica has handed on, and of its answer. */
interface HandedOn {
  /** The client's address. */
  readonly address: string;
  /** Whether it has come over a link, which takes answers that are no `Response`. */
  readonly takesPlain: boolean;
  /** The name of the event stream that answers it. */
  stream: string | null;
  /** The content that answers it. */
  content: ServedContent | null;
  /** The answer whose body is known as a whole. */
  whole: { readonly response: Response; readonly body: string | Uint8Array } | null;
}

const handedOn = new WeakMap<Request, HandedOn>();

/** Notes that another replica has handed the request on, and for whom. */
export const noteForwarded = (request: Request, address: string, takesPlain = false): void =>
  void handedOn.set(request, { address, takesPlain, stream: null, content: null, whole: null });

/** Whether another replica has handed the request on over a link. */
export const hasComeOverLink = (request: Request): boolean => handedOn.get(request)?.takesPlain === true;

/** The address of the client for whom another replica has handed the request on; null where it came by itself. */
export const forwardedFor = (request: Request): string | null => handedOn.get(request)?.address ?? null;

/** Notes what the stream is called that answers the request, where another replica has handed it on; null for one of its own. */
export function noteStream(request: Request, name: string | null): void {
  const noted = handedOn.get(request);
  if (noted !== undefined) noted.stream = name ?? UNNAMED_STREAM;
}

/** What the event stream is called that answers the request; null where it is none of a record. */
export const streamOf = (request: Request): string | null => handedOn.get(request)?.stream ?? null;
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

/** Notes which content the body is: the replica that has handed the request on can read it itself. */
export function noteContent(response: Response, content: ServedContent): Response {
  served.set(response, content);
  return response;
}

/** The response answers the request. */
export function noteAnswer(request: Request, response: Response): void {
  const noted = handedOn.get(request);
  const content = noted === undefined ? undefined : served.get(response);
  if (noted !== undefined && content !== undefined) noted.content = content;
}

/** The content that answers the request; null where something else does. */
export const contentOf = (request: Request): ServedContent | null => handedOn.get(request)?.content ?? null;

/** The response answers the request, and this is all of its body. */
export function noteWhole(request: Request, response: Response, body: string | Uint8Array): void {
  const noted = handedOn.get(request);
  if (noted !== undefined) noted.whole = { response, body };
}

/** The body of the response that answers the request; null where it is not known as a whole. */
export function wholeBodyOf(request: Request, response: Response): string | Uint8Array | null {
  const whole = handedOn.get(request)?.whole ?? null;
  return whole?.response === response ? whole.body : null;
}
