/** Requests with an idempotency key, and what tests see of their answers. */
import { expect } from "bun:test";
import type { Caller, Service } from "./service.ts";

export interface KeyedAnswer {
  readonly status: number;
  readonly type: string | null;
  /** `created`, `replayed`, or null. */
  readonly key: string | null;
  readonly requestId: string | null;
  readonly text: string;
}

export interface KeyedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** The request as it is, with the key in its header. A text is sent as it is, as JSON. */
export async function keyed(
  service: Pick<Service, "url">,
  caller: Pick<Caller, "token">,
  key: string,
  { method, path, body }: KeyedRequest,
): Promise<KeyedAnswer> {
  const headers = {
    authorization: `Bearer ${caller.token}`,
    "idempotency-key": key,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: text }),
  });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    key: response.headers.get("idempotency-status"),
    requestId: response.headers.get("x-request-id"),
    text: await response.text(),
  };
}

/** The second answer is the first one again, of a request of its own. */
export function expectReplay(first: KeyedAnswer, second: KeyedAnswer): void {
  expect(first.key).toBe("created");
  expect(second).toEqual({ ...first, key: "replayed", requestId: second.requestId });
  expect(second.requestId).toMatch(/^[A-Za-z0-9_-]{8,128}$/);
  expect(second.requestId).not.toBe(first.requestId);
}

/** Of all the answers one is new, and the others are its replays. */
export function expectOne(answers: readonly KeyedAnswer[]): KeyedAnswer {
  const created = answers.filter((answer) => answer.key === "created");
  expect(created.length).toBe(1);
  for (const answer of answers) if (answer !== created[0]) expectReplay(created[0]!, answer);
  return created[0]!;
}

export const parallel = <T>(count: number, run: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, run));
