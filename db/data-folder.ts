/**
 * The data folder: everything that a single service keeps on its own disk. Only one process has it open at a time. The
 * lock proves that any earlier process is dead, whatever files it left behind.
 *
 *   lock, lock.pid     the lock, and its holder
 *   secret             32 bytes, base64: the root of all HMAC and encryption keys
 *   postgres.json      how to reach the embedded database; written before the database is created
 *   postgres/          the embedded database, unless postgres.json names another place
 */
import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { lockFolder } from "./folder-lock.ts";
import { writePrivateFile } from "./private-file.ts";

/** 256 bits: as long as the hash that derives keys from it. */
export const FOLDER_SECRET_BYTES = 32;

const SECRET_FILE = "secret";
/** The note of the embedded database (`db/embedded.ts`). If it exists, there may be data encrypted with the secret. */
export const DATABASE_NOTE = "postgres.json";

/** The folder is damaged, and only its owner can decide how to continue. */
export class DataFolderDamaged extends Error {
  override readonly name = "DataFolderDamaged";
}

export interface DataFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly secret: Uint8Array;
  /** Writes a file that only the owner may read, atomically; returns its path. */
  writePrivate(name: string, text: string): string;
  /** Releases the folder. First stop everything that uses it. */
  release(): void;
}

/**
 * Opens the folder at `path`, and creates it (mode 0700) and its secret if they are missing. With `givenSecret` (from
 * the environment) no secret is read or created. Throws `FolderInUse` while another process has it open,
 * `DataFolderDamaged` if the secret cannot be trusted, and the system's error if it cannot be a folder of this user.
 */
export function openDataFolder(path: string, givenSecret?: Uint8Array): DataFolder {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  accessSync(path, constants.W_OK);
  const folder = realpathSync(path);
  const unlock = lockFolder(folder);
  try {
    const secret = givenSecret ?? readOrMakeSecret(folder);
    return {
      path: folder,
      secret,
      writePrivate(name, text) {
        writePrivateFile(join(folder, name), text);
        return join(folder, name);
      },
      release: unlock,
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The secret of the folder at `path`; null if it does not have one (yet). Throws `DataFolderDamaged`. */
export function readSecret(path: string): Uint8Array | null {
  return existsSync(join(path, SECRET_FILE)) ? readOrMakeSecret(path) : null;
}

/** Writes a known secret into the folder at `path`, and creates the folder, before it contains anything else. */
export function writeSecret(path: string, secret: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writePrivateFile(join(path, SECRET_FILE), `${Buffer.from(secret).toString("base64")}\n`);
}

function readOrMakeSecret(folder: string): Uint8Array {
  const path = join(folder, SECRET_FILE);
  if (!existsSync(path)) return makeSecret(folder, path);
  const text = readFileSync(path, "utf8").trim();
  const secret = Buffer.from(text, "base64");
  // Decoding ignores characters that are not base64, so only text that encodes back to itself is intact.
  if (secret.length !== FOLDER_SECRET_BYTES || secret.toString("base64") !== text) {
    throw new DataFolderDamaged(
      `The secret file ${path} is damaged: it must hold ${FOLDER_SECRET_BYTES} bytes in base64. Put the right one back ` +
        `(or give it as TROUPE_SECRET). A new secret would make every token and every stored credential useless.`,
    );
  }
  return secret;
}

function makeSecret(folder: string, path: string): Uint8Array {
  if (existsSync(join(folder, DATABASE_NOTE))) {
    throw new DataFolderDamaged(
      `The secret file ${path} is missing, but ${folder} already has a database. Put the file back, or give the ` +
        `secret as TROUPE_SECRET. A new secret would make every token and every stored credential useless.`,
    );
  }
  const secret = randomBytes(FOLDER_SECRET_BYTES);
  writePrivateFile(path, `${secret.toString("base64")}\n`);
  return secret;
}
