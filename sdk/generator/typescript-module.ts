/** A module of the runtime as a part of one file: what it imports is in the same file, and what only its parts use is not exported. */
const INTERNAL =
  /^export (?=(?:async )?(?:class|function|interface|type) (?:Transport|ApiRequest|segment|SseParser|StreamEvent|errorOf|ErrorClasses)\b)/gm;

export const oneFile = (module: string): string =>
  module
    .replaceAll(/^import [^;]*? from "\.[a-z./-]+\.ts";\n/gm, "")
    .replaceAll(INTERNAL, "")
    .trim();
