/** A question before something that cannot be undone: a page with a form that does it, and a way back. It needs no script. */
import { type Html, html } from "./html.ts";
import { renderPage } from "./layout.ts";

/** The form's action on this record after the confirmation. */
type QuestionFields = Readonly<Record<string, string>>;

export interface PageQuestion {
  readonly title: string;
  /** The consequences. */
  readonly words: string;
  /** Where the form is sent: the question's own address, by POST. */
  readonly path: string;
  readonly fields: QuestionFields;
  /** The labels of the two buttons. */
  readonly yes: string;
  readonly no: string;
  readonly back: string;
}

/** Leads to the question. */
export function questionLink(path: string, fields: QuestionFields, words: string, label: string): Html {
  const query = new URLSearchParams(fields).toString();
  return html`<a class="quiet button" href="${path}${query === "" ? "" : `?${query}`}" aria-label="${label}"
    >${words}</a
  >`;
}

export const questionPage = ({ title, words, path, fields, yes, no, back }: PageQuestion): Response =>
  renderPage({
    title,
    isSignedIn: true,
    content: html`<section>
      <p>${words}</p>
      <form method="post" action="${path}">
        ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <div class="actions">
          <button class="danger">${yes}</button><a class="quiet button" href="${back}">${no}</a>
        </div>
      </form>
    </section>`,
  });
