/**
 * The citations of one answer. A provider gives the range of a citation as offsets into a part of the answer, or means
 * the whole part. We store offsets into the text block as it is shown.
 *
 *   begin ─▶ text, citations in any order ─▶ end: offsets of the provider's text become those of the shown one
 *
 * Guarantees: each range lies in its block; texts are short, cleaned and without deceptive characters (GUARD-7); each
 * address is a web address. A citation that cannot be read is dropped and never fails the answer.
 */
import { cutText } from "../../actors/cut-text.ts";
import { cleanText } from "../../actors/clean-text.ts";
import type { Citation } from "../../actors/job/citation.ts";
import { GrowingText } from "../../actors/growing-text.ts";
import { visibleText } from "../../actors/visible-text.ts";
import {
  MAX_CITATION_CHARS,
  MAX_CITATIONS,
  MAX_CITED_CHARS,
  MAX_SOURCE_TITLE_CHARS,
  MAX_SOURCE_URL_CHARS,
} from "./answer-limits.ts";

/** A citation as a provider sends it: every value may be anything. */
export interface CitationMade {
  readonly type: Citation["type"];
  readonly title?: unknown;
  readonly url?: unknown;
  readonly documentIndex?: unknown;
  readonly firstPage?: unknown;
  readonly lastPage?: unknown;
  readonly citedText?: unknown;
  /** In Unicode characters of the part; absent for the whole part. */
  readonly start?: unknown;
  readonly end?: unknown;
}

type CitationSource = Omit<Citation, "start" | "end">;
type Range = Pick<Citation, "start" | "end">;
interface Pending {
  readonly source: CitationSource;
  /** In offsets of the provider's text. */
  readonly range: Range | null;
}

/** The largest index or page number that counts as valid. */
const MAX_NUMBER = 1_000_000;

export class AnswerCitations {
  private readonly ofBlock: Citation[] = [];
  private pending: Pending[] = [];
  /** The provider's text of this part. */
  private said = new GrowingText();
  /** Where in the block the part begins. */
  private from = 0;
  private count = 0;
  private chars = 0;

  /** A part of the answer begins at this offset of its block. */
  begin(at: number): void {
    this.end(at);
  }

  text(piece: string): void {
    this.said.add(piece);
  }

  /** Drops the citation if a limit is reached. */
  cite(made: CitationMade): void {
    if (this.count >= MAX_CITATIONS) return;
    const source = citationSource(made);
    if (source === null) return;
    const chars = [source.title, source.url, source.cited_text].reduce((sum, text) => sum + (text?.length ?? 0), 0);
    if (this.chars + chars > MAX_CITATION_CHARS) return;
    this.count++;
    this.chars += chars;
    this.pending.push({ source, range: citedRange(made) });
  }

  /** Takes the citations of the block, which ends at this offset. */
  take(at: number): Citation[] {
    this.end(at);
    this.from = 0;
    return this.ofBlock.splice(0).filter(({ end }) => end <= at);
  }

  private end(at: number): void {
    const { pending, said, from } = this;
    this.pending = [];
    this.said = new GrowingText();
    this.from = at;
    if (pending.length === 0) return;
    const shown = shownOffsets(
      said.toString(),
      pending.flatMap(({ range }) => (range === null ? [] : [range.start, range.end])),
    );
    for (const { source, range } of pending) {
      const [start, end] = range === null ? [undefined, undefined] : [shown.get(range.start), shown.get(range.end)];
      const isWithin = start !== undefined && end !== undefined && from + end <= at;
      this.ofBlock.push({ start: isWithin ? from + start : from, end: isWithin ? from + end : at, ...source });
    }
  }
}

/**
 * Maps these offsets of a text to offsets of the cleaned text, in one pass. Offsets outside of the text are not in the
 * map.
 */
function shownOffsets(text: string, places: readonly number[]): ReadonlyMap<number, number> {
  const shown = new Map<number, number>();
  let [at, characters, length] = [0, 0, 0];
  for (const place of places.toSorted((a, b) => a - b)) {
    const from = at;
    for (; characters < place && at < text.length; characters++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    length += visibleText(cleanText(text.slice(from, at))).length;
    if (characters < place) break;
    shown.set(place, length);
  }
  return shown;
}

function citationSource({
  type,
  title,
  url,
  documentIndex,
  firstPage,
  lastPage,
  citedText,
}: CitationMade): CitationSource | null {
  const source = {
    type,
    title: citedTextOf(title, MAX_SOURCE_TITLE_CHARS),
    url: webAddress(url),
    document_index: citedNumber(documentIndex, 0),
    first_page: citedNumber(firstPage, 1),
    last_page: citedNumber(lastPage, 1),
    cited_text: citedTextOf(citedText, MAX_CITED_CHARS),
  };
  const { title: named, url: address, document_index: index, cited_text: words } = source;
  return named === null && address === null && index === null && words === null ? null : source;
}

function citedRange({ start, end }: CitationMade): Range | null {
  const isRange = Number.isSafeInteger(start) && Number.isSafeInteger(end) && Number(start) >= 0;
  return isRange && Number(start) <= Number(end) ? { start: Number(start), end: Number(end) } : null;
}

function citedTextOf(value: unknown, most: number): string | null {
  if (typeof value !== "string" || value.trim() === "") return null;
  const text = visibleText(cleanText(cutText(value, most)));
  return cutText(text, most);
}

/** Null unless a reader can open the address without harm. */
function webAddress(value: unknown): string | null {
  if (typeof value !== "string" || value.length > MAX_SOURCE_URL_CHARS) return null;
  const url = URL.parse(value);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  return url.username === "" && url.password === "" && url.href.length <= MAX_SOURCE_URL_CHARS ? url.href : null;
}

const citedNumber = (value: unknown, least: number): number | null =>
  typeof value === "number" && Number.isInteger(value) && value >= least && value <= MAX_NUMBER ? value : null;
