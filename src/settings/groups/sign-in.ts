/** How people sign in. */
import { group, key, optionalSetting } from "../setting.ts";

export const SIGN_IN = group("Sign-in by your own provider", {
  oidcIssuer: optionalSetting("OIDC_ISSUER", "issuer-url", {
    allowed: "the https URL that the OpenID provider calls itself by",
    about:
      "An OpenID Connect provider by which people [sign in](guides/sign-in.md#with-your-own-openid-provider). It needs the next two settings.",
  }),
  oidcClientId: optionalSetting("OIDC_CLIENT_ID", "word", {
    allowed: "the id that the OpenID provider knows this service by",
    about: "The client id that the provider knows this service by.",
  }),
  oidcClientSecret: key("OIDC_CLIENT_SECRET", {
    allowed: "a secret without spaces",
    about: "The client secret for it.",
  }),
  oidcName: optionalSetting("OIDC_NAME", "name", {
    allowed: "a name of at most 40 characters for people to read",
    about: "The name of the provider on the page: “Continue with …”.",
    otherwise: "the issuer's host",
  }),
});
