// The loop without durability: what the provider, the tool and Node cost by themselves.
import { runAgent, serveAgent } from "./agent-loop.mjs";

serveAgent((input) => runAgent(input));
