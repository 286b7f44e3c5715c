/**
 * The tools of the MCP endpoint (MCP-3), as data. A tool is an operation of the contract under a name for models:
 * its arguments are the path, the query, the body and the `If-Match` of that operation, so that they cannot drift
 * (`tool-schema.ts`), and a call runs the operation itself (`tool-call.ts`).
 */

/** How a tool's arguments differ from the input of its operation. */
export interface ToolSpec {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For models: what it does, when to use it, and what comes next. */
  readonly description: string;
  /** The id of the operation. */
  readonly operation: string;
  /** Arguments that have another name than in the operation. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Fields of the operation that the tool leaves out. */
  readonly left?: readonly string[];
  /** Answers the record of this operation instead of its own; the tool then needs its scope too. */
  readonly answersAs?: string;
  /** `workspace_id` is optional: it defaults to the workspace that the person has selected. */
  readonly selectsWorkspace?: true;
  /** How the tool runs, if its answer is not the operation's. */
  readonly runs?: "wait" | "execute" | "read_file" | "write_file";
  /** Its answer is a job, which clients that show pages can show as one (MCP-8). */
  readonly showsJob?: true;
  /** It may replace or end something. */
  readonly isDestructive?: true;
  /** A second call with the same arguments changes nothing more. */
  readonly isIdempotent?: true;
  /** It starts work that reaches external systems: an agent's model and tools. */
  readonly isOpenWorld?: true;
}

const AGENT_ARGUMENT = { renamed: { id: "agent_id" } } as const;
const CHAT = { renamed: { id: "chat_id" } } as const;
const JOB_ARGUMENT = { renamed: { id: "job_id" } } as const;
const MISSION = { renamed: { id: "mission_id" } } as const;
const WORKSPACE_ARGUMENT = { renamed: { id: "workspace_id" }, selectsWorkspace: true } as const;

