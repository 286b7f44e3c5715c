/** What a person reads who opens an address in a browser and is refused. Programs get the surface's error. */
import type { Fault } from "../../../actors/fault.ts";
import { escapeHtml, pageText } from "./page.ts";

export interface FaultWords {
  readonly title: string;
  readonly text: string;
}

export function wordsOfFault(fault: Fault): FaultWords {
  switch (fault.kind) {
    case "organization_suspended":
      return { title: "Suspended", text: "The operator has suspended this organization." };
    case "not_found":
      return fault.noun === "route" || fault.noun === "app"
        ? { title: "Nothing is here", text: "There is no page at this address. Check it, or go back." }
        : { title: "Not found", text: `There is no such ${fault.noun.replaceAll("_", " ")}, or it is not yours.` };
    case "method_not_allowed":
      return { title: "Nothing to see here", text: "This address only accepts what a form or a program sends to it." };
    case "invalid_state":
      return { title: "Not possible", text: fault.message };
    case "invalid_request":
      return { title: "Not possible", text: `${fault.errors.map(({ message }) => message).join(". ")}.` };
    case "forbidden":
      return { title: "Not allowed", text: fault.message };
    case "owner_required":
      return { title: "Not allowed", text: "Only an owner of the organization may do this." };
    case "rate_limited":
      return {
        title: "Please wait",
        text: `There were too many attempts. Try again in ${waitingTime(fault.retryAfterMs)}.`,
      };
    default:
      return { title: "Not possible now", text: "The service cannot do this now. Try again in a moment." };
  }
}

export function waitingTime(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  return seconds < 120 ? `${seconds} ${seconds === 1 ? "second" : "seconds"}` : `${Math.ceil(seconds / 60)} minutes`;
}

/** The HTML of a refusal. Its address may be anywhere, so it has no links. */
export const refusalPage = (fault: Fault): string => wordsPage(wordsOfFault(fault));

export const wordsPage = ({ title, text }: FaultWords): string =>
  pageText({
    title,
    root: null,
    width: "narrow",
    content: `<h1>${escapeHtml(title)}</h1>\n<section><p>${escapeHtml(text)}</p></section>`,
  });

/** Addresses that programs call: whoever opens them gets the same answer. */
const FOR_PROGRAMS = /^\/(?:api|mcp|mcp-app|oauth|\.well-known|healthz|readyz|metrics)(?:[/?]|$)/;

export const isForPeople = (path: string): boolean => !FOR_PROGRAMS.test(path);
