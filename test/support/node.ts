/** Node itself, where the machine has it. */

export interface NodeProgram {
  readonly path: string;
  readonly folder: string;
  readonly version: string;
}

/** Another program than the one that runs the tests: `bun test` may put a `node` of its own into the PATH. */
export function realNode(): NodeProgram | null {
  for (const folder of (Bun.env["PATH"] ?? "").split(":")) {
    const path = Bun.which("node", { PATH: folder });
    if (path === null) continue;
    const script = "console.log(process.versions.bun ? 'bun' : process.versions.node)";
    const version = Bun.spawnSync([path, "-e", script]).stdout.toString().trim();
    if (/^\d/.test(version)) return { path, folder, version };
  }
  return null;
}
