/**
 * An agent of Troupe for AG-UI's clients (https://docs.ag-ui.com), beside the SDK: it needs `@ag-ui/client` and nothing
 * of `troupe.mjs`. `HttpAgent` works as it is; this one can also attach to a run again, and stop it.
 */
import { HttpAgent } from "@ag-ui/client";
export class TroupeAgent extends HttpAgent {
    /** What `connectAgent` calls: the newest run of the thread, from its start, and then live. */
    connect(input) {
        this.abortController = new AbortController();
        const { fetch } = this;
        const connecting = this.clone();
        connecting.abortController = this.abortController;
        connecting.fetch = (url, init) => fetch(`${url}/connect`, init);
        return connecting.run(input);
    }
    /** Stops the run of the thread. `abortRun` only stops reading it. */
    async stopRun() {
        const url = `${this.url}/threads/${encodeURIComponent(this.threadId)}/stop`;
        const answer = await this.fetch(url, { method: "POST", headers: this.headers });
        if (!answer.ok)
            throw new Error(await answer.text());
    }
}
