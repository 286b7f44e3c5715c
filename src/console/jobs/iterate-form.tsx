/** Asks for changes of a result: another round in a new job of the same chat. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Job } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { whyNotTo } from "../chat/decisions.tsx";
import { service } from "../service.ts";

/** A result that waits for its review has a form of its own for this. */
export function IterateForm({ job }: { readonly job: Job }) {
  const [text, setText] = useState<string | null>(null);
  const [, navigate] = useLocation();
  if (job.status === "needs_review") return null;
  if (text === null)
    return (
      <ActionButton class="quiet" act={() => Promise.resolve(setText(""))} whyNot={whyNotTo(job, "iterate")}>
        Ask for changes
      </ActionButton>
    );
  const send = async (): Promise<void> =>
    navigate(`/jobs/${(await service.iterateJob(job.id, { feedback: text })).id}`);
  return (
    <section class="card" aria-label="Ask for changes">
      <label>
        What should be different
        <textarea rows={3} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <p class="actions">
        <ActionButton act={send} whyNot={text.trim() === "" ? "Say first what should be different" : null}>
          Begin another round
        </ActionButton>
        <button class="quiet" onClick={() => setText(null)}>
          Leave it as it is
        </button>
      </p>
    </section>
  );
}
