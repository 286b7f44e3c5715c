/** All operations of the current surface, by noun; the contract is made from them. */
import { agentOperations } from "./agents/operations.ts";
import { auditOperations } from "./audit/operations.ts";
import { chatOperations } from "./chats/operations.ts";
import { eventOperations } from "./events/operations.ts";
import { jobOperations } from "./jobs/operations.ts";
import { webhookOperations } from "./messaging-integration/operations.ts";
import { missionOperations } from "./missions/operations.ts";
import { modelOperations } from "./models/operations.ts";
import { overviewOperations } from "./overview/operations.ts";
import { memberOperations, sessionOperations } from "./people/operations.ts";
import { secretOperations } from "./secrets/operations.ts";
import { appStreamOperations, streamOperations } from "./streams/operations.ts";
import { taskOperations } from "./tasks/operations.ts";
import { tokenOperations } from "./tokens/operations.ts";
import { toolOperations } from "./tools/operations.ts";
import { uploadOperations } from "./uploads/operations.ts";
import { unfinishedOperations } from "./uploads/unfinished-operations.ts";
import { usageOperations } from "./usage/operations.ts";
import { appOperations } from "./workspaces/app-operations.ts";
import { fileOperations, shareOperations } from "./workspaces/file-operations.ts";
import { queryOperations } from "./workspaces/query-operations.ts";
import { repositoryOperations } from "./workspaces/repository-operations.ts";
import { workspaceOperations } from "./workspaces/operations.ts";

export const CURRENT_OPERATIONS = [
  agentOperations,
  chatOperations,
  jobOperations,
  streamOperations,
  appStreamOperations,
  uploadOperations,
  missionOperations,
  taskOperations,
  workspaceOperations,
  fileOperations,
  shareOperations,
  unfinishedOperations,
  queryOperations,
  repositoryOperations,
  appOperations,
  modelOperations,
  toolOperations,
  usageOperations,
  secretOperations,
  tokenOperations,
  sessionOperations,
  memberOperations,
  auditOperations,
  webhookOperations,
  eventOperations,
  overviewOperations,
] as const;
