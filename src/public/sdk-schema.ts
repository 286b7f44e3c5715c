/** Schemas of the SDK manifest: where each SDK is, and how to use it (DOC-3). */
import { OneOf, Type } from "../../actors/schema.ts";
import { noun, Text } from "../http/contract/noun.ts";

export const SDK_LANGUAGES = ["typescript", "javascript", "python"] as const;
const SdkLanguage = OneOf(SDK_LANGUAGES);

const SdkSha256 = Text(
  "SHA-256 of its bytes, in hex",
  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
);
const LENGTH = Type.Integer({ minimum: 1, description: "Size in bytes" });

export const SdkManifest = noun("SdkManifest", "The SDKs that the service serves, each one file", {
  api_version: Text("Version of the contract that they were generated from", "2026-11-01"),
  packages: Type.Array(
    noun("SdkPackage", "An SDK", {
      name: Text("The title", "troupe"),
      language: SdkLanguage,
      version: Text("The version of the service that it came with", "0.1.0"),
      file: Text("File name to save it as", "troupe.ts"),
      url: Text("URL of the file", "https://troupe.example/api/sdk/typescript"),
      sha256: SdkSha256,
      bytes: LENGTH,
      requires: Text("What it needs", "Python 3.11"),
      parts: Type.Optional(
        Type.Array(
          noun("SdkPart", "A file beside the SDK, for programs that use another package", {
            file: Text("File name to save it as", "ag-ui.mjs"),
            url: Text("URL of the file", "https://troupe.example/api/sdk/javascript/ag-ui"),
            sha256: SdkSha256,
            bytes: LENGTH,
            peers: Type.Record(Type.String(), Type.String(), {
              description: "Packages that your program installs, with their versions",
              examples: [{ "@ag-ui/client": "^1.0.0" }],
            }),
          }),
          { description: "Files beside the SDK" },
        ),
      ),
      types: Type.Optional(
        noun("SdkTypes", "Type declarations of an SDK in a language without types, for editors and compilers", {
          file: Text("File name to save it as, beside the SDK", "troupe.d.mts"),
          url: Text("URL of the file", "https://troupe.example/api/sdk/javascript/types"),
          sha256: SdkSha256,
          bytes: LENGTH,
        }),
      ),
    }),
  ),
});

export const SdkExamples = noun("SdkExamples", "How to get and use the SDKs; commands and examples are tested", {
  environment: Type.Array(
    Type.Object({
      name: Text("Name of the variable", "TROUPE_URL"),
      value: Text("Value to set", "https://troupe.example"),
    }),
    { description: "Environment variables of the commands and the examples" },
  ),
  commands: Type.Array(
    noun("SdkCommand", "What to type", {
      title: Text("What it does", "Get the TypeScript SDK"),
      language: SdkLanguage,
      command: Text("Shell command", 'curl -fsSo troupe.ts "$TROUPE_URL/api/sdk/typescript"'),
    }),
  ),
  examples: Type.Array(
    noun("SdkExample", "A program beside the SDK's file", {
      title: Text("What it does", "Have a conversation"),
      language: SdkLanguage,
      file: Text("File name to save it as", "conversation.ts"),
      code: Text("Source of the program", 'import { Troupe } from "./troupe.ts";'),
    }),
  ),
});
