/** What an organization may use. */
import { Type } from "../../../actors/schema.ts";
import { DEFAULT_JOB_LIMITS, MOST_STEPS } from "../../../actors/job/limits.ts";
import { DEFAULT_SLOTS } from "../../../actors/job/run/slots.ts";
import { DEFAULT_PART } from "../../../actors/runtime/fairness/throttle.ts";
import { QUOTAS } from "../../../actors/usage/quota.ts";
import { flag, group, list, optionalSetting, setting, wholeNumber } from "../setting.ts";

/** A quiet stream costs some ten kilobytes and a file descriptor; one organization gets at most half of all streams. */
export const DEFAULT_MAX_STREAMS = 24_000;

/** Memory for bodies that are read at once, of all callers. */
const DEFAULT_BODY_MIB = 256;

export const LIMIT_SETTINGS = group("Limits", {
  monthlyTokenBudget: Type.Optional(
    Type.Integer(
      setting({
        env: "MONTHLY_TOKEN_BUDGET",
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        allowed: "a whole number of tokens, at least 1",
        about:
          "Model tokens, in and out together, that an organization may use in a month (UTC). `admin org budget` sets it for one organization.",
        otherwise: "no limit",
      }),
    ),
  ),
  monthlyCostBudget: optionalSetting("MONTHLY_COST_BUDGET", "amount", {
    allowed: "an amount above 0 in the currency of MODEL_PRICES, such as 250.00",
    about:
      "What the model tokens of an organization may cost in a month, in the currency of `MODEL_PRICES`. `admin org budget` sets it for one organization.",
    otherwise: "no limit",
  }),
  quotas: list("QUOTAS", "quota", {
    allowed: `entries name=number or name=unlimited, separated by commas; names are ${QUOTAS.join(", ")} (secrets: at most 64)`,
    about:
      "How much of each kind an organization may have, such as `agents=500,stored_bytes=unlimited`. `admin org quota` sets it for one organization.",
    otherwise: "[the defaults](spec/quotas.md)",
  }),
  rateBudgets: list("RATE_BUDGETS", "rate-budget", {
    allowed: "entries organization=requests or *=requests, of 3000 requests a minute or more, separated by commas",
    about:
      "Requests per minute for each token of an organization, such as `org_…=5000`. `*=5000` applies to all others.",
    otherwise: "3000",
  }),
  rateLimitV1: flag("RATE_LIMIT_V1", { about: "Applies the rate limits of the current surface to v1." }),
  v1RequestsPerMinute: wholeNumber("V1_REQUESTS_PER_MINUTE", 600_000, [0, 1_000_000_000], {
    about:
      "Requests per minute for an organization on v1 without `RATE_LIMIT_V1`, to stop runaway clients. 0 means no limit.",
  }),
  organizationLoopPercent: wholeNumber("ORGANIZATION_LOOP_PERCENT", DEFAULT_PART * 100, [5, 100], {
    about:
      "The share of a process's time that one organization may use while others are active, once it uses more than all of them together. 100 means no limit.",
  }),
  maxStreams: wholeNumber("MAX_STREAMS", DEFAULT_MAX_STREAMS, [2, 1_000_000], {
    about:
      "Event streams and waiting requests that a process keeps open at once, at most half of them for one organization. More are answered 503. A lower limit on open files lowers it.",
  }),
  bodyMemoryMib: wholeNumber("BODY_MEMORY_MIB", DEFAULT_BODY_MIB, [8, 1_000_000], {
    // One token may use an eighth, which must hold a body of the largest size.
    allowed: "a whole number of MiB from 8 to 1000000",
    about:
      "Memory for request bodies that are being received, in MiB. One organization may use a quarter, one token an eighth. More are answered 503.",
  }),
  jobSteps: wholeNumber("JOB_STEPS", DEFAULT_JOB_LIMITS.steps, [1, MOST_STEPS], {
    about: "Model calls of one job. Its agent or its budget may set another limit, up to 256.",
  }),
  jobMinutes: wholeNumber("JOB_MINUTES", DEFAULT_JOB_LIMITS.runMs / 60_000, [1, 1_440], {
    allowed: "a whole number of minutes from 1 to 1440",
    about: "How long one run of a job may take. Its budget may set another limit, up to 24 hours.",
  }),
  runningJobs: wholeNumber("RUNNING_JOBS", DEFAULT_SLOTS.inProcess, [1, 10_000], {
    about: "Jobs that run at once in a process. The others wait.",
  }),
  runningJobsOfOrganization: wholeNumber("RUNNING_JOBS_OF_ORGANIZATION", DEFAULT_SLOTS.ofOrganization, [1, 10_000], {
    about:
      "Jobs of one organization that run at once in a process while it uses more than its share of the event loop. Otherwise it starts jobs while it runs fewer than three times as many as there are free job slots, so alone it runs three quarters of RUNNING_JOBS, or this many if that is more.",
  }),
});
