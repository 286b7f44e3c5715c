/**
 * Reports the ends of attempts. Attempts that end while a batch of commits is in flight are reported by one command in
 * the next batch: under load an organization's attempts end together, and their ends cost one turn.
 */
import type { Outcome } from "../fault.ts";
import type { DispatchAdmission } from "../runtime/turns/members.ts";
import { webhookRef } from "./events.ts";
import type { AttemptEnd, WebhookCommand } from "./protocol.ts";

/** Parts of the system, late-bound: the system is created with the handlers that use this. */
export interface ReportsParts {
  readonly group: (
    members: readonly { readonly ref: ReturnType<typeof webhookRef>; readonly command: WebhookCommand }[],
    options: DispatchAdmission,
  ) => Promise<Outcome<readonly unknown[]>>;
  /** Calls `run` right before the next batch of the organization's commits is taken. */
  readonly joinNext: (organizationId: string, run: () => void) => void;
}

interface AttemptReport {
  readonly end: AttemptEnd;
  readonly stored: PromiseWithResolvers<boolean>;
}

export class Reports {
  private readonly parts: ReportsParts;
  /** Reports that wait for the next batch, by organization and epoch. */
  private readonly waiting = new Map<string, AttemptReport[]>();

  constructor(parts: ReportsParts) {
    this.parts = parts;
  }

  /** Resolves after the commit; false if it was refused, and may be reported again while the epoch lasts. */
  tell(organizationId: string, epoch: number, end: AttemptEnd): Promise<boolean> {
    const key = `${organizationId}/${epoch}`;
    const report: AttemptReport = { end, stored: Promise.withResolvers() };
    const waiting = this.waiting.get(key);
    if (waiting === undefined) {
      const reports = [report];
      this.waiting.set(key, reports);
      this.parts.joinNext(organizationId, () => {
        this.waiting.delete(key);
        this.send(organizationId, epoch, reports);
      });
    } else waiting.push(report);
    return report.stored.promise;
  }

  private send(organizationId: string, epoch: number, reports: readonly AttemptReport[]): void {
    const command = { kind: "attempts_ended", ends: reports.map(({ end }) => end) } as const;
    this.parts.group([{ ref: webhookRef(organizationId), command }], { epoch }).then(
      ({ ok }) => reports.forEach(({ stored }) => stored.resolve(ok)),
      (cause: unknown) => reports.forEach(({ stored }) => stored.reject(cause)),
    );
  }
}
