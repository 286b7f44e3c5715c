/**
 * Records whose rows have less than they have.
 *
 * The row of a job lacks a long input that the row of its message has. Queries add it again, so every reader of a job
 * gets the input. It cannot be lost: the text of a user's message never changes, and its row is deleted only with the
 * organization.
 *
 * A message lacks blocks that follow from its content (`messageBlocks`), also in memory. Queries add them only where the
 * bytes of an answer are counted, or rows are copied.
 */
import type { RecordFields } from "../actors/runtime/actor.ts";

/** A shorter input stays in the row of its job: reading a second row costs more than the copy. */
const SHARED_INPUT_CHARACTERS = 1_024;

interface AnsweringJob extends RecordFields {
  readonly input?: string;
  readonly inputMessageId?: string;
}
interface AnsweredMessage extends RecordFields {
  readonly content?: string;
}

/** The record as it is stored. `message` is that of its batch with this id; a job whose message is not there is whole. */
export function jobRow(job: AnsweringJob, message: (id: string) => AnsweredMessage | undefined): RecordFields {
  const { input = "", ...others } = job;
  if (input.length <= SHARED_INPUT_CHARACTERS || job.inputMessageId === undefined) return job;
  return message(job.inputMessageId)?.content === input ? others : job;
}

/** SQL for the whole record of a job, whose row has it in the column `body`, such as `job.body`. */
export const wholeJob = (body: string): string =>
  `case when ${body} ? 'input' then ${body} else ${body} || coalesce((` +
  "select jsonb_build_object('input', answered.body -> 'content') from message answered " +
  `where answered.organization_id = ${body} ->> 'organizationId' and answered.id = ${body} ->> 'inputMessageId'` +
  "), '{}') end";

/** SQL for a message with all of its blocks, whose row is in the column `body`. */
export const wholeMessage = (body: string): string =>
  `case when ${body} ? 'blocks' then ${body} when ${body} ->> 'content' = '' then ${body} || '{"blocks": []}' ` +
  `else ${body} || jsonb_build_object('blocks', jsonb_build_array(jsonb_build_object('type', 'text', 'text', ${body} -> 'content'))) end`;
