/** What was sent about approvals, in the tables. */
import type { Page, PageRequest } from "../../actors/page.ts";
import type { ReachDirectory } from "../../actors/reach/protocol.ts";
import type { Question } from "../../actors/reach/schema.ts";
import { reachQuestion } from "../tables/records.ts";
import { givenFilters, type Walks } from "./index-walk.ts";
import { OverTables } from "./over-tables.ts";

const QUESTION_WALKS: Walks = { table: reachQuestion, indexes: [[reachQuestion.jobId]], words: [] };

export class PostgresReachDirectory extends OverTables implements ReachDirectory {
  pageQuestions(
    organizationId: string,
    { jobId }: { readonly jobId?: string | undefined },
    page: PageRequest,
  ): Promise<Page<Question>> {
    const filters = givenFilters([reachQuestion.jobId, jobId]);
    return this.page<Question>(QUESTION_WALKS, organizationId, page, { filters });
  }
}
