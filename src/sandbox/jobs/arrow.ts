/** Rows as a stream of Apache Arrow. Types without a plain Arrow vector here become text, as in JSON. */
import {
  Bool,
  type DataType,
  Field,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  Int8,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  Uint16,
  Uint32,
  Uint64,
  Uint8,
  Utf8,
  vectorFromArray,
} from "apache-arrow";

export type ArrowJson =
  | string
  | number
  | boolean
  | null
  | readonly ArrowJson[]
  | { readonly [name: string]: ArrowJson };

const ARROW_TYPES: Readonly<Record<string, () => DataType>> = {
  BOOLEAN: () => new Bool(),
  TINYINT: () => new Int8(),
  SMALLINT: () => new Int16(),
  INTEGER: () => new Int32(),
  BIGINT: () => new Int64(),
  UTINYINT: () => new Uint8(),
  USMALLINT: () => new Uint16(),
  UINTEGER: () => new Uint32(),
  UBIGINT: () => new Uint64(),
  FLOAT: () => new Float32(),
  DOUBLE: () => new Float64(),
};
const LARGE_INTEGERS = new Set(["BIGINT", "UBIGINT"]);
const REAL = new Set(["FLOAT", "DOUBLE"]);

export function arrowStream(
  columns: readonly { readonly name: string; readonly type: string }[],
  rows: readonly (readonly ArrowJson[])[],
): Uint8Array {
  const fields = columns.map(({ name, type }) => new Field(name, arrowType(type), true));
  const children = columns.map(({ type }, i) => {
    const values = rows.map((row) => arrowCell(type, row[i] ?? null));
    return vectorFromArray(values, arrowType(type)).data[0] ?? makeData({ type: arrowType(type), length: 0 });
  });
  // Not from an object of columns, because two columns may have the same name.
  const struct = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children });
  const schema = new Schema(fields);
  return tableToIPC(new Table(schema, new RecordBatch(schema, struct)), "stream");
}

const arrowType = (type: string): DataType => (ARROW_TYPES[type] ?? (() => new Utf8()))();

function arrowCell(type: string, value: ArrowJson): unknown {
  if (value === null) return null;
  if (LARGE_INTEGERS.has(type)) return BigInt(String(value));
  // NaN and the infinities are text in JSON.
  if (REAL.has(type)) return Number(value);
  if (ARROW_TYPES[type] !== undefined) return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
