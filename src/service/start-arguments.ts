/** The arguments of a start. */
import { SUPERVISED } from "./supervision.ts";

/** More replicas than any machine has cores for. */
const MOST_REPLICAS = 64;

export const START_HELP = `Usage: bun start [--replicas N] [--print-config]

  --replicas N     serve with N processes behind one port (Linux)
  --print-config   print the effective settings, secrets masked, and end
  --help           print this and end

Settings are environment variables, or lines of a file .env: docs/settings.md lists them.
Administration: bun run admin --help`;

export interface StartArguments {
  readonly printsHelp: boolean;
  readonly printsConfig: boolean;
  /** Processes to start; 1: this one serves. */
  readonly replicas: number;
  /** Whether a supervisor started this process as one of several. */
  readonly isSupervised: boolean;
}

/** Parses the arguments, or answers an error message. */
export function readArguments(argv: readonly string[]): StartArguments | string {
  let printsHelp = false;
  let printsConfig = false;
  let isSupervised = false;
  let replicas = 1;
  const left = [...argv];
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    const [name, inline] = argument.split("=", 2);
    if (argument === "--help" || argument === "-h") printsHelp = true;
    else if (argument === "--print-config") printsConfig = true;
    else if (argument === SUPERVISED) isSupervised = true;
    else if (name === "--replicas") {
      const value = inline ?? left.shift() ?? "";
      replicas = /^\d{1,3}$/.test(value) ? Number(value) : 0;
      if (replicas < 1 || replicas > MOST_REPLICAS)
        return `--replicas is ${JSON.stringify(value)}; it must be a whole number from 1 to ${MOST_REPLICAS}`;
    } else return `Unknown argument ${argument}; there are --print-config, --replicas N and --help`;
  }
  return { printsHelp, printsConfig, replicas, isSupervised };
}
