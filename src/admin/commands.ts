/**
 * Administration commands: add people and organizations, and hand out tokens, without SQL. They run in the
 * process that owns the actors, because only there a revocation takes effect at once; `main.ts` brings them
 * there. Answers are plain text for a terminal.
 */
import { isLonger } from "../../actors/cut-text.ts";
import { budgetWords, givenMonthLimits } from "./month-budget.ts";
import { newId } from "../../actors/ids.ts";
import { DEFAULT_SCOPES, SCOPES } from "../../actors/organization/principal.ts";
import { type CredentialKind, organizationRef, type TokenKind } from "../../actors/organization/schema.ts";
import { TOKEN_DAYS, TOKEN_DAYS_MAX, TOKEN_DAYS_MIN } from "../../actors/organization/tokens.ts";
import { isQuotaName, quotaEntry, type QuotaName, QUOTAS } from "../../actors/usage/quota.ts";
import { usageRef } from "../../actors/usage/schema.ts";
import type { Static } from "../../actors/schema.ts";
import type { NewTokenView } from "../current/tokens/schema.ts";
import { LINK_HOURS, makePasswordLink } from "../sign-in/password-link.ts";
import { didYouMean } from "../../actors/near-name.ts";
import { countViolations } from "../work/invariants.ts";
import type { AdminAnswer, AdminArguments, AdminParts, AdminRequest } from "../service/admin-door.ts";
import { AdminRefused, integer, requiredOption } from "./arguments.ts";
import { BRAKES } from "./brakes.ts";
import { ERASING } from "./erasing.ts";
import { KEY_COMMANDS } from "./keys.ts";
import { DOCTOR } from "./doctor-report.ts";
import { tryNamedModel } from "./model-trial.ts";
import { LOAD } from "./load.ts";
import { commandRefusal, doneCommand, listAnswer, render } from "./command-answer.ts";
import { answerAlone } from "./door.ts";
import {
  changeByOperation,
  type AdminCommand,
  findMember,
  organizationOf,
  findPerson,
  valueOrRefuse,
} from "./subjects.ts";
import { CONTROL_CHARACTER } from "../sign-in/flow.ts";

/** For a trial of a model: a provider may send signs of life for ever. */
const TRIAL_MS = 10 * 60_000;
const ADMIN_NAME_CHARACTERS = 100;

