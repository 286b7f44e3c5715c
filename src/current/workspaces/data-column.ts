/** A column, as queries and previews of tables show it. */
import { Type } from "../../../actors/schema.ts";
import { noun } from "../../http/contract/noun.ts";

export const DataColumn = noun("DataColumn", "A column of a table", {
  name: Type.String(),
  type: Type.String({ description: "Type of the column, as DuckDB or SQLite names it" }),
});
