// The loop as a handler of Restate, each call a step in its log.
import * as restate from "@restatedev/restate-sdk";
import { runAgent } from "./agent-loop.mjs";

// The SDK needs it, and Node 20 has not got it.
Promise.withResolvers ??= () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

const handlers = { run: (context, input) => runAgent(input, (name, call) => context.run(name, call)) };
restate.serve({ services: [restate.service({ name: "agent", handlers })], port: Number(process.env.PORT) });
