/** Groups of members, whom approval rules name as those who decide. */
import { useState } from "preact/hooks";
import type { Group, Member } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { useLoaded, WhenLoaded } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { CheckField, TextField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { OWNERS_DO_THIS } from "../pieces/owners-only.tsx";
import { NOT_ALL_LISTED, readItems } from "../pieces/read-pages.ts";
import { isolated, service } from "../service.ts";
import { memberName, ownRole } from "../session.ts";
import { TitledPage } from "../title.tsx";

const GROUPS_PATH = "/api/groups";

interface GroupMembers {
  readonly members: readonly Member[];
  /** Whether the organization has no more than these. */
  readonly isWhole: boolean;
}

export function GroupsPage() {
  const found = useLoaded(async (signal) => {
    const [{ groups }, { items: members, isWhole }] = await Promise.all([
      service.listGroups({ signal }),
      readItems(
        (query) => service.listMembers(query, { signal }),
        (page) => page.members,
      ),
    ]);
    return { groups, of: { members, isWhole } };
  }, []);
  return (
    <TitledPage title="Groups">
      <p class="quiet">
        Approval rules of agents name groups whose members decide: <code>{'"of": {"group": "finance"}'}</code>.
      </p>
      <WhenLoaded of={found}>
        {({ groups, of }) => (
          <>
            {groups.length === 0 ? (
              <NothingYet request={{ method: "PUT", path: `${GROUPS_PATH}/finance`, body: { members: ["usr_…"] } }}>
                There are no groups. From a terminal:
              </NothingYet>
            ) : (
              <ul class="rows" aria-label="Groups">
                {groups.map((group) => (
                  <GroupRow key={group.name} group={group} of={of} changed={found.reload} />
                ))}
              </ul>
            )}
            <NewGroup groups={groups} of={of} made={found.reload} />
          </>
        )}
      </WhenLoaded>
      <CopyAsCurl path={GROUPS_PATH} />
    </TitledPage>
  );
}

const whyNotWrite = (): string | null => (ownRole.value === "owner" ? null : OWNERS_DO_THIS);

interface GroupRowProps {
  readonly group: Group;
  readonly of: GroupMembers;
  readonly changed: () => void;
}

/** The chosen members, which are not saved yet, and the version of the group that they change. */
interface EditedGroup {
  readonly chosen: readonly string[];
  readonly version: number;
}

function GroupRow({ group: { name, version, members, updated_at: updatedAt }, of, changed }: GroupRowProps) {
  const [edited, setEdited] = useState<EditedGroup | null>(null);
  return (
    <li>
      <strong>{name}</strong>
      <p class="quiet">
        {members.length === 0 ? "nobody" : null}
        {members.map((id, at) => (
          <span key={id}>
            {at === 0 ? "" : ", "}
            <bdi>{memberName(id) ?? "…"}</bdi>
          </span>
        ))}{" "}
        · changed <Time at={updatedAt} />
      </p>
      {edited === null ? null : (
        <GroupForm
          label={`Members of ${name}`}
          of={of}
          chosen={edited.chosen}
          change={(chosen) => setEdited({ ...edited, chosen })}
          action="Save the group"
          whyNot={null}
          save={async () => {
            await service.putGroup(name, { members: [...edited.chosen] }, { ifMatch: edited.version });
            setEdited(null);
            changed();
          }}
        />
      )}
      <p class="actions">
        <ActionButton
          class="quiet"
          whyNot={whyNotWrite()}
          act={() => Promise.resolve(setEdited(edited === null ? { chosen: members, version } : null))}
        >
          {edited === null ? "Edit" : "Stop editing"}
        </ActionButton>
        <ActionButton
          class="quiet"
          whyNot={whyNotWrite()}
          question={`Delete the group ${isolated(name)}? Nobody can decide the calls that wait for it: they end at their expiry.`}
          act={() => service.deleteGroup(name)}
          after={changed}
        >
          Delete
        </ActionButton>
      </p>
    </li>
  );
}

interface NewGroupProps {
  readonly groups: readonly Group[];
  readonly of: GroupMembers;
  readonly made: () => void;
}

function NewGroup({ groups, of, made }: NewGroupProps) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const isTaken = groups.some((group) => group.name === name.trim());
  return (
    <details class="card">
      <summary>New group</summary>
      <GroupForm
        label="New group"
        name={{ value: name, change: setName }}
        of={of}
        chosen={chosen}
        change={setChosen}
        action="Make the group"
        whyNot={
          whyNotWrite() ??
          (name.trim() === "" ? "Give it a name first" : isTaken ? "This group exists already: edit it" : null)
        }
        save={async () => {
          await service.putGroup(name.trim(), { members: [...chosen] });
          setName("");
          setChosen([]);
          made();
        }}
      />
    </details>
  );
}

interface GroupFormProps {
  readonly label: string;
  /** Absent: the group has its name. */
  readonly name?: { readonly value: string; readonly change: (name: string) => void };
  readonly of: GroupMembers;
  /** The ids of its members. */
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
  readonly action: string;
  readonly whyNot: string | null;
  readonly save: () => Promise<void>;
}

function GroupForm({ label, name, of, chosen, change, action, whyNot, save }: GroupFormProps) {
  return (
    <SendForm label={label} send={save} whyNot={whyNot} action={action}>
      {name === undefined ? null : (
        <TextField
          label="Name"
          path="/name"
          hint="Lower-case letters, digits, _ and -"
          value={name.value}
          change={name.change}
        />
      )}
      <fieldset class="tools">
        <legend>Members</legend>
        {of.members.map((member) => (
          <div key={member.id}>
            <CheckField
              label={isolated(member.name === "" ? member.email : `${member.name}, ${member.email}`)}
              value={chosen.includes(member.id)}
              change={(isIn) => change(isIn ? [...chosen, member.id] : chosen.filter((id) => id !== member.id))}
            />
          </div>
        ))}
        {of.isWhole ? null : <p class="quiet">{NOT_ALL_LISTED}</p>}
      </fieldset>
    </SendForm>
  );
}
