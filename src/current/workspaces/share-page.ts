/** What somebody reads who opens the address of a share in a browser and does not get the file (WSP-2). */
import type { Fault } from "../../../actors/fault.ts";
import { escapeHtml, pageText } from "../../http/document/page.ts";

type Words = readonly [title: string, text: string];

const NOTHING: Words = [
  "Nothing is shared here",
  "The link is incomplete, or the file was deleted. Check the link, or ask the person who sent it to you.",
];

function wordsOf(fault: Fault): Words {
  switch (fault.kind) {
    case "unauthenticated":
      return [
        "This file needs a password",
        "The password is missing or wrong. Reload the page to enter it; the user name can be anything. The person who sent you the link knows the password.",
      ];
    case "share_expired":
      return [
        "This link no longer works",
        "It has expired, was withdrawn, or the file was downloaded as often as allowed. Ask the person who sent it to you for a new one.",
      ];
    case "rate_limited":
      return ["Too many attempts", `Reload the page ${waitFor(fault.retryAfterMs)}.`];
    case "not_found":
    case "invalid_request":
      return NOTHING;
    default:
      return ["The file cannot be downloaded now", "Reload the page in a minute."];
  }
}

function waitFor(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes <= 1 ? "in a minute" : `in ${minutes} minutes`;
}

export function sharePage(fault: Fault): string {
  const [title, text] = wordsOf(fault);
  return pageText(title, `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>`);
}
