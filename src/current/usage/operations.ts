/** Operations on an organization's usage (RUN-4). */
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { QUOTAS } from "../../../actors/usage/quota.ts";
import { USAGE_GROUPS } from "../../../actors/usage/directory.ts";
import { timeOf } from "../../../actors/given-time.ts";
import { bad, good, textField, withDefault } from "../../http/contract/field.ts";
import { CostField, CostLimitField, EstimatedField, OwnKeyField, UnpricedField } from "../cost.ts";
import { Count, Id, noun, Text } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";

const DAY_CHARACTERS = "2026-11-30".length;

/** A day in UTC, or the day of a time. */
const dayField = (description: string, example: string) =>
  textField<string>({ type: "string", description, examples: [example] }, (text, name) => {
    const day = timeOf(text)?.slice(0, DAY_CHARACTERS);
    return day === undefined ? bad(`${name} must be a day, such as 1970-01-01, or a time`) : good(day);
  });

const Day = Text("A day of UTC", "2026-11-30");
const COUNTS = {
  input_tokens: Count("Tokens that were sent to models"),
  output_tokens: Count("Tokens that came back"),
  jobs: Count("Jobs that used them"),
  tool_calls: Count("Calls of tools"),
  cost: CostField,
  unpriced_tokens: UnpricedField,
  own_key_tokens: OwnKeyField,
  estimated_tokens: EstimatedField,
};

export const UsageReportView = noun("UsageReport", "What an organization has used", {
  group_by: OneOf(USAGE_GROUPS),
  currency: Nullable(Text("The currency of all costs, by ISO 4217; null without a price table of the operator", "USD")),
  since: Day,
  until: Day,
  usage: Type.Array(
    noun("UsageRow", "Usage of one agent, model or day; only the field that the report is grouped by is present", {
      agent_id: Type.Optional(
        Nullable(Id("agt", "The agent; null: all private agents of others together, unless you are an owner")),
      ),
      model: Type.Optional(Text("The model", "demo:echo")),
      day: Type.Optional(Day),
      ...COUNTS,
    }),
  ),
  totals: noun("UsageTotals", "What all have used together", COUNTS),
  truncated: Type.Boolean({ description: "Whether there are more groups than are shown; the totals are of all" }),
  budget: noun("UsageBudget", "What the organization may use in this month, and has", {
    monthly_tokens: Nullable(Type.Integer({ description: "Null for no limit" })),
    used_tokens: Count("Tokens that are used up"),
    monthly_cost: CostLimitField,
    used_cost: CostField,
    unpriced_tokens: UnpricedField,
    resets_at: Timestamp,
  }),
  quotas: Type.Array(
    noun("Quota", "What the organization may have of something, and has", {
      quota: OneOf(QUOTAS, { description: "What is bounded", examples: ["agents"] }),
      limit: Nullable(Type.Integer({ description: "Null for no limit", examples: [10_000] })),
      used: Count("What there is now; at most a little too high while much is made at once"),
    }),
    { description: "All quotas; what would pass one is refused with `quota_exceeded`" },
  ),
});

export const usageOperations = operationGroup("Usage", "What the organization has used, and its budget", {
  getUsage: {
    method: "GET",
    path: "/api/usage",
    scope: "jobs:read",
    summary: "Read usage by agent, model or day",
    query: {
      group_by: withDefault(OneOf(USAGE_GROUPS, { description: "What the rows are grouped by" }), "day"),
      since: dayField("A day or a time; the first of this month by default", "2026-11-01"),
      until: dayField("A day or a time; today by default", "2026-11-30"),
    },
    answers: { 200: UsageReportView },
    errors: ["invalid_request"],
  },
});
