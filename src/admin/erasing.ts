/**
 * `org erase`: an organization goes, for ever, with everything that it has. First it is suspended and its jobs are
 * cancelled, so that what is open ends in good order; from `begin` on nothing is stored for it any more, by no replica;
 * then its people, its files and its rows go. Each step may be taken again: a run that broke off is begun anew.
 */
import { accountRef } from "../../actors/account/schema.ts";
import { attemptKeysOf } from "../sign-in/accounts.ts";
import { AdminRefused, required } from "./arguments.ts";
import { cancelJobs, setSuspended } from "./brakes.ts";
import { type AdminParts, type Command, organizationOf, taken } from "./subjects.ts";

/** People whose accounts go in one transaction. */
const PEOPLE_AT_ONCE = 200;

export const ERASING: Readonly<Record<string, Command>> = {
  async "org erase"(parts, given) {
    // Never implied, however few organizations there are.
    required(given, "org");
    const { id, name } = await organizationOf(parts.directory, given);
    if (!given.flags.has("yes"))
      throw new AdminRefused(
        `This erases ${name} (${id}) for ever, with all that it has: people, agents, chats, jobs, files, secrets, the audit. ` +
          `What it may need later writes \`org export --org ${id} --to FILE\`. Say --yes to erase it.`,
      );
    const { system, erasure, contents } = parts;
    const isBegun = await erasure.isBegun(id);
    if (!isBegun) {
      await setSuspended(parts, given, true);
      await cancelJobs(parts, id, null);
    }
    const { alone, naming } = await erasure.people(id);
    for (const userId of naming)
      taken(await system.dispatch(accountRef(userId), { kind: "forget_organization", organizationId: id }));
    if (!isBegun) {
      await erasure.begin(id);
      system.lookAtPlacement();
    }
    const accounts = await erasePeople(parts, alone);
    const rows: Record<string, number> = {};
    // Again, until there was nothing: a body that was on its way at the beginning may have left something.
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
