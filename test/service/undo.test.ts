import { expect, test } from "bun:test";
import { Interrupted, Undo, unlessAborted } from "../../src/service/undo.ts";

test("[START-32] parts are ended in reverse order of their start, each once", async () => {
  const done: string[] = [];
  const undo = new Undo();
  for (const name of ["folder", "database", "port"]) undo.add(() => void done.push(name));
  await Promise.all([undo.run(), undo.run()]);
  expect(done).toEqual(["port", "database", "folder"]);
});

test("[START-43] a part that cannot be ended does not prevent the others from ending", async () => {
  const done: string[] = [];
  const undo = new Undo();
  undo.add(() => void done.push("folder"));
  undo.add(() => Promise.reject(new Error("no database")));
  undo.add(() => void done.push("port"));
  await expect(undo.run()).rejects.toThrow("no database");
  expect(done).toEqual(["port", "folder"]);

  for (const name of ["one", "two"]) undo.add(() => Promise.reject(new Error(name)));
  const failed = await undo.run().catch((cause: unknown) => cause);
  expect((failed as AggregateError).errors).toEqual([new Error("two"), new Error("one")]);
});

test("[START-38] work is abandoned at the signal, and its later failure has no effect", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
  await expect(unlessAborted(Promise.reject(new Error("own")), signal)).rejects.toThrow("own");
  const interruption = new AbortController();
  const work = Promise.withResolvers<never>();
  const outcome = unlessAborted(work.promise, interruption.signal);
  interruption.abort(new Interrupted("SIGTERM"));
  await expect(outcome).rejects.toThrow(new Interrupted("SIGTERM"));
  work.reject(new Error("too late"));
  await expect(unlessAborted(new Promise(() => {}), interruption.signal)).rejects.toThrow(Interrupted);
});
