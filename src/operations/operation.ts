/** `operation(contract, handler)` for handlers that use the services: the surfaces declare their operations with it. */
import { operationsOver } from "../http/contract/operation.ts";
import type { Services } from "./services.ts";

export const operation = operationsOver<Services>();
