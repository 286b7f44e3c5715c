/** The administration's commands against a service of the tests, without the door and its process. */
import type { Sealing } from "../../actors/sealing.ts";
import { ADMIN_COMMANDS } from "../../src/admin/commands.ts";
import { render } from "../../src/admin/command-answer.ts";
import { configOf } from "./settings.ts";
import { adminParts, type AdminParts } from "../../src/service/admin-door.ts";
import { type Service, testSealing } from "./service.ts";

/** Runs one command; answers its text. */
export async function runCommand(
  { actors, database, app }: Service,
  command: string,
  options: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  sealing: Sealing = testSealing,
): Promise<string> {
  const storage = { url: "", database };
  const config = configOf({ APP_URL: "https://troupe.test" });
  const own = adminParts(actors, { config, storage }, app.invokeAtOwner, app);
  const parts: AdminParts = { ...own, sealing, now: Date.now };
  const given = { options, flags: new Set(flags) };
  return render(await ADMIN_COMMANDS[command]!(parts, given), given).text;
}
