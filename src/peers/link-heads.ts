/**
 * Status and headers in the frames of answers. Within a second, most answers share all but one or two headers. So each
 * link numbers the sets of headers that it sends: the first answer with a set carries all of it, later ones carry its
 * number and their own headers. Frames keep their order, so the receiver knows each set before its number is used.
 */
import type { SharedHeaders } from "../http/answer/answer.ts";
import { ownHeaders, type PlainAnswer } from "./plain-answer.ts";
import { LinkBroken } from "./link-frames.ts";

/** Numbers are reused after this many: a set lasts a second, and there are about as many as budgets. */
const MOST_SETS = 64;

/** `entries` where the set is sent for the first time. Own headers are names and values by turns. */
export type TextHead = readonly [
  status: number,
  set: number,
  own: readonly string[],
  entries?: readonly (readonly [name: string, value: string])[],
];

/** The sets that one side of a link has sent. */
export class SentHeaders {
  private readonly numbers = new Map<SharedHeaders, number>();
  private readonly sets: SharedHeaders[] = [];
  private next = 0;

  /** The head of the next frame. */
  headOf({ status, headers: { shared, own } }: PlainAnswer): string {
    const known = this.numbers.get(shared);
    const head: TextHead =
      known === undefined ? [status, this.number(shared), own, shared.entries] : [status, known, own];
    return JSON.stringify(head);
  }

  private number(shared: SharedHeaders): number {
    const number = this.next;
    this.next = (this.next + 1) % MOST_SETS;
    const before = this.sets[number];
    if (before !== undefined) this.numbers.delete(before);
    this.sets[number] = shared;
    this.numbers.set(shared, number);
    return number;
  }
}

/** The sets that one side of a link has received. */
export class ReceivedHeaders {
  private readonly sets: Headers[] = [];

  /** The response for the client. Throws `LinkBroken` if the other side never sent its headers. */
  responseOf(head: string, text: string): Response {
    const [status, set, own, entries] = JSON.parse(head) as TextHead;
    if (entries !== undefined) this.sets[set] = new Headers(entries.map(([name, value]) => [name, value]));
    const headers = this.sets[set];
    if (headers === undefined) throw new LinkBroken("an answer with headers that were not sent");
    return ownHeaders(new Response(text, { status, headers }), own);
  }
}
