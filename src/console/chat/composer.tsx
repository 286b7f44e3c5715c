/** Writes a message: text and files, and what it does to an answer that is being written. */
import { useEffect, useRef, useState } from "preact/hooks";
import type {
  BusyPolicy,
  ContentBlockInput,
  SendMessageRequest,
  UploadedFile,
} from "../../../sdk/typescript/troupe.ts";
import { keyedSender } from "../pieces/request-key.ts";
import { service, wordsOfError } from "../service.ts";
import { draftPlace } from "../session.ts";
import { ErrorLine } from "../loading.tsx";

const POLICIES: readonly (readonly [Exclude<BusyPolicy, "reject">, string])[] = [
  ["queue", "after this answer"],
  ["steer", "into this answer"],
  ["interrupt", "instead of this answer"],
];

/** What a person may set for one message. */
type ComposedOptions = Pick<SendMessageRequest, "review_required" | "priority" | "model_settings">;

/** What is sent: the same for each try to send the same message. */
interface WrittenMessage extends ComposedOptions {
  readonly content: string | ContentBlockInput[];
  /** Set if the agent was busy at the first try. */
  readonly on_busy?: BusyPolicy;
}

interface ComposerProps {
  readonly chatId: string;
  /** Whether a job of the chat is active. */
  readonly isBusy: boolean;
  /** `key`: the same for each try to send the same message, so that it is sent once. */
  readonly send: (message: WrittenMessage, key: string) => Promise<unknown>;
  /** Whether the field is what the page is opened for. */
  readonly takesFocus?: boolean;
}

/** Where a draft is kept while the browser signs in again. */
const textPlace = (chatId: string): string => draftPlace(`text ${chatId}`);

export function Composer({ chatId, isBusy, send, takesFocus = true }: ComposerProps) {
  const [text, setText] = useState(() => sessionStorage.getItem(textPlace(chatId)) ?? "");
  const [policy, setPolicy] = useState<BusyPolicy>("queue");
  const [options, setOptions] = useState<ComposedOptions>({});
  const [files, setFiles] = useState<readonly UploadedFile[]>([]);
  const [error, setError] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const [uploads, setUploads] = useState(0);
  const [sendKeyed] = useState(() => keyedSender<WrittenMessage>());
  useEffect(() => {
    if (text === "") sessionStorage.removeItem(textPlace(chatId));
    else sessionStorage.setItem(textPlace(chatId), text);
  }, [text]);
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, []);

  const attach = async (given: FileList | null | undefined): Promise<void> => {
    setError(null);
    const chosen = [...(given ?? [])];
    setUploads((count) => count + chosen.length);
    for (const file of chosen) {
      try {
        const uploaded = await service.createUpload(file, { name: file.name });
        setFiles((before) => [...before, uploaded]);
      } catch (refusal) {
        setError(`${file.name}: ${wordsOfError(refusal)}`);
      } finally {
        setUploads((count) => count - 1);
      }
    }
  };
  const submit = async (): Promise<void> => {
    if (isSending || uploads > 0 || (text.trim() === "" && files.length === 0)) return;
    setSending(true);
    setError(null);
    const message = { content: files.length === 0 ? text : contentOf(text, files), ...options };
    try {
      await sendKeyed([message, policy], () => ({ ...message, ...(isBusy ? { on_busy: policy } : {}) }), send);
      sessionStorage.removeItem(textPlace(chatId));
      setText("");
      setFiles([]);
      setOptions({});
    } catch (refusal) {
      setError(wordsOfError(refusal));
    } finally {
      setSending(false);
      field.current?.focus();
    }
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach(event.dataTransfer?.files);
      }}
    >
      <ErrorLine error={error} />
      {files.length === 0 ? null : (
        <ul class="files" aria-label="Attachments">
          {files.map((file) => (
            <li key={file.id}>
              {file.name ?? file.media_type}{" "}
              <button type="button" onClick={() => setFiles(files.filter((one) => one !== file))}>
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {uploads === 0 ? null : (
        <p class="quiet" role="status">
          Uploading {uploads === 1 ? "a file" : `${uploads} files`} … You can send the message afterwards.
        </p>
      )}
      <textarea
        ref={field}
        aria-label="Message"
        placeholder="Write a message. Enter sends it, Shift+Enter begins a line."
        rows={Math.min(10, Math.max(2, text.split("\n").length))}
        value={text}
        readOnly={isSending}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onPaste={({ clipboardData }) => void attach(clipboardData?.files)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void submit();
        }}
      />
      <p class="actions">
        <button disabled={isSending || uploads > 0}>Send</button>
        <label class="attach">
          Attach files
          <input
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              void attach(currentTarget.files).then(() => (currentTarget.value = ""));
            }}
          />
        </label>
        <MessageOptionFields options={options} change={setOptions} />
        {isBusy ? (
          <label class="policy">
            The agent is busy: send it
            <select value={policy} onChange={({ currentTarget }) => setPolicy(currentTarget.value as BusyPolicy)}>
              {POLICIES.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </p>
    </form>
  );
}

interface MessageOptionProps {
  readonly options: ComposedOptions;
  readonly change: (options: ComposedOptions) => void;
}

const CHOSEN_EFFORTS = ["low", "medium", "high"] as const;
const CHOSEN_PRIORITIES = ["low", "high", "urgent"] as const;

/** They count for the next message only. */
function MessageOptionFields({ options, change }: MessageOptionProps) {
  const { review_required: isReviewed = false, priority, model_settings: settings } = options;
  const choice = <T extends string>(list: readonly T[], value: string): T | undefined =>
    list.find((one) => one === value);
  return (
    <details class="options">
      <summary>Options{Object.keys(options).length === 0 ? "" : " (set)"}</summary>
      <label class="policy">
        <input
          type="checkbox"
          checked={isReviewed}
          onChange={({ currentTarget }) => {
            const { review_required: _, ...others } = options;
            change(currentTarget.checked ? { ...others, review_required: true } : others);
          }}
        />
        A person reviews the answer
      </label>
      <label class="policy">
        Effort of the model
        <select
          value={settings?.effort ?? ""}
          onChange={({ currentTarget }) => {
            const { model_settings: _, ...others } = options;
            const effort = choice(CHOSEN_EFFORTS, currentTarget.value);
            change(effort === undefined ? others : { ...others, model_settings: { effort } });
          }}
        >
          <option value="">as the agent has it</option>
          {CHOSEN_EFFORTS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label class="policy">
        Priority
        <select
          value={priority ?? ""}
          onChange={({ currentTarget }) => {
            const { priority: _, ...others } = options;
            const chosen = choice(CHOSEN_PRIORITIES, currentTarget.value);
            change(chosen === undefined ? others : { ...others, priority: chosen });
          }}
        >
          <option value="">medium</option>
          {CHOSEN_PRIORITIES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
    </details>
  );
}

const contentOf = (text: string, files: readonly UploadedFile[]): ContentBlockInput[] => [
  ...(text.trim() === "" ? [] : [{ type: "text", text } as const]),
  ...files.map(({ id, media_type }) => ({
    type: media_type.startsWith("image/") ? ("image" as const) : ("file" as const),
    source: { kind: "upload" as const, file_id: id },
  })),
];
