/** What is shown once, with a button that copies it. Without scripts one click selects the text. */
import { type Html, html } from "./html.ts";

export const copyableText = (text: string, what: string): Html =>
  html`<code class="secret">${text}</code>
    <p hidden data-copy>
      <button type="button" class="quiet" aria-label="Copy the ${what}">Copy</button> <span role="status"></span>
    </p>`;

/**
 * Shows the buttons. Browsers offer the clipboard only to pages over https and of this machine: elsewhere the selected
 * text is copied as the Edit menu does.
 */
export const COPY_SCRIPT = `
for (const row of document.querySelectorAll("[data-copy]")) {
  const text = row.previousElementSibling;
  const said = row.querySelector("[role=status]");
  const select = () => {
    const range = document.createRange();
    range.selectNodeContents(text);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };
  const copy = async () => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text.textContent).then(() => true, () => false);
    select();
    return document.execCommand("copy");
  };
  row.querySelector("button").addEventListener("click", async () => {
    const isCopied = await copy();
    if (!isCopied) select();
    said.textContent = isCopied ? "Copied." : "Selected: copy it with the keyboard.";
  });
  row.hidden = false;
}
`;
