/**
 * The only script of the sign-in and account pages (AUTH-22), because browsers offer passkeys only to scripts. It shows
 * the forms that are marked for it, fills them in, and sends them; without it, or in a browser without passkeys, they
 * stay hidden.
 */
export const PASSKEY_SCRIPT = `
(() => {
  const keys = window.PublicKeyCredential;
  if (!keys || !keys.parseRequestOptionsFromJSON || !keys.parseCreationOptionsFromJSON) return;
  const ask = async (form) => {
    const answer = await fetch(form.action + "/options", { method: "POST", body: new URLSearchParams() });
    if (answer.status === 429) throw new Error("There were too many attempts. Wait a minute.");
    if (!answer.ok || answer.redirected) throw new Error("Load this page again, and try once more.");
    const publicKey = await answer.json();
    return form.dataset.passkey === "new"
      ? navigator.credentials.create({ publicKey: keys.parseCreationOptionsFromJSON(publicKey) })
      : navigator.credentials.get({ publicKey: keys.parseRequestOptionsFromJSON(publicKey) });
  };
  const words = (error) => {
    if (error.name === "NotAllowedError") return "No passkey was used: it was cancelled, or took too long.";
    if (error.name === "InvalidStateError") return "This device has a passkey of yours already.";
    return error.name === "Error" ? error.message : "The browser could not use a passkey (" + error.name + ").";
  };
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const button = form.querySelector("button");
    const said = form.querySelector("[role=alert]");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      button.disabled = true;
      said.textContent = "";
      try {
        form.elements.credential.value = JSON.stringify((await ask(form)).toJSON());
        form.submit();
      } catch (error) {
        said.textContent = words(error);
        button.disabled = false;
      }
    });
    form.hidden = false;
  }
})();
`;
