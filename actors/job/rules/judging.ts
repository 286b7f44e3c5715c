/**
 * Judges a call by the approval rules of its agent (APR-1 to APR-4). A rule whose condition cannot be applied never
 * lets a call through: the call is refused, and the model is told why.
 *
 *   rules about this tool, caller, agent and origin
 *     ├─ none has a condition about arguments ──▶ the first one
 *     └─ some have ─▶ stray fields? ─▶ fits the tool's schema? ─▶ the first one that holds
 */
import type { JsonObject } from "../../schema.ts";
import { conditionFor } from "./condition.ts";
import {
  type ApprovalRule,
  type CallDecision,
  coversTool,
  meetsFacts,
  type RuleFacts,
  ruleWords,
} from "../approval-rule.ts";
import { strayField } from "./tool-fields.ts";

/** Checks arguments by JSON Schemas that owners and strangers have written, in bounded time. */
export interface RuleChecks {
  /** For each schema the errors of the value, in words; null if it could not be checked. Never rejects. */
  check(
    organizationId: string,
    schemas: readonly JsonObject[],
    given: JsonObject,
    signal?: AbortSignal,
  ): Promise<readonly (readonly string[] | null)[]>;
}

/** Without a check every condition is in doubt. */
export const NO_RULE_CHECKS: RuleChecks = { check: (_, schemas) => Promise.resolve(schemas.map(() => null)) };

/** A call as it would be made. */
export interface JudgedCall {
  readonly name: string;
  readonly input: JsonObject;
  /** The tool's own schema; null if the tool does not exist. */
  readonly schema: JsonObject | null;
}

/** What happens to the call. `refusal`: why it is not made, in words for the model. */
export interface CallVerdict {
  readonly decision: CallDecision;
  readonly rule: ApprovalRule | null;
  readonly refusal: string | null;
}

/** Errors of arguments that the model is told at once. */
const MOST_TOLD = 8;

interface Candidate {
  readonly rule: ApprovalRule;
  readonly at: number;
}

/** The verdict of the rules; null if none of them matches the call. */
export async function judgeCall(
  rules: readonly ApprovalRule[],
  call: JudgedCall,
  facts: RuleFacts,
  { checks, signal }: { readonly checks: RuleChecks; readonly signal?: AbortSignal },
): Promise<CallVerdict | null> {
  const candidates = candidatesFor(rules, call.name, facts);
  const conditional = candidates.filter(({ rule }) => rule.when?.arguments !== undefined);
  if (conditional.length === 0) return candidates[0] === undefined ? null : verdictOfRule(candidates[0]);
  const { schema, input, name } = call;
  // Such a call is never made: the toolbox says that there is no tool.
  if (schema === null) return null;
  const stray = strayField(schema, input);
  if (stray !== null)
    return doubt(`The tool ${name} has no argument \`${stray}\`. Call it with the arguments that its schema names.`);
  const schemas = conditional.map(({ rule }) => conditionFor(rule.then, rule.when?.arguments ?? {}));
  const [own, ...results] = await checks.check(facts.organizationId, [schema, ...schemas], input, signal);
  if (own === undefined || own === null)
    return doubt("The arguments could not be checked against the tool's schema in time.");
  if (own.length > 0) return doubt(`The arguments are not valid: ${own.slice(0, MOST_TOLD).join("; ")}.`);
  for (const candidate of candidates) {
    const place = conditional.indexOf(candidate);
    const errors = place === -1 ? [] : (results[place] ?? null);
    if (errors === null)
      return doubt(`The call could not be checked by ${ruleWords(candidate.rule, candidate.at)} of the agent.`);
    if (errors.length === 0) return verdictOfRule(candidate);
  }
  return null;
}

/** The rules that may match the call, up to the first one that surely does. */
export function candidatesFor(rules: readonly ApprovalRule[], name: string, facts: RuleFacts): readonly Candidate[] {
  const candidates = rules
    .map((rule, at) => ({ rule, at }))
    .filter(({ rule }) => coversTool(rule.tool, name) && meetsFacts(rule, facts));
  const sure = candidates.findIndex(({ rule }) => rule.when?.arguments === undefined);
  return sure === -1 ? candidates : candidates.slice(0, sure + 1);
}

function verdictOfRule({ rule, at }: Candidate): CallVerdict {
  const { name, then: outcome } = rule;
  const decision: CallDecision = { by: "rule", outcome, rule: at, ...(name === undefined ? {} : { name }) };
  const refusal = outcome === "deny" ? `This call was denied by ${ruleWords(rule, at)} of the agent.` : null;
  return { decision, rule, refusal };
}

const doubt = (refusal: string): CallVerdict => ({ decision: { by: "doubt", outcome: "deny" }, rule: null, refusal });
