/**
 * The guides of `docs/guides/`, so that the contract can name them at any deployment: Markdown for programs, and a page
 * for browsers, whose links can be followed.
 */
import { PublicDocument, TEXT_FORM } from "../http/document/document.ts";
import { PAGE_HEADERS, PAGE_TYPE, pageText } from "../http/document/page.ts";

const GUIDES_FOLDER = new URL("../../docs/guides/", import.meta.url);

/** Each guide by its file, with its title. */
export const GUIDES: ReadonlyMap<string, string> = new Map(
  [...new Bun.Glob("*.md").scanSync(GUIDES_FOLDER.pathname)].toSorted().map((name) => [name, guideTitle(name)]),
);

export const guidePath = (name: string): string => `/guides/${name}`;

function guideTitle(name: string): string {
  if (name === "README.md") return "Overview";
  const words = name.replace(/\.md$/, "").replaceAll("-", " ");
  return (words.charAt(0).toUpperCase() + words.slice(1))
    .replace(/\b(?:mcp|a2a|acp)\b/i, (name) => name.toUpperCase())
    .replace(/\bopenai\b/i, "OpenAI");
}

/** A link out of the folder, which leads to a file of the repository: it is not served. */
const OUTSIDE = /\[([^\]]+)\]\((?:\.\.\/)+([^)#]+)[^)]*\)/g;

interface Guide {
  readonly markdown: PublicDocument;
  readonly page: PublicDocument;
}

const madeGuides = new Map<string, Promise<Guide>>();

/** One of `GUIDES`. Browsers say that they take HTML; a program that takes anything gets the Markdown. */
export async function guide(name: string, accept: string | null): Promise<PublicDocument> {
  let read = madeGuides.get(name);
  if (read === undefined) madeGuides.set(name, (read = readGuide(name)));
  const { markdown, page } = await read;
  return accept?.includes("text/html") === true ? page : markdown;
}

/** A cache between must not give one for the other. */
const VARY = { vary: "accept, accept-encoding" };

async function readGuide(name: string): Promise<Guide> {
  const text = await Bun.file(new URL(name, GUIDES_FOLDER)).text();
  const shown = text.replaceAll(OUTSIDE, (_, words: string, path: string) =>
    words.includes(path) ? words : `${words} (\`${path}\` in the repository)`,
  );
  const title = GUIDES.get(name) ?? name;
  const content = Bun.markdown.html(shown, { headings: { ids: true } });
  return {
    markdown: new PublicDocument(shown, {
      ...TEXT_FORM,
      contentType: "text/markdown; charset=utf-8",
      headers: VARY,
    }),
    // Relative, for the service may be below a path of its host.
    page: new PublicDocument(pageText({ title, content, root: "../" }), {
      ...TEXT_FORM,
      contentType: PAGE_TYPE,
      headers: { ...PAGE_HEADERS, ...VARY },
    }),
  };
}
