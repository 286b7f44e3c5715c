/** The page that explains the error codes (DOC-8), each under the anchor that the `type` of an error points at. */
import { escapeHtml, pageText } from "../http/document/page.ts";
import { errorUrl } from "../http/contract/paths.ts";
import type { Shown } from "../http/contract/operation.ts";
import type { Services } from "../operations/services.ts";
import type { AgentReadiness } from "./schema.ts";

const ERRORS_PAGE_STYLE =
  "h2{font-size:1.1rem}article{scroll-margin-top:1rem}:target{outline:2px solid Highlight;outline-offset:.5rem}";

export const errorsPage = (services: Services): string =>
  pageText({
    title: "Error codes",
    // Relative, for the service may be below a path of its host.
    root: "../",
    content: `<style>${ERRORS_PAGE_STYLE}</style>
<h1>Error codes</h1>
<p>Every error of the current surface has one of these codes, in <code>code</code> and in <code>error</code>. Its
<code>type</code> is the address of the explanation here.</p>
${explainedErrors(services).map(article).join("\n")}`,
  });

const article = ({ code, status, meaning, remedy }: ExplainedError): string =>
  `<article id="error-${code}"><h2><a href="#error-${code}"><code>${code}</code></a> ${status}</h2><p>${prose(meaning)}</p><p>${prose(remedy)}</p></article>`;

/** Plain text with `code` in it, as HTML. */
const prose = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

/** One code, as the documents show it. */
export type ExplainedError = Shown<typeof AgentReadiness>["errors"]["codes"][number];

/** The explained codes, with the addresses of their explanations. */
export const explainedErrors = ({ facts, appUrl }: Services): readonly ExplainedError[] =>
  Object.entries(facts.errorCodes).map(([code, { status, meaning, remedy }]) => ({
    code,
    status,
    meaning,
    remedy,
    url: errorUrl(appUrl(), code),
  }));
