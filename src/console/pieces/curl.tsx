/** Commands to copy: the request that a page has made, and what to begin with where there is nothing yet. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SERVICE_ROOT } from "../service.ts";

interface ShownRequest {
  readonly method?: string;
  /** From the root of the service, such as `/api/agents`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The request as a command for a shell, with the token in a variable. */
export function curlOf({ method = "GET", path, query = {}, body }: ShownRequest): string {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const target = parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
  const parts = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(location.origin + SERVICE_ROOT + target)}`,
    `-H "Authorization: Bearer $TROUPE_TOKEN"`,
  ];
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`);
  return parts.join(" \\\n  ");
}

export const CopyAsCurl = (request: ShownRequest) => <CopyButton text={() => curlOf(request)}>Copy as curl</CopyButton>;

/** A command that can be copied. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <pre tabIndex={0} aria-label="Command">
        {text}
      </pre>
      <CopyButton text={() => text}>Copy</CopyButton>
    </div>
  );
}

interface NothingYetProps {
  /** Makes the first one, or shows where to look. */
  readonly request: ShownRequest;
  /** What is not there, and how to get it. */
  readonly children: ComponentChildren;
}

/** What a page shows instead of an empty list: what to do, and a request that does it. */
export const NothingYet = ({ request, children }: NothingYetProps) => (
  <>
    <p>{children}</p>
    <Command text={curlOf(request)} />
  </>
);

const COPIED_SHOWN_MS = 2_000;

export function CopyButton(props: { readonly text: () => string; readonly children: ComponentChildren }) {
  const [outcome, setOutcome] = useState<"Copied" | "Your browser does not allow it" | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), COPIED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> =>
    setOutcome((await copied(props.text())) ? "Copied" : "Your browser does not allow it");
  return (
    <>
      <button type="button" class="quiet" onClick={() => void copy()}>
        {props.children}
      </button>
      <span role="status" class="quiet">
        {outcome}
      </span>
    </>
  );
}

/** Puts the text on the clipboard. The newer way exists only for secure origins. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isDone;
  }
}
