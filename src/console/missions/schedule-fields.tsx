/** When a mission runs. */
import type { MissionOverlap, ScheduleType } from "../../../sdk/typescript/troupe.ts";
import type { FormDraft } from "../pieces/draft.ts";
import { ChoiceField, formFields, NumberField, TextField, textOr } from "../pieces/fields.tsx";
import type { MissionDraft } from "./mission-draft.ts";

const TYPE_CHOICES: readonly (readonly [ScheduleType, string])[] = [
  ["none", "only when somebody starts it"],
  ["cron", "by a cron expression"],
  ["once", "once, at a time"],
  ["continuous", "again and again, with a pause"],
];
const OVERLAP_CHOICES: readonly (readonly [MissionOverlap, string])[] = [
  ["skip", "the new run is skipped"],
  ["buffer_one", "the new run waits"],
  ["cancel_other", "the open run is cancelled"],
  ["allow_all", "both run"],
];
const VALUE_WORDS: Readonly<Record<Exclude<ScheduleType, "none">, readonly [string, string]>> = {
  cron: ["Cron expression", "Five fields, such as 0 9 * * 1-5 for 9:00 on workdays, or @daily"],
  once: ["Time", "Such as 2030-01-31T09:00, in the time zone"],
  continuous: ["Pause between runs", "Such as PT5M for five minutes"],
};
const ZONES_ID = "time-zones";

export function ScheduleFields({ draft: { value, set } }: { readonly draft: FormDraft<MissionDraft> }) {
  const { schedule } = value;
  const change = (changes: Partial<MissionDraft["schedule"]>): void => set("schedule", { ...schedule, ...changes });
  const field = formFields("/schedule", schedule, change);
  const words = schedule.type === "none" ? null : VALUE_WORDS[schedule.type];
  return (
    <fieldset>
      <legend>Schedule</legend>
      <div class="columns">
        <ChoiceField
          label="It runs"
          path="/schedule/type"
          value={schedule.type}
          change={(type) => change({ type, value: null })}
          choices={TYPE_CHOICES}
        />
        {words === null ? null : (
          <>
            <TextField label={words[0]} hint={words[1]} {...textOr(null, field("value"))} />
            <TextField label="Time zone" list={ZONES_ID} {...field("timezone")} />
          </>
        )}
      </div>
      <datalist id={ZONES_ID}>
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {words === null ? null : (
        <details class="more">
          <summary>Limits of the schedule</summary>
          <div class="columns">
            <TextField label="Not before" hint="A time in ISO 8601" {...textOr(null, field("start_at"))} />
            <TextField label="Not after" hint="A time in ISO 8601" {...textOr(null, field("end_at"))} />
            <NumberField label="Most runs" hint="Empty: no limit" min={1} {...field("max_runs")} />
            <ChoiceField label="While another run is open" choices={OVERLAP_CHOICES} {...field("overlap")} />
            <NumberField
              label="Seconds that a run may be late"
              path="/schedule/catchup_window_seconds"
              value={schedule.catchup_window_seconds}
              change={(seconds) => change({ catchup_window_seconds: seconds ?? 0 })}
            />
            <NumberField
              label="Maximum random delay in seconds"
              path="/schedule/jitter_seconds"
              value={schedule.jitter_seconds}
              change={(seconds) => change({ jitter_seconds: seconds ?? 0 })}
            />
          </div>
        </details>
      )}
    </fieldset>
  );
}
