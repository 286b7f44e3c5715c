/** A query over the files of a workspace, with its rows as a table and as bars. The address has the query. */
import { useState } from "preact/hooks";
import { useSearchParams } from "wouter-preact";
import type { QueryResult } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { AreaField, TextField } from "../pieces/fields.tsx";
import { Form, useRefusals } from "../pieces/form.tsx";
import { service } from "../service.ts";
import { DataTable } from "./data-table.tsx";
import { ResultBars } from "./result-bars.tsx";

const FIRST_QUERY = "SELECT * FROM 'reports/sales.csv' LIMIT 100";

export function QuerySheet({ workspaceId }: { readonly workspaceId: string }) {
  const [search, setSearch] = useSearchParams();
  const [query, setQuery] = useState(search.get("query") ?? "");
  const [database, setDatabase] = useState(search.get("database") ?? "");
  const [result, setResult] = useState<QueryResult | null>(null);
  const refusals = useRefusals();
  const body = { query, ...(database.trim() === "" ? {} : { database: database.trim() }) };
  const run = async (): Promise<void> => {
    refusals.clear();
    setSearch({ view: "query", ...body }, { replace: true });
    try {
      setResult(await service.queryData(workspaceId, body));
    } catch (error) {
      setResult(null);
      refusals.take(error);
      throw error;
    }
  };
  return (
    <>
      <Form label="Query" refusals={refusals}>
        {() => (
          <>
            <AreaField
              label="SQL"
              path="/query"
              hint={`One SELECT over CSV, JSON and Parquet files, such as ${FIRST_QUERY}`}
              value={query}
              change={setQuery}
            />
            <TextField
              label="SQLite file"
              path="/database"
              hint="The path of an SQLite file, if you query its tables"
              value={database}
              change={setDatabase}
            />
            <p class="actions">
              <ActionButton act={run} whyNot={query.trim() === "" ? "Write a query first" : null}>
                Run
              </ActionButton>
              <CopyAsCurl method="POST" path={`/api/workspaces/${workspaceId}/data-blocks/query`} body={body} />
            </p>
          </>
        )}
      </Form>
      <p role="status" class="quiet">
        {result === null
          ? ""
          : `${result.row_count.toLocaleString()} rows${result.truncated ? ", there are more" : ""}, ${result.duration_ms.toLocaleString()} ms`}
      </p>
      {result === null ? null : (
        <>
          <ResultBars {...result} />
          <DataTable label="Rows" {...result} />
        </>
      )}
    </>
  );
}
