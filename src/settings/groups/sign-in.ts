/** How people sign in. */
import { group, key, optionalSetting } from "../setting.ts";

export const SIGN_IN = group("Sign-in by your own provider", {
  oidcIssuer: optionalSetting("OIDC_ISSUER", "issuer-url", {
    allowed: "the OpenID provider's issuer, an https URL",
    about:
      "The OpenID Connect provider with which people [sign in](guides/sign-in.md#with-your-own-openid-provider). It needs the next two settings.",
  }),
  oidcClientId: optionalSetting("OIDC_CLIENT_ID", "word", {
    allowed: "the client id of this service at the OpenID provider",
    about: "The client id of this service at the provider.",
  }),
  oidcClientSecret: key("OIDC_CLIENT_SECRET", {
    allowed: "a secret without spaces",
    about: "The client secret for that id.",
  }),
  oidcName: optionalSetting("OIDC_NAME", "name", {
    allowed: "a display name of at most 40 characters",
    about: "The name of the provider on the page: “Continue with …”.",
    otherwise: "the issuer's host",
  }),
});