export const ADMIN_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  ...BRAKES,
  ...LOAD,
  ...DOCTOR,
  "models try": ({ config }, given) => tryNamedModel({ config, given, signal: AbortSignal.timeout(TRIAL_MS) }),
  ...ERASING,
  ...KEY_COMMANDS,

  async "org create"({ system, directory }, given) {
    const name = givenName("name", requiredOption(given, "name"));
    const email = emailOf(requiredOption(given, "owner-email"));
    const userId = await findPerson(directory, email);
    const ownerName = givenName("owner-name", given.options["owner-name"] ?? email);
    const id = newId("org");
    const owner = { userId, email, name: ownerName };
    valueOrRefuse(await system.dispatch(organizationRef(id), { kind: "found_organization", name, owner, tokens: [] }));
    return doneCommand(
      `Organization ${id} (${name}) with its owner ${email}.\nNext: bun run admin token create --org ${id} --email ${email}`,
      { id, name, owner: { id: userId, email } },
    );
  },

  async invariants({ system, jobs }) {
    const checks = await countViolations({ system, jobs }, null);
    return listAnswer(
      ["INVARIANT", "VIOLATIONS"],
      checks.map(({ name, count }) => [name, String(count)]),
    );
  },

  async "org list"({ directory }) {
    const organizations = await directory.listOrganizations();
    return listAnswer(
      ["ID", "NAME", "STATE", "CREATED"],
      organizations.map((o) => [o.id, o.name, (o.suspendedAt ?? null) === null ? "active" : "suspended", o.createdAt]),
    );
  },

  async "org budget"({ system, directory }, given) {
    const organization = await organizationOf(directory, given);
    const limits = givenMonthLimits(given);
    const command = limits === null ? ({ kind: "read_budget" } as const) : ({ kind: "set_budget", ...limits } as const);
    const budget = valueOrRefuse(await system.dispatch(usageRef(organization.id), command));
    const { monthlyTokens, usedTokens, monthlyCost, usedCost, unpricedTokens, resetsAt } = budget;
    return doneCommand(budgetWords(organization.name, budget), {
      organization_id: organization.id,
      monthly_tokens: monthlyTokens,
      used_tokens: usedTokens,
      monthly_cost: monthlyCost,
      used_cost: usedCost,
      unpriced_tokens: unpricedTokens,
      resets_at: resetsAt,
    });
  },

  async "org quota"({ system, directory, quotas }, given) {
    const organization = await organizationOf(directory, given);
    const change = quotaOf(given);
    if (change !== null) {
      valueOrRefuse(await system.dispatch(organizationRef(organization.id), { kind: "set_quota", ...change }));
    }
    const states = await quotas.report(organization.id);
    return listAnswer(
      ["QUOTA", "LIMIT", "USED"],
      states.map(({ quota, limit, used }) => [quota, limit === null ? "unlimited" : String(limit), String(used)]),
    );
  },

  async "user add"(parts, given) {
    const { system, directory } = parts;
    const organization = await organizationOf(directory, given);
    const email = emailOf(requiredOption(given, "email"));
    const userId = await findPerson(directory, email);
    const present = (await directory.listMembers(organization.id)).find((m) => m.id === userId);
    const name = givenName("name", given.options["name"] ?? present?.name ?? email);
    const role = given.flags.has("owner") ? "owner" : "member";
    const about = { organizationId: organization.id, userId };
    const isMember = present?.status === "active";
    if (isMember && present.role !== role)
      await changeByOperation(parts, "updateMember", { ...about, params: { id: userId }, body: { role } });
    // No operation adds a member, whom an owner can only invite, or changes a name.
    if (!isMember || present.name !== name || present.email !== email)
      valueOrRefuse(
        await system.dispatch(organizationRef(organization.id), { kind: "add_member", userId, name, email, role }),
      );
    return doneCommand(
      `User ${userId} (${email}) is ${role === "owner" ? "an owner" : "a member"} of ${organization.name}.`,
      {
        id: userId,
        email,
        role,
        organization_id: organization.id,
      },
    );
  },

  async "user remove"(parts, given) {
    const organization = await organizationOf(parts.directory, given);
    const member = await findMember(parts.directory, organization, requiredOption(given, "email"));
    const about = { organizationId: organization.id, userId: member.id };
    await changeByOperation(parts, "removeMember", { ...about, params: { id: member.id } });
    return doneCommand(
      `User ${member.id} (${member.email}) is no longer a member of ${organization.name}; their tokens are no longer valid.`,
      { id: member.id, email: member.email, organization_id: organization.id },
    );
  },

  async "user list"({ directory }, given) {
    const organization = await organizationOf(directory, given);
    const members = (await directory.listMembers(organization.id)).filter((m) => m.status === "active");
    return listAnswer(
      ["ID", "EMAIL", "NAME", "ROLE"],
      members.map((m) => [m.id, m.email, m.name, m.role]),
    );
  },

  async "user link"({ system, directory, now, appUrl }, given) {
    const email = emailOf(requiredOption(given, "email"));
    const member = (await directory.findMembers(email)).find(({ status }) => status === "active");
    if (member === undefined) throw new AdminRefused(`${email} is not a member of any organization`);
    const path = valueOrRefuse(await makePasswordLink(system, member.id, now()));
    const url = `${appUrl()}${path}`;
    return doneCommand(`${email} can set a password with this link, once, within ${LINK_HOURS} hours:\n${url}`, {
      email,
      url,
    });
  },

  async "token create"(parts, given) {
    const organization = await organizationOf(parts.directory, given);
    const member = await findMember(parts.directory, organization, requiredOption(given, "email"));
    const kind: TokenKind = given.flags.has("service") ? "service" : "personal";
    const days = integer(given, "days", { fallback: TOKEN_DAYS, min: TOKEN_DAYS_MIN, max: TOKEN_DAYS_MAX });
    const name = givenName("name", given.options["name"] ?? "Made by the operator");
    const scopes = givenScopes(given);
    const made = await changeByOperation<Static<typeof NewTokenView>>(parts, CREATE[kind], {
      organizationId: organization.id,
      userId: member.id,
      body: { name, scopes, expires_in_days: days },
    });
    const { id, expires_at: expiresAt, token } = made;
    const { email } = member;
    return doneCommand(
      `Token ${id} of ${email}, until ${expiresAt}, scopes ${scopes.join(" ")}. Shown once:\n${token}`,
      {
        id,
        kind,
        name,
        email,
        organization_id: organization.id,
        scopes,
        expires_at: expiresAt,
        token,
      },
    );
  },

  async "token revoke"(parts, given) {
    const { directory, system, onRevoked } = parts;
    const { id: organizationId } = await organizationOf(directory, given);
    const tokenId = requiredOption(given, "id");
    const token = (await directory.listTokens(organizationId)).find(({ id }) => id === tokenId);
    if (token === undefined) throw new AdminRefused("There is no such token");
    const operation = REVOKE[token.kind];
    if (operation !== null) {
      await changeByOperation(parts, operation, { organizationId, userId: token.userId, params: { id: tokenId } });
    } else {
      const command = { kind: "revoke_token", tokenId, of: null, by: null } as const;
      const { endedIds } = valueOrRefuse(await system.dispatch(organizationRef(organizationId), command));
      for (const id of endedIds) onRevoked(id);
    }
    return doneCommand(`Token ${token.id} (${token.name}) is revoked.`, { id: token.id, name: token.name });
  },

  async "token list"({ directory }, given) {
    const organization = await organizationOf(directory, given);
    const tokens = await directory.listTokens(organization.id);
    const emails = new Map((await directory.listMembers(organization.id)).map((m) => [m.id, m.email]));
    const rows = tokens.map((t) => [
      t.id,
      t.kind,
      t.name,
      `…${t.hint}`,
      emails.get(t.userId) ?? t.userId,
      t.scopes.join(" "),
      t.revokedAt === null ? t.expiresAt : "revoked",
      t.lastUsedAt ?? "never",
    ]);
    return listAnswer(["ID", "KIND", "NAME", "ENDS IN", "USER", "SCOPES", "EXPIRES", "LAST USED"], rows);
  },
};

