/**
 * Groups of members that decide about calls (APR-10). All are in the organization's record, so a removal takes a member
 * out of them in its own commit, and an export or an erasure of the organization has them.
 */
import type { DecidingPerson } from "../job/approval-rule.ts";
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { noteInAudit } from "./audit.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { MAX_GROUPS, memberTable, type MemberGroup, type Organization, organizationTable } from "./schema.ts";

export const groupCommandHandlers = {
  read_deciders(tx, { userIds }) {
    const organization = tx.read(organizationTable, tx.self.id);
    const people = userIds.flatMap((userId): [string, DecidingPerson][] => {
      const member = tx.read(memberTable, userId);
      if (member === null || member.status === "removed") return [];
      return [[userId, { isOwner: member.role === "owner", groups: groupsOf(organization, userId) }]];
    });
    return ok(Object.fromEntries(people));
  },

  list_groups: (tx) => ok(groupsIn(tx)),

  read_group(tx, { name }) {
    const group = groupsIn(tx).find((one) => one.name === name);
    return group === undefined ? notFound("group") : ok(group);
  },

  put_group(tx, { name, version, memberIds, origin }) {
    const strangers = memberIds.flatMap((userId, at) => {
      const member = tx.read(memberTable, userId);
      return member === null || member.status === "removed" ? [at] : [];
    });
    const [stranger] = strangers;
    if (stranger !== undefined) return invalid(`/members/${stranger}`, `\`${memberIds[stranger]}\` is not a member`);
    const groups = groupsIn(tx);
    const former = groups.find((one) => one.name === name);
    const known = former?.version ?? 0;
    if (version !== null && version !== known) return refuse({ kind: "version_conflict", version: known });
    if (former === undefined && groups.length >= MAX_GROUPS)
      return refuse({ kind: "quota_exceeded", quota: "groups", limit: MAX_GROUPS, used: groups.length });
    const members = [...new Set(memberIds)].sort();
    if (former !== undefined && former.memberIds.join() === members.join())
      return ok({ group: former, isNew: false, isUnchanged: true });
    const now = isoTime(tx.now);
    const createdAt = former?.createdAt ?? now;
    const group: MemberGroup = { name, version: known + 1, memberIds: members, createdAt, updatedAt: now };
    const others = groups.filter((one) => one.name !== name);
    noteInAudit(tx, { action: "group.set", subjectId: null, detail: name }, origin);
    return mapped(
      keepGroups(
        tx,
        [...others, group].sort((a, b) => (a.name < b.name ? -1 : 1)),
      ),
      {
        group,
        isNew: former === undefined,
        isUnchanged: false,
      },
    );
  },

  delete_group(tx, { name, origin }) {
    const groups = groupsIn(tx);
    const group = groups.find((one) => one.name === name);
    if (group === undefined) return notFound("group");
    noteInAudit(tx, { action: "group.removed", subjectId: null, detail: name }, origin);
    return mapped(
      keepGroups(
        tx,
        groups.filter((one) => one !== group),
      ),
      group,
    );
  },
} satisfies Partial<Handlers<OrganizationProtocol>>;

/** The names of the groups that a user is in. */
export const groupsOf = (organization: Pick<Organization, "groups"> | null, userId: string): string[] =>
  (organization?.groups ?? []).filter(({ memberIds }) => memberIds.includes(userId)).map(({ name }) => name);

/** The organization without a removed person in its groups: a return brings none of them back. */
export const withoutMember = (organization: Organization, userId: string): Organization =>
  groupsOf(organization, userId).length === 0
    ? organization
    : {
        ...organization,
        groups: (organization.groups ?? []).map((group) =>
          group.memberIds.includes(userId)
            ? {
                ...group,
                version: group.version + 1,
                memberIds: group.memberIds.filter((id) => id !== userId),
              }
            : group,
        ),
      };

const groupsIn = (tx: Tx): readonly MemberGroup[] => tx.read(organizationTable, tx.self.id)?.groups ?? [];

function keepGroups(tx: Tx, groups: MemberGroup[]): Outcome<null> {
  const organization = tx.read(organizationTable, tx.self.id);
  if (organization === null) return notFound("organization");
  tx.update(organizationTable, { ...organization, groups });
  return ok(null);
}

const mapped = <T>(kept: Outcome<null>, value: T): Outcome<T> => (kept.ok ? ok(value) : kept);
