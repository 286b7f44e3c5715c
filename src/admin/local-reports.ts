/** Reports that are read beside the service: health, jobs, usage, and lines of the log. */
import { unpricedTokens } from "../../actors/money.ts";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { USAGE_GROUPS, type UsageGroup } from "../../actors/usage/directory.ts";
import { dayOf, monthOf } from "../../actors/usage/schema.ts";
import { openDatabase } from "../../db/client.ts";
import { DATABASE_NOTE } from "../../db/data-folder.ts";
import { PostgresDirectory } from "../../db/stores/directory.ts";
import { listUnfinishedJobs } from "../../db/stores/job-counts.ts";
import { PostgresUsageDirectory } from "../../db/stores/usage-directory.ts";
import { systemClock } from "../wiring/clock.ts";
import { AdminRefused, requiredOption } from "./arguments.ts";
import { doctorFacts, doctorReport } from "./doctor-report.ts";
import { type LocalCommand, withDatabase } from "./local-database.ts";
import { tryNamedModel } from "./model-trial.ts";
import { linesOf } from "./log-lines.ts";
import { organizationOf } from "./subjects.ts";
import { listAnswer, type CommandAnswer } from "./command-answer.ts";

/** Groups shown of one organization. */
const GROUPS = 1_000;

export const LOCAL_REPORTS = {
  async doctor(errand) {
    const { config } = errand;
    const hasDatabase = config.databaseUrl !== undefined || existsSync(join(config.dataDir, DATABASE_NOTE));
    const facts = await doctorFacts(config, hasDatabase, (run) => withDatabase(errand, run));
    return doctorReport(facts, "those of this command: no service that runs on this data folder answers");
  },

  "models try": (errand) => tryNamedModel(errand),

  async jobs(errand) {
    const isOfOne = errand.given.options["org"] !== undefined;
    const jobs = await readDatabase(errand, async (database) => {
      const wanted = isOfOne ? (await organizationOf(new PostgresDirectory(database), errand.given)).id : null;
      return listUnfinishedJobs(database, wanted);
    });
    return listAnswer(
      ["ORGANIZATION", "STATUS", "JOBS", "OLDEST"],
      jobs.map(({ organizationId, status, count, oldest }) => [organizationId, status, String(count), oldest]),
    );
  },

  usage: (errand) =>
    readDatabase(errand, async (database): Promise<CommandAnswer> => {
      const by = groupOf(errand.given.options["by"] ?? "model");
      const directory = new PostgresDirectory(database);
      const { org } = errand.given.options;
      const all =
        org === undefined ? await directory.listOrganizations() : [await organizationOf(directory, errand.given)];
      const now = systemClock.now();
      const request = { groupBy: by, since: `${monthOf(now)}-01`, until: dayOf(now), limit: GROUPS, seenBy: null };
      const usage = new PostgresUsageDirectory(database);
      const rows: string[][] = [];
      for (const { id } of all) {
        const { groups } = await usage.report(id, request);
        for (const { key, jobs, toolCalls, ...used } of groups) {
          const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = used;
          const tokens = [inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens];
          const counts = [...tokens, jobs, toolCalls].map(String);
          rows.push([id, key ?? "-", ...counts, used.cost ?? "-", String(unpricedTokens(used))]);
        }
      }
      return listAnswer(
        [
          "ORGANIZATION",
          by.toUpperCase(),
          "INPUT TOKENS",
          "OUTPUT TOKENS",
          "CACHED INPUT TOKENS",
          "CACHE WRITE TOKENS",
          "JOBS",
          "TOOL CALLS",
          "COST",
          "UNPRICED TOKENS",
        ],
        rows,
      );
    }),

  async logs({ given }) {
    const id = requiredOption(given, "request-id");
    const { from } = given.options;
    if (from !== undefined && !existsSync(resolve(from))) throw new AdminRefused(`There is no file ${resolve(from)}`);
    const lines: string[] = [];
    for await (const line of linesOf(id, (from === undefined ? Bun.stdin : Bun.file(resolve(from))).stream()))
      lines.push(line);
    if (lines.length === 0) throw new AdminRefused(`No line of the log names ${id}`);
    return { text: lines.join("\n"), json: lines.map((line): unknown => JSON.parse(line)) };
  },
} as const satisfies Readonly<Record<string, LocalCommand>>;

type ReportErrand = Parameters<LocalCommand>[0];
type OpenedDatabase = ReturnType<typeof openDatabase>;

const readDatabase = <T>(errand: ReportErrand, run: (database: OpenedDatabase) => Promise<T>): Promise<T> =>
  withDatabase(errand, async (url) => {
    const database = openDatabase(url);
    try {
      return await run(database);
    } finally {
      await database.close();
    }
  });

function groupOf(text: string): UsageGroup {
  const found = USAGE_GROUPS.find((group) => group === text);
  if (found === undefined) throw new AdminRefused(`--by must be one of ${USAGE_GROUPS.join(", ")}`);
  return found;
}
