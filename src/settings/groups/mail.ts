/** Mails about approvals. */
import { group, optionalSetting } from "../setting.ts";

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
