/** The name of a session in lists: the browser and the system, from the user agent. */

// The more specific names come first: most such user agents also contain the general ones.
const BROWSERS = [
  [/\bEdg\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\bChrom(?:e|ium)\//, "Chrome"],
  [/\bHeadlessChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
] as const;
const SYSTEMS = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bMac OS X\b/, "macOS"],
  [/\bWindows\b/, "Windows"],
  [/\bLinux\b/, "Linux"],
] as const;

type NamePatterns = readonly (readonly [RegExp, string])[];
const findName = (names: NamePatterns, userAgent: string): string | undefined =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1];

export function browserName(userAgent: string | null): string {
  const text = userAgent ?? "";
  const browser = findName(BROWSERS, text) ?? "A browser";
  const system = findName(SYSTEMS, text);
  return system === undefined ? browser : `${browser} on ${system}`;
}
