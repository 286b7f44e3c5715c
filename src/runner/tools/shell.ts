/** `shell`: a command over copies of the workspace's files, where the machine can isolate it (WSP-16). */
import type { Outcome } from "../../../actors/fault.ts";
import type { ToolContext } from "../../../actors/job/ports.ts";
import { Type } from "../../../actors/schema.ts";
import { defineTool, outcomeResult, type Tool } from "./tool.ts";

const COMMAND_CHARACTERS = 16_000;
const SECONDS = { default: 30, most: 120 };

export interface ShellCommand {
  readonly command: string;
  /** The directory of the workspace that the command sees. */
  readonly path: string;
  readonly timeoutMs: number;
}

/** The result of a command, for the model. */
export interface ShellReport {
  /** `exit 0`, or why it was ended. */
  readonly end: string;
  readonly output: string;
  readonly output_is_cut: boolean;
  /** Paths that the command changed, created or removed. */
  readonly changed: readonly string[];
  /** Changes that were discarded, and why. */
  readonly not_kept: readonly string[];
}

export interface ShellService {
  run(context: ToolContext, command: ShellCommand, signal: AbortSignal): Promise<Outcome<ShellReport>>;
}

const networkWords = (hosts: readonly string[]): string =>
  hosts.length === 0
    ? "in a sandbox without a network"
    : `in a sandbox whose only network is an HTTPS proxy (in HTTPS_PROXY) to these hosts: ${hosts.join(", ")}`;

/** `hosts`: the hosts that commands may reach, as the operator wrote them; none by default. */
export const shellTool = (shells: ShellService, hosts: readonly string[] = []): Tool =>
  defineTool({
    name: "shell",
    description: `Runs a POSIX shell command ${networkWords(hosts)}. The current directory has copies of the workspace's files; what the command creates, changes or deletes there is applied to the workspace afterwards.`,
    input: Type.Object({
      command: Type.String({ minLength: 1, maxLength: COMMAND_CHARACTERS }),
      path: Type.Optional(
        Type.String({
          description: "The directory of the workspace to run in; the whole workspace by default",
          maxLength: 1_024,
        }),
      ),
      timeout_seconds: Type.Optional(
        Type.Integer({ minimum: 1, maximum: SECONDS.most, description: `${SECONDS.default} by default` }),
      ),
    }),
    access: "granted",
    safeToRepeat: false,
    async run({ command, path = "", timeout_seconds: seconds = SECONDS.default }, { context, signal }) {
      const given = { command, path, timeoutMs: seconds * 1_000 };
      return outcomeResult(await shells.run(context, given, signal), (report) => report);
    },
  });
