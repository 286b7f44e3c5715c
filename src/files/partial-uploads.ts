/**
 * Content that comes in parts (WSP-13). The bytes that have arrived are a file on this disk, so an upload can
 * be resumed after a broken connection, a restart or a crash of the service. The client names the content by
 * its digest and says which bytes it sends; the length of the file says which bytes are next.
 *
 *   absent ─first part─▶ partial ─parts─▶ whole ─digest fits, committed─▶ absent
 *                           │                └─ another digest ─▶ absent
 *                           └─ a day old ─▶ absent
 *
 * Guarantees: the bytes that an answer counts are on the disk; two requests never write at once (the newer one
 * ends the older one, whose client is most likely gone); the uploads of an organization are bounded, and those of
 * one person are a part of that. An upload starts over on a replica that has not received its parts.
 *
 * Each upload is two files: its bytes in `<id>-<started>-<size>`, and its description in `<id>.json`.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { invalid, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { ContentSlice, UnfinishedUpload, UploadName, UploadProgress } from "../../actors/workspace/ports.ts";
import { STORAGE_FULL } from "../../actors/runtime/turns/write-admission.ts";
import { isoTime } from "../../actors/schema.ts";
import { organizationFolder } from "./blob-name.ts";
import { writeWhole } from "./content-writer.ts";
import { release } from "./pieces.ts";
import { openReader } from "./staging.ts";

/** Uploads of one organization: this and the size limit of a file bound their total size. */
export const MAX_UPLOADS = 32;
/** The uploads of one person, so that nobody uses up the limit. */
export const PERSON_UPLOADS = 8;
/** Lifetime of an upload, from its first part. */
export const PARTIAL_UPLOAD_MS = 86_400_000;
/** Suggested retry delay when the organization has no upload left. */
const RETRY_AFTER_MS = 60_000;
/** Bytes between two syncs: a crash of the machine loses at most this many. */
const UPLOAD_SYNC_BYTES = 16 * 1024 * 1024;
/** The upload's key, when it began, and the size of its content. */
const SUBJECT = ".json";
const FILE_NAME = /^([0-9a-f]{64})-(\d{1,15})-(\d{1,16})$/;

/** An unfinished upload. */
interface Partial {
  /** Of its file. */
  readonly path: string;
  readonly offset: number;
  readonly startedMs: number;
  /** Of the whole content, in bytes. */
  readonly size: number;
}

/** What an upload is of. */
type UploadSubject = Pick<UnfinishedUpload, "userId" | "workspaceId" | "path" | "sha256">;
/** Of an upload from a release that did not note it. */
const UNKNOWN_SUBJECT: UploadSubject = { userId: null, workspaceId: "", path: "", sha256: "" };

/** A request that is writing to an upload. */
interface Writer {
  /** Ends the request early. */
  readonly stop: () => void;
  readonly ended: Promise<void>;
}

export class PartialUploads {
  private readonly folder: string;
  private readonly now: () => number;
  private readonly hasRoom: () => boolean;
  private readonly writers = new Map<string, Writer>();

  /** `now` is wall clock in ms; `hasRoom` says whether the storage accepts more. */
  constructor(folder: string, now: () => number, hasRoom: () => boolean = () => true) {
    this.folder = folder;
    this.now = now;
    this.hasRoom = hasRoom;
  }

