/** The check of rules' conditions as the sandbox makes it, without a child. */
import type { RuleChecks } from "../../actors/job/rules/judging.ts";
import { checkConditions } from "../../src/sandbox/jobs/arguments.ts";

export const directRuleChecks: RuleChecks = {
  check: (_, schemas, given) => checkConditions({}, new TextEncoder().encode(JSON.stringify({ schemas, given }))),
};
