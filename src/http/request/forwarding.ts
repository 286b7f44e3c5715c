/**
 * Port: how a request gets to the replica that owns its organization. Absent with a single process, which serves
 * every request itself.
 */
import type { Bearer } from "../stream/open-streams.ts";
import type { Fault } from "../../../actors/fault.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";

/** Where a request is served. */
export type Route =
  /** Here; call `done` once, when the request is answered. */
  | { readonly kind: "here"; readonly done: () => void }
  /** By its owner, who sent this answer. */
  | { readonly kind: "elsewhere"; readonly response: Response }
  /** No owner was found in time, or the answer was lost. */
  | { readonly kind: "nowhere"; readonly fault: Fault };

/** A request to be routed. */
export interface Routed {
  readonly request: Request;
  readonly requestId: string;
  /** The client's address. */
  readonly address: string;
  keepOpen(seconds: number): void;
}

export interface Forwarding {
  /** `bearer` is the unverified bearer of the request. */
  route(routed: Routed, bearer: Bearer): MaybePromise<Route>;
}

/** What is known of a request forwarded by another replica, and of its answer. */
interface HandedOn {
  /** The client's address. */
  readonly address: string;
  /** Whether it came over a link, which accepts answers without a `Response`. */
  readonly takesPlain: boolean;
  /** The name of the event stream that is the answer. */
  stream: string | null;
  /** The file content that is the answer. */
  content: ServedContent | null;
  /** The answer, if its complete body is known. */
  whole: { readonly response: Response; readonly body: string | Uint8Array } | null;
}

const handedOn = new WeakMap<Request, HandedOn>();

/** Records that another replica has forwarded the request, and its client's address. */
export const noteForwarded = (request: Request, address: string, takesPlain = false): void =>
  void handedOn.set(request, { address, takesPlain, stream: null, content: null, whole: null });

/** Whether another replica has forwarded the request over a link. */
export const hasComeOverLink = (request: Request): boolean => handedOn.get(request)?.takesPlain === true;

/** The client's address as given by the forwarding replica; null if the request was not forwarded. */
export const forwardedFor = (request: Request): string | null => handedOn.get(request)?.address ?? null;

/** Records the name of the stream that answers a forwarded request; null for a stream without a shared name. */
export function noteStream(request: Request, name: string | null): void {
  const noted = handedOn.get(request);
  if (noted !== undefined) noted.stream = name ?? UNNAMED_STREAM;
}

/** The name of the event stream that answers the request; null if it is not the stream of a record. */
export const streamOf = (request: Request): string | null => handedOn.get(request)?.stream ?? null;
export const UNNAMED_STREAM = "-";

/** Content of a file: the bytes from `start` up to, not including, `end`. */
export interface ServedContent {
  readonly organizationId: string;
  readonly sha256: string;
  readonly start: number;
  readonly end: number;
}

/** Responses whose bodies are content in storage that all replicas share. */
const served = new WeakMap<Response, ServedContent>();

/** Records which content the body is, so that the forwarding replica can read it itself. */
export function noteContent(response: Response, content: ServedContent): Response {
  served.set(response, content);
  return response;
}

/** Records the response of the request. */
export function noteAnswer(request: Request, response: Response): void {
  const noted = handedOn.get(request);
  const content = noted === undefined ? undefined : served.get(response);
  if (noted !== undefined && content !== undefined) noted.content = content;
}

/** The content that answers the request; null if the answer is something else. */
export const contentOf = (request: Request): ServedContent | null => handedOn.get(request)?.content ?? null;

/** Records the response of the request together with its complete body. */
export function noteWhole(request: Request, response: Response, body: string | Uint8Array): void {
  const noted = handedOn.get(request);
  if (noted !== undefined) noted.whole = { response, body };
}

/** The complete body of the request's response; null if unknown. */
export function wholeBodyOf(request: Request, response: Response): string | Uint8Array | null {
  const whole = handedOn.get(request)?.whole ?? null;
  return whole?.response === response ? whole.body : null;
}
