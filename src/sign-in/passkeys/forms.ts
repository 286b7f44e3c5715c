/** The forms for passkeys (AUTH-22): the button of the sign-in page, and a section of the account. */
import type { Passkey } from "../../../actors/account/schema.ts";
import { type Html, html } from "../html.ts";
import { questionLink } from "../question.ts";

export const SIGN_IN_PASSKEY_PATH = "/sign-in/passkey";
export const PASSKEYS_PATH = "/account/passkeys";
export const PASSKEY_NAME_CHARACTERS = 60;

/** Hidden until the script finds that the browser supports passkeys. */
export const passkeySignIn = (next: string | null): Html =>
  html`<form method="post" action="${SIGN_IN_PASSKEY_PATH}" data-passkey="get" hidden>
    <input
      type="hidden"
      name="credential"
    />${next === null ? null : html`<input type="hidden" name="next" value="${next}" />`}
    <p class="bad" role="alert"></p>
    <button class="quiet wide">Sign in with a passkey</button>
  </form>`;

interface PasskeySection {
  readonly passkeys: readonly Passkey[];
  /** Whether a passkey can be created here. */
  readonly isOffered: boolean;
  /** The default name of a new passkey. */
  readonly name: string;
}

export function passkeySection({ passkeys, isOffered, name }: PasskeySection): Html | null {
  if (!isOffered && passkeys.length === 0) return null;
  return html`<section aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    <p class="note">
      You sign in with a fingerprint, a face or the PIN of a device instead of a password.
      ${passkeys.length === 0 ? "You have none yet." : null}
    </p>
    ${
      passkeys.length === 0
        ? null
        : html`<ul class="rows">
            ${passkeys.map(row)}
          </ul>`
    }
    ${isOffered ? newPasskey(name) : null}
  </section>`;
}

const row = ({ id, name, createdAt, lastUsedAt }: Passkey): Html =>
  html`<li>
    <div class="about">
      <p><strong>${name}</strong></p>
      <p class="note">
        Since ${createdAt.slice(0, 10)}, ${lastUsedAt === null ? "never used" : `last used ${lastUsedAt.slice(0, 10)}`}
      </p>
    </div>
    ${questionLink(`${PASSKEYS_PATH}/remove`, { id }, "Remove", `Remove the passkey ${name}`)}
  </li>`;

const newPasskey = (name: string): Html =>
  html`<noscript><p class="note">To add one, allow scripts on this page.</p></noscript>
    <form method="post" action="${PASSKEYS_PATH}" data-passkey="new" hidden>
      <input type="hidden" name="credential" />
      <label for="passkey-name">Name of a new passkey</label
      ><input id="passkey-name" name="name" required maxlength="${PASSKEY_NAME_CHARACTERS}" value="${name}" />
      <p class="bad" role="alert"></p>
      <button>Add a passkey</button>
    </form>`;
