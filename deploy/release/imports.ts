/** What a program is made of: the files of ours that it reaches by its imports, and the packages that they name. */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isBuiltin } from "node:module";
import { ROOT } from "./packages.ts";

export interface Program {
  /** From the root, sorted. */
  readonly files: readonly string[];
  /** Sorted, without the paths inside of them. */
  readonly packages: readonly string[];
}

/** Imports of types are none: they are gone before the program runs. */
export function programOf(entry: string, root = ROOT): Program {
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun" });
  const files = new Set<string>();
  const packages = new Set<string>();
  const read = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    if (!file.endsWith(".ts")) return;
    for (const { path } of transpiler.scanImports(readFileSync(join(root, file), "utf8"))) {
      if (path.startsWith(".")) read(relative(root, join(root, dirname(file), path)));
      else if (!isBuiltin(path) && path !== "bun" && !path.startsWith("bun:")) packages.add(packageOf(path));
    }
  };
  read(entry);
  return { files: [...files].toSorted(), packages: [...packages].toSorted() };
}

const packageOf = (path: string): string =>
  path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");
