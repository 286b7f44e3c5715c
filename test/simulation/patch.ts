/**
 * Applies unified diffs to texts. Strict: a hunk's lines must stand in the text exactly once, though
 * not at the line that it names, so a patch lasts until the lines that it is about are changed.
 */

/** New text of each file that a patch names. */
export type Patched = ReadonlyMap<string, string>;

interface Hunk {
  readonly before: string;
  readonly after: string;
}

/** Applies `patch` to the files that `read` answers. Throws when a hunk does not fit. */
export function applyPatch(patch: string, read: (path: string) => string): Patched {
  const patched = new Map<string, string>();
  for (const file of patch.split(/^--- /m).slice(1)) {
    const path = /^\+\+\+ b\/(\S+)$/m.exec(file)?.[1];
    if (path === undefined) throw new Error("a part of the patch names no file");
    const text = hunksOf(file).reduce((now, hunk) => applied(now, hunk, path), patched.get(path) ?? read(path));
    patched.set(path, text);
  }
  if (patched.size === 0) throw new Error("the patch is empty");
  return patched;
}

function hunksOf(file: string): Hunk[] {
  return file
    .split(/^@@ .*$/m)
    .slice(1)
    .map((hunk) => {
      const lines = hunk
        .split("\n")
        .slice(1)
        .filter((line) => /^[ +-]/.test(line));
      const side = (mark: string): string =>
        lines
          .filter((line) => line[0] === " " || line[0] === mark)
          .map((line) => `${line.slice(1)}\n`)
          .join("");
      return { before: side("-"), after: side("+") };
    });
}

function applied(text: string, { before, after }: Hunk, path: string): string {
  const [head, tail, ...more] = text.split(before);
  if (head === undefined || tail === undefined || more.length > 0) {
    throw new Error(
      `the patch does not fit ${path} any more; these lines are there ${tail === undefined ? 0 : more.length + 1} times:\n${before}`,
    );
  }
  return head + after + tail;
}
