/** The budget of the month, and the quotas, with how much of each is used. */
import type { UsageReport } from "../../../sdk/typescript/troupe.ts";
import { costWords, percent } from "../format/amount.tsx";
import { Time } from "../format/time.tsx";
import { Command } from "../pieces/curl.tsx";

export function BudgetSection({ usage: { budget, currency, quotas } }: { readonly usage: UsageReport }) {
  const { monthly_tokens: tokens, monthly_cost: cost } = budget;
  return (
    <section aria-labelledby="budget">
      <h2 id="budget">Budget of this month</h2>
      {tokens === null ? null : (
        <UsedPart
          name="Tokens"
          used={budget.used_tokens}
          limit={tokens}
          words={`${budget.used_tokens.toLocaleString()} of ${tokens.toLocaleString()} tokens`}
        />
      )}
      {cost === null ? null : (
        <UsedPart
          name="Cost"
          used={Number(budget.used_cost ?? 0)}
          limit={Number(cost)}
          words={`${costWords(budget.used_cost ?? "0", currency)} of ${costWords(cost, currency)}`}
        />
      )}
      {tokens === null && cost === null ? (
        <>
          <p class="quiet">
            {budget.used_tokens.toLocaleString()} tokens
            {budget.used_cost === null ? "" : ` and ${costWords(budget.used_cost, currency)}`} are used. No limit is
            set; the operator of the service sets one:
          </p>
          <Command text="bun run admin org budget ORGANIZATION --tokens 1000000" />
        </>
      ) : (
        <p class="quiet">
          A new month begins <Time at={budget.resets_at} />.
        </p>
      )}
      {budget.unpriced_tokens === 0 || currency === null ? null : (
        <p class="quiet">
          {budget.unpriced_tokens.toLocaleString()} tokens are of models without a price, and in no cost.
        </p>
      )}
      <details>
        <summary>Quotas</summary>
        {quotas.map(({ quota, limit, used }) =>
          limit === null ? (
            <p key={quota} class="quiet">
              {quota.replaceAll("_", " ")}: {used.toLocaleString()}, no limit
            </p>
          ) : (
            <UsedPart
              key={quota}
              name={quota.replaceAll("_", " ")}
              used={used}
              limit={limit}
              words={`${used.toLocaleString()} of ${limit.toLocaleString()}`}
            />
          ),
        )}
      </details>
    </section>
  );
}

interface UsedPartProps {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly words: string;
}

function UsedPart({ name, used, limit, words }: UsedPartProps) {
  return (
    <p class="used-part">
      <strong>{name}</strong> <span>{`${words} (${percent(used, limit)})`}</span>
      <progress value={Math.min(used, limit)} max={limit} aria-label={`${name}: ${words}`} />
    </p>
  );
}
