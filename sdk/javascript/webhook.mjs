/** Receives webhooks: answers 204 to those that the service has signed, and 400 to all others. */
import { verifyWebhook, WebhookSignatureError } from "./troupe.mjs";
/** Give it to any server that speaks `Request` and `Response`. */
export async function receive(request, secret = process.env["TROUPE_WEBHOOK_SECRET"] ?? "") {
    try {
        const event = await verifyWebhook({ headers: request.headers, body: await request.text(), secret });
        console.log(`${event.sequence} ${event.type} ${event.resource.id}`);
        return new Response(null, { status: 204 });
    }
    catch (error) {
        if (!(error instanceof WebhookSignatureError))
            throw error;
        return new Response(error.message, { status: 400 });
    }
}
