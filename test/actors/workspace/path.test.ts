/** Paths of files: what is refused, what is the same file, and that nothing ever leaves the workspace. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  isPathWithin,
  NAME_BYTES,
  parentPath,
  parseNewPath,
  parseDirectory,
  parsePath,
  PATH_BYTES,
  PATH_DEPTH,
} from "../../../actors/workspace/path.ts";

const keys = (text: string): string | null => {
  const path = parsePath(text);
  return path.ok ? path.value.names.map(({ key }) => key).join("/") : null;
};
const message = (text: string): string => {
  const path = parsePath(text);
  if (path.ok) return "accepted";
  return path.fault.kind === "invalid_path" ? path.fault.message : path.fault.kind;
};

test("[WSP-3] a path is normalised", () => {
  const path = parsePath("./Reports//2026/./Q3.md/");
  expect(path.ok && path.value.text).toBe("Reports/2026/Q3.md");
  expect(path.ok && parentPath(path.value).text).toBe("Reports/2026");
  expect(parseDirectory("./")).toEqual({ ok: true, value: { text: "", names: [] } });
  expect(parsePath("")).toMatchObject({ ok: false, fault: { kind: "invalid_path", field: "path" } });
  expect(parsePath("a/../b", "from")).toMatchObject({ ok: false, fault: { field: "from" } });
});

test("[WSP-3] new names that Windows cannot store are refused; existing ones are still found", () => {
  for (const character of ["<", ">", ":", '"', "|", "?", "*"]) {
    for (const text of [`a${character}b`, `${character}`, `dir${character}/file`, `dir/file${character}.md`]) {
      expect(parsePath(text).ok).toBe(true);
      expect(parseNewPath(text, "to")).toMatchObject({
        ok: false,
        fault: { kind: "invalid_path", field: "to", message: expect.stringContaining(`\`${character}\``) as string },
      });
    }
  }
  // Letters that only look like them can be stored.
  for (const text of ["a\uff1ab", "a\ua789b", "what\uff1f", "a;b", "a'b", "a&b", "[a]", "100%"])
    expect(parseNewPath(text).ok).toBe(true);
});

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["/etc/passwd", /absolute/],
  ["//server/share", /absolute/],
  ["..", /leave/],
  ["../x", /leave/],
  ["a/../../x", /leave/],
  ["a/..", /leave/],
  ["a/..\u0000/x", /control/],
  ["a\u0000.txt", /control/],
  ["a\nb", /control/],
  ["a\u009fb", /control/],
  ["..\\x", /slash/],
  ["C:\\x", /slash/],
  ["..\u2215x", /slash/],
  ["a\uff0fb", /slash/],
  ["a\ufe68b", /slash/],
  ["\u2025", /looks like/],
  ["\u2024\u2024/x", /looks like/],
  ["\uff0e\uff0e/x", /looks like|ends/],
  ["\u2026", /looks like/],
  [".\u200b.", /ends/],
  ["a/..\u200b", /looks like/],
  ["\u2100", /hidden slash/],
  ["a\u202egpj.exe", /control/],
  ["a\u2066b", /control/],
  ["\u200b", /visible/],
  ["a\u200bb", /invisible/],
  ["a\u200db.txt", /invisible/],
  ["report\u2060.pdf", /invisible/],
  ["read\ufeffme.md", /invisible/],
  ["soft\u00adhyphen", /invisible/],
  ["a\ufe0fb", /invisible/],
  ["x\u{e0061}\u{e007f}", /invisible/],
  ["\u3164a", /invisible/],
  ["a\ud800", /Unicode/],
  // What a server makes of `%E9` and `%E8`, an é and an è of Latin-1.
  ["r\ufffdsum\ufffd", /Unicode/],
  ["a ", /ends/],
  ["a.", /ends/],
  ["a\u3000", /ends/],
  ["a\uff0e", /ends/],
  [" a", /begins/],
  ["CON", /reserve/],
  ["nul.txt", /reserve/],
  ["dir/Com1.tar.gz", /reserve/],
  ["LPT\u00b9", /reserve/],
  ["a/".repeat(PATH_DEPTH) + "a", /deeper/],
  ["a".repeat(NAME_BYTES + 1), /name longer/],
  ["\u00e4".repeat(128), /name longer/],
  [`${"a".repeat(200)}/`.repeat(5) + "a".repeat(20), /longer than 1024/],
];
test.each(REFUSED.map(([path, says]) => ({ path, says })))(
  "[WSP-3] $path is refused, with the reason",
  ({ path, says }) => {
    expect(message(path)).toMatch(says);
  },
);

test("[WSP-3] lengths up to the limits are accepted, and one more is not", () => {
  expect(message("a/".repeat(PATH_DEPTH - 1) + "a")).toBe("accepted");
  expect(message("a".repeat(NAME_BYTES))).toBe("accepted");
  const long = `${"a".repeat(203)}/`.repeat(5);
  expect(message(long + "b".repeat(PATH_BYTES - long.length))).toBe("accepted");
  expect(message(long + "b".repeat(PATH_BYTES - long.length + 1))).toMatch(/longer/);
});

test.each([
  { one: "README.md", other: "readme.MD" },
  { one: "caf\u00e9", other: "cafe\u0301" },
  { one: "\u00c5ngstrom", other: "\u212bngstrom" },
  { one: "stra\u00dfe", other: "STRASSE" },
  { one: "\u03c3\u03c4\u03c3", other: "\u03a3\u03a4\u03c2" },
  { one: "\uff41\uff42", other: "ab" },
  { one: "\ufb01le", other: "file" },
  { one: "\u212aelvin", other: "kelvin" },
  { one: "\u{1f469}\u200d\u{1f4bb}", other: "\u{1f469}\u{1f4bb}" },
  { one: "\u017ftop", other: "stop" },
])("[WSP-3] $one and $other are the same file", ({ one, other }) => {
  expect(keys(one)).not.toBeNull();
  expect(keys(one)).toBe(keys(other));
});

test("[WSP-3] names in any script, emoji and dotfiles are accepted unchanged", () => {
  for (const name of [
    ".env",
    ".gitignore",
    "..a",
    "a..b",
    "Отчёт Q3.pdf",
    "報告書.md",
    "👩‍💻.txt",
    "❤️‍🔥",
    "1️⃣ first.md",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.svg",
    "می‌خواهم.txt",
    "ന്‍.txt",
    "a b (1).csv",
    "½.txt",
  ])
    expect([name, parsePath(name).ok]).toEqual([name, true]);
});

/** Text of what attackers and other systems send. */
const piece = fc.oneof(
  fc.constantFrom(
    "..",
    ".",
    "",
    "/",
    "\\",
    "\u0000",
    "%2e%2e",
    "\u2025",
    "\uff0e",
    "\u2215",
    "CON",
    "a",
    "A",
    "\u00e4",
    "a\u0308",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("/"));

describe("[WSP-3] whatever the text", () => {
  test("what is taken stays inside, and says the same when it is parsed again", () => {
    fc.assert(
      fc.property(text, (given) => {
        const path = parseDirectory(given);
        if (!path.ok) return path.fault.kind === "invalid_path";
        const { names, text: shown } = path.value;
        const again = parseDirectory(shown);
        expect(again).toEqual(path);
        const resolved = new URL(names.map(({ name }) => encodeURIComponent(name)).join("/"), "file:///base/");
        expect(resolved.pathname.startsWith("/base/")).toBe(true);
        for (const { name, key } of names) {
          expect(/[\\/\p{Cc}]/u.test(name + key)).toBe(false);
          expect(/^\.+$/.test(key)).toBe(false);
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(NAME_BYTES);
        }
        return true;
      }),
      { numRuns: 2_000 },
    );
  });

  test("each spelling of a name has its key, and a key is its own", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (name) => {
        const key = keys(name);
        if (key === null) return;
        for (const other of [name.toLowerCase(), name.toUpperCase(), name.normalize("NFD"), name.normalize("NFKC")])
          expect([other, keys(other) ?? key]).toEqual([other, key]);
        expect(keys(key) ?? key).toBe(key);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a single character of any plane in use folds to something that folds to itself", () => {
    const open: string[] = [];
    for (let point = 0x21; point < 0x1_e000; point++) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const key = keys(`a${String.fromCodePoint(point)}b`);
      if (key !== null && (keys(key) ?? key) !== key) open.push(point.toString(16));
    }
    expect(open).toEqual([]);
  });
});

test("[WSP-3] a path is within a directory by its keys", () => {
  const of = (given: string) => {
    const path = parseDirectory(given);
    if (!path.ok) throw new Error(given);
    return path.value;
  };
  expect(isPathWithin(of("A/b"), of("a"))).toBe(true);
  expect(isPathWithin(of("ab"), of("a"))).toBe(false);
  expect(isPathWithin(of("a"), of("a/b"))).toBe(false);
  expect(isPathWithin(of("a"), of(""))).toBe(true);
});
