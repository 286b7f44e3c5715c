/** The models that the operator allows. */
import { useLoaded, WhenLoaded } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { ScrolledTable } from "../pieces/table.tsx";
import { service } from "../service.ts";

export function ModelTable() {
  const found = useLoaded((signal) => service.listModels({ signal }), []);
  return (
    <section aria-labelledby="models">
      <h2 id="models">Models</h2>
      <WhenLoaded of={found}>
        {({ models }) => (
          <ScrolledTable label="Table of models" columns={["Model", "Reads", "Context", "Price", "Key"]}>
            {models.map(({ id, default: isDefault, demo, input, limits, priced, needs_own_key: ownKey }) => (
              <tr key={id}>
                <th scope="row">
                  <bdi>{id}</bdi> {isDefault ? <span class="badge">default</span> : null}
                  {demo ? <span class="badge">demo</span> : null}
                </th>
                <td>{input.join(", ")}</td>
                <td>{limits.context_tokens.toLocaleString()} tokens</td>
                <td>{priced ? "set" : "not set"}</td>
                <td>{ownKey ? "your own" : "the operator's"}</td>
              </tr>
            ))}
          </ScrolledTable>
        )}
      </WhenLoaded>
      <CopyAsCurl path="/api/models" />
    </section>
  );
}
