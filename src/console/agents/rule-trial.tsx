/** What the rules as they are written would have decided about the last calls of the agent. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { ApprovalRuleInput, CallDecision, RuleOutcome, RuleTrial } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { useFormState } from "../pieces/form.tsx";
import { ScrolledTable } from "../pieces/table.tsx";
import { service } from "../service.ts";

interface RuleTrialFormProps {
  /** Null while the agent is not saved yet: it has made no calls. */
  readonly agentId: string | null;
  readonly rules: ApprovalRuleInput[];
  /** The field of the rules. */
  readonly label: string;
}

interface TriedRules extends RuleTrial {
  /** The rules that were tried, as text. */
  readonly of: string;
}

export function RuleTrialForm({ agentId, rules, label }: RuleTrialFormProps) {
  const [tried, setTried] = useState<TriedRules | null>(null);
  const { unreadable, refuse } = useFormState();
  const written = JSON.stringify(rules);
  const tryRules = async (): Promise<void> => {
    if (agentId === null) return;
    setTried(null);
    refuse(null);
    try {
      setTried({ ...(await service.tryApprovalRules(agentId, { approval_rules: rules })), of: written });
    } catch (error) {
      refuse(error);
      throw error;
    }
  };
  const whyNot =
    agentId === null
      ? "A new agent has made no calls yet"
      : unreadable.has(label)
        ? `Correct the JSON of ${label} first`
        : null;
  return (
    <>
      <p class="actions">
        <ActionButton class="quiet" act={tryRules} whyNot={whyNot}>
          Try the rules on the last calls
        </ActionButton>
        <span class="quiet" role="status">
          {tried === null ? "" : wordsOfTrial(tried)}
          {tried === null || tried.of === written ? "" : " The rules have changed since."}
        </span>
      </p>
      {tried === null || tried.calls.length === 0 ? null : <TriedCalls calls={tried.calls} />}
    </>
  );
}

const wordsOfTrial = ({ calls, touched }: RuleTrial): string =>
  calls.length === 0
    ? "The agent has made no calls that you see."
    : `Rules would have decided ${touched} of the last ${calls.length} calls. Nothing was called.`;

function TriedCalls({ calls }: Pick<RuleTrial, "calls">) {
  return (
    <ScrolledTable label="What the rules would have decided" columns={["Call", "When", "Then", "With these rules"]}>
      {calls.map(({ job_id: job, tool_call_id: id, tool_name: tool, at, was, decision, refusal }) => (
        <tr key={`${job} ${id} ${at}`}>
          <th scope="row">
            <Link href={`/jobs/${job}`}>
              <bdi>{tool}</bdi>
            </Link>
          </th>
          <td>
            <Time at={at} />
          </td>
          <td>{was === null ? "no rules" : wordsOfDecision(was)}</td>
          <td>
            {wordsOfDecision(decision)}
            {refusal === null ? null : <p class="quiet">{refusal}</p>}
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}

const OUTCOME_WORDS: Readonly<Record<RuleOutcome, string>> = { allow: "runs", ask: "asks", deny: "is denied" };

const wordsOfDecision = ({ by, outcome, rule = 0, name }: CallDecision): string => {
  const rulePart = `rule ${rule + 1}${name === undefined ? "" : ` “${name}”`}`;
  const reason = by === "rule" ? rulePart : by === "doubt" ? "a rule could not be applied" : "no rule matches";
  return `${OUTCOME_WORDS[outcome]}: ${reason}`;
};
