/**
 * Paths of files in a workspace: the single sandbox for every endpoint and tool (WSP-3). A path that was parsed here
 * cannot leave its workspace. Two paths that a file system or a reader would take for the same file have the same keys.
 *
 *   "./Reports//Q3.md"  ─▶  text "Reports/Q3.md", names [{name: "Reports", key: "reports"}, …]
 *
 * Parsing drops empty parts and `.`, and converts names to Unicode's composed form (NFC). It refuses paths that have no
 * meaning inside of a workspace (absolute paths, `..`), names that other systems cannot store, and names that look like
 * something else. Content is never stored under these names, so the checks do not protect a disk: they protect readers,
 * mounts and archives.
 */
import { ok, type Outcome, refuse } from "../fault.ts";

/** Bytes of a whole path in UTF-8: a quarter of Linux's limit, so that a path fits below any folder. */
export const PATH_BYTES = 1_024;
/** Bytes of one name in UTF-8: the limit of common file systems. */
export const NAME_BYTES = 255;
/**
 * Names of one path. The directories on the way are loaded one after the other, and each counts the files below it, so
 * depth costs reads and writes. A move resolves two paths.
 */
export const PATH_DEPTH = 24;

/** One name of a path. */
export interface PathName {
  /** The name as it is shown, in NFC. */
  readonly name: string;
  /** The same for all spellings of the same file: case, width and composition are folded. */
  readonly key: string;
}

/** A path below the root of a workspace. The root itself has no names. */
export interface FilePath {
  /** Without slashes at either end; empty for the root. */
  readonly text: string;
  readonly names: readonly PathName[];
}

/** The names before the last one. */
export const parentPath = ({ names }: FilePath): FilePath => joinedPath(names.slice(0, -1));

/** The path of these names. */
export const joinedPath = (names: readonly PathName[]): FilePath => ({
  text: names.map(({ name }) => name).join("/"),
  names,
});

/** Whether `path` is `directory` or is below it. */
export const isPathWithin = (path: FilePath, directory: FilePath): boolean =>
  directory.names.every(({ key }, i) => path.names[i]?.key === key);

/** Parses the path of a file or directory; `field` names the input in the refusal (`path`, `from`, `to`). */
export function parsePath(text: string, field = "path"): Outcome<FilePath> {
  const path = parseDirectory(text, field);
  if (path.ok && path.value.names.length === 0) return invalidPath(field, "names no file: it is the workspace itself");
  return path;
}

/**
 * The path of something that is made or gets another path: names that Windows cannot store are refused too. What has
 * such a name already can still be read, moved and deleted.
 */
export function newPath(path: FilePath, field = "path"): Outcome<FilePath> {
  for (const { name } of path.names) {
    const [character] = NOT_ON_WINDOWS.exec(name) ?? [];
    if (character !== undefined)
      return invalidPath(field, `has the name \`${name}\`; some systems cannot store a name with \`${character}\``);
  }
  return ok(path);
}
/** Parses the path of something that is made. */
export function parseNewPath(text: string, field = "path"): Outcome<FilePath> {
  const path = parsePath(text, field);
  return path.ok ? newPath(path.value, field) : path;
}

/** Like `parsePath`, and accepts the root too: `""`, `.` or `./`. */
export function parseDirectory(text: string, field = "path"): Outcome<FilePath> {
  // Longer paths are refused before any other check.
  if (text.length > PATH_BYTES) return invalidPath(field, `is longer than ${PATH_BYTES} bytes`);
  if (text.startsWith("/")) return invalidPath(field, "is absolute; it must be relative to the workspace");
  const names: PathName[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    const name = part.normalize("NFC");
    const complaint = nameComplaint(name);
    if (complaint !== null) return invalidPath(field, complaint);
    names.push({ name, key: nameKey(name) });
  }
  if (names.length > PATH_DEPTH) return invalidPath(field, `is deeper than ${PATH_DEPTH} names`);
  const path = joinedPath(names);
  if (byteLength(path.text) > PATH_BYTES) return invalidPath(field, `is longer than ${PATH_BYTES} bytes`);
  return ok(path);
}

