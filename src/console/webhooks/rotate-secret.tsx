/** A new signing secret, beside which the old one signs for a while. */
import { useState } from "preact/hooks";
import { ActionButton } from "../action-button.tsx";
import { FilterChoice } from "../pieces/filter.tsx";
import { service } from "../service.ts";

const GRACE_CHOICES = [
  ["0", "ends at once"],
  ["3600", "also signs for an hour"],
  ["86400", "also signs for a day"],
  ["604800", "also signs for a week"],
] as const;

interface RotateSecretProps {
  readonly whyNot: string | null;
  readonly rotated: (secret: string) => void;
  readonly done: () => void;
}

export function RotateSecret({ whyNot, rotated, done }: RotateSecretProps) {
  const [grace, setGrace] = useState("86400");
  const rotate = async (): Promise<void> => {
    const { secret } = await service.rotateSigningSecret({ grace_seconds: Number(grace) });
    rotated(secret);
    done();
  };
  return (
    <section aria-labelledby="rotate">
      <h2 id="rotate">Replace the signing secret</h2>
      <div class="filters">
        <FilterChoice label="The old secret" value={grace} change={setGrace} choices={GRACE_CHOICES} />
      </div>
      <ActionButton
        class="quiet"
        whyNot={whyNot}
        question="Replace the signing secret? Receivers need the new one."
        act={rotate}
      >
        Replace the secret
      </ActionButton>
    </section>
  );
}
