/** How a setting is declared (`groups/`): its schema, and what the environment reader and the settings page need. */
import { OneOf, type TSchema, Type } from "../../actors/schema.ts";

/** Options of a setting's schema beyond JSON Schema. */
export interface SettingOptions {
  /** The variable's name. */
  readonly env: string;
  /** Completes "must be …". */
  readonly allowed: string;
  /** What it sets, for `docs/settings.md`: Markdown, one or two sentences. Links start in `docs/`. */
  readonly about: string;
  /** Describes the value that applies without it, if there is no `default`, or if a default needs an explanation. */
  readonly otherwise?: string;
  /** Never printed. */
  readonly secret?: true;
}

/** Settings that are shown together, under a title. */
export interface SettingGroup<Schemas extends Readonly<Record<string, TSchema>>> {
  readonly title: string;
  readonly schemas: Schemas;
}

export const group = <Schemas extends Readonly<Record<string, TSchema>>>(
  title: string,
  schemas: Schemas,
): SettingGroup<Schemas> => ({ title, schemas });

export const setting = <T extends object>(options: SettingOptions & T): SettingOptions & T => options;

/** The texts of a setting of a common form. */
type SettingWords = Pick<SettingOptions, "about" | "otherwise">;
type AllowedWords = SettingWords & Pick<SettingOptions, "allowed">;

/** A whole number within these bounds, both included. */
export const wholeNumber = (
  env: string,
  fallback: number,
  [minimum, maximum]: readonly [number, number],
  words: SettingWords & Partial<AllowedWords>,
) =>
  Type.Integer(
    setting({
      env,
      default: fallback,
      minimum,
      maximum,
      allowed: `a whole number from ${minimum} to ${maximum}`,
      ...words,
    }),
  );

/** A port; 0 takes any free one. */
export const port = <T extends object>(env: string, words: SettingWords & T) =>
  Type.Integer(
    setting({ env, minimum: 0, maximum: 65_535, allowed: "an integer from 0 (any free port) to 65535", ...words }),
  );

/** `true`, `false`, `1` or `0`. */
export const flag = (env: string, words: SettingWords) =>
  Type.Boolean(setting({ env, default: false, allowed: "true, false, 1 or 0", ...words }));

/** One of these words. */
export const choice = <const V extends readonly string[]>(
  env: string,
  values: V,
  words: Pick<SettingOptions, "about"> & { readonly default: V[number] },
) => OneOf(values, setting({ env, allowed: values.join(", "), ...words }));

/** Entries in a format, separated by commas or spaces; none by default. */
export const list = (env: string, format: string, words: AllowedWords) =>
  Type.Array(Type.String({ format }), setting({ env, default: [] as string[], ...words }));

/** An optional text in a format. */
export const optionalSetting = (env: string, format: string, words: AllowedWords & { readonly secret?: true }) =>
  Type.Optional(Type.String(setting({ env, format, ...words })));

/** An optional key without spaces, which is never printed. */
export const key = (env: string, words: SettingWords & Partial<AllowedWords>) =>
  optionalSetting(env, "word", { allowed: "a key without spaces", secret: true, ...words });
