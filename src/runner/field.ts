/** A field of an untrusted value; undefined if there is none. Names are ours, never the sender's. */
export function untrustedField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
