/** The destination as others than owners see it: recognisable to whoever has set it, of no use to others (HOOK-9). */

/** `https://hooks.example.com/x` → `h***s.e***e.com`; of an address nothing is shown. */
export function redactedHost(url: string): string {
  const { hostname } = new URL(url);
  const labels = hostname.split(".");
  const top = labels.pop() ?? "";
  if (hostname.includes(":") || /^\d+$/.test(top)) return "***";
  return [...labels.map(redacted), labels.length === 0 ? redacted(top) : top].join(".");
}

/** `https://hooks.example.com/x` → `https://h***s.e***e.com`. */
export const redactedUrl = (url: string): string => `${new URL(url).protocol}//${redactedHost(url)}`;

const redacted = (label: string): string => `${label.at(0) ?? ""}***${label.at(-1) ?? ""}`;
