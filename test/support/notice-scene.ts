/** Jobs whose approvals reach people, over all actors in memory, with a mailbox that a test scripts. */
import { expect } from "bun:test";
import { notFound, type Outcome } from "../../actors/fault.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { SEND_NOTICE } from "../../actors/reach/notices.ts";
import type { ApprovalNotice, Question } from "../../actors/reach/schema.ts";
import type { EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import type { Mailer } from "../../src/reach/mailer.ts";
import { noticeEffects } from "../../src/wiring/notices.ts";
import { ASKING, calling, DecisionScene } from "./decision-scene.ts";
import { CHAT, NO_JITTER, ORG, startJobs } from "./job-replica.ts";

type Sent = Parameters<Mailer["send"]>[0];
export const REMINDED = { ...ASKING, approvalReach: { links: "signed_in", remindAfterSeconds: 3_600 } } as const;
export const DELIVERED = { kind: "delivered", httpStatus: null, durationMs: 1 } as const;
export const REFUSED = {
  kind: "failed",
  error: "timeout",
  httpStatus: null,
  durationMs: 1,
  isTransient: true,
  retryAfterMs: null,
} as const;

export class NoticeScene extends DecisionScene {
  readonly mails: Sent[] = [];
  readonly warnings: object[] = [];
  answer: Mailer["send"] = async () => DELIVERED;
  hasLease = true;
  /** Takes the place of the turn that prepares an attempt. */
  preparing: (() => Promise<Outcome<never>>) | null = null;

  static async open(): Promise<NoticeScene> {
    const scene = new NoticeScene();
    scene.model.script = calling(["c1", "send"]);
    scene.tools.unsafe.add("send");
    await scene.start();
    const owner = { userId: "usr_1", name: "Ann", email: "ann@example.com" };
    const found = { kind: "found_organization", name: "Acme", owner, tokens: [] } as const;
    const made = await scene.replica.system.dispatch(organizationRef(ORG), found);
    expect(made.ok).toBe(true);
    return scene;
  }

  override async start(): Promise<void> {
    const mailer: Mailer = {
      send: async (mail, signal) => {
        this.mails.push(mail);
        return this.answer(mail, signal);
      },
    };
    const agents = { find: () => notFound("agent") };
    const { clock } = this.world;
    const log = { warn: (fields: object) => void this.warnings.push(fields) };
    const parts = {
      agents,
      egress: null as never,
      sealing: null as never,
      mailer,
      clock,
      chance: NO_JITTER,
      appUrl: "https://troupe.test",
      log,
    };
    this.replica = await startJobs(this.world, {
      model: this.model,
      tools: this.tools,
      hasMail: true,
      effects: (system) => {
        const dispatchGroup: typeof system.dispatchGroup = async (steps, options) => {
          const [step] = steps;
          const isPreparing = typeof step === "object" && step.command.kind === "prepare_notice";
          return isPreparing && this.preparing !== null ? this.preparing() : system.dispatchGroup(steps, options);
        };
        const dispatch: typeof system.dispatch = (ref, command) => system.dispatch(ref, command);
        const asked: Pick<typeof system, "dispatch" | "dispatchGroup"> = { dispatch, dispatchGroup };
        const effects = noticeEffects({ ...parts, system: asked as typeof system });
        const run: EffectHandler["run"] = (effect, context) =>
          effects[SEND_NOTICE].run(effect, { ...context, mayAct: () => this.hasLease && context.mayAct() });
        return { ...effects, [SEND_NOTICE]: { ...effects[SEND_NOTICE], run } };
      },
    });
  }

  async asked(agent: typeof REMINDED | typeof ASKING = REMINDED): Promise<string> {
    const id = await this.replica.send("go", CHAT, { agent });
    await this.reached(id, "blocked");
    return id;
  }

  subjects(): string[] {
    return this.mails.map(({ subject }) => subject);
  }

  notices(jobId: string): readonly ApprovalNotice[] {
    return this.replica
      .job(jobId)
      .approvals.flatMap(
        ({ id }) => (this.world.database.record("reach_question", ORG, id) as Question | null)?.notices ?? [],
      );
  }
}
