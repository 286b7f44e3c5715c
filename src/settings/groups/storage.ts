/** Where data is kept. */
import { Type } from "../../../actors/schema.ts";
import { DEFAULT_WORKSPACE_LIMITS } from "../../../actors/workspace/limits.ts";
import { POSTGRES_URL_FORM } from "../setting-format.ts";
import { group, key, optionalSetting, setting, wholeNumber } from "../setting.ts";
import { MIB } from "../../../actors/units.ts";

export const STORAGE = group("Data", {
  dataDir: Type.String(
    setting({
      env: "DATA_DIR",
      default: ".troupe",
      format: "path",
      allowed: "a folder",
      about: "The folder of the secret, the embedded database, file contents and the notes of the first run.",
    }),
  ),
  databaseUrl: optionalSetting("DATABASE_URL", "postgres-url", {
    allowed: POSTGRES_URL_FORM,
    about: "A PostgreSQL 15 or newer. Several hosts need `?target_session_attrs=read-write`.",
    otherwise: "the embedded PostgreSQL",
  }),
  diskReserveMib: wholeNumber("DISK_RESERVE_MIB", 512, [0, 1_000_000_000], {
    allowed: "a whole number of MiB, or 0 for none",
    about:
      "Free space on the embedded database's disk, in MiB. Below it writes are refused (503 `storage_full`) and reads still work.",
  }),
  troupeSecret: Type.Optional(
    Type.Uint8Array(
      setting({
        env: "TROUPE_SECRET",
        secret: true,
        allowed: "32 bytes in base64 (openssl rand -base64 32)",
        about: "The key from which all others are derived. Required in production with `DATABASE_URL`.",
        otherwise: "made on the first run, in `DATA_DIR`",
      }),
    ),
  ),
  troupeOtherSecrets: Type.Optional(
    Type.Array(
      Type.String({ format: "service-key" }),
      setting({
        env: "TROUPE_OTHER_SECRETS",
        secret: true,
        allowed: "keys of 32 bytes in base64, separated by commas",
        about:
          "Further keys during a [change of the key](operations.md#change-the-key). They decrypt what was encrypted with them; nothing new is encrypted with them.",
      }),
    ),
  ),
  filesDir: optionalSetting("FILES_DIR", "path", {
    allowed: "a folder that all replicas share",
    about: "The folder of file contents. Several replicas need a shared one, or `FILES_URL`.",
    otherwise: "`files` in `DATA_DIR`",
  }),
  filesUrl: optionalSetting("FILES_URL", "s3-url", {
    allowed: "a URL such as s3://bucket/prefix?endpoint=https://s3.example&region=eu-1",
    about: "An S3 bucket, or one of a compatible store, for file contents.",
    otherwise: "the folder above",
  }),
  filesAccessKeyId: optionalSetting("FILES_ACCESS_KEY_ID", "word", {
    allowed: "a key without spaces",
    about: "The id of the access key for the bucket.",
  }),
  filesSecretAccessKey: key("FILES_SECRET_ACCESS_KEY", { about: "The secret access key for the bucket." }),
  fileMib: wholeNumber("FILE_MIB", DEFAULT_WORKSPACE_LIMITS.fileBytes / MIB, [1, 102_400], {
    allowed: "a whole number of MiB from 1 to 102400",
    about: "The size of the largest file, in MiB.",
  }),
  workspaceMib: wholeNumber("WORKSPACE_MIB", DEFAULT_WORKSPACE_LIMITS.workspaceBytes / MIB, [1, 1_048_576_000], {
    allowed: "a whole number of MiB from 1 to 1048576000",
    about: "The largest total size of a workspace's files, in MiB.",
  }),
  eventRetentionDays: wholeNumber("EVENT_RETENTION_DAYS", 90, [1, 3_650], {
    allowed: "a whole number of days from 1 to 3650",
    about: "How many days the events of a chat or a job are kept after its end.",
  }),
  sweepIntervalMinutes: wholeNumber("SWEEP_INTERVAL_MINUTES", 10, [1, 1_440], {
    allowed: "a whole number of minutes from 1 to 1440",
    about: "Minutes between two sweeps, which delete expired rows.",
  }),
});
