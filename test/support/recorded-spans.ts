/** The spans of what a test does in this process, as a real collector gets them from the real SDK. */
import type { Tracing } from "../../actors/runtime/tracing.ts";
import { openTracing } from "../../src/tracing/tracing.ts";
import { type CollectedSpan, OtlpCollector } from "./otlp-collector.ts";

/** All spans that `work` has told. */
export async function spansOf(work: (tracing: Tracing) => unknown): Promise<readonly CollectedSpan[]> {
  const collector = new OtlpCollector();
  const { tracing, close } = openTracing({
    url: collector.url,
    headers: {},
    protocol: "http/protobuf",
    compression: "none",
    timeoutMs: 60_000,
    queueSpans: 2_048,
    delayMs: 5_000,
    sampler: "always_on",
    ratio: 1,
    resource: {},
    onSpans: () => {},
    onChange: () => {},
  });
  try {
    await work(tracing);
    await close();
    return collector.spans;
  } finally {
    await collector.stop();
  }
}

/** The one span of this name. */
export function spanNamed(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [span, ...others] = spans.filter((candidate) => candidate.name === name);
  if (span === undefined || others.length > 0)
    throw new Error(
      `${others.length + (span === undefined ? 0 : 1)} spans ${name} in ${spans.map((s) => s.name).join(", ")}`,
    );
  return span;
}

const KINDS = ["", "", " server", " client"];
/** Ids that are drawn, as the kinds of them. */
const withoutIds = (text: string): string => text.replaceAll(/\b([a-z]{3})_[\w-]{21}\b/g, "$1");

/**
 * The spans as a tree in text, each with all that it says: `name kind !error attribute=value …`. Spans of one parent are
 * in the order of their texts, because several may begin at once.
 */
export function treeOf(spans: readonly CollectedSpan[]): readonly string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: CollectedSpan | null, depth: number): string[][] =>
    spans
      .filter(({ parentSpanId }) => (parent === null ? !known.has(parentSpanId) : parentSpanId === parent.spanId))
      .map((span) => [`${"  ".repeat(depth)}${lineOf(span)}`, ...below(span, depth + 1).flat()])
      .toSorted((a, b) => (a.join("\n") < b.join("\n") ? -1 : 1));
  return below(null, 0).flat();
}

function lineOf({ name, kind, isError, attributes, links }: CollectedSpan): string {
  const told = Object.entries(attributes)
    .map(([key, value]) => `${key}=${String(value)}`)
    .toSorted();
  const more = links.map(() => "linked");
  return withoutIds([`${name}${KINDS[kind] ?? ""}${isError ? " !" : ""}`, ...told, ...more].join(" "));
}
