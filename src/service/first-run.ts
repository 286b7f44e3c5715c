/**
 * The first run: a database without an organization gets one, with its owner, its default workspace, a personal access
 * token, a service token, and a sample agent that its members share, all in one commit. The tokens are shown once: on
 * the terminal, or without one in a file that only its owner may read. They are shown before the commit, so that a
 * crash between the two cannot leave an organization that nobody can enter; the next start then creates everything
 * again.
 */
import { newId } from "../../actors/ids.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import { DEFAULT_SCOPES, FULL_ACCESS } from "../../actors/organization/principal.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { type BackoffParts, type RetryPatience, untilDecided } from "../../actors/runtime/backoff.ts";
import { ok } from "../../actors/fault.ts";
import { TOKEN_DAYS, tokenExpiry } from "../../actors/organization/tokens.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import { newToken } from "../http/admission/token.ts";
import { makePasswordLink } from "../sign-in/password-link.ts";

export const FIRST_RUN_FILE = "first-run.txt";
/** Replicas that start together divide the shards, and the organization's shard may have no owner yet. */
const PATIENCE: RetryPatience = { firstMs: 100, lastMs: 1_000, limitMs: 15_000 };
/** The e-mail address of the first owner, about whom nothing is known. */
export const FIRST_OWNER = "owner@localhost";

export interface FirstRun {
  readonly organizationId: string;
  readonly personalToken: string;
  readonly serviceToken: string;
  readonly expiresAt: string;
  readonly agentId: string;
  /** The path of a one-time link to choose the owner's password (AUTH-16); null if it could not be created. */
  readonly passwordPath: string | null;
}

/** Tokens that can never be shown again. */
export type FirstTokens = Pick<FirstRun, "personalToken" | "serviceToken" | "expiresAt">;

/** The first organization cannot be stored. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

interface FirstRunParts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly now: number;
  readonly pauses: BackoffParts;
  /** Cancels the start. */
  readonly signal: AbortSignal;
  /** Saves the tokens before they become valid. */
  readonly beforeCommit: (tokens: FirstTokens) => void;
}

/** Creates the first organization; answers null if there is one already. */
export async function firstRun(parts: FirstRunParts): Promise<FirstRun | null> {
  const { system, directory, now } = parts;
  if ((await directory.listOrganizations()).length > 0) return null;
  const organizationId = newId("org");
  const userId = newId("usr");
  const expiresAt = tokenExpiry(now, TOKEN_DAYS);
  const personal = newToken("personal", { name: "First run", userId, expiresAt, scopes: [FULL_ACCESS] });
  // Programs get this token, so it has the default scopes; only the person's own token may manage secrets.
  const service = newToken("service", { name: "First run", userId, expiresAt, scopes: DEFAULT_SCOPES });
  parts.beforeCommit({ personalToken: personal.secret, serviceToken: service.secret, expiresAt });
  const ref = organizationRef(organizationId);
  const found = ask(ref, {
    kind: "found_organization",
    name: "My organization",
    owner: { userId, name: "Owner", email: FIRST_OWNER },
    tokens: [personal.token, service.token],
  });
  const create = ask(ref, {
    kind: "create_agent",
    by: { organizationId, userId },
    input: {
      name: "Assistant",
      role: "Assistant",
      systemPrompt: "You are a helpful assistant.",
      visibility: "organization",
    },
  });
  // Retry only if nothing was attempted: after an unknown outcome the next start checks whether the organization
  // exists.
  const decided = await untilDecided(parts.pauses, PATIENCE, parts.signal, async () => {
    const tried = await system.dispatchGroup([found, create]);
    return tried.ok || tried.fault.kind !== "unavailable" ? ok(tried) : tried;
  });
  const made = decided.ok ? decided.value : decided;
  if (!made.ok && made.fault.kind === "storage_full")
    throw new NoRoom("The disk of the database has less free space than DISK_RESERVE_MIB. Make room, or set it lower.");
  if (!made.ok) throw new Error(`the first organization could not be made: ${made.fault.kind}`);
  const [, { agent }] = made.value;
  // If this link is lost, the administration command can make a new one.
  const link = await makePasswordLink(system, userId, now);
  return {
    organizationId,
    personalToken: personal.secret,
    serviceToken: service.secret,
    expiresAt,
    agentId: agent.id,
    passwordPath: link.ok ? link.value : null,
  };
}
