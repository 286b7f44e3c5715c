/** How people sign in, and how approvals reach them. */
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

export const MAIL = group("Mail", {
  smtpUrl: optionalSetting("SMTP_URL", "smtp-url", {
    allowed: "an address such as smtp://user:password@mail.example:587 (with STARTTLS) or smtps://mail.example",
    about:
      "The mail server that sends [approvals to people](guides/approvals-by-mail.md). The connection is always encrypted. It needs `MAIL_FROM`.",
    otherwise: "no mail is sent",
    secret: true,
  }),
  mailFrom: optionalSetting("MAIL_FROM", "mail-sender", {
    allowed: "an address such as troupe@example.com, or Troupe <troupe@example.com>",
    about: "The sender of the mails.",
  }),
  smtpCaFile: optionalSetting("SMTP_CA_FILE", "path", {
    allowed: "a PEM file with CA certificates",
    about: "CA certificates, in PEM, that are trusted for the mail server in place of the system's.",
    otherwise: "the system's",
  }),
});
