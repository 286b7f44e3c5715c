/** The Python SDK, its examples, and what programs write with it, under the strictest checks of mypy. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SDK = new URL("../../sdk/python", import.meta.url).pathname;
const EXAMPLES = ["conversation.py", "webhook.py", "http_tool.py", "attachments.py"];

/** Reads what a union of events, a table and a new secret have, without a cast. */
const PROGRAM = `
from troupe import DataColumn, FilePreview, LiveText, Troupe

troupe = Troupe("http://127.0.0.1:3000")


def last_cursor(chat_id: str, job_id: str) -> str | None:
    cursor: str | None = None
    live = LiveText()
    for event in troupe.stream_chat_events(chat_id):
        cursor = event.get("id") or cursor
        text: str | None = live.apply(event)
        if text is not None:
            print(text)
    for job_event in troupe.stream_job_events(job_id):
        cursor = job_event.get("id") or cursor
    return cursor


def titled(columns: list[DataColumn]) -> str:
    return ", ".join(f"{column['name']} {column['type']}" for column in columns)


def tables(workspace_id: str, preview: FilePreview) -> list[str]:
    return [titled(troupe.query_data(workspace_id, {"query": "SELECT 1"})["columns"]), titled(preview["table"]["columns"])]


def rotated(workspace_id: str) -> str:
    troupe.write_file(workspace_id, "# Title", path="title.md")
    return troupe.rotate_signing_secret()["secret"]
`;

test.skipIf(Bun.which("mypy") === null)(
  "[DOC-3] the Python SDK, its examples and a program over it are clean under mypy --strict",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-mypy-"));
    const program = join(folder, "program.py");
    await Bun.write(program, PROGRAM);
    const mypy = Bun.spawn(["mypy", "--strict", "--cache-dir=/dev/null", "troupe.py", ...EXAMPLES, program], {
      cwd: SDK,
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await new Response(mypy.stdout).text()).toBe("Success: no issues found in 6 source files\n");
    expect(await mypy.exited).toBe(0);
    rmSync(folder, { recursive: true });
  },
);
