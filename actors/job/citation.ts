/** The source of a part of an answer, as the model cites it (RUN-16). Like the answer, it is content from outside. */
import { OneOf, type Static, Type } from "../schema.ts";

const CitationText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const CitationNumber = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const Citation = Type.Object(
  {
    start: Type.Integer({ description: "Start of the cited part of the text, in UTF-16 units" }),
    end: Type.Integer({ description: "End of the cited part, exclusive, in UTF-16 units" }),
    type: OneOf(["url", "document"] as const, { description: "A web page, or a document in the conversation" }),
    title: CitationText("Title or name of the source; null if it has none"),
    url: CitationText("URL of the source, with http or https; null if it has none"),
    document_index: CitationNumber(
      "Index of the document in the conversation, from 0; null if the source is not a document",
    ),
    first_page: CitationNumber("First cited page, from 1; null if the source has no pages"),
    last_page: CitationNumber("Last cited page; null if the source has no pages"),
    cited_text: CitationText(
      "Cited text of the source, at most 1,000 characters; null if the provider does not return it",
    ),
  },
  { $id: "Citation", title: "Citation", description: "A source that the model cites for a part of its answer" },
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
export const Citations = Type.Optional(Type.Array(Citation, { description: "Citations in the text" }));
