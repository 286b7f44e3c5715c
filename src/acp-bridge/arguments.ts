/** The arguments of `troupe acp`. */
import type { BridgeOptions } from "../settings/bridge-settings.ts";

export const BRIDGE_HELP = `Usage: troupe acp [--agent NAME] [--url URL] [--settings FILE]

Connects an editor that speaks the Agent Client Protocol with an agent of a service.

  --agent NAME     the agent, by its name or id
  --url URL        the address of the service; the default is http://127.0.0.1:3000
  --settings FILE  a JSON file with url, token and agent; the default is troupe/acp.json in the folder of settings
  --help           print this and end

Variables: TROUPE_TOKEN, TROUPE_URL, TROUPE_AGENT. Options come before variables, variables before the file.`;

export interface BridgeArguments extends BridgeOptions {
  readonly printsHelp: boolean;
}

const BRIDGE_OPTIONS = ["agent", "url", "settings"] as const;

/** Parses the arguments, or answers an error message. */
export function readBridgeArguments(argv: readonly string[]): BridgeArguments | string {
  const given: Partial<Record<(typeof BRIDGE_OPTIONS)[number], string>> = {};
  const left = [...argv];
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    if (argument === "--help" || argument === "-h") return { printsHelp: true };
    const [option = "", inline] = argument.split(/=(.*)/s, 2);
    const name = BRIDGE_OPTIONS.find((one) => option === `--${one}`);
    if (name === undefined) return `Unknown argument ${argument}; there are --agent, --url, --settings and --help`;
    const value = inline ?? left.shift() ?? "";
    if (value === "") return `${option} needs a value`;
    given[name] = value;
  }
  return { printsHelp: false, ...given };
}
