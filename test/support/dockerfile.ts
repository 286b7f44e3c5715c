/**
 * As much of `docker build` as shows whether a Dockerfile of ours is right, without Docker: what is copied is
 * copied, commands of Bun are run, and what needs the base image (packages of Debian, users) is named as not run.
 */
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface Instruction {
  readonly name: string;
  readonly words: string;
}

/** The instructions in their order; comments are left out, and continued lines are one. */
export const instructionsOf = (text: string): readonly Instruction[] =>
  text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", words = ""] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? [];
      return { name: name.toUpperCase(), words };
    });

export interface CopyOf {
  /** Of the stage with this name; null: of the context. */
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly to: string;
}

export function copyOf({ words }: Instruction): CopyOf {
  const parts = words.split(/\s+/);
  const flags = parts.filter((part) => part.startsWith("--"));
  const paths = parts.filter((part) => !part.startsWith("--"));
  const from = flags.find((flag) => flag.startsWith("--from="))?.slice("--from=".length) ?? null;
  return { from, sources: paths.slice(0, -1), to: paths.at(-1) ?? "" };
}

export interface Image {
  /** Its root file system, as far as it was made here. */
  readonly root: string;
  readonly workdir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly health: readonly string[];
  readonly user: string;
  /** Commands that need the base image. */
  readonly notRun: readonly string[];
}

/** Builds the last stage below `folder`. `bun`: the program that stands for the one of the image. */
export async function buildImage(text: string, context: string, folder: string, bun: string): Promise<Image> {
  const stages = new Map<string, string>();
  const notRun: string[] = [];
  let image: Image = { root: "", workdir: "/", environment: {}, entrypoint: [], health: [], user: "", notRun };
  for (const instruction of instructionsOf(text)) {
    const { name, words } = instruction;
    const inside = (path: string): string => join(image.root, resolve(image.workdir, path));
    if (name === "FROM") {
      const root = join(folder, `stage-${stages.size}`);
      stages.set(/\sAS\s+(\S+)/i.exec(words)?.[1] ?? String(stages.size), root);
      image = { ...image, root, workdir: "/", environment: {} };
    } else if (name === "WORKDIR") {
      image = { ...image, workdir: words };
      mkdirSync(inside("."), { recursive: true });
    } else if (name === "COPY") {
      const { from, sources, to } = copyOf(instruction);
      const base = from === null ? context : stages.get(from);
      if (base === undefined) throw new Error(`COPY of a stage that there is not: ${words}`);
      for (const source of sources) {
        const path = join(base, source);
        if (!existsSync(path)) throw new Error(`COPY of a file that there is not: ${words}`);
        const target = inside(to.endsWith("/") ? join(to, source) : to);
        mkdirSync(dirname(target), { recursive: true });
        cpSync(path, target, { recursive: true, verbatimSymlinks: true });
      }
    } else if (name === "RUN" && words.startsWith("bun ")) {
      const child = Bun.spawn([bun, ...words.split(/\s+/).slice(1)], { cwd: inside("."), stderr: "pipe" });
      const [said, code] = await Promise.all([child.stderr.text(), child.exited]);
      if (code !== 0) throw new Error(`${words}: ${said}`);
    } else if (name === "RUN") notRun.push(words);
    else if (name === "ENV") image = { ...image, environment: { ...image.environment, ...settingsOf(words) } };
    else if (name === "USER") image = { ...image, user: words };
    else if (name === "ENTRYPOINT") image = { ...image, entrypoint: JSON.parse(words) as string[] };
    else if (name === "HEALTHCHECK") {
      image = { ...image, health: JSON.parse(words.slice(words.indexOf("CMD") + "CMD".length)) as string[] };
    }
  }
  return image;
}

/** Build arguments that nobody gives are empty. */
const settingsOf = (words: string): Record<string, string> =>
  Object.fromEntries(
    words.split(/\s+/).map((word) => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1).replaceAll(/\$\w+/g, "")];
    }),
  );
