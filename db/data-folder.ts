/**
 * The data folder: everything that a single service keeps on its own disk. One process has it
 * open at a time; the lock proves that an earlier process is dead, whatever that one left behind.
 *
 *   lock, lock.pid     the lock and who holds it
 *   secret             32 bytes, base64: the root of all HMAC and encryption keys
 *   postgres.json      how to reach the embedded database; there from before the database is made
 *   postgres/          the embedded database, unless postgres.json says that it is elsewhere
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { lockFolder } from "./folder-lock.ts";
import { writePrivateFile } from "./private-file.ts";

/** 256 bits: as long as the hash that derives keys from it. */
export const SECRET_BYTES = 32;

const SECRET_FILE = "secret";
/** The note of the embedded database (`db/embedded.ts`). Where it exists, there may be data under the secret. */
export const DATABASE_NOTE = "postgres.json";

/** Something in the folder is not as it must be, and only its owner can say how to go on. */
export class DataFolderDamaged extends Error {
  override readonly name = "DataFolderDamaged";
}

export interface DataFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly secret: Uint8Array;
  /** Writes a file that only the owner may read, in one step; answers its path. */
  writePrivate(name: string, text: string): string;
  /** Gives the folder up. Stop first what works in it. */
  release(): void;
}

/**
 * Opens the folder at `path`, making it (mode 0700) and its secret where they are missing. With
 * `givenSecret` (from the environment) no secret is read or made. Throws `FolderInUse` while
 * another process has it, `DataFolderDamaged` when the secret cannot be trusted.
 */
export function openDataFolder(path: string, givenSecret?: Uint8Array): DataFolder {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
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

/** The secret of the folder at `path`; null where it has none (yet). Throws `DataFolderDamaged`. */
export function readSecret(path: string): Uint8Array | null {
  return existsSync(join(path, SECRET_FILE)) ? readOrMakeSecret(path) : null;
}

/** Puts a known secret into the folder at `path`, making the folder, before anything else is in it. */
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
  // Decoding ignores what is not base64, so only text that encodes back to itself is whole.
  if (secret.length !== SECRET_BYTES || secret.toString("base64") !== text) {
    throw new DataFolderDamaged(
      `The secret file ${path} is damaged: it must hold ${SECRET_BYTES} bytes in base64. Put the right one back ` +
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
  const secret = randomBytes(SECRET_BYTES);
  writePrivateFile(path, `${secret.toString("base64")}\n`);
  return secret;
}