const CREATE: Readonly<Record<TokenKind, string>> = {
  personal: "createPersonalAccessToken",
  service: "createServiceToken",
};
/** The operation that revokes a credential; null: people end the grant of a program, not one of its access tokens. */
const REVOKE: Readonly<Record<CredentialKind, string | null>> = {
  personal: "revokePersonalAccessToken",
  service: "revokeServiceToken",
  session: "revokeSession",
  oauth: null,
};

/** Reads `--quota` and `--limit`; null if the command only shows the quotas. */
function quotaOf(given: AdminArguments): { readonly quota: QuotaName; readonly limit?: number | null } | null {
  const { quota, limit } = given.options;
  if (quota === undefined && limit === undefined) return null;
  const name = requiredOption(given, "quota");
  if (!isQuotaName(name))
    throw new AdminRefused(
      `Unknown quota ${JSON.stringify(name)}${didYouMean(name, QUOTAS) || `; there are ${QUOTAS.join(", ")}`}`,
    );
  const value = requiredOption(given, "limit");
  if (value === "default") return { quota: name };
  const entry = quotaEntry(`${name}=${value}`);
  if (entry === null)
    throw new AdminRefused(
      name === "secrets"
        ? "--limit must be a whole number from 0 to 64, or default"
        : "--limit must be a whole number from 0, unlimited or default",
    );
  return { quota: name, limit: entry[1] };
}

function emailOf(text: string): string {
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(text))
    throw new AdminRefused(`${JSON.stringify(text)} is not an e-mail address`);
  return text;
}

/** Runs one command; a refusal is an answer. */
export async function runAdmin(parts: AdminParts, request: AdminRequest): Promise<AdminAnswer> {
  const alone = answerAlone(request);
  if (alone !== null) return alone;
  try {
    const run = ADMIN_COMMANDS[request.command];
    if (run === undefined)
      throw new AdminRefused(`${request.command} is run by the command itself, not by the service`);
    return render(await run(parts, request.given), request.given);
  } catch (cause) {
    if (cause instanceof AdminRefused) return { ok: false, text: commandRefusal(cause.message, request.given) };
    throw cause;
  }
}

function givenName(option: string, text: string): string {
  const name = text.trim();
  if (name === "" || isLonger(name, ADMIN_NAME_CHARACTERS) || CONTROL_CHARACTER.test(name)) {
    throw new AdminRefused(`--${option} must have 1 to ${ADMIN_NAME_CHARACTERS} characters, and no control characters`);
  }
  return name;
}

function givenScopes(given: AdminArguments): string[] {
  const asked = given.options["scopes"];
  if (asked === undefined) return [...DEFAULT_SCOPES];
  const scopes = asked.split(/[\s,]+/).filter((scope) => scope !== "");
  const unknown = scopes.filter((scope) => !SCOPES.includes(scope));
  if (unknown.length > 0 || scopes.length === 0) {
    throw new AdminRefused(`Unknown scope ${unknown.join(", ") || "(none)"}. There are: ${SCOPES.join(" ")}`);
  }
  return [...new Set(scopes)];
}
