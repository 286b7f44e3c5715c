/** The Python SDK and its examples under the strictest checks of mypy. */
import { expect, test } from "bun:test";

test.skipIf(Bun.which("mypy") === null)(
  "[DOC-3] the Python SDK and its examples are clean under mypy --strict",
  async () => {
    const mypy = Bun.spawn(
      [
        "mypy",
        "--strict",
        "--cache-dir=/dev/null",
        "troupe.py",
        "conversation.py",
        "webhook.py",
        "http_tool.py",
        "attachments.py",
      ],
      { cwd: new URL("../../sdk/python", import.meta.url).pathname, stdout: "pipe", stderr: "pipe" },
    );
    expect(await new Response(mypy.stdout).text()).toBe("Success: no issues found in 5 source files\n");
    expect(await mypy.exited).toBe(0);
  },
);
