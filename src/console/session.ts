/** The session of the browser, and who the person is. */
import { computed, effect, type Signal, signal } from "@preact/signals";
import { ApiError, type Member, NotFoundError } from "../../sdk/typescript/troupe.ts";
import { sessionEnded, service } from "./service.ts";

/** The person who is signed in; null until it is known. */
const ownMember = signal<Member | null>(null);
export const ownId = computed(() => ownMember.value?.id ?? null);
/** The role of the person who is signed in; null until it is known. */
export const ownRole = computed(() => ownMember.value?.role ?? null);

/**
 * Called when the service has answered. If the session had ended, somebody has signed in again: this page goes on, unless
 * it is somebody else.
 */
export async function noteAnswer(): Promise<void> {
  if (ownMember.value !== null && !sessionEnded.value) return;
  const member = await service.getMember("me");
  const before = ownMember.value;
  if (before !== null && (before.id !== member.id || before.organization_id !== member.organization_id))
    location.reload();
  ownMember.value = member;
  sessionEnded.value = false;
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
