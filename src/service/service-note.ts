/**
 * The note that a running service keeps in its data folder for the administration command, readable only by its owner.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

export const ADMIN_PATH = "/internal/admin";
export const SERVICE_FILE = "service.json";

export interface ServiceNote {
  readonly address: string;
  readonly key: string;
  readonly pid: number;
}

export const newAdminKey = (): string => randomBytes(32).toString("base64url");

export const noteText = (note: ServiceNote): string => `${JSON.stringify(note)}\n`;

/** The note of the service that holds the data folder, or null if there is none (yet). */
export function readService(folder: string): ServiceNote | null {
  try {
    return JSON.parse(readFileSync(join(folder, SERVICE_FILE), "utf8")) as ServiceNote;
  } catch {
    return null;
  }
}

/** Removes the note of a service that has stopped. */
export function forgetService(folder: string): void {
  rmSync(join(folder, SERVICE_FILE), { force: true });
}
