/** The model and the tools of simulated jobs: each step waits for the scheduler, which also draws what they do. */
import { ok, type Outcome } from "../../actors/fault.ts";
import type {
  ModelCall,
  ModelInfo,
  ModelOutcome,
  ModelPort,
  RunToolCall,
  ToolPort,
  ToolResult,
} from "../../actors/job/ports.ts";
import type { ChatHistory, Transcripts } from "../../actors/job/protocol.ts";
import type { TranscriptPart } from "../../actors/job/transcript.ts";
import type { ToolUseBlock } from "../../actors/job/schema.ts";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import { MemoryTranscripts } from "../support/memory-transcripts.ts";
import type { WatchedDatabase } from "./ledger-book.ts";
import { call, type Wiring } from "./simulated-wiring.ts";
import { must, Violation } from "./violation.ts";

const USAGE = { inputTokens: 7, outputTokens: 3 };
const TOOL = "look";
const WINDOW = { contextTokens: 128_000, answerTokens: 16_000 };

export class ScriptedWork implements Transcripts {
  readonly models: ModelPort = {
    describe: (): Outcome<ModelInfo> => ok({ provider: "scripted", name: "scripted", demo: false }),
    windowOf: () => WINDOW,
    inputOf: () => ["text"],
    allowed: () => [
      { provider: "scripted", name: "scripted", demo: false, isDefault: true, window: WINDOW, input: ["text"] },
    ],
    call: (asked, onText, signal) => this.think(asked, onText, signal),
  };
  readonly tools: ToolPort = {
    open: () =>
      Promise.resolve({
        tools: [],
        missing: { required: [], optional: [] },
        notes: [],
        rulesOf: () => ({ safe: true, needsApproval: false }),
        misfits: () => Promise.resolve(new Map()),
        call: (asked: RunToolCall) => this.use(asked),
      }),
  };
  private readonly wiring: Wiring;
  private readonly database: WatchedDatabase;
  private readonly transcripts: MemoryTranscripts;
  private readonly fail: (cause: unknown) => void;
  private uses = 0;

  constructor(wiring: Wiring, database: WatchedDatabase, fail: (cause: unknown) => void) {
    this.wiring = wiring;
    this.database = database;
    this.transcripts = new MemoryTranscripts(database);
    this.fail = fail;
  }

  history(of: Parameters<Transcripts["history"]>[0]): Promise<ChatHistory> {
    return call(this.wiring, "history", () => this.transcripts.history(of));
  }

  parts(organizationId: string, jobId: string): Promise<readonly TranscriptPart[]> {
    return call(this.wiring, "parts", () => this.transcripts.parts(organizationId, jobId));
  }

  private async think(
    { entries }: ModelCall,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<ModelOutcome> {
    const { scheduler, line } = this.wiring;
    let text = "";
    for (let left = scheduler.below(3); left >= 0; left--) {
      await scheduler.pass(line, "model");
      if (signal.aborted) return { kind: "aborted", partialText: text };
      text += "word ";
      onText("word ");
    }
    if (scheduler.happens(0.1))
      return { kind: "failed", error: { code: "provider_error", message: "drawn" }, partialText: text, usage: USAGE };
    const uses: ToolUseBlock[] = [];
    const isLong = entries.length > 0 && entries.at(-1)?.role === "assistant";
    for (let left = scheduler.below(isLong ? 2 : 3); left > 0; left--) {
      uses.push({ type: "tool_use", id: `${line.name}_${++this.uses}`, name: TOOL, input: {} });
    }
    return {
      kind: "finished",
      blocks: [{ type: "text", text }, ...uses],
      usage: USAGE,
      finishReason: uses.length > 0 ? "tool_use" : "stop",
    };
  }

  /** A call whose result is stored is never made again, except by a former owner that does not know yet. */
  private async use({ context, idempotencyKey }: RunToolCall): Promise<ToolResult> {
    const { organizationId, jobId } = context;
    const isOwner = this.database.shards[shardOf(organizationId)]?.owner === this.wiring.line.name;
    const callId = idempotencyKey.split(":")[2];
    try {
      const results = this.database.stream(organizationId, jobId).filter(({ data }) => data["toolUseId"] === callId);
      must(!isOwner || results.length === 0, "job", () => `${callId} of ${jobId} is made again`);
    } catch (cause) {
      if (cause instanceof Violation) this.fail(cause);
    }
    await this.wiring.scheduler.pass(this.wiring.line, "tool");
    return { content: "seen", isError: false };
  }
}
