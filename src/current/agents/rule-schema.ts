/** Approval rules as bodies and views have them (APR-1, APR-7). */
import { ApprovalPolicy, ApprovalRule, Deciders, MAX_RULES, RuleExpiry } from "../../../actors/job/approval-rule.ts";
import { type Static, Type } from "../../../actors/schema.ts";
import { noun } from "../../http/contract/noun.ts";

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

export function ruleOfBody({ not_starter: isOther, expiry, ...rule }: ApprovalRuleView): ApprovalRule {
  const { after_seconds: afterSeconds, on_expiry: onExpiry, escalate_to: to } = expiry ?? {};
  const isSet = afterSeconds !== undefined && onExpiry !== undefined;
  return {
    ...rule,
    ...(isOther === undefined ? {} : { notStarter: isOther }),
    ...(isSet ? { expiry: { afterSeconds, onExpiry, ...(to === undefined ? {} : { escalateTo: to }) } } : {}),
  };
}

export function ruleView({ notStarter: isOther, expiry, ...rule }: ApprovalRule): ApprovalRuleView {
  return {
    ...rule,
    ...(isOther === undefined ? {} : { not_starter: isOther }),
    ...(expiry === undefined
      ? {}
      : {
          expiry: {
            after_seconds: expiry.afterSeconds,
            on_expiry: expiry.onExpiry,
            ...(expiry.escalateTo === undefined ? {} : { escalate_to: expiry.escalateTo }),
          },
        }),
  };
}
