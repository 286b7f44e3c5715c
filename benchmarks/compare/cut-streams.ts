/**
 * A stream that is cut by a kill -9 of the server, and resumed by the system's own client: how many words of the answer
 * its readers lack or have twice in the end, compared with what is stored. `benchmarks/resume.ts` has the details.
 */
import type { Aim } from "../support/benchmark.ts";
import { CUT_READERS, cutRun } from "../support/cut-run.ts";
import type { ResumePeer } from "../support/resume-peer.ts";
import { figure } from "../support/statistics.ts";
import { table } from "../support/table.ts";
import { type ComparedPart, headline } from "./headlines.ts";

interface CutReaders {
  readonly name: string;
  readonly readers: number;
  readonly ended: number;
  readonly missing: number;
  readonly twice: number;
  readonly unstored: number;
}

export async function cutStreams(
  peers: readonly ResumePeer[],
  rounds: number,
  say: (line: string) => void,
): Promise<ComparedPart & { readonly aims: readonly Aim[] }> {
  const all: CutReaders[] = [];
  for (const peer of peers) {
    let [ended, missing, twice, unstored] = [0, 0, 0, 0];
    for (let round = 1; round <= rounds; round++) {
      const outcome = await cutRun(peer, round);
      ended += outcome.ended;
      missing += outcome.gaps;
      twice += outcome.repeats;
      unstored += outcome.lost;
    }
    all.push({ name: peer.name, readers: rounds * CUT_READERS, ended, missing, twice, unstored });
    say(`${peer.name}: ${ended} of ${rounds * CUT_READERS} readers at the end, ${missing} missing, ${twice} twice`);
  }
  const rows = all.map(({ name, readers, ended, missing, twice, unstored }) => [
    name,
    `${figure(ended)} of ${figure(readers)}`,
    figure(missing),
    figure(twice),
    figure(unstored),
  ]);
  const head = ["system", "readers at the end", "stored, but never shown", "shown twice", "shown, but not stored"];
  const ours = all.find(({ name }) => name === "Troupe");
  return {
    text: `A stream that a kill -9 cuts, resumed by the client of the system: words and events that each reader lacks or has twice, compared with what is stored at the end. The peers without a row have no streams of text.\n\n${table(head, rows)}`,
    headlines: [
      headline(
        "a stream cut by a kill -9: readers at the end; words missing, twice, shown but not stored",
        all,
        ({ readers, ended, missing, twice, unstored }) =>
          `${figure(ended)} of ${figure(readers)}; ${[missing, twice, unstored].map(figure).join(", ")}`,
      ),
    ],
    aims:
      ours === undefined
        ? []
        : [
            {
              aim: "a cut stream is resumed without a gap, without a repetition, and shows only what is stored",
              figure: `${figure(ours.missing)} missing, ${figure(ours.twice)} twice, ${figure(ours.unstored)} not stored`,
              holds: ours.missing + ours.twice + ours.unstored === 0 && ours.ended === ours.readers,
            },
          ],
  };
}
