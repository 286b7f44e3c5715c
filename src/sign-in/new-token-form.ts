/** The form with which a person makes a token, and what can be wrong with it (AUTH-13). */
import { isLonger } from "../../actors/cut-text.ts";
import { TOKEN_DAYS, TOKEN_DAYS_MAX, TOKEN_DAYS_MIN, TOKEN_NAME_CHARACTERS } from "../../actors/organization/tokens.ts";
import { type Html, html } from "./html.ts";
import { OFFERED_SCOPES } from "./scope-words.ts";
import { ACCOUNT_PATH } from "./sign-in-page.ts";
import type { Visit } from "./visit.ts";

export function complaintOfToken(name: string, scopes: readonly string[], days: number): string | null {
  if (name === "" || isLonger(name, TOKEN_NAME_CHARACTERS) || /\p{Cc}/u.test(name))
    return `A token has a name of 1 to ${TOKEN_NAME_CHARACTERS} characters.`;
  if (scopes.length === 0) return "Choose what the token may do.";
  if (!Number.isInteger(days) || days < TOKEN_DAYS_MIN || days > TOKEN_DAYS_MAX)
    return `A token lives for ${TOKEN_DAYS_MIN} to ${TOKEN_DAYS_MAX} days.`;
  return null;
}

/** `draft`: the form as it was sent and refused. */
export const newTokenSection = (draft?: Visit["form"]): Html => {
  const chosen = draft?.getAll("scope") ?? [];
  return html`<section aria-labelledby="new-token">
    <h2 id="new-token">New token</h2>
    <p class="note">For a program that acts as you. It may do what you choose here, and never more than you may.</p>
    <form method="post" action="${ACCOUNT_PATH}/tokens">
      <label for="token-name">What it is for</label
      ><input
        id="token-name"
        name="name"
        required
        maxlength="${TOKEN_NAME_CHARACTERS}"
        value="${draft?.get("name") ?? ""}"
      />
      <fieldset>
        <legend>It may</legend>
        <div class="choices">
          ${OFFERED_SCOPES.map(
            ({ scope, words }) =>
              html`<label
                ><input
                  type="checkbox"
                  name="scope"
                  value="${scope}"
                  ${chosen.includes(scope) ? "checked" : null}
                />${words}</label
              >`,
          )}
        </div>
      </fieldset>
      <label for="days">Days until it expires</label
      ><input
        id="days"
        name="days"
        type="number"
        min="${TOKEN_DAYS_MIN}"
        max="${TOKEN_DAYS_MAX}"
        value="${draft?.get("days") ?? String(TOKEN_DAYS)}"
        required
      />
      <button>Make the token</button>
    </form>
  </section>`;
};
