/** The error codes as the documents explain them. */
import { errorUrl } from "../http/contract/error-page.ts";
import type { Shown } from "../http/contract/operation.ts";
import type { Services } from "../operations/services.ts";
import type { AgentReadiness } from "./schema.ts";

/** One code, as the documents show it. */
export type ExplainedError = Shown<typeof AgentReadiness>["errors"]["codes"][number];

/** The explained codes, with the addresses of their explanations. */
export const explainedErrors = ({ facts, appUrl }: Services): readonly ExplainedError[] =>
  Object.entries(facts.errorCodes).map(([code, { status, meaning, remedy }]) => ({
    code,
    status,
    meaning,
    remedy,
    url: errorUrl(appUrl(), code),
  }));
