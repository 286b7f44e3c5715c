/** Checks of settings that depend on each other. */
import type { Config, ConfigError, SettingsCheck } from "./settings.ts";

/** Replicas need a shared database and shared storage for files. */
export const replicaBesideDatabase: SettingsCheck = {
  reads: ["REPLICA_URL", "DATABASE_URL", "FILES_URL", "FILES_DIR"],
  errors({ replicaUrl, databaseUrl, filesUrl, filesDir }) {
    if (replicaUrl === undefined) return [];
    const errors: ConfigError[] = [];
    if (databaseUrl === undefined)
      errors.push({ variable: "DATABASE_URL", message: "is missing; replicas (REPLICA_URL) share a database" });
    if (filesUrl === undefined && filesDir === undefined)
      errors.push({
        variable: "FILES_URL",
        message: "or FILES_DIR is missing; replicas (REPLICA_URL) share their files",
      });
    return errors;
  },
};

type NamedSetting = readonly [variable: string, name: keyof Config];

/** Two settings of which one alone is of no use. */
const setTogether = (...both: readonly [NamedSetting, NamedSetting]): SettingsCheck => ({
  reads: both.map(([variable]) => variable),
  errors(config) {
    const missing = both.filter(([, name]) => config[name] === undefined);
    const message = `is missing; ${both.map(([variable]) => variable).join(" and ")} are set together`;
    return missing.length === 1 ? missing.map(([variable]) => ({ variable, message })) : [];
  },
});

/** Half of the credentials of S3 would be refused there, at the first file. */
export const wholeFilesKey = setTogether(
  ["FILES_ACCESS_KEY_ID", "filesAccessKeyId"],
  ["FILES_SECRET_ACCESS_KEY", "filesSecretAccessKey"],
);
/** A mail needs a server and a sender. */
export const wholeMail = setTogether(["SMTP_URL", "smtpUrl"], ["MAIL_FROM", "mailFrom"]);

/**
 * A partly configured provider cannot sign anybody in, and over http an attacker on the network could sign in as
 * anybody.
 */
export const wholeProvider: SettingsCheck = {
  reads: ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_NAME", "NODE_ENV"],
  errors({ oidcIssuer, oidcClientId, oidcClientSecret, oidcName, nodeEnv }) {
    const given = { OIDC_ISSUER: oidcIssuer, OIDC_CLIENT_ID: oidcClientId, OIDC_CLIENT_SECRET: oidcClientSecret };
    const missing = Object.entries(given).filter(([, value]) => value === undefined);
    const isAsked = missing.length < Object.keys(given).length || oidcName !== undefined;
    const message = "is missing; OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are set together";
    if (isAsked && missing.length > 0) return missing.map(([variable]) => ({ variable, message }));
    if (nodeEnv !== "production" || oidcIssuer === undefined || oidcIssuer.startsWith("https:")) return [];
    return [{ variable: "OIDC_ISSUER", message: "is not valid; in production it must be an https URL" }];
  },
};

/** A limit of cost needs prices: without them nothing has a cost. */
export const pricesOfBudget: SettingsCheck = {
  reads: ["MONTHLY_COST_BUDGET", "MODEL_PRICES", "MODEL_PROVIDERS"],
  errors: ({ monthlyCostBudget, modelPrices, provided }) =>
    monthlyCostBudget === undefined || modelPrices !== undefined || (provided?.prices ?? null) !== null
      ? []
      : [{ variable: "MODEL_PRICES", message: "is missing; MONTHLY_COST_BUDGET needs the prices of models" }],
};

/**
 * Refuses a key in the endpoint's URL. Headers over plain http can be read on the network too, but that is the
 * operator's decision.
 */
export const endpointWithoutKey: SettingsCheck = {
  reads: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
  errors({ otlpEndpoint }) {
    const url = otlpEndpoint === undefined ? null : URL.parse(otlpEndpoint);
    if (url === null || url.search + url.hash + url.username + url.password === "") return [];
    const message =
      "is not valid; it must have no query and no credentials: those belong in OTEL_EXPORTER_OTLP_HEADERS";
    return [{ variable: "OTEL_EXPORTER_OTLP_ENDPOINT", message }];
  },
};
