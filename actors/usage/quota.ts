/**
 * The quotas of an organization (QUOTA-1), and how much of them a turn group requests. Only what currently exists
 * counts: archived agents, deleted chats and revoked tokens do not.
 */
import { chatTable, type Message, messageTable } from "../chat/schema.ts";
import { missionTable } from "../mission/schema.ts";
import {
  agentTable,
  invitationTable,
  MAX_SECRETS,
  type Organization,
  organizationTable,
  type SecretBook,
  secretTable,
  taskTable,
  tokenTable,
} from "../organization/schema.ts";
import type { Outcome } from "../fault.ts";
import type { RecordWrite } from "../runtime/store.ts";
import { type Attachment, attachmentTable, type Upload, uploadTable } from "../upload/schema.ts";
import { type TreePlace, placeTable, shareTable, workspaceTable } from "../workspace/schema.ts";

export const QUOTAS = [
  "agents",
  "chats",
  "tasks",
  "missions",
  "tokens",
  "secrets",
  "workspaces",
  "files",
  "file_bytes",
  "stored_rows",
  "stored_bytes",
] as const;
export type QuotaName = (typeof QUOTAS)[number];

/** Limits by name; null: unlimited. */
export type QuotaLimits = Readonly<Record<QuotaName, number | null>>;

/** One quota of an organization, for display. */
export interface QuotaState {
  readonly quota: QuotaName;
  /** Null: unlimited. */
  readonly limit: number | null;
  readonly used: number;
}

/** An organization's use and limits. Rejects when the database cannot be reached. */
export interface QuotaReports {
  report(organizationId: string): Promise<readonly QuotaState[]>;
  /**
   * Refuses this additional amount if there is no room, before it is created. The amount counts only once it is
   * committed.
   */
  room(organizationId: string, quota: QuotaName, amount: number): Promise<Outcome<null>>;
  /**
   * This much content was stored, but the commit that should refer to it was refused: it counts until it is removed.
   */
  unreferred(organizationId: string, bytes: number): void;
}

const GIB = 1024 ** 3;

/** Far above what a normal organization needs, and far below what fills a machine. */
export const DEFAULT_QUOTAS: QuotaLimits = {
  agents: 10_000,
  chats: 1_000_000,
  tasks: 1_000_000,
  missions: 10_000,
  tokens: 10_000,
  secrets: MAX_SECRETS,
  workspaces: 1_000,
  files: 1_000_000,
  file_bytes: 100 * GIB,
  stored_rows: 50_000_000,
  stored_bytes: 50 * GIB,
};

type RecordValues = Readonly<Record<string, unknown>>;

