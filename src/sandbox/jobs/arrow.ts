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

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const TYPES: Readonly<Record<string, () => DataType>> = {
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
const LARGE = new Set(["BIGINT", "UBIGINT"]);
const REAL = new Set(["FLOAT", "DOUBLE"]);

export function arrowStream(
  columns: readonly { readonly name: string; readonly type: string }[],
  rows: readonly (readonly Json[])[],
): Uint8Array {
  const fields = columns.map(({ name, type }) => new Field(name, typeOf(type), true));
  const children = columns.map(({ type }, i) => {
    const values = rows.map((row) => cell(type, row[i] ?? null));
    return vectorFromArray(values, typeOf(type)).data[0] ?? makeData({ type: typeOf(type), length: 0 });
  });
  // Not from an object of columns, because two columns may have the same name.
  const struct = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children });
  const schema = new Schema(fields);
  return tableToIPC(new Table(schema, new RecordBatch(schema, struct)), "stream");
}

const typeOf = (type: string): DataType => (TYPES[type] ?? (() => new Utf8()))();

function cell(type: string, value: Json): unknown {
  if (value === null) return null;
  if (LARGE.has(type)) return BigInt(String(value));
  // NaN and the infinities are text in JSON.
  if (REAL.has(type)) return Number(value);
  if (TYPES[type] !== undefined) return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
