/** What was sent about approvals, in the tables. */
import type { Page, PageRequest } from "../../actors/page.ts";
import type { ReachDirectory } from "../../actors/reach/protocol.ts";
import type { Question } from "../../actors/reach/schema.ts";
import { OverDatabase } from "../client.ts";
import { reachQuestion } from "../tables/records.ts";
import { filterWalk, givenFilters, type Walks } from "./index-walk.ts";
import { readListPage } from "./paging.ts";

const QUESTION_WALKS: Walks = { table: reachQuestion, indexes: [[reachQuestion.jobId]], words: [] };

export class PostgresReachDirectory extends OverDatabase implements ReachDirectory {
  pageQuestions(
    organizationId: string,
    { jobId }: { readonly jobId?: string | undefined },
    page: PageRequest,
  ): Promise<Page<Question>> {
    const filters = givenFilters([reachQuestion.jobId, jobId]);
    const list = filterWalk(QUESTION_WALKS, organizationId, filters);
    return readListPage<Question>({ database: this.database, organizationId }, list, page);
  }
}
