/** The words in which settings are declared (`config.ts`). */
import { Type } from "../../actors/schema.ts";

/** What the schema of a setting says beyond JSON Schema. */
export interface SettingOptions {
  /** The variable's name. */
  readonly env: string;
  /** Completes "must be …". */
  readonly allowed: string;
  /** Never printed. */
  readonly secret?: true;
}

export const setting = <T extends object>(options: SettingOptions & T): SettingOptions & T => options;

/** A whole number within these bounds, both included. */
export const wholeNumber = (env: string, fallback: number, [minimum, maximum]: readonly [number, number]) =>
  Type.Integer(
    setting({ env, default: fallback, minimum, maximum, allowed: `a whole number from ${minimum} to ${maximum}` }),
  );

/** A text of a format that need not be set. */
export const optional = (env: string, format: string, allowed: string) =>
  Type.Optional(Type.String(setting({ env, format, allowed })));