const invalidPath = (field: string, complaint: string): Outcome<never> =>
  refuse({ kind: "invalid_path", field, message: `\`${field}\` ${complaint}` });

/** Control characters, and characters that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
/** Slashes of other scripts, and the backslash, which is a slash on other systems. */
const SLASHES = /[\\/\u2044\u2215\u2216\u2571\u29f8\u29f9\ufe68\uff0f\uff3c]/u;
/**
 * Half of a character, and the replacement for bytes that are not UTF-8: two names in another encoding would become
 * one.
 */
const UNDECODED = /[\p{Cs}\ufffd]/u;
/** Characters that Windows does not take in a name. */
const NOT_ON_WINDOWS = /[<>:"|?*]/;
/** Devices of Windows: it cannot store a file with such a name, whatever its extension. */
const RESERVED_FILE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(?:\.|$)/;
/** Invisible characters: the key of a name has none of them. */
const INVISIBLE_NAME_CHARACTERS = /[\p{Default_Ignorable_Code_Point}]/gu;
/**
 * Invisible characters that a name may have, where they are part of what is seen: joiners and variants of the character
 * before them in emoji and in scripts other than Latin, variants of the digits of keycaps, and the tags of flags.
 */
const VISIBLE_JOINERS =
  /(?<=[^\p{ASCII}\p{Default_Ignorable_Code_Point}])(?:\u200c|\u200d|\p{Variation_Selector}){1,2}|(?<=[0-9#*])(?:\ufe0e|\ufe0f)|(?<=\u{1f3f4})[\u{e0020}-\u{e007e}]{1,16}\u{e007f}/gu;

function nameComplaint(name: string): string | null {
  if (name === "..") return "has `..`; it must not leave the workspace";
  if (byteLength(name) > NAME_BYTES) return `has a name longer than ${NAME_BYTES} bytes`;
  if (UNDECODED.test(name)) return "is not valid Unicode";
  if (UNPRINTABLE.test(name)) return "has a control character";
  if (SLASHES.test(name)) return "has a backslash or another character that looks like a slash";
  if (/^\s|[\s.]$/u.test(name)) return "has a name that begins with a space, or ends with a space or a dot";
  const key = nameKey(name);
  if (key === "") return "has a name without a visible character";
  // Compatibility forms: `‥` looks like two dots, `℀` has a slash.
  if (/^\.+$/.test(key) || /[\\/]/.test(key)) return "has a name that looks like `..` or has a hidden slash";
  if (/^\s|[\s.]$/u.test(key)) return "has a name that begins or ends with what looks like a space or a dot";
  if (RESERVED_FILE_NAME.test(key)) return `has the name \`${name}\`, which some systems reserve for a device`;
  if (name.replace(VISIBLE_JOINERS, "").search(INVISIBLE_NAME_CHARACTERS) !== -1) return "has an invisible character";
  return null;
}

/**
 * Folds case by way of upper case, which covers `ß` and `ſ`. One round may enable the next (a letter that composes only
 * in lower case), so it is repeated until nothing changes.
 */
function nameKey(name: string): string {
  let key = name;
  for (let round = 0; round < FOLD_ROUNDS; round++) {
    const folded = key
      .replace(INVISIBLE_NAME_CHARACTERS, "")
      .normalize("NFKC")
      .toUpperCase()
      .toLowerCase()
      .normalize("NFKC");
    if (folded === key) return key;
    key = folded;
  }
  return key;
}
/** Two rounds suffice for all of Unicode (a test checks all of it); one more shows that nothing changes. */
const FOLD_ROUNDS = 4;

/** The length in UTF-8. A lone surrogate counts like its replacement. */
function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}
