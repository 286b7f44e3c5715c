/** Makes a public address for a file. It is shown once: the service keeps no copy of it. */
import { useState } from "preact/hooks";
import type { NewShare } from "../../../sdk/typescript/troupe.ts";
import { CopyButton } from "../pieces/curl.tsx";
import { NumberField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { service } from "../service.ts";

const SECONDS_OF_DAY = 86_400;

export function ShareForm({ workspaceId, path }: { readonly workspaceId: string; readonly path: string }) {
  const [days, setDays] = useState<number | null>(7);
  const [downloads, setDownloads] = useState<number | null>(null);
  const [made, setMade] = useState<NewShare | null>(null);
  const share = async (): Promise<void> => {
    const limits = days === null ? {} : { expires_in_seconds: Math.round(days * SECONDS_OF_DAY) };
    setMade(await service.shareFile(workspaceId, { path, ...limits, max_downloads: downloads }));
  };
  return (
    <details class="more">
      <summary>Share</summary>
      <SendForm label="Share" send={share} whyNot={null} action="Make a link">
        <div class="columns">
          <NumberField
            label="Days until it expires"
            path="/expires_in_seconds"
            hint="Empty: as long as the service allows"
            step="any"
            value={days}
            change={setDays}
          />
          <NumberField
            label="Most downloads"
            path="/max_downloads"
            hint="Empty: no limit"
            min={1}
            value={downloads}
            change={setDownloads}
          />
        </div>
      </SendForm>
      {made === null ? null : (
        <div role="status">
          <p>Everyone with this link can download the file. It is shown only now:</p>
          <pre tabIndex={0} aria-label="Link">
            {made.url}
          </pre>
          <CopyButton text={() => made.url}>Copy the link</CopyButton>
        </div>
      )}
    </details>
  );
}
