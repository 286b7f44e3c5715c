/** An estimate in bytes, precise enough for a bound: strings are most of an event and of a command. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return 2 * value.length;
  if (value === null || typeof value !== "object") return 8;
  let bytes = 16;
  for (const key in value) bytes += 16 + sizeOf((value as Record<string, unknown>)[key]);
  return bytes;
}
