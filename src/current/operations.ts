/** All operations of the current surface, by noun, in the order of the contract: the mount and the contract read this list. */
import { operationGroup } from "../http/contract/operation.ts";
import { trialOperations } from "./agents/rule-trial.ts";
import { importOperations } from "./agents/importing.ts";
import { agentOperations } from "./agents/operations.ts";
import { agentReading } from "./agents/reading.ts";
import { auditOperations } from "./audit/operations.ts";
import { longChatOperations } from "./chats/long-chats.ts";
import { messageOperations } from "./chats/messages.ts";
import { chatOperations } from "./chats/operations.ts";
import { eventOperations } from "./events/operations.ts";
import { bulkOperations } from "./jobs/bulk.ts";
import { connectionOperations } from "./connections/operations.ts";
import { continuingOperations } from "./jobs/continuing.ts";
import { decisionOperations } from "./jobs/decisions.ts";
import { jobOperations } from "./jobs/operations.ts";
import { webhookOperations } from "./messaging-integration/operations.ts";
import { messengerOperations } from "./messengers/operations.ts";
import { missionOperations } from "./missions/operations.ts";
import { forecastOperations } from "./missions/forecasts.ts";
import { runOperations } from "./missions/runs.ts";
import { missionTaskOperations } from "./missions/tasks.ts";
import { modelOperations } from "./models/operations.ts";
import { overviewOperations } from "./overview/operations.ts";
import { memberOperations } from "./people/operations.ts";
import { sessionOperations } from "./people/sessions.ts";
import { groupOperations } from "./groups/operations.ts";
import { secretOperations } from "./secrets/operations.ts";
import { appStreamOperations, streamOperations } from "./streams/operations.ts";
import { taskOperations } from "./tasks/operations.ts";
import { tokenOperations } from "./tokens/operations.ts";
import { toolOperations } from "./tools/operations.ts";
import { uploadOperations } from "./uploads/operations.ts";
import { unfinishedOperations } from "./uploads/unfinished.ts";
import { usageOperations } from "./usage/operations.ts";
import { appOperations } from "./workspaces/apps.ts";
import { fileChangeOperations } from "./workspaces/file-changes.ts";
import { fileOperations } from "./workspaces/files.ts";
import { writeOperations } from "./workspaces/upload.ts";
import { queryOperations } from "./workspaces/queries.ts";
import { repositoryOperations } from "./workspaces/repositories.ts";
import { openShareOperations, shareOperations } from "./workspaces/shares.ts";
import { workspaceOperations } from "./workspaces/operations.ts";

export const CURRENT_OPERATIONS = [
  operationGroup(
    "Agents",
    "AI assistants: your own, and those of the library",
    agentReading,
    agentOperations,
    importOperations,
    trialOperations,
  ),
  operationGroup("Chats", "Durable conversations with an agent", chatOperations, messageOperations, longChatOperations),
  operationGroup(
    "Jobs",
    "Long-running work records",
    jobOperations,
    decisionOperations,
    continuingOperations,
    bulkOperations,
  ),
  operationGroup("Streams", "Server-sent events that resume where the connection broke", streamOperations),
  operationGroup("Embedded pages", "Streams for pages without a token", appStreamOperations),
  operationGroup("Uploads", "Files that messages refer to", uploadOperations),
  operationGroup(
    "Missions",
    "Recurring work for an agent, started by hand or by a schedule",
    missionOperations,
    forecastOperations,
    runOperations,
    missionTaskOperations,
  ),
  operationGroup("Tasks", "Work items, assigned to agents or to people", taskOperations),
  operationGroup("Workspaces", "Where the work of an organization happens", workspaceOperations),
  operationGroup(
    "Files",
    "Files and directories of a workspace",
    fileOperations,
    writeOperations,
    fileChangeOperations,
    shareOperations,
  ),
  operationGroup("Shares", "Files that anyone with the link can download, without a token", openShareOperations),
  operationGroup("Unfinished uploads", "Uploads in parts that are not finished", unfinishedOperations),
  operationGroup("Data", "Queries over the files of a workspace", queryOperations),
  operationGroup("Repositories", "Repositories whose files are in a workspace", repositoryOperations),
  operationGroup("Apps", "Directories of static files, served under addresses of their own", appOperations),
  operationGroup("Models", "The models that agents may use", modelOperations),
  operationGroup("Tools", "Tools that agents can use", toolOperations),
  operationGroup("Usage", "The organization's usage and budget", usageOperations),
  operationGroup("Groups", "Groups of members who may decide about tool calls", groupOperations),
  operationGroup("Secrets", "Write-only credentials for agents; for owners", secretOperations),
  operationGroup("Connections", "Access to tool servers that people have consented to", connectionOperations),
  operationGroup("Tokens", "Credentials: service tokens for owners, personal ones for all", tokenOperations),
  operationGroup("Sessions", "Browsers and programs that act as you", sessionOperations),
  operationGroup("Members", "People of the organization, and invitations to it", memberOperations),
  operationGroup("Audit", "Who signed in, and who made, used or revoked what", auditOperations),
  operationGroup("Webhooks", "The destination of events, and the delivery ledger", webhookOperations),
  operationGroup(
    "Messengers",
    "Where approvals reach people: chat programs, and the log of what was sent",
    messengerOperations,
  ),
  operationGroup("Events", "The event feed, by number", eventOperations),
  operationGroup("Insight", "State machines and invariants", overviewOperations),
];
