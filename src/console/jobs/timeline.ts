/** What a job did, in its order: each event with what it took, and each model call with its tokens. Without a browser. */
import type { JobStreamEvent } from "../../../sdk/typescript/troupe.ts";

/** An event of the stream that is stored: it has a number. */
export type SeenEvent = Extract<JobStreamEvent, { data: { seq: number } }>;

/** What a call of a model has used. */
export interface StepUse {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** As decimal text; null without a price. */
  readonly cost: string | null;
}

export interface TimelineEntry {
  readonly event: SeenEvent;
  /** What happened, in a few words. */
  readonly words: string;
  /** Text of the model, a person or a tool; null without one. */
  readonly text: string | null;
  /** Input of a tool call. It may be long: only a row that is shown makes a text of it. */
  readonly input: object | null;
  readonly isBad: boolean;
  /** Milliseconds since the former event. */
  readonly tookMs: number;
  /** Of the model call that ends here. */
  readonly used: StepUse | null;
}

const NOTHING_USED: StepUse = { input: 0, output: 0, cached: 0, cost: null };
/** Digits of the exact amounts of the service. */
const MONEY_DIGITS = 12;

/** A heartbeat says nothing that a person wants to read; usage is shown at the end of its call. */
export function timelineOf(events: readonly SeenEvent[]): readonly TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  let before = NOTHING_USED;
  let last: number | null = null;
  for (const event of events) {
    const total = useIn(event);
    const since = total === null ? null : minus(total, before);
    if (total !== null) before = total;
    const used = since !== null && since.input + since.output > 0 ? since : null;
    if (event.event === "usage.updated") {
      // The pieces of the call come before it.
      const at = entries.length - 1;
      const entry = entries[at];
      if (entry !== undefined && used !== null) entries[at] = { ...entry, used };
      continue;
    }
    if (event.event === "runner.status" && event.data.reason === undefined) continue;
    const time = Date.parse(event.data.at);
    entries.push({ event, ...eventWords(event), tookMs: last === null ? 0 : Math.max(0, time - last), used });
    last = time;
  }
  return entries;
}

const minus = (a: StepUse, b: StepUse): StepUse => ({
  input: a.input - b.input,
  output: a.output - b.output,
  cached: a.cached - b.cached,
  cost: a.cost === null ? null : moneyBetween(b.cost ?? "0", a.cost),
});

/** The difference of two amounts of a job, which are small enough for exact digits of a number. */
function moneyBetween(before: string, after: string): string {
  const difference = (Number(after) - Number(before)).toFixed(MONEY_DIGITS);
  return difference.replace(/\.?0+$/, "");
}

/** What the job has used up to this event; null if the event does not say. */
function useIn({ event, data }: SeenEvent): StepUse | null {
  const usage =
    event === "usage.updated"
      ? data
      : event === "job.completed" || event === "job.failed" || event === "job.cancelled"
        ? data.usage
        : null;
  return usage === null
    ? null
    : {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cached: usage.cached_input_tokens ?? 0,
        cost: usage.cost ?? null,
      };
}

const spaced = (word: string): string => word.replaceAll(/[._]/g, " ");

const asSentence = (word: string): string => word.charAt(0).toUpperCase() + spaced(word).slice(1);

function eventWords({ event, data }: SeenEvent): Pick<TimelineEntry, "words" | "text" | "input" | "isBad"> {
  const said = (words: string, text: string | null = null, isBad = false) => ({ words, text, input: null, isBad });
  switch (event) {
    case "job.started":
      return said(`Attempt ${data.attempt} with ${data.model}`);
    case "job.blocked":
      return said(`Waits: ${spaced(data.reason)}`);
    case "job.failed":
      return said("Failed", data.error.message, true);
    case "job.iteration_requested":
      return said("Changes requested", data.feedback);
    case "runner.status":
      return said(`Waits for its ${spaced(data.reason ?? "provider")}`);
    case "log":
      return said("Log", data.message, data.level === "warn");
    case "artifact.created":
      return said("File written", data.path);
    case "approval.requested":
      return said(`Asks: may ${data.tool_name} run?`);
    case "approval.updated":
      return said(
        data.votes.length === 0
          ? "Nobody decided in time: others decide from now on"
          : `${data.votes.length} of ${data.policy.count} people have approved`,
      );
    case "approval.resolved":
      return said(`Decision: ${data.decision}`);
    case "transcript.event":
      switch (data.kind) {
        case "assistant_text":
          return said("Answer", data.text);
        case "reasoning":
          return said("Reasoning", data.text);
        case "user_text":
          return said("Message", data.text);
        case "tool_use":
          return { ...said(`Calls ${data.name}`), input: data.input };
        case "tool_result":
          return said(data.is_error ? "Tool failed" : "Tool result", data.content, data.is_error);
        case "error":
          return said("Problem", data.text, true);
        default:
          return said(asSentence(data.kind), data.text);
      }
    default:
      return said(asSentence(event));
  }
}
