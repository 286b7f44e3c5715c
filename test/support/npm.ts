/** npm, as a machine with Node has it: without Bun in the PATH, and with the registry that this machine uses. */
import { join } from "node:path";
import { realNode } from "./node.ts";

export interface Npm {
  readonly program: string;
  /** Node's folder and the system's. */
  readonly path: string;
  /** For commands of npm whose home folder is `home`. What was fetched once is not fetched again. */
  environment(home: string): Record<string, string>;
}

export function npmOfNode(): Npm | null {
  const node = realNode();
  const program = node === null ? null : Bun.which("npm", { PATH: node.folder });
  if (node === null || program === null) return null;
  const path = `${node.folder}:/usr/bin:/bin`;
  const own = process.env["HOME"] ?? "/nonexistent";
  return {
    program,
    path,
    environment: (home) => ({
      PATH: path,
      HOME: home,
      npm_config_cache: process.env["npm_config_cache"] ?? join(own, ".npm"),
      npm_config_userconfig: process.env["NPM_CONFIG_USERCONFIG"] ?? join(own, ".npmrc"),
      npm_config_update_notifier: "false",
    }),
  };
}
