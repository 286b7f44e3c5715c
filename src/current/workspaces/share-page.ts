/** The page for a person who opens the URL of a share in a browser and does not get the file (WSP-2). */
import type { Fault } from "../../../actors/fault.ts";
import { type FaultWords, waitWords, wordsPage } from "../../http/document/refusal-page.ts";

const NOTHING: FaultWords = {
  title: "Nothing is shared here",
  text: "The link is incomplete, or the file was deleted. Check the link, or ask the person who sent it to you.",
};

function wordsOf(fault: Fault): FaultWords {
  switch (fault.kind) {
    case "unauthenticated":
      return {
        title: "This file needs a password",
        text: "The password is missing or wrong. Reload the page to enter it; the user name can be anything. The person who sent you the link knows the password.",
      };
    case "share_expired":
      return {
        title: "This link no longer works",
        text: "It has expired, was withdrawn, or the file was downloaded as often as allowed. Ask the person who sent it to you for a new one.",
      };
    case "rate_limited":
      return { title: "Too many attempts", text: `Reload the page in ${waitWords(fault.retryAfterMs)}.` };
    case "not_found":
    case "invalid_request":
      return NOTHING;
    default:
      return { title: "The file cannot be downloaded now", text: "Reload the page in a minute." };
  }
}

export const sharePage = (fault: Fault): string => wordsPage(wordsOf(fault));
