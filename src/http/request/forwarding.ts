/**
 * Port: how a request gets to the replica that owns its organization. Absent with a single process, which serves
 * every request itself.
 */
import type { Bearer } from "../stream/open-streams.ts";
import type { Fault, Outcome } from "../../../actors/fault.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import type { PipelineAnswer, SharedHeaders, WholeBody } from "../answer/answer.ts";
import type { LocalInput } from "../input/local-input.ts";
import type { Caller } from "./caller.ts";

/** Where a request is served. */
export type Route =
  /** Here; call `done` once, when the request is answered. */
  | { readonly kind: "here"; readonly done: () => void }
  /** By its owner, who sent this answer. */
  | { readonly kind: "elsewhere"; readonly response: Response }
  /** No owner was found in time, or the answer was lost. */
  | { readonly kind: "nowhere"; readonly fault: Fault };

/** A request to be routed. */
export interface RoutedRequest {
  readonly request: Request;
  readonly requestId: string;
  /** The client's address. */
  readonly address: string;
  keepOpen(seconds: number): void;
}

/** An operation and its caller as data. */
export interface OperationCall {
  readonly id: string;
  readonly caller: Pick<Caller, "principal" | "requestId" | "address">;
  /** Without bytes and streams. */
  readonly input: LocalInput | undefined;
}

export interface Forwarding {
  /** `bearer` is the unverified bearer of the request. */
  route(routed: RoutedRequest, bearer: Bearer): MaybePromise<Route>;
  /** Runs an operation that answers with JSON, where the organization of its caller is served. */
  invoke(call: OperationCall): Promise<Outcome<object>>;
}

/** A request that another replica has forwarded: what that replica has said, and what it needs of the answer. */
export interface HandedOn {
  /** The client's address. */
  readonly address: string;
  /** What it takes in place of a `Response` with these headers and this body; null: only a `Response`. */
  answer(status: number, shared: SharedHeaders, body: WholeBody): PipelineAnswer | null;
  /** Takes what `answer` has made. Returns a `Response` that only stands for it on the way: nobody reads that. */
  take(answer: PipelineAnswer): Response;
  /** Notes the name of the stream that is the answer; null for a stream without a shared name. */
  noteStream(name: string | null): void;
  /** Notes the content that is the answer; null: the answer is something else. */
  noteContent(content: ServedContent | null): void;
}

const forwarded = new WeakMap<Request, HandedOn>();

/** Marks the request as forwarded by another replica. */
export const handOn = (request: Request, by: HandedOn): void => void forwarded.set(request, by);

/** The replica that has forwarded the request; null if it came from its client. */
export const forwarderOf = (request: Request): HandedOn | null => forwarded.get(request) ?? null;

/** Content of a file: the bytes from `start` up to, not including, `end`. */
export interface ServedContent {
  readonly organizationId: string;
  readonly sha256: string;
  readonly start: number;
  readonly end: number;
}

/** Responses whose bodies are content in storage that all replicas share. */
const servedContents = new WeakMap<Response, ServedContent>();

/** Records which content the body is, so that the forwarding replica can read it itself. */
export function noteContent(response: Response, content: ServedContent): Response {
  servedContents.set(response, content);
  return response;
}

/** The content that is the response's body; null if it is something else. */
export const servedContent = (response: Response): ServedContent | null => servedContents.get(response) ?? null;
