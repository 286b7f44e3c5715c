/** Migrations expand first and contract in a later release, so that two releases work on one database. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { breachesOf } from "../support/expanding.ts";

const MIGRATIONS = join(import.meta.dir, "../../db/migrations");
/** The last migration before the rule. */
const BASE = 25;

const released = [
  ...readFileSync(join(MIGRATIONS, "../../CHANGELOG.md"), "utf8").matchAll(/^## \[(\d+\.\d+\.\d+)\] - \d{4}/gm),
].map(([, version]) => version!);

const journal = JSON.parse(readFileSync(join(MIGRATIONS, "meta/_journal.json"), "utf8")) as {
  readonly entries: readonly { readonly idx: number; readonly tag: string }[];
};

test("[UPG-1] every migration keeps what the former release uses", () => {
  const later = journal.entries.filter(({ idx }) => idx > BASE);
  expect(later.length).toBe(journal.entries.length - BASE - 1);
  for (const { tag } of later) {
    const breaches = breachesOf(readFileSync(join(MIGRATIONS, `${tag}.sql`), "utf8"), released);
    expect({ tag, breaches }).toEqual({ tag, breaches: [] });
  }
});

const EXPANSIONS = [
  'CREATE TABLE "a" ("id" text NOT NULL);--> statement-breakpoint\nCREATE UNIQUE INDEX "a_id" ON "a" USING btree ("id");',
  'ALTER TABLE "job" ADD COLUMN "note" text;',
  'ALTER TABLE "job" ADD COLUMN "n" integer DEFAULT 0 NOT NULL;',
  'CREATE INDEX "job_note" ON "job" USING btree ("note");',
  `ALTER INDEX "job_metadata" SET (fastupdate = false);--> statement-breakpoint\nSELECT gin_clean_pending_list('job_metadata');`,
  'ALTER INDEX "chat_words" SET (gin_pending_list_limit = 1024);',
  `-- contracts: unused since ${released[0]}\nALTER TABLE "job" DROP COLUMN "note";`,
];

const BREACHES = [
  'ALTER TABLE "job" DROP COLUMN "note";',
  'ALTER TABLE "job" ADD COLUMN "note" text NOT NULL;',
  'ALTER TABLE "job" RENAME COLUMN "note" TO "text";',
  'ALTER TABLE "job" ALTER COLUMN "note" SET NOT NULL;',
  'ALTER TABLE "job" ADD CONSTRAINT "short" CHECK (length(note) < 10);',
  'CREATE UNIQUE INDEX "job_note" ON "job" USING btree ("note");',
  'DROP TABLE "job";',
  'ALTER INDEX "job_id" RENAME TO "job_name";',
  "update job set body = body || '{}';",
  'ALTER TABLE "job" ADD COLUMN "note" text;\nDROP INDEX "job_id";',
  '-- contracts: unused since 99.0.0\nDROP TABLE "job";',
];

test("[UPG-1] a migration that would break the former release is found", () => {
  for (const sql of EXPANSIONS) expect({ sql, breaches: breachesOf(sql, released) }).toEqual({ sql, breaches: [] });
  for (const sql of BREACHES) expect({ sql, breaches: breachesOf(sql, released).length }).toEqual({ sql, breaches: 1 });
});
