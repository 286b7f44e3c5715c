/** The base64 of images and files in the body of a request: made in pieces, while it is sent. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { MessagePart } from "../../actors/job/ports.ts";
import { ATTACHED_BYTES } from "../../actors/upload/terms.ts";
import { slices } from "../../src/runner/provider-fetch.ts";
import { buildRequestBody } from "../../src/runner/request-body.ts";
import { until } from "../support/condition.ts";
import { modelCall, run } from "../support/model-calls.ts";
import { modelsBy, WAYS } from "../support/model-ways.ts";
import { startStreamServer } from "../support/stream-server.ts";

const PIECE_BYTES = 192 * 1024;
const QUIET = { charged: <T>(work: () => T): T => work(), touch: () => {} };

const filled = (length: number): Uint8Array => new Uint8Array(length).map((_, at) => (at * 31) % 251);

async function textOf(body: string | ReadableStream<Uint8Array>): Promise<string> {
  return typeof body === "string" ? body : await new Response(body).text();
}

describe("the body of a request", () => {
  const lengths = [0, 1, 2, 3, 4, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES + 2];

  test("[RUN-15] has the base64 of any bytes, however long, and says its own length", async () => {
    const images = lengths.map(filled);
    const { body, headers } = buildRequestBody(
      (base64) => ({ images: images.map((data) => `é,${base64(data)}`) }),
      QUIET,
    );
    const text = await textOf(body);
    expect(JSON.parse(text)).toEqual({ images: images.map((data) => `é,${Buffer.from(data).toString("base64")}`) });
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
  });

  test("[RUN-15] is plain text without images and files", () => {
    expect(buildRequestBody(() => ({ a: 1 }), QUIET)).toEqual({ body: '{"a":1}', headers: {} });
  });

  test("[RUN-15] keeps every text beside the images as it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" })), async (texts) => {
        const { body } = buildRequestBody((base64) => texts.map((text) => ({ text, data: base64(filled(5)) })), QUIET);
        expect(JSON.parse(await textOf(body))).toEqual(texts.map((text) => ({ text, data: "AB8+XXw=" })));
      }),
    );
  });

  test("[RUN-15] is made in small pieces, between which the event loop turns", async () => {
    let pieces = 0;
    let touched = 0;
    const turns = slices.turns;
    const counting = {
      charged: <T>(work: () => T): T => {
        pieces++;
        return work();
      },
      touch: () => touched++,
    };
    const { body } = buildRequestBody((base64) => ({ data: base64(filled(20 * PIECE_BYTES)) }), counting);
    await textOf(body);
    expect(pieces).toBeGreaterThan(20);
    expect(touched).toBeGreaterThan(20);
    expect(slices.turns - turns).toBeGreaterThanOrEqual(20);
  });

  test("[RUN-15] is not built further while the provider reads nothing", async () => {
    let pieces = 0;
    const counting = {
      charged: <T>(work: () => T): T => {
        pieces++;
        return work();
      },
      touch: () => {},
    };
    const { body } = buildRequestBody((base64) => ({ data: base64(filled(40 * PIECE_BYTES)) }), counting);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const made = pieces;
    await until("the queue of slices is empty", () => slices.take(1) === null);
    expect(pieces).toBe(made);
    await reader.cancel();
  });
});

describe("the images of one call", () => {
  for (const way of WAYS)
    test(`[RUN-15] have at most 22 MiB, and one byte more fails the call before it is made: ${way.name}`, async () => {
      const server = startStreamServer();
      try {
        const of = (bytes: number) => {
          const parts: MessagePart[] = [
            { type: "image", mediaType: "image/png", data: new Uint8Array(bytes - 3) },
            { type: "image", mediaType: "image/png", data: new Uint8Array(3) },
          ];
          return run(modelsBy(way, server.baseUrl), modelCall([{ role: "user", text: "", parts }]));
        };
        const { outcome } = await of(ATTACHED_BYTES + 1);
        expect(outcome).toMatchObject({
          kind: "failed",
          error: { code: "context_length_exceeded", message: expect.stringContaining("22 MiB") },
        });
        expect(server.bodies).toHaveLength(0);
        if (way.isReference) return;
        await of(ATTACHED_BYTES);
        expect(JSON.stringify(server.bodies).length).toBeGreaterThan(ATTACHED_BYTES);
      } finally {
        await server.stop();
      }
    });
});
