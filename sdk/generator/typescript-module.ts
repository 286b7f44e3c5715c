/** A module of the runtime as a part of one file: what it imports is in the same file. */
export const oneFile = (module: string): string =>
  module
    .replaceAll(/^import [^;]*? from "\.\/[a-z-]+\.ts";\n/gm, "")
    .trim();
