/** What there is to know of an organization's usage (RUN-4). */
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { USAGE_GROUPS } from "../../../actors/usage/directory.ts";
import { Count, Id, noun, Text } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";

const Day = Text("A day of UTC", "2026-11-30");
const COUNTS = {
  input_tokens: Count("Tokens that were sent to models"),
  output_tokens: Count("Tokens that came back"),
  jobs: Count("Jobs that used them"),
  tool_calls: Count("Calls of tools"),
};

export const UsageReportView = noun("UsageReport", "What an organization has used", {
  group_by: OneOf(USAGE_GROUPS),
  since: Day,
  until: Day,
  usage: Type.Array(
    noun("UsageRow", "What one agent, one model or one day has used: the field of the group is there", {
      agent_id: Type.Optional(Id("agt", "The agent")),
      model: Type.Optional(Text("The model", "demo:echo")),
      day: Type.Optional(Day),
      ...COUNTS,
    }),
  ),
  totals: noun("UsageTotals", "What all have used together", COUNTS),
  truncated: Type.Boolean({ description: "Whether there are more groups than are shown; the totals are of all" }),
  budget: noun("UsageBudget", "The organization's tokens of this month", {
    monthly_tokens: Nullable(Type.Integer({ description: "Null for no limit" })),
    used_tokens: Count("Tokens that are used up"),
    resets_at: Timestamp,
  }),
});

export const usageOperations = operationGroup("Usage", "What the organization has used, and its budget", {
  getUsage: {
    method: "GET",
    path: "/api/usage",
    scope: "jobs:read",
    summary: "Read usage by agent, model or day",
    query: {
      group_by: OneOf(USAGE_GROUPS, { default: "day", description: "What a row is of" }),
      since: Type.String({
        description: "A day, or a time; the first of this month unless given",
        examples: ["2026-11-01"],
      }),
      until: Type.String({ description: "A day, or a time; today unless given", examples: ["2026-11-30"] }),
    },
    answers: { 200: UsageReportView },
    errors: ["invalid_request"],
  },
});
