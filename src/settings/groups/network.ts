/** Where the service listens, how it is reached, and what it may reach. */
import { Type } from "../../../actors/schema.ts";
import { group, list, optionalSetting, port, setting } from "../setting.ts";

const HOST_SETTING = { default: "127.0.0.1", format: "host", allowed: "an IP address or a host name to listen on" };

export const ADDRESS_SETTINGS = group("Addresses", {
  port: port("PORT", { default: 3000, about: "The port of the API, the pages and MCP." }),
  host: Type.String(
    setting({ ...HOST_SETTING, env: "HOST", about: "The address to listen on. `0.0.0.0` means every interface." }),
  ),
  adminPort: Type.Optional(
    port("ADMIN_PORT", {
      about: "The port where Prometheus reads `/metrics`. Without it, no metrics are collected.",
      otherwise: "no metrics",
    }),
  ),
  adminHost: Type.String(
    setting({ ...HOST_SETTING, env: "ADMIN_HOST", about: "The address on which `ADMIN_PORT` listens." }),
  ),
  appUrl: optionalSetting("APP_URL", "base-url", {
    allowed: "an http or https URL like https://a.example or https://a.example/troupe",
    about: "The address at which users reach the service. If a proxy strips a path, it is part of the address.",
    otherwise: "from `HOST` and `PORT`",
  }),
  appsUrl: optionalSetting("APPS_URL", "apps-origin", {
    allowed: "an http or https URL without a path, such as https://*.apps.example",
    about:
      "Where [apps of workspaces](guides/files.md#apps) are served. With `https://*.apps.example` each app has an origin of its own; with `https://apps.example` all apps share one.",
    otherwise: "the service itself",
  }),
  corsOrigins: list("CORS_ORIGINS", "origin", {
    allowed: "origins whose pages may use the API, such as https://console.example, separated by commas",
    about: "Origins whose pages may use the API from a browser.",
  }),
  trustedProxies: list("TRUSTED_PROXIES", "network", {
    allowed: "IP addresses and CIDR ranges, separated by commas",
    about: "Proxies whose `X-Forwarded-For` is trusted.",
  }),
});

export const NETWORK = group("Outbound requests", {
  egressAllow: list("EGRESS_ALLOW", "host-or-network", {
    allowed:
      "host names, IP addresses, CIDR ranges and origins such as http://tools.internal:8080, separated by commas",
    about:
      "Hosts, addresses and CIDR ranges that are not public and that web fetch, MCP servers and webhooks may still reach; outside production also over plain http. An origin (`http://tools.internal:8080`) allows exactly that, in production too.",
  }),
  egressCaFile: optionalSetting("EGRESS_CA_FILE", "path", {
    allowed: "a PEM file with CA certificates",
    about: "CA certificates, in PEM, that are trusted for hosts in `EGRESS_ALLOW`.",
  }),
  shellHosts: list("SHELL_HOSTS", "host-rule", {
    allowed:
      "host names, *.name for all below one, or * for every public host, each with an optional :port, separated by commas",
    about:
      "Hosts that commands of agents may reach, by https only: `registry.npmjs.org`, `*.example.com` for all below it, `*` for every public host. The port is 443 unless the entry has one (`git.example:8443`).",
  }),
});
