/**
 * `org erase`: deletes an organization with everything it has, for ever. First it is suspended and its jobs are
 * cancelled, so that open work ends cleanly. From `begin` on no replica stores anything for it; then its
 * people, files and rows are deleted. Every step can be repeated: after an interruption, run the command again.
 */
import { accountRef } from "../../actors/account/schema.ts";
import { attemptKeysOf } from "../sign-in/accounts.ts";
import { AdminRefused, requiredOption } from "./arguments.ts";
import { cancelJobs, setSuspended } from "./brakes.ts";
import type { AdminParts } from "../service/admin-door.ts";
import { type AdminCommand, organizationOf, valueOrRefuse } from "./subjects.ts";

/** Accounts deleted in one transaction. */
const PEOPLE_AT_ONCE = 200;

export const ERASING: Readonly<Record<string, AdminCommand>> = {
  async "org erase"(parts, given) {
    // Always required, even if there is only one organization.
    requiredOption(given, "org");
    const { id, name } = await organizationOf(parts.directory, given);
    if (!given.flags.has("yes"))
      throw new AdminRefused(
        `This permanently erases ${name} (${id}) with everything that it has: people, agents, chats, jobs, files, secrets, the audit. ` +
          `\`org export --org ${id} --to FILE\` keeps a copy of it. Add --yes to erase it.`,
      );
    const { system, erasure, contents } = parts;
    const isBegun = await erasure.isBegun(id);
    if (!isBegun) {
      await setSuspended(parts, given, true);
      await cancelJobs(parts, id, null);
    }
    const { alone, naming } = await erasure.people(id);
    for (const userId of naming)
      valueOrRefuse(await system.dispatch(accountRef(userId), { kind: "forget_organization", organizationId: id }));
    if (!isBegun) {
      await erasure.begin(id);
      system.lookAtPlacement();
    }
    const accounts = await erasePeople(parts, alone);
    const rows: Record<string, number> = {};
    // Repeat until nothing is left: a body that was still arriving at the start may have stored something.
    for (let count = 1; count > 0;) {
      await contents.removeAll(id);
      const deleted = Object.entries(await erasure.eraseRows(id));
      count = deleted.reduce((sum, [, deletedRows]) => sum + deletedRows, 0);
      for (const [table, deletedRows] of deleted) rows[table] = (rows[table] ?? 0) + deletedRows;
    }
    await erasure.finish(id);
    const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
    return {
      text:
        `${name} (${id}) is erased: ${all} rows, all of its files, and the sign-in of ${accounts} ${accounts === 1 ? "person" : "people"} who belonged to no other organization.\n` +
        "Backups, exports and logs that were written before keep what they have.",
      json: { organization_id: id, name, rows, accounts },
    };
  },
};

async function erasePeople(
  { system, erasure }: AdminParts,
  people: readonly { readonly id: string; readonly email: string }[],
): Promise<number> {
  let accounts = 0;
  for (let at = 0; at < people.length; at += PEOPLE_AT_ONCE) {
    const some = people.slice(at, at + PEOPLE_AT_ONCE);
    accounts += await erasure.erasePeople(
      some.map(({ id }) => id),
      some.flatMap((person) => attemptKeysOf(person)),
    );
    system.lookAtPlacement();
  }
  return accounts;
}
