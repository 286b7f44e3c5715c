/** The rules: `docs/spec/`, a page for each chapter. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../docs/spec");

/** All pages, one after the other. */
export const specText = (): string =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => readFileSync(join(FOLDER, name), "utf8"))
    .join("\n");
