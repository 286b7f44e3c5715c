/** Paths in a workspace: without a slash at their beginning and end; the whole workspace is empty. */

export const pathInDirectory = (directory: string, name: string): string =>
  directory === "" ? name : `${directory}/${name}`;

export const directoryOf = (path: string): string => path.split("/").slice(0, -1).join("/");

/** Whether `path` is below the directory. */
export const isInDirectory = (path: string, directory: string): boolean => path.startsWith(`${directory}/`);

const UNITS_OF_BYTES = ["bytes", "KB", "MB", "GB", "TB"] as const;
const STEP_OF_UNITS = 1_000;

export function wordsOfBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= STEP_OF_UNITS && unit < UNITS_OF_BYTES.length - 1) {
    size /= STEP_OF_UNITS;
    unit += 1;
  }
  return `${size.toLocaleString("en", { maximumFractionDigits: 1 })} ${UNITS_OF_BYTES[unit]}`;
}
