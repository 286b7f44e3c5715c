/** The MCP servers of an agent, whose tools are chosen once they are saved. */
import type { McpServerHeaderInput, McpServerInput } from "../../../sdk/typescript/troupe.ts";
import { CheckField, formFields, TextField } from "../pieces/fields.tsx";
import { ItemFields } from "../pieces/item-fields.tsx";
import { AccessFields } from "./access-fields.tsx";
import { HeaderFields } from "./own-tool-fields.tsx";

interface McpServerFieldsProps {
  readonly servers: readonly McpServerInput[];
  readonly change: (servers: McpServerInput[]) => void;
}

export function McpServerFields({ servers, change }: McpServerFieldsProps) {
  return (
    <>
      <ItemFields<McpServerInput>
        label="MCP servers"
        one="server"
        items={servers}
        change={change}
        empty={() => ({ name: "", url: "https://" })}
        wordsOf={({ name }) => name}
      >
        {(server, set, index) => {
          const path = `/mcp_servers/${index}`;
          const field = formFields(path, server, set);
          return (
            <>
              <div class="columns">
                <TextField label="Server name" hint="Its tools are called name__tool" {...field("name")} />
                <TextField label="Address of the server" {...field("url")} />
              </div>
              <AccessFields
                auth={server.auth}
                path={`${path}/auth`}
                change={(auth) => set({ auth } as Partial<McpServerInput>)}
              />
              <CheckField
                label="Runs continue without its tools while it cannot be reached"
                value={server.optional ?? false}
                change={(optional) => set({ optional })}
              />
              <ItemFields<McpServerHeaderInput>
                label="Headers of each request"
                one="header"
                items={server.headers ?? []}
                change={(headers) => set({ headers })}
                empty={() => ({ name: "", secret: "" })}
                wordsOf={({ name }) => name}
              >
                {(header, changeHeader, at) => (
                  <HeaderFields
                    header={header}
                    path={`${path}/headers/${at}`}
                    change={(changes) => changeHeader(changes)}
                  />
                )}
              </ItemFields>
            </>
          );
        }}
      </ItemFields>
      <p class="quiet">Save a new server first, then choose its tools above.</p>
    </>
  );
}
