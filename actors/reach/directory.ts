/** What was sent about approvals, in the tables. Throws when the database cannot be reached. */
import type { Page, PageRequest } from "../page.ts";
import type { Question } from "./schema.ts";

export interface ReachDirectory {
  /** Newest first; of one job, if it is given. */
  pageQuestions(
    organizationId: string,
    filter: { readonly jobId?: string | undefined },
    page: PageRequest,
  ): Promise<Page<Question>>;
}
