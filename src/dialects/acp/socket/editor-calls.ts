/**
 * What a run asks its editor for: a decision about a call (`session/request_permission`), and the calls of the editor's
 * own tools, which read and write its files and run commands in its terminals. Before it writes or runs something, the
 * user is asked, unless the session approves all calls.
 */
import { cutText } from "../../../../actors/cut-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../../actors/schema.ts";
import { RESULT_BYTES } from "../../../http/contract/limits.ts";
import type { RunClientCall } from "../../runs/run-item.ts";
import { callKind, callLocations, callTitle, READ_FILE, RUN_COMMAND, WRITE_FILE } from "../editor-tools.ts";
import { type AcpApproval, acpCallId, textContent } from "../run-frames.ts";
import { ownMeta } from "../own-meta.ts";
import type { EditorPort } from "./editor-port.ts";
import { aside } from "./repeated-run.ts";

/** A decision; null: none was made here. */
export interface EditorDecision {
  readonly isApproved: boolean;
  readonly arguments: JsonObject | null;
}
export interface EditorResult {
  readonly content: string;
  readonly isError: boolean;
}

export interface EditorCallParts {
  readonly editor: EditorPort;
  readonly sessionId: string;
  readonly jobId: string;
  /** The session's folder. */
  readonly cwd: string | undefined;
  /** Whether the user is asked before a file is written or a command run. */
  readonly asksFirst: () => boolean;
}

/** Bytes of output that a terminal keeps. */
const OUTPUT_BYTES = RESULT_BYTES / 2;
/** Characters of a result: each has at most three bytes in UTF-8. */
const RESULT_CHARACTERS = Math.floor(RESULT_BYTES / 3) - 100;
const ALLOW_ONCE = "allow_once";
const PERMISSION_OPTIONS: readonly JsonObject[] = [
  { optionId: ALLOW_ONCE, name: "Allow", kind: ALLOW_ONCE },
  { optionId: "reject_once", name: "Reject", kind: "reject_once" },
];
const DENIED: EditorResult = { content: "The user has denied this call.", isError: true };

export class EditorCalls {
  private readonly parts: EditorCallParts;

  constructor(parts: EditorCallParts) {
    this.parts = parts;
  }

  /** Asks for a decision about a call of the agent's tools. */
  decide({ approvalId, callId, name, arguments: given, message }: AcpApproval, signal: AbortSignal) {
    return this.permission({ callId, name, given, content: [textContent(message)] }, { name: approvalId, signal });
  }

  private async permission(
    call: {
      readonly callId: string;
      readonly name: string;
      readonly given: JsonObject;
      readonly content: readonly JsonObject[];
    },
    of: { readonly name: string; readonly signal: AbortSignal },
  ): Promise<EditorDecision | null> {
    const toolCall = {
      toolCallId: acpCallId(this.parts.jobId, call.callId),
      title: callTitle(call.name, call.given),
      kind: callKind(call.name),
      status: "pending",
      locations: callLocations(call.given),
      rawInput: call.given,
      content: [...call.content],
    };
    const answer = await this.ask("session/request_permission", { toolCall, options: [...PERMISSION_OPTIONS] }, of);
    if (!answer.ok || !isJsonObject(answer.result)) return null;
    const { outcome, _meta: meta } = answer.result;
    if (!isJsonObject(outcome) || outcome["outcome"] !== "selected") return null;
    const changed = ownMeta(meta)["arguments"];
    return { isApproved: outcome["optionId"] === ALLOW_ONCE, arguments: isJsonObject(changed) ? changed : null };
  }

  /** Runs a call of a tool of the editor; null: the run no longer waits for it, or the editor is gone. */
  async run({ id, name, arguments: given }: RunClientCall, signal: AbortSignal): Promise<EditorResult | null> {
    if (name === READ_FILE) return this.readFile(id, given, signal);
    if (name !== WRITE_FILE && name !== RUN_COMMAND)
      return { content: `The user's editor has no tool ${name}.`, isError: true };
    if (this.parts.asksFirst()) {
      const content = name === WRITE_FILE ? [await this.diff(id, given, signal)] : [];
      const decision = await this.permission(
        { callId: id, name, given, content },
        { name: `${id}:permission`, signal },
      );
      if (decision === null) return signal.aborted ? null : DENIED;
      if (!decision.isApproved) return DENIED;
    }
    return name === WRITE_FILE ? this.writeFile(id, given, signal) : this.runCommand(id, given, signal);
  }

