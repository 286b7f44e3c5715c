/** Reads what OTLP sends in Protocol Buffers, by the numbers of its fields (opentelemetry/proto/trace/v1). */
import type { AttributeValue, CollectedSpan } from "./otlp-collector.ts";

type Field = readonly [number: number, value: bigint | Uint8Array];

/** The fields of a message in their order. */
function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("a message ends in the middle of a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    switch (tag & 7) {
      case 0:
        yield [number, varint()];
        break;
      case 1:
        yield [number, view.getBigUint64(at, true)];
        at += 8;
        break;
      case 2: {
        const length = Number(varint());
        yield [number, bytes.subarray(at, at + length)];
        at += length;
        break;
      }
      case 5:
        yield [number, BigInt(view.getUint32(at, true))];
        at += 4;
        break;
      default:
        throw new Error(`no such wire type: ${tag & 7}`);
    }
  }
}

const all = (bytes: Uint8Array, number: number): (bigint | Uint8Array)[] =>
  [...fieldsOf(bytes)].filter(([n]) => n === number).map(([, value]) => value);
const messages = (bytes: Uint8Array, number: number): Uint8Array[] =>
  all(bytes, number).filter((value) => value instanceof Uint8Array);
const number = (bytes: Uint8Array, field: number): bigint => {
  const [value = 0n] = all(bytes, field);
  return value instanceof Uint8Array ? 0n : value;
};
const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("hex");
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("utf8");

export const readSpans = (bytes: Uint8Array): CollectedSpan[] =>
  messages(bytes, 1).flatMap((group) => {
    const resource = attributesOf(messages(group, 1)[0] ?? new Uint8Array(), 1);
    return messages(group, 2).flatMap((scope) => messages(scope, 2).map((span) => spanOf(span, resource)));
  });

const spanOf = (span: Uint8Array, resource: CollectedSpan["resource"]): CollectedSpan => ({
  traceId: hex(messages(span, 1)[0]),
  spanId: hex(messages(span, 2)[0]),
  traceState: text(messages(span, 3)[0]),
  parentSpanId: hex(messages(span, 4)[0]),
  name: text(messages(span, 5)[0]),
  kind: Number(number(span, 6)),
  startNs: number(span, 7),
  endNs: number(span, 8),
  attributes: attributesOf(span, 9),
  links: messages(span, 13).map((link) => ({ traceId: hex(messages(link, 1)[0]), spanId: hex(messages(link, 2)[0]) })),
  isError: number(messages(span, 15)[0] ?? new Uint8Array(), 3) === 2n,
  resource,
});

const attributesOf = (message: Uint8Array, field: number): Record<string, AttributeValue> =>
  Object.fromEntries(
    messages(message, field).map((pair) => [text(messages(pair, 1)[0]), valueOf(messages(pair, 2)[0])]),
  );

function valueOf(bytes: Uint8Array | undefined): AttributeValue {
  for (const [field, value] of fieldsOf(bytes ?? new Uint8Array())) {
    if (value instanceof Uint8Array)
      return field === 5 ? messages(value, 1).map((one) => String(valueOf(one))) : text(value);
    if (field === 2) return value === 1n;
    if (field === 4) return new Float64Array(new BigUint64Array([value]).buffer)[0] ?? 0;
    return Number(BigInt.asIntN(64, value));
  }
  return "";
}
