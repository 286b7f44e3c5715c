/** A notice as a mail (REACH-4): plain text, and simple HTML without an image, a script or a style of its own. */
import type { NoticeWords } from "./notice-words.ts";

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

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
