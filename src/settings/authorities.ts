/** The authorities of the operator's own services (`EGRESS_CA_FILE`, `SMTP_CA_FILE`): a file of certificates in PEM. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config, SettingsCheck } from "./settings.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of the file, in PEM; undefined without one. Throws where the file cannot be read. */
export const authoritiesOf = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : readFileSync(file, "utf8");

const certificateFile = (variable: string, fileOf: (config: Partial<Config>) => string | undefined): SettingsCheck => ({
  reads: [variable],
  errors(config) {
    const file = fileOf(config);
    const error = (what: string) => [{ variable, message: `names ${file}, which ${what}` }];
    try {
      const found = authoritiesOf(file);
      if (found === undefined) return [];
      const certificates = found.match(CERTIFICATE) ?? [];
      if (certificates.length === 0) return error("has no PEM certificate");
      return certificates.every(isAuthority) ? [] : error("has a certificate that is not a CA certificate");
    } catch {
      return error("cannot be read");
    }
  },
});

export const readableAuthorities: readonly SettingsCheck[] = [
  certificateFile("EGRESS_CA_FILE", ({ egressCaFile }) => egressCaFile),
  certificateFile("SMTP_CA_FILE", ({ smtpCaFile }) => smtpCaFile),
];

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