  private async readFile(
    id: string,
    { path, line, limit }: JsonObject,
    signal: AbortSignal,
  ): Promise<EditorResult | null> {
    const params = {
      path: String(path),
      ...(typeof line === "number" ? { line } : {}),
      ...(typeof limit === "number" ? { limit } : {}),
    };
    return this.result("fs/read_text_file", params, { name: `${id}:read`, signal }, (result) =>
      String(result["content"]),
    );
  }

  /** The change of a file, as an editor shows it. */
  private async diff(id: string, { path, content }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const old = await this.ask("fs/read_text_file", { path: String(path) }, { name: `${id}:old`, signal });
    const oldText = old.ok && isJsonObject(old.result) ? String(old.result["content"]) : null;
    return { type: "diff", path: String(path), oldText, newText: String(content) };
  }

  private writeFile(id: string, { path, content }: JsonObject, signal: AbortSignal): Promise<EditorResult | null> {
    const params = { path: String(path), content: String(content) };
    return this.result("fs/write_text_file", params, { name: `${id}:write`, signal }, () => "The file is written.");
  }

  private async runCommand(
    id: string,
    { command, args, cwd }: JsonObject,
    signal: AbortSignal,
  ): Promise<EditorResult | null> {
    const params = {
      command: String(command),
      args: Array.isArray(args) ? args.map(String) : [],
      ...(typeof cwd === "string" ? { cwd } : this.parts.cwd === undefined ? {} : { cwd: this.parts.cwd }),
      outputByteLimit: OUTPUT_BYTES,
    };
    const made = await this.ask("terminal/create", params, { name: `${id}:create`, signal });
    if (!made.ok) return made.error === null ? null : { content: made.error.message, isError: true };
    const terminalId = isJsonObject(made.result) ? String(made.result["terminalId"]) : "";
    const { editor, sessionId, jobId } = this.parts;
    const toolCallId = acpCallId(jobId, id);
    const update = aside({
      sessionUpdate: "tool_call_update",
      toolCallId,
      content: [{ type: "terminal", terminalId }],
    });
    editor.notify("session/update", { sessionId, update });
    const ended = await this.ask("terminal/wait_for_exit", { terminalId }, { name: `${id}:exit`, signal });
    const never = new AbortController().signal;
    // A command of a run that was cancelled is ended too.
    if (!ended.ok) await this.ask("terminal/kill", { terminalId }, { name: `${id}:kill`, signal: never });
    const output = await this.ask("terminal/output", { terminalId }, { name: `${id}:output`, signal: never });
    void this.ask("terminal/release", { terminalId }, { name: `${id}:release`, signal: never });
    if (!ended.ok && ended.error === null) return null;
    const { exitCode = null, signal: by = null } = ended.ok && isJsonObject(ended.result) ? ended.result : {};
    const text = output.ok && isJsonObject(output.result) ? String(output.result["output"]) : "";
    const end = exitCode === null ? `ended by ${String(by ?? "the user")}` : `exit code ${String(exitCode)}`;
    return { content: cutText(`${text}\n(${end})`, RESULT_CHARACTERS), isError: exitCode !== 0 };
  }

  private async result(
    method: string,
    params: JsonObject,
    of: { readonly name: string; readonly signal: AbortSignal },
    words: (result: JsonObject) => string,
  ): Promise<EditorResult | null> {
    const answer = await this.ask(method, params, of);
    if (answer.ok)
      return {
        content: cutText(words(isJsonObject(answer.result) ? answer.result : {}), RESULT_CHARACTERS),
        isError: false,
      };
    return answer.error === null ? null : { content: String(answer.error.message), isError: true };
  }

  private ask(method: string, params: JsonObject, of: { readonly name: string; readonly signal: AbortSignal }) {
    const { editor, sessionId, jobId } = this.parts;
    const name = acpCallId(jobId, of.name);
    const meta: Json = { troupe: { ask: name } };
    return editor.ask(method, { sessionId, ...params, _meta: meta }, { ...of, name });
  }
}
