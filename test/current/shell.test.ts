/** The shell of agents: what a command sees, what of it is kept, and what it cannot do. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findShell, type Shell, type ShellResult } from "../../src/sandbox/shell.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

const HOSTS = ["packages.test"];
const { shell } = await findShell({ isPolite: false });
const LIMITS = { timeoutMs: 60_000, folderBytes: 4_000_000, memoryBytes: 2_000_000_000, outputBytes: 2_000 };

describe.skipIf(shell === null)("the sandbox of the shell", () => {
  const run = async (command: string, limits = LIMITS, signal = new AbortController().signal): Promise<ShellResult> => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-shell-"));
    writeFileSync(join(folder, "f"), "content");
    try {
      return await (shell as Shell).run(command, { folder, limits, signal });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  test("[WSP-16] a command sees its folder, and its output and exit code are reported", async () => {
    expect(await run("cat f; echo no >&2; exit 3")).toEqual({
      end: { kind: "exited", code: 3 },
      output: "contentno\n",
      isCut: false,
    });
  });

  test("[WSP-16] a command that the shell cannot read says so", async () => {
    const { end, output } = await run("echo '} ; (");
    expect([end.kind === "exited" && end.code > 0, output]).toEqual([
      true,
      expect.stringMatching(/unexpected|unterminated/i),
    ]);
  });

  test("[WSP-16] it has no network, no environment, no other process and no file of the service", async () => {
    const { output } = await run(
      "ls -A /; cat /proc/net/route | tail -n +2; env | cut -d= -f1 | sort; ls /proc | grep -c '^[0-9]'; " +
        `test -e ${process.cwd()} && echo SEEN; touch /usr/x 2>/dev/null && echo WRITTEN; cat /etc/passwd`,
    );
    expect(output).not.toMatch(/SEEN|WRITTEN|root:|eth0|home|DATABASE|SECRET/);
    expect(output).toContain("No such file or directory");
    const outside = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const reached = await run(
      `(exec 3<>/dev/tcp/127.0.0.1/${outside.port}) && echo REACHED`.replace(/^/, "bash -c '") + "'",
    );
    outside.stop(true);
    expect(reached.output).not.toContain("REACHED");
  });

  test("[WSP-16] its time, output, memory and written data are limited", async () => {
    expect((await run("sleep 600", { ...LIMITS, timeoutMs: 300 })).end).toEqual({ kind: "timeout" });
    const long = await run("yes | head -c 100000");
    expect([long.output.length, long.isCut]).toEqual([2_000, true]);
    expect((await run("dd if=/dev/zero of=/dev/null bs=2000M count=1")).output).toContain("memory exhausted");
    const large = await run("head -c 9000000 /dev/zero > big; ls -l big | tr -s ' ' | cut -d' ' -f5");
    expect(Number(/\d+$/m.exec(large.output)?.[0] ?? 0)).toBeLessThanOrEqual(LIMITS.folderBytes);
    const many = "i=0; while [ $i -lt 9 ]; do head -c 3000000 /dev/zero > b$i; i=$((i+1)); done; sleep 20";
    expect((await run(many)).end).toEqual({ kind: "too_large" });
    const stopping = new AbortController();
    const stopped = run("sleep 60", LIMITS, stopping.signal);
    stopping.abort();
    expect((await stopped).end).toEqual({ kind: "aborted" });
  });

  test("[WSP-16] it can write only to its folder and a limited amount of memory", async () => {
    const outside = 'for at in / /dev /run /usr /proc; do echo x > "$at/x" && echo "WRITTEN $at"; done; ';
    const full =
      'for at in /tmp /dev/shm; do n=0; while head -c 3000000 /dev/zero > "$at/$n"; do n=$((n+1)); done; done; ';
    const { output } = await run(`(${outside}${full}) 2>/dev/null; df -k --output=size /tmp /dev/shm | tail -n +2`);
    expect(output.trim().split(/\s+/)).toEqual(["65536", "65536"]);
  });

  test("[WSP-17] with a proxy its only network is the socket of the service", async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-shell-"));
    const path = join(folder, "proxy");
    const asked: string[] = [];
    const server = createServer((socket) => {
      socket.once("data", (head) => {
        asked.push(head.toString().split("\r\n")[0] ?? "");
        socket.end("HTTP/1.1 200 Connected\r\n\r\nthrough");
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const command =
      "bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; printf \"CONNECT a.test:443 HTTP/1.1\\r\\n\\r\\n\" >&3; cat <&3'; " +
      "env | grep -c _proxy; env | grep BUN; cat /proc/net/route | tail -n +2; exit 5";
    try {
      const signal = new AbortController().signal;
      const { output, end } = await (shell as Shell).run(command, { folder, limits: LIMITS, signal, proxy: path });
      expect(output).toBe("HTTP/1.1 200 Connected\r\n\r\nthrough2\n");
      expect(end).toEqual({ kind: "exited", code: 5 });
      expect(asked).toEqual(["CONNECT a.test:443 HTTP/1.1"]);
    } finally {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("[WSP-16] its child processes end with it", async () => {
    // With a child that it waited for it would come to its limit.
    const { output, end } = await run("sleep 600 & echo done");
    expect([output, end]).toEqual(["done\n", { kind: "exited", code: 0 }]);
  });
});

describe.skipIf(shell === null)("the tool", () => {
  let service: Service;
  let owner: Founded;
  let client: Client;
  beforeAll(async () => {
    service = await startService({
      settings: { shellHosts: HOSTS },
      resources: ({ folder }) => ({ shell: { shell: shell as Shell, hosts: HOSTS, root: join(folder, "shells") } }),
    });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    owner = await service.found();
    client = new Client(service, owner);
  });

  const at = (path: string): string => `${service.url}/api/workspaces/${owner.workspaceId}/files/content?path=${path}`;
  const headers = (): Record<string, string> => ({ authorization: `Bearer ${owner.token}` });
  const put = (path: string, body: string, type = "") =>
    fetch(at(path), { method: "PUT", headers: { ...headers(), "content-type": type }, body });
  const read = async (path: string): Promise<string> => {
    const answer = await fetch(at(path), { headers: headers() });
    return answer.status === 200 ? answer.text() : String(answer.status);
  };
  /** What the tool answers to an agent that may use it. */
  async function use(input: Json, tools: readonly string[] = ["shell"]): Promise<string> {
    service.model.script = ({ entries }) =>
      entries.some((entry) => entry.role === "assistant")
        ? [{ say: "done" }]
        : [{ use: { type: "tool_use", id: "call_1", name: "shell", input: input as never } }];
    const body = { name: "Coder", system_prompt: "Code.", allowed_tools: tools };
    const agent = await answered<Json>(client.call("POST", "/api/agents", body), 201);
    const chat = await client.chat(agent["id"] as string, owner.workspaceId);
    const { job } = await client.send(chat, "Go");
    await client.reached(job.id, "completed");
    return JSON.stringify(service.model.calls.at(-1)!.entries);
  }

  test("[WSP-16] changes of a command are applied to the workspace, once each", async () => {
    await put("src/a.txt", "one");
    await put("src/b.txt", "two");
    await put("src/c.txt", "three");
    await put("other.txt", "other");
    const command = "ls; sed -i s/one/1/ a.txt; rm b.txt; mkdir new; echo made > new/d.txt; ln -s /etc/passwd link";
    const told = await use({ command, path: "src" });
    expect(told).toContain("exit 0");
    expect(told).not.toContain("other.txt");
    expect(told).toContain("link: only files and directories are kept");
    expect(await Promise.all(["src/a.txt", "src/b.txt", "src/c.txt", "src/new/d.txt", "src/link"].map(read))).toEqual([
      "1",
      "404",
      "three",
      "made\n",
      "404",
    ]);
    const { events } = await client.get<{ events: Json[] }>("/api/events");
    const changed = events
      .filter(({ type, source }) => type === "workspace_file.changed" && source === "job_lifecycle")
      .map(({ data }) => `${String((data as Json)["path"])} ${String((data as Json)["change"])}`);
    expect(changed.toSorted()).toEqual(["src/a.txt updated", "src/b.txt deleted", "src/new/d.txt created"]);
  });

  test("[WSP-16] [WSP-3] a file that a command renames to another spelling stays", async () => {
    await put("docs/readme.md", "read me");
    await put("docs/notes.md", "notes");
    await put("docs/Sub/a.md", "a");
    const told = await use({
      command: "mv readme.md README.md; mv notes.md Notes.md; echo more >> Notes.md; mv Sub sub; echo b > sub/b.md",
      path: "docs",
    });
    expect(told).toContain(String.raw`\"not_kept\":[]`);
    const { files } = await client.get<{ files: Json[] }>(
      `/api/workspaces/${owner.workspaceId}/files?path=docs&recursive=true`,
    );
    // A directory keeps the name that it was made with.
    expect(files.map((file) => file["path"])).toEqual([
      "docs/Notes.md",
      "docs/README.md",
      "docs/Sub",
      "docs/Sub/a.md",
      "docs/Sub/b.md",
    ]);
    const paths = ["docs/README.md", "docs/Notes.md", "docs/Sub/a.md", "docs/Sub/b.md"];
    expect(await Promise.all(paths.map(read))).toEqual(["read me", "notesmore\n", "a", "b\n"]);
  });

  test("[WSP-16] a file that a command changes keeps its media type", async () => {
    await put("table", "a,b", "text/csv");
    await use({ command: "echo 1,2 >> table" });
    expect((await fetch(at("table"), { headers: headers() })).headers.get("content-type")).toBe("text/csv");
  });

  test("[WSP-16] a file can become a directory, and a directory a file", async () => {
    await put("a", "file");
    await put("b/c/d", "deep");
    const told = await use({ command: "rm a; mkdir a; echo in > a/x; rm -r b; echo file > b" });
    expect(told).toContain(String.raw`\"not_kept\":[]`);
    expect(await Promise.all(["a/x", "b"].map(read))).toEqual(["in\n", "file\n"]);
  });

  test("[WSP-17] a command reaches the hosts that the operator allows, and gets the reason for refused ones", async () => {
    const connect = (host: string) =>
      `bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; printf "CONNECT ${host}:443 HTTP/1.1\\r\\n\\r\\n" >&3; cat <&3'`;
    const told = await use({ command: `${connect("packages.test")}; ${connect("elsewhere.test")}` });
    expect(told).toContain("dns_error");
    expect(told).toContain("elsewhere.test:443 is not in SHELL_HOSTS");
    const { tools } = await client.get<{ tools: Json[] }>("/api/tools");
    expect(tools.find(({ name }) => name === "shell")?.["description"]).toContain("to these hosts: packages.test");
  });

  test("[WSP-16] failures and forbidden actions are reported to the model", async () => {
    expect(await use({ command: "echo broken >&2; exit 7" })).toMatch(/exit 7.*broken/);
    expect(await use({ command: "ls", path: "nowhere" })).toContain("is_error");
    expect(await use({ command: "ls", path: "../up" })).toContain("must not leave the workspace");
    expect(await use({ command: "sleep 9", timeout_seconds: 1 })).toContain("nothing that it changed was kept");
  });

  test("[WSP-16] [RUN-2] an agent without the tool in its list has no shell", async () => {
    await put("f", "x");
    expect(await use({ command: "rm f" }, [])).toContain("not allowed to use shell");
    expect(await read("f")).toBe("x");
  });
});

test("[WSP-16] without bubblewrap there is no shell", async () => {
  expect(await findShell({ program: "no-such-program" })).toEqual({ shell: null, why: "bubblewrap is not installed" });
});
