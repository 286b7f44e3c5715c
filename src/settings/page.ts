/** Writes `docs/settings.md` from the settings themselves: `bun run contract`. */
import type { TSchema } from "../../actors/schema.ts";
import { SETTING_GROUPS } from "./settings.ts";
import type { SettingOptions } from "./setting.ts";

const SETTINGS_PAGE_HEAD = `# Settings

Settings are environment variables, or lines of a file \`.env\` in the clone. An empty one counts as absent. The start reports all invalid values at once, and \`bun start --print-config\` prints the settings in effect, with secrets masked.

This page is written from \`src/settings/groups/\` by \`bun run contract\`.
`;

type DocumentedSetting = TSchema & SettingOptions & { readonly default?: unknown };

/** The page in Markdown: a table for each group. */
export function settingsPage(): string {
  const sections = SETTING_GROUPS.map(({ title, schemas }) => {
    const rows = Object.values(schemas as unknown as Readonly<Record<string, DocumentedSetting>>).map(
      (schema) => `| \`${schema.env}\` | ${schema.about} | ${defaultOf(schema)} | ${cell(schema.allowed)} |`,
    );
    return `## ${title}\n\n| Variable | What it sets | Default | Values |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return [SETTINGS_PAGE_HEAD, ...sections].join("\n");
}

function defaultOf({ otherwise, default: value }: DocumentedSetting): string {
  if (otherwise !== undefined) return otherwise;
  return value === undefined || (Array.isArray(value) && value.length === 0) ? "none" : `\`${String(value)}\``;
}

/** As text: a star of Markdown is one of the value. */
const cell = (text: string): string => text.replaceAll("*", String.raw`\*`);

if (import.meta.main) await Bun.write(new URL("../../docs/settings.md", import.meta.url), settingsPage());
