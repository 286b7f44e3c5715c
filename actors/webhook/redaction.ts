/** The destination as the ledger shows it: recognizable to the person who set it, useless to others (HOOK-9). */

/**
 * `https://hooks.example.com/x` → `h***s.e***e.com`. For an IP address the first and the last part are shown, so that
 * an owner can tell two destinations apart: `https://10.20.30.7` → `10.***.7`, `https://[fd00::1:7]` → `[fd00:***:7]`.
 */
export function redactedHost(url: string): string {
  const { hostname } = new URL(url);
  if (hostname.startsWith("[")) {
    const parts = hostname.slice(1, -1).split(":");
    return `[${parts.at(0) ?? ""}:***:${parts.at(-1) ?? ""}]`;
  }
  const labels = hostname.split(".");
  const top = labels.pop() ?? "";
  if (/^\d+$/.test(top)) return `${labels[0] ?? ""}.***.${top}`;
  return [...labels.map(redactLabel), labels.length === 0 ? redactLabel(top) : top].join(".");
}

/** `https://hooks.example.com/x` → `https://h***s.e***e.com`. */
export const redactedUrl = (url: string): string => `${new URL(url).protocol}//${redactedHost(url)}`;

const redactLabel = (label: string): string => `${label.at(0) ?? ""}***${label.at(-1) ?? ""}`;
