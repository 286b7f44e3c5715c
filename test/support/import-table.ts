/**
 * The import table of ARCHITECTURE.md, held against the layers that the tests enforce. A row names folders and what
 * they may import; a folder may always import itself, and the log's port wherever a layer says so.
 */
import { LAYERS, LOG_PORT_FILES } from "./layers.ts";

interface Row {
  readonly folders: readonly string[];
  readonly mayImport: readonly string[];
}

const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** The rows of the table with the heading `| Folder | … | May import |`. */
export function importTable(page: string): Row[] {
  const [, body = ""] = page.split(/^\| Folder \| [^|]+ \| May import \|\n\|[-|]+\|\n/m);
  const lines = body.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(0, end).map((line) => {
    const [, folders = "", , mayImport = ""] = line.split("|");
    return { folders: quoted(folders), mayImport: quoted(mayImport) };
  });
}

/** Where the table and the layers differ, for these source files. */
export function tableBreaches(rows: readonly Row[], files: readonly string[]): string[] {
  const folders = rows.flatMap((row) => row.folders);
  const missing = files.filter((path) => !folders.some((folder) => path.startsWith(folder)));
  return [
    ...[...new Set(missing.map((path) => path.slice(0, path.lastIndexOf("/") + 1)))].map(
      (folder) => `${folder} has no row`,
    ),
    ...rows.flatMap((row) => row.folders.flatMap((folder) => rowBreaches(folder, row.mayImport, folders, files))),
  ];
}

function rowBreaches(
  folder: string,
  mayImport: readonly string[],
  folders: readonly string[],
  files: readonly string[],
): string[] {
  const own = files.filter((path) => path.startsWith(folder));
  if (own.length === 0) return [`${folder} is in the table and has no file`];
  return folders
    .filter((target) => target !== folder && !target.endsWith(".ts"))
    .flatMap((target) => {
      const targets = files.filter((path) => path.startsWith(target) && !LOG_PORT_FILES.test(path));
      const said = mayImport.some((name) => target.startsWith(name));
      const wrong = own.find((path) => targets.some((other) => mayImportFile(path, other) !== said));
      return wrong === undefined
        ? []
        : [`${wrong}: the table says that ${target} may ${said ? "" : "not "}be imported`];
    });
}

const mayImportFile = (path: string, target: string): boolean =>
  LAYERS.find((layer) => layer.files.test(path))?.ours.test(target) === true;
