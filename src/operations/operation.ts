/** `operation(contract, handler)` for handlers over the services: what the surfaces declare their operations with. */
import { operationsOver } from "../http/contract/operation.ts";
import type { Services } from "./services.ts";

export const operation = operationsOver<Services>();
