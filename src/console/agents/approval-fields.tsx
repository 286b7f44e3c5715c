/** What an agent's calls wait for: its rules, how long they wait, and how people hear of it. */
import type { AgentExpiryAction, ApprovalReach } from "../../../sdk/typescript/troupe.ts";
import type { FormDraft } from "../pieces/draft.ts";
import { ChoiceField, NumberField } from "../pieces/fields.tsx";
import { JsonField } from "../pieces/written-fields.tsx";
import type { AgentDraft } from "./agent-draft.ts";
import { RuleTrialForm } from "./rule-trial.tsx";

const EXPIRY_CHOICES: readonly (readonly [AgentExpiryAction, string])[] = [
  ["deny", "deny the call"],
  ["cancel", "cancel the job"],
  ["keep", "go on waiting"],
];
const LINK_CHOICES: readonly (readonly [ApprovalReach["links"], string])[] = [
  ["signed_in", "after a sign-in"],
  ["anyone", "for everyone who has it"],
];
const SECONDS_OF_MINUTE = 60;
const RULES_LABEL = "Approval rules";
const RULES_KIND = ["must be a list of rules", (value: unknown) => Array.isArray(value)] as const;

interface ApprovalFieldsProps {
  readonly draft: FormDraft<AgentDraft>;
  readonly agentId: string | null;
}

export function ApprovalFields({ draft: { value, set }, agentId }: ApprovalFieldsProps) {
  const { approval_expiry: expiry, approval_reach: reach, approval_rules: rules } = value;
  const remindSeconds = reach.remind_after_seconds;
  return (
    <fieldset>
      <legend>Approvals</legend>
      <div class="columns">
        <NumberField
          label="Minutes that an approval may take"
          path="/approval_expiry/after_seconds"
          min={1}
          step="any"
          value={expiry.after_seconds / SECONDS_OF_MINUTE}
          change={(minutes) =>
            set("approval_expiry", { ...expiry, after_seconds: Math.round((minutes ?? 0) * SECONDS_OF_MINUTE) })
          }
        />
        <ChoiceField
          label="Without a decision"
          path="/approval_expiry/on_expiry"
          value={expiry.on_expiry}
          change={(action) => set("approval_expiry", { ...expiry, on_expiry: action })}
          choices={EXPIRY_CHOICES}
        />
        <ChoiceField
          label="The link in a mail or message decides"
          path="/approval_reach/links"
          value={reach.links}
          change={(links) => set("approval_reach", { ...reach, links })}
          choices={LINK_CHOICES}
        />
        <NumberField
          label="Minutes until a reminder"
          path="/approval_reach/remind_after_seconds"
          hint="Empty: never"
          min={1}
          step="any"
          value={remindSeconds === null ? null : remindSeconds / SECONDS_OF_MINUTE}
          change={(minutes) =>
            set("approval_reach", {
              ...reach,
              remind_after_seconds: minutes === null ? null : Math.round(minutes * SECONDS_OF_MINUTE),
            })
          }
        />
      </div>
      <JsonField
        label={RULES_LABEL}
        path="/approval_rules"
        hint={
          'The first that matches a call decides: [{"tool": "refund__*", "when": {"arguments": {…}}, "then": "allow, ask or deny", "of": {"group": "finance"}, "count": 2}]'
        }
        value={rules}
        kind={RULES_KIND}
        change={(next) => set("approval_rules", next)}
      />
      <RuleTrialForm agentId={agentId} rules={rules} label={RULES_LABEL} />
    </fieldset>
  );
}
