/** Approval rules as bodies and views have them (APR-1, APR-7). */
import { ApprovalPolicy, ApprovalRule, Deciders, MAX_RULES, RuleExpiry } from "../../../actors/job/approval-rule.ts";
import { type Static, Type } from "../../../actors/schema.ts";
import { fieldsFrom, noun, recordNamed } from "../../http/contract/noun.ts";
import { definedFields } from "../../../actors/changes.ts";

const RuleExpiryView = noun(
  "ApprovalRuleExpiry",
  "How long a call waits, and what happens then; it is never approved",
  {
    after_seconds: RuleExpiry.properties.afterSeconds,
    on_expiry: RuleExpiry.properties.onExpiry,
    escalate_to: Type.Optional(Deciders),
  },
);

const POLICY_FIELDS = ApprovalPolicy.properties;
const RULE_FIELDS = ApprovalRule.properties;
export const ApprovalRuleView = noun("ApprovalRule", "A rule that decides about tool calls before people do", {
  name: RULE_FIELDS.name,
  tool: RULE_FIELDS.tool,
  when: RULE_FIELDS.when,
  // oxlint-disable-next-line unicorn/no-thenable -- the word of the interface
  then: RULE_FIELDS.then,
  of: Type.Optional(Deciders),
  count: Type.Optional(POLICY_FIELDS.count),
  not_starter: Type.Optional({
    ...POLICY_FIELDS.notStarter,
    description: "Whether the person for whom the job acts may not decide",
  }),
  services: Type.Optional({
    ...POLICY_FIELDS.services,
    description: "Whether tokens of services may decide; false by default",
  }),
  expiry: Type.Optional(RuleExpiryView),
});
export type ApprovalRuleView = Static<typeof ApprovalRuleView>;

export const ApprovalRulesBody = Type.Array(ApprovalRuleView, {
  maxItems: MAX_RULES,
  description: "Rules about tool calls: the first that matches decides; without one, `approval_tools` does",
  examples: [[]],
});

export const ruleOfBody = ({ expiry, ...rule }: ApprovalRuleView): ApprovalRule => ({
  ...recordNamed(rule),
  ...(expiry === undefined ? {} : { expiry: recordNamed(expiry) }),
});

const ruleFields = fieldsFrom(ApprovalRuleView);
const expiryFields = fieldsFrom(RuleExpiryView);

export const ruleView = ({ expiry, ...rule }: ApprovalRule): ApprovalRuleView =>
  definedFields({ ...ruleFields(rule), expiry: expiry && definedFields(expiryFields(expiry)) });
