/**
 * A page of commands as a script and what it should print. Blocks of `sh` run one after the other in one shell; a
 * block of `text` after one is what that one prints, line by line, with `…` for anything. Other blocks are for reading.
 */
export interface GuideStep {
  readonly script: string;
  /** Patterns that lines of the output match, in this order. */
  readonly prints: readonly RegExp[];
}

export function stepsOf(page: string): GuideStep[] {
  const steps: { script: string; prints: readonly RegExp[] }[] = [];
  for (const [, language, body = ""] of page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
    if (language === "sh") steps.push({ script: body, prints: [] });
    const last = steps.at(-1);
    if (language === "text" && last !== undefined) last.prints = body.trimEnd().split("\n").map(patternOf);
  }
  return steps;
}

const patternOf = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split("…")
      .map((part) => RegExp.escape(part))
      .join(".*")}`,
  );

/** A guide that waits for what does not come is ended, before the time limit of its test. */
const GIVE_UP_MS = 150_000;

/** Marks where the output of one step ends. */
const MARK = "--- end of a step ---";

/** Runs all steps in one shell, which ends with the first command that fails; answers what each has printed. */
export async function runSteps(
  steps: readonly GuideStep[],
  options: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): Promise<{ readonly outputs: readonly string[]; readonly code: number; readonly err: string }> {
  const script = ["set -eu", ...steps.map((step) => `${step.script}\necho '${MARK}'`)].join("\n");
  const shell = Bun.spawn({
    cmd: ["/bin/sh", "-c", script],
    stdio: ["ignore", "pipe", "pipe"],
    timeout: GIVE_UP_MS,
    ...options,
  });
  const [out, err] = await Promise.all([shell.stdout.text(), shell.stderr.text()]);
  return { outputs: out.split(`${MARK}\n`).slice(0, -1), code: await shell.exited, err };
}

/** The first pattern that no further line of the output matches; null where all are there, in order. */
export function missing(output: string, prints: readonly RegExp[]): RegExp | null {
  // Answers of the service end without a line break: each begins a line here.
  const lines = output.replaceAll("}{", "}\n{").split("\n");
  let at = 0;
  for (const pattern of prints) {
    const found = lines.findIndex((line, i) => i >= at && pattern.test(line));
    if (found === -1) return pattern;
    at = found + 1;
  }
  return null;
}