/** In the order of the list. */
export const TOOLS: readonly ToolSpec[] = [
  {
    name: "list_agents",
    title: "List agents",
    description: "Lists the agents that you can execute, newest first. Start here to find an agent_id.",
    operation: "listAgents",
  },
  {
    name: "create_agent",
    title: "Create an agent",
    description:
      "Creates an agent from a name and a system prompt. Only its creator sees it unless visibility says otherwise.",
    operation: "createAgent",
    left: ["approval_reach", "approval_rules"],
  },
  {
    name: "update_agent",
    title: "Update an agent",
    description: "Changes the given fields of an agent; omitted fields stay as they are.",
    operation: "updateAgent",
    left: ["approval_reach", "approval_rules"],
    ...AGENT_ARGUMENT,
    isDestructive: true,
    isIdempotent: true,
  },
  {
    name: "execute_agent",
    title: "Execute an agent",
    description:
      "Sends an agent a message in a new chat and waits for its answer, up to wait_seconds. If the work takes longer, the result has the job that continues: call wait_for_job with its job_id. Use send_message to continue the chat afterwards.",
    operation: "executeAgent",
    showsJob: true,
    left: ["call_key"],
    runs: "execute",
    answersAs: "getJob",
    selectsWorkspace: true,
    isOpenWorld: true,
  },
  {
    name: "list_chats",
    title: "List chats",
    description: "Lists conversations with agents, newest first. Filters are combined with AND.",
    operation: "listChats",
  },
  {
    name: "create_chat",
    title: "Create a chat",
    description:
      "Opens an empty conversation with an agent. Then call send_message. For a single question use execute_agent.",
    operation: "createChat",
    selectsWorkspace: true,
  },
  {
    name: "send_message",
    title: "Send a message",
    description:
      "Sends a message to the agent of a chat. Returns at once with the job that answers: call wait_for_job with the id of that job.",
    operation: "sendMessage",
    left: ["model_settings"],
    ...CHAT,
    isOpenWorld: true,
  },
  {
    name: "read_chat",
    title: "Read a chat",
    description: "Reads the messages of a chat, the newest page first, with a summary of its work.",
    operation: "listMessages",
    ...CHAT,
  },
  {
    name: "list_jobs",
    title: "List jobs",
    description:
      "Lists long-running work, newest first. Jobs with status=needs_review or status=blocked wait for a person.",
    operation: "listJobs",
  },
  {
    name: "get_job",
    title: "Read a job",
    description:
      "Reads a job once: status, result, waiting approvals, and the actions that it allows (allowed_actions).",
    operation: "getJob",
    ...JOB_ARGUMENT,
    left: ["since_version", "wait"],
    showsJob: true,
  },
  {
    name: "wait_for_job",
    title: "Wait for a job",
    description:
      "Waits until a job has ended or needs a person, up to wait_seconds, and returns it. While its status is queued, running or cancelling, call it again.",
    operation: "getJob",
    ...JOB_ARGUMENT,
    left: ["since_version", "wait"],
    runs: "wait",
    showsJob: true,
  },
  {
    name: "approve_job",
    title: "Approve or deny",
    description:
      "Approves a job's result, or approves or denies (decision=deny) the tool calls that it waits for. Ask the person before you decide for them.",
    operation: "approveJob",
    ...JOB_ARGUMENT,
    isDestructive: true,
    isOpenWorld: true,
  },
  {
    name: "cancel_job",
    title: "Cancel a job",
    description: "Stops a job. With wait it returns when the job has stopped.",
    operation: "cancelJob",
    ...JOB_ARGUMENT,
    isDestructive: true,
    isIdempotent: true,
  },
  {
    name: "resume_job",
    title: "Resume a job",
    description: "Continues a blocked job, or a failed or cancelled one in a new job. Then call wait_for_job.",
    operation: "resumeJob",
    ...JOB_ARGUMENT,
    isOpenWorld: true,
  },
  {
    name: "iterate_job",
    title: "Request changes",
    description:
      "Asks for another round of a finished job, with feedback. Returns the new job: call wait_for_job with its id.",
    operation: "iterateJob",
    ...JOB_ARGUMENT,
    isOpenWorld: true,
  },
  {
    name: "list_missions",
    title: "List missions",
    description: "Lists recurring work, newest first. Filters are combined with AND.",
    operation: "listMissions",
  },
  {
    name: "create_mission",
    title: "Create a mission",
    description:
      "Creates work that an agent repeats on a schedule, or that is started by run_mission if there is no schedule.",
    operation: "createMission",
    left: ["model_settings"],
    isOpenWorld: true,
  },
  {
    name: "update_mission",
    title: "Update a mission",
    description:
      "Changes the given fields of a mission. status=paused pauses it, pending resumes it, running runs it now.",
    operation: "updateMission",
    left: ["model_settings"],
    ...MISSION,
    isDestructive: true,
    isIdempotent: true,
    isOpenWorld: true,
  },
  {
    name: "run_mission",
    title: "Run a mission",
    description: "Runs a mission now. Call wait_for_job with the id of the job, if the result has one.",
    operation: "runMission",
    ...MISSION,
    isOpenWorld: true,
  },
  {
    name: "add_mission_task",
    title: "Add a task",
    description: "Adds a task to a mission. start_mission_task starts work on it.",
    operation: "addMissionTask",
    ...MISSION,
  },
  {
    name: "start_mission_task",
    title: "Start a task",
    description: "Starts work on a task of a mission; if a job is already active, returns that job.",
    operation: "startMissionTask",
    renamed: { id: "mission_id", taskId: "task_id" },
    isIdempotent: true,
    isOpenWorld: true,
  },
  {
    name: "list_files",
    title: "List files",
    description:
      "Lists files and directories of a workspace, sorted by path. recursive=true includes everything below.",
    operation: "listFiles",
    ...WORKSPACE_ARGUMENT,
  },
  {
    name: "read_file",
    title: "Read a file",
    description:
      "Reads a file of a workspace: text as text, an image as an image, other content as Base64. Returns at most length bytes from offset; continue at next_offset.",
    operation: "readFile",
    ...WORKSPACE_ARGUMENT,
    runs: "read_file",
  },
  {
    name: "write_file",
    title: "Write a file",
    description:
      "Writes a file of a workspace, from text or Base64. Creates missing directories. Replaces an existing file and keeps its content as a version.",
    operation: "writeFile",
    ...WORKSPACE_ARGUMENT,
    runs: "write_file",
    isDestructive: true,
    isIdempotent: true,
  },
  {
    name: "move_file",
    title: "Move a file",
    description: "Moves or renames a file or directory of a workspace.",
    operation: "moveFile",
    ...WORKSPACE_ARGUMENT,
    isDestructive: true,
  },
  {
    name: "share_file",
    title: "Share a file",
    description: "Creates a public URL of a file: anyone with the URL can download the file without a token.",
    operation: "shareFile",
    ...WORKSPACE_ARGUMENT,
    isOpenWorld: true,
  },
  {
    name: "query_data",
    title: "Query files",
    description:
      "Runs one SELECT over CSV, JSON, Parquet or SQLite files of a workspace, such as SELECT region, sum(amount) FROM 'reports/sales.csv' GROUP BY region.",
    operation: "queryData",
    ...WORKSPACE_ARGUMENT,
    left: ["format"],
  },
  {
    name: "compact_chat",
    title: "Compact a chat",
    description:
      "Starts a job that summarizes a long chat. From then on the agent gets the summary instead of the older messages, which stay readable. Call wait_for_job with the id of that job. Long chats are compacted automatically.",
    operation: "compactChat",
    ...CHAT,
    isOpenWorld: true,
  },
  {
    name: "fork_chat",
    title: "Fork a chat",
    description:
      "Copies a chat up to an earlier message into a new chat; the chat itself stays as it is. With content, which replaces that message of a user, the agent answers in the new chat: call wait_for_job with the id of the job. Take from_message_id from read_chat.",
    operation: "forkChat",
    ...CHAT,
    isOpenWorld: true,
  },
  {
    name: "pin_message",
    title: "Pin a message",
    description:
      "Pins a message of a chat, so that the agent still gets it unchanged after the chat is compacted; pinned=false unpins it. A chat can have at most 20.",
    operation: "updateMessage",
    ...CHAT,
    isIdempotent: true,
  },
];

/** Seconds that a call waits for a job: default and maximum. Clients give up after a minute. */
export const WAIT_SECONDS = { default: 45, most: 300 } as const;
/** Bytes of a file that one call reads: default and maximum. */
export const READ_BYTES = { default: 64 * 1024, most: 512 * 1024 } as const;
