/**
 * Stored state of MCP client sessions (MCP-1, MCP-6): that a client has ended one, and its subscriptions. The session
 * itself is in its id, which the client has. A session without stored state has no entry here, so abandoned sessions
 * cost nothing.
 *
 * The list is bounded. When it is full, the oldest session is removed, and it ends together with all that began before
 * it. A client whose session has ended begins a new one; an ended session never opens again.
 */
import { invalid, notFound, ok, type Outcome } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { CLOCK_SKEW_MS } from "../runtime/ports.ts";
import { isoTime } from "../schema.ts";
import { CLIENT_SESSION_MS, CLIENT_SESSIONS_KEPT, PERSON_SUBSCRIPTIONS, SESSION_SUBSCRIPTIONS } from "./policy.ts";
import type { SessionName, TrafficProtocol } from "./protocol.ts";
import { type ClientSession, type ClientSessions, clientSessionsTable } from "./schema.ts";

export const clientSessionHandlers = {
  find_session(tx, { session }) {
    const { isOver, subscriptions } = findClientSession(tx, session);
    return ok({ isOver, subscriptions });
  },

  end_session(tx, { session }) {
    const found = findClientSession(tx, session);
    if (!found.isOver) keepClientSession(tx, session, { ...found, isOver: true, subscriptions: [] });
    return ok(null);
  },

  subscribe(tx, { session, uri }) {
    const found = findClientSession(tx, session);
    if (found.isOver) return notFound("route");
    if (found.subscriptions.includes(uri)) return ok(null);
    const refused = roomFault(tx, session, found);
    if (refused !== null) return refused;
    keepClientSession(tx, session, { ...found, subscriptions: [...found.subscriptions, uri] });
    return ok(null);
  },

  unsubscribe(tx, { session, uri }) {
    const found = findClientSession(tx, session);
    if (!found.subscriptions.includes(uri)) return ok(null);
    keepClientSession(tx, session, { ...found, subscriptions: found.subscriptions.filter((one) => one !== uri) });
    return ok(null);
  },
} satisfies Partial<Handlers<TrafficProtocol>>;

function findClientSession(tx: Tx, { userId, key, openedAt }: SessionName): ClientSession {
  const record = tx.read(clientSessionsTable, userId);
  const known = record?.sessions.find((one) => one.key === key);
  return known ?? { key, openedAt, isOver: record !== null && openedAt <= overUpTo(tx, record), subscriptions: [] };
}

/** A bound in the future comes from a wrong clock. It would end every new session at once, so it does not count. */
const overUpTo = (tx: Tx, record: ClientSessions): number => (isFuture(tx, record.overUpTo) ? 0 : record.overUpTo);
const isFuture = (tx: Tx, time: number): boolean => time > tx.now + CLOCK_SKEW_MS;

function roomFault(tx: Tx, { userId }: SessionName, { subscriptions }: ClientSession): Outcome<never> | null {
  if (subscriptions.length >= SESSION_SUBSCRIPTIONS)
    return invalid("/uri", `A session has at most ${SESSION_SUBSCRIPTIONS} subscriptions; end one of them first`);
  const sessions = tx.read(clientSessionsTable, userId)?.sessions ?? [];
  const all = sessions.reduce((sum, one) => sum + one.subscriptions.length, 0);
  return all < PERSON_SUBSCRIPTIONS
    ? null
    : invalid("/uri", `Your sessions have at most ${PERSON_SUBSCRIPTIONS} subscriptions; end one of them first`);
}

function keepClientSession(tx: Tx, { userId }: SessionName, session: ClientSession): void {
  const record = tx.read(clientSessionsTable, userId);
  const others = (record?.sessions ?? []).filter(
    (one) => one.key !== session.key && one.openedAt + CLIENT_SESSION_MS > tx.now && !isFuture(tx, one.openedAt),
  );
  const says = session.isOver || session.subscriptions.length > 0;
  const all = [...others, ...(says ? [session] : [])].toSorted((a, b) => a.openedAt - b.openedAt);
  const dropped = all.splice(0, all.length - CLIENT_SESSIONS_KEPT);
  const endedUpTo = Math.max(record === null ? 0 : overUpTo(tx, record), dropped.at(-1)?.openedAt ?? 0);
  // Sessions that are over by `overUpTo` need no entry any more.
  const sessions = all.filter((one) => one.openedAt > endedUpTo);
  const fields = { sessions, overUpTo: endedUpTo, expiresAt: isoTime(tx.now + CLIENT_SESSION_MS) };
  if (record === null) tx.create(clientSessionsTable, { id: userId, ...fields });
  else tx.update(clientSessionsTable, { ...record, ...fields });
}
