/**
 * The ten headers of the rate limits (RATE-2), and the other headers of every response of the surface. All but two
 * are equal for everybody with the same budget within one second: they are made once, and a response starts from
 * them.
 */
import type { Clock } from "../../../actors/runtime/ports.ts";
import { RATE_WINDOW_MS } from "../../../actors/traffic/policy.ts";
import type { RateState } from "../../../actors/traffic/protocol.ts";
import type { PipelineAnswer, SharedHeaders } from "./answer.ts";

/** The meaning of each header, for the policy. */
export const RATE_HEADERS = {
  "X-RateLimit-Limit": "Requests of this identity in a window",
  "X-RateLimit-Remaining": "Requests that are left in this window",
  "X-RateLimit-Reset": "When the window ends, in Unix seconds",
  "X-RateLimit-Burst": "Requests that may arrive at once",
  "X-RateLimit-Window": "The length of a window in seconds",
  "X-RateLimit-Scope": "Whose requests are counted: `authenticated-identity`",
  "RateLimit-Limit": "Requests of this identity in a window",
  "RateLimit-Remaining": "Requests that are left in this window",
  "RateLimit-Reset": "Seconds until the window ends",
  "RateLimit-Policy": "The limit and the window, as `<limit>;w=<seconds>`",
} as const;

interface SharedRates {
  readonly resetAtMs: number;
  readonly resetSeconds: number;
  readonly entries: readonly (readonly [string, string])[];
  /** The same with the content type of JSON. */
  readonly json: SharedHeaders;
}

export class RateHeaders {
  private readonly clock: Pick<Clock, "now">;
  private readonly besides: readonly (readonly [string, string])[];
  /** By budget: there are only as many as are configured. */
  private readonly shared = new Map<number, SharedRates>();

  constructor(clock: Pick<Clock, "now">, besides: Readonly<Record<string, string>> = {}) {
    this.clock = clock;
    this.besides = Object.entries(besides);
  }

  /** The initial headers of a JSON answer, before `finish`. Must not be modified. */
  json(state: RateState): SharedHeaders {
    return this.sharedOf(state).json;
  }

  finish<A extends PipelineAnswer>(response: A, { remaining }: RateState): A {
    const left = String(remaining);
    response.headers.set("x-ratelimit-remaining", left);
    response.headers.set("ratelimit-remaining", left);
    return response;
  }

  /** Adds all headers to a response that was made without them. */
  stamp(response: Response, state: RateState): Response {
    for (const [name, value] of this.sharedOf(state).entries) response.headers.set(name, value);
    return this.finish(response, state);
  }

  private sharedOf({ budget, resetAtMs }: RateState): SharedRates {
    const resetSeconds = Math.max(0, Math.ceil((resetAtMs - this.clock.now()) / 1_000));
    const known = this.shared.get(budget);
    if (known?.resetAtMs === resetAtMs && known.resetSeconds === resetSeconds) return known;
    const windowSeconds = RATE_WINDOW_MS / 1_000;
    const entries: readonly (readonly [string, string])[] = [
      ...this.besides,
      ["x-ratelimit-limit", String(budget)],
      ["x-ratelimit-reset", String(Math.ceil(resetAtMs / 1_000))],
      ["x-ratelimit-burst", String(budget)],
      ["x-ratelimit-window", String(windowSeconds)],
      ["x-ratelimit-scope", "authenticated-identity"],
      ["ratelimit-limit", String(budget)],
      ["ratelimit-reset", String(resetSeconds)],
      ["ratelimit-policy", `${budget};w=${windowSeconds}`],
    ];
    const all = [["content-type", "application/json"] as const, ...entries];
    const json = { headers: new Headers(all.map(([k, v]) => [k, v])), entries: all };
    const made = { resetAtMs, resetSeconds, entries, json };
    this.shared.set(budget, made);
    return made;
  }
}
