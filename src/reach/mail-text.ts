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
    ([label, value]) => `<tr><th align="left">${escaped(label)}</th><td>${escaped(value)}</td></tr>`,
  );
  const html =
    `<!doctype html><html lang="en"><body><h2>${escaped(title)}</h2><table cellpadding="4">${rows.join("")}</table>` +
    (json === null ? "" : `<pre style="white-space:pre-wrap;overflow-wrap:anywhere">${escaped(json)}</pre>`) +
    `<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p><p>${escaped(note)}</p></body></html>`;
  return { subject: title.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "), text, html };
}

const MAIL_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => MAIL_ENTITIES[found] ?? found);
