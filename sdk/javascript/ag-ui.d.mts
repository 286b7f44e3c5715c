/**
 * An agent of Troupe for AG-UI's clients (https://docs.ag-ui.com), beside the SDK: it needs `@ag-ui/client` and nothing
 * of `troupe.mjs`. `HttpAgent` works as it is; this one can also attach to a run again, and stop it.
 */
import { HttpAgent } from "@ag-ui/client";
type Input = Parameters<HttpAgent["run"]>[0];
export declare class TroupeAgent extends HttpAgent {
    /** What `connectAgent` calls: the newest run of the thread, from its start, and then live. */
    protected connect(input: Input): ReturnType<HttpAgent["run"]>;
    /** Stops the run of the thread. `abortRun` only stops reading it. */
    stopRun(): Promise<void>;
}
export {};
