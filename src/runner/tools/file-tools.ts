/** The tools for the files of a job's workspace (RUN-2): reading and searching are on by default, changing is granted. */
import type { Outcome } from "../../../actors/fault.ts";
import type { ToolResult } from "../../../actors/job/ports.ts";
import { Type } from "../../../actors/schema.ts";
import type { ChangedToolFile, FileService } from "./file-service.ts";
import { queryData } from "./query-data.ts";
import { decidedResult, defineTool, outcomeResult, type Tool, untilServiceDecides } from "./tool.ts";

/** Files of one listing: by default, and at most. */
const LISTED_FILES = { default: 100, most: 500 };
/** Characters that one call writes or replaces: the job stores arguments. */
const WRITTEN_CHARACTERS = 200_000;
const FILE_SEARCH_CHARACTERS = 200;

const PathArgument = (description: string) => Type.String({ description, maxLength: 1_024 });
const FilePathArgument = PathArgument("Relative to the workspace, such as reports/q3.md");

/** The model gets the file, and the job its artifact. */
function changedResult(outcome: Outcome<ChangedToolFile>): ToolResult {
  const result = outcomeResult(outcome, ({ path, kind, size }) => ({ file: { path, kind, size } }));
  const artifact = outcome.ok ? outcome.value.artifact : null;
  return artifact === null ? result : { ...result, artifacts: [artifact] };
}

export const fileTools = (files: FileService): readonly Tool[] => [
  defineTool({
    name: "list_files",
    description: "Files and directories of the workspace, by path.",
    input: Type.Object({
      path: Type.Optional(PathArgument("The directory; the whole workspace by default")),
      recursive: Type.Optional(Type.Boolean({ description: "Includes everything below it; false by default" })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: LISTED_FILES.most, description: `${LISTED_FILES.default} by default` }),
      ),
    }),
    access: "safe",
    safeToRepeat: true,
    readOnly: true,
    run({ path = "", recursive = false, limit = LISTED_FILES.default }, call) {
      const query = { path, isRecursive: recursive, limit };
      return decidedResult(
        call,
        () => files.list(call.context, query),
        (found) => ({ files: found }),
      );
    },
  }),
  defineTool({
    name: "search_files",
    description:
      "Finds files of the workspace: first those whose name contains the text, then those whose content has its words.",
    input: Type.Object({ query: Type.String({ minLength: 1, maxLength: FILE_SEARCH_CHARACTERS }) }),
    access: "safe",
    safeToRepeat: true,
    readOnly: true,
    run: ({ query }, call) =>
      decidedResult(
        call,
        () => files.search(call.context, query),
        (found) => ({ files: found }),
      ),
  }),
  defineTool({
    name: "read_file",
    description: "The text of a file. A long one comes in parts: go on with `offset` set to `next_offset`.",
    input: Type.Object({
      path: FilePathArgument,
      offset: Type.Optional(Type.Integer({ minimum: 0, description: "The byte to begin at; 0 by default" })),
    }),
    access: "safe",
    safeToRepeat: true,
    readOnly: true,
    run: ({ path, offset = 0 }, call) =>
      decidedResult(
        call,
        () => files.read(call.context, path, offset),
        ({ nextOffset, ...part }) => ({ ...part, next_offset: nextOffset }),
      ),
  }),
  defineTool({
    name: "write_file",
    description: "Writes a text file: creates it, with its directories, or replaces all of its content.",
    input: Type.Object({ path: FilePathArgument, text: Type.String({ maxLength: WRITTEN_CHARACTERS }) }),
    access: "granted",
    // Writing the same content again changes nothing.
    safeToRepeat: true,
    async run({ path, text }, { context, pauses, signal }) {
      return changedResult(await untilServiceDecides({ pauses, signal }, () => files.write(context, path, text)));
    },
  }),
  defineTool({
    name: "edit_file",
    description:
      "Replaces a text that occurs exactly once in the file. Include enough of its surroundings to make it unique.",
    input: Type.Object({
      path: FilePathArgument,
      old_text: Type.String({ minLength: 1, maxLength: WRITTEN_CHARACTERS }),
      new_text: Type.String({ maxLength: WRITTEN_CHARACTERS }),
    }),
    access: "granted",
    safeToRepeat: false,
    async run({ path, old_text: oldText, new_text: newText }, { context }) {
      return changedResult(await files.replace(context, { path, oldText, newText }));
    },
  }),
  queryData(files),
  defineTool({
    name: "move_file",
    description: "Moves or renames a file or directory of the workspace.",
    input: Type.Object({
      from: FilePathArgument,
      to: FilePathArgument,
      overwrite: Type.Optional(Type.Boolean({ description: "Replaces an existing file; false by default" })),
    }),
    access: "granted",
    safeToRepeat: false,
    async run({ from, to, overwrite = false }, { context }) {
      return changedResult(await files.move(context, { from, to, overwrite }));
    },
  }),
];
