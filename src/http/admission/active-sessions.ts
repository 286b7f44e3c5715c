/** The sessions of a person in an organization, without those that are over. */
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { Directory } from "../../../actors/organization/directory.ts";
import type { Token } from "../../../actors/organization/schema.ts";
import { hasTokenEnded } from "../../../actors/organization/tokens.ts";
import { type Page, PAGE_LIMIT, type PageCursor } from "../../../actors/page.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import { lookUp } from "../../log/look-up.ts";
import type { HttpLog } from "../../log/port.ts";

interface SessionParts {
  readonly system: Pick<TroupeSystem, "settled">;
  readonly directory: Pick<Directory, "pageTokens">;
  readonly clock: Pick<Clock, "now">;
  readonly log: HttpLog;
}

/** Newest first. */
export async function activeSessions(
  { system, directory, clock, log }: SessionParts,
  organizationId: string,
  userId: string,
  /** Which sessions are over; omitted: those that were revoked, have expired or were idle for too long. */
  isOver: (session: Token, now: number) => boolean = hasTokenEnded,
): Promise<Outcome<readonly Token[]>> {
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const now = clock.now();
  const filter = { kind: "session", userId } as const;
  const found: Token[] = [];
  let after: PageCursor | null = null;
  do {
    const read = directory.pageTokens(organizationId, filter, { limit: PAGE_LIMIT, after });
    const page: Outcome<Page<Token>> = await lookUp(log, read);
    if (!page.ok) return page;
    found.push(...page.value.records.filter((session) => !isOver(session, now)));
    after = page.value.next;
  } while (after !== null);
  return ok(found);
}
