/**
 * Files and terminals of the editor, as client tools of a run (JOB-17): those that the editor says it has. Their calls
 * become requests to the editor (`socket/editor-calls.ts`).
 */
import { type JsonObject, type Static, Type } from "../../../actors/schema.ts";
import type { GivenTool } from "../runs/client-tools.ts";

export const READ_FILE = "read_text_file";
export const WRITE_FILE = "write_text_file";
export const RUN_COMMAND = "run_command";

/** What the editor can do, beside what every client can. */
export const EditorAbilities = Type.Object({
  readsFiles: Type.Boolean(),
  writesFiles: Type.Boolean(),
  hasTerminals: Type.Boolean(),
});
export type EditorAbilities = Static<typeof EditorAbilities>;

/** Characters of the editor's name. */
export const EDITOR_NAME = 128;
/** What a connection knows of its editor. */
export const Editor = Type.Object({
  name: Type.String({ maxLength: EDITOR_NAME }),
  hasNotices: Type.Boolean(),
  ...EditorAbilities.properties,
});
export type Editor = Static<typeof Editor>;

const textParameter = (description: string): JsonObject => ({ type: "string", description });
const FILE_PATH = textParameter("Absolute path of the file");

const READ_TOOL: GivenTool = {
  name: READ_FILE,
  description: "Reads a text file of the user's editor, with changes that are not saved yet",
  inputSchema: {
    type: "object",
    properties: {
      path: FILE_PATH,
      line: { type: "integer", minimum: 1, description: "First line to read" },
      limit: { type: "integer", minimum: 1, description: "Maximum number of lines to read" },
    },
    required: ["path"],
  },
};
const WRITE_TOOL: GivenTool = {
  name: WRITE_FILE,
  description:
    "Writes a whole text file in the user's editor; creates it if it does not exist. The user is asked first",
  inputSchema: {
    type: "object",
    properties: { path: FILE_PATH, content: textParameter("The whole text") },
    required: ["path", "content"],
  },
};
const COMMAND_TOOL: GivenTool = {
  name: RUN_COMMAND,
  description: "Runs a program on the user's machine and answers its output and its exit code. The user is asked first",
  inputSchema: {
    type: "object",
    properties: {
      command: textParameter("The program"),
      args: { type: "array", items: { type: "string" }, description: "Its arguments" },
      cwd: textParameter("Absolute path of the working directory; omitted: that of the session"),
    },
    required: ["command"],
  },
};

export const editorTools = ({ readsFiles, writesFiles, hasTerminals }: EditorAbilities): readonly GivenTool[] => [
  ...(readsFiles ? [READ_TOOL] : []),
  ...(writesFiles ? [WRITE_TOOL] : []),
  ...(hasTerminals ? [COMMAND_TOOL] : []),
];

const CALL_KINDS: Readonly<Record<string, string>> = {
  [READ_FILE]: "read",
  [WRITE_FILE]: "edit",
  [RUN_COMMAND]: "execute",
};
const CALL_VERBS: Readonly<Record<string, string>> = { [READ_FILE]: "Read", [WRITE_FILE]: "Write" };

/** The kind of a call, by which the editor chooses a picture. */
export const callKind = (name: string): string => CALL_KINDS[name] ?? "other";

/** What the editor shows of a call. */
export function callTitle(name: string, { path, command, args }: JsonObject): string {
  const verb = CALL_VERBS[name];
  if (verb !== undefined) return `${verb} ${String(path)}`;
  if (name === RUN_COMMAND) return [command, ...(Array.isArray(args) ? args : [])].map(String).join(" ");
  return name;
}

/** The files that a call is about, as far as its arguments say so. */
export const callLocations = ({ path, line }: JsonObject): JsonObject[] =>
  typeof path === "string" && path.startsWith("/") ? [{ path, ...(typeof line === "number" ? { line } : {}) }] : [];
