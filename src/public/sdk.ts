/** The SDKs as they are committed, and their manifest (DOC-3). The first request reads their bytes. */
import { API_VERSION } from "../http/contract/deprecation.ts";
import { type DocumentForm, PublicDocument, TEXT_FORM } from "../http/document/document.ts";
import type { Shown } from "../http/contract/operation.ts";
import type { Services } from "../operations/services.ts";
import type { SdkExamples, SdkManifest } from "./sdk-schema.ts";

type SdkLanguageName = "typescript" | "javascript" | "python";

interface SdkSource {
  /** The file name to save it as. */
  readonly file: string;
  readonly path: string;
  readonly form: DocumentForm;
  /** The file with its types, if they are in a separate file. */
  readonly types?: string;
  readonly requires: string;
  /** Files beside the SDK, by the paths below its own at which they are served. */
  readonly parts?: Readonly<Record<string, string>>;
  /** The command that runs an example, without its file name. */
  readonly run: string;
  /** The file of an example program. */
  readonly exampleFile: (name: string) => string;
}

const SOURCES: Readonly<Record<SdkLanguageName, SdkSource>> = {
  typescript: {
    file: "troupe.ts",
    path: "/api/sdk/typescript",
    form: TEXT_FORM,
    requires: "`fetch` and Web Crypto: Node 22.18 (the first that loads TypeScript), Bun, Deno",
    parts: { "/ag-ui": "ag-ui.ts" },
    run: "bun",
    exampleFile: (name) => `${name}.ts`,
  },
  javascript: {
    file: "troupe.mjs",
    path: "/api/sdk/javascript",
    // A page may import it from its address.
    form: { ...TEXT_FORM, contentType: "text/javascript; charset=utf-8" },
    types: "troupe.d.mts",
    requires: "`fetch` and Web Crypto: Node 20, Bun, Deno, browsers",
    parts: { "/ag-ui": "ag-ui.mjs", "/ag-ui/types": "ag-ui.d.mts" },
    run: "node",
    exampleFile: (name) => `${name}.mjs`,
  },
  python: {
    file: "troupe.py",
    path: "/api/sdk/python",
    form: TEXT_FORM,
    requires: "Python 3.11",
    run: "python3",
    exampleFile: (name) => `${name.replaceAll("-", "_")}.py`,
  },
};
/** The example programs, with descriptions: each SDK has all of them. */
const SDK_EXAMPLES = {
  conversation: "Have a conversation",
  webhook: "Receive webhooks",
  "client-tool": "Run a tool of an agent in your program, and get a value that fits a schema",
  "http-tool": "Give an agent operations of an API as tools",
  attachments: "Send a file with a message",
};
/** What single examples read besides. */
const EXAMPLES_READ = [
  { name: "QUESTION", value: "What does a pen cost?" },
  {
    name: "PRICES_URL",
    value: "<a server of yours that answers GET /pen with a price; http-tool reads its /openapi.json with getPrice>",
  },
  { name: "RUN_KEY", value: "<any text: with the same one, client-tool continues where it was stopped>" },
  { name: "TROUPE_WEBHOOK_SECRET", value: "<the signing secret of the messaging integration, for webhook>" },
];
const LANGUAGES = Object.keys(SOURCES) as readonly SdkLanguageName[];
const SDK_FOLDER = new URL("../../sdk/", import.meta.url);

const sdkBytes = (language: SdkLanguageName, file: string): Promise<Uint8Array<ArrayBuffer>> =>
  Bun.file(new URL(`${language}/${file}`, SDK_FOLDER)).bytes();

export const sdkSource = async (language: SdkLanguageName): Promise<PublicDocument> =>
  new PublicDocument(await sdkBytes(language, SOURCES[language].file), SOURCES[language].form);

export const sdkTypes = async (language: "javascript"): Promise<PublicDocument> =>
  new PublicDocument(await sdkBytes(language, SOURCES[language].types ?? ""), TEXT_FORM);

/** A file beside the SDK. */
export const sdkPart = async (language: "typescript" | "javascript", file: string): Promise<PublicDocument> =>
  new PublicDocument(await sdkBytes(language, file), file.endsWith(".mjs") ? SOURCES.javascript.form : TEXT_FORM);

/** What the files beside the SDKs need: packages that the program installs, so that both use the same one. */
const AG_UI_PEERS = { "@ag-ui/client": "^1.0.0" };

/** A file's entry in the manifest. */
async function manifestEntry(language: SdkLanguageName, file: string, url: string) {
  const bytes = await sdkBytes(language, file);
  return { file, url, sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"), bytes: bytes.length };
}

export async function sdkManifest({ facts: { version }, appUrl }: Services): Promise<Shown<typeof SdkManifest>> {
  const packages = LANGUAGES.map(async (language) => {
    const { file, path, types, requires, parts = {} } = SOURCES[language];
    const beside = Object.entries(parts).map(async ([at, part]) => ({
      ...(await manifestEntry(language, part, appUrl() + path + at)),
      peers: AG_UI_PEERS,
    }));
    const source = {
      name: "troupe",
      language,
      version,
      ...(await manifestEntry(language, file, appUrl() + path)),
      requires,
      ...(beside.length === 0 ? {} : { parts: await Promise.all(beside) }),
    };
    return types === undefined
      ? source
      : { ...source, types: await manifestEntry(language, types, `${appUrl()}${path}/types`) };
  });
  return { api_version: API_VERSION, packages: await Promise.all(packages) };
}

export async function sdkExamples({ appUrl }: Services): Promise<Shown<typeof SdkExamples>> {
  const programs = LANGUAGES.flatMap((language) =>
    Object.entries(SDK_EXAMPLES).map(async ([name, title]) => {
      const file = SOURCES[language].exampleFile(name);
      return { title, language, file, code: await Bun.file(new URL(`${language}/${file}`, SDK_FOLDER)).text() };
    }),
  );
  return {
    environment: [
      { name: "TROUPE_URL", value: appUrl() },
      { name: "TROUPE_TOKEN", value: "<a personal access token or a service token>" },
      ...EXAMPLES_READ,
    ],
    commands: LANGUAGES.flatMap((language) => commandsOf(language)),
    examples: await Promise.all(programs),
  };
}

function commandsOf(language: SdkLanguageName) {
  const { file, path, run, exampleFile } = SOURCES[language];
  const conversation = exampleFile("conversation");
  return [
    { title: `Get the SDK: ${file}`, language, command: `curl -fsSo ${file} "$TROUPE_URL${path}"` },
    { title: `Run the example ${conversation}`, language, command: `${run} ${conversation}` },
  ];
}
