/**
 * All settings. `groups/` is the single source of their names, defaults, allowed values, types, secrets and
 * descriptions.
 */
import { type Static, Type } from "../../actors/schema.ts";
import { LIMIT_SETTINGS } from "./groups/limits.ts";
import { MODELS } from "./groups/models.ts";
import { ADDRESS_SETTINGS, NETWORK } from "./groups/network.ts";
import { PROCESS } from "./groups/process.ts";
import { MAIL, SIGN_IN } from "./groups/people.ts";
import { STORAGE } from "./groups/storage.ts";
import { TRACING } from "./groups/tracing.ts";
import type { ProviderFileContent } from "./model-providers.ts";

/** All settings, in the order in which they are shown. */
export const SETTING_GROUPS = [
  ADDRESS_SETTINGS,
  STORAGE,
  MODELS,
  LIMIT_SETTINGS,
  NETWORK,
  SIGN_IN,
  MAIL,
  PROCESS,
  TRACING,
] as const;

export const Settings = Type.Object({
  ...ADDRESS_SETTINGS.schemas,
  ...STORAGE.schemas,
  ...MODELS.schemas,
  ...LIMIT_SETTINGS.schemas,
  ...NETWORK.schemas,
  ...SIGN_IN.schemas,
  ...MAIL.schemas,
  ...PROCESS.schemas,
  ...TRACING.schemas,
});

/** The typed settings. `dataDir` is absolute; `appUrl` has no trailing slash. */
export type Config = Readonly<Static<typeof Settings>> & {
  /** What the file of MODEL_PROVIDERS says. */
  readonly provided?: ProviderFileContent;
};

export interface ConfigError {
  readonly variable: string;
  /** What is wrong and what is allowed; never the value of a secret. */
  readonly message: string;
}

/** A check of several settings together. It runs if all settings that it reads are valid on their own. */
export interface SettingsCheck {
  readonly reads: readonly string[];
  readonly errors: (config: Partial<Config>) => readonly ConfigError[];
}