/** What a group requests, and what it may free. Amounts may be too small for a short time: measuring corrects them. */
export interface Demand {
  readonly asked: ReadonlyMap<QuotaName, number>;
  readonly freed: ReadonlySet<QuotaName>;
  /** The number of secrets after it; null if it does not change them. */
  readonly secrets: number | null;
  /** Rows that it adds. */
  readonly rows: number;
  /** Whether it creates something that the quotas of rows and bytes may refuse; running work continues. */
  readonly isNew: boolean;
  /** The organization's record, if the group changes it. */
  readonly organization: Organization | null;
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Tables in which each record counts as one item of a quota, and whether it is deleted. */
const COUNTED: ReadonlyMap<string, { readonly quota: QuotaName; isGone(fields: RecordValues): boolean }> = new Map([
  [agentTable.name, { quota: "agents", isGone: ({ status }: RecordValues) => status !== "active" }],
  [chatTable.name, { quota: "chats", isGone: ({ deletedAt }: RecordValues) => isPresent(deletedAt) }],
  [taskTable.name, { quota: "tasks", isGone: () => false }],
  [missionTable.name, { quota: "missions", isGone: ({ deletedAt }: RecordValues) => isPresent(deletedAt) }],
  [tokenTable.name, { quota: "tokens", isGone: ({ revokedAt }: RecordValues) => isPresent(revokedAt) }],
  [workspaceTable.name, { quota: "workspaces", isGone: ({ deletedAt }: RecordValues) => isPresent(deletedAt) }],
]);

/** Tables in which each new record is something new, limited only by the quota of rows. */
const COUNTED_WHEN_MADE: ReadonlySet<string> = new Set([shareTable.name, invitationTable.name]);

/** Null if no quota applies. */
export function demandOf(changes: readonly RecordWrite[]): Demand | null {
  const asked = new Map<QuotaName, number>();
  const freed = new Set<QuotaName>();
  let organization: Organization | null = null;
  let secrets: number | null = null;
  let rows = 0;
  let isNew = false;
  for (const { table, record } of changes) {
    const isFirst = record.version === 1;
    if (isFirst) rows++;
    const counted = COUNTED.get(table);
    if (counted !== undefined) {
      if (counted.isGone(record as unknown as RecordValues)) freed.add(counted.quota);
      else if (isFirst) asked.set(counted.quota, (asked.get(counted.quota) ?? 0) + 1);
      isNew ||= isFirst;
    } else if (COUNTED_WHEN_MADE.has(table)) isNew ||= isFirst;
    else if (table === messageTable.name) isNew ||= isFirst && (record as Message).role === "user";
    else if (table === secretTable.name) secrets = (record as SecretBook).secrets.length;
    else if (table === organizationTable.name) organization = record as Organization;
  }
  const hasFile = askFiles(changes, asked, freed);
  if (rows + freed.size === 0 && !hasFile && secrets === null && organization === null) return null;
  return { asked, freed, secrets, rows, isNew: isNew || hasFile, organization };
}

/**
 * Requests room for written files, uploads and attachments; returns whether any is requested. A moved file leaves a
 * vacant place and requests nothing. Content of an upload that messages refer to counts again here, but only once when
 * it is measured.
 */
function askFiles(changes: readonly RecordWrite[], asked: Map<QuotaName, number>, freed: Set<QuotaName>): boolean {
  let files = 0;
  let bytes = 0;
  let vacated = 0;
  for (const { table, record } of changes) {
    if (table === uploadTable.name || table === attachmentTable.name) {
      if (isPresent((record as Partial<Upload>).deletedAt)) freed.add("file_bytes");
      else if (record.version === 1 && !isOfCall(record as Upload | Attachment))
        bytes += (record as Upload | Attachment).size;
    }
    if (table !== placeTable.name) continue;
    const { node } = record as TreePlace;
    if (node.kind === "vacant") vacated++;
    if (node.kind !== "file") continue;
    if (record.version === 1 || node.number === 1) files++;
    bytes += node.size;
  }
  if (vacated > 0) for (const quota of ["files", "file_bytes"] as const) freed.add(quota);
  if (vacated > 0 || bytes + files === 0) return false;
  if (files > 0) asked.set("files", files);
  asked.set("file_bytes", bytes);
  return true;
}

/** Content of a tool's result was counted when it was stored: a running job is not refused for it. */
const isOfCall = (record: Upload | Attachment): boolean => "callId" in record && record.callId !== undefined;

export const isQuotaName = (text: string): text is QuotaName => (QUOTAS as readonly string[]).includes(text);

const ENTRY = /^([a-z_]+)=(unlimited|\d{1,15})$/;

/**
 * `agents=500` or `tasks=unlimited`; null if the text is invalid. Secrets are excluded: their single record bounds
 * them.
 */
export function quotaEntry(text: string): readonly [QuotaName, number | null] | null {
  const [, name = "", value = ""] = ENTRY.exec(text) ?? [];
  if (!isQuotaName(name)) return null;
  const limit = value === "unlimited" ? null : Number(value);
  return name === "secrets" && (limit === null || limit > MAX_SECRETS) ? null : [name, limit];
}
