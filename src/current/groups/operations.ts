/** Groups of members that decide about tool calls (APR-10). */
import { mapOutcome } from "../../../actors/fault.ts";
import { GROUP_NAME } from "../../../actors/job/approval-rule.ts";
import { FULL_ACCESS } from "../../../actors/organization/principal.ts";
import { MAX_GROUP_MEMBERS, type MemberGroup, organizationRef } from "../../../actors/organization/schema.ts";
import { Timestamp, Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { created } from "../../http/commit/commit.ts";
import { bad, good, pathId, textField } from "../../http/contract/field.ts";
import { Id, noun, Text } from "../../http/contract/noun.ts";
import { originOf } from "../../http/request/caller.ts";
import { operation } from "../../operations/operation.ts";
import { doneIf } from "../updating.ts";

const ShownName = Text(`The name of the group: ${GROUP_NAME.form}`, "finance");
const NAME = new RegExp(GROUP_NAME.pattern);
const GroupName = pathId("group", NAME, ShownName);
/** An invalid name in a write is 400, because the caller has chosen it. */
const WrittenGroupName = textField<string>(ShownName, (text) =>
  NAME.test(text) ? good(text) : bad(`A name has ${GROUP_NAME.form}, and does not begin with \`_\` or \`-\``),
);

export const GroupView = noun("Group", "Members who decide together about tool calls that rules name them for", {
  name: ShownName,
  members: Type.Array(Id("usr", "A member's user id"), { description: "Its members, by their user ids" }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const groupView = ({ name, memberIds, createdAt, updatedAt }: MemberGroup) => ({
  name,
  members: memberIds,
  created_at: createdAt,
  updated_at: updatedAt,
});

export const groupOperations = {
  listGroups: operation(
    {
      method: "GET",
      path: "/api/groups",
      scope: "tokens:read",
      summary: "List the groups of members",
      description: "For every member.",
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
        "Creates it, or replaces its members. Calls that wait already are decided by the members of that moment.",
      params: { name: WrittenGroupName },
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
    async (_, change, { params: { name }, body: { members } }) => {
      const command = { kind: "put_group", name, memberIds: members, origin: originOf(change) } as const;
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
      description: "Rules that name it stay: nobody decides about their calls any more, except by their expiry.",
      params: { name: GroupName },
      answers: { 200: GroupView },
      emits: "resource.deleted",
    },
    async (_, change, { params: { name } }) => {
      const command = { kind: "delete_group", name, origin: originOf(change) } as const;
      return change.commit([ask(organizationRef(change.principal.organizationId), command)], (group) =>
        doneIf(true, groupView(group)),
      );
    },
  ),
};
