/**
 * An archive of many files: a tar compressed by gzip, so that any machine's `tar` can list and unpack it. It is
 * written and read as a stream; only the data in flight is in memory. The file gets its final name when it is
 * complete: a run that was killed leaves one that ends in `.part`.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { createGunzip, createGzip } from "node:zlib";
import tar from "tar-stream";
import { Piping } from "./piping.ts";

/** Half the size in a tenth of the time of the best compression. */
const COMPRESSION = 1;

export interface ArchiveWriter {
  /** Adds a file of these bytes. */
  add(name: string, content: Uint8Array): Promise<void>;
  /** Adds a file of `size` bytes. Rejects if the content has another size. */
  stream(name: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void>;
}

/**
 * Writes the file at `path`, readable only by its owner, with the files that `fill` adds. If that fails, it
 * rejects and leaves no file.
 */
export async function writeArchive<T>(path: string, fill: (archive: ArchiveWriter) => Promise<T>): Promise<T> {
  const draft = `${path}.part`;
  const pack = tar.pack();
  const piping = new Piping(
    pack,
    createGzip({ level: COMPRESSION }),
    createWriteStream(draft, { mode: 0o600, flags: "w" }),
  );
  try {
    const filled = await Promise.race([fill(writerTo(pack)), piping.ended.then(() => never())]);
    pack.finalize();
    await piping.ended;
    const file = await open(draft, "r");
    await file.sync().finally(() => file.close());
    await rename(draft, path);
    return filled;
  } catch (cause) {
    pack.destroy();
    const why = await piping.causeOf(cause);
    await rm(draft, { force: true });
    throw why;
  }
}

/** The pipeline ends before the archive only if it fails. */
const never = (): Promise<never> => Promise.reject(new Error("the archive ended before it was whole"));

const writerTo = (pack: tar.Pack): ArchiveWriter => ({
  async add(name, content) {
    const whole = Promise.withResolvers<void>();
    pack.entry({ name, mode: 0o600 }, Buffer.from(content), settle(whole));
    await whole.promise;
  },
  async stream(name, size, content) {
    const whole = Promise.withResolvers<void>();
    const entry = pack.entry({ name, size, mode: 0o600 }, settle(whole));
    for await (const piece of content) {
      if (!entry.write(Buffer.from(piece))) {
        await Promise.race([new Promise((drained) => entry.once("drain", drained)), whole.promise]);
      }
    }
    entry.end();
    await whole.promise;
  },
});

const settle =
  ({ resolve, reject }: PromiseWithResolvers<void>) =>
  (cause?: Error | null): void =>
    cause === undefined || cause === null ? resolve() : reject(cause);

/** A file of an archive. Read its content to the end before asking for the next file. */
export interface ArchivedFile {
  readonly name: string;
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The files in order. Throws if the archive is damaged or cut off. The caller may stop early. */
export async function* readArchive(path: string): AsyncGenerator<ArchivedFile> {
  const source = createReadStream(path);
  const extract = tar.extract();
  const piping = new Piping(source, createGunzip(), extract);
  // Iterated by hand: leaving a `for await` would wait for content that nobody reads any more.
  const entries = extract[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await entries.next();
      if (next.done === true) break;
      const { header } = next.value;
      yield { name: header.name, size: header.size ?? 0, content: entryContent(next.value, piping) };
    }
    await piping.ended;
  } catch (cause) {
    throw await piping.causeOf(cause);
  } finally {
    source.destroy();
    extract.destroy();
  }
}

/** The content, or the reason why it cannot be read to its end. */
async function* entryContent(entry: AsyncIterable<Uint8Array>, piping: Piping): AsyncGenerator<Uint8Array> {
  try {
    yield* entry;
  } catch (cause) {
    throw await piping.causeOf(cause);
  }
}

/** The whole content of a small file. */
export async function wholeFile({ content }: ArchivedFile): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}
