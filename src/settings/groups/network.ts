/** Settings for outgoing requests. */
import { group, list, optionalSetting } from "../setting.ts";

export const NETWORK = group("Outbound requests", {
  egressAllow: list("EGRESS_ALLOW", "host-or-network", {
    allowed:
      "host names, IP addresses, CIDR ranges and origins such as http://tools.internal:8080, separated by commas",
    about:
      "Hosts, addresses and CIDR ranges that are not public and that web fetch, MCP servers and webhooks may still reach; outside production also over plain http. An origin (`http://tools.internal:8080`) allows exactly that, in production too.",
  }),
  egressCaFile: optionalSetting("EGRESS_CA_FILE", "path", {
    allowed: "a file with certificates of authorities, in PEM",
    about: "Certificates of authorities, in PEM, that are trusted for hosts in `EGRESS_ALLOW`.",
  }),
  shellHosts: list("SHELL_HOSTS", "host-rule", {
    allowed:
      "host names, *.name for all below one, or * for every public host, each with an optional :port, separated by commas",
    about:
      "Hosts that commands of agents may reach, by https only: `registry.npmjs.org`, `*.example.com` for all below it, `*` for every public host. The port is 443 unless the entry has one (`git.example:8443`).",
  }),
});
