/** The signature debugger: which part of a delivery does not fit its signature. */
import { useState } from "preact/hooks";
import { TitledPage } from "../title.tsx";
import { checkSignatures, readHeaders, type SignatureFinding } from "./signature-check.ts";

const WITHOUT_CRYPTOGRAPHY =
  "Your browser computes signatures only on pages over https and on this machine. Open the console there, or call POST /api/messaging-integration/verify.";

export function SignaturePage() {
  const [headers, setHeaders] = useState("");
  const [body, setBody] = useState("");
  const [secret, setSecret] = useState("");
  const [findings, setFindings] = useState<readonly SignatureFinding[] | null>(null);
  const check = async (): Promise<void> =>
    setFindings(await checkSignatures({ headers: readHeaders(headers), body, secret }, Math.round(Date.now() / 1_000)));
  const isPossible = isSecureContext;
  return (
    <TitledPage title="Check a signature">
      <p class="quiet">Your browser computes this. Nothing that you paste here leaves it.</p>
      <form
        aria-label="The delivery"
        onSubmit={(event) => {
          event.preventDefault();
          if (isPossible) void check();
        }}
      >
        <label>
          Headers, one in a line
          <textarea
            class="code"
            rows={5}
            spellcheck={false}
            placeholder="Service-Signature: t=…,v1=…"
            value={headers}
            onInput={({ currentTarget }) => setHeaders(currentTarget.value)}
          />
        </label>
        <label>
          Body, as it arrived
          <textarea
            class="code"
            rows={6}
            spellcheck={false}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
        </label>
        <label>
          Signing secret
          <input
            type="password"
            autocomplete="off"
            value={secret}
            onInput={({ currentTarget }) => setSecret(currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button aria-disabled={!isPossible} aria-describedby={isPossible ? undefined : "no-cryptography"}>
            Check
          </button>
        </p>
        {isPossible ? null : (
          <p class="bad" id="no-cryptography">
            {WITHOUT_CRYPTOGRAPHY}
          </p>
        )}
      </form>
      <div role="status">
        {findings?.map((finding) => (
          <FindingCard key={finding.header} finding={finding} />
        ))}
      </div>
    </TitledPage>
  );
}

const PART_WORDS: Readonly<Record<NonNullable<SignatureFinding["part"]>, string>> = {
  header: "the header",
  timestamp: "the timestamp",
  secret: "the secret",
  body: "the body",
};

function FindingCard({ finding: { header, isRight, part, words, expected } }: { readonly finding: SignatureFinding }) {
  return (
    <section class="card" aria-label={header}>
      <p>
        <strong>{header}</strong>{" "}
        <span class={isRight ? "badge" : "badge bad"}>
          {isRight ? "fits" : part === null ? "does not fit" : `differs: ${PART_WORDS[part]}`}
        </span>
      </p>
      <p>{words}</p>
      {expected === null || isRight ? null : (
        <p class="quiet">
          For this secret, timestamp and body it would be <code>{expected}</code>
        </p>
      )}
    </section>
  );
}
