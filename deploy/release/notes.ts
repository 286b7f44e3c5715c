/** What a release says of itself: its section of the changelog. */

/**
 * The section of `version`, without its heading; of a snapshot what is not released yet. Throws where there is none,
 * and where a release would leave out what has changed since.
 */
export function notesOf(changelog: string, version: string, isSnapshot = false): string {
  const sections = changelog.split(/^## /m).slice(1);
  const find = (name: string): string | undefined =>
    sections.find((section) => section.startsWith(`[${name}]`))?.replace(/^.*\n+/, "");
  const unreleased = find("Unreleased")?.trim() ?? "";
  if (isSnapshot) return `${unreleased}\n`;
  const section = find(version)?.trim();
  if (section === undefined || section === "") throw new Error(`CHANGELOG.md has no section of ${version}`);
  if (unreleased !== "") {
    throw new Error(
      "CHANGELOG.md has changes under Unreleased: give them a version, there and in package.json, or write a --snapshot",
    );
  }
  return `${section}\n`;
}
