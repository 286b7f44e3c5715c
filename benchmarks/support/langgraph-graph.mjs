// The agent of the LangGraph dev server: one node that streams the answer of the same fake model.
import { AIMessage } from "@langchain/core/messages";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";

async function answer({ messages }, config) {
  const response = await fetch(`${process.env.PROVIDER_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "fake-model",
      stream: true,
      messages: messages.map(({ content }) => ({ role: "user", content })),
    }),
  });
  const decoder = new TextDecoder();
  let [text, rest] = ["", ""];
  for await (const bytes of response.body) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      if (frame === "data: [DONE]") continue;
      const piece = JSON.parse(frame.slice("data: ".length)).choices[0]?.delta?.content ?? "";
      if (piece !== "") config.writer?.(piece);
      text += piece;
    }
  }
  return { messages: [new AIMessage(text)] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("answer", answer)
  .addEdge("__start__", "answer")
  .addEdge("answer", "__end__")
  .compile();
