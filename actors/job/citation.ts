/** The source of a part of an answer, as the model cites it (RUN-16). Like the answer, it is content from outside. */
import { OneOf, type Static, Type } from "../schema.ts";

const CitationText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const CitationNumber = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const Citation = Type.Object(
  {
    start: Type.Integer({ description: "Where the cited part of the text begins, in UTF-16 units" }),
    end: Type.Integer({ description: "The first place behind the part" }),
    type: OneOf(["url", "document"] as const, { description: "A page of the web, or a document of the conversation" }),
    title: CitationText("The source's title, or its name; null: it has none"),
    url: CitationText("The source's address, with http or https; null: it has none"),
    document_index: CitationNumber("Which of the conversation's documents it is, counted from 0; null: it is none"),
    first_page: CitationNumber("The first page that is cited, counted from 1; null: the source has no pages"),
    last_page: CitationNumber("The last page that is cited; null: the source has no pages"),
    cited_text: CitationText(
      "The words of the source, cut after 1,000 characters; null: the provider does not tell them",
    ),
  },
  { $id: "Citation", title: "Citation", description: "Source of a part of an answer, as the model cites it" },
);
export type Citation = Static<typeof Citation>;

/** How many citations, and how many characters of them, a job's record keeps: the newest. Its messages have all. */
export const JOB_CITATIONS = { most: 128, characters: 64 * 1024 };

/** The newest of these, within `JOB_CITATIONS`. */
export function keptCitations(all: readonly Citation[]): Citation[] {
  let room = JOB_CITATIONS.characters;
  const from = all.findLastIndex(({ title, url, cited_text: words }) => {
    room -= (title?.length ?? 0) + (url?.length ?? 0) + (words?.length ?? 0);
    return room < 0;
  });
  return all.slice(Math.max(from + 1, all.length - JOB_CITATIONS.most));
}

/** On a text block or a result; absent: it cites nothing. */
export const Citations = Type.Optional(Type.Array(Citation, { description: "What the text cites, as parts of it" }));
