import { expect, test } from "bun:test";
import { answerAlone } from "../../src/admin/door.ts";
import {
  AdminRefused,
  integer,
  parseAdmin,
  requiredOption,
  renderTable,
  unknownCommand,
} from "../../src/admin/arguments.ts";

test("[START-52] a command is recognized wherever its options are", () => {
  const { command, given } = parseAdmin(["user", "--email", "a@b.test", "add", "--owner", "--name=Ann Lee"]);
  expect(command).toBe("user add");
  expect(given).toEqual({ options: { email: "a@b.test", name: "Ann Lee" }, flags: new Set(["owner"]) });
  expect(parseAdmin([])).toEqual({ command: "", given: { options: {}, flags: new Set() } });
});

test.each([[["--nothing"]], [["--name"]], [["--owner=yes"]], [["--email", "--owner"]]])(
  "[START-52] %p is refused",
  (argv) => {
    expect(() => parseAdmin(argv)).toThrow(AdminRefused);
  },
);

test("[START-52] a wrong option or command is one line with the near name", () => {
  const message = (...argv: string[]): string => {
    try {
      return parseAdmin(argv).command;
    } catch (cause) {
      return (cause as Error).message;
    }
  };
  expect(message("user", "add", "--emial", "a@b.test")).toBe("Unknown option --emial; did you mean `--email`?");
  expect(message("--nothing-like-it")).toBe("Unknown option --nothing-like-it; `bun run admin --help` lists all");
  expect(message("user", "add", "--email", "--owner")).toBe("--email needs a value");
  expect(message("user", "add", "--owner=yes")).toBe("--owner takes no value");
  expect(unknownCommand("org lst", ["org list", "user add"])).toBe(
    'Unknown command "org lst"; did you mean `org list`?',
  );
  const tokens = ["token create", "token list", "user add"];
  for (const part of ["token", "token dance"])
    expect(unknownCommand(part, tokens)).toBe(`Unknown command "${part}"; there are \`token create\`, \`token list\``);
  expect(unknownCommand("dance", ["org list"])).toBe('Unknown command "dance"; `bun run admin --help` lists all');
});

const given = (options: Record<string, string>) => ({ options, flags: new Set<string>() });

test("[START-52] required options must be present and not blank", () => {
  expect(requiredOption(given({ name: " Ann " }), "name")).toBe("Ann");
  for (const options of [{}, { name: "" }, { name: "  " }]) {
    expect(() => requiredOption(given(options), "name")).toThrow("--name is missing");
  }
});

test("[AUTH-1] days are whole and within their bounds, 90 unless given", () => {
  const days = (text?: string): number =>
    integer(given(text === undefined ? {} : { days: text }), "days", { fallback: 90, min: 7, max: 365 });
  expect([days(), days("7"), days("365")]).toEqual([90, 7, 365]);
  for (const text of ["6", "366", "7.5", "-7", "week", "1e2", "0x10", "", " "])
    expect(() => days(text)).toThrow("from 7 to 365");
});

test("[START-51] a table has columns as wide as their widest cell, and controls no terminal", () => {
  expect(
    renderTable(
      ["ID", "NAME"],
      [
        ["1", "Ann"],
        ["22", "日本"],
        ["3", "a\x1b[2J\nb"],
      ],
    ),
  ).toBe(["ID  NAME", "1   Ann", "22  日本", "3   a [2J b"].join("\n"));
  expect(renderTable(["A", "B"], [["日本日本日", "y"]])).toBe("A           B\n日本日本日  y");
  expect(renderTable(["ID"], [])).toBe("ID");
});

test("[START-52] an option that the command does not take is refused, not ignored", () => {
  const answer = (...argv: string[]) => answerAlone(parseAdmin(argv));
  expect(answer("jobs", "cancel", "--id", "agt_1")).toEqual({
    ok: false,
    text: "`jobs cancel` takes no --id; `jobs cancel --help` lists its options",
  });
  expect(answer("token", "create", "--owner")?.ok).toBe(false);
  expect(answer("jobs", "cancel", "--agent", "agt_1", "--json")).toBeNull();
});
