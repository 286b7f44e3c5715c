/**
 * Code with its words coloured, as pieces. A highlighter writes HTML; this reads its own markup out of that, so that nothing
 * in the code can become an element (as in `markdown.tsx`). Without a browser.
 */

/** Code, or pieces of it that have a colour together. */
export type CodePiece = string | { readonly style: string; readonly pieces: readonly CodePiece[] };

const PIECE = /<span class="([\w\s-]+)">|<\/span>|([^<]+)/g;
const CODE_ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};
const withoutEntities = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => CODE_ENTITIES[entity] ?? entity);

/** The pieces in the HTML of the highlighter, which escapes all of the code. */
export function codePieces(html: string): readonly CodePiece[] {
  const whole: CodePiece[] = [];
  const open = [{ style: "", pieces: whole }];
  for (const [tag, style, text] of html.matchAll(PIECE)) {
    const last = open.at(-1) ?? { style: "", pieces: whole };
    if (text !== undefined) last.pieces.push(withoutEntities(text));
    else if (style !== undefined) {
      const piece = { style, pieces: [] };
      last.pieces.push(piece);
      open.push(piece);
    } else if (tag === "</span>" && open.length > 1) open.pop();
  }
  return whole;
}
