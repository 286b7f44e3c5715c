/** The counter for workerd, and its callers. Time there moves only with I/O, and in whole ms. */
import { DurableObject } from "cloudflare:workers";

export class Counter extends DurableObject {
  count = 0;

  constructor(state, env) {
    super(state, env);
    const { sql } = state.storage;
    sql.exec("create table if not exists counter (id integer primary key, count integer not null)");
    for (const row of sql.exec("select count from counter")) this.count = row.count;
  }

  add(by) {
    this.count += by;
    this.ctx.storage.sql.exec(
      "insert into counter values (1, ?) on conflict (id) do update set count = excluded.count",
      this.count,
    );
    return this.count;
  }
}

const WARM_UP = 0.25;

export default {
  async fetch(request, env) {
    const query = new URL(request.url).searchParams;
    const [callers, keys, seconds] = ["callers", "keys", "seconds"].map((name) => Number(query.get(name)));
    const counters = Array.from({ length: keys }, (_, key) => env.COUNTERS.get(env.COUNTERS.idFromName(`key-${key}`)));
    const from = Date.now() + seconds * 1_000 * WARM_UP;
    const end = from + seconds * 1_000;
    const latencies = [];
    let all = 0;
    const loop = async (caller) => {
      for (let key = caller % keys; Date.now() < end; key = (key + callers) % keys) {
        const sent = Date.now();
        await counters[key].add(1);
        all++;
        if (sent >= from) latencies.push(Date.now() - sent);
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, caller) => loop(caller)));
    latencies.sort((a, b) => a - b);
    const at = (fraction) => (latencies[Math.floor(latencies.length * fraction)] ?? 0) * 1_000;
    return Response.json({ all, perSecond: latencies.length / seconds, p50Us: at(0.5), p99Us: at(0.99) });
  },
};
