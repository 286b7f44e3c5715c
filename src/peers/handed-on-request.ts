/** A client's request that another replica has forwarded to this one, and what that replica needs of its answer. */
import { assert } from "../../actors/assert.ts";
import type { PipelineAnswer, SharedHeaders, WholeBody } from "../http/answer/answer.ts";
import { type HandedOn, handOn, type ServedContent } from "../http/request/forwarding.ts";
import { PlainAnswer } from "./plain-answer.ts";

/** The name of a stream that is unlike all others. */
export const UNNAMED_STREAM = "-";
/** Stands for a plain answer on its way through the pipeline. */
const TAKEN = new Response(null);

export class HandedOnRequest implements HandedOn {
  readonly address: string;
  /** The name of the event stream that is the answer; null: it is something else. */
  stream: string | null = null;
  content: ServedContent | null = null;
  /** The answer, if it is no `Response`. */
  plain: PlainAnswer | null = null;
  private readonly takesPlain: boolean;

  /** `client`: the client's address. `isLinked`: it has come over a link, which takes plain answers. */
  constructor(request: Request, client: string, { isLinked }: { readonly isLinked: boolean }) {
    this.address = client;
    this.takesPlain = isLinked;
    handOn(request, this);
  }

  answer(status: number, shared: SharedHeaders, body: WholeBody): PipelineAnswer | null {
    return this.takesPlain ? new PlainAnswer(status, shared, body) : null;
  }

  take(answer: PipelineAnswer): Response {
    assert(answer instanceof PlainAnswer, "what is taken was made here");
    this.plain = answer;
    return TAKEN;
  }

  noteStream(name: string | null): void {
    this.stream = name ?? UNNAMED_STREAM;
  }

  noteContent(content: ServedContent | null): void {
    if (content !== null) this.content = content;
  }
}
