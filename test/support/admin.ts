/** The administration's commands against a service of the tests, without the door and its process. */
import type { Sealing } from "../../actors/sealing.ts";
import { PostgresKeyRotation } from "../../db/key-rotation.ts";
import { PostgresErasure } from "../../db/erasure.ts";
import { PostgresJobDirectory } from "../../db/stores/job-directory.ts";
import { ADMIN_COMMANDS } from "../../src/admin/commands.ts";
import { render } from "../../src/admin/command-answer.ts";
import { configOf } from "./settings.ts";
import type { AdminParts } from "../../src/admin/subjects.ts";
import { type Service, testSealing } from "./service.ts";

/** Runs one command; answers its text. */
export async function runCommand(
  { system, directory, database, app, quotas, files }: Service,
  command: string,
  options: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  sealing: Sealing = testSealing,
): Promise<string> {
  const parts: AdminParts = {
    config: configOf({}),
    databaseUrl: "",
    system,
    directory,
    jobs: new PostgresJobDirectory(database),
    appUrl: () => "https://troupe.test",
    quotas,
    erasure: new PostgresErasure(database),
    keyRotation: new PostgresKeyRotation(database),
    sealing,
    contents: files,
    now: Date.now,
    onRevoked: (tokenId) => app.streams.closeOf(tokenId),
    opened: () => ({ bodies: app.bodies.usage, streams: app.streams.count, waiting: app.turns.waiting }),
    onSuspended: (organizationId, isSuspended) => app.streams.suspend(organizationId, isSuspended),
  };
  const given = { options, flags: new Set(flags) };
  return render(await ADMIN_COMMANDS[command]!(parts, given), given).text;
}
