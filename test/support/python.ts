/** Runs programs that use the Python SDK, with the python3 of this machine. */
import { expect } from "bun:test";

const FOLDER = new URL("../../sdk/python", import.meta.url).pathname;
const version = Bun.which("python3") === null ? "" : Bun.spawnSync(["python3", "--version"]).stdout.toString();
const [, minor = 0] = /^Python 3\.(\d+)/.exec(version)?.map(Number) ?? [];

/** Where the programs of this machine are. */
export const PROGRAMS = { PATH: process.env["PATH"] };

/** Whether there is one that the SDK runs on. */
export const hasPython = minor >= 11;

interface Run {
  readonly input?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What the program prints. It must end well. */
export async function python(program: string, { input = "", args = [], env = {} }: Run = {}): Promise<string> {
  const child = Bun.spawn(["python3", "-B", "-c", program, ...args], {
    env: { ...PROGRAMS, PYTHONPATH: FOLDER, PYTHONUTF8: "1", no_proxy: "*", ...env },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ status: await child.exited, problems }).toEqual({ status: 0, problems: "" });
  return out;
}
