/** `current_time`: a model has no clock. */
import { Type } from "../../../actors/schema.ts";
import { defineTool, failure, success, type Tool } from "./tool.ts";

export const currentTime = (now: () => number): Tool =>
  defineTool({
    name: "current_time",
    description: "The current date and time, in UTC and in the time zone if one is given.",
    input: Type.Object({
      timezone: Type.Optional(Type.String({ maxLength: 64, description: "IANA name, such as Europe/Berlin" })),
    }),
    access: "safe",
    reads: "own_work",
    safeToRepeat: true,
    readOnly: true,
    async run({ timezone }) {
      const date = new Date(now());
      const utc = date.toISOString();
      if (timezone === undefined) return success({ utc });
      try {
        const format = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, dateStyle: "full", timeStyle: "long" });
        return success({ utc, local: format.format(date), timezone });
      } catch {
        // Catching the error is the only way to test whether a zone exists.
        return failure(`timezone: "${timezone}" is not the IANA name of a time zone.`);
      }
    },
  });
