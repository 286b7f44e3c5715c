/** Descriptions of the service's tools. They are built without services here, because none of them is called. */
import type { ToolInfo } from "../operations/tool-catalogue.ts";
import { builtinTools } from "../runner/tools.ts";
import { fileTools } from "../runner/tools/file-tools.ts";
import { missionToolsOf } from "../runner/tools/mission-tools.ts";
import { shellTool } from "../runner/tools/shell.ts";
import type { Tool } from "../runner/tools/tool.ts";
import { webFetch } from "../runner/tools/web-fetch.ts";

const NOTHING = {} as never;

const infoOf = ({ name, description, inputSchema, access, readOnly }: Tool): ToolInfo => ({
  name,
  description,
  inputSchema,
  availability: access === "safe" ? "always" : "granted",
  isReadOnly: readOnly === true,
});

const inOrder = (tools: readonly ToolInfo[]): readonly ToolInfo[] =>
  tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The tools that exist on every machine, by name. */
export const toolCatalogue: readonly ToolInfo[] = inOrder([
  ...[...builtinTools({ tasks: NOTHING, delegations: NOTHING }), webFetch(NOTHING, NOTHING), ...fileTools(NOTHING)].map(
    infoOf,
  ),
  ...missionToolsOf(NOTHING).map((tool) => ({ ...infoOf(tool), availability: "missions" as const })),
]);

/** The same with the shell, if commands of agents can be isolated (WSP-16); they can reach these hosts (WSP-17). */
export const catalogueWithShell = (hosts: readonly string[]): readonly ToolInfo[] =>
  inOrder([...toolCatalogue, infoOf(shellTool(NOTHING, hosts))]);
