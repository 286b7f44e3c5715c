/**
 * The providers' own rate headers: how long to pause when an answer says that nothing is left.
 *
 *   x-ratelimit-remaining-requests: 0      x-ratelimit-reset-requests: 6m0s               OpenAI and compatible
 *   anthropic-ratelimit-tokens-remaining: 0    anthropic-ratelimit-tokens-reset: 2026-…Z   Anthropic
 */
const OPENAI = ["requests", "tokens"] as const;
const ANTHROPIC = ["requests", "tokens", "input-tokens", "output-tokens"] as const;

/** Ms of a unit in durations such as `1h2m3.5s` or `120ms`. */
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

type HeaderValues = Readonly<Record<string, string>>;

/** Ms until the provider takes calls again; undefined if something is left, or the headers do not say. */
export function rateHeaderPause(headers: HeaderValues, now: number): number | undefined {
  const pauses = [
    ...OPENAI.map((what) =>
      ifNothing(headers[`x-ratelimit-remaining-${what}`], duration(headers[`x-ratelimit-reset-${what}`])),
    ),
    ...ANTHROPIC.map((what) =>
      ifNothing(
        headers[`anthropic-ratelimit-${what}-remaining`],
        until(headers[`anthropic-ratelimit-${what}-reset`], now),
      ),
    ),
  ].filter((ms) => ms !== undefined);
  return pauses.length === 0 ? undefined : Math.max(...pauses);
}

const ifNothing = (remaining: string | undefined, pauseMs: number | undefined): number | undefined =>
  remaining !== undefined && remaining.trim() !== "" && Number(remaining) <= 0 ? pauseMs : undefined;

/** `6m0s`, `120ms`, or plain seconds. */
function duration(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)?)+$/.test(text) || text.length > 32) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)?/g)];
  return parts.reduce((ms, [, amount, unit = "s"]) => ms + Number(amount) * (UNIT_MS[unit] ?? 0), 0);
}

function until(time: string | undefined, now: number): number | undefined {
  const at = Date.parse(time ?? "");
  return Number.isFinite(at) ? Math.max(0, at - now) : undefined;
}
