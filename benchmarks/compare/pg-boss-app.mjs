// A queue of jobs on the same PostgreSQL, to which a message is sent: what a queue acknowledges.
import http from "node:http";
import PgBoss from "pg-boss";

const boss = new PgBoss({ connectionString: process.env.DATABASE_URL, max: 16, supervise: false, schedule: false });
boss.on("error", () => {});
await boss.start();
await boss.createQueue("messages");
http
  .createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", async () => {
      if (request.method !== "POST") return response.end();
      const id = await boss.send("messages", JSON.parse(Buffer.concat(parts).toString()));
      response.end(JSON.stringify({ id }));
    });
  })
  .listen(Number(process.env.PORT), "127.0.0.1");
