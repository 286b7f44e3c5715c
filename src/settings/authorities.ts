/** The authorities of the operator's own services (`EGRESS_CA_FILE`): a file of certificates in PEM. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { SettingsCheck } from "./settings.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of the file, in PEM; undefined without one. Throws where the file cannot be read. */
export const authoritiesOf = ({ egressCaFile }: { readonly egressCaFile?: string }): string | undefined =>
  egressCaFile === undefined ? undefined : readFileSync(egressCaFile, "utf8");

export const readableAuthorities: SettingsCheck = {
  reads: ["EGRESS_CA_FILE"],
  errors(config) {
    const error = (what: string) => [
      { variable: "EGRESS_CA_FILE", message: `names ${config.egressCaFile}, which ${what}` },
    ];
    try {
      const found = authoritiesOf(config);
      if (found === undefined) return [];
      const certificates = found.match(CERTIFICATE) ?? [];
      if (certificates.length === 0) return error("has no PEM certificate");
      return certificates.every(isAuthority) ? [] : error("has a certificate that is not a CA certificate");
    } catch {
      return error("cannot be read");
    }
  },
};

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
