import { expect, test } from "bun:test";
import { redactedHost, redactedUrl } from "../../../actors/webhook/schema.ts";

test("[HOOK-9] a host is shown by its beginning and end, an IP address by its first and last part", () => {
  expect(redactedHost("https://hooks.example.com/x")).toBe("h***s.e***e.com");
  expect(redactedHost("https://localhost:8443/x")).toBe("l***t");
  expect(redactedHost("https://10.20.30.7:8443/x")).toBe("10.***.7");
  expect(redactedHost("https://[fd00:1::7]/x")).toBe("[fd00:***:7]");
  expect(redactedHost("https://[::1]/x")).toBe("[:***:1]");
  expect(redactedUrl("https://10.20.30.7/secret")).toBe("https://10.***.7");
});
