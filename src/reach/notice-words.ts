/**
 * What a notice says (REACH-3), before it has the shape of a mail or of a messenger: plain texts, each on one line
 * except for the arguments. They may contain whatever a model or a person has written; the shapes escape it.
 */
import { cutText, isLonger, oneLine } from "../../actors/cut-text.ts";
import type { Approval } from "../../actors/job/terms.ts";
import type { NoticeKind } from "../../actors/reach/schema.ts";
import { legibleJson, visibleText } from "../../actors/visible-text.ts";

/** Characters of the arguments in a notice; the page has more. */
const NOTICE_ARGUMENTS = 1_200;
/** Characters of a name, which a person or a model has chosen. */
const NAME_CHARACTERS = 80;

/** The facts that a notice is made of. */
export interface NoticeFacts {
  readonly kind: NoticeKind;
  readonly approval: Approval;
  readonly agentName: string;
  /** The person who began the work; null if unknown. */
  readonly begunBy: string | null;
  /** The name of the person who decided; null if nobody did. */
  readonly decidedBy: string | null;
  /** The page of the approval, with the key of this notice. */
  readonly url: string;
  /** Whether the page needs a sign-in. */
  readonly needsSignIn: boolean;
}

export interface NoticeWords {
  readonly title: string;
  /** Label and text. */
  readonly facts: readonly (readonly [string, string])[];
  /** The call's arguments as JSON; null after the decision. */
  readonly arguments: string | null;
  readonly link: { readonly url: string; readonly label: string };
  /** A last remark. */
  readonly note: string;
}

const shortName = (name: string): string => oneLine(visibleText(name), NAME_CHARACTERS);

export function noticeWords(facts: NoticeFacts): NoticeWords {
  const { kind, approval, agentName, begunBy, url, needsSignIn } = facts;
  const agent = shortName(agentName);
  const tool = shortName(approval.toolName);
  const named: (readonly [string, string])[] = [
    ["Agent", agent],
    ["Tool", tool],
    ...(begunBy === null ? [] : [["Begun by", shortName(begunBy)] as const]),
  ];
  if (kind === "decided") {
    const [title, remark] = decisionWords(facts, { agent, tool });
    return { title, facts: named, arguments: null, link: { url, label: "Open" }, note: remark };
  }
  const asks = `${agent} asks to use ${tool}`;
  const json = legibleJson(approval.arguments);
  const signIn = needsSignIn ? "The page asks you to sign in." : "Anybody with the link can decide: do not pass it on.";
  const atExpiry = EXPIRY_WORDS[approval.onExpiry];
  return {
    title: kind === "reminder" ? `Still waiting: ${asks}` : `Approval needed: ${asks}`,
    facts: [...named, ["Decide by", utcTime(approval.expiresAt)]],
    arguments: isLonger(json, NOTICE_ARGUMENTS)
      ? `${cutText(json, NOTICE_ARGUMENTS)}\n… (cut; the page has more)`
      : json,
    link: { url, label: "Look and decide" },
    note: `${signIn} Without a decision ${atExpiry}.`,
  };
}

const EXPIRY_WORDS: Readonly<Record<Approval["onExpiry"], string>> = {
  cancel: "the job is cancelled",
  deny: "the call is denied",
  keep: "the call waits on",
  escalate: "other people are asked",
};

/** The title and the remark of a follow-up. */
function decisionWords(
  { approval, decidedBy }: NoticeFacts,
  { agent, tool }: { readonly agent: string; readonly tool: string },
): readonly [string, string] {
  const at = approval.decidedAt ?? null;
  const when = at === null ? "" : ` at ${utcTime(at)}`;
  const by = shortName(decidedBy ?? "somebody");
  if (approval.decision === "approve") return [`Approved: ${agent} uses ${tool}`, `${by} approved the call${when}.`];
  if (approval.decision === "deny") return [`Denied: ${agent} does not use ${tool}`, `${by} denied the call${when}.`];
  return [`Over: ${agent} does not use ${tool}`, `Nobody decided in time, or the job ended first${when}.`];
}

/** `2026-11-28 23:05 UTC`. */
const utcTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
