/** The result of a call that a program of the client makes: a person may send it as well. */
import { useState } from "preact/hooks";
import type { Job, RequestedToolCall } from "../../../sdk/typescript/troupe.ts";
import { AreaField, CheckField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { service } from "../service.ts";

interface ClientCallFormProps {
  readonly job: Job;
  readonly call: RequestedToolCall;
  readonly decided: () => unknown;
  readonly whyNot: string | null;
}

export function ClientCallForm({ job, call, decided, whyNot }: ClientCallFormProps) {
  const [text, setText] = useState("");
  const [isError, setError] = useState(false);
  const send = async (): Promise<void> => {
    const result = isError ? { error: text } : { content: text };
    await service.sendToolResults(job.id, { results: [{ tool_call_id: call.id, ...result }] });
    await decided();
  };
  return (
    <SendForm
      label={`Result of ${call.name}`}
      send={send}
      whyNot={whyNot ?? (text.trim() === "" ? "Write the result first" : null)}
      action="Send the result"
    >
      <AreaField
        label={isError ? "What went wrong" : "Result"}
        path="/results/0"
        hint="The agent reads it as the answer of the tool"
        rows={3}
        value={text}
        change={setText}
      />
      <CheckField label="It failed" value={isError} change={setError} />
    </SendForm>
  );
}
