/** Has a conversation with an agent, and shows its answer while it is written. */
import { ApiError, LiveText, Troupe } from "./troupe.mjs";
const troupe = new Troupe({ baseUrl: process.env["TROUPE_URL"] ?? "", token: process.env["TROUPE_TOKEN"] ?? "" });
try {
    const agent = await troupe.createAgent({ name: "Ada", system_prompt: "Be brief." });
    const { workspaces } = await troupe.listWorkspaces();
    const chat = await troupe.createChat({ agent_id: agent.id, workspace_id: workspaces[0]?.id ?? "" });
    await troupe.sendMessage(chat.id, { content: "Hello" });
    // The stream ends with the agent's turn. Where it is cut, it goes on by itself.
    const live = new LiveText();
    for await (const event of troupe.streamChatEvents(chat.id, { replay: "all", wait: "end" })) {
        if (event.event === "message.delta")
            console.log(`… ${live.apply(event)}`);
        if (event.event === "message.completed")
            console.log(`${agent.name}: ${event.data.content}`);
    }
}
catch (error) {
    if (!(error instanceof ApiError))
        throw error;
    console.error(`${error.code}: ${error.message} (request ${error.requestId})`);
    process.exitCode = 1;
}
