/** The session of the browser, and who the person is. */
import { computed, effect, type Signal, signal } from "@preact/signals";
import { ApiError, type Member, NotFoundError } from "../../sdk/typescript/troupe.ts";
import { sessionEnded, service } from "./service.ts";

/** The person who is signed in; null until it is known. */
const ownMember = signal<Member | null>(null);
export const ownId = computed(() => ownMember.value?.id ?? null);
/** The role of the person who is signed in; null until it is known. */
export const ownRole = computed(() => ownMember.value?.role ?? null);

/** Whose drafts this tab keeps: a person in an organization. */
const KEPT_FOR = "troupe kept for";
const NOT_KNOWN = "nobody";
const CHANGE_TO_TELL = "troupe session changed";

/** The place in `sessionStorage` of a draft. Another person, or the same one in another organization, has others. */
export const draftPlace = (name: string): string => `troupe ${sessionStorage.getItem(KEPT_FOR) ?? NOT_KNOWN} ${name}`;

/** Gives the drafts that were written before it was known who the person is their place. */
function placeFirstDrafts(): void {
  const start = `troupe ${NOT_KNOWN} `;
  for (const place of Object.keys(sessionStorage).filter((one) => one.startsWith(start))) {
    sessionStorage.setItem(draftPlace(place.slice(start.length)), sessionStorage.getItem(place) ?? "");
    sessionStorage.removeItem(place);
  }
}

/** Whether the person is to learn that this page was loaded again, because the session is another one now. */
export const tellsOfChange = signal(sessionStorage.getItem(CHANGE_TO_TELL) !== null);
sessionStorage.removeItem(CHANGE_TO_TELL);

/**
 * Reads who is signed in, and answers whether this page may go on. It may not, and is loaded again, if the session is
 * that of somebody else or of another organization: all tabs share it, and this page shows what is of the former one.
 */
export async function isOwnPage(): Promise<boolean> {
  const member = await service.getMember("me");
  const keptFor = `${member.organization_id} ${member.id}`;
  const before = sessionStorage.getItem(KEPT_FOR);
  sessionStorage.setItem(KEPT_FOR, keptFor);
  if (before === null) placeFirstDrafts();
  if (before !== null && before !== keptFor) {
    if (ownMember.value !== null) sessionStorage.setItem(CHANGE_TO_TELL, "yes");
    location.reload();
    return false;
  }
  ownMember.value = member;
  sessionEnded.value = false;
  return true;
}

/** Resolves when there is a session again, or when `until` is aborted. */
export const signedInAgain = (until: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = effect(() => {
      if (!sessionEnded.value) queueMicrotask(done);
    });
    const done = (): void => {
      end();
      resolve();
    };
    until.addEventListener("abort", done, { once: true });
  });

const memberNames = new Map<string, Signal<string | null>>();

/** The name of a member; null until it has been read. */
export function memberName(id: string): string | null {
  let name = memberNames.get(id);
  if (name === undefined) {
    const read = (name = signal<string | null>(null));
    memberNames.set(id, name);
    service.getMember(id).then(
      (member) => (read.value = member.name === "" ? member.email : member.name),
      (error: unknown) => {
        if (error instanceof NotFoundError) read.value = "A former member";
        else if (error instanceof ApiError) read.value = "Another person";
        else memberNames.delete(id);
      },
    );
  }
  return name.value;
}
