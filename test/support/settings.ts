/** Settings as an environment gives them. */
import { type Environment, describeErrors, readConfig } from "../../src/settings/config.ts";
import type { Config } from "../../src/settings/settings.ts";

/** A `TROUPE_SECRET`. */
export const SECRET = Buffer.alloc(32, 7).toString("base64");

/** The settings of an environment without errors. */
export function configOf(env: Environment): Config {
  const result = readConfig(env);
  if (!result.ok) throw new Error(describeErrors(result.errors));
  return result.config;
}

/** The variables that are refused. */
export function errorsOf(env: Environment): readonly string[] {
  const result = readConfig(env);
  return result.ok ? [] : result.errors.map((error) => error.variable);
}
