/**
 * Ids: a prefix that names the noun, and 21 characters of nanoid (GEN-2). An id is never reused, so writing a new one
 * needs no look-up first. Turns draw ids from `tx.id`, which a test can make deterministic; `randomId` is the source
 * behind it in production.
 */
import { customAlphabet, nanoid } from "nanoid";

export type IdPrefix =
  | "org"
  | "usr"
  | "agt"
  | "cht"
  | "msg"
  | "job"
  | "mis"
  | "mtk"
  | "mrn"
  | "wsp"
  | "rep"
  | "app"
  | "shr"
  | "fil"
  | "upl"
  | "dir"
  | "evt"
  | "dlv"
  | "dlk"
  | "tok"
  | "aud"
  | "inv"
  | "gra"
  | "cli"
  | "art"
  | "apr"
  | "ntc"
  | "mgr"
  | "req"
  | "eff"
  | "amg"
  | "con"
  | "rpl";

/** Draws the random part of an id: `length` characters of the URL-safe alphabet or of the given one. */
export type RandomText = (length: number, alphabet?: string) => string;

export const randomText: RandomText = (length, alphabet) =>
  alphabet === undefined ? nanoid(length) : drawingFrom(alphabet)(length);

/** Cached by alphabet: creating a generator costs as much as ten draws. */
const drawings = new Map<string, (length: number) => string>();

function drawingFrom(alphabet: string): (length: number) => string {
  let drawing = drawings.get(alphabet);
  if (drawing === undefined) drawings.set(alphabet, (drawing = customAlphabet(alphabet)));
  return drawing;
}

/** Characters of an id after its prefix. */
export const ID_LENGTH = 21;
const RANDOM_PART = `[A-Za-z0-9_-]{${ID_LENGTH}}`;
const LOWER_ALPHANUMERIC = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Matches every id of this prefix that the service has made. */
export const idPattern = (prefix: IdPrefix | "ses"): RegExp => new RegExp(`^${prefix}_${RANDOM_PART}$`);

/** Whether the text is an id of this prefix; `ses` is the v1 session of a chat. */
export const isIdOf = (prefix: IdPrefix | "ses", text: string): boolean =>
  text.length === prefix.length + 1 + ID_LENGTH && idPattern(prefix).test(text);

/** For example `agt_V1StGXR8_Z5jdHi6B-myT`. */
export const newId = (prefix: IdPrefix, random: RandomText = randomText): string => `${prefix}_${random(ID_LENGTH)}`;

/** `task-<timestamp in ms>-<random>`, the form that the v1 surface fixes. */
export const newTaskId = (nowMs: number, random: RandomText = randomText): string =>
  `task-${nowMs}-${random(12, LOWER_ALPHANUMERIC)}`;

/** `exec-<timestamp in ms>-<random>`, the form that the v1 surface fixes. */
export const newExecutionId = (nowMs: number, random: RandomText = randomText): string =>
  `exec-${nowMs}-${random(12, LOWER_ALPHANUMERIC)}`;

/** The v1 session of a chat. They map one to one, so either names the conversation (V1-2). */
export const sessionIdOf = (chatId: string): string => chatId.replace(/^cht_/, "ses_");
export const chatIdOf = (sessionId: string): string => sessionId.replace(/^ses_/, "cht_");
