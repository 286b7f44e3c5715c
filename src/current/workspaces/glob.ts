/** Glob patterns for paths: `*`, `?`, `**`, `[…]` and `{a,b}`. */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";

/** With more alternatives a pattern takes long to match. */
const BRACES = 4;
const STARS = 8;

/** Whether a path matches; null without a pattern. */
export function globOf(pattern: string | undefined): Outcome<((path: string) => boolean) | null> {
  if (pattern === undefined) return ok(null);
  if ((pattern.match(/\{/g)?.length ?? 0) > BRACES || (pattern.match(/\*+/g)?.length ?? 0) > STARS)
    return invalid("/glob", `glob may have at most ${BRACES} lists in braces and ${STARS} stars`);
  // Names are stored in this form.
  const glob = new Bun.Glob(pattern.normalize("NFC"));
  return ok((path) => glob.match(path));
}
