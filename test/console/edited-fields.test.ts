/** What a person has changed in a record, while others change the same record. */
import { expect, test } from "bun:test";
import {
  changeFields,
  type EditedFields,
  moveFields,
  otherChanges,
  replaceChanges,
  settleFields,
} from "../../src/console/pieces/edited-fields.ts";

interface Note {
  readonly name: string;
  readonly role: string;
  readonly tags: readonly string[];
}

const FIRST: Note = { name: "Ada", role: "Editor", tags: ["one"] };
const opened = (saved: Note = FIRST): EditedFields<Note> => ({ saved, changes: {}, base: saved });
const theirs = { ...FIRST, role: "Author" };
const mine = changeFields(opened(), { name: "Mine" });

test("[CON-9] all fields at once, as JSON has them, change only those that differ", () => {
  expect(replaceChanges(opened(), { ...FIRST, role: "Author" }).changes).toEqual({ role: "Author" });
  // A field that is left out stays as saved, and so does one that is written back.
  expect(replaceChanges(mine, { role: "Author" }).changes).toEqual({ role: "Author" });
  expect(changeFields(mine, { name: "Ada" })).toEqual(opened());
  // So nothing is left after a save that would lie over what somebody else saves later.
  const saved = settleFields(replaceChanges(opened(), { ...FIRST, role: "Author" }), { role: "Author" }, theirs);
  expect(moveFields(saved, { ...theirs, name: "Theirs" }).changes).toEqual({});
});

test("[CON-9] a newer record is announced, and shows in every field that the person has not changed", () => {
  const moved = moveFields(mine, theirs);
  expect([moved.changes, otherChanges(moved)]).toEqual([{ name: "Mine" }, { role: "Author" }]);
  // It is told until the changes are saved or discarded, over any number of versions.
  expect(otherChanges(moveFields(moved, { ...theirs, tags: [] }))).toEqual({ role: "Author", tags: [] });
  expect(otherChanges(replaceChanges(moved, {}))).toEqual({});
  expect(otherChanges(settleFields(moved, moved.changes, { ...theirs, name: "Mine" }))).toEqual({});
});

test("[CON-9] a field that only the service has changed is no conflict, and neither is one that both changed to the same value", () => {
  expect(moveFields(mine, { ...FIRST, tags: ["one"] })).toEqual(mine);
  const both = changeFields(mine, { tags: [] });
  const moved = moveFields(both, { ...FIRST, name: "Mine" });
  expect([moved.changes, otherChanges(moved)]).toEqual([{ tags: [] }, {}]);
  // The same name is no change any more: it does not come back over a later one.
  expect(moveFields(moved, { ...FIRST, name: "Theirs" }).changes).toEqual({ tags: [] });
  expect(moveFields(opened(), { ...FIRST, name: "Theirs" })).toEqual(opened({ ...FIRST, name: "Theirs" }));
});

test("[CON-9] a save forgets what was sent, and keeps what was written meanwhile", () => {
  const later = changeFields(mine, { name: "Mine again", tags: [] });
  const saved = { ...FIRST, name: "Mine" };
  expect(settleFields(later, mine.changes, saved)).toEqual({
    saved,
    changes: { name: "Mine again", tags: [] },
    base: saved,
  });
  // Also if the person has written the former value again.
  expect(settleFields(changeFields(mine, { name: "Ada" }), mine.changes, saved).changes).toEqual({ name: "Ada" });
  // The service may save it otherwise than it was sent.
  expect(settleFields(mine, mine.changes, { ...FIRST, name: "Mine." }).changes).toEqual({});
});
