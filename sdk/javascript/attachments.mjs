/** Sends a file with a message, and shows the answer. */
import { ApiError, Troupe } from "./troupe.mjs";
const troupe = new Troupe({ baseUrl: process.env["TROUPE_URL"] ?? "", token: process.env["TROUPE_TOKEN"] ?? "" });
try {
    const agent = await troupe.createAgent({ name: "Ada", system_prompt: "Be brief." });
    const { workspaces } = await troupe.listWorkspaces();
    const chat = await troupe.createChat({ agent_id: agent.id, workspace_id: workspaces[0]?.id ?? "" });
    // An image or a PDF goes the same way; `type` is "image" for images. A file on disk is a `Blob`, from `openAsBlob`.
    const file = await troupe.createUpload(new Blob(["article,price\npen,7\n"]), { name: "prices.csv" });
    await troupe.sendMessage(chat.id, {
        content: [
            { type: "text", text: "What does a pen cost?" },
            { type: "file", source: { kind: "upload", file_id: file.id } },
        ],
    });
    for await (const event of troupe.streamChatEvents(chat.id, { replay: "all", wait: "end" }))
        if (event.event === "message.completed")
            console.log(`${file.media_type} – ${agent.name}: ${event.data.content}`);
}
catch (error) {
    if (!(error instanceof ApiError))
        throw error;
    console.error(`${error.code}: ${error.message} (request ${error.requestId})`);
    process.exitCode = 1;
}
