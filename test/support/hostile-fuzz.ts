/** Good answers, damaged by a seed: pieces repeated, cut, swapped, and filled with what parsers stumble over. */

const ODD = [
  "[",
  "{",
  '"',
  "\\",
  "\n\n",
  "\r",
  "\u0000",
  "\u202e",
  "<",
  "</",
  "&",
  "data:",
  "id:",
  "1e308",
  "-1",
  "null",
  "[]",
  "\ud800",
];
/** Times that a piece is repeated at most. */
const MOST_REPEATED = 100_000;
/** Of an answer, so that a run has many of them. */
const MAX_CHARS = 4 * 1024 * 1024;

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function damaged(text: string, seed: number): string {
  const chance = chanceOf(seed);
  const below = (limit: number): number => Math.floor(chance() * limit);
  let result = text;
  for (let times = below(5); times >= 0; times--) {
    const [from, length] = [below(result.length), below(40)];
    const piece = result.slice(from, from + length);
    const filling = [
      () => "",
      () => piece.repeat(below(chance() < 0.2 ? MOST_REPEATED : 10)),
      () => (ODD[below(ODD.length)] ?? "").repeat(below(chance() < 0.3 ? MOST_REPEATED : 3)),
      () => `${piece}${result.slice(below(result.length), below(result.length))}`,
    ][below(4)];
    result = `${result.slice(0, from)}${filling?.() ?? ""}${result.slice(from + length)}`.slice(0, MAX_CHARS);
  }
  return result;
}

/** The seed in the name of an attack, `fuzz-<seed>`; null where it is another one. */
export const seedOf = (attack: string): number | null => (attack.startsWith("fuzz-") ? Number(attack.slice(5)) : null);
