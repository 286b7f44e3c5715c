/**
 * Settings of the bridge for editors (`troupe acp`): options of its command, variables, and a file of the person.
 *
 * An editor starts the bridge in the folder of a project, and Bun reads `.env` files there. A project must not choose
 * to whom the bridge shows the token: so variables that such a file has are refused.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isJsonObject } from "../../actors/schema.ts";
import { type Environment, environmentWith } from "./config.ts";

export interface BridgeSettings {
  /** The address of the service. */
  readonly url: string;
  readonly token: string;
  /** The agent of new sessions; null: the only one that the token's owner sees. */
  readonly agent: string | null;
}

/** What the command's options say. */
export interface BridgeOptions {
  readonly url?: string | undefined;
  readonly agent?: string | undefined;
  /** The file with the settings. */
  readonly settings?: string | undefined;
}

export const BRIDGE_VARIABLES = { url: "TROUPE_URL", token: "TROUPE_TOKEN", agent: "TROUPE_AGENT" } as const;
/** Where a service of the own machine is. */
const LOCAL_URL = "http://127.0.0.1:3000";
const ENV_FILES = [".env", ".env.local", ".env.development", ".env.production", ".env.test"] as const;

/** Below the person's folder of settings. */
const SETTINGS_FILE = join("troupe", "acp.json");

/** The settings, or what is wrong with them. `folder` is where the bridge was started. */
export function readBridgeSettings(
  given: BridgeOptions,
  { env = environmentWith({}), folder = process.cwd() }: { readonly env?: Environment; readonly folder?: string } = {},
): BridgeSettings | string {
  const foreign = foreignVariable(folder);
  if (foreign !== null) return foreign;
  const path = given.settings ?? join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), SETTINGS_FILE);
  const file = fileSettings(path, given.settings !== undefined);
  if (typeof file === "string") return file;
  const of = (name: keyof typeof BRIDGE_VARIABLES): string | undefined => {
    const own = name === "token" ? undefined : given[name];
    const variable = env[BRIDGE_VARIABLES[name]];
    return own ?? (variable === "" ? undefined : variable) ?? file[name];
  };
  const url = of("url") ?? LOCAL_URL;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return `The address of the service is ${JSON.stringify(url)}; it must begin with http:// or https://`;
  const token = of("token");
  if (token === undefined)
    return `There is no token: set TROUPE_TOKEN in the editor's settings, or "token" in ${path}. The console makes tokens, under Settings`;
  return { url: url.replace(/\/+$/, ""), token, agent: of("agent") ?? null };
}

/** A complaint about a variable that a file of the project has set; null: there is none. */
function foreignVariable(folder: string): string | null {
  for (const name of ENV_FILES) {
    const path = join(folder, name);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    for (const variable of Object.values(BRIDGE_VARIABLES))
      if (new RegExp(`^\\s*(?:export\\s+)?${variable}\\s*[=:]`, "m").test(text))
        return `${path} sets ${variable}. A project must not choose where your token goes: set it in the editor's settings, and remove it there`;
  }
  return null;
}

type FileSettings = Partial<Record<keyof typeof BRIDGE_VARIABLES, string>>;

/** The settings of the file; it need not exist unless it was named. */
function fileSettings(path: string, isNamed: boolean): FileSettings | string {
  if (!existsSync(path)) return isNamed ? `There is no file ${path}` : {};
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    return `${path} cannot be read: ${(cause as Error).message}`;
  }
  const names = Object.keys(BRIDGE_VARIABLES);
  const isRight =
    isJsonObject(read) &&
    Object.entries(read).every(([name, value]) => names.includes(name) && typeof value === "string");
  return isRight ? (read as FileSettings) : `${path} must be an object with the texts ${names.join(", ")}`;
}
