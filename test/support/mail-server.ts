/** A mail server on loopback, with STARTTLS by the authority of the test: the protocol is real, the mailbox is a list. */
import { SMTPServer } from "smtp-server";
import type { CertificateAuthority } from "./certificates.ts";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came: headers and body. */
  readonly raw: string;
  /** The user who signed in, or "". */
  readonly user: string;
}

export interface MailServer {
  /** With a user and a password. */
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** What it answers to a mail; null: it takes it. */
  refuse: (mail: ReceivedMail, count: number) => { readonly code: number; readonly text: string } | null;
  /** Connections so far. */
  readonly connections: number;
  stop(): Promise<void>;
}

export async function startMailServer(
  authority: CertificateAuthority,
  { port = 0, mails = [] }: { readonly port?: number; readonly mails?: ReceivedMail[] } = {},
): Promise<MailServer> {
  const { cert, key } = authority.issue(["localhost"]);
  const state = { refuse: (() => null) as MailServer["refuse"], connections: 0 };
  const server = new SMTPServer({
    cert,
    key,
    authOptional: false,
    logger: false,
    onConnect(_session, done) {
      state.connections++;
      done();
    },
    onAuth({ username, password }, _session, done) {
      if (username === "troupe" && password === "pa:ss@word") done(null, { user: username });
      else done(new Error("wrong password"));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString("utf8"),
          user: String(session.user ?? ""),
        };
        const refused = state.refuse(mail, mails.length + 1);
        if (refused !== null) {
          done(Object.assign(new Error(refused.text), { responseCode: refused.code }));
          return;
        }
        mails.push(mail);
        done();
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const at = server.server.address();
  const opened = typeof at === "object" && at !== null ? at.port : 0;
  return {
    url: `smtp://troupe:${encodeURIComponent("pa:ss@word")}@localhost:${opened}`,
    mails,
    get connections() {
      return state.connections;
    },
    get refuse() {
      return state.refuse;
    },
    set refuse(refuse) {
      state.refuse = refuse;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The text part of a mail, decoded, and its headers in lower case. */
export function readMail({ raw }: ReceivedMail): {
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
} {
  const [head = "", ...rest] = raw.split("\r\n\r\n");
  const headers = new Map(
    head
      .replaceAll(/\r\n[ \t]+/g, " ")
      .split("\r\n")
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)] as const),
  );
  const boundary = /boundary="([^"]+)"/.exec(headers.get("content-type") ?? "")?.[1] ?? "";
  const parts = rest.join("\r\n\r\n").split(`--${boundary}`);
  const plain = parts.find((part) => /content-type: text\/plain/i.test(part)) ?? "";
  const [partHead = "", ...body] = plain.split("\r\n\r\n");
  const text = body.join("\r\n\r\n").trim();
  const encoding = /content-transfer-encoding: (\S+)/i.exec(partHead)?.[1]?.toLowerCase();
  return {
    headers,
    text:
      encoding === "quoted-printable"
        ? unquoted(text)
        : encoding === "base64"
          ? Buffer.from(text, "base64").toString("utf8")
          : text,
  };
}

const unquoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll("=\r\n", "")
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");
