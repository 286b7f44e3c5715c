/**
 * The doctor's report. A service that runs makes it over its own settings; without one, the command makes it over the
 * settings that it was started with. Either says whose settings it judges.
 */
import { type CommandAnswer, listed } from "./command-answer.ts";
import { type DoctorFacts, type Finding, findingsOf } from "./doctor.ts";
import { doctorFacts } from "./doctor-facts.ts";
import type { Command } from "./subjects.ts";

export function doctorReport(facts: DoctorFacts, whose: string): CommandAnswer {
  const settings: Finding = { check: "settings", state: "ok", finding: whose, advice: "" };
  const findings = [settings, ...findingsOf(facts)];
  const rows = findings.map(({ check, state, finding, advice }) => [state.toUpperCase(), check, finding, advice]);
  const { text } = listed(["STATE", "CHECK", "FINDING", "WHAT TO DO"], rows);
  return { text, json: findings, ok: findings.every(({ state }) => state !== "problem") };
}

/** In the process of the service. */
export const DOCTOR: Readonly<Record<"doctor", Command>> = {
  async doctor({ config, databaseUrl }) {
    const facts = await doctorFacts(config, true, (run) => run(databaseUrl));
    return doctorReport(facts, `those of the service that runs (process ${process.pid})`);
  },
};
