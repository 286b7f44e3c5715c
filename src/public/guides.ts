/** The guides of `docs/guides/`, served as they are, so that the contract can name them at any deployment. */
import { PublicDocument, TEXT_FORM } from "../http/document/document.ts";

const FOLDER = new URL("../../docs/guides/", import.meta.url);

/** Each guide by its file, with its title. */
export const GUIDES: ReadonlyMap<string, string> = new Map(
  [...new Bun.Glob("*.md").scanSync(FOLDER.pathname)].toSorted().map((name) => [name, titleOf(name)]),
);

export const guidePath = (name: string): string => `/guides/${name}`;

function titleOf(name: string): string {
  if (name === "README.md") return "Overview";
  const words = name.replace(/\.md$/, "").replaceAll("-", " ");
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\bmcp\b/i, "MCP");
}

/** A link out of the folder, which leads to a file of the repository: it is not served. */
const OUTSIDE = /\[([^\]]+)\]\((?:\.\.\/)+([^)#]+)[^)]*\)/g;

const made = new Map<string, Promise<PublicDocument>>();

/** One of `GUIDES`. */
export function guide(name: string): Promise<PublicDocument> {
  let document = made.get(name);
  if (document === undefined) made.set(name, (document = read(name)));
  return document;
}

async function read(name: string): Promise<PublicDocument> {
  const text = await Bun.file(new URL(name, FOLDER)).text();
  const shown = text.replaceAll(OUTSIDE, (_, words: string, path: string) =>
    words.includes(path) ? words : `${words} (\`${path}\` in the repository)`,
  );
  return new PublicDocument(shown, { ...TEXT_FORM, contentType: "text/markdown; charset=utf-8" });
}
