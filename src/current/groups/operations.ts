/** Groups of members that decide about tool calls (APR-10). */
import { mapOutcome, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { GROUP_NAME } from "../../../actors/job/approval-rule.ts";
import { canUse, FULL_ACCESS, type Principal } from "../../../actors/organization/principal.ts";
import { MAX_GROUP_MEMBERS, type MemberGroup, organizationRef } from "../../../actors/organization/schema.ts";
import { Timestamp, Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { created } from "../../http/commit/commit.ts";
import { bad, good, pathId, textField } from "../../http/contract/field.ts";
import { fieldsFrom, Id, noun, Text } from "../../http/contract/noun.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { originOf } from "../../http/request/caller.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { doneIf } from "../updating.ts";

const ShownName = Text(`The name of the group: ${GROUP_NAME.form}`, "finance");
const NAME = new RegExp(GROUP_NAME.pattern);
const GroupName = pathId("group", NAME, ShownName);
/** An invalid name in a write is 400, because the caller has chosen it. */
const WrittenGroupName = textField<string>(ShownName, (text) =>
  NAME.test(text) ? good(text) : bad(`A name has ${GROUP_NAME.form}, and does not begin with \`_\` or \`-\``),
);

export const GroupView = noun("Group", "Members who may decide about the tool calls for which a rule names the group", {
  name: ShownName,
  version: Type.Integer({ minimum: 1, description: "Rises by one with each change. Send it in `If-Match`" }),
  members: Type.Array(Id("usr", "A member's user id"), { description: "Its members, by their user ids" }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const groupFields = fieldsFrom(GroupView);

const groupView = (group: MemberGroup) => ({ ...groupFields(group), members: group.memberIds });

export const groupOperations = {
  listGroups: operation(
    {
      method: "GET",
      path: "/api/groups",
      scope: "tokens:read",
      summary: "List the groups of members",
      description: "Every member may read them.",
      answers: {
        200: noun("GroupList", "All groups, by name", {
          groups: Type.Array(GroupView, { description: "All groups, by name" }),
        }),
      },
    },
    async ({ system }, { principal }) => {
      const groups = await system.dispatch(organizationRef(principal.organizationId), { kind: "list_groups" });
      return mapOutcome(groups, (list) => ({ groups: list.map(groupView) }));
    },
  ),

  getGroup: operation(
    {
      method: "GET",
      path: "/api/groups/{name}",
      scope: "tokens:read",
      summary: "Read a group",
      params: { name: GroupName },
      answers: { 200: GroupView },
    },
    async ({ system }, { principal }, { params: { name } }) =>
      mapOutcome(
        await system.dispatch(organizationRef(principal.organizationId), { kind: "read_group", name }),
        groupView,
      ),
  ),

  putGroup: operation(
    {
      method: "PUT",
      path: "/api/groups/{name}",
      scope: FULL_ACCESS,
      isForOwners: true,
      summary: "Write a group",
      description:
        "Creates it, or replaces its members. The members at the time of a decision may decide, also about calls that already wait.",
      params: { name: WrittenGroupName },
      headers: IF_MATCH,
      body: Type.Object(
        {
          members: Type.Array(Type.String({ maxLength: 64 }), {
            maxItems: MAX_GROUP_MEMBERS,
            description: "User ids of members of the organization",
          }),
        },
        { examples: [{ members: ["usr_V1StGXR8_Z5jdHi6B-myT"] }] },
      ),
      answers: { 200: GroupView, 201: GroupView },
      emits: "resource.updated",
    },
    async (_, change, { params: { name }, headers, body: { members } }) => {
      const version = headers["if-match"] ?? null;
      const command = { kind: "put_group", name, version, memberIds: members, origin: originOf(change) } as const;
      return change.commit(
        [ask(organizationRef(change.principal.organizationId), command)],
        ({ group, isNew, isUnchanged }) => (isNew ? created(groupView(group)) : doneIf(!isUnchanged, groupView(group))),
      );
    },
  ),

  deleteGroup: operation(
    {
      method: "DELETE",
      path: "/api/groups/{name}",
      scope: FULL_ACCESS,
      isForOwners: true,
      summary: "Delete a group",
      description:
        "Refused while a rule of an agent names it. Calls of jobs that keep such a rule wait for their expiry from then on.",
      params: { name: GroupName },
      answers: { 200: GroupView },
      errors: ["invalid_state"],
      emits: "resource.deleted",
    },
    async (services, change, { params: { name } }) => {
      const unused = await unlessNamed(services, change.principal, name);
      if (!unused.ok) return unused;
      const command = { kind: "delete_group", name, origin: originOf(change) } as const;
      return change.commit([ask(organizationRef(change.principal.organizationId), command)], (group) =>
        doneIf(true, groupView(group)),
      );
    },
  ),
};

/** Agents that a refusal names; the others are counted. */
const NAMED_AGENTS = 5;

/** Refuses while rules of agents keep calls for the group: nobody could decide about them any more. */
async function unlessNamed(
  { directory, readCommitted }: Services,
  by: Principal,
  name: string,
): Promise<Outcome<null>> {
  const found = await readCommitted(by.organizationId, () => directory.usersOfGroup(by.organizationId, name));
  if (!found.ok) return found;
  const agents = found.value;
  if (agents.length === 0) return ok(null);
  // A private agent of somebody else does not exist for the caller (AGT-5), but its rule does.
  const named = agents
    .filter((agent) => canUse(agent, by))
    .slice(0, NAMED_AGENTS)
    .map((agent) => `\`${agent.name}\` (${agent.id})`);
  const others = agents.length - named.length;
  const count = others === 0 ? [] : [`${others} ${named.length === 0 ? "" : "other "}agent${others === 1 ? "" : "s"}`];
  const message = `Approval rules name the group ${name}: change those of ${[...named, ...count].join(", ")} first`;
  return refuse({ kind: "invalid_state", status: "in_use", allowedActions: [], message });
}
