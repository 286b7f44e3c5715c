/** The process: its log, its guards, its build, its place among replicas. */
import { choice, group, optionalSetting, wholeNumber } from "../setting.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const ENVIRONMENTS = ["development", "production", "test"] as const;

export const PROCESS = group("Process", {
  replicaUrl: optionalSetting("REPLICA_URL", "replica-url", {
    allowed:
      "auto, or an http URL without a path where the other replicas reach this one, such as http://10.0.0.5:3100",
    about:
      "The address at which the [other replicas](operations.md#several-replicas) of the same `DATABASE_URL` reach this process. `auto` finds one.",
    otherwise: "the only replica",
  }),
  memoryLimitMib: wholeNumber("MEMORY_LIMIT_MIB", 0, [0, 100_000_000], {
    about:
      "If the process uses more memory than this for some seconds, it drains and ends with code 69, so that its manager restarts it. 0 means never.",
  }),
  watchdogSeconds: wholeNumber("WATCHDOG_SECONDS", 10, [0, 3_600], {
    // No work of the service blocks the loop for a hundredth of this.
    allowed: "a whole number of seconds from 0 (no watchdog) to 3600",
    about: "The process ends itself if its event loop is blocked for this long. 0 means never.",
  }),
  buildCommit: optionalSetting("BUILD_COMMIT", "commit", {
    allowed: "the full hash of the commit, in hexadecimal",
    about: "The commit that `/api/version` reports, for images without a clone.",
    otherwise: "the commit of the clone",
  }),
  buildTime: optionalSetting("BUILD_TIME", "time", {
    allowed: "a time such as 2026-11-01T12:00:00Z",
    about: "The time of the build that `/api/version` reports.",
  }),
  logLevel: choice("LOG_LEVEL", LOG_LEVELS, { default: "info", about: "The least severe level that is logged." }),
  nodeEnv: choice("NODE_ENV", ENVIRONMENTS, {
    default: "development",
    about: "`production` refuses settings that are safe only for a trial.",
  }),
});
