/** The SDKs as they are committed, and what is said of them (DOC-3). Their bytes are read by the first request. */
import { ok, type Outcome } from "../../actors/fault.ts";
import { API_VERSION } from "../http/api-version.ts";
import { PublicDocument, TEXT_FORM } from "../http/document.ts";
import type { Shown } from "../http/operation.ts";
import type { Visit } from "../http/surface.ts";
import type { PublicParts } from "./parts.ts";
import type { SdkExamples, SdkManifest } from "./sdk-schema.ts";

type Language = "typescript" | "python";

interface Source {
  /** The name to keep it under. */
  readonly file: string;
  readonly path: string;
  readonly requires: string;
  /** What runs an example, before its file's name. */
  readonly run: string;
  /** Programs beside it, with what they do. */
  readonly examples: Readonly<Record<string, string>>;
}

const SOURCES: Readonly<Record<Language, Source>> = {
  typescript: {
    file: "troupe.ts",
    path: "/api/sdk/typescript",
    requires: "`fetch` and Web Crypto: Node 20, Bun, Deno, a browser",
    run: "bun",
    examples: { "conversation.ts": "Have a conversation", "webhook.ts": "Receive webhooks" },
  },
  python: {
    file: "troupe.py",
    path: "/api/sdk/python",
    requires: "Python 3.11",
    run: "python3",
    examples: { "conversation.py": "Have a conversation", "webhook.py": "Receive webhooks" },
  },
};
const LANGUAGES = Object.keys(SOURCES) as readonly Language[];
const FOLDER = new URL("../../sdk/", import.meta.url);

/** The handlers of the SDKs' operations. */
export function sdkHandlers(parts: PublicParts) {
  const serve = (make: () => Promise<PublicDocument>) => {
    let made: Promise<PublicDocument> | null = null;
    return async (visit: Visit): Promise<Outcome<Response>> => ok((await (made ??= make())).answer(visit));
  };
  return {
    getTypeScriptSdk: serve(() => source("typescript")),
    getPythonSdk: serve(() => source("python")),
    getSdkManifest: serve(async () => PublicDocument.json(await manifest(parts))),
    getSdkExamples: serve(async () => PublicDocument.json(await examples(parts))),
  };
}

const bytesOf = (language: Language): Promise<Uint8Array<ArrayBuffer>> =>
  Bun.file(new URL(`${language}/${SOURCES[language].file}`, FOLDER)).bytes();

const source = async (language: Language): Promise<PublicDocument> =>
  new PublicDocument(await bytesOf(language), TEXT_FORM);

async function manifest({ version, appUrl }: PublicParts): Promise<Shown<typeof SdkManifest>> {
  const packages = LANGUAGES.map(async (language) => {
    const { file, path, requires } = SOURCES[language];
    const bytes = await bytesOf(language);
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    return { name: "troupe", language, version, file, url: appUrl() + path, sha256, bytes: bytes.length, requires };
  });
  return { api_version: API_VERSION, packages: await Promise.all(packages) };
}

async function examples({ appUrl }: PublicParts): Promise<Shown<typeof SdkExamples>> {
  const programs = LANGUAGES.flatMap((language) =>
    Object.entries(SOURCES[language].examples).map(async ([file, title]) => ({
      title,
      language,
      file,
      code: await Bun.file(new URL(`${language}/${file}`, FOLDER)).text(),
    })),
  );
  return {
    environment: [
      { name: "TROUPE_URL", value: appUrl() },
      { name: "TROUPE_TOKEN", value: "<a personal access token or a service token>" },
    ],
    commands: LANGUAGES.flatMap((language) => commandsOf(language)),
    examples: await Promise.all(programs),
  };
}

function commandsOf(language: Language) {
  const { file, path, run, examples: programs } = SOURCES[language];
  const [conversation] = Object.keys(programs);
  return [
    { title: `Get the SDK: ${file}`, language, command: `curl -fsSo ${file} "$TROUPE_URL${path}"` },
    { title: `Run the example ${conversation}`, language, command: `${run} ${conversation}` },
  ];
}
