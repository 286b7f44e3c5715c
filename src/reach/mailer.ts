/**
 * Sends mails by SMTP (REACH-4): one connection a mail, always over TLS (`smtps://`, or `smtp://` with STARTTLS), with a
 * limit of time for each step and for the whole. Nothing of a failure but one word of a closed list leaves this file,
 * because the words of a server may contain an address or a credential.
 */
import { createTransport } from "nodemailer";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { NoticeResult } from "../../actors/reach/protocol.ts";
import type { NoticeError } from "../../actors/reach/schema.ts";
import type { NoticeWords } from "./notice-words.ts";

/** For a connection, and for the server's greeting. */
const CONNECT_MS = 10_000;
/** Silence of the server. */
const SILENCE_MS = 20_000;
/** For the whole mail. */
const MAIL_MS = 60_000;
const SMTP_PORT = 587;
const SMTPS_PORT = 465;

export interface MailSettings {
  /** `smtp://` or `smtps://`, with a user and a password if the server needs them. */
  readonly url: string;
  /** The sender: an address, or a name and an address. */
  readonly from: string;
  /** Certificate authorities of the operator, in PEM, in place of the system's. */
  readonly ca?: string;
}

export type SentMail = Exclude<NoticeResult, { readonly kind: "interrupted" | "skipped" }>;

/** Port: sends a mail. */
export interface Mailer {
  /** Does not reject; null if the signal aborted it before it ended. */
  send(mail: MailText & { readonly to: string }, signal: AbortSignal): Promise<SentMail | null>;
}

/** Addresses that a mail may go to. Others could name several recipients, or end a line of a header. */
const MAILABLE = /^[^\s<>()[\]\\,;:"@\p{Cc}]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,251}[\p{L}\p{N}])?$/u;
export const isMailable = (address: string): boolean => MAILABLE.test(address);

export function createMailer(settings: MailSettings, clock: Clock): Mailer {
  const options = transportOptions(settings);
  return {
    async send({ to, subject, text, html }, signal) {
      const startedAt = clock.monotonic();
      const transport = createTransport(options);
      const cut = Promise.withResolvers<"aborted" | "timeout">();
      const onAbort = (): void => cut.resolve("aborted");
      signal.addEventListener("abort", onAbort, { once: true });
      const cancel = clock.after(MAIL_MS, () => cut.resolve("timeout"));
      try {
        const mail = { from: settings.from, to: { name: "", address: to }, subject, text, html, headers: NO_ANSWERS };
        const sending = transport.sendMail(mail).then(
          () => null,
          (cause: unknown) => cause ?? new Error("no cause"),
        );
        const end = await Promise.race([sending, cut.promise]);
        const durationMs = Math.round(clock.monotonic() - startedAt);
        if (end === "aborted") return null;
        if (end === null) return { kind: "delivered", httpStatus: null, durationMs };
        return { kind: "failed", ...mailFailure(end), httpStatus: null, durationMs, retryAfterMs: null };
      } finally {
        cancel();
        signal.removeEventListener("abort", onAbort);
        transport.close();
      }
    },
  };
}

/** No program answers these mails, and no person should. */
const NO_ANSWERS = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };

function transportOptions({ url, ca }: MailSettings) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? SMTPS_PORT : SMTP_PORT) : Number(port),
    secure,
    // Without STARTTLS the mail is not sent: its link is a credential.
    requireTLS: true,
    ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

interface MailFailure {
  readonly error: NoticeError;
  readonly isTransient: boolean;
}

/** The ledger's word for a failure. An answer of 5xx to the mail is final; one to the sign-in is the operator's to mend. */
function mailFailure(cause: unknown): MailFailure {
  if (cause === "timeout") return { error: "timeout", isTransient: true };
  const { code = "", responseCode = 0 } = cause as { readonly code?: string; readonly responseCode?: number };
  if (responseCode >= 500 && code !== "EAUTH") return { error: "smtp_refused", isTransient: false };
  if (responseCode >= 400) return { error: "smtp_refused", isTransient: true };
  const words = String((cause as { readonly message?: unknown }).message);
  if (code === "ETIMEDOUT") return { error: "timeout", isTransient: true };
  if (code === "EDNS") return { error: "dns_error", isTransient: true };
  if (code === "ETLS" || /certificate|tls|ssl/i.test(words)) return { error: "tls_error", isTransient: true };
  if (/ECONNREFUSED|refused/i.test(words)) return { error: "connection_refused", isTransient: true };
  return { error: "connection_reset", isTransient: true };
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A notice as a mail (REACH-4): as plain text and as simple HTML, without images, scripts or style sheets. */
export function mailText({ title, facts, arguments: json, link, note }: NoticeWords): MailText {
  const lines = facts.map(([label, text]) => `${label}: ${text}`);
  const text = [lines.join("\n"), ...(json === null ? [] : [json]), `${link.label}:\n${link.url}`, note].join("\n\n");
  const rows = facts.map(
    ([label, value]) => `<tr><th align="left">${Bun.escapeHTML(label)}</th><td>${Bun.escapeHTML(value)}</td></tr>`,
  );
  const html =
    `<!doctype html><html lang="en"><body><h2>${Bun.escapeHTML(title)}</h2><table cellpadding="4">${rows.join("")}</table>` +
    (json === null ? "" : `<pre style="white-space:pre-wrap;overflow-wrap:anywhere">${Bun.escapeHTML(json)}</pre>`) +
    `<p><a href="${Bun.escapeHTML(link.url)}">${Bun.escapeHTML(link.label)}</a></p><p>${Bun.escapeHTML(note)}</p></body></html>`;
  return { subject: title.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "), text, html };
}
