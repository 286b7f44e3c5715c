/** Finds the name that was probably meant. */

/** Edits after which a name still counts as similar. */
const MOST_EDITS = 2;
/** Longer names are not compared. */
const LONGEST = 64;

/** `; did you mean \`x\`?`, or nothing if no name is similar. */
export function didYouMean(given: string, names: readonly string[]): string {
  const name = nearest(given, names);
  return name === null ? "" : `; did you mean \`${name}\`?`;
}

/** The same; without a similar name, one that shares a word: `web_fetch` for `fetch_url`. */
export function didYouMeanWord(given: string, names: readonly string[]): string {
  const words = nameWords(given);
  const shared = (name: string): number => nameWords(name).filter((word) => words.includes(word)).length;
  const most = Math.max(0, ...names.map(shared));
  const name = nearest(given, names) ?? (most === 0 ? undefined : names.find((one) => shared(one) === most));
  return name === undefined ? "" : `; did you mean \`${name}\`?`;
}

/** Letters of a significant word. */
const LEAST_LETTERS = 3;
const nameWords = (name: string): readonly string[] =>
  name
    .slice(0, LONGEST)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length >= LEAST_LETTERS);

function nearest(given: string, names: readonly string[]): string | null {
  if (given.length > LONGEST) return null;
  let best: string | null = null;
  // In a short name two letters are most of it.
  let fewest = Math.min(MOST_EDITS, Math.floor(given.length / 2)) + 1;
  for (const name of names) {
    const edits = isSameWord(given, name) ? 0 : distance(given, name);
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
}

/** Compares ignoring case and separators: `systemPrompt` and `system-prompt` for `system_prompt`. */
const isSameWord = (a: string, b: string): boolean => plainName(a) === plainName(b);
const plainName = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();

/** The edit distance with swaps of neighbours (optimal string alignment): insertions, deletions, replacements, swaps. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST_EDITS) return MOST_EDITS + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      // Two letters in the wrong order are one slip: counted as two, `modle` is as near to `role` as to `model`.
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
