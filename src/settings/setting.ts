/** Helpers to declare settings (`config.ts`). */
import { Type } from "../../actors/schema.ts";

/** Options of a setting's schema beyond JSON Schema. */
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

/** An optional text in a format. */
export const optional = (env: string, format: string, allowed: string) =>
  Type.Optional(Type.String(setting({ env, format, allowed })));
