/** Descriptions of the service's tools. They are built without services here, because none of them is called. */
import type { ToolInfo } from "../operations/tool-catalogue.ts";
import { builtinTools } from "../runner/tools.ts";
import { fileTools } from "../runner/tools/file-tools.ts";
import { missionToolsOf } from "../runner/tools/mission-tools.ts";
import { shellTool } from "../runner/tools/shell.ts";
import type { Tool } from "../runner/tools/tool.ts";
import { webFetch } from "../runner/tools/web-fetch.ts";

const NO_SERVICE = {} as never;

const builtinToolInfo = ({ name, description, inputSchema, access, readOnly }: Tool): ToolInfo => ({
  name,
  description,
  inputSchema,
  availability: access === "safe" ? "always" : "granted",
  isReadOnly: readOnly === true,
});

const orderByName = (tools: readonly ToolInfo[]): readonly ToolInfo[] =>
  tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The tools that exist on every machine, by name. */
export const toolCatalogue: readonly ToolInfo[] = orderByName([
  ...[
    ...builtinTools({ tasks: NO_SERVICE, delegations: NO_SERVICE }),
    webFetch(NO_SERVICE, NO_SERVICE),
    ...fileTools(NO_SERVICE),
  ].map(builtinToolInfo),
  ...missionToolsOf(NO_SERVICE).map((tool) => ({ ...builtinToolInfo(tool), availability: "missions" as const })),
]);

/** The same with the shell, if commands of agents can be isolated (WSP-16); they can reach these hosts (WSP-17). */
export const catalogueWithShell = (hosts: readonly string[]): readonly ToolInfo[] =>
  orderByName([...toolCatalogue, builtinToolInfo(shellTool(NO_SERVICE, hosts))]);
