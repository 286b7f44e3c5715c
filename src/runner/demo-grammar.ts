/**
 * The commands of the demo model, read from the user's message: total and pure. A message is a list of steps, separated
 * by `/then`; each step is a text, then calls, then optionally a fault. See `docs/demo-model.md`, which is the
 * reference for users.
 */
import { cutText } from "../../actors/cut-text.ts";
import { parseExact } from "../../actors/exact-json.ts";
import { RUN_ERROR_CODES, type RunErrorCode } from "../../actors/job/schema.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { cleanJson } from "../../actors/clean-text.ts";

export const MAX_REPEAT = 10_000;
export const MAX_SLOW_MS = 10_000;
/** Longest `retryAfterMs` of `/fail`. */
const MAX_RETRY_MS = 3_600_000;

export interface DemoCall {
  readonly name: string;
  readonly input: JsonObject;
}

export type DemoFault =
  | { readonly kind: "stall" }
  | { readonly kind: "fail"; readonly code: RunErrorCode; readonly retryAfterMs: number | undefined };

/** The actions of one demo step, in this order: emit `text`, make `calls`, or fail with `fault`. */
export interface DemoStep {
  /** `said` is emitted unchanged; `echoed` is wrapped in the demo's introduction. */
  readonly text: { readonly kind: "said" | "echoed"; readonly text: string } | null;
  readonly repeat: number;
  readonly slowMs: number;
  readonly calls: readonly DemoCall[];
  readonly fault: DemoFault | null;
}

export interface DemoScript {
  readonly steps: readonly DemoStep[];
  /** Whether every further step repeats the calls of the last one. */
  readonly loop: boolean;
}

export type ParsedScript =
  | { readonly kind: "script"; readonly script: DemoScript }
  | { readonly kind: "help"; readonly problem: string | null };

interface StepDraft {
  echoed: string[];
  said: string[] | null;
  repeat: number;
  slowMs: number;
  calls: DemoCall[];
  fault: DemoFault | null;
}

interface ScriptReading {
  readonly drafts: StepDraft[];
  draft: StepDraft;
  loop: boolean;
}

/** Null if the line is valid, else the error. */
type ScriptCommand = (reading: ScriptReading, argument: string) => string | null;

const COMMANDS: ReadonlyMap<string, ScriptCommand> = new Map<string, ScriptCommand>([
  [
    "say",
    ({ draft }, text) => {
      (draft.said ??= []).push(text);
      return null;
    },
  ],
  ["call", ({ draft }, argument) => readCall(draft, argument)],
  [
    "repeat",
    ({ draft }, argument) =>
      readNumber(argument, 1, MAX_REPEAT, "/repeat", (value) => {
        draft.repeat = value;
      }),
  ],
  [
    "slow",
    ({ draft }, argument) =>
      readNumber(argument, 0, MAX_SLOW_MS, "/slow", (value) => {
        draft.slowMs = value;
      }),
  ],
  ["fail", ({ draft }, argument) => readFail(draft, argument)],
  [
    "stall",
    ({ draft }) => {
      draft.fault = { kind: "stall" };
      return null;
    },
  ],
  [
    "loop",
    (reading) => {
      reading.loop = true;
      return null;
    },
  ],
  [
    "then",
    (reading) => {
      reading.draft = newDraft();
      reading.drafts.push(reading.draft);
      return null;
    },
  ],
]);

/** Reads a message. A line that begins with `/` is a command; any other belongs to the text. */
export function parseScript(message: string): ParsedScript {
  const draft = newDraft();
  const reading: ScriptReading = { drafts: [draft], draft, loop: false };
  for (const line of message.split(/\r?\n/)) {
    if (!line.startsWith("/")) {
      (reading.draft.said ?? reading.draft.echoed).push(line);
      continue;
    }
    const [, word = "", argument = ""] = /^\/(\S*)[ \t]?(.*)$/s.exec(line) ?? [];
    if (word === "help") return { kind: "help", problem: null };
    const command = COMMANDS.get(word);
    if (command === undefined) return { kind: "help", problem: `There is no command /${cutText(word, 40)}.` };
    const problem = command(reading, argument);
    if (problem !== null) return { kind: "help", problem };
  }
  return { kind: "script", script: { steps: reading.drafts.map(finishDraft), loop: reading.loop } };
}

const newDraft = (): StepDraft => ({ echoed: [], said: null, repeat: 1, slowMs: 0, calls: [], fault: null });

function finishDraft({ echoed, said, repeat, slowMs, calls, fault }: StepDraft): DemoStep {
  const plain = echoed.join("\n").trim();
  const hasWork = calls.length > 0 || fault !== null;
  const text =
    said !== null
      ? { kind: "said" as const, text: said.join("\n") }
      : plain === "" && hasWork
        ? null
        : { kind: "echoed" as const, text: plain };
  return { text, repeat, slowMs, calls, fault };
}

function readCall(draft: StepDraft, argument: string): string | null {
  const [, name = "", json = ""] = /^(\S*)\s*(.*)$/s.exec(argument.trim()) ?? [];
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) return "/call needs the name of a tool: letters, digits, _ and -.";
  const input = json === "" ? {} : parseObject(json);
  if (input === null) return `The arguments of /call ${name} are not a JSON object.`;
  draft.calls.push({ name, input });
  return null;
}

function parseObject(text: string): JsonObject | null {
  try {
    const value = cleanJson(parseExact(text));
    return typeof value === "object" && value !== null && !isUnknownList(value) ? value : null;
  } catch {
    return null;
  }
}

const isUnknownList = (value: object): value is readonly unknown[] => Array.isArray(value);

function readFail(draft: StepDraft, argument: string): string | null {
  const [word = "", ms] = argument.trim().split(/\s+/);
  const code = RUN_ERROR_CODES.find((known) => known === word);
  if (code === undefined) return `/fail needs one of these codes: ${RUN_ERROR_CODES.join(", ")}.`;
  if (ms === undefined) {
    draft.fault = { kind: "fail", code, retryAfterMs: undefined };
    return null;
  }
  return readNumber(ms, 0, MAX_RETRY_MS, "The wait of /fail", (retryAfterMs) => {
    draft.fault = { kind: "fail", code, retryAfterMs };
  });
}

function readNumber(text: string, min: number, max: number, what: string, set: (value: number) => void): string | null {
  const value = /^\d{1,9}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  if (!(value >= min && value <= max)) return `${what} needs a whole number from ${min} to ${max}.`;
  set(value);
  return null;
}