  async prepare(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Takes a part; null only asks for the progress. When all bytes are there and match the digest, `complete`
   * gets the file. The upload is then over, unless `complete` was refused for a passing reason.
   */
  async take<T>(
    name: UploadName,
    part: ContentSlice | null,
    complete: (path: string) => Promise<{ readonly value: T; readonly isOver: boolean }>,
  ): Promise<Outcome<UploadProgress | { readonly kind: "completed"; readonly value: T }>> {
    const key = uploadKey(name);
    const at = join(name.organizationId, key);
    for (let other = this.writers.get(at); other !== undefined; other = this.writers.get(at)) {
      other.stop();
      await other.ended;
    }
    const ended = Promise.withResolvers<void>();
    const stopping = new AbortController();
    this.writers.set(at, { stop: () => stopping.abort(), ended: ended.promise });
    try {
      const found = await this.received({ name, key }, part, stopping.signal);
      if (!found.ok || found.value === null) return found.ok ? ok(progress(name, null)) : found;
      if (found.value.offset < name.size) return ok(progress(name, found.value));
      const { path } = found.value;
      if ((await digestOf(path)) !== name.sha256) {
        await this.remove(name.organizationId, key, path);
        return invalid("/repr-digest", "The content does not match Repr-Digest; send it again from its first byte");
      }
      const { value, isOver } = await complete(path);
      if (isOver) await this.remove(name.organizationId, key, path);
      return ok({ kind: "completed", value });
    } finally {
      this.writers.delete(at);
      ended.resolve();
    }
  }

  /** The unfinished uploads of an organization, newest first. */
  async unfinished(organizationId: string): Promise<readonly UnfinishedUpload[]> {
    const found: UnfinishedUpload[] = [];
    for (const { of: id, path: file, startedMs, size } of this.openOf(organizationId)) {
      const info = await stat(file).catch(() => null); // it has ended meanwhile
      if (info === null) continue;
      const times = { startedAt: isoTime(startedMs), expiresAt: isoTime(startedMs + PARTIAL_UPLOAD_MS) };
      found.push({ id, ...this.subjectOf(organizationId, id), size, offset: info.size, ...times });
    }
    return found.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  }

  /** Ends an unfinished upload and the request that writes to it. */
  async end(organizationId: string, id: string): Promise<void> {
    const writer = this.writers.get(join(organizationId, id));
    writer?.stop();
    await writer?.ended;
    for (const { of, path } of this.list(organizationId)) if (of === id) await this.remove(organizationId, id, path);
  }

  /**
   * Removes all uploads of an organization, after ending the requests that write to them. It must not begin new
   * ones.
   */
  async removeAll(organizationId: string): Promise<void> {
    const folder = organizationFolder(organizationId);
    for (const [at, { stop, ended }] of this.writers) {
      if (!at.startsWith(`${folder}/`)) continue;
      stop();
      await ended;
    }
    await rm(join(this.folder, folder), { recursive: true, force: true });
  }

  /** Removes uploads that began before `beforeMs`, except those being written to; returns how many. */
  async sweep(beforeMs: number): Promise<number> {
    let removed = 0;
    for (const organizationId of await readdir(this.folder)) {
      const files = await readdir(join(this.folder, organizationId));
      await this.sweepSubjects(organizationId, files, beforeMs);
      for (const file of files.filter((one) => !one.endsWith(SUBJECT))) {
        const [, key = "", startedMs] = FILE_NAME.exec(file) ?? [];
        if (Number(startedMs ?? 0) >= beforeMs || this.writers.has(join(organizationId, key))) continue;
        await this.remove(organizationId, key, join(this.folder, organizationId, file));
        removed++;
      }
    }
    return removed;
  }

  /** Removes what a crash has left at the beginning of an upload. */
  private async sweepSubjects(organizationId: string, files: readonly string[], beforeMs: number): Promise<void> {
    const keys = new Set(files.map((file) => FILE_NAME.exec(file)?.[1]));
    for (const file of files.filter((one) => one.endsWith(SUBJECT) && !keys.has(one.slice(0, -SUBJECT.length)))) {
      const path = join(this.folder, organizationId, file);
      const info = await stat(path).catch(() => null); // its upload has ended meanwhile
      if (info !== null && info.mtimeMs < beforeMs) await rm(path, { force: true });
    }
  }

  /** The upload after the part; null if it has not begun. */
  private async received(
    { name, key }: { readonly name: UploadName; readonly key: string },
    part: ContentSlice | null,
    signal: AbortSignal,
  ): Promise<Outcome<Partial | null>> {
    let found = await this.find(name, key);
    if (found !== null && found.size !== name.size) {
      // Starting over may correct the size; otherwise a wrong first part would block the upload for a day.
      if (part?.first !== 0) return sizeIsWrong(found.size, name.size);
      await this.remove(name.organizationId, key, found.path);
      found = null;
    }
    const offset = found?.offset ?? 0;
    // Empty content has no parts.
    if (part === null) return found === null && name.size === 0 ? this.begin(name, key) : ok(found);
    if (part.first !== offset) return refuse({ kind: "upload_offset_mismatch", offset });
    const begun = found === null ? this.begin(name, key) : ok(found);
    return begun.ok ? this.append(begun.value, part, signal) : begun;
  }

  private async find({ organizationId }: UploadName, key: string): Promise<Partial | null> {
    for (const { path, of, startedMs, size } of this.list(organizationId)) {
      if (of !== key) continue;
      if (startedMs + PARTIAL_UPLOAD_MS > this.now()) return { path, startedMs, size, offset: (await stat(path)).size };
      await this.remove(organizationId, key, path);
    }
    return null;
  }

  /** Synchronous, so that two concurrent beginnings are counted one after the other. */
  private begin({ organizationId, size, ...name }: UploadName, key: string): Outcome<Partial> {
    const { userId, workspaceId, path, sha256 } = name;
    const open = this.openOf(organizationId);
    const own = open.filter(({ of }) => this.subjectOf(organizationId, of).userId === userId);
    if (open.length >= MAX_UPLOADS || own.length >= PERSON_UPLOADS)
      return refuse({ kind: "overloaded", retryAfterMs: RETRY_AFTER_MS });
    const folder = join(this.folder, organizationId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const subject: UploadSubject = { userId, workspaceId, path, sha256 };
    writeFileSync(this.subjectFile(organizationId, key), JSON.stringify(subject), { mode: 0o600 });
    const startedMs = this.now();
    const file = join(folder, `${key}-${startedMs}-${size}`);
    closeSync(openSync(file, "wx", 0o600));
    return ok({ path: file, startedMs, size, offset: 0 });
  }

  private subjectFile(organizationId: string, key: string): string {
    return join(this.folder, organizationId, `${key}${SUBJECT}`);
  }

  private subjectOf(organizationId: string, key: string): UploadSubject {
    try {
      return JSON.parse(readFileSync(this.subjectFile(organizationId, key), "utf8")) as UploadSubject;
    } catch {
      // Of a former release, or cut off by a crash.
      return UNKNOWN_SUBJECT;
    }
  }

  private async remove(organizationId: string, key: string, path: string): Promise<void> {
    await rm(path, { force: true });
    if (key !== "") await rm(this.subjectFile(organizationId, key), { force: true });
  }

  private openOf(organizationId: string): ReturnType<PartialUploads["list"]> {
    return this.list(organizationId).filter((one) => one.startedMs + PARTIAL_UPLOAD_MS > this.now());
  }

  private list(organizationId: string): readonly (Omit<Partial, "offset"> & { readonly of: string })[] {
    const folder = join(this.folder, organizationId);
    let files: string[];
    try {
      files = readdirSync(folder);
    } catch (cause) {
      if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
      throw cause;
    }
    return files.flatMap((file) => {
      const [, of, startedMs, size] = FILE_NAME.exec(file) ?? [];
      return of === undefined
        ? []
        : [{ path: join(folder, file), of, startedMs: Number(startedMs), size: Number(size) }];
    });
  }

  /** Appends the part. However that ends, the written bytes stay and are synced. */
  private async append(
    { offset: from, ...upload }: Partial,
    { first, last, body }: ContentSlice,
    signal: AbortSignal,
  ): Promise<Outcome<Partial>> {
    const handle = await open(upload.path, "a");
    const reader = openReader(body);
    const stop = (): void => void reader?.cancel().catch(() => {}); // broken already
    signal.addEventListener("abort", stop, { once: true });
    // A newer request may have aborted this one before it began to read, and its client may never send a byte.
    if (signal.aborted) stop();
    let offset = from;
    let synced = from;
    try {
      for (;;) {
        const next = await reader?.read();
        if (next === undefined || next.done || signal.aborted) break;
        if (!this.hasRoom()) {
          stop();
          return refuse(STORAGE_FULL);
        }
        const isTooLong = offset + next.value.byteLength > last + 1;
        const chunk = isTooLong ? next.value.subarray(0, last + 1 - offset) : next.value;
        await writeWhole(handle, chunk);
        offset += chunk.byteLength;
        if (reader?.givesMemory === true) release(next.value);
        if (isTooLong) {
          stop();
          return lengthIsWrong({ first, last }, "more");
        }
        if (offset - synced < UPLOAD_SYNC_BYTES) continue;
        await handle.datasync();
        synced = offset;
      }
    } finally {
      signal.removeEventListener("abort", stop);
      await handle.datasync();
      await handle.close();
    }
    // The client has started over on another connection, or this connection ended early.
    if (signal.aborted) return refuse({ kind: "upload_offset_mismatch", offset });
    return offset === last + 1 ? ok({ ...upload, offset }) : lengthIsWrong({ first, last }, "fewer");
  }
}

const lengthIsWrong = ({ first, last }: Pick<ContentSlice, "first" | "last">, than: "more" | "fewer"): Outcome<never> =>
  invalid("/content-range", `The body has ${than} than the ${last + 1 - first} bytes of Content-Range`);

const sizeIsWrong = (begun: number, size: number): Outcome<never> =>
  invalid(
    "/content-range",
    `The upload was begun with ${begun} bytes in all, and Content-Range says ${size}; a part from byte 0 begins it anew`,
  );

const progress = ({ size, sha256 }: UploadName, partial: Partial | null): UploadProgress => ({
  kind: "partial",
  offset: partial?.offset ?? 0,
  size,
  sha256,
  expiresAt: partial === null ? null : isoTime(partial.startedMs + PARTIAL_UPLOAD_MS),
});

/** The same for equal content at the same path of the same workspace. */
const uploadKey = ({ workspaceId, pathKey, sha256 }: UploadName): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify([workspaceId, pathKey, sha256])).digest("hex");

async function digestOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest("hex");
}
