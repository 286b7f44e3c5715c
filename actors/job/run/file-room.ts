/** How many images and files of tool results a job may still keep. What it has kept is in its transcript. */
import { JOB_RESULT_FILE_BYTES, JOB_RESULT_FILES } from "../limits.ts";
import type { Block } from "../schema.ts";

export class FileRoom {
  private files = JOB_RESULT_FILES;
  private bytes = JOB_RESULT_FILE_BYTES;

  constructor(blocks: readonly Block[]) {
    for (const block of blocks)
      if (block.type === "tool_result") for (const { size } of block.attachments ?? []) this.admit(size);
  }

  /** Counts one more file; false if the job may keep no more. */
  admit(bytes: number): boolean {
    if (this.files < 1 || this.bytes < bytes) return false;
    this.files -= 1;
    this.bytes -= bytes;
    return true;
  }
}
