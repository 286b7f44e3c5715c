/** The program that the conformance suite runs: it has the service of the test run a job with the suite's server. */
const address = process.argv.at(-1) ?? "";
const answer = await fetch(process.env["CONFORMANCE_SERVICE"] ?? "", {
  method: "POST",
  body: JSON.stringify({ url: address, context: JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") }),
});
console.log(await answer.text());
process.exit(answer.ok ? 0 : 1);

export {};
