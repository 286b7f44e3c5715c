/** When missions will run (MIS-6): one that is saved, and a schedule that is not. */
import { mapOutcome, ok, refuse } from "../../../actors/fault.ts";
import { checkedSchedule, DEFAULT_SCHEDULE } from "../../../actors/mission/schedule-input.ts";
import { forecastFrom, timeAfter } from "../../../actors/mission/schedule.ts";
import { missionRef } from "../../../actors/mission/schema.ts";
import { Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { withDefault } from "../../http/contract/field.ts";
import { operation } from "../../operations/operation.ts";
import { missionParams } from "../path-ids.ts";
import { ScheduleBody, scheduleOf } from "./schema.ts";
import { askerOf, forecastTimes, ForecastView, forecastView, ScheduleForecastView } from "./view.ts";

/** Times in one forecast: two years of weekly runs, or four days of hourly ones. */
const MOST_FORECAST = 100;
const DEFAULT_FORECAST = 20;
const FORECAST_COUNT = Type.Integer({
  minimum: 1,
  maximum: MOST_FORECAST,
  description: "Number of times to return",
});

export const forecastOperations = {
  getMissionForecast: operation(
    {
      method: "GET",
      path: "/api/missions/{id}/forecast",
      scope: "missions:read",
      summary: "Forecast when a mission will run",
      description: "In UTC and in local time, with a note where a clock change shifts, skips or repeats a time.",
      params: missionParams,
      query: {
        count: withDefault(FORECAST_COUNT, DEFAULT_FORECAST),
      },
      answers: { 200: ForecastView },
    },
    async ({ system }, { principal }, { params, query: { count } }) => {
      const ref = missionRef(principal.organizationId, params.id);
      const by = askerOf(principal);
      const replies = await system.dispatchGroup([
        ask(ref, { kind: "read_mission", by }),
        ask(ref, { kind: "read_forecast", by, count }),
      ]);
      return mapOutcome(replies, ([mission, times]) => forecastView(mission, times));
    },
  ),

  forecastSchedule: operation(
    {
      method: "POST",
      path: "/api/missions/forecast",
      scope: "missions:read",
      summary: "Forecast a schedule that is not saved",
      description:
        "Validates the schedule as for a new mission, and answers its next times with the effects of clock changes. A mission that only runs when it is started by hand has no times.",
      body: Type.Object(
        { schedule: ScheduleBody, count: Type.Optional(FORECAST_COUNT) },
        { examples: [{ schedule: { type: "cron", value: "30 2 * * *", timezone: "Europe/Berlin" }, count: 5 }] },
      ),
      isRead: true,
      answers: { 200: ScheduleForecastView },
      errors: ["invalid_schedule"],
    },
    ({ calendar, clock }, _, { body: { schedule: given, count = DEFAULT_FORECAST } }) => {
      const read = scheduleOf(given);
      if (!read.ok) return read;
      const nowMs = clock.now();
      const checked = checkedSchedule(calendar, { ...DEFAULT_SCHEDULE, ...read.value }, nowMs);
      if (!checked.ok) return refuse({ kind: "invalid_schedule", errors: checked.errors });
      const { schedule, text: description } = checked;
      const firstMs = timeAfter(calendar, schedule, schedule.type === "once" ? 0 : nowMs);
      const most = Math.min(count, schedule.maxRuns ?? count);
      const times = firstMs === null ? [] : forecastFrom(calendar, schedule, firstMs, most);
      return ok({ description, ...forecastTimes(schedule, times) });
    },
  ),
};
