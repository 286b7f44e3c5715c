/** The page of a link that sets a password (AUTH-16). */
import { enter, faultPage, type PageParts } from "./sign-in-page.ts";
import { html } from "./html.ts";
import { renderPage } from "./layout.ts";
import { LINK_HOURS, PASSWORD_PATH } from "./password-link.ts";
import { complaintOf, PASSWORD_MAX, PASSWORD_MIN } from "./passwords.ts";
import type { Visit } from "./visit.ts";

export async function showSetPassword(parts: PageParts, { query }: Visit): Promise<Response> {
  const link = passwordLinkIn(query);
  const member = await parts.accounts.ofLink(link.user, link.key);
  if (member.ok) return passwordForm({ ...link, email: member.value.email });
  return member.fault.kind === "not_found" ? linkIsOver() : faultPage(member.fault);
}

export async function setPassword(parts: PageParts, visit: Visit): Promise<Response> {
  const { form, sender } = visit;
  const link = passwordLinkIn(form);
  const member = await parts.accounts.ofLink(link.user, link.key);
  if (!member.ok) return member.fault.kind === "not_found" ? linkIsOver() : faultPage(member.fault);
  const { email } = member.value;
  const password = form.get("password") ?? "";
  const wrong = complaintOf(password, email) ?? (password === form.get("again") ? null : "The two passwords differ.");
  if (wrong !== null) return passwordForm({ ...link, email, wrong });
  const started = await parts.accounts.setByLink(link.user, { key: link.key, password }, sender);
  if (started.ok) return enter(parts, visit, { started: started.value, next: null });
  return started.fault.kind === "not_found" ? linkIsOver() : faultPage(started.fault);
}

interface Link {
  readonly user: string;
  readonly key: string;
}

const passwordLinkIn = (given: URLSearchParams): Link => ({
  user: given.get("user") ?? "",
  key: given.get("key") ?? "",
});

const passwordForm = ({
  user,
  key,
  email,
  wrong,
}: Link & { readonly email: string; readonly wrong?: string }): Response =>
  renderPage({
    title: "Choose a password",
    status: wrong === undefined ? 200 : 400,
    content: html`<section>
      ${wrong === undefined ? null : html`<p class="bad" role="alert">${wrong}</p>`}
      <form method="post" action="${PASSWORD_PATH}">
        <input type="hidden" name="user" value="${user}" /><input type="hidden" name="key" value="${key}" />
        <label for="email">E-mail address</label>
        <input id="email" type="email" autocomplete="username" readonly value="${email}" />
        ${newPasswordFields()}
        <button>Set the password and sign in</button>
      </form>
    </section>`,
  });

/** A new password, twice. */
export const newPasswordFields = () =>
  html`<label for="password">New password</label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="new-password"
      required
      minlength="${PASSWORD_MIN}"
      maxlength="${PASSWORD_MAX}"
      aria-describedby="password-rule"
    />
    <p class="note" id="password-rule">At least ${PASSWORD_MIN} characters. A few unrelated words are good.</p>
    <label for="again">The same again</label>
    <input id="again" name="again" type="password" autocomplete="new-password" required maxlength="${PASSWORD_MAX}" />`;

const linkIsOver = (): Response =>
  renderPage({
    title: "This link does not open any more",
    status: 404,
    content: html`<section>
      <p>
        A link sets a password once, within ${LINK_HOURS} hours. The person who runs this service makes another one:
      </p>
      <p><code>bun run admin user link --email …</code></p>
    </section>`,
  });
